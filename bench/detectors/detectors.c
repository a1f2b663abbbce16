/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rules of detection; see detectors.h.
 * Sources: S.-J. Wang and N. K. Jha, IEEE Trans. Computers 43(7), 1994 (the
 * vector of third roots of unity); [TurboFFT] (the relative rule, and the rule
 * of its published code). */
#include "bench/detectors/detectors.h"

#include <math.h>

#include "base/alloc.h"
#include "base/status.h"
#include "ft/weights/left_vector.h"
#include "ft/weights/real_row.h"
#include "ft/weights/row.h"
#include "ft/threshold.h"
#include "fft/desc.h"
#include "support/oracle/naive_real.h"
#include "support/problem/component.h"

typedef enum vector { LEVELLED, RANDOM, WANG, ONES, VECTORS } vector;

/* Constants of the published rules (RELATIVE, SMOOTHING) and of the rule that
 * compares energies (ENERGY_K). */
static const long double RELATIVE = 1e-3L, SMOOTHING = 1000.0L, ENERGY_K = 6.0L;

/* Sums over all elements of an input x and an output y. */
typedef struct sums {
    long double d_re, d_im, c_re, c_im; /* residual d and checksum c of one left
                                         * vector */
    long double norm2;                  /* of x */
    /* Squares with the factors of stfi_naive_share(). */
    long double energy_in, energy_out;
} sums;

/* ------------------------------------------------------------------ vectors */

static size_t pairs(const stfi_detectors *d)
{
    return 2 * (size_t)d->full.n[0];
}

/* The left vectors of the other rules are floats. They lie in d->memory behind
 * the rows of these rules, which are long doubles. */
static float *left(const stfi_detectors *d, vector v)
{
    return (float *)((long double *)d->memory + (VECTORS - 1) * pairs(d))
           + (size_t)(v - 1) * pairs(d);
}

static long double *row(const stfi_detectors *d, vector v)
{
    return (long double *)d->memory + (size_t)(v - 1) * pairs(d);
}

static void fill(vector v, int64_t n, float *e)
{
    static const float root[3][2] = {
        {1.0f, 0.0f}, {-0.5f, -0.8660254f}, {-0.5f, 0.8660254f}};

    if (v == RANDOM) {
        stfi_ft_random_vector(n, e);
        return;
    }
    for (int64_t k = 0; k < n; k++)
        for (int part = 0; part < 2; part++)
            e[2 * k + part] = v == WANG ? root[k % 3][part] : root[0][part];
}

/* Makes the row of a left vector, rounded once to the data's precision, as the
 * library's own rows are. */
static stf_status make_row(const stfi_detectors *d, vector v)
{
    int64_t n = d->full.n[0];
    long double *r = row(d, v);
    stf_status status;

    fill(v, n, left(d, v));
    status = d->real ? stfi_ft_real_row(d->full.kind, n, left(d, v), r)
                     : stfi_ft_row(n, n, left(d, v), r);
    for (size_t i = 0; i < pairs(d) && status == STF_OK; i++)
        r[i] = d->full.precision == STF_F32 ? (long double)(float)r[i]
                                            : (long double)(double)r[i];
    return status;
}

static stf_status make_vectors(stfi_detectors *d)
{
    int64_t n = d->full.n[0];
    stf_precision precision = d->full.precision;
    stfi_ft_key key = d->real ? stfi_ft_key_real(n, d->full.kind, precision)
                              : stfi_ft_key_whole(n, 0, precision);
    stf_status status = stfi_alloc((VECTORS - 1) * pairs(d)
                                       * (sizeof(long double) + sizeof(float)),
                                   "left vectors", &d->memory);

    if (status == STF_OK)
        status = stfi_ft_cache_create(&d->cache);
    if (status == STF_OK)
        status = stfi_ft_vector_get(d->cache, key, &d->levelled);
    for (vector v = RANDOM; v < VECTORS && status == STF_OK; v++)
        status = make_row(d, v);
    return status;
}

stf_status stfi_detectors_make(const stf_fft_desc *full, stfi_detectors *d_p)
{
    stfi_detectors d = {.full = *full, .real = stfi_kind_is_r2r(full->kind)};
    stf_fft_desc own = *full;
    stfi_ft_bound bound;
    stf_status status;

    if ((full->kind != STF_C2C && !d.real) || full->rank != 1
        || full->scale_forward != 1.0
        || (full->precision != STF_F32 && full->precision != STF_F64))
        return stfi_error(STF_ERR_ARGUMENT,
                          "detectors are compared on "
                          "complex or real to real transforms of one axis, "
                          "f32 or f64");
    d.depth = stfi_ft_depth(full);
    d.u = stfi_type_get(full->precision)->unit_roundoff;
    d.full.kind = d.real ? full->kinds[0] : full->kind;
    d.points = (double)stfi_naive_logical(d.full.kind, full->n[0]);
    own.ft.threshold = 0.0;
    bound = stfi_ft_bound_of(&own, 1.0);
    d.slope = STFI_FT_REPORT * bound.slope;
    d.floor = bound.floor;
    status = make_vectors(&d);
    if (status != STF_OK) {
        stfi_detectors_free(&d);
        return status;
    }
    *d_p = d;
    return STF_OK;
}

