/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Making networks: memory, stages, and how e enters a network; see
 * butterfly_network.h. */
#include <string.h>

#include "base/alloc.h"
#include "ft/instrument.h"
#include "ft/weights/butterfly_network.h"
#include "ft/weights/network_fold.h"
#include "ft/weights/row.h"
#include "math/numth.h"
#include "math/roots.h"

static const char purpose[] = "weights of a checksum";

/* Appends the factors of a radix to factor[count], and returns the new count.
 * Powers of odd primes are not split if `whole` is 1. */
static int add_factors(int radix, int whole, unsigned char *factor, int count)
{
    int each = 1, number = stfi_radix_factor(radix, &each);

    if (whole && each > 2) {
        each = radix;
        number = 1;
    }
    for (int i = 0; i < number; i++)
        factor[count++] = (unsigned char)each;
    return count;
}

stfi_network_shape stfi_network_shape_make(stfi_op op, stfi_conv conv,
                                           int64_t tile, int nradices,
                                           const int *radix)
{
    int whole = stfi_op_get(op)->real; /* directions of errors count */
    stfi_network_shape shape;

    memset(&shape, 0, sizeof shape); /* shapes are compared as bytes */
    shape.op = op;
    shape.conv = conv;
    shape.tile = tile;
    for (int s = nradices - 1; s >= 0; s--)
        shape.nfactors =
            add_factors(radix[s], whole, shape.factor, shape.nfactors);
    if (stfi_op_get(op)->transforms < 2)
        return shape;
    for (int s = 0, count = 0; s < nradices; s++)
        count = add_factors(radix[s], 0, shape.before, count);
    if (conv == STFI_CONV_SPREAD
        && memcmp(shape.factor, shape.before, sizeof shape.factor) == 0) {
        shape.op = STFI_OP_FFT;
        shape.conv = STFI_CONV_NONE;
        memset(shape.before, 0, sizeof shape.before);
    }
    return shape;
}

void stfi_network_shape_set_axes(stfi_network_shape *shape, int nradices,
                                 const int *radix, const unsigned char *axis)
{
    unsigned char factor[STFI_NETWORK_FACTORS];
    int at = 0;

    for (int s = nradices - 1; s >= 0; s--)
        for (int end = add_factors(radix[s], 0, factor, at); at < end; at++)
            shape->along[at] = axis[s];
}

int stfi_network_is_folded(const stfi_network_shape *shape)
{
    return shape->real && stfi_op_get(shape->op)->real;
}

/* ----------------------------------------------------------------- memory */

static void add_stage(stfi_network *net, stfi_network_stage stage)
{
    net->stage[net->nstages++] = stage;
}

/* Adds the stages of one factor of a transform. */
static void add_steps(stfi_network *net, const stfi_radix_steps *steps,
                      int number, int64_t m)
{
    for (int i = 0; i < steps->count; i++) {
        stfi_network_stage stage = {.step = STFI_STEP_TWO,
                                    .count = net->n / m / steps->radix,
                                    .m = m,
                                    .steps = steps,
                                    .number = i,
                                    .factor = number,
                                    .begins = i == 0};
        int ends = i == steps->count - 1;
        if (steps->step[i].prime != 2) {
            stage.step = STFI_STEP_PAIR;
            add_stage(net, stage);
            stage.begins = 0;
            stage.step = STFI_STEP_CORE;
            add_stage(net, stage);
            stage.step = STFI_STEP_UNPAIR;
        }
        stage.ends = ends;
        add_stage(net, stage);
    }
}

/* Adds the stages of one transform, and makes the steps of its factors from
 * steps[0] on. */
static void add_stages(stfi_network *net, const unsigned char *factor,
                       stfi_radix_steps *steps)
{
    int64_t m = 1;

    for (int i = 0; i < net->shape.nfactors; m *= factor[i++]) {
        steps[i] = stfi_radix_steps_of(factor[i]);
        add_steps(net, &steps[i], i, m);
    }
}

static stfi_split_complex take(float **free_p, int64_t count)
{
    stfi_split_complex s = {*free_p, *free_p + count};

    *free_p += 2 * count;
    return s;
}

/* Returns the length of all arrays of floats together. */
static int64_t count_floats(const stfi_network *net)
{
    int64_t levels = net->nstages + 1;
    int64_t count = 4 * net->count + 8 * net->n
                    + (2 * (net->nstreams + net->mixed) + 1) * levels * net->n;

    for (int s = 0; s < net->nstages; s++)
        count += 2 * stfi_stage_roots(&net->stage[s])
                 + 2 * stfi_stage_twiddles(&net->stage[s]);
    return count;
}

