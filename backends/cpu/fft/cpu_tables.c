/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Makes the tables of a pass, in the orders in which the CPU's kernels read
 * them: digit order, twiddles of stages and between passes, weights of checks.
 * Chirps and kernels of convolutions are made by fft/tables/, for all backends.
 * Every root of unity is computed in long double from an exactly reduced
 * argument and rounded once. */
#include "backends/cpu/fft/cpu_tables.h"

#include <string.h>

#include "backends/cpu/fft/cpu_maps.h"
#include "backends/cpu/protect/cpu_guard.h"
#include "backends/cpu/protect/cpu_places.h"
#include "base/alloc.h"
#include "fft/factor.h"
#include "fft/tables/complex_table.h"
#include "fft/tables/half_turn.h"
#include "fft/tables/turn.h"
#include "math/roots.h"

/* Makes the place of each input element e. The digits of e, of which the last
 * stage's is the least significant one, are reversed to make the place. */
static stf_status make_pos(stfi_cpu_pass *cp)
{
    const stfi_pass *p = &cp->p;
    void *mem;
    stf_status status = stfi_alloc_raw((size_t)p->n * sizeof *cp->pos,
                                       "the plan's tables", &mem);

    if (status != STF_OK)
        return status;
    cp->pos = mem;
    for (int64_t e = 0; e < p->n; e++) {
        int64_t rest = e, part = p->n, at = 0;
        for (int s = p->nstages - 1; s >= 0; s--) {
            part /= p->radix[s];
            at += rest % p->radix[s] * part;
            rest /= p->radix[s];
        }
        cp->pos[e] = (uint32_t)at;
    }
    return STF_OK;
}

/* Makes the twiddles of stage s, which joins blocks of m elements:
 * [p][j-1] = w^(p j). If the radix has no butterfly of its own, makes the roots
 * for the generic butterfly, too. */
static stf_status make_stage(stfi_cpu_pass *cp, stf_precision precision,
                             const stfi_roots *roots, int s, int64_t m)
{
    const stfi_pass *p = &cp->p;
    int64_t r = p->radix[s], step = p->n / (r * m), i = 0;
    stf_status status;

    if (stfi_factor_special((int)r) == 0) {
        status = stfi_complex_alloc(r, precision, &cp->prime[s]);
        if (status != STF_OK)
            return status;
        for (int64_t j = 0; j < r; j++) {
            long double re, im;
            stfi_root_l((uint64_t)j, (uint64_t)r, &re, &im);
            stfi_complex_put(precision, cp->prime[s], j, re, im);
        }
    }
    if (m == 1)
        return STF_OK;
    status = stfi_complex_alloc(m * (r - 1), precision, &cp->stage[s]);
    if (status != STF_OK)
        return status;
    for (int64_t q = 0; q < m; q++)
        for (int64_t j = 1; j < r; j++) {
            long double re, im;
            stfi_roots_get(roots, (uint64_t)(q * j * step), &re, &im);
            stfi_complex_put(precision, cp->stage[s], i++, re, im);
        }
    return STF_OK;
}

static stf_status make_stages(stfi_cpu_pass *cp, stf_precision precision)
{
    int64_t m = 1;
    stfi_roots *roots;
    stf_status status;

    if (cp->p.nstages == 0 && cp->p.op != STFI_OP_R2C && cp->p.op != STFI_OP_C2R
        && cp->p.op != STFI_OP_FFT)
        return STF_OK;
    if ((status = make_pos(cp)) != STF_OK)
        return status;
    status = stfi_roots_create((uint64_t)cp->p.n, precision, (uint64_t)cp->p.n,
                               &roots);
    if (status != STF_OK)
        return status;
    for (int s = 0; s < cp->p.nstages && status == STF_OK; s++) {
        status = make_stage(cp, precision, roots, s, m);
        m *= cp->p.radix[s];
    }
    stfi_roots_destroy(roots);
    return status;
}

/* Returns the entries of a row of the fine table of w^(q e), e < n. */
static int64_t count_fine(int64_t n)
{
    int64_t fine = 4;

    while (fine * fine < n)
        fine *= 2;
    return fine;
}

static int64_t count_coarse(int64_t n)
{
    return (n + count_fine(n) - 1) / count_fine(n);
}

/* Makes w^(q e) for all rows q, as the product of the entries of two tables,
 * each of about sqrt(n) entries a row. */
