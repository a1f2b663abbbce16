/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weights of the values inside a transform; see network.h. */
#include "ft/network.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "plan/factor.h"
#include "plan/numth.h"
#include "plan/roots.h"

/* ----------------------------------------------------------------- making */

/* The primes of the radices of a schedule, last stage first. */
static int prime_stages(int64_t n, int prime[STFI_NETWORK_LEVELS])
{
    int radix[STFI_MAX_STAGES], count = 0;
    double cost;
    int nradices = stfi_factor_stages(n, radix, &cost);

    for (int s = nradices - 1; s >= 0; s--) {
        uint64_t factor[16];
        int power[16];
        int nfactors = stfi_factorize((uint64_t)radix[s], factor, power);
        for (int f = 0; f < nfactors; f++)
            for (int i = 0; i < power[f]; i++)
                prime[count++] = (int)factor[f];
    }
    return count;
}

static stfi_split take(float **free_p, int64_t count)
{
    stfi_split s = {*free_p, *free_p + count};

    *free_p += 2 * count;
    return s;
}

static void fill_stage(stfi_network_stage *s)
{
    uint64_t order = (uint64_t)s->radix * (uint64_t)s->m;
    long double re, im;

    for (int j = 0; j < s->radix; j++) {
        stfi_root_l((uint64_t)j, (uint64_t)s->radix, &re, &im);
        s->root.re[j] = (float)re;
        s->root.im[j] = (float)im;
        for (int64_t m = 0; j > 0 && m < s->m; m++) {
            stfi_root_l((uint64_t)j * (uint64_t)m, order, &re, &im);
            s->twiddle.re[(j - 1) * s->m + m] = (float)re;
            s->twiddle.im[(j - 1) * s->m + m] = (float)im;
        }
    }
}

stf_status stfi_network_create(int64_t n, stfi_network *net_p)
{
    stfi_network net = {.n = n};
    int prime[STFI_NETWORK_LEVELS];
    size_t bytes;
    int64_t floats = 4 * n, m = 1;
    float *next;
    void *memory;
    stf_status status;

    net.nstages = prime_stages(n, prime);
    for (int s = 0; s <= net.nstages; s++) {
        net.m[s] = m;
        floats += 2 * n;
        if (s < net.nstages) {
            floats += 2 * prime[s] + 2 * (prime[s] - 1) * m;
            m *= prime[s];
        }
    }
    if ((status = stfi_bytes((size_t)floats, sizeof(float), 1,
                             "weights of a checksum", &bytes)) != STF_OK
        || (status = stfi_alloc_raw(bytes, "weights of a checksum", &memory))
           != STF_OK)
        return status;
    net.memory = next = memory;
    for (int s = 0; s <= net.nstages; s++)
        net.value[s] = take(&next, n);
    net.slope[0] = take(&next, n);
    net.slope[1] = take(&next, n);
    for (int s = 0; s < net.nstages; s++) {
        stfi_network_stage *stage = &net.stage[s];
        stage->radix = prime[s];
        stage->m = net.m[s];
        stage->root = take(&next, stage->radix);
        stage->twiddle = take(&next, (stage->radix - 1) * stage->m);
        fill_stage(stage);
    }
    *net_p = net;
    return STF_OK;
}

void stfi_network_destroy(stfi_network *net)
{
    stfi_dealloc(net->memory);
    net->memory = NULL;
}

/* ---------------------------------------------------------------- stages */

static stfi_split at(stfi_split s, int64_t offset)
{
    return (stfi_split){s.re + offset, s.im + offset};
}

/* to[i] += a * from[i]. */
static void add_scaled(int64_t count, float ar, float ai,
                       stfi_split from, stfi_split to)
{
    for (int64_t i = 0; i < count; i++) {
        to.re[i] += ar * from.re[i] - ai * from.im[i];
        to.im[i] += ar * from.im[i] + ai * from.re[i];
    }
}

/* to[i] = w[i] * from[i], or by the conjugate of w where sign is -1. */
static void multiply(int64_t count, float sign, stfi_split w, stfi_split from,
                     stfi_split to)
{
    for (int64_t i = 0; i < count; i++) {
        float wi = sign * w.im[i], re = from.re[i], im = from.im[i];
        to.re[i] = w.re[i] * re - wi * im;
        to.im[i] = w.re[i] * im + wi * re;
    }
}

static void clear(stfi_split s, int64_t count)
{
    memset(s.re, 0, (size_t)count * sizeof *s.re);
    memset(s.im, 0, (size_t)count * sizeof *s.im);
}

/* Radix 2, by far the most frequent: to = (a + t b, a - t b). */
static void join_two(const stfi_network_stage *s, stfi_split a, stfi_split b,
                     stfi_split to)
{
    stfi_split lower = at(to, s->m), t = s->twiddle;

    for (int64_t i = 0; i < s->m; i++) {
        float re = t.re[i] * b.re[i] - t.im[i] * b.im[i];
        float im = t.re[i] * b.im[i] + t.im[i] * b.re[i];
        to.re[i] = a.re[i] + re;
        to.im[i] = a.im[i] + im;
        lower.re[i] = a.re[i] - re;
        lower.im[i] = a.im[i] - im;
    }
}

