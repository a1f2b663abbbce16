/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Direct summation of the Fourier sum along one axis after the other.
 *
 * The signal is held packed in the full logical shape, complex, in the widest
 * type; of a half spectrum only the first n/2+1 elements of a row count.
 * F80 data is summed in the widest type. F32 and F64 data is summed in long
 * double, which is a hundred times faster: its error, about sqrt(n) 2^-65, is
 * below 1 % of the smallest bound that is held against it up to n = 2^14. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "naive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "support/oracle/naive_real.h"

#ifdef HAVE_FLOAT128
#include "support/oracle/quad.h"
__extension__ typedef __float128 wide;
#define WIDE_COS cosq
#define WIDE_SIN sinq
#define WIDE_ACOS acosq
#else
typedef long double wide;
#define WIDE_COS cosl
#define WIDE_SIN sinl
#define WIDE_ACOS acosl
#endif

typedef struct pair {
    wide re, im;
} pair;

typedef struct pair_l {
    long double re, im;
} pair_l;

/* The data of one call. */
typedef struct direct {
    const stf_fft_desc *d;
    int64_t points; /* of one transform, counted in the full shape */
    int64_t half;   /* elements of a row of a half spectrum, n/2 + 1 */
    int wide_sums;
    pair *signal;              /* [points] */
    pair *line, *sum;          /* [longest axis] */
    pair_l *line_l, *roots_l;  /* [longest axis or period] */
    pair *roots[STF_MAX_RANK]; /* exp(-+ 2 pi i k / period[a]), k < period[a] */
    int64_t period[STF_MAX_RANK];
} direct;

/* exp(sign * 2 pi i k / n), 0 <= k < n: the angle is brought into the first
 * octant in integers, so that cosine and sine are taken of [0, pi/4]. */
static pair unit_root(int64_t k, int64_t n, int sign)
{
    static const struct {
        int swap, re, im;
    } octant[8] = {{0, 1, 1},   {1, 1, 1},   {1, -1, 1}, {0, -1, 1},
                   {0, -1, -1}, {1, -1, -1}, {1, 1, -1}, {0, 1, -1}};
    int o = (int)(8 * k / n);
    int64_t r = 8 * k - o * n;
    wide angle, c, s;
    pair w;

    if (o & 1)
        r = n - r;
    angle = WIDE_ACOS((wide)-1) / 4 * (wide)r / (wide)n;
    c = WIDE_COS(angle);
    s = WIDE_SIN(angle);
    w.re = octant[o].re * (octant[o].swap ? s : c);
    w.im = sign * octant[o].im * (octant[o].swap ? c : s);
    return w;
}

/* sum[k] = sum over j of line[j] w^(j k); the exponent is kept reduced. */
static void sum_line(direct *t, const pair *w, int64_t n)
{
    int64_t j, k, e;

    for (k = 0; k < n; k++) {
        pair s = {0, 0};
        for (j = 0, e = 0; j < n; j++) {
            pair x = t->line[j];
            s.re += x.re * w[e].re - x.im * w[e].im;
            s.im += x.re * w[e].im + x.im * w[e].re;
            e += k;
            e -= e >= n ? n : 0;
        }
        t->sum[k] = s;
    }
}

/* The same as sum_line(), but computed in long double. */
static void sum_line_l(direct *t, const pair *w, int64_t n)
{
    int64_t j, k, e;

    for (j = 0; j < n; j++) {
        t->line_l[j].re = (long double)t->line[j].re;
        t->line_l[j].im = (long double)t->line[j].im;
        t->roots_l[j].re = (long double)w[j].re;
        t->roots_l[j].im = (long double)w[j].im;
    }
    for (k = 0; k < n; k++) {
        long double re = 0, im = 0;
        for (j = 0, e = 0; j < n; j++) {
            pair_l x = t->line_l[j], r = t->roots_l[e];
            re += x.re * r.re - x.im * r.im;
            im += x.re * r.im + x.im * r.re;
            e += k;
            e -= e >= n ? n : 0;
        }
        t->sum[k].re = re;
        t->sum[k].im = im;
    }
}

