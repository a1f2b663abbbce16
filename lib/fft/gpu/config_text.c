/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Configurations as text, and the rows of config.def; see config.h. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "base/type.h"
#include "fft/gpu/config.h"

/* Functions that return the default of each row, which texts leave out. */
#define STFI_CONFIG(part, kind, name, macro, value, meaning)  \
    static int64_t otherwise_##name(const stfi_gpu_config *c) \
    {                                                         \
        (void)c;                                              \
        return value;                                         \
    }
#include "fft/gpu/config.def"
#undef STFI_CONFIG

static const stfi_config_row rows[] = {
#define STFI_CONFIG(part, kind, name, macro, value, meaning) \
    {STFI_CONFIG_##part,                                     \
     STFI_CONFIG_##kind,                                     \
     #name,                                                  \
     macro,                                                  \
     meaning,                                                \
     offsetof(stfi_gpu_config, name),                        \
     otherwise_##name},
#include "fft/gpu/config.def"
#undef STFI_CONFIG
};

enum { ROWS = sizeof rows / sizeof *rows };

const stfi_config_row *stfi_gpu_config_row(int i)
{
    return i >= 0 && i < ROWS ? &rows[i] : NULL;
}

/* ------------------------------------------------------------------ values */

/* Names in the kernels' sources. In texts stands what follows the first "_", in
 * lower case. */
static const char *const ops[] = {
#define STFI_OP(id, ...) [STFI_OP_##id] = "OP_" #id,
#include "fft/ops.def"
#undef STFI_OP
};
static const char *const convs[] = {
#define STFI_CONV(id, ...) [STFI_CONV_##id] = "CONV_" #id,
#include "fft/ops.def"
#undef STFI_CONV
};
static const char *const forms[] = {
    [STFI_FORM_COMPLEX] = "FORM_COMPLEX", [STFI_FORM_REAL] = "FORM_REAL",
    [STFI_FORM_PAIRS] = "FORM_PAIRS",     [STFI_FORM_HALF] = "FORM_HALF",
    [STFI_FORM_HC] = "FORM_HC",
};
static const char *const twiddles[] = {
    [STFI_TWIDDLE_NONE] = "TWIDDLE_NONE",
    [STFI_TWIDDLE_LOAD] = "TWIDDLE_LOAD",
    [STFI_TWIDDLE_STORE] = "TWIDDLE_STORE",
};
static const char *const orders[] = {
    [STFI_ORDER_NONE] = "ORDER_NONE",
    [STFI_ORDER_PLAIN] = "ORDER_PLAIN",
    [STFI_ORDER_FOLD] = "ORDER_FOLD",
    [STFI_ORDER_ENDS] = "ORDER_ENDS",
    [STFI_ORDER_EIGHTH] = "ORDER_EIGHTH",
    [STFI_ORDER_EIGHTH_BACK] = "ORDER_EIGHTH_BACK",
    [STFI_ORDER_EVEN] = "ORDER_EVEN",
    [STFI_ORDER_ODD] = "ORDER_ODD",
};
static const char *const turns[] = {
    [STFI_TURN_NONE] = "TURN_NONE",     [STFI_TURN_QUARTER] = "TURN_QUARTER",
    [STFI_TURN_FOUR] = "TURN_FOUR",     [STFI_TURN_CAS] = "TURN_CAS",
    [STFI_TURN_EIGHTH] = "TURN_EIGHTH", [STFI_TURN_IMAG] = "TURN_IMAG",
};

/* Precisions have names in base/types.def. No GPU has F80. */
enum { GPU_TYPES = STF_F64 + 1 };

static const struct {
    const char *const *word; /* NULL: of precisions */
    int count;
} names[] = {
#define NAMES(list)                         \
    {                                       \
        list, sizeof(list) / sizeof *(list) \
    }
    [STFI_CONFIG_TYPE] = {NULL, GPU_TYPES},
    [STFI_CONFIG_OP] = NAMES(ops),
    [STFI_CONFIG_CONV] = NAMES(convs),
    [STFI_CONFIG_FORM] = NAMES(forms),
    [STFI_CONFIG_TWIDDLE] = NAMES(twiddles),
    [STFI_CONFIG_ORDER] = NAMES(orders),
    [STFI_CONFIG_TURN] = NAMES(turns),
#undef NAMES
};

const char *stfi_gpu_type_word(stf_precision precision)
{
    const stfi_type *type = stfi_type_get(precision);

    return type->c_name != NULL ? type->c_name : type->name;
}

const char *stfi_gpu_config_word(stfi_config_kind kind, int64_t value)
{
    if (value < 0 || value >= names[kind].count)
        return NULL;
    return kind == STFI_CONFIG_TYPE ? stfi_gpu_type_word((stf_precision)value)
                                    : names[kind].word[value];
}

enum { TEXT_BYTES = 24 };

/* The name of a value in texts; 0 if there is none. */
static int find_text(stfi_config_kind kind, int64_t value,
                     char text[TEXT_BYTES])
{
    const char *word = stfi_gpu_config_word(kind, value);
    size_t i;

    if (word == NULL)
        return 0;
    word = kind == STFI_CONFIG_TYPE ? stfi_type_get((stf_precision)value)->name
                                    : strchr(word, '_') + 1;
    for (i = 0; i < TEXT_BYTES - 1 && word[i] != '\0'; i++)
        text[i] = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] - 'A' + 'a'
                                                          : word[i]);
    text[i] = '\0';
    return 1;
}

