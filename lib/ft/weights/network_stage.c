/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The stages of a network of butterflies; see network_stage.h. */
#include "ft/weights/network_stage.h"

#include <string.h>

#include "math/roots.h"

static const float root_half = 0.70710678f, root_two = 1.41421356f;

int stfi_stage_radix(const stfi_network_stage *s)
{
    return s->step == STFI_STEP_PRODUCT ? 1 : s->steps->radix;
}

int stfi_stage_prime(const stfi_network_stage *s)
{
    return s->step == STFI_STEP_PRODUCT ? 1 : s->steps->step[s->number].prime;
}

int stfi_stage_is_before_twiddles(const stfi_network_stage *s)
{
    const stfi_radix_step *step;

    if (s->step != STFI_STEP_TWO && s->step != STFI_STEP_UNPAIR)
        return 0;
    step = &s->steps->step[s->number];
    return s->ends || step[0].prime == step[1].prime;
}

int stfi_stage_pair(const stfi_network_stage *s, int *row_p)
{
    const stfi_radix_step *step = &s->steps->step[s->number];
    const int p = step->prime;
    int at = 0, j;

    if (s->step != STFI_STEP_PAIR && s->step != STFI_STEP_CORE)
        return 0;
    while (step->row[at] != *row_p)
        at++;
    j = at % p;
    if (j == 0)
        return 0;
    *row_p = step->row[at - j + p - j];
    return 2 * j < p ? 1 : -1;
}

/* A radix that is 2 has twiddles for its second row. Other radices have them for
 * all values of their first stage, which is PAIR: prime 2 comes last if there
 * are several. Stages that end a step, but not the radix, multiply each row by
 * the number that the next step wants. */
int64_t stfi_stage_twiddles(const stfi_network_stage *s)
{
    int radix = stfi_stage_radix(s);

    if (radix == 2)
        return s->m;
    if (s->step == STFI_STEP_PAIR)
        return s->begins ? radix * s->count * s->m : 0;
    return s->step == STFI_STEP_CORE || s->ends || radix == 1 ? 0 : radix;
}

int64_t stfi_stage_roots(const stfi_network_stage *s)
{
    return s->step == STFI_STEP_CORE ? stfi_stage_prime(s) : 0;
}

static void put_root(uint64_t k, uint64_t n, stfi_split_complex to, int64_t i)
{
    long double re, im;

    stfi_root_l(k, n, &re, &im);
    to.re[i] = (float)re;
    to.im[i] = (float)im;
}

/* For element i of a DFT of m points, returns its index along the stage's axis;
 * *own_p becomes the points along that axis. */
static int64_t index_along(const stfi_network_stage *s,
                           const unsigned char *factor,
                           const unsigned char *axis, int64_t i, int64_t *own_p)
{
    int64_t index = 0, own = 1;

    *own_p = s->m;
    if (axis == NULL)
        return i;
    for (int f = 0; f < s->factor; f++) {
        if (axis[f] == axis[s->factor]) {
            index += i % factor[f] * own;
            own *= factor[f];
        }
        i /= factor[f];
    }
    *own_p = own;
    return index;
}

void stfi_stage_fill(const stfi_network_stage *s, const unsigned char *factor,
                     const unsigned char *axis)
{
    int64_t radix = stfi_stage_radix(s), m = s->m;

    for (int64_t i = 0; i < stfi_stage_roots(s); i++)
        put_root((uint64_t)i, (uint64_t)stfi_stage_prime(s), s->root, i);
    for (int64_t i = 0; i < stfi_stage_twiddles(s); i++) {
        int64_t row = radix == 2 ? 1 : i / (s->count * m), own;
        int64_t k = row * index_along(s, factor, axis, i % m, &own);
        if (!s->begins)
            k = s->steps->step[s->number + 1].exponent[i] * own;
        put_root((uint64_t)k, (uint64_t)(radix * own), s->twiddle, i);
    }
}

/* ----------------------------------------------------------------- rows */

void stfi_split_clear(stfi_split_complex s, int64_t count)
{
    memset(s.re, 0, (size_t)count * sizeof *s.re);
    memset(s.im, 0, (size_t)count * sizeof *s.im);
}

static void copy(int64_t count, stfi_split_complex from, stfi_split_complex to)
{
    memcpy(to.re, from.re, (size_t)count * sizeof *to.re);
    memcpy(to.im, from.im, (size_t)count * sizeof *to.im);
}

/* to[i] = w[i] * from[i], or conj(w[i]) * from[i] if sign is -1. */
static void multiply(int64_t count, float sign, stfi_split_complex w,
                     stfi_split_complex from, stfi_split_complex to)
{
    for (int64_t i = 0; i < count; i++) {
        float wi = sign * w.im[i], re = from.re[i], im = from.im[i];
        to.re[i] = w.re[i] * re - wi * im;
        to.im[i] = w.re[i] * im + wi * re;
    }
}