void stfi_detectors_free(stfi_detectors *d)
{
    stfi_ft_vector_release(d->cache, d->levelled);
    stfi_ft_cache_destroy(d->cache);
    stfi_dealloc(d->memory);
    *d = (stfi_detectors){.memory = NULL};
}

/* -------------------------------------------------------------------- rules */

/* 0/0 is taken as 0: a signal of zeros whose transform is zeros is
 * undamaged. */
static double ratio(long double size, long double threshold)
{
    return size == 0.0L ? 0.0 : (double)(size / threshold);
}

static double by_norm(const stfi_detectors *d, const sums *s)
{
    return ratio(hypotl(s->d_re, s->d_im),
                 d->slope * sqrtl(s->norm2) + d->floor);
}

/* The floor is the change of y that the rounding of denormal numbers causes. */
static double by_energy(const stfi_detectors *d, const sums *s)
{
    long double want = s->energy_in * d->points;

    return ratio(fabsl(s->energy_out - want),
                 ENERGY_K * sqrtl(1.0L + d->depth) * d->u * want
                     + d->floor * (2.0L * sqrtl(want) + d->floor));
}

static double by_checksum(const stfi_detectors *d, const sums *s)
{
    (void)d;
    return ratio(hypotl(s->d_re, s->d_im), RELATIVE * hypotl(s->c_re, s->c_im));
}

static double by_artifact(const stfi_detectors *d, const sums *s)
{
    (void)d;
    return ratio(fabsl(s->d_re + s->d_im),
                 RELATIVE * (SMOOTHING + hypotl(s->c_re, s->c_im)));
}

static const struct rule {
    const char *name;
    vector left;
    double (*measure)(const stfi_detectors *d, const sums *s);
    int negated;
    const char *text;
} rules[STFI_DETECTORS] = {
#define STFI_DETECTOR(id, name, vector, rule, negated, text) \
    {name, vector, rule, negated, text},
#include "bench/detectors/detectors.def"
#undef STFI_DETECTOR
};

const char *stfi_detector_name(stfi_detector detector)
{
    return rules[detector].name;
}

const char *stfi_detector_text(stfi_detector detector)
{
    return rules[detector].text;
}

int stfi_detector_alarms(stfi_detector detector, double size, double factor)
{
    return rules[detector].negated ? !(size <= factor) : size > factor;
}

/* ----------------------------------------------------------------- measures */

typedef struct number {
    long double re, im;
} number;

static number element(stf_precision precision, const void *array, int64_t i)
{
    return (number){stfi_type_read(precision, array, 2 * i),
                    stfi_type_read(precision, array, 2 * i + 1)};
}

/* Reads element i of a signal or a transform, which may be reals. */
static number datum(const stfi_detectors *d, const void *array, int64_t i)
{
    stf_precision precision = d->full.precision;

    return d->real ? (number){stfi_type_read(precision, array, i), 0.0L}
                   : element(precision, array, i);
}

/* Adds the part of element k: e y is added to the residual, and r x is
 * subtracted from it. */
static void add(sums *s, number e, number y, number r, number x)
{
    long double re = r.re * x.re - r.im * x.im;
    long double im = r.re * x.im + r.im * x.re;

    s->d_re += e.re * y.re - e.im * y.im - re;
    s->d_im += e.re * y.im + e.im * y.re - im;
    s->c_re += re;
    s->c_im += im;
}

/* Adds element k to the norm and the energies. */
static void add_squares(const stfi_detectors *d, sums *s, int64_t k, number x,
                        number y)
{
    long double in = x.re * x.re + x.im * x.im;
    long double out = y.re * y.re + y.im * y.im;
    int64_t n = d->full.n[0];

    s->norm2 += in;
    s->energy_in += in * stfi_naive_share(d->full.kind, n, 0, k);
    s->energy_out += out * stfi_naive_share(d->full.kind, n, 1, k);
}

static sums sum_up(const stfi_detectors *d, vector v, const void *x,
                   const void *y)
{
    stf_precision data = d->full.precision;
    stf_precision weights = v == LEVELLED ? data : STF_F32;
    const void *e = v == LEVELLED ? d->levelled->e : left(d, v);
    const void *r = v == LEVELLED ? d->levelled->row : row(d, v);
    sums s = {0};

    for (int64_t k = 0; k < d->full.n[0]; k++) {
        number in = datum(d, x, k), out = datum(d, y, k);

        add(&s, element(weights, e, k), out,
            element(v == LEVELLED ? data : STF_F80, r, k), in);
        add_squares(d, &s, k, in, out);
    }
    return s;
}

void stfi_detectors_measure(const stfi_detectors *d, const void *x,
                            const void *y, double *size)
{
    sums s[VECTORS];

    for (vector v = LEVELLED; v < VECTORS; v++)
        s[v] = sum_up(d, v, x, y);
    for (int i = 0; i < STFI_DETECTORS; i++)
        size[i] = rules[i].measure(d, &s[rules[i].left]);
}
