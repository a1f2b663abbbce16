/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reading and writing .npy files; see npy.h. The header is the text of a
 * Python dictionary with the keys descr, fortran_order and shape.
 *
 * Source: the NEP "A simple file format for NumPy arrays". */
#include "tools/file/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/half.h"
#include "base/status.h"
#include "fft/desc.h"
#include "tools/file/outfile.h"

enum { MAGIC_BYTES = 8, HEADER_LIMIT = 1 << 20, ALIGNMENT = 64 };

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* The element types. `name` is the text of `descr` after the byte order. Numpy
 * has no bfloat16: arrays of it are stored as uint16. */
static const struct {
    const char *name;
    stf_precision precision;
    int complex;
    size_t file_bytes; /* bytes of one component in the file */
} dtypes[] = {
    {"f2", STF_F32, 0, 2},   {"f4", STF_F32, 0, 4},  {"f8", STF_F64, 0, 8},
    {"f16", STF_F80, 0, 16}, {"c8", STF_F32, 1, 4},  {"c16", STF_F64, 1, 8},
    {"c32", STF_F80, 1, 16}, {"u2", STF_BF16, 0, 2},
};

enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* The contents of the header. */
typedef struct header {
    int dtype;   /* index of its row in dtypes[] */
    int swapped; /* 1 if not in the host's byte order */
    int fortran;
    int rank;
    int64_t n[STFI_ARRAY_RANK];
} header;

static int host_is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

int stfi_npy_recognise(const unsigned char *head, size_t bytes)
{
    return bytes >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
}

/* ------------------------------------------------------------- the header */

/* The text after 'key': in the dictionary, or NULL if there is no such key. */
static const char *find_value(const char *text, const char *key)
{
    size_t length = strlen(key);

    for (const char *p = text; (p = strstr(p, key)) != NULL; p += length) {
        const char *end = p + length;
        if (p == text || (p[-1] != '\'' && p[-1] != '"') || *end != p[-1])
            continue;
        end++;
        end += strspn(end, " \t");
        if (*end != ':')
            continue;
        end++;
        return end + strspn(end, " \t");
    }
    return NULL;
}

static stf_status parse_dtype(const char *path, const char *value, header *h)
{
    char name[24] = "", order;
    size_t length;

    if (*value != '\'' && *value != '"')
        return stfi_error(STF_ERR_IO,
                          "%s: its elements are records; only "
                          "plain float and complex arrays are supported",
                          path);
    length = strcspn(value + 1, "'\"");
    snprintf(name, sizeof name, "%.*s", (int)length, value + 1);
    order = name[0];
    for (int i = 0; i < DTYPES; i++)
        if (strchr("<>=", order) != NULL
            && strcmp(name + 1, dtypes[i].name) == 0) {
            h->dtype = i;
            h->swapped = order == (host_is_big_endian() ? '<' : '>');
            if (dtypes[i].precision == STF_F80
                && (h->swapped || sizeof(long double) != 16))
                break;
            return STF_OK;
        }
    return stfi_error(STF_ERR_IO,
                      "%s: elements of type '%s' are not "
                      "supported; float16, float32, float64, complex64, "
                      "complex128, this machine's longdouble and uint16 for "
                      "bfloat16 are (convert with astype)",
                      path, name);
}

static stf_status parse_shape(const char *path, const char *value, header *h)
{
    const char *p = value;

    if (*p++ != '(')
        return stfi_error(STF_ERR_IO, "%s: its header has no shape", path);
    for (h->rank = 0;;) {
        char *end;
        long long n;

        p += strspn(p, " ,");
        if (*p == ')')
            break;
        errno = 0;
        n = strtoll(p, &end, 10);
        if (end == p || errno != 0 || n < 0)
            return stfi_error(STF_ERR_IO, "%s: its header's shape is broken",
                              path);
        if (n == 0)
            return stfi_error(STF_ERR_IO,
                              "%s: the array is empty; there is "
                              "nothing to compute",
                              path);
        if (h->rank == STFI_ARRAY_RANK)
            return stfi_error(STF_ERR_IO,
                              "%s: the array has more than %d "
                              "axes",
                              path, STFI_ARRAY_RANK);
        h->n[h->rank++] = n;
        p = *end == 'L' ? end + 1 : end; /* Python 2 wrote 3L for 3 */
    }
    if (h->rank == 0) /* the file holds a single number */
        h->n[h->rank++] = 1;
    return STF_OK;
}

static stf_status parse_header(const char *path, const char *text, header *h)
{
    const char *descr = find_value(text, "descr");
    const char *order = find_value(text, "fortran_order");
    const char *shape = find_value(text, "shape");
    stf_status status;

    if (descr == NULL || order == NULL || shape == NULL)
        return stfi_error(STF_ERR_IO,
                          "%s: its header lacks descr, "
                          "fortran_order or shape",
                          path);
    h->fortran = strncmp(order, "True", 4) == 0;
    status = parse_dtype(path, descr, h);
    return status == STF_OK ? parse_shape(path, shape, h) : status;
}