static stf_status make_twiddle(stfi_cpu_pass *cp, stf_precision precision)
{
    const stfi_twiddle *tw = &cp->p.twiddle;
    int64_t coarse = count_coarse(cp->p.signal);
    stfi_roots *roots;
    stf_status status;

    if (tw->order == 0)
        return STF_OK;
    cp->fine = count_fine(cp->p.signal);
    status =
        stfi_roots_create((uint64_t)tw->order, precision,
                          (uint64_t)(tw->rows * (coarse + cp->fine)), &roots);
    if (status != STF_OK)
        return status;
    status = stfi_complex_alloc(tw->rows * cp->fine, precision, &cp->tw_fine);
    if (status == STF_OK)
        status =
            stfi_complex_alloc(tw->rows * coarse, precision, &cp->tw_coarse);
    for (int64_t q = 0; q < tw->rows && status == STF_OK; q++) {
        long double re, im;
        for (int64_t f = 0; f < cp->fine; f++) {
            stfi_roots_get(roots, (uint64_t)(q * f), &re, &im);
            stfi_complex_put(precision, cp->tw_fine, q * cp->fine + f, re, im);
        }
        for (int64_t c = 0; c < coarse; c++) {
            stfi_roots_get(roots, (uint64_t)(q * c * cp->fine), &re, &im);
            stfi_complex_put(precision, cp->tw_coarse, q * coarse + c, re, im);
        }
    }
    stfi_roots_destroy(roots);
    return status;
}

/* Takes the chirp of n elements from an earlier pass of the same schedule, or
 * makes it if no pass has it. */
static stf_status take_chirp(stfi_cpu_pass *cp, stf_precision precision,
                             int64_t n, const stfi_cpu_pass *before,
                             int nbefore)
{
    stf_status status;

    cp->chirp_n = n;
    for (int i = 0; i < nbefore; i++)
        if (before[i].chirp_n == n) {
            cp->chirp = before[i].chirp;
            cp->chirp_borrowed = 1;
            return STF_OK;
        }
    status = stfi_complex_alloc(n, precision, &cp->chirp);
    return status != STF_OK ? status
                            : stfi_table_chirp(n, precision, cp->chirp);
}

/* Makes the orders of load and store for Rader's algorithm, in one block of
 * memory that belongs to load_pos. */
static stf_status make_rader(stfi_cpu_pass *cp)
{
    size_t prime = (size_t)cp->p.signal;
    void *mem;
    stf_status status = stfi_alloc_raw(2 * prime * sizeof *cp->load_pos,
                                       "the plan's tables", &mem);

    if (status != STF_OK)
        return status;
    cp->load_pos = mem;
    cp->store_pos = cp->load_pos + prime;
    stfi_table_rader(cp->p.signal, cp->load_pos, cp->store_pos);
    return STF_OK;
}

static stf_status make_product(stfi_cpu_pass *cp, stf_precision precision,
                               const stfi_dft *dft)
{
    stf_status status = stfi_complex_alloc(stfi_table_product_count(&cp->p),
                                           precision, &cp->product);

    return status != STF_OK ? status
                            : stfi_table_product(&cp->p, precision, cp->chirp,
                                                 dft, cp->product);
}

static stf_status make_conv(stfi_cpu_pass *cp, stf_precision precision,
                            const stfi_cpu_pass *before, int nbefore,
                            const stfi_dft *dft)
{
    const stfi_pass *p = &cp->p;
    int64_t chirp = p->load.chirp > 0 ? p->load.chirp : p->store.chirp;
    stf_status status = STF_OK;

    if (p->conv == STFI_CONV_BLUESTEIN || p->conv == STFI_CONV_SPREAD)
        chirp = p->signal;
    if (chirp > 0)
        status = take_chirp(cp, precision, chirp, before, nbefore);
    if (status == STF_OK && p->conv == STFI_CONV_RADER)
        status = make_rader(cp);
    if (status == STF_OK && p->conv != STFI_CONV_NONE)
        status = make_product(cp, precision, dft);
    return status;
}

static stf_status make_separate(stfi_cpu_pass *cp, stf_precision precision)
{
    int64_t n = cp->p.signal;
    stf_status status;

    if (!stfi_op_get(cp->p.op)->real)
        return STF_OK;
    status = stfi_complex_alloc(n / 2 + 1, precision, &cp->separate);
    return status != STF_OK ? status
                            : stfi_table_half_turn(n, precision, cp->separate);
}

/* Makes the weights w0, w1 of the parts of element k for checked passes that
 * load half spectra: w0 X.r + w1 X.i = row[-k] X + row[k] conj X. Real elements
 * are their own mirror images and have half of these weights. */
