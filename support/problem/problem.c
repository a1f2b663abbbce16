/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The problem language and the random data of tests, bench and the command;
 * see problem.h. */
#include "support/problem/problem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "fft/desc.h"

enum { FIELD_BYTES = STFI_KIND_TEXT, FIELDS = 6 };

/* ---------------------------------------------------------------- parsing */

int stfi_problem_is_mixed(const char *text)
{
    return strncmp(text, "r2r=", 4) == 0;
}

stf_status stfi_problem_kinds(const char *text, stf_kind kinds[STF_MAX_RANK],
                              int *count_p)
{
    const char *list = text + 4;

    for (int a = 0; a < STF_MAX_RANK; a++) {
        int length = (int)strcspn(list, "+");
        char name[FIELD_BYTES];
        const stfi_kind *kind;

        snprintf(name, sizeof name, "%.*s", length, list);
        kind = stfi_kind_find(name);
        if (kind == NULL || kind->id == STF_R2R || !stfi_kind_is_r2r(kind->id))
            return stfi_error(STF_ERR_ARGUMENT,
                              "\"%s\" names \"%.*s\", which is no real to real "
                              "kind; give one of dct1 to dct4, dst1 to dst4, "
                              "dht, r2hc and hc2r for each axis, such as "
                              "r2r=dct2+dst1",
                              text, length, list);
        kinds[a] = kind->id;
        *count_p = a + 1;
        if (list[length] == '\0')
            return STF_OK;
        list += length + 1;
    }
    return stfi_error(STF_ERR_ARGUMENT, "\"%s\" has more than %d kinds", text,
                      STF_MAX_RANK);
}

static int take_kinds(const char *text, stfi_problem *p)
{
    if (stfi_problem_kinds(text, p->desc.kinds, &p->axes) != STF_OK)
        return 0;
    p->desc.kind = STF_R2R;
    return 1;
}

static int take_kind(const char *name, stfi_problem *p)
{
    const stfi_kind *kind = stfi_kind_find(name);

    if (stfi_problem_is_mixed(name))
        return take_kinds(name, p);
    if (kind != NULL)
        p->desc.kind = kind->id;
    return kind != NULL && kind->id != STF_R2R;
}

static int take_precision(const char *name, stfi_problem *p)
{
    const stfi_type *type = stfi_type_find(name);
    if (type != NULL)
        p->desc.precision = type->id;
    return type != NULL;
}

/* The words of stf_compute. */
static const char *const computes[] = {
    [STF_COMPUTE_NATIVE] = "native",
    [STF_COMPUTE_TENSOR] = "tensor",
    [STF_COMPUTE_SPLIT] = "split",
};

int stfi_problem_compute(const char *name)
{
    int i = sizeof computes / sizeof *computes - 1;

    while (i >= 0 && strcmp(computes[i], name) != 0)
        i--;
    return i;
}

const char *stfi_problem_compute_name(stf_compute compute)
{
    return computes[compute];
}

/* The words of stf_effort. */
static const char *const efforts[] = {
    [STF_EFFORT_ESTIMATE] = "estimate",
    [STF_EFFORT_MEASURE] = "measure",
    [STF_EFFORT_EXHAUSTIVE] = "exhaustive",
};

int stfi_problem_effort(const char *name)
{
    int i = sizeof efforts / sizeof *efforts - 1;

    while (i >= 0 && strcmp(efforts[i], name) != 0)
        i--;
    return i;
}

static int take_effort(const char *name, stfi_problem *p)
{
    int effort = stfi_problem_effort(name);

    if (effort >= 0)
        p->desc.effort = (stf_effort)effort;
    return effort >= 0;
}

static int take_compute(const char *name, stfi_problem *p)
{
    int compute = stfi_problem_compute(name);

    if (compute >= 0)
        p->desc.compute = (stf_compute)compute;
    return compute >= 0;
}

static int take_place(const char *name, stfi_problem *p)
{
    p->in_place = strcmp(name, "in") == 0;
    return p->in_place || strcmp(name, "out") == 0;
}

static int take_layout(const char *name, stfi_problem *p)
{
    p->interleaved = strcmp(name, "interleaved") == 0;
    return p->interleaved || strcmp(name, "packed") == 0;
}

/* The fields before the shape, in the order in which a word has them. */
static const struct {
    const char *name;
    int (*take)(const char *text, stfi_problem *p);
} fields[FIELDS] = {
    {"kind", take_kind},       {"precision", take_precision},
    {"compute", take_compute}, {"effort", take_effort},
    {"place", take_place},     {"layout", take_layout},
};

