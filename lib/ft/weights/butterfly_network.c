/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Computes the weights of the values inside a pass, forward from e, and, for
 * the gradient of the loss, derivatives backward to e; see
 * butterfly_network.h. */
#include "ft/weights/butterfly_network.h"

#include <math.h>
#include <string.h>

#include "ft/weights/network_fold.h"

/* ---------------------------------------------------------------- stages */

/* Computes the weights before a convolution's product from those after it: the
 * second transform's are in reverse order, and are multiplied by the kernel's
 * spectrum. In Rader's algorithm, frequency 0 of what is multiplied also enters
 * output 0. A SPREAD convolution is checked at its product, so its weights
 * there are e again. */
static void forward_product(const stfi_network *net, int stream,
                            stfi_split_complex from, stfi_split_complex to)
{
    stfi_split_complex w = net->product;

    if (net->shape.conv == STFI_CONV_SPREAD) {
        memcpy(to.re, net->e.re, 2 * (size_t)net->n * sizeof *to.re);
        return;
    }
    for (int64_t i = 0; i < net->n; i++) {
        int64_t j = i > 0 ? net->n - i : 0;
        to.re[i] = w.re[i] * from.re[j] - w.im[i] * from.im[j];
        to.im[i] = w.re[i] * from.im[j] + w.im[i] * from.re[j];
    }
    if (net->shape.conv != STFI_CONV_RADER)
        return;
    to.re[0] += net->e.re[0];
    to.im[0] += stream == 0 ? net->e.im[0] : -net->e.im[0];
}

/* The adjoint of forward_product(). */
static void backward_product(stfi_network *net, int stream,
                             stfi_split_complex from, stfi_split_complex to)
{
    stfi_split_complex w = net->product;

    if (net->shape.conv == STFI_CONV_SPREAD) {
        for (int64_t i = 0; i < net->n; i++) {
            net->slope.re[i] += from.re[i];
            net->slope.im[i] += from.im[i];
        }
        stfi_split_clear(to, net->n);
        return;
    }
    for (int64_t i = 0; i < net->n; i++) {
        int64_t j = i > 0 ? net->n - i : 0;
        to.re[j] = w.re[i] * from.re[i] + w.im[i] * from.im[i];
        to.im[j] = w.re[i] * from.im[i] - w.im[i] * from.re[i];
    }
    if (net->shape.conv != STFI_CONV_RADER)
        return;
    net->slope.re[0] += from.re[0];
    net->slope.im[0] += stream == 0 ? from.im[0] : -from.im[0];
}

static void forward_stage(const stfi_network *net, int stream, int s)
{
    stfi_split_complex all = net->value[stream][s],
                       joined = net->value[stream][s + 1];

    if (net->stage[s].step == STFI_STEP_PRODUCT)
        forward_product(net, stream, all, joined);
    else
        stfi_stage_join(&net->stage[s], all, joined);
}

/* The adjoint of forward_stage(). */
static void backward_stage(stfi_network *net, int stream, int s,
                           stfi_split_complex joined, stfi_split_complex all)
{
    if (net->stage[s].step == STFI_STEP_PRODUCT)
        backward_product(net, stream, joined, all);
    else
        stfi_stage_part(&net->stage[s], joined, all);
}

/* ---------------------------------------------------------------- network */

/* Computes the values of the first level from e. */
static void forward_input(stfi_network *net, int stream)
{
    stfi_split_complex to = net->value[stream][0];
    float sign = stream == 0 ? 1 : -1;

    stfi_split_clear(to, net->n);
    for (int64_t i = 0; i < net->nterms; i++) {
        const stfi_network_term *t = &net->term[i];
        float re = net->e.re[t->element], im = sign * net->e.im[t->element];
        to.re[t->place[stream]] += t->re[stream] * re - t->im[stream] * im;
        to.im[t->place[stream]] += t->re[stream] * im + t->im[stream] * re;
    }
}

/* The adjoint of forward_input(): adds to the slope of e. */
static void backward_input(stfi_network *net, int stream,
                           stfi_split_complex from)
{
    float sign = stream == 0 ? 1 : -1;

    for (int64_t i = 0; i < net->nterms; i++) {
        const stfi_network_term *t = &net->term[i];
        float re = from.re[t->place[stream]], im = from.im[t->place[stream]];
        net->slope.re[t->element] += t->re[stream] * re + t->im[stream] * im;
        net->slope.im[t->element] +=
            sign * (t->re[stream] * im - t->im[stream] * re);
    }
}

void stfi_network_forward(stfi_network *net)
{
    for (int stream = 0; stream < net->nstreams; stream++) {
        forward_input(net, stream);
        for (int s = 0; s < net->nstages; s++)
            forward_stage(net, stream, s);
    }
}

/* Returns twice the real part of the product u v of value i, turned by its
 * twiddles: the part of the squared weights that depends on both streams. */
static float cross_power(const stfi_network *net, int level, int64_t i)
{
    stfi_split_complex u = net->value[0][level], v = net->value[1][level];
    stfi_split_complex t = net->turn[level];

    return 2
           * (t.re[i] * (u.re[i] * v.re[i] - u.im[i] * v.im[i])
              - t.im[i] * (u.re[i] * v.im[i] + u.im[i] * v.re[i]));
}

/* 1 if values of a level are multiplied by roots of unity before they enter a
 * butterfly. Devices have these products in different places, so that the
 * direction of an error of a component is not known. */
static int is_of_any_direction(const stfi_network *net, int level)
{
    return level > 0 && stfi_stage_is_before_twiddles(&net->stage[level - 1]);
}

/* Computes the two squared weights of value i. If streams are mixed, they
 * belong to errors of its two components, or to one of the direction that
 * changes the residual least; else one belongs to each stream. */