/* The way back: a = g + h, b = conj(t) (g - h). */
static void part_two(const stfi_network_stage *s, stfi_split from,
                     stfi_split a, stfi_split b)
{
    stfi_split lower = at(from, s->m), t = s->twiddle;

    for (int64_t i = 0; i < s->m; i++) {
        float re = from.re[i] - lower.re[i], im = from.im[i] - lower.im[i];
        a.re[i] = from.re[i] + lower.re[i];
        a.im[i] = from.im[i] + lower.im[i];
        b.re[i] = t.re[i] * re + t.im[i] * im;
        b.im[i] = t.re[i] * im - t.im[i] * re;
    }
}

/* The DFT of `radix` rows of m elements, `gap` apart, into rows in a row.
 * `scratch` holds one row. */
static void join_many(const stfi_network_stage *s, int64_t gap,
                      stfi_split from, stfi_split scratch, stfi_split to)
{
    clear(to, s->radix * s->m);
    for (int j = 0; j < s->radix; j++) {
        stfi_split row = at(from, j * gap);
        if (j > 0) {
            multiply(s->m, 1, at(s->twiddle, (j - 1) * s->m), row, scratch);
            row = scratch;
        }
        for (int k = 0; k < s->radix; k++)
            add_scaled(s->m, s->root.re[j * k % s->radix],
                       s->root.im[j * k % s->radix], row,
                       at(to, k * s->m));
    }
}

static void part_many(const stfi_network_stage *s, int64_t gap,
                      stfi_split from, stfi_split to)
{
    for (int j = 0; j < s->radix; j++) {
        stfi_split row = at(to, j * gap);
        clear(row, s->m);
        for (int k = 0; k < s->radix; k++)
            add_scaled(s->m, s->root.re[j * k % s->radix],
                       -s->root.im[j * k % s->radix], at(from, k * s->m),
                       row);
        if (j > 0)
            multiply(s->m, -1, at(s->twiddle, (j - 1) * s->m), row, row);
    }
}

/* Values lie as [N / M][M]; DFTs that are joined lie N / (radix M) apart. */
void stfi_network_forward(stfi_network *net)
{
    for (int s = 0; s < net->nstages; s++) {
        const stfi_network_stage *stage = &net->stage[s];
        int64_t count = net->n / (stage->radix * stage->m);
        int64_t gap = count * stage->m;
        for (int64_t p = 0; p < count; p++) {
            stfi_split from = at(net->value[s], p * stage->m);
            stfi_split to = at(net->value[s + 1], p * stage->radix * stage->m);
            if (stage->radix == 2)
                join_two(stage, from, at(from, gap), to);
            else
                join_many(stage, gap, from, net->slope[0], to);
        }
    }
}

double stfi_network_least(const stfi_network *net)
{
    double least = INFINITY;

    for (int s = 0; s <= net->nstages; s++) {
        stfi_split v = net->value[s];
        float low = INFINITY;
        for (int64_t i = 0; i < net->n; i++) {
            float power = v.re[i] * v.re[i] + v.im[i] * v.im[i];
            low = power < low ? power : low;
        }
        least = fmin(least, sqrt((double)low / (double)net->m[s]));
    }
    return least;
}

/* slope += d loss / d conj(value) of one level. */
static void add_slope(const stfi_network *net, int level, float eps,
                      stfi_split slope)
{
    stfi_split v = net->value[level];
    float share = 1 / (float)net->m[level];

    for (int64_t i = 0; i < net->n; i++) {
        float q = 1 / ((v.re[i] * v.re[i] + v.im[i] * v.im[i]) * share + eps);
        float d = -2 * share * (q * q * q);
        slope.re[i] += d * v.re[i];
        slope.im[i] += d * v.im[i];
    }
}

void stfi_network_backward(stfi_network *net, float eps, stfi_split *slope_p)
{
    int turn = 0;

    clear(net->slope[turn], net->n);
    add_slope(net, net->nstages, eps, net->slope[turn]);
    for (int s = net->nstages - 1; s >= 0; s--, turn = !turn) {
        const stfi_network_stage *stage = &net->stage[s];
        int64_t count = net->n / (stage->radix * stage->m);
        int64_t gap = count * stage->m;
        for (int64_t p = 0; p < count; p++) {
            stfi_split from = at(net->slope[turn],
                                 p * stage->radix * stage->m);
            stfi_split to = at(net->slope[!turn], p * stage->m);
            if (stage->radix == 2)
                part_two(stage, from, to, at(to, gap));
            else
                part_many(stage, gap, from, to);
        }
        add_slope(net, s, eps, net->slope[!turn]);
    }
    *slope_p = net->slope[turn];
}
