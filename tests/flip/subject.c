/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Problems whose executions suffer flips; see subject.h. */
#include "tests/flip/subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"

#define FLIP_PROBLEM(word) word,
const char *const flip_problems[] = {
#include "tests/flip/problems.def"
    NULL};

enum { ALIGNMENT = 64, TIMED_EXECUTIONS = 5 };
enum { PRODUCT = 1000 }; /* beside the kinds of transforms */

typedef struct choice {
    const char *word;
    int value;
} choice;

static const choice kinds[] = {{"c2c", STF_C2C},   {"r2c", STF_R2C},
                               {"c2r", STF_C2R},   {"dct2", STF_DCT2},
                               {"dct3", STF_DCT3}, {"dst1", STF_DST1},
                               {"dst3", STF_DST3}, {"dht", STF_DHT},
                               {"gemm", PRODUCT},  {NULL, -1}};
static const choice precisions[] = {
    {"f32", STF_F32}, {"f64", STF_F64}, {NULL, -1}};
static const choice places[] = {{"out", 0}, {"in", 1}, {NULL, -1}};
static const choice modes[] = {{"off", STF_FT_OFF},
                               {"detect", STF_FT_DETECT},
                               {"correct", STF_FT_CORRECT},
                               {NULL, -1}};

/* Takes a word and what ends it off a text; -1: it is none of the choices. */
static int take(const char **text, const choice *c)
{
    for (; c->word; c++) {
        const size_t length = strlen(c->word);

        if (!strncmp(*text, c->word, length) && strchr(":+", (*text)[length])) {
            *text += length + ((*text)[length] == ':');
            return c->value;
        }
    }
    return -1;
}

static const char *parse(flip_subject *s)
{
    const char *text = s->word;
    stf_fft_desc *d = &s->desc;
    int kind, precision;

    *d = stf_fft_desc_default();
    kind = take(&text, kinds);
    precision = kind < 0 ? -1 : take(&text, precisions);
    s->in_place = precision < 0 ? -1 : take(&text, places);
    if (s->in_place < 0)
        return "a problem is kind:precision:place:lengths*batch";
    s->gemm.m = kind == PRODUCT;
    d->kind = kind == PRODUCT ? STF_C2C : (stf_kind)kind;
    d->precision = (stf_precision)precision;
    d->rank = 0;
    do {
        char *end;
        d->n[d->rank++] = strtoll(text, &end, 10);
        text = end;
    } while (*text == 'x' && *++text && d->rank < STF_MAX_RANK);
    if (*text == '*')
        d->batch = strtoll(text + 1, NULL, 10);
    text = s->mode;
    kind = take(&text, modes);
    if (kind < 0)
        return "a mode is off, detect, correct, detect+e2e or correct+e2e";
    d->ft.mode = (stf_ft_mode)kind;
    d->ft.end_to_end = !strcmp(text, "+e2e");
    d->threads = 1;
    return NULL;
}

/* ------------------------------------------------------------------ arrays */

size_t flip_width_of(const flip_subject *s)
{
    return s->desc.precision == STF_F32 ? sizeof(float) : sizeof(double);
}

static int is_padded(const flip_subject *s)
{
    return s->desc.kind == STF_R2C || s->desc.kind == STF_C2R;
}

static flip_array array_of(const flip_subject *s, stf_kind real_kind)
{
    const stf_fft_desc *d = &s->desc;
    const size_t last = (size_t)d->n[d->rank - 1], half = 2 * (last / 2 + 1);
    flip_array a;

    a.step = 1;
    a.row = d->kind == STF_C2C                      ? 2 * last
            : d->kind == real_kind || !is_padded(s) ? last
                                                    : half;
    a.pitch = s->in_place && is_padded(s) ? half : a.row;
    a.reals = a.pitch;
    for (int axis = 0; axis < d->rank - 1; axis++)
        a.reals *= (size_t)d->n[axis];
    a.apart = a.reals;
    a.signals = (size_t)d->batch;
    a.bytes = a.signals * a.reals * flip_width_of(s);
    return a;
}

/* Memory that has been touched: a child must not find pages missing that the
 * executions before it had. */
static void *room(size_t bytes)
{
    void *p = aligned_alloc(ALIGNMENT, (bytes / ALIGNMENT + 1) * ALIGNMENT);

    if (p)
        memset(p, 0, bytes);
    return p;
}

static const char *allocate(flip_subject *s)
{
    const size_t larger =
        s->in.bytes > s->out.bytes ? s->in.bytes : s->out.bytes;

    s->input = room(s->in_place ? larger : s->in.bytes);
    s->output = s->in_place ? s->input + s->c_at : room(s->out.bytes);
    s->b = s->input + s->b_at;
    s->pristine = room(s->in.bytes);
    s->other = room(s->in.bytes);
    s->clean = room(s->out.bytes);
    s->oracle = room(larger / flip_width_of(s) * sizeof *s->oracle);
    s->clean_error = room(s->out.signals * sizeof *s->clean_error);
    return s->input && s->output && s->pristine && s->other && s->clean
                   && s->oracle && s->clean_error
               ? NULL
               : "no memory";
}

static const char *open_transform(flip_subject *s)
{
    s->direction = s->desc.kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    s->in = array_of(s, STF_R2C);
    s->out = array_of(s, STF_C2R);
    return stf_plan_fft(s->device, &s->desc, &s->plan) < 0 ? stf_error_message()
                                                           : NULL;
}

