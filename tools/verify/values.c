/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Values of results; see values.h. */
#include "tools/verify/values.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/type.h"
#include "fft/desc.h"
#include "tools/file/data.h"

enum {
    PER_LINE = 16,
    NAME_BYTES = 16,
    EXTENDED_BYTES = LDBL_MANT_DIG == 64 ? 10 : (int)sizeof(long double)
};

size_t stfi_values_bytes(stf_precision precision)
{
    return precision == STF_F80 ? (size_t)EXTENDED_BYTES
                                : stfi_type_get(precision)->bytes;
}

int64_t stfi_values_components(const stf_fft_desc *full)
{
    int64_t count = stfi_kind_get(full->kind)->real_out ? 1 : 2;

    for (int a = 0; a < full->rank; a++)
        count *= stfi_desc_extent(full, a, 1);
    return count;
}

/* Makes room for so many values, all of which will be known. */
static stf_status make(stf_precision precision, int64_t count,
                       stfi_values *values_p)
{
    stfi_values v = {.precision = precision, .count = count, .known = count};
    stf_status status = stfi_alloc(
        (size_t)count * stfi_type_get(precision)->bytes, "all values", &v.data);

    if (status == STF_OK)
        *values_p = v;
    return status;
}

stf_status stfi_values_take(const stf_fft_desc *full, const void *out,
                            stfi_values *values_p)
{
    const int64_t each = stfi_values_components(full);
    const size_t step = (size_t)each * stfi_type_get(full->precision)->bytes;
    stf_status status = make(full->precision, each * full->batch, values_p);

    for (int64_t t = 0; t < full->batch && status == STF_OK; t++)
        stfi_data_gather(full, 1, out, t,
                         (char *)values_p->data + (size_t)t * step);
    return status;
}

stf_status stfi_values_of_array(stf_precision precision, const void *x,
                                int64_t count, stfi_values *values_p)
{
    stf_status status = make(precision, count, values_p);

    if (status == STF_OK)
        memcpy(values_p->data, x,
               (size_t)count * stfi_type_get(precision)->bytes);
    return status;
}

void stfi_values_free(stfi_values *values)
{
    stfi_dealloc(values->data);
    *values = (stfi_values){.count = 0};
}

/* ------------------------------------------------------------------- files */

void stfi_values_print(const stfi_values *v, FILE *file)
{
    const size_t own = stfi_values_bytes(v->precision);
    const size_t step = stfi_type_get(v->precision)->bytes;

    fprintf(file, "= %s %" PRId64 "\n", stfi_type_get(v->precision)->name,
            v->count);
    for (int64_t i = 0; i < v->count; i++) {
        const unsigned char *at =
            (const unsigned char *)v->data + (size_t)i * step;

        fputs(i % PER_LINE == 0 ? ": " : " ", file);
        for (size_t b = own; b > 0; b--)
            fprintf(file, "%02x", at[b - 1]);
        if (i % PER_LINE == PER_LINE - 1 || i == v->count - 1)
            fputc('\n', file);
    }
}

static int parse_head(const char *text, stfi_values *v)
{
    char name[NAME_BYTES];
    const stfi_type *type;
    int64_t count;
    void *data;

    if (sscanf(text, " %15s %" SCNd64, name, &count) != 2 || count < 1
        || (type = stfi_type_find(name)) == NULL
        || count > (int64_t)(PTRDIFF_MAX / type->bytes))
        return 0;
    if (stfi_alloc((size_t)count * type->bytes, "values", &data) != STF_OK)
        return 0;
    memset(data, 0, (size_t)count * type->bytes);
    stfi_values_free(v);
    *v = (stfi_values){.precision = type->id, .count = count, .data = data};
    return 1;
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

/* Reads the bits of one component. */
static int parse_bits(const char *text, size_t own, unsigned char *to)
{
    for (size_t b = 0; b < own; b++) {
        const char *at = text + 2 * (own - 1 - b);
        if (digit(at[0]) < 0 || digit(at[1]) < 0)
            return 0;
        to[b] = (unsigned char)(digit(at[0]) << 4 | digit(at[1]));
    }
    return 1;
}

int stfi_values_parse(const char *line, stfi_values *v)
{
    size_t own, step;

    if (line[0] == '=')
        return parse_head(line + 1, v);
    if (v->data == NULL)
        return 0;
    own = stfi_values_bytes(v->precision);
    step = stfi_type_get(v->precision)->bytes;
    for (line++; *line == ' '; line += 1 + 2 * own, v->known++)
        if (v->known == v->count
            || strspn(line + 1, "0123456789abcdef") != 2 * own
            || !parse_bits(line + 1, own,
                           (unsigned char *)v->data + (size_t)v->known * step))
            return 0;
    return *line == '\n' || *line == '\r';
}

int stfi_values_complete(const stfi_values *values)
{
    return values->known == values->count;
}

/* -------------------------------------------------------------- comparing */

int stfi_values_compare(const stfi_values *mine, const stfi_values *its,
                        stfi_values_gap *gap_p)
{
    stfi_values_gap gap = {.count = mine->count};
    long double norm2 = 0.0L, gap2 = 0.0L, most = 0.0L;
    size_t own, step;

    if (mine->data == NULL || its->data == NULL || mine->count != its->count
        || mine->precision != its->precision)
        return 0;
    own = stfi_values_bytes(mine->precision);
    step = stfi_type_get(mine->precision)->bytes;
    for (int64_t i = 0; i < mine->count; i++) {
        const size_t at = (size_t)i * step;
        long double a = stfi_type_read(mine->precision, mine->data, i);
        long double b = stfi_type_read(its->precision, its->data, i);
        long double d = fabsl(a - b);

        norm2 += b * b;
        gap2 += d * d;
        gap.other += memcmp((const char *)mine->data + at,
                            (const char *)its->data + at, own)
                     != 0;
        if (d > most) {
            most = d;
            gap.at = i;
        }
    }
    gap.distance = (double)sqrtl(gap2 / norm2);
    gap.largest = (double)(most / sqrtl(norm2 / (long double)gap.count));
    if (gap2 == 0.0L)
        gap.distance = gap.largest = 0.0;
    else if (!isfinite(gap.distance))
        gap.distance = gap.largest = INFINITY;
    *gap_p = gap;
    return 1;
}