static stf_status truncated(const stfi_infile *in, const char *where)
{
    stf_status status = stfi_infile_status(in);

    return status != STF_OK
               ? status
               : stfi_error(STF_ERR_IO, "%s is truncated: it ends in its %s",
                            in->path, where);
}

static stf_status read_header(stfi_infile *in, header *h)
{
    const char *path = in->path;
    unsigned char head[MAGIC_BYTES + 4] = {0};
    size_t length_bytes, length = 0;
    char *text;
    stf_status status;

    if (stfi_infile_read(in, head, MAGIC_BYTES) != MAGIC_BYTES)
        return truncated(in, "first 8 bytes");
    if (!stfi_npy_recognise(head, MAGIC_BYTES))
        return stfi_error(STF_ERR_IO, "%s is not a .npy file", path);
    if (head[6] < 1 || head[6] > 3)
        return stfi_error(STF_ERR_IO,
                          "%s is a .npy file of version %d.%d; "
                          "1 to 3 are supported",
                          path, head[6], head[7]);
    length_bytes = head[6] == 1 ? 2 : 4;
    if (stfi_infile_read(in, head + MAGIC_BYTES, length_bytes) != length_bytes)
        return truncated(in, "header");
    for (size_t i = length_bytes; i-- > 0;)
        length = length << 8 | head[MAGIC_BYTES + i];
    if (length > HEADER_LIMIT)
        return stfi_error(STF_ERR_IO,
                          "%s: its header claims %zu bytes; it is "
                          "damaged",
                          path, length);
    text = malloc(length + 1);
    if (text == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of memory for a header");
    text[length] = '\0';
    status = stfi_infile_read(in, text, length) == length
                 ? parse_header(path, text, h)
                 : truncated(in, "header");
    free(text);
    return status;
}

/* --------------------------------------------------------------- the data */

static void swap_components(unsigned char *data, int64_t count, size_t bytes)
{
    for (int64_t i = 0; i < count; i++, data += bytes)
        for (size_t b = 0; b < bytes / 2; b++) {
            unsigned char t = data[b];
            data[b] = data[bytes - 1 - b];
            data[bytes - 1 - b] = t;
        }
}

/* Widens halves, which lie at the front of the array's memory, to floats in
 * place. It begins at the end, since each float overwrites halves that lie
 * behind its own. */
static void widen_halves(stfi_array *a)
{
    float *to = a->data;
    const unsigned char *from = a->data;

    for (int64_t i = stfi_array_count(a) - 1; i >= 0; i--) {
        uint16_t h;
        memcpy(&h, from + 2 * i, sizeof h);
        to[i] = stfi_half_from_f16(h);
    }
}

/* Transposes from column-major order, in which the first axis varies fastest,
 * to row-major order, in which the last one does. */
static stf_status to_row_major(stfi_array *a)
{
    size_t bytes = stfi_array_element_bytes(a);
    int64_t index[STFI_ARRAY_RANK] = {0}, step[STFI_ARRAY_RANK];
    int64_t count = stfi_array_count(a), from = 0, product = 1;
    stfi_array to = *a;
    stf_status status = stfi_array_alloc(&to);

    if (status != STF_OK)
        return status;
    for (int i = 0; i < a->rank; i++) {
        step[i] = product;
        product *= a->n[i];
    }
    for (int64_t k = 0; k < count; k++) {
        int i = a->rank - 1;
        memcpy((char *)to.data + (size_t)k * bytes,
               (const char *)a->data + (size_t)from * bytes, bytes);
        for (; i >= 0; i--) {
            from += step[i];
            if (++index[i] < a->n[i])
                break;
            from -= step[i] * a->n[i];
            index[i] = 0;
        }
    }
    stfi_array_free(a);
    *a = to;
    return STF_OK;
}

/* Reads `bytes` of data into the array, which is allocated here. The length of
 * the file is checked first, so that a damaged header cannot cause a huge
 * allocation. */
static stf_status read_data(stfi_infile *in, size_t bytes, stfi_array *a)
{
    int64_t left = in->bytes - in->consumed;
    size_t got = left > 0 ? (size_t)left : 0, capacity;
    stf_status status = stfi_array_bytes(a, &capacity);

    if (status == STF_OK && (in->bytes < 0 || got >= bytes))
        status = stfi_infile_take(in, bytes, capacity, &a->data, &got);
    if (status != STF_OK || got >= bytes)
        return status;
    stfi_array_free(a);
    return stfi_error(STF_ERR_IO,
                      "%s is truncated: it has %zu bytes of "
                      "data, and its shape needs %zu",
                      in->path, got, bytes);
}

static stf_status read_body(stfi_infile *in, stfi_array *a, const char **note_p)
{
    header h = {0};
    stf_status status = read_header(in, &h);
    size_t bytes, component;

    if (status != STF_OK)
        return status;
    *a = (stfi_array){.precision = dtypes[h.dtype].precision,
                      .complex = dtypes[h.dtype].complex,
                      .rank = h.rank};
    memcpy(a->n, h.n, sizeof h.n);
    if ((status = stfi_array_bytes(a, &bytes)) != STF_OK)
        return status;
    component = stfi_type_get(a->precision)->bytes;
    bytes = bytes / component * dtypes[h.dtype].file_bytes;
    if ((status = read_data(in, bytes, a)) != STF_OK)
        return status;
    if (h.swapped)
        swap_components(a->data, (int64_t)(bytes / dtypes[h.dtype].file_bytes),
                        dtypes[h.dtype].file_bytes);
    *note_p = h.swapped ? "big-endian numbers were swapped" : NULL;
    if (a->precision == STF_BF16) {
        *note_p = "uint16 was taken for bfloat16";
    } else if (dtypes[h.dtype].file_bytes == 2) {
        widen_halves(a);
        *note_p = "float16 was converted to f32";
    }
    if (h.fortran && a->rank > 1) {
        status = to_row_major(a);
        if (*note_p == NULL)
            *note_p = "Fortran order was converted to row-major";
    }
    return status;
}

stf_status stfi_npy_read(stfi_infile *in, stfi_array *a_p, const char **note_p)
{
    stfi_array a = {0};
    stf_status status = read_body(in, &a, note_p);

    if (status == STF_OK)
        *a_p = a;
    else
        stfi_array_free(&a);
    return status;
}

stf_status stfi_raw_read(stfi_infile *in, stfi_array *a)
{
    size_t bytes;
    char more;
    stf_status status = stfi_array_bytes(a, &bytes);

    if (status == STF_OK)
        status = read_data(in, bytes, a);
    if (status != STF_OK)
        return status;
    if (stfi_infile_read(in, &more, 1) > 0)
        status = stfi_error(STF_ERR_IO,
                            "%s is longer than the %zu bytes that "
                            "--shape and --precision make",
                            in->path, bytes);
    else
        status = stfi_infile_status(in);
    if (status != STF_OK)
        stfi_array_free(a);
    return status;
}

/* ---------------------------------------------------------------- writing */

/* The type of an array's components or, for complex ones of halves, which numpy
 * does not have, that of its parts along one more axis; NULL if there is none. */
static const char *dtype_of(const stfi_array *a)
{
    size_t bytes = stfi_type_get(a->precision)->bytes;

    if (a->precision == STF_F16)
        return "f2";
    for (int row = 0; row < DTYPES; row++)
        if (dtypes[row].precision == a->precision
            && dtypes[row].file_bytes == bytes
            && (dtypes[row].complex == a->complex || bytes == 2))
            return dtypes[row].name;
    return NULL;
}

static stf_status write_header(stfi_outfile *out, const stfi_array *a)
{
    char text[512], *padded;
    size_t used, total;
    const char *type = dtype_of(a);
    stfi_array shape = *a;

    if (type == NULL)
        return stfi_error(STF_ERR_IO, "this machine's %s has no .npy type",
                          stfi_type_get(a->precision)->name);
    if (a->complex && stfi_type_get(a->precision)->bytes == 2)
        shape.n[shape.rank++] = 2;
    used = (size_t)snprintf(text, sizeof text,
                            "{'descr': '%c%s', "
                            "'fortran_order': False, 'shape': (",
                            host_is_big_endian() ? '>' : '<', type);
    for (int i = 0; i < shape.rank; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%" PRId64 "%s",
                             i > 0 ? " " : "", shape.n[i],
                             shape.rank == 1 || i + 1 < shape.rank ? "," : "");
    used += (size_t)snprintf(text + used, sizeof text - used, "), }");
    /* The header is padded with spaces and a newline, so that the data are
     * aligned. */
    total = (MAGIC_BYTES + 2 + used + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    padded = malloc(total);
    if (padded == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of memory for a header");
    memset(padded, ' ', total);
    memcpy(padded, magic, sizeof magic);
    padded[6] = 1;
    padded[7] = 0;
    padded[8] = (char)((total - MAGIC_BYTES - 2) & 255);
    padded[9] = (char)((total - MAGIC_BYTES - 2) >> 8);
    memcpy(padded + MAGIC_BYTES + 2, text, used);
    padded[total - 1] = '\n';
    stfi_outfile_write(out, padded, total);
    free(padded);
    return STF_OK;
}

stf_status stfi_npy_write(const char *path, const stfi_array *a)
{
    stfi_outfile out;
    size_t bytes;
    stf_status status = stfi_array_bytes(a, &bytes);

    if (status != STF_OK || (status = stfi_outfile_open(path, &out)) != STF_OK)
        return status;
    status = write_header(&out, a);
    if (status != STF_OK) {
        stfi_outfile_discard(&out);
        return status;
    }
    stfi_outfile_write(&out, a->data, bytes);
    return stfi_outfile_commit(&out);
}