static void share_out(stfi_network *net, float *next)
{
    net->e = take(&next, net->count);
    net->slope = take(&next, net->count);
    net->product = take(&next, net->n);
    net->fold = take(&next, net->n);
    net->back[0] = take(&next, net->n);
    net->back[1] = take(&next, net->n);
    for (int s = 0; s <= net->nstages; s++) {
        for (int stream = 0; stream < net->nstreams; stream++)
            net->value[stream][s] = take(&next, net->n);
        if (net->nstreams == 1)
            net->value[1][s] = net->value[0][s];
        if (net->mixed)
            net->turn[s] = take(&next, net->n);
        net->share[s] = next;
        next += net->n;
    }
    for (int s = 0; s < net->nstages; s++) {
        stfi_network_stage *stage = &net->stage[s];
        stage->root = take(&next, stfi_stage_roots(stage));
        stage->twiddle = take(&next, stfi_stage_twiddles(stage));
    }
}

/* ---------------------------------------------------------------- filling */

static void put_root(uint64_t k, uint64_t n, stfi_split_complex to, int64_t i)
{
    long double re, im;

    stfi_root_l(k, n, &re, &im);
    to.re[i] = (float)re;
    to.im[i] = (float)im;
}

/* The DFT that a value of the network belongs to: DFT number `dft` of m points.
 * The value has not been multiplied by omega_n^turn yet. If it is the sum (pair
 * = 1) or the difference (-1) of two rows, divided by sqrt(2), the other row
 * belongs to DFT number `other`; else pair is 0. */
typedef struct origin {
    int64_t m, dft, other, turn;
    int pair;
} origin;

/* Returns how many parts of a radix are still to be joined after a stage. */
static int rest_of(const stfi_network_stage *stage)
{
    int rest = stage->steps->radix, i;

    for (i = 0; i < stage->number; i++)
        rest /= stage->steps->step[i].prime;
    return stage->step == STFI_STEP_PAIR ? rest
                                         : rest / stage->steps->step[i].prime;
}

/* Returns the origin of value i of the level after `stage`, or of the first
 * level if stage is NULL. The twiddle of value q, omega_n^(dft q), has two
 * factors. Inside a radix, the one for the radix is multiplied already; between
 * radices, it does not matter what is. Row j of a radix begins as DFT number dft
 * + j count, and what a step has joined are the rows that are equal modulo the
 * rest of the radix. */
static origin origin_of(const stfi_network_stage *stage, int64_t i)
{
    origin o = {.m = 1, .dft = i, .other = i};
    int64_t whole, length, rest, p;
    int row, mirror;

    if (stage == NULL || stage->step == STFI_STEP_PRODUCT)
        return o;
    whole = stfi_stage_radix(stage) * stage->m;
    if (stage->ends)
        return (origin){.m = whole, .dft = i / whole, .other = i / whole};
    length = stage->count * stage->m;
    rest = rest_of(stage);
    p = i % length / stage->m;
    row = (int)(i / length);
    mirror = row;
    o.pair = stfi_stage_pair(stage, &mirror);
    o.m = whole / rest;
    o.turn = p * (i % stage->m);
    o.dft = p + row % rest * stage->count;
    o.other = p + mirror % rest * stage->count;
    return o;
}

/* What the network is of: a folded one is of the complex transform. */
static const stfi_op_row *op_of(const stfi_network *net)
{
    return stfi_op_get(stfi_network_is_folded(&net->shape) ? STFI_OP_FFT
                                                           : net->shape.op);
}

/* Returns what the results that are their own mirror images add to effect^2 of
 * a value. If both rows of a pair enter such a result, their factors have the
 * product 1 at frequency 0, and one of length 1 at frequency n/2. */
static float extra_of(const stfi_network *net, origin o)
{
    const stfi_op_row *op = op_of(net);
    int joined = o.pair != 0 && o.dft == o.other;
    int64_t last = net->n / 2 % (net->n / o.m);
    float extra = 0;

    if (op->half && o.dft == 0)
        extra += joined ? (float)(1 + o.pair) : 1;
    if (op->stores != STFI_LANE_TWO_SPECTRA || net->n % 2 != 0)
        return extra;
    if (joined)
        return extra + (o.dft == last ? 2 : 0);
    return extra + (float)((o.dft == last) + (o.other == last)) / 2;
}

/* Returns effect^2 of a value: a DFT of m points enters m results. Each result
 * counts 1; in a half spectrum, those that are their own mirror images (at its
 * two ends) count 2. In the spectra of two signals everything counts half. */
static float effect_of(const stfi_network *net, origin o)
{
    const stfi_op_row *op = op_of(net);

    return ((float)o.m + extra_of(net, o))
           / (op->stores == STFI_LANE_TWO_SPECTRA ? 2.0f : 1.0f);
}

/* Fills in the shares of all values, and, if streams are mixed, the squares of
 * the twiddles that they have not been multiplied by yet. */
static void fill_levels(stfi_network *net)
{
    int estimated = stfi_network_is_estimated(net);

    for (int s = 0; s <= net->nstages; s++)
        for (int64_t i = 0; i < net->n; i++) {
            origin o = origin_of(s > 0 ? &net->stage[s - 1] : NULL, i);
            net->share[s][i] = estimated ? 0 : 1 / effect_of(net, o);
            if (net->mixed)
                put_root(2 * (uint64_t)o.turn, (uint64_t)net->n, net->turn[s],
                         i);
        }
}

