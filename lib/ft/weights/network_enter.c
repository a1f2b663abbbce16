/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How the elements of e enter a network, by operation; see butterfly_network.h. */
#include "math/numth.h"
#include "math/roots.h"

#include "ft/instrument.h"
#include "ft/weights/butterfly_network.h"

static stfi_network_term *add_term(stfi_network *net, int64_t element,
                                   int64_t place, int64_t other)
{
    stfi_network_term *t = &net->term[net->nterms++];

    *t = (stfi_network_term){.element = (int32_t)element,
                             .place = {(int32_t)place, (int32_t)other},
                             .re = {1, 1}};
    return t;
}

/* Returns the element of the tile that enters at a place. Stages of several axes
 * count their results by the last stage first; the tile is a row-major array. */
static int64_t element_at(const stfi_network_shape *shape, int64_t place)
{
    int64_t index[STF_MAX_RANK] = {0}, n[STF_MAX_RANK], element = 0;

    for (int a = 0; a < STF_MAX_RANK; a++)
        n[a] = 1;
    for (int f = shape->nfactors - 1; f >= 0; f--) {
        const int a = shape->along[f], radix = shape->factor[f];
        index[a] += place % radix * n[a];
        n[a] *= radix;
        place /= radix;
    }
    for (int a = 0; a < STF_MAX_RANK; a++)
        element = element * n[a] + index[a];
    return element;
}

static void enter_fft(stfi_network *net)
{
    for (int64_t k = 0; k < net->n; k++)
        add_term(net, element_at(&net->shape, k), k, k);
}

/* The factors are the chirp, for the stream of conj e too. */
static void enter_bluestein(stfi_network *net)
{
    uint64_t n = (uint64_t)net->count;

    for (int64_t k = 0; k < net->count; k++) {
        stfi_network_term *t = add_term(net, k, k, k);
        long double re, im;
        stfi_root_l(stfi_chirp_exponent((uint64_t)k, n), 2 * n, &re, &im);
        t->re[0] = t->re[1] = (float)re;
        t->im[0] = t->im[1] = (float)im;
    }
}

/* Output g^-q of Rader's algorithm comes from place q; forward_product() adds
 * output 0. */
static void enter_rader(stfi_network *net)
{
    uint64_t p = (uint64_t)net->count, out = 1;
    uint64_t inverse = stfi_powmod(stfi_primitive_root(p), p - 2, p);

    for (int64_t q = 0; q < net->n; q++) {
        add_term(net, (int64_t)out, q, q);
        out = stfi_mulmod(out, inverse, p);
    }
}

/* An element of e is the weight of a + w b, w = re + i im. Here a is half the
 * sum, and b half the difference divided by i, of value `place` and the
 * conjugate of value `mirror`: so value `place` gets the factor (1 - i w)/2,
 * and the conjugate gets (1 + i w)/2. */
static void enter_both(stfi_network *net, int64_t element, int64_t place,
                       int64_t mirror, double re, double im)
{
    stfi_network_term *t = add_term(net, element, place, mirror);

    t->re[0] = (float)((1 + im) / 2);
    t->im[0] = (float)(-re / 2);
    t->re[1] = (float)((1 - im) / 2);
    t->im[1] = (float)(-re / 2); /* (1 + i w)/2, conjugated */
}

static void enter_r2c(stfi_network *net)
{
    for (int64_t k = 0; k <= net->n; k++) {
        long double re, im;
        stfi_root_l((uint64_t)k, 2 * (uint64_t)net->n, &re, &im);
        enter_both(net, k, k % net->n, (net->n - k) % net->n, (double)re,
                   (double)im);
    }
}

static void enter_r2c_two(stfi_network *net)
{
    for (int64_t k = 0; 2 * k <= net->n; k++)
        enter_both(net, k, k, (net->n - k) % net->n, STFI_FT_SECOND_RE,
                   STFI_FT_SECOND_IM);
}

/* The stages are those of an inverse transform: the roles of the two streams
 * are exchanged, and -w takes the place of w. */
static void enter_c2r_two(stfi_network *net)
{
    for (int64_t k = 0; k < net->n; k++)
        enter_both(net, k, k, k, -STFI_FT_SECOND_RE, -STFI_FT_SECOND_IM);
}

/* Real outputs at even places are the real parts of values, the others are the
 * imaginary parts. */
static void enter_c2r(stfi_network *net)
{
    for (int64_t k = 0; k < net->n; k++) {
        stfi_network_term *a = add_term(net, 2 * k, k, k);
        stfi_network_term *b = add_term(net, 2 * k + 1, k, k);
        a->re[0] = a->re[1] = 0.5f;
        b->re[0] = b->re[1] = 0;
        b->im[0] = b->im[1] = 0.5f;
    }
}

static void enter_conv(stfi_network *net)
{
    static void (*const enter[])(stfi_network *) = {
#define STFI_CONV(id, name, make, put, way) [STFI_CONV_##id] = way,
#include "fft/ops.def"
#undef STFI_CONV
    };

    enter[net->shape.conv](net);
}

/* How the elements of e enter the network, by operation; NULL if the operation
 * has no network. */
static void (*const enter_of[])(stfi_network *net) = {
#define STFI_OP(id, name, word, loads, stores, transforms, check, points, \
                half, depth, make, put, way)                              \
    [STFI_OP_##id] = way,
#include "fft/ops.def"
#undef STFI_OP
};

void stfi_network_enter(stfi_network *net)
{
    enter_of[stfi_network_is_folded(&net->shape) ? STFI_OP_FFT : net->shape.op](
        net);
}
