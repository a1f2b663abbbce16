/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Makes the tables of a pass; see tables.h. All of them are laid out in one
 * buffer on the host and copied at once.
 *
 * Stage twiddles are made for each stage after the first of an axis, in the order of
 * the radices and, for convolutions, once more in the reverse order. A stage has
 * one row for each power that STFK_POWERS counts, with an entry for each k
 * below the product of the earlier radices. Twiddles between passes are
 * products of two roots in F64. Chirps and kernels of convolutions are made by
 * fft/tables/, for all backends. */
#include "backends/gpu/host/fft/tables.h"

#include <string.h>

#include "base/alloc.h"
#include "backends/gpu/host/fft/table_maker.h"
#include "base/half.h"
#include "fft/tables/complex_table.h"
#include "fft/tables/half_turn.h"
#include "fft/tables/turn.h"
#include "math/roots.h"

enum { MATRIX_ROOTS = 16 /* the order of the roots for matrix units */ };

static size_t complex_bytes(const stfi_gpu_table_maker *m)
{
    return 2 * m->tables->bytes;
}

void *stfi_gpu_new_table(stfi_gpu_table_maker *m, int64_t count, size_t each,
                         const void **field)
{
    void *data = NULL;
    size_t bytes;

    if (m->status == STF_OK)
        m->status =
            stfi_bytes((size_t)count, each, 1, "the plan's tables", &bytes);
    if (m->status == STF_OK)
        m->status = stfi_alloc_raw(bytes, "the plan's tables", &data);
    if (m->status == STF_OK)
        m->part[m->count++] =
            (stfi_gpu_table){.data = data, .bytes = bytes, .field = field};
    return data;
}

/* ---------------------------------------------------------------- stages */

static int radix_of(const stfi_pass *p, int s, int back)
{
    return p->radix[back ? p->nstages - 1 - s : s];
}

/* The exponent of row `row` in a stage's table. */
static int power_of_row(int r, int64_t before, int row)
{
    if (STFK_POWERS_ALL(r, before) || row < 3)
        return row + 1;
    return 4 * (row - 2);
}

/* The product of the radices of the stages of the same axis that run before. */
static int64_t before_of(const stfi_pass *p, int s, int back)
{
    int64_t before = 1;

    if (!back)
        return stfi_pass_before(p, s);
    for (int i = 0; i < s; i++)
        before *= radix_of(p, i, 1);
    return before;
}

static int64_t stage_count(const stfi_pass *p, int back)
{
    int64_t count = 0;

    for (int s = 0; s < p->nstages; s++) {
        int64_t before = before_of(p, s, back);
        count += STFK_POWERS(radix_of(p, s, back), before) * before;
    }
    return count;
}

static int64_t fill_stages(const stfi_gpu_table_maker *m,
                           const stfi_roots *roots, int back, void *table,
                           int64_t at)
{
    for (int s = 0; s < m->p->nstages; s++) {
        int r = radix_of(m->p, s, back);
        int64_t before = before_of(m->p, s, back);
        int64_t step = m->p->n / (before * r);
        for (int row = 0; row < STFK_POWERS(r, before); row++)
            for (int64_t k = 0; k < before; k++) {
                int64_t j = power_of_row(r, before, row);
                long double re, im;
                stfi_roots_get(roots, (uint64_t)(j * k * step), &re, &im);
                stfi_complex_put(m->tables->id, table, at++, re, im);
            }
    }
    return at;
}

/* Writes the first and the second piece of x, which units take. */
static void put_pieces(stfi_unit unit, long double x, uint32_t shift,
                       uint32_t *to)
{
    if (unit == STFI_UNIT_BF16) {
        to[0] |= (uint32_t)stfi_half_to_bf16((float)x) << shift;
        return;
    }
    uint32_t high = stfi_half_to_f16((float)x);
    to[0] |= high << shift;
    if (unit == STFI_UNIT_SPLIT)
        to[1] |= (uint32_t)stfi_half_to_f16(
                     (float)(x - stfi_half_from_f16((uint16_t)high)))
                 << shift;
}

/* The words of the roots of order MATRIX_ROOTS for matrix units: for each root,
 * two words of two halves, which are the first and the second piece of its real
 * part and of minus its imaginary part, both times STFK_UNIT_FACTOR. */
