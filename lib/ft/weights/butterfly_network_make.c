/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Making networks: memory, stages, and how e enters a network; see
 * butterfly_network.h. */
#include <string.h>

#include "base/alloc.h"
#include "ft/instrument.h"
#include "ft/weights/butterfly_network.h"
#include "ft/weights/row.h"
#include "math/numth.h"
#include "math/roots.h"

static const char purpose[] = "weights of a checksum";

/* Appends the primes of a radix to those of the shape. */
static void add_primes(int radix, stfi_network_shape *shape)
{
    uint64_t factor[16];
    int power[16];
    int nfactors = stfi_factorize((uint64_t)radix, factor, power);

    for (int f = 0; f < nfactors; f++)
        for (int i = 0; i < power[f]; i++)
            shape->prime[shape->nprimes++] = (unsigned char)factor[f];
}

static int is_symmetric(const stfi_network_shape *shape)
{
    for (int i = 0; i < shape->nprimes; i++)
        if (shape->prime[i] != shape->prime[shape->nprimes - 1 - i])
            return 0;
    return 1;
}

stfi_network_shape stfi_network_shape_make(stfi_op op, stfi_conv conv,
                                           int64_t tile, int nradices,
                                           const int *radix)
{
    stfi_network_shape shape;

    memset(&shape, 0, sizeof shape); /* shapes are compared as bytes */
    shape.op = op;
    shape.conv = conv;
    shape.tile = tile;
    for (int s = nradices - 1; s >= 0; s--)
        add_primes(radix[s], &shape);
    if (conv == STFI_CONV_SPREAD && is_symmetric(&shape)) {
        shape.op = STFI_OP_FFT;
        shape.conv = STFI_CONV_NONE;
    }
    return shape;
}

/* ----------------------------------------------------------------- memory */

/* Adds the stages of one transform. backwards: 1 if they come in reverse
 * order. */
static void add_stages(stfi_network *net, int backwards)
{
    int64_t m = 1;

    for (int i = 0; i < net->shape.nprimes; i++) {
        stfi_network_stage *s = &net->stage[net->nstages++];
        s->radix = net->shape.prime[backwards ? net->shape.nprimes - 1 - i : i];
        s->m = m;
        m *= s->radix;
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
    int64_t count = 4 * net->count + 6 * net->n
                    + (2 * (net->nstreams + net->mixed) + 1) * levels * net->n;

    for (int s = 0; s < net->nstages; s++)
        count += 2 * net->stage[s].radix
                 + 2 * (net->stage[s].radix - 1) * net->stage[s].m;
    return count;
}

static void share_out(stfi_network *net, float *next)
{
    net->e = take(&next, net->count);
    net->slope = take(&next, net->count);
    net->product = take(&next, net->n);
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
        stage->root = take(&next, stage->radix);
        stage->twiddle = take(&next, (stage->radix - 1) * stage->m);
    }
}

/* ---------------------------------------------------------------- filling */

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

/* Returns effect^2 of value i, which belongs to a DFT of m points and enters m
 * results. Each result counts 1; in a half spectrum, those that are their own
 * mirror images (at its two ends) count 2. In the spectra of two signals
 * everything counts half. */
static float effect_of(const stfi_network *net, int64_t m, int64_t i)
{
    const stfi_op_row *op = stfi_op_get(net->shape.op);
    int two = op->stores == STFI_LANE_TWO_SPECTRA;
    int64_t effect = m;

    if (op->half)
        effect += i / m == 0;
    if (two && net->n % 2 == 0)
        effect += i / m == net->n / 2 % (net->n / m);
    return (float)effect / (two ? 2.0f : 1.0f);
}

static void fill_shares(stfi_network *net)
{
    int64_t m = 1;

    for (int s = 0; s <= net->nstages; s++) {
        for (int64_t i = 0; i < net->n; i++)
            net->share[s][i] =
                stfi_network_is_estimated(net) ? 0 : 1 / effect_of(net, m, i);
        if (s < net->nstages)
            m = net->stage[s].radix == 1 ? 1 : m * net->stage[s].radix;
    }
}

/* Fills in the squares of the twiddles of all levels: value q of DFT p of M
 * points has not been multiplied by its twiddle omega_n^(pq) yet. */
static void fill_turns(stfi_network *net)
{
    int64_t m = 1;

    for (int s = 0; s <= net->nstages && net->mixed; s++) {
        for (int64_t i = 0; i < net->n; i++) {
            uint64_t k = 2 * (uint64_t)(i / m) * (uint64_t)(i % m);
            long double re, im;
            stfi_root_l(k, (uint64_t)net->n, &re, &im);
            net->turn[s].re[i] = (float)re;
            net->turn[s].im[i] = (float)im;
        }
        if (s < net->nstages)
            m *= net->stage[s].radix;
    }
}

static stfi_network_term *add_term(stfi_network *net, int64_t element,
                                   int64_t place, int64_t other)
{
    stfi_network_term *t = &net->term[net->nterms++];

    *t = (stfi_network_term){.element = (int32_t)element,
                             .place = {(int32_t)place, (int32_t)other},
                             .re = {1, 1}};
    return t;
}

static void enter_fft(stfi_network *net)
{
    for (int64_t k = 0; k < net->n; k++)
        add_term(net, k, k, k);
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

static stf_status fill(stfi_network *net)
{
    for (int s = 0; s < net->nstages; s++)
        fill_stage(&net->stage[s]);
    fill_shares(net);
    fill_turns(net);
    enter_of[net->shape.op](net);
    return fill_product(net);
}

stf_status stfi_network_create(const stfi_network_shape *shape, int64_t points,
                               stfi_network *net_p)
{
    stfi_network net = {.shape = *shape, .n = shape->tile, .nstreams = 1};
    const stfi_op_row *op = stfi_op_get(shape->op);
    size_t bytes, terms;
    void *memory;
    stf_status status;

    net.count = op->half ? points / 2 + 1 : points;
    net.mixed = op->real;
    if (net.mixed || (op->transforms > 1 && shape->conv != STFI_CONV_SPREAD))
        net.nstreams = 2;
    add_stages(&net, 0);
    if (op->transforms > 1) {
        net.stage[net.nstages++] = (stfi_network_stage){.radix = 1, .m = 1};
        add_stages(&net, 1);
    }
    terms = (size_t)net.count * sizeof *net.term;
    if ((status = stfi_bytes((size_t)count_floats(&net), sizeof(float), 1,
                             purpose, &bytes))
            != STF_OK
        || (status = stfi_alloc_raw(bytes + terms, purpose, &memory)) != STF_OK)
        return status;
    net.term = memory;
    net.memory = (float *)(net.term + net.count);
    share_out(&net, net.memory);
    if ((status = fill(&net)) != STF_OK)
        stfi_network_destroy(&net);
    else
        *net_p = net;
    return status;
}

void stfi_network_destroy(stfi_network *net)
{
    stfi_dealloc(net->term);
    net->term = NULL;
}