/* Computes the convolution's kernel before its transform, b[2 * n]: w^(g^-q)
 * for Rader's algorithm, conj(chirp) for Bluestein's. */
static void fill_kernel(const stfi_network *net, float *b)
{
    uint64_t p = (uint64_t)net->count, k = 1, inverse = 1;
    int rader = net->shape.conv == STFI_CONV_RADER;
    int64_t given = rader ? net->n : net->count;
    long double re, im;

    if (rader)
        inverse = stfi_powmod(stfi_primitive_root(p), p - 2, p);
    memset(b, 0, 2 * (size_t)net->n * sizeof *b);
    for (int64_t j = 0; j < given; j++) {
        int64_t mirror = rader || j == 0 ? j : net->n - j;
        if (rader)
            stfi_root_l(k, p, &re, &im);
        else
            stfi_root_l(stfi_chirp_exponent((uint64_t)j, p), 2 * p, &re, &im);
        b[2 * j] = b[2 * mirror] = (float)re;
        b[2 * j + 1] = b[2 * mirror + 1] = (float)(rader ? im : -im);
        k = stfi_mulmod(k, inverse, p);
    }
}

/* Computes the kernel's spectrum divided by n, which has elements of length
 * about 1, because the network's transforms are not scaled. */
static stf_status fill_product(stfi_network *net)
{
    size_t bytes;
    void *row;
    stf_status status =
        stfi_bytes((size_t)net->n, 2, sizeof(long double), purpose, &bytes);

    if (!stfi_network_is_estimated(net))
        return STF_OK;
    if (status == STF_OK)
        status = stfi_alloc_raw(bytes, purpose, &row);
    if (status != STF_OK)
        return status;
    fill_kernel(net, net->back[0].re);
    status = stfi_ft_row(net->n, net->n, net->back[0].re, row);
    for (int64_t k = 0; k < net->n && status == STF_OK; k++) {
        const long double *from = (const long double *)row + 2 * k;
        net->product.re[k] = (float)(from[0] / (long double)net->n);
        net->product.im[k] = (float)(from[1] / (long double)net->n);
    }
    stfi_dealloc(row);
    return status;
}

/* ----------------------------------------------------------------- making */

static int has_axes(const stfi_network_shape *shape)
{
    int several = 0;

    for (int f = 0; f < shape->nfactors; f++)
        several |= shape->along[f] > 0;
    return several;
}

static stf_status fill(stfi_network *net)
{
    const unsigned char *axes = has_axes(&net->shape) ? net->shape.along : NULL;

    for (int s = 0; s < net->nstages; s++)
        stfi_stage_fill(&net->stage[s], net->shape.factor, axes);
    fill_levels(net);
    stfi_network_enter(net);
    stfi_network_fold_fill(net);
    return fill_product(net);
}

/* Adds the stages of all transforms; steps[] has room for the steps of all
 * factors. */
static void add_transforms(stfi_network *net)
{
    const stfi_network_shape *shape = &net->shape;

    add_stages(net, shape->factor, net->steps);
    if (stfi_op_get(shape->op)->transforms < 2)
        return;
    add_stage(net, (stfi_network_stage){.step = STFI_STEP_PRODUCT, .m = 1});
    add_stages(net, shape->before, net->steps + shape->nfactors);
}

stf_status stfi_network_create(const stfi_network_shape *shape, int64_t points,
                               stfi_network *net_p)
{
    stfi_network net = {.shape = *shape, .n = shape->tile, .nstreams = 1};
    const stfi_op_row *op = op_of(&net);
    void *steps, *memory;
    stf_status status;
    size_t bytes;

    net.count = op->half ? points / 2 + 1 : points;
    net.mixed = op->real;
    if (net.mixed || (op->transforms > 1 && shape->conv != STFI_CONV_SPREAD))
        net.nstreams = 2;
    status = stfi_alloc_raw(
        (2 * (size_t)shape->nfactors + 1) * sizeof *net.steps, purpose, &steps);
    if (status != STF_OK)
        return status;
    net.steps = steps;
    add_transforms(&net);
    status = stfi_bytes((size_t)count_floats(&net), sizeof(float), 1, purpose,
                        &bytes);
    if (status == STF_OK)
        status = stfi_alloc_raw(bytes + (size_t)net.count * sizeof *net.term,
                                purpose, &memory);
    if (status == STF_OK) {
        net.term = memory;
        share_out(&net, (float *)(net.term + net.count));
        status = fill(&net);
    }
    if (status != STF_OK)
        stfi_network_destroy(&net);
    else
        *net_p = net;
    return status;
}

void stfi_network_destroy(stfi_network *net)
{
    stfi_dealloc(net->term);
    stfi_dealloc(net->steps);
    net->term = NULL;
    net->steps = NULL;
}