/* to[i] += a * from[i]. */
static void add_scaled(int64_t count, float a, stfi_split_complex from,
                       stfi_split_complex to)
{
    for (int64_t i = 0; i < count; i++) {
        to.re[i] += a * from.re[i];
        to.im[i] += a * from.im[i];
    }
}

/* A row of count * m elements. Element (p, i) is at first + p gap + i. */
typedef struct row {
    stfi_split_complex first;
    int64_t count, gap, m;
} row;

static stfi_split_complex row_at(const stfi_network_stage *s,
                                 stfi_split_complex rows, int number)
{
    return stfi_split_at(rows, number * s->count * s->m);
}

/* Returns a row of what a stage takes. */
static row row_taken(const stfi_network_stage *s, stfi_split_complex rows,
                     int number)
{
    row r = {row_at(s, rows, number), s->count, s->m, s->m};

    if (!s->ends) {
        r.m *= r.count;
        r.count = 1;
    }
    return r;
}

/* Returns the place of a row in a stage's results. */
static row row_made(const stfi_network_stage *s, stfi_split_complex rows,
                    int number)
{
    row r = row_taken(s, rows, number);

    if (s->ends) {
        r.first = stfi_split_at(rows, s->steps->place[number] * s->m);
        r.gap *= s->steps->radix;
    }
    return r;
}

static void copy_row(row from, row to)
{
    for (int64_t p = 0; p < from.count; p++)
        copy(from.m, stfi_split_at(from.first, p * from.gap),
             stfi_split_at(to.first, p * to.gap));
}

/* (c, d) = scale (a + b, a - b). Both may be the same rows. */
static void turn(float scale, row a, row b, row c, row d)
{
    for (int64_t p = 0; p < a.count; p++) {
        stfi_split_complex ap = stfi_split_at(a.first, p * a.gap);
        stfi_split_complex bp = stfi_split_at(b.first, p * b.gap);
        stfi_split_complex cp = stfi_split_at(c.first, p * c.gap);
        stfi_split_complex dp = stfi_split_at(d.first, p * d.gap);
        for (int64_t i = 0; i < a.m; i++) {
            float ar = ap.re[i], ai = ap.im[i], br = bp.re[i], bi = bp.im[i];
            cp.re[i] = scale * (ar + br);
            cp.im[i] = scale * (ai + bi);
            dp.re[i] = scale * (ar - br);
            dp.im[i] = scale * (ai - bi);
        }
    }
}

/* ----------------------------------------------------------------- steps */

/* Radix 2, by far the most frequent: to = (a + t b, a - t b). */
static void join_two(const stfi_network_stage *s, stfi_split_complex a,
                     stfi_split_complex b, stfi_split_complex to)
{
    stfi_split_complex lower = stfi_split_at(to, s->m), t = s->twiddle;

    for (int64_t i = 0; i < s->m; i++) {
        float re = t.re[i] * b.re[i] - t.im[i] * b.im[i];
        float im = t.re[i] * b.im[i] + t.im[i] * b.re[i];
        to.re[i] = a.re[i] + re;
        to.im[i] = a.im[i] + im;
        lower.re[i] = a.re[i] - re;
        lower.im[i] = a.im[i] - im;
    }
}

/* The adjoint of join_two(), with from = (g, h): a = g + h, b = conj(t) (g -
 * h). */
static void part_two(const stfi_network_stage *s, stfi_split_complex from,
                     stfi_split_complex a, stfi_split_complex b)
{
    stfi_split_complex lower = stfi_split_at(from, s->m), t = s->twiddle;

    for (int64_t i = 0; i < s->m; i++) {
        float re = from.re[i] - lower.re[i], im = from.im[i] - lower.im[i];
        a.re[i] = from.re[i] + lower.re[i];
        a.im[i] = from.im[i] + lower.im[i];
        b.re[i] = t.re[i] * re + t.im[i] * im;
        b.im[i] = t.re[i] * im - t.im[i] * re;
    }
}

/* Makes the sums and differences of prime 2, or of the pairs of rows of an odd
 * prime, whose adjoints are the same. row_from() and row_to() find rows. */
static void
turn_rows(const stfi_network_stage *s, stfi_split_complex from,
          stfi_split_complex to,
          row row_from(const stfi_network_stage *, stfi_split_complex, int),
          row row_to(const stfi_network_stage *, stfi_split_complex, int))
{
    const stfi_radix_step *step = &s->steps->step[s->number];
    const int p = step->prime;

    for (int g = 0; g < s->steps->radix; g += p) {
        const unsigned char *r = step->row + g;
        if (p == 2)
            turn(1, row_from(s, from, r[0]), row_from(s, from, r[1]),
                 row_to(s, to, r[0]), row_to(s, to, r[1]));
        else
            copy_row(row_from(s, from, r[0]), row_to(s, to, r[0]));
        for (int j = 1; 2 * j < p; j++)
            turn(root_half, row_from(s, from, r[j]),
                 row_from(s, from, r[p - j]), row_to(s, to, r[j]),
                 row_to(s, to, r[p - j]));
    }
}

