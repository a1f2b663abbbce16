/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Optimised left vectors; see optimise.h. This is gradient descent by Adam on
 * the angles of the free elements, with a loss that the smallest weights
 * dominate. If the vector is mirrored, or its elements are real or imaginary,
 * their lengths change, too.
 * Source: D. P. Kingma, J. Ba, "Adam: a method for stochastic optimization",
 * ICLR 2015, algorithm 1. */
#include "ft/weights/optimise.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "ft/weights/constraint.h"
#include "ft/weights/left_vector.h"

/* STEPS: steps of a descent; LOOK: steps between two looks at the least weight.
 * The result of a descent depends on its start most if the vector is short, so
 * short vectors have up to ATTEMPTS starts, with ATTEMPTED elements in all.
 * Vectors whose elements change in length need more steps. */
enum { STEPS = 400, LOOK = 4, ATTEMPTS = 24, ATTEMPTED = 4096 };
enum { SHIFTED_STEPS = 1000, SHIFTED_ATTEMPTED = 2048 };

/* The number of products that all steps of a descent may compute in the
 * network's stages, which bounds its time; LEAST_STEPS are done in any case.
 * Long radices need fewer steps than the others. */
static const double most_products = 3.5e8;
enum { LEAST_STEPS = 100 };

/* The effect of a value is a mean over DRAWS random e, or over more of a short
 * e, so that the network's values number SAMPLED in all. */
enum { DRAWS = 64, SAMPLED = 1 << 16 };

/* Adam's rate at the first and the last step, and the decay of its moments. */
static const float rate_first = 0.2f, rate_last = 0.01f;
static const float shifted_rate_first = 0.05f;
static const float decay_mean = 0.9f, decay_square = 0.999f;

/* The eps that keeps the loss of a weight of 0 finite. It is large at first, so
 * that all weights count, and small at the end, so that the smallest weights
 * count most. */
static const float eps_first = 3.0f, eps_last = 0.005f;

static void load(stfi_split_complex v, int64_t n, const float *e)
{
    for (int64_t k = 0; k < n; k++) {
        v.re[k] = e[2 * k];
        v.im[k] = e[2 * k + 1];
    }
}

static void store(stfi_split_complex v, int64_t n, float *e)
{
    for (int64_t k = 0; k < n; k++) {
        e[2 * k] = v.re[k];
        e[2 * k + 1] = v.im[k];
    }
}

static float between(float first, float last, float progress)
{
    return first * powf(last / first, progress);
}

/* Returns the derivative of the loss by the angle of a free element. The
 * elements that it determines turn with it. */
static float slope_of(const stfi_ft_constraint *c, stfi_split_complex e,
                      stfi_split_complex slope, int64_t k)
{
    float sum = 0;

    for (; k < c->count; k += c->free)
        sum += slope.im[k] * e.re[k] - slope.re[k] * e.im[k];
    return 2 * sum;
}

/* One step of Adam: factors that correct for the moments' start at 0, and the
 * moments of all numbers. */
typedef struct adam {
    float by_mean, by_square;
    float *mean, *square; /* [count] */
} adam;

static adam adam_at(int step, float rate, float *mean, float *square)
{
    return (adam){rate / (1 - powf(decay_mean, (float)step)),
                  1 / (1 - powf(decay_square, (float)step)), mean, square};
}

/* Returns the change of number k, where g is the derivative of the loss by
 * it. */
static float adam_change(const adam *a, int64_t k, float g)
{
    float *mean = &a->mean[k], *square = &a->square[k];

    *mean = decay_mean * *mean + (1 - decay_mean) * g;
    *square = decay_square * *square + (1 - decay_square) * (g * g);
    return -a->by_mean * *mean / (sqrtf(a->by_square * *square) + 1e-8f);
}

/* One step of a descent in which each free element turns by a small angle and
 * keeps its length. The sine of the angle is replaced by the angle. */