/* The kind of an axis, of a real to real transform. */
static stf_kind real_kind(const stf_fft_desc *d, int a)
{
    return d->kind == STF_R2R ? d->kinds[a] : d->kind;
}

static int is_r2r(const stf_fft_desc *d)
{
    return d->kind == STF_R2R || stfi_naive_is_real(d->kind);
}

/* The sums of a real to real kind, over the real parts of line[]. */
static void sum_real(direct *t, stf_kind kind, const pair *w, int64_t n)
{
    int64_t j, k;

    for (k = 0; k < n; k++) {
        t->sum[k].re = t->sum[k].im = 0;
        for (j = 0; j < n; j++) {
            stfi_naive_term f = stfi_naive_factor(kind, n, j, k);
            t->sum[k].re +=
                t->line[j].re * (f.cosine * w[f.e].re + f.sine * w[f.e].im);
        }
    }
}

/* The same as sum_real(), but computed in long double. */
static void sum_real_l(direct *t, stf_kind kind, const pair *w, int64_t n)
{
    int64_t j, k, period = stfi_naive_period(kind, n);

    for (j = 0; j < period; j++) {
        t->roots_l[j].re = (long double)w[j].re;
        t->roots_l[j].im = (long double)w[j].im;
    }
    for (j = 0; j < n; j++)
        t->line_l[j].re = (long double)t->line[j].re;
    for (k = 0; k < n; k++) {
        long double sum = 0;
        for (j = 0; j < n; j++) {
            stfi_naive_term f = stfi_naive_factor(kind, n, j, k);
            pair_l r = t->roots_l[f.e];
            sum += t->line_l[j].re * (f.cosine * r.re + f.sine * r.im);
        }
        t->sum[k].re = sum;
        t->sum[k].im = 0;
    }
}

/* Completes a row whose first n/2+1 elements are known: the others are their
 * conjugates, and those that are their own conjugate are taken as real. */
static void complete_row(pair *row, int64_t n)
{
    int64_t k;

    row[0].im = 0;
    if (n % 2 == 0)
        row[n / 2].im = 0;
    for (k = n / 2 + 1; k < n; k++) {
        row[k].re = row[n - k].re;
        row[k].im = -row[n - k].im;
    }
}

/* Transforms all lines along axis a whose index on the last axis is below
 * `columns`. */
static void transform_axis(direct *t, int a, int64_t columns)
{
    const stf_fft_desc *d = t->d;
    int64_t n = d->n[a], last = d->n[d->rank - 1];
    int64_t inner = 1, outer, o, i, j;
    int b, is_last = a == d->rank - 1;

    for (b = a + 1; b < d->rank; b++)
        inner *= d->n[b];
    outer = t->points / (n * inner);
    for (o = 0; o < outer; o++)
        for (i = 0; i < inner; i++) {
            pair *z = t->signal + o * n * inner + i;
            if (!is_last && i % last >= columns)
                continue;
            for (j = 0; j < n; j++)
                t->line[j] = z[j * inner];
            if (is_last && d->kind == STF_C2R)
                complete_row(t->line, n);
            if (is_r2r(d))
                (t->wide_sums ? sum_real : sum_real_l)(t, real_kind(d, a),
                                                       t->roots[a], n);
            else if (t->wide_sums)
                sum_line(t, t->roots[a], n);
            else
                sum_line_l(t, t->roots[a], n);
            for (j = 0; j < n; j++)
                z[j * inner] = t->sum[j];
        }
}

/* Transforms all axes. A real-to-complex transform begins with the last axis,
 * whose spectra are then cut in half; a complex-to-real one ends with it. */
static void transform(direct *t)
{
    int last = t->d->rank - 1, a;

    if (t->d->kind != STF_C2R)
        transform_axis(t, last, t->d->n[last]);
    for (a = last - 1; a >= 0; a--)
        transform_axis(t, a, t->half);
    if (t->d->kind == STF_C2R)
        transform_axis(t, last, t->d->n[last]);
}

static int is_real(const stf_fft_desc *d, int output)
{
    return d->kind == (output ? STF_C2R : STF_R2C) || is_r2r(d);
}