/* Multiplies the rows by what the next step wants. */
static void twiddle_rows(const stfi_network_stage *s, float sign,
                         stfi_split_complex rows)
{
    for (int j = 0; j < stfi_stage_twiddles(s); j++) {
        stfi_split_complex r = row_at(s, rows, j);
        float c = s->twiddle.re[j], d = sign * s->twiddle.im[j];
        for (int64_t i = 0; i < s->count * s->m && d != 0; i++) {
            float re = r.re[i], im = r.im[i];
            r.re[i] = c * re - d * im;
            r.im[i] = c * im + d * re;
        }
    }
}

/* One butterfly of run_core(), of the rows in number[]. */
static void run_one_core(const stfi_network_stage *s,
                         const unsigned char *number, float sign,
                         stfi_split_complex from, stfi_split_complex to)
{
    const int p = stfi_stage_prime(s);
    const int64_t n = s->count * s->m;
    stfi_split_complex first = row_at(s, from, number[0]);
    stfi_split_complex all = row_at(s, to, number[0]);

    copy(n, first, all);
    for (int k = 1; 2 * k < p; k++) {
        stfi_split_complex sum = row_at(s, to, number[k]);
        stfi_split_complex diff = row_at(s, to, number[p - k]);
        /* i times a row is made with exchanged components. */
        stfi_split_complex turned = {diff.im, diff.re};
        stfi_split_clear(sum, n);
        stfi_split_clear(diff, n);
        add_scaled(n, root_two, row_at(s, from, number[k]), all);
        add_scaled(n, root_two, first, sum);
        for (int j = 1; 2 * j < p; j++) {
            add_scaled(n, 2 * s->root.re[j * k % p], row_at(s, from, number[j]),
                       sum);
            add_scaled(n, 2 * sign * s->root.im[j * k % p],
                       row_at(s, from, number[p - j]), turned);
        }
        for (int64_t i = 0; i < n; i++)
            diff.re[i] = -diff.re[i];
    }
}

/* The DFT of an odd prime p maps sums of elements to sums,
 *
 *     S_k = sqrt(2) x_0 + sum of 2 cos(2 pi jk/p) s_j,    x_0 + sqrt(2) sum s_j
 *
 * and differences to differences, D_k = -i sum of 2 sin(2 pi jk/p) d_j. Row j is
 * s_j, row p - j is d_j. Roots are omega^j, so their imaginary parts are -sin.
 * The matrix is symmetric, so that its adjoint is its conjugate: sign = -1. */
static void run_core(const stfi_network_stage *s, float sign,
                     stfi_split_complex from, stfi_split_complex to)
{
    const stfi_radix_step *step = &s->steps->step[s->number];

    for (int g = 0; g < s->steps->radix; g += step->prime)
        run_one_core(s, step->row + g, sign, from, to);
}

/* ---------------------------------------------------------------- stages */

void stfi_stage_join(const stfi_network_stage *s, stfi_split_complex from,
                     stfi_split_complex to)
{
    if (s->step == STFI_STEP_CORE) {
        run_core(s, 1, from, to);
    } else if (s->steps->radix == 2) {
        for (int64_t p = 0; p < s->count; p++) {
            stfi_split_complex a = stfi_split_at(from, p * s->m);
            join_two(s, a, row_at(s, a, 1), stfi_split_at(to, 2 * p * s->m));
        }
    } else if (s->begins) {
        multiply(stfi_stage_twiddles(s), 1, s->twiddle, from, to);
        turn_rows(s, to, to, row_taken, row_taken);
    } else {
        turn_rows(s, from, to, row_taken, row_made);
        twiddle_rows(s, 1, to);
    }
}

void stfi_stage_part(const stfi_network_stage *s, stfi_split_complex from,
                     stfi_split_complex to)
{
    if (s->step == STFI_STEP_CORE) {
        run_core(s, -1, from, to);
    } else if (s->steps->radix == 2) {
        for (int64_t p = 0; p < s->count; p++) {
            stfi_split_complex a = stfi_split_at(to, p * s->m);
            part_two(s, stfi_split_at(from, 2 * p * s->m), a, row_at(s, a, 1));
        }
    } else if (s->begins) {
        turn_rows(s, from, from, row_taken, row_taken);
        multiply(stfi_stage_twiddles(s), -1, s->twiddle, from, to);
    } else {
        twiddle_rows(s, -1, from);
        turn_rows(s, from, to, row_made, row_taken);
    }
}