static stf_status bad_field(const char *word, size_t length)
{
    char text[4 * FIELD_BYTES];
    stf_kind kinds[STF_MAX_RANK];
    int count;

    snprintf(text, sizeof text, "%.*s", (int)length, word);
    if (stfi_problem_is_mixed(text)
        && stfi_problem_kinds(text, kinds, &count) != STF_OK)
        return STF_ERR_ARGUMENT;
    return stfi_error(STF_ERR_ARGUMENT,
                      "problem: \"%s\" is no kind (c2c), precision (f32), "
                      "compute (split), effort (measure), place (in, out) or "
                      "layout (interleaved), or not in that order",
                      text);
}

/* Parses the fields up to the last ':'; *rest_p is the text after it. Fields
 * may be left out: each part of the word is taken by the first of the remaining
 * fields that accepts it. */
static stf_status parse_fields(const char *word, stfi_problem *p,
                               const char **rest_p)
{
    const char *colon;
    int field = 0;

    while ((colon = strchr(word, ':')) != NULL) {
        char text[FIELD_BYTES];
        size_t length = (size_t)(colon - word);

        if (length < sizeof text) {
            memcpy(text, word, length);
            text[length] = '\0';
            while (field < FIELDS && !fields[field].take(text, p))
                field++;
        }
        if (length >= sizeof text || field >= FIELDS)
            return bad_field(word, length);
        field++;
        word = colon + 1;
    }
    *rest_p = word;
    return STF_OK;
}

/* Parses a length or a batch and moves *text_p behind it. */
static stf_status parse_count(const char **text_p, const char *what,
                              int64_t *value_p)
{
    const char *text = *text_p;
    char *end;
    long long value;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (*text < '0' || *text > '9' || end == text || errno != 0 || value < 1)
        return stfi_error(STF_ERR_ARGUMENT,
                          "problem: the %s at \"%s\" must "
                          "be an integer of at least 1",
                          what, text);
    *value_p = value;
    *text_p = end;
    return STF_OK;
}

static stf_status parse_shape(const char *text, stf_fft_desc *d)
{
    stf_status status;

    d->rank = 0;
    do {
        if (d->rank == STF_MAX_RANK)
            return stfi_error(STF_ERR_ARGUMENT,
                              "problem: the shape has more "
                              "than %d lengths",
                              STF_MAX_RANK);
        status = parse_count(&text, "length", &d->n[d->rank]);
        if (status != STF_OK)
            return status;
        d->rank++;
    } while (*text++ == 'x');
    text--;
    if (*text == '*') {
        text++;
        status = parse_count(&text, "batch", &d->batch);
        if (status != STF_OK)
            return status;
    }
    if (*text != '\0')
        return stfi_error(STF_ERR_ARGUMENT,
                          "problem: \"%s\" after the shape "
                          "is not understood; a shape is 360x7 or 360x7*4",
                          text);
    return STF_OK;
}

void stfi_problem_interleave(stf_fft_desc *d)
{
    stf_layout *const layouts[] = {&d->in, &d->out};

    for (int output = 0; output < 2; output++) {
        int64_t step = d->batch;
        layouts[output]->dist = 1;
        for (int a = d->rank - 1; a >= 0; a--) {
            layouts[output]->stride[a] = step;
            step *= stfi_desc_extent(d, a, output);
        }
    }
}

void stfi_problem_lay_out(stfi_problem *p)
{
    if (p->interleaved)
        stfi_problem_interleave(&p->desc);
}

stf_status stfi_problem_take(const char *word, stfi_problem *p_p)
{
    stfi_problem p = *p_p;
    const char *shape = word;
    stf_status status = parse_fields(word, &p, &shape);

    if (status == STF_OK)
        status = parse_shape(shape, &p.desc);
    if (status == STF_OK && p.axes > 0 && p.axes != p.desc.rank)
        status = stfi_error(STF_ERR_ARGUMENT,
                            "problem: \"%s\" has %d kinds for %d lengths; r2r= "
                            "takes one kind for each length",
                            word, p.axes, (int)p.desc.rank);
    if (status != STF_OK)
        return status;
    stfi_problem_lay_out(&p);
    *p_p = p;
    return STF_OK;
}

stf_status stfi_problem_parse(const char *word, stfi_problem *p_p)
{
    stfi_problem p = {.desc = stf_fft_desc_default()};
    stf_status status = stfi_problem_take(word, &p);

    if (status == STF_OK)
        *p_p = p;
    return status;
}