static int64_t extent(const stf_fft_desc *d, int a, int output)
{
    int halved = d->kind == (output ? STF_R2C : STF_C2R);

    return halved && a == d->rank - 1 ? d->n[a] / 2 + 1 : d->n[a];
}

static int64_t element_count(const stf_fft_desc *d, int output)
{
    int64_t count = 1;
    int a;

    for (a = 0; a < d->rank; a++)
        count *= extent(d, a, output);
    return count;
}

/* The place of element i of a transform in its array, relative to element 0,
 * and its place in the packed full shape. */
static int64_t place(const stf_fft_desc *d, int output, int64_t i,
                     int64_t *packed_p)
{
    const stf_layout *l = output ? &d->out : &d->in;
    int64_t offset = 0, pitch = 1, packed = 0;
    int a;

    for (a = d->rank - 1; a >= 0; a--) {
        int64_t e = extent(d, a, output), index = i % e;
        offset += index * l->stride[a];
        packed += index * pitch;
        pitch *= d->n[a];
        i /= e;
    }
    if (packed_p)
        *packed_p = packed;
    return offset;
}

/* A half: a sign, an exponent of 15 - digits bits, and digits, with 1 in front of
 * them unless the exponent is 0. The largest exponent is that of Inf and NaN. */
static long double half_value(unsigned bits, int digits, int first)
{
    unsigned top = 0x7fffu >> digits, exponent = bits >> digits & top;
    unsigned fraction = bits & ((1u << digits) - 1);
    long double size = (long double)fraction / (1 << digits);

    if (exponent == top)
        size = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        size = ldexpl(size, first);
    else
        size = ldexpl(1 + size, first + (int)exponent - 1);
    return bits >> 15 ? -size : size;
}

static long double component(stf_precision precision, const void *data,
                             int64_t i)
{
    if (precision == STF_F16)
        return half_value(((const uint16_t *)data)[i], 10, -14);
    if (precision == STF_BF16)
        return half_value(((const uint16_t *)data)[i], 7, -126);
    if (precision == STF_F32)
        return ((const float *)data)[i];
    if (precision == STF_F64)
        return ((const double *)data)[i];
    return ((const long double *)data)[i];
}

static void load(direct *t, const void *in, int64_t b)
{
    const stf_fft_desc *d = t->d;
    int64_t count = element_count(d, 0), i, at, packed;

    for (i = 0; i < count; i++) {
        at = b * d->in.dist + place(d, 0, i, &packed);
        if (is_real(d, 0)) {
            t->signal[packed].re = component(d->precision, in, at);
            t->signal[packed].im = 0;
        } else {
            t->signal[packed].re = component(d->precision, in, 2 * at);
            t->signal[packed].im = component(d->precision, in, 2 * at + 1);
        }
    }
}

static void store(const direct *t, double scale, long double *out, int64_t b)
{
    const stf_fft_desc *d = t->d;
    int64_t count = element_count(d, 1), i, at, packed;

    for (i = 0; i < count; i++) {
        at = b * d->out.dist + place(d, 1, i, &packed);
        if (is_real(d, 1)) {
            out[at] = (long double)(scale * t->signal[packed].re);
        } else {
            out[2 * at] = (long double)(scale * t->signal[packed].re);
            out[2 * at + 1] = (long double)(scale * t->signal[packed].im);
        }
    }
}

static void release(direct *t)
{
    int a;

    for (a = 0; a < STF_MAX_RANK; a++)
        free(t->roots[a]);
    free(t->roots_l);
    free(t->line_l);
    free(t->sum);
    free(t->line);
    free(t->signal);
}