static void fill_matrix(const stfi_pass *p, uint32_t *words)
{
    const long double factor = STFK_UNIT_FACTOR(p->unit);

    for (int k = 0; p->matrix != 0 && k < MATRIX_ROOTS; k++) {
        long double re, im;
        uint32_t *to = words + 2 * k;
        stfi_root_l((uint64_t)k, MATRIX_ROOTS, &re, &im);
        to[0] = to[1] = 0;
        put_pieces(p->unit, factor * re, 0, to);
        put_pieces(p->unit, -factor * im, 16, to);
    }
}

static void make_stages(stfi_gpu_table_maker *m)
{
    int conv = stfi_op_is_conv(m->p->op);
    int64_t count = stage_count(m->p, 0) + (conv ? stage_count(m->p, 1) : 0)
                    + (m->p->matrix != 0 ? MATRIX_ROOTS : 0);
    stfi_roots *roots;
    void *table;
    int64_t at;

    if (count == 0)
        return;
    table = stfi_gpu_new_table(m, count, complex_bytes(m), &m->args->stage);
    if (m->status == STF_OK)
        m->status = stfi_roots_create((uint64_t)m->p->n, m->tables->id,
                                      (uint64_t)count, &roots);
    if (m->status != STF_OK)
        return;
    at = fill_stages(m, roots, 0, table, 0);
    if (conv)
        fill_stages(m, roots, 1, table, at);
    fill_matrix(m->p,
                (uint32_t *)((char *)table + complex_bytes(m) * (size_t)at));
    stfi_roots_destroy(roots);
}

/* --------------------------------------------------------- between passes */

/* Makes powers of w = exp(-2 pi i/order) as two tables, whose entries the
 * kernel multiplies: w^i for i < 2^shift, and w^(i << shift) for exponents up
 * to `most`. */
static void make_roots(stfi_gpu_table_maker *m, int64_t order, int64_t most)
{
    int shift = 0;
    int64_t fine, coarse;
    void *table[2];
    stfi_roots *roots;

    while (((int64_t)1 << 2 * shift) < most)
        shift++;
    fine = (int64_t)1 << shift;
    coarse = (most >> shift) + 1;
    table[0] = stfi_gpu_new_table(m, fine, 2 * sizeof(double), &m->args->fine);
    table[1] =
        stfi_gpu_new_table(m, coarse, 2 * sizeof(double), &m->args->coarse);
    if (m->status == STF_OK)
        m->status = stfi_roots_create((uint64_t)order, STF_F64,
                                      (uint64_t)(fine + coarse), &roots);
    if (m->status != STF_OK)
        return;
    for (int t = 0; t < 2; t++)
        for (int64_t i = 0; i < (t == 0 ? fine : coarse); i++) {
            long double re, im;
            stfi_roots_get(roots, (uint64_t)(t == 0 ? i : i << shift), &re,
                           &im);
            stfi_complex_put(STF_F64, table[t], i, re, im);
        }
    stfi_roots_destroy(roots);
    m->args->root_shift = shift;
}

static void make_pass_roots(stfi_gpu_table_maker *m)
{
    const stfi_pass *p = m->p;

    if (stfi_op_is_pairs(p->op))
        make_roots(m, 2 * p->signal, p->signal / 2 + 1);
    else if (p->twiddle.order > 0)
        make_roots(m, p->twiddle.order, p->twiddle.rows * p->n);
}

/* ----------------------------------------------------- real, convolutions */

static void make_chirp(stfi_gpu_table_maker *m)
{
    const stfi_pass *p = m->p;
    int64_t n = p->load.chirp > 0 ? p->load.chirp : p->store.chirp;
    void *chirp;

    if (p->conv == STFI_CONV_BLUESTEIN)
        n = p->signal;
    if (n == 0)
        return;
    chirp = stfi_gpu_new_table(m, n, complex_bytes(m), &m->args->chirp);
    if (chirp != NULL)
        m->status = stfi_table_chirp(n, m->tables->id, chirp);
}

static void make_product(stfi_gpu_table_maker *m, const stfi_dft *dft)
{
    void *product;

    if (m->p->conv == STFI_CONV_NONE)
        return;
    product = stfi_gpu_new_table(m, stfi_table_product_count(m->p),
                                 complex_bytes(m), &m->args->product);
    if (product != NULL)
        m->status = stfi_table_product(m->p, m->tables->id, NULL, dft, product);
}