const char *flip_subject_open(const char *word, const char *mode,
                              flip_subject *subject_p)
{
    flip_subject *s = subject_p;
    const char *wrong;

    memset(s, 0, sizeof *s);
    s->word = word;
    s->mode = mode;
    wrong = parse(s);
    if (wrong)
        return wrong;
    if (stf_device_open("cpu", &s->device) < 0
        || stf_device_query(s->device, &s->info) < 0)
        return stf_error_message();
    wrong = s->gemm.m ? flip_product_open(s) : open_transform(s);
    if (wrong)
        return wrong;
    return allocate(s);
}

void flip_subject_close(flip_subject *s)
{
    stf_plan_destroy(s->plan);
    stf_device_close(s->device);
    if (!s->in_place)
        free(s->output);
    free(s->input);
    free(s->pristine);
    free(s->other);
    free(s->clean);
    free(s->oracle);
    free(s->clean_error);
    memset(s, 0, sizeof *s);
}

/* -------------------------------------------------------------------- data */

long double flip_value(const flip_subject *s, const void *data, size_t i)
{
    return s->desc.precision == STF_F32
               ? (long double)((const float *)data)[i]
               : (long double)((const double *)data)[i];
}

static double error_of(const flip_subject *s, const char *data, size_t signal)
{
    const size_t begin = signal * s->out.apart;
    long double d2 = 0, y2 = 0;

    for (size_t r = 0; r < s->out.reals; r += s->out.pitch) {
        for (size_t k = 0; k < s->out.row; k++) {
            const size_t i = begin + r + k * s->out.step;
            const long double d = flip_value(s, data, i) - s->oracle[i];

            d2 += d * d;
            y2 += s->oracle[i] * s->oracle[i];
        }
    }
    return (double)sqrtl(d2 / y2);
}

double flip_subject_ratio(const flip_subject *s, const char *output)
{
    double ratio = 0;

    for (size_t t = 0; t < s->out.signals; t++) {
        const double r = error_of(s, output, t) / s->clean_error[t];

        if (!(r <= ratio)) /* NaN, too */
            ratio = isfinite(r) ? r : INFINITY;
    }
    return ratio;
}

static double uniform(uint64_t *random)
{
    return ((double)(stfi_random_u64(random) >> 11) + 0.5) * 0x1p-53;
}

static void draw_input(flip_subject *s, uint64_t *random)
{
    const double two_pi = 6.283185307179586;

    memcpy(s->other, s->pristine, s->in.bytes);
    for (size_t i = 0; i < s->in.bytes / flip_width_of(s); i++) {
        const double radius = sqrt(-2 * log(uniform(random)));
        const double normal = radius * cos(two_pi * uniform(random));

        if (s->desc.precision == STF_F32)
            ((float *)(void *)s->pristine)[i] = (float)normal;
        else
            ((double *)(void *)s->pristine)[i] = normal;
    }
}

/* The F80 transform of the same numbers, by a plan without protection. */
static const char *compute_oracle(flip_subject *s)
{
    const size_t reals = s->in.bytes / flip_width_of(s);
    stf_fft_desc d = s->desc;
    stf_plan *plan = NULL;
    long double *x =
        s->in_place ? s->oracle : room(reals * sizeof(long double));
    int done;

    if (!x)
        return "no memory";
    for (size_t i = 0; i < reals; i++)
        x[i] = flip_value(s, s->pristine, i);
    d.precision = STF_F80;
    d.ft.mode = STF_FT_OFF;
    d.ft.end_to_end = 0;
    done = stf_plan_fft(s->device, &d, &plan) >= 0
           && stf_execute(plan, s->direction, x, s->oracle) >= 0;
    stf_plan_destroy(plan);
    if (x != s->oracle)
        free(x);
    return done ? NULL : stf_error_message();
}

static stf_status execute(flip_subject *s)
{
    return s->gemm.m ? stf_execute_gemm(s->plan, &s->scalars[0], s->input, s->b,
                                        &s->scalars[1], s->output)
                     : stf_execute(s->plan, s->direction, s->input, s->output);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The error of a signal without a flip. Of few points some have none, or next to
 * none, by chance; what a result is compared with is at least half of the unit
 * round-off, the error of one that is rounded once. */
static double clean_error_of(const flip_subject *s, size_t signal)
{
    const double least = s->desc.precision == STF_F32 ? 0x1p-25 : 0x1p-54;

    return fmax(error_of(s, s->clean, signal), least);
}

const char *flip_subject_renew(flip_subject *s, uint64_t *random)
{
    const char *wrong;

    draw_input(s, random);
    wrong = s->gemm.m ? flip_product_oracle(s) : compute_oracle(s);
    if (wrong)
        return wrong;
    s->seconds = HUGE_VAL;
    for (int i = 0; i < TIMED_EXECUTIONS; i++) {
        double begin;

        memcpy(s->input, s->pristine, s->in.bytes);
        begin = now();
        if (execute(s) != STF_OK)
            return "an execution without a flip reports an error";
        s->seconds = fmin(s->seconds, now() - begin);
    }
    memcpy(s->clean, s->output, s->out.bytes);
    for (size_t t = 0; t < s->out.signals; t++)
        s->clean_error[t] = clean_error_of(s, t);
    return NULL;
}