static stf_status prepare(direct *t, const stf_fft_desc *d, int sign)
{
    int64_t longest = 1, k;
    int a, missing;

    memset(t, 0, sizeof *t);
    t->d = d;
    t->points = 1;
    t->wide_sums = d->precision == STF_F80;
    for (a = 0; a < d->rank; a++) {
        t->points *= d->n[a];
        t->period[a] =
            is_r2r(d) ? stfi_naive_period(real_kind(d, a), d->n[a]) : d->n[a];
        longest = d->n[a] > longest ? d->n[a] : longest;
        longest = t->period[a] > longest ? t->period[a] : longest;
    }
    t->half = d->n[d->rank - 1];
    if (d->kind == STF_R2C || d->kind == STF_C2R)
        t->half = t->half / 2 + 1;
    t->signal = calloc((size_t)t->points, sizeof *t->signal);
    t->line = calloc((size_t)longest, sizeof *t->line);
    t->sum = calloc((size_t)longest, sizeof *t->sum);
    t->line_l = calloc((size_t)longest, sizeof *t->line_l);
    t->roots_l = calloc((size_t)longest, sizeof *t->roots_l);
    missing = !t->signal || !t->line || !t->sum || !t->line_l || !t->roots_l;
    for (a = 0; a < d->rank && !missing; a++) {
        t->roots[a] = calloc((size_t)t->period[a], sizeof *t->roots[a]);
        missing = !t->roots[a];
        for (k = 0; k < t->period[a] && !missing; k++)
            t->roots[a][k] = unit_root(k, t->period[a], is_r2r(d) ? 1 : sign);
    }
    if (!missing)
        return STF_OK;
    release(t);
    return stfi_error(STF_ERR_MEMORY,
                      "direct sum of %lld points: out of "
                      "memory",
                      (long long)t->points);
}

stf_status stfi_naive_fft(const stf_fft_desc *full, stf_direction direction,
                          const void *in, long double *out)
{
    direct t;
    stf_status status;
    int64_t b;
    double scale =
        direction == STF_FORWARD ? full->scale_forward : full->scale_inverse;

    if (full->kind > STF_C2R && !is_r2r(full))
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "direct sum: kind %d is not implemented",
                          (int)full->kind);
    if ((full->kind == STF_R2C && direction != STF_FORWARD)
        || (full->kind == STF_C2R && direction != STF_INVERSE))
        return stfi_error(STF_ERR_ARGUMENT, "direct sum: R2C runs forward "
                                            "and C2R inverse only");
    status = prepare(&t, full, direction == STF_FORWARD ? -1 : 1);
    if (status)
        return status;
    for (b = 0; b < full->batch; b++) {
        load(&t, in, b);
        transform(&t);
        store(&t, scale, out, b);
    }
    release(&t);
    return STF_OK;
}

long double stfi_naive_error(const stf_fft_desc *full, const void *got,
                             const long double *want)
{
    int parts = is_real(full, 1) ? 1 : 2, c;
    int64_t count = element_count(full, 1), b, i, at;
    long double error = 0, norm = 0;

    for (b = 0; b < full->batch; b++)
        for (i = 0; i < count; i++) {
            at = b * full->out.dist + place(full, 1, i, NULL);
            for (c = 0; c < parts; c++) {
                long double w = want[parts * at + c];
                long double e =
                    component(full->precision, got, parts * at + c) - w;
                error += e * e;
                norm += w * w;
            }
        }
    if (!isfinite(error))
        return INFINITY;
    if (norm == 0)
        return error == 0 ? 0 : INFINITY;
    return sqrtl(error / norm);
}

/* 1 if no prime above 13 divides n. */
static int is_smooth(int64_t n)
{
    static const int primes[] = {2, 3, 5, 7, 11, 13};
    size_t i;

    for (i = 0; i < sizeof primes / sizeof *primes; i++)
        while (n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

double stfi_naive_bound(const stf_fft_desc *full)
{
    static const int bits[] = {[STF_F16] = 11,
                               [STF_BF16] = 8,
                               [STF_F32] = 24,
                               [STF_F64] = 53,
                               [STF_F80] = 64};
    double octaves = 0;
    int smooth = 1, a;

    for (a = 0; a < full->rank; a++) {
        int64_t logical =
            is_r2r(full) ? stfi_naive_logical(real_kind(full, a), full->n[a])
                         : full->n[a];
        octaves += log2((double)logical);
        smooth = smooth && is_smooth(logical);
    }
    return (smooth ? 1.0 : 3.0) * ldexp(1.0, -bits[full->precision])
           * sqrt(octaves > 1 ? octaves : 1);
}