static stf_status make_weights(stfi_cpu_pass *cp, stf_precision precision)
{
    const stfi_check *c = &cp->p.check;
    stf_status status;

    if (c->kind != STFI_CHECK_LANE || !stfi_op_get(cp->p.op)->loads_spectra)
        return STF_OK;
    status =
        stfi_complex_alloc(2 * (c->points / 2 + 1), precision, &cp->weights);
    for (int64_t k = 0; k <= c->points / 2 && status == STF_OK; k++) {
        int real = k == 0 || 2 * k == c->points;
        long double re, im, back_re, back_im;
        stfi_complex_get(precision, c->row, k, &re, &im);
        stfi_complex_get(precision, c->row, c->points - k, &back_re, &back_im);
        stfi_complex_put(precision, cp->weights, 2 * k,
                         real ? re : back_re + re, real ? im : back_im + im);
        stfi_complex_put(precision, cp->weights, 2 * k + 1,
                         real ? 0 : im - back_im, real ? 0 : back_re - re);
    }
    return status;
}

/* Sets the strides of a side, in reals. */
static void set_strides(const stfi_pass *p, const stfi_side *side, int64_t *es,
                        int64_t *im, int64_t *bs, int64_t *ls)
{
    int64_t unit =
        side->form == STFI_FORM_COMPLEX || side->form == STFI_FORM_HALF ? 2 : 1;
    *es = unit * (side->order != STFI_ORDER_NONE ? side->unit : side->stride);
    *bs = unit * side->block_stride;
    *im = side->form == STFI_FORM_PAIRS ? side->pair : 1;
    for (int l = 0; l < p->nloops; l++)
        ls[l] = unit * side->loop_stride[l];
}

double stfi_cpu_pass_bytes(const stfi_pass *p, stf_precision precision)
{
    double count = 0.0;

    if (p->twiddle.order > 0)
        count += (double)p->twiddle.rows
                 * (double)(count_fine(p->signal) + count_coarse(p->signal));
    if (p->conv != STFI_CONV_NONE)
        count += (double)stfi_table_product_count(p);
    if (stfi_op_get(p->op)->real)
        count += (double)(p->signal / 2 + 1);
    if (stfi_turn_side(p) != NULL)
        count += (double)stfi_turn_count(stfi_turn_side(p));
    return count * 2.0 * (double)stfi_type_get(precision)->bytes;
}

typedef struct adder {
    int64_t bytes; /* of a complex number */
    stfi_ft_bit_sum *add;
} adder;

static uint64_t add_table(const adder *a, const void *table, int64_t count)
{
    return table != NULL ? a->add(table, count * a->bytes) : 0;
}

uint64_t stfi_cpu_pass_bits(const stfi_cpu_pass *cp, stf_precision precision,
                            stfi_ft_bit_sum *add)
{
    const stfi_pass *p = &cp->p;
    const adder a = {2 * (int64_t)stfi_type_get(precision)->bytes, add};
    uint64_t bits = 0;
    int64_t m = 1;

    for (int s = 0; s < p->nstages; s++) {
        bits += add_table(&a, cp->stage[s], m * (p->radix[s] - 1));
        bits += add_table(&a, cp->prime[s], p->radix[s]);
        m *= p->radix[s];
    }
    if (p->twiddle.order > 0) {
        bits += add_table(&a, cp->tw_fine, p->twiddle.rows * cp->fine);
        bits += add_table(&a, cp->tw_coarse,
                          p->twiddle.rows * count_coarse(p->signal));
    }
    if (!cp->chirp_borrowed)
        bits += add_table(&a, cp->chirp, cp->chirp_n);
    if (cp->product != NULL)
        bits += add_table(&a, cp->product, stfi_table_product_count(p));
    if (cp->turn != NULL)
        bits += add_table(&a, cp->turn, stfi_turn_count(stfi_turn_side(p)));
    return bits + add_table(&a, cp->separate, p->signal / 2 + 1);
}