static void powers(const stfi_network *net, int level, int64_t i,
                   float power[2])
{
    stfi_split_complex u = net->value[0][level], v = net->value[1][level];
    float sum, both;

    power[0] = u.re[i] * u.re[i] + u.im[i] * u.im[i];
    power[1] = v.re[i] * v.re[i] + v.im[i] * v.im[i];
    if (!net->mixed)
        return;
    sum = power[0] + power[1];
    both = is_of_any_direction(net, level)
               ? -2 * sqrtf(power[0]) * sqrtf(power[1])
               : cross_power(net, level, i);
    power[0] = sum + both;
    power[1] = sum - both;
}

int stfi_network_is_estimated(const stfi_network *net)
{
    return stfi_op_is_conv(net->shape.op) && net->nstreams == 2;
}

void stfi_network_effect_add(stfi_network *net)
{
    for (int s = 0; s <= net->nstages; s++)
        for (int64_t i = 0; i < net->n; i++) {
            float power[2];
            powers(net, s, i, power);
            net->share[s][i] += (power[0] + power[1]) / 2;
        }
}

void stfi_network_effect_take(stfi_network *net, int count)
{
    for (int s = 0; s <= net->nstages; s++)
        for (int64_t i = 0; i < net->n; i++)
            if (net->share[s][i] > 0)
                net->share[s][i] = (float)count / net->share[s][i];
}

double stfi_network_least_weight(const stfi_network *net)
{
    float least = INFINITY;

    for (int s = 0; s <= net->nstages; s++)
        for (int64_t i = 0; i < net->n; i++) {
            float share = net->share[s][i], power[2], low;
            powers(net, s, i, power);
            low = share * (power[0] < power[1] ? power[0] : power[1]);
            least = share > 0 && low < least ? low : least;
        }
    if (stfi_network_is_folded(&net->shape))
        least = fminf(least, stfi_network_fold_least(net));
    return sqrt((double)(least > 0 ? least : 0));
}

/* Adds the derivatives of the loss by the conjugates of the values of one level
 * and stream. */
static void add_slope(const stfi_network *net, int level, int stream, float eps,
                      stfi_split_complex slope)
{
    stfi_split_complex v = net->value[stream][level];
    const float *share = net->share[level];

    for (int64_t i = 0; i < net->n; i++) {
        float d = stfi_network_steepness(v.re[i] * v.re[i] + v.im[i] * v.im[i],
                                         share[i], eps);
        slope.re[i] += d * v.re[i];
        slope.im[i] += d * v.im[i];
    }
}

/* Does the same for errors of components: the weight then also depends on the
 * value of the other stream, turned by twiddles. */
static void add_slope_parts(const stfi_network *net, int level, int stream,
                            float eps, stfi_split_complex slope)
{
    stfi_split_complex own = net->value[stream][level], t = net->turn[level];
    stfi_split_complex other = net->value[!stream][level];
    const float *share = net->share[level];

    for (int64_t i = 0; i < net->n; i++) {
        float sum = own.re[i] * own.re[i] + own.im[i] * own.im[i]
                    + other.re[i] * other.re[i] + other.im[i] * other.im[i];
        float both = cross_power(net, level, i);
        float plus = stfi_network_steepness(sum + both, share[i], eps);
        float minus = stfi_network_steepness(sum - both, share[i], eps);
        float re = t.re[i] * other.re[i] - t.im[i] * other.im[i];
        float im = t.re[i] * other.im[i] + t.im[i] * other.re[i];
        slope.re[i] += (plus + minus) * own.re[i] + (plus - minus) * re;
        slope.im[i] += (plus + minus) * own.im[i] - (plus - minus) * im;
    }
}

/* Does the same for errors of any direction, whose least weight is the
 * difference of the lengths of both streams' values. */
static void add_slope_any(const stfi_network *net, int level, int stream,
                          float eps, stfi_split_complex slope)
{
    stfi_split_complex own = net->value[stream][level];
    stfi_split_complex other = net->value[!stream][level];
    const float *share = net->share[level];

    for (int64_t i = 0; i < net->n; i++) {
        float a = sqrtf(own.re[i] * own.re[i] + own.im[i] * own.im[i]) + 1e-9f;
        float b = sqrtf(other.re[i] * other.re[i] + other.im[i] * other.im[i]);
        float d = 2 * stfi_network_steepness((a - b) * (a - b), share[i], eps)
                  * (a - b) / a;
        slope.re[i] += d * own.re[i];
        slope.im[i] += d * own.im[i];
    }
}

static void add_slope_mixed(const stfi_network *net, int level, int stream,
                            float eps, stfi_split_complex slope)
{
    if (is_of_any_direction(net, level))
        add_slope_any(net, level, stream, eps, slope);
    else
        add_slope_parts(net, level, stream, eps, slope);
}

void stfi_network_backward(stfi_network *net, float eps)
{
    void (*add)(const stfi_network *, int, int, float, stfi_split_complex) =
        net->mixed ? add_slope_mixed : add_slope;

    stfi_split_clear(net->slope, net->count);
    for (int stream = 0; stream < net->nstreams; stream++) {
        int turn = 0;
        stfi_split_clear(net->back[turn], net->n);
        add(net, net->nstages, stream, eps, net->back[turn]);
        stfi_network_fold_add_last(net, eps, net->back[turn]);
        for (int s = net->nstages - 1; s >= 0; s--, turn = !turn) {
            backward_stage(net, stream, s, net->back[turn], net->back[!turn]);
            add(net, s, stream, eps, net->back[!turn]);
        }
        stfi_network_fold_add_first(net, eps, net->back[turn]);
        backward_input(net, stream, net->back[turn]);
    }
}