/* Returns 1 if members of this kind are of type int. */
static int is_int(stfi_config_kind kind)
{
    return kind == STFI_CONFIG_FLAG || kind >= STFI_CONFIG_TYPE;
}

int64_t stfi_gpu_config_get(const stfi_gpu_config *c,
                            const stfi_config_row *row)
{
    const void *at = (const char *)c + row->offset;

    if (row->kind == STFI_CONFIG_RADICES)
        return ((const stfi_radices *)at)->count;
    return is_int(row->kind) ? *(const int *)at : *(const int64_t *)at;
}

static void set(stfi_gpu_config *c, const stfi_config_row *row, int64_t value)
{
    void *at = (char *)c + row->offset;

    if (row->kind == STFI_CONFIG_RADICES)
        *(stfi_radices *)at = (stfi_radices){.count = (int)value};
    else if (is_int(row->kind))
        *(int *)at = (int)value;
    else
        *(int64_t *)at = value;
}

/* ---------------------------------------------------------------- printing */

static void put_radices(stfi_text *w, const stfi_radices *r)
{
    for (int s = 0; s < r->count; s++)
        stfi_text_put(w, "%s%d", s > 0 ? "x" : "", r->radix[s]);
}

static void put_value(stfi_text *w, const stfi_gpu_config *c,
                      const stfi_config_row *row)
{
    int64_t value = stfi_gpu_config_get(c, row);
    char name[TEXT_BYTES];

    stfi_text_put(w, "%s%s=", w->length > 0 ? " " : "", row->name);
    if (row->kind == STFI_CONFIG_RADICES)
        put_radices(w, (const void *)((const char *)c + row->offset));
    else if (find_text(row->kind, value, name))
        stfi_text_put(w, "%s", name);
    else
        stfi_text_put(w, "%" PRId64, value);
}

size_t stfi_gpu_config_print(const stfi_gpu_config *c, unsigned parts,
                             char *text, size_t capacity)
{
    stfi_text w = {text, capacity, 0};

    if (capacity > 0)
        text[0] = '\0';
    for (int i = 0; i < ROWS; i++)
        if ((rows[i].part & parts) != 0
            && stfi_gpu_config_get(c, &rows[i]) != rows[i].otherwise(c))
            put_value(&w, c, &rows[i]);
    return w.length;
}

/* ----------------------------------------------------------------- reading */

/* Reads decimal digits up to `end`; returns -1 if there is anything else, or if
 * the number is too large. */
