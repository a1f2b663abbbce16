/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Phases of left vectors; see phases.h. Levelling is gradient descent by Adam
 * on the phases, with a loss that small weights dominate.
 * Source: D. P. Kingma, J. Ba, "Adam: a method for stochastic optimization",
 *         ICLR 2015, algorithm 1. */
#include "ft/phases.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "ft/network.h"
#include "plan/factor.h"

/* Adam: steps, first and last rate, decay of the moments; what keeps the loss
 * of a weight of 0 finite; steps between two looks at the least weight. Short
 * vectors depend on where they start: they have several attempts. */
enum { STEPS = 400, LOOK = 4, ATTEMPTS = 24, ATTEMPTED = 4096 };
static const float rate_first = 0.2f, rate_last = 0.01f;
static const float decay_mean = 0.9f, decay_square = 0.999f;
static const float loss_eps = 0.01f;

int stfi_ft_has_levelled(int64_t n)
{
    return n <= STFI_FT_LEVELLED && stfi_factor_direct(n);
}

/* splitmix64, by the index: a number in [0, 1).
 * Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom
 *         number generators", OOPSLA 2014. */
static double uniform(uint64_t index)
{
    uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* To the nearest of the numbers of eight bits, of at most 1 in magnitude, of
 * which both bfloat16 and binary16 hold all. */
static float round_short(float x)
{
    int exponent;
    float step;

    (void)frexpf(x, &exponent);
    step = ldexpf(1, exponent - 8 > -24 ? exponent - 8 : -24);
    return rintf(x / step) * step;
}

/* Numbers from `first` on make the phases. */
static void draw(int64_t n, uint64_t first, float *e)
{
    for (int64_t k = 0; k < n; k++) {
        double angle = 2 * 3.14159265358979323846
                       * uniform(first + (uint64_t)k);
        e[2 * k] = round_short((float)cos(angle));
        e[2 * k + 1] = round_short((float)sin(angle));
    }
}

void stfi_ft_phases_random(int64_t n, float *e)
{
    draw(n, 0, e);
}

static void load(stfi_split v, int64_t n, const float *e)
{
    for (int64_t k = 0; k < n; k++) {
        v.re[k] = e[2 * k];
        v.im[k] = e[2 * k + 1];
    }
}

static void store(stfi_split v, int64_t n, float *e)
{
    for (int64_t k = 0; k < n; k++) {
        e[2 * k] = v.re[k];
        e[2 * k + 1] = v.im[k];
    }
}

/* One step: turns each element of e by the small angle that Adam says. */
static void turn(stfi_split e, stfi_split slope, int64_t n, int step,
                 float *mean, float *square)
{
    float progress = (float)step / STEPS;
    float rate = rate_first * powf(rate_last / rate_first, progress);
    float by_mean = rate / (1 - powf(decay_mean, (float)step));
    float by_square = 1 / (1 - powf(decay_square, (float)step));

    for (int64_t k = 0; k < n; k++) {
        float g = 2 * (slope.im[k] * e.re[k] - slope.re[k] * e.im[k]);
        float angle, c, s, re, im, length;
        mean[k] = decay_mean * mean[k] + (1 - decay_mean) * g;
        square[k] = decay_square * square[k] + (1 - decay_square) * (g * g);
        angle = -by_mean * mean[k] / (sqrtf(by_square * square[k]) + 1e-8f);
        c = 1 - angle * angle / 2;
        s = angle;
        re = e.re[k] * c - e.im[k] * s;
        im = e.re[k] * s + e.im[k] * c;
        length = 1 / sqrtf(re * re + im * im);
        e.re[k] = re * length;
        e.im[k] = im * length;
    }
}

/* Keeps value[0] of the network, rounded, in e, if its least weight is then
 * better than *best_p. exact[2 * n] is for the time being. */
static void keep_if_better(stfi_network *net, float *exact, double *best_p,
                           float *e)
{
    stfi_split v = net->value[0];
    size_t bytes = (size_t)net->n * sizeof(float);
    double least;

    if (stfi_network_least(net) <= *best_p)
        return;
    memcpy(exact, v.re, bytes);
    memcpy(exact + net->n, v.im, bytes);
    for (int64_t k = 0; k < net->n; k++) {
        v.re[k] = round_short(v.re[k]);
        v.im[k] = round_short(v.im[k]);
    }
    stfi_network_forward(net);
    least = stfi_network_least(net);
    if (least > *best_p) {
        *best_p = least;
        store(v, net->n, e);
    }
    memcpy(v.re, exact, bytes);
    memcpy(v.im, exact + net->n, bytes);
    stfi_network_forward(net);
}

/* Levels value[0] of a network; where that becomes better than *best_p, it
 * goes to e. The n first and n next of work[4 * n] are 0. */
static void level(stfi_network *net, float *work, double *best_p, float *e)
{
    float *mean = work, *square = work + net->n, *exact = work + 2 * net->n;
    stfi_split slope;

    for (int step = 1; step <= STEPS; step++) {
        stfi_network_forward(net);
        if (step % LOOK == 0)
            keep_if_better(net, exact, best_p, e);
        stfi_network_backward(net, loss_eps, &slope);
        turn(net->value[0], slope, net->n, step, mean, square);
    }
}

stf_status stfi_ft_phases_levelled(int64_t n, float *e)
{
    stfi_network net;
    double best = -1;
    size_t bytes = 2 * (size_t)n * sizeof(float);
    void *memory;
    stf_status status = stfi_network_create(n, &net);

    if (status != STF_OK)
        return status;
    status = stfi_alloc_raw(3 * bytes, "weights of a checksum", &memory);
    if (status == STF_OK) {
        float *work = memory, *start = work + 4 * n;
        for (int64_t i = 0; i == 0 || (i < ATTEMPTS && i * n < ATTEMPTED);
             i++) {
            draw(n, (uint64_t)(i * n), start);
            load(net.value[0], n, start);
            memset(work, 0, bytes);
            level(&net, work, &best, e);
        }
        stfi_dealloc(memory);
    }
    stfi_network_destroy(&net);
    return status;
}

stf_status stfi_ft_least_weight(int64_t n, const float *e, double *least_p)
{
    stfi_network net;
    stf_status status = stfi_network_create(n, &net);

    if (status != STF_OK)
        return status;
    load(net.value[0], n, e);
    stfi_network_forward(&net);
    *least_p = stfi_network_least(&net);
    stfi_network_destroy(&net);
    return STF_OK;
}