static void turn(const stfi_ft_constraint *c, stfi_split_complex e,
                 stfi_split_complex slope, const adam *a)
{
    for (int64_t k = 0; k < c->free; k++) {
        float s = adam_change(a, k, slope_of(c, e, slope, k));
        float cosine = 1 - s * s / 2, re, im, length;
        re = e.re[k] * cosine - e.im[k] * s;
        im = e.re[k] * s + e.im[k] * cosine;
        length = c->length / sqrtf(re * re + im * im);
        e.re[k] = re * length;
        e.im[k] = im * length;
    }
    stfi_ft_constrain(c, e);
}

/* Moves element k and its image, and returns the sum of their squared lengths.
 * Both move, so their derivatives are added. The moments with index k belong to
 * the element's real part, those with the image's index to its imaginary part;
 * an element that is its own image has only one of these. */
static float move(const stfi_ft_constraint *c, stfi_split_complex e,
                  stfi_split_complex slope, const adam *a, int64_t k)
{
    int64_t image = stfi_ft_image(c, k);

    if (stfi_ft_may_be_real(c, k))
        e.re[k] += adam_change(a, k, slope.re[k] + slope.re[image]);
    if (stfi_ft_may_be_imaginary(c, k))
        e.im[k] += adam_change(a, image, slope.im[k] - slope.im[image]);
    return (image == k ? 1 : 2) * (e.re[k] * e.re[k] + e.im[k] * e.im[k]);
}

/* One step of a descent of a vector whose elements change in length, too. */
static void shift(const stfi_ft_constraint *c, stfi_split_complex e,
                  stfi_split_complex slope, const adam *a)
{
    float sum = 0, length;

    for (int64_t k = 0; k < c->count; k++)
        if (stfi_ft_image(c, k) >= k)
            sum += move(c, e, slope, a, k);
    length = sqrtf((float)c->count / sum);
    for (int64_t k = 0; k < c->count; k++) {
        float re = e.re[k] * length, im = e.im[k] * length;
        float limit = c->longest / sqrtf(re * re + im * im);
        e.re[k] = limit < 1 ? re * limit : re;
        e.im[k] = limit < 1 ? im * limit : im;
    }
    stfi_ft_constrain(c, e);
}

/* Rounds the network's e, and stores it in `e` if its least weight after
 * rounding is better than *best_p. The descent then continues from the
 * unrounded e, which exact[2 * count] holds meanwhile. */
static void keep_if_better(const stfi_ft_constraint *c, stfi_network *net,
                           float *exact, double *best_p, float *e)
{
    size_t bytes = 2 * (size_t)net->count * sizeof(float);
    double least;

    if (stfi_network_least_weight(net) <= *best_p)
        return;
    memcpy(exact, net->e.re, bytes);
    stfi_ft_constrain_rounded(c, net->e);
    stfi_network_forward(net);
    least = stfi_network_least_weight(net);
    if (least > *best_p) {
        *best_p = least;
        store(net->e, net->count, e);
    }
    memcpy(net->e.re, exact, bytes);
    stfi_network_forward(net);
}

/* 1 if elements change in length. */
static int is_shifted(const stfi_network_shape *shape)
{
    return shape->real || shape->axis;
}

/* Returns how many steps a descent may take. The core of a long butterfly has
 * half as many products as there are pairs of rows; other stages take about as
 * long as butterflies of radix 2. */
static int count_steps(const stfi_network *net)
{
    double products = 0, most = is_shifted(&net->shape) ? SHIFTED_STEPS : STEPS;

    for (int s = 0; s < net->nstages; s++)
        products += (double)net->nstreams * (double)net->n
                    * (net->stage[s].step == STFI_STEP_CORE
                           ? stfi_stage_prime(&net->stage[s])
                           : 2);
    return (int)fmax(LEAST_STEPS, fmin(most, most_products / products));
}

/* Descends from the network's e; when its least weight becomes better than
 * *best_p, e is stored in `to`. The first half of work[4 * count] holds the
 * moments, which must be 0 at the start. */