static int64_t read_number(const char *at, const char *end)
{
    int64_t value = 0;

    if (at == end)
        return -1;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9' || value > (INT64_MAX - 9) / 10)
            return -1;
        value = 10 * value + (*at - '0');
    }
    return value;
}

/* Returns the largest value of a kind. */
static int64_t largest(stfi_config_kind kind)
{
    return kind == STFI_CONFIG_FLAG    ? 1
           : kind == STFI_CONFIG_BYTES ? (int64_t)UINT32_MAX
                                       : INT64_MAX;
}

static int read_radices(const char *at, const char *end, stfi_radices *r_p)
{
    stfi_radices r = {.count = 0};

    while (r.count < STFI_MAX_STAGES) {
        const char *x = memchr(at, 'x', (size_t)(end - at));
        int64_t radix = read_number(at, x != NULL ? x : end);
        if (radix < 1 || radix > INT32_MAX)
            return 0;
        r.radix[r.count++] = (int)radix;
        if (x == NULL) {
            *r_p = r;
            return 1;
        }
        at = x + 1;
    }
    return 0;
}

/* Sets a row's member; returns 0 if the text is no value of its kind. */
static int read_value(const stfi_config_row *row, const char *at,
                      const char *end, stfi_gpu_config *c)
{
    size_t length = (size_t)(end - at);
    int64_t value = -1;
    char name[TEXT_BYTES];

    if (row->kind == STFI_CONFIG_RADICES)
        return read_radices(at, end, (void *)((char *)c + row->offset));
    if (row->kind < STFI_CONFIG_TYPE)
        value = read_number(at, end);
    else
        for (int64_t i = 0; i < names[row->kind].count; i++)
            if (find_text(row->kind, i, name) && strlen(name) == length
                && memcmp(name, at, length) == 0)
                value = i;
    if (value < (row->kind == STFI_CONFIG_COUNT) || value > largest(row->kind))
        return 0;
    set(c, row, value);
    return 1;
}

/* Returns the index of the row with this name among the given parts, or
 * ROWS. */
static int find_row(const char *name, size_t length, unsigned parts)
{
    int i = 0;

    while (i < ROWS
           && ((rows[i].part & parts) == 0 || strlen(rows[i].name) != length
               || memcmp(rows[i].name, name, length) != 0))
        i++;
    return i;
}

/* Reads "name=value". */
static stf_status read_item(const char *at, const char *end, unsigned parts,
                            unsigned char seen[ROWS], stfi_gpu_config *c)
{
    const char *equal = memchr(at, '=', (size_t)(end - at));
    const char *stop = equal != NULL ? equal : end;
    int i = find_row(at, (size_t)(stop - at), parts);

    if (i == ROWS)
        return stfi_error(STF_ERR_ARGUMENT,
                          "a kernel's configuration has no \"%.*s\" here",
                          (int)(stop - at), at);
    if (seen[i]++)
        return stfi_error(STF_ERR_ARGUMENT,
                          "a kernel's configuration has \"%s\" twice",
                          rows[i].name);
    if (equal == NULL || !read_value(&rows[i], equal + 1, end, c))
        return stfi_error(STF_ERR_ARGUMENT,
                          "a kernel's configuration has \"%.*s\", which is "
                          "no value of \"%s\"",
                          (int)(end - at), at, rows[i].name);
    return STF_OK;
}

stf_status stfi_gpu_config_parse(const char *text, unsigned parts,
                                 stfi_gpu_config *config_p)
{
    static const char space[] = " \t\r\n";
    unsigned char seen[ROWS] = {0};
    stfi_gpu_config c = *config_p;
    const char *at = text + strspn(text, space);
    stf_status status = STF_OK;

    while (*at != '\0' && status == STF_OK) {
        const char *end = at + strcspn(at, space);
        status = read_item(at, end, parts, seen, &c);
        at = end + strspn(end, space);
    }
    if (status != STF_OK)
        return status;
    for (int i = 0; i < ROWS; i++)
        if ((rows[i].part & parts) != 0 && !seen[i])
            set(&c, &rows[i], rows[i].otherwise(&c));
    *config_p = c;
    return STF_OK;
}