int stfi_problem_print(const stfi_problem *p, char *text, size_t capacity)
{
    const stfi_type *type = stfi_type_get(p->desc.precision);
    char shape[STF_MAX_RANK * 21 + 24] = "", kind[STFI_KIND_TEXT];
    const int native = p->desc.compute == STF_COMPUTE_NATIVE;
    const int estimated = p->desc.effort == STF_EFFORT_ESTIMATE;
    size_t used = 0;

    stfi_desc_print_kind(&p->desc, kind, sizeof kind);
    for (int a = 0; a < p->desc.rank && a < STF_MAX_RANK; a++)
        used += (size_t)snprintf(shape + used, sizeof shape - used,
                                 "%s%" PRId64, a > 0 ? "x" : "", p->desc.n[a]);
    if (p->desc.batch != 1)
        snprintf(shape + used, sizeof shape - used, "*%" PRId64, p->desc.batch);
    return snprintf(text, capacity, "%s:%s:%s%s%s%s%s:%s%s", kind,
                    type ? type->name : "?",
                    native ? "" : computes[p->desc.compute], native ? "" : ":",
                    estimated ? "" : efforts[p->desc.effort],
                    estimated ? "" : ":", p->in_place ? "in" : "out",
                    p->interleaved ? "interleaved:" : "", shape);
}

/* ------------------------------------------------------------------ sizes */

int64_t stfi_problem_span(const stf_fft_desc *full, int output,
                          int64_t *lowest_p)
{
    const stf_layout *layout = output ? &full->out : &full->in;
    int64_t lowest = 0, highest = 0;

    for (int a = 0; a <= full->rank; a++) {
        int64_t n =
            a == full->rank ? full->batch : stfi_desc_extent(full, a, output);
        int64_t stride = a == full->rank ? layout->dist : layout->stride[a];
        if (stride < 0)
            lowest += stride * (n - 1);
        else
            highest += stride * (n - 1);
    }
    *lowest_p = lowest;
    return highest - lowest + 1;
}

int64_t stfi_problem_components(const stf_fft_desc *d, int output)
{
    const stfi_kind *kind = stfi_kind_get(d->kind);
    int64_t count = (output ? kind->real_out : kind->real_in) ? 1 : 2;

    for (int a = 0; a < d->rank; a++)
        count *= stfi_desc_extent(d, a, output);
    return count;
}

size_t stfi_problem_element_bytes(const stf_fft_desc *d, int output)
{
    const stfi_kind *kind = stfi_kind_get(d->kind);
    const stfi_type *type = stfi_type_get(d->precision);
    int real = output ? kind->real_out : kind->real_in;
    return type->bytes * (real ? 1 : 2);
}

/* ------------------------------------------------------------ random data */

enum { UNIFORMS = 12 };

/* The sum of twelve uniform numbers, in units of 2^-60, minus its mean of 6. It
 * has variance 1 and is close to normal except far from the mean. Only integers
 * are used, so that a seed gives the same bits on every machine, whatever its
 * libm. */
static int64_t normal_q60(uint64_t *state)
{
    uint64_t sum = 0;
    for (int i = 0; i < UNIFORMS; i++)
        sum += stfi_random_u64(state) >> 4;
    return (int64_t)(sum - (UINT64_C(6) << 60));
}

double stfi_random_normal(uint64_t *state)
{
    return (double)normal_q60(state) * 0x1p-60;
}

void stfi_random_skip(uint64_t *state, int64_t count)
{
    *state += STFI_RANDOM_STEP * UNIFORMS * (uint64_t)count;
}

static void fill_f32(void *data, int64_t count, uint64_t *state)
{
    float *x = data;
    for (int64_t i = 0; i < count; i++)
        x[i] = (float)stfi_random_normal(state);
}

static void fill_f64(void *data, int64_t count, uint64_t *state)
{
    double *x = data;
    for (int64_t i = 0; i < count; i++)
        x[i] = stfi_random_normal(state);
}

static void fill_half(stf_precision precision, void *data, int64_t count,
                      uint64_t *state)
{
    for (int64_t i = 0; i < count; i++)
        stfi_type_write(precision, data, i,
                        (long double)stfi_random_normal(state));
}

static void fill_f16(void *data, int64_t count, uint64_t *state)
{
    fill_half(STF_F16, data, count, state);
}

static void fill_bf16(void *data, int64_t count, uint64_t *state)
{
    fill_half(STF_BF16, data, count, state);
}

/* Every byte is written: the padding of a long double must not depend on what
 * was there before, or files and digests of equal data would differ. */
static void fill_f80(void *data, int64_t count, uint64_t *state)
{
    long double *x = data;
    memset(data, 0, (size_t)count * sizeof *x);
    for (int64_t i = 0; i < count; i++)
        x[i] = (long double)normal_q60(state) * 0x1p-60L;
}

void stfi_random_fill(stf_precision precision, void *data, int64_t count,
                      uint64_t *state)
{
    static const struct {
        stf_precision precision;
        void (*fill)(void *data, int64_t count, uint64_t *state);
    } rows[] = {
        {STF_F16, fill_f16}, {STF_BF16, fill_bf16}, {STF_F32, fill_f32},
        {STF_F64, fill_f64}, {STF_F80, fill_f80},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].precision == precision)
            rows[i].fill(data, count, state);
}