static void make_rader(stfi_gpu_table_maker *m)
{
    int64_t prime = m->p->signal;
    uint32_t *load, *store;

    if (m->p->conv != STFI_CONV_RADER)
        return;
    load = stfi_gpu_new_table(m, prime, sizeof *load,
                              (const void **)&m->args->load_pos);
    store = stfi_gpu_new_table(m, prime, sizeof *store,
                               (const void **)&m->args->store_pos);
    if (store != NULL)
        stfi_table_rader(prime, load, store);
}

/* Makes the roots that separate or join half spectra in a tile, and behind them
 * those by which a side turns its elements. Operations on two signals need none
 * of the former, and those on pairs in memory use the tables of
 * make_pass_roots(). */
static void make_separate(stfi_gpu_table_maker *m)
{
    const stfi_pass *p = m->p;
    const stfi_op_row *op = stfi_op_get(p->op);
    const stfi_side *side = stfi_turn_side(p);
    int64_t own = op->real && !op->two && op->transforms > 0 ? p->n / 2 + 1 : 0;
    int64_t turns = side != NULL ? stfi_turn_count(side) : 0;
    int64_t all = own + turns;
    int quarter = own > 0 && turns > 0;
    char *table;

    if (all == 0)
        return;
    if (quarter)
        all = 2 * (STFK_QUARTER_ROOTS(p->n) + p->n / 2 + 1);
    table = stfi_gpu_new_table(m, all, complex_bytes(m), &m->args->separate);
    if (table != NULL && own > 0)
        m->status = stfi_table_half_turn(p->n, m->tables->id, table);
    if (m->status == STF_OK && turns > 0)
        m->status = stfi_table_turn(side, m->tables->id,
                                    table + (size_t)own * complex_bytes(m));
    if (m->status == STF_OK && quarter)
        m->status = stfi_table_quarter_pairs(
            8 * p->n, p->n / 2 + 1, m->tables->id,
            table + 2 * STFK_QUARTER_ROOTS(p->n) * complex_bytes(m));
}

/* ---------------------------------------------------------------- upload */

static size_t place_parts(stfi_gpu_table_maker *m)
{
    size_t total = 0;

    for (int i = 0; i < m->count; i++) {
        m->part[i].offset = total;
        total += (m->part[i].bytes + STFI_ALIGN - 1) / STFI_ALIGN * STFI_ALIGN;
    }
    return total;
}

static void upload(stfi_gpu_table_maker *m, stfi_bctx *ctx,
                   stfi_gpu_tables *tables)
{
    size_t total = place_parts(m);
    void *host, *device = NULL;

    if (m->status != STF_OK || total == 0)
        return;
    m->status = stfi_alloc_raw(total, "the plan's tables", &host);
    if (m->status != STF_OK)
        return;
    for (int i = 0; i < m->count; i++)
        memcpy((char *)host + m->part[i].offset, m->part[i].data,
               m->part[i].bytes);
    m->status = ctx->rt->mem_alloc(ctx->dev, total, &device);
    if (m->status == STF_OK)
        m->status =
            ctx->rt->copy(ctx->dev, device, host, total, STFI_TO_DEVICE, NULL);
    stfi_dealloc(host);
    if (m->status != STF_OK) {
        ctx->rt->mem_free(ctx->dev, device);
        return;
    }
    tables->memory = device;
    for (int i = 0; i < m->count; i++)
        *m->part[i].field = (char *)device + m->part[i].offset;
}

stf_status stfi_gpu_tables_create(stfi_bctx *ctx, const stfi_pass *p,
                                  stf_precision precision, int ordered,
                                  const stfi_dft *dft, stfi_gpu_tables *tables,
                                  stfk_args *args)
{
    stfi_gpu_table_maker m = {.p = p,
                              .tables = stfi_type_tables(precision),
                              .sums = stfi_type_sums(precision),
                              .args = args};

    memset(tables, 0, sizeof *tables);
    tables->ordered = ordered;
    if (!stfi_op_is_pairs(p->op))
        make_stages(&m);
    make_pass_roots(&m);
    make_chirp(&m);
    make_product(&m, dft);
    make_rader(&m);
    make_separate(&m);
    stfi_gpu_make_check(&m, ordered);
    upload(&m, ctx, tables);
    for (int i = 0; i < m.count; i++)
        stfi_dealloc(m.part[i].data);
    return m.status;
}

void stfi_gpu_tables_destroy(stfi_bctx *ctx, stfi_gpu_tables *tables)
{
    if (!tables->borrowed)
        ctx->rt->mem_free(ctx->dev, tables->memory);
    memset(tables, 0, sizeof *tables);
}