stf_status stfi_cpu_pass_create(const stfi_pass *p, stf_precision precision,
                                const stfi_cpu_pass *before, int nbefore,
                                const stfi_dft *dft, stfi_cpu_pass *cp)
{
    stf_status status;

    memset(cp, 0, sizeof *cp);
    cp->p = *p;
    set_strides(p, &p->load, &cp->load_es, &cp->load_im, &cp->load_bs,
                cp->load_ls);
    set_strides(p, &p->store, &cp->store_es, &cp->store_im, &cp->store_bs,
                cp->store_ls);
    if ((status = make_stages(cp, precision)) != STF_OK
        || (status = make_twiddle(cp, precision)) != STF_OK
        || (status = make_conv(cp, precision, before, nbefore, dft)) != STF_OK
        || (status = make_separate(cp, precision)) != STF_OK
        || (status = stfi_cpu_maps_make(cp, precision)) != STF_OK
        || (status = stfi_cpu_places_make(cp, precision)) != STF_OK
        || (status = make_weights(cp, precision)) != STF_OK
        || (status = stfi_cpu_guards_make(p, precision, cp->guard)) != STF_OK)
        stfi_cpu_pass_destroy(cp);
    return status;
}

stf_status stfi_cpu_pass_create_conv(const stfi_pass *p,
                                     stf_precision precision,
                                     const stfi_dft *dft, stfi_cpu_pass *cp)
{
    stf_status status;

    memset(cp, 0, sizeof *cp);
    cp->p = *p;
    status = make_conv(cp, precision, NULL, 0, dft);
    if (status != STF_OK)
        stfi_cpu_pass_destroy(cp);
    return status;
}

/* 1 if the tables for the order of one side serve the other. */
static int is_placed_like(const stfi_side *a, const stfi_side *b)
{
    return a->form == b->form && a->order == b->order && a->turn == b->turn
           && a->span == b->span && a->full == b->full
           && a->reversed == b->reversed && a->alternate == b->alternate;
}

/* 1 if the tables of pass q have what the checks of p need. */
static int has_checks_of(const stfi_pass *p, const stfi_pass *q)
{
    return p->check.kind == STFI_CHECK_NONE
           || (p->check.row == q->check.row
               && p->check.level == q->check.level);
}

int stfi_cpu_pass_borrow(const stfi_pass *p, const stfi_cpu_pass *like,
                         stfi_cpu_pass *cp)
{
    const stfi_pass *q = &like->p;

    if (p->op != q->op || p->conv != q->conv || p->n != q->n
        || p->signal != q->signal || p->whole != q->whole
        || p->results != q->results || p->nstages != q->nstages
        || memcmp(p->radix, q->radix, sizeof p->radix) != 0
        || p->twiddle.order != q->twiddle.order
        || p->twiddle.rows != q->twiddle.rows || p->load.chirp != q->load.chirp
        || p->store.chirp != q->store.chirp || !has_checks_of(p, q)
        || p->backward != q->backward
        || p->twiddle.on_load != q->twiddle.on_load
        || p->twiddle.conjugate != q->twiddle.conjugate
        || p->inverse != q->inverse || p->store.form != q->store.form
        || (p->store.stride == 1) != (q->store.stride == 1)
        || stfi_cpu_is_straight(p) != like->straight
        || !is_placed_like(&p->load, &q->load)
        || !is_placed_like(&p->store, &q->store))
        return 0;
    *cp = *like;
    cp->p = *p;
    cp->borrowed = 1;
    cp->compact = NULL;
    set_strides(p, &p->load, &cp->load_es, &cp->load_im, &cp->load_bs,
                cp->load_ls);
    set_strides(p, &p->store, &cp->store_es, &cp->store_im, &cp->store_bs,
                cp->store_ls);
    return 1;
}

static void free_tables(stfi_cpu_pass *cp)
{
    for (int s = 0; s < STFI_MAX_STAGES; s++) {
        stfi_dealloc(cp->stage[s]);
        stfi_dealloc(cp->prime[s]);
        stfi_dealloc(cp->guard[s]);
    }
    stfi_dealloc(cp->pos);
    stfi_dealloc(cp->load_pos);
    stfi_dealloc(cp->tw_fine);
    stfi_dealloc(cp->tw_coarse);
    if (!cp->chirp_borrowed)
        stfi_dealloc(cp->chirp);
    stfi_dealloc(cp->product);
    stfi_dealloc(cp->separate);
    stfi_dealloc(cp->turn);
    stfi_dealloc(cp->load_map);
    stfi_dealloc(cp->store_map);
    stfi_dealloc(cp->weights);
    stfi_dealloc(cp->load_weights);
    stfi_dealloc(cp->store_weights);
    stfi_dealloc(cp->rest);
}

void stfi_cpu_pass_destroy(stfi_cpu_pass *cp)
{
    if (!cp->borrowed)
        free_tables(cp);
    memset(cp, 0, sizeof *cp);
}