static void optimise(const stfi_ft_constraint *c, stfi_network *net,
                     float *work, double *best_p, float *to)
{
    const float first =
        is_shifted(&net->shape) ? shifted_rate_first : rate_first;
    adam a;
    int steps = count_steps(net);

    for (int step = 1; step <= steps; step++) {
        float progress = (float)step / (float)steps;
        stfi_network_forward(net);
        if (step % LOOK == 0)
            keep_if_better(c, net, work + 2 * net->count, best_p, to);
        stfi_network_backward(net, between(eps_first, eps_last, progress));
        a = adam_at(step, between(first, rate_last, progress), work,
                    work + net->count);
        (is_shifted(&net->shape) ? shift : turn)(c, net->e, net->slope, &a);
    }
}

/* Estimates the effects of a network's values where they are not known from
 * theory. start[2 * count] is overwritten. */
static void find_effects(stfi_network *net, float *start)
{
    int64_t draws = net->n < SAMPLED / DRAWS ? SAMPLED / net->n : DRAWS;

    if (!stfi_network_is_estimated(net))
        return;
    for (int64_t i = 0; i < draws; i++) {
        stfi_ft_draw(net->count, (uint64_t)(i * net->count), start);
        load(net->e, net->count, start);
        stfi_network_forward(net);
        stfi_network_effect_add(net);
    }
    stfi_network_effect_take(net, (int)draws);
}

/* Takes the best of several descents; work[6 * count] is overwritten. */
static void optimise_best(stfi_network *net, float *work, float *e)
{
    const int64_t count = net->count;
    const stfi_ft_constraint c = stfi_ft_constraint_of(&net->shape, count);
    const int64_t attempted =
        is_shifted(&net->shape) ? SHIFTED_ATTEMPTED : ATTEMPTED;
    float *start = work + 4 * count;
    double best = -1;

    find_effects(net, start);
    for (int64_t i = 0; i == 0 || (i < ATTEMPTS && i * net->n < attempted);
         i++) {
        stfi_ft_draw(count, (uint64_t)(i * count), start);
        load(net->e, count, start);
        stfi_ft_constrain_start(&c, net->e);
        memset(work, 0, 2 * (size_t)count * sizeof *work);
        optimise(&c, net, work, &best, e);
    }
}

/* Makes a network, and allocates the work arrays of the descent. */
static stf_status open_network(const stfi_network_shape *shape, int64_t points,
                               stfi_network *net_p, void **work_p)
{
    size_t bytes = 0;
    stf_status status = stfi_network_create(shape, points, net_p);

    if (status != STF_OK)
        return status;
    status = stfi_bytes((size_t)net_p->count, 6, sizeof(float),
                        "weights of a checksum", &bytes);
    if (status == STF_OK)
        status = stfi_alloc_raw(bytes, "weights of a checksum", work_p);
    if (status != STF_OK)
        stfi_network_destroy(net_p);
    return status;
}

stf_status stfi_ft_optimised_vector(const stfi_network_shape *shape,
                                    int64_t points, float *e)
{
    stfi_network net;
    void *work;
    stf_status status = open_network(shape, points, &net, &work);

    if (status != STF_OK)
        return status;
    optimise_best(&net, work, e);
    stfi_dealloc(work);
    stfi_network_destroy(&net);
    return STF_OK;
}

stf_status stfi_ft_least_weight(const stfi_network_shape *shape, int64_t points,
                                const float *e, double *least_p)
{
    stfi_network net;
    void *work;
    stf_status status = open_network(shape, points, &net, &work);

    if (status != STF_OK)
        return status;
    find_effects(&net, work);
    load(net.e, net.count, e);
    stfi_network_forward(&net);
    *least_p = stfi_network_least_weight(&net);
    stfi_dealloc(work);
    stfi_network_destroy(&net);
    return STF_OK;
}
