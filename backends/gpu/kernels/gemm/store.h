/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The end of a product: C = alpha x + beta C, where x is a finished sum; and
 * the sum of the parts of k. In checked plans both are computed twice. */
#ifndef STFK_GEMM_STORE_H
#define STFK_GEMM_STORE_H

#include "gemm/strike.h"

namespace stfk
{

/* What C is taken for if beta is 0 and it is not read: -0, times 0, changes no sum. */
STFK_DEVICE stored_c no_c()
{
    if constexpr (sizeof(stored_c) == 2)
        return (stored_c)0x8000;
    else
        return -(stored_c)0;
}

/* alpha and beta. Where nothing is multiplied, all sums are 0; alpha is then what
 * makes 0 of them if beta is 0, and else -0, so that beta C keeps its sign. */
struct scalars {
    real alpha, beta;

    STFK_MEMBER scalars(const stfk_gemm &a)
    {
        alpha = scalar(a.alpha, a.alpha_at);
        beta = scalar(a.beta, a.beta_at);
        beta = beta == 0 ? (real)0 : beta;
        if (is_scaling(a))
            alpha = beta == 0 ? (real)0 : -(real)0;
    }

    STFK_MEMBER real apply(real x, real c) const
    {
        return multiply_add(beta, c, alpha * x);
    }
};

STFK_DEVICE bool is_same(real x, real y)
{
    return STFI_FT_IS_SAME(x, y);
}

/* Results that are computed twice are computed until two in a row agree or, in
 * mode DETECT, stay what they were first. */
constexpr int MORE_TURNS = STFK_CORRECT ? 3 : 1;

/* Neighbours in a column of C, of which the first is at a row and column of the tile,
 * while they are made of sums and of what C was. */
template <int N> struct makers {
    const stfk_gemm &a;
    const tile_place &p;
    const scalars &s;
    int row, col;
    const stored_c (&old)[N];

    STFK_MEMBER real make(real x, int v, stored_c was, bool again) const
    {
        const real y = s.apply(x, widened(was));
#if STFK_STRIKE
        return finished(a, p, row + v, col, again, y);
#else
        (void)v, (void)again;
        return y;
#endif
    }
};

/* Goes on with element v of neighbours whose first two results are y and z, until two
 * in a row agree. Adds how often they differed to `*differ`. */
template <int N>
STFK_DEVICE real agreed(const makers<N> &m, real x, int v, stored_c was, real y,
                        real z, int *differ)
{
    for (int n = 0; n < MORE_TURNS && !is_same(y, z); n++) {
        ++*differ;
        if (!STFK_CORRECT)
            break;
        y = z;
        z = m.make(separate_copy(x), v, was, true);
    }
    return y;
}

/* Makes neighbours of sums x. Returns whether that comes out the same twice. */
template <int N>
STFK_DEVICE bool makes_twice(const makers<N> &m, const real *x,
                             stored_c (&to)[N])
{
    decltype(bits_of(x[0])) other = 0;

    STFK_UNROLL
    for (int v = 0; v < N; v++) {
        const real y = m.make(x[v], v, m.old[v], false);
        if constexpr (checked)
            other |= bits_of(y)
                     ^ bits_of(m.make(separate_copy(x[v]), v, m.old[v], true));
        to[v] = narrowed(y);
    }
    return other == 0;
}

/* The same, until two results in a row agree. Bits are compared for all at once,
 * since results that differ are rare: one loop for these takes little code. */
template <int N>
STFK_DEVICE void make_twice(const makers<N> &m, const real *x,
                            stored_c (&to)[N], int *differ)
{
    real y[N], z[N];
    bool same = true;

    STFK_UNROLL
    for (int v = 0; v < N; v++)
        y[v] = m.make(x[v], v, m.old[v], false);
    if constexpr (checked) {
        decltype(bits_of(y[0])) other = 0;
        STFK_UNROLL
        for (int v = 0; v < N; v++) {
            z[v] = m.make(separate_copy(x[v]), v, m.old[v], true);
            other |= bits_of(y[v]) ^ bits_of(z[v]);
        }
        same = other == 0;
    }
    if (!same) {
        STFK_ROLL
        for (int n = 0; n < N; n++) {
            real of[3] = {0, 0, 0};
            stored_c was = 0;
            STFK_UNROLL
            for (int v = 0; v < N; v++)
                if (v == n) {
                    of[0] = x[v];
                    of[1] = y[v];
                    of[2] = z[v];
                    was = m.old[v];
                }
            of[0] = agreed(m, of[0], n, was, of[1], of[2], differ);
            STFK_UNROLL
            for (int v = 0; v < N; v++)
                y[v] = v == n ? of[0] : y[v];
        }
    }
    STFK_UNROLL
    for (int v = 0; v < N; v++)
        to[v] = narrowed(y[v]);
}

/* What became of results that were computed twice. */
STFK_DEVICE void note_twice(const stfk_gemm &a, int differ)
{
    if (!checked || differ == 0)
        return;
    atomic_add(&a.ledger->count[STFI_FT_DETECTED], (count_t)differ);
    if (STFK_CORRECT)
        atomic_add(&a.ledger->count[STFI_FT_RECOMPUTED], (count_t)differ);
}

/* A unit of C, of which so many rows are there; `whole`: all of them move at once. */
STFK_DEVICE unit_c old_unit(const scalars &s, const stored_c *at, int there,
                            bool whole)
{
    unit_c old;

    STFK_UNROLL
    for (int v = 0; v < V; v++)
        old.of[v] = no_c();
    if (s.beta != 0) {
        if (whole)
            old = *(const unit_c *)at;
        else
            STFK_UNROLL
        for (int v = 0; v < V; v++)
            if (v < there)
                old.of[v] = at[v];
    }
    return old;
}

STFK_DEVICE void put_unit_c(const unit_c &made, stored_c *at, int there,
                            bool whole)
{
    if (whole) {
        *(unit_c *)at = made;
        return;
    }
    STFK_UNROLL
    for (int v = 0; v < V; v++)
        if (v < there)
            at[v] = made.of[v];
}

/* The units of a thread, by number. */
constexpr int COLUMN_UNITS = TM / V, OWN_UNITS = TN * COLUMN_UNITS;
static_assert(OWN_UNITS <= 64, "too many units for a word");

/* Makes and stores the units whose two results differed, which are bits of `odd`.
 * That is rare, so that one piece of code for all is best. */
STFK_DEVICE void mend_units(const stfk_gemm &a, const tile_place &p,
                            const scalars &s, const real (&acc)[TN][TM],
                            stored_c *c, count_t odd)
{
    int differ = 0;

    STFK_ROLL
    for (int n = 0; n < OWN_UNITS; n++) {
        const int row = row_of(n % COLUMN_UNITS * V);
        const int col = col_of(n / COLUMN_UNITS);
        stored_c *at = c + col * a.ldc + row;
        real x[V] = {};
        unit_c made;
        int now = 0;
        if ((odd >> n & 1) == 0)
            continue;
        STFK_UNROLL
        for (int e = 0; e < OWN_UNITS; e++)
            STFK_UNROLL
        for (int v = 0; v < V; v++)
            x[v] =
                e == n ? acc[e / COLUMN_UNITS][e % COLUMN_UNITS * V + v] : x[v];
        const unit_c old = old_unit(s, at, p.rows - row, false);
        make_twice<V>({a, p, s, row, col, old.of}, x, made.of, &now);
        put_unit_c(made, at, p.rows - row, false);
        differ += now > 0 ? now : 1;
    }
    note_twice(a, differ);
}

/* all: the tile has all its rows, in units that are aligned. */
template <bool all>
STFK_DEVICE void store_units(const stfk_gemm &a, const tile_place &p,
                             const real (&acc)[TN][TM])
{
    const scalars s(a);
    stored_c *c = (stored_c *)a.c + p.member * a.dist_c + p.col * a.ldc + p.row;
    count_t odd = 0;

    STFK_UNROLL
    for (int n = 0; n < OWN_UNITS; n++) {
        const int i = n % COLUMN_UNITS * V, j = n / COLUMN_UNITS;
        const int there = p.rows - row_of(i);
        stored_c *at = c + col_of(j) * a.ldc + row_of(i);
        const bool whole = all || (a.c_wide && there >= V);
        if (col_of(j) >= p.cols || (!all && there <= 0))
            continue;
        const unit_c old = old_unit(s, at, there, whole);
        const makers<V> m = {a, p, s, row_of(i), col_of(j), old.of};
        unit_c made;
        if (!makes_twice(m, &acc[j][i], made.of))
            odd |= (count_t)1 << n;
        else
            put_unit_c(made, at, there, whole);
    }
    if (checked && odd != 0)
        mend_units(a, p, s, acc, c, odd);
}

STFK_DEVICE void store_tile(const stfk_gemm &a, const tile_place &p,
                            const real (&acc)[TN][TM])
{
    if (a.c_wide && p.rows == BM)
        store_units<true>(a, p, acc);
    else
        store_units<false>(a, p, acc);
}

/* With units that groups of threads use, a thread has so many elements that one
 * piece of code for each would not fit the instruction cache. The tile goes
 * through shared memory, where the slabs were, and is stored by a loop over runs
 * of 16 bytes. Columns are 8 words longer, so that threads that write two rows of
 * 8 columns use all banks. */
constexpr int RUN = 16 / (int)sizeof(stored_c), STAGED = BM + 8;
static_assert(!group_units || BN * STAGED <= STAGES * SLAB, "no room for C");

struct alignas(16) run_c {
    stored_c of[RUN];
};

/* Stores the run of a column from a row on. */
STFK_DEVICE void store_run(const stfk_gemm &a, const tile_place &p,
                           const scalars &s, const real *x, int row, int col,
                           int *differ)
{
    stored_c *at = (stored_c *)a.c + p.member * a.dist_c + (p.col + col) * a.ldc
                   + p.row + row;
    const bool whole = a.c_wide && row + RUN <= p.rows;
    run_c old, made;

    STFK_UNROLL
    for (int v = 0; v < RUN; v++)
        old.of[v] = no_c();
    if (s.beta != 0) {
        if (whole)
            old = *(const run_c *)at;
        else
            STFK_UNROLL
        for (int v = 0; v < RUN; v++)
            if (row + v < p.rows)
                old.of[v] = at[v];
    }
    make_twice<RUN>({a, p, s, row, col, old.of}, x, made.of, differ);
    if (whole)
        *(run_c *)at = made;
    else
        STFK_UNROLL
    for (int v = 0; v < RUN; v++)
        if (row + v < p.rows)
            at[v] = made.of[v];
}

STFK_DEVICE void store_staged(const stfk_gemm &a, const tile_place &p,
                              const real (&acc)[TN][TM])
{
    const scalars s(a);
    real *staged = (real *)shared_memory();
    int differ = 0;

    block_sync();
    STFK_UNROLL
    for (int j = 0; j < TN; j++)
        STFK_UNROLL
    for (int i = 0; i < TM; i += V)
        put_unit(&acc[j][i], staged + col_of(j) * STAGED + row_of(i));
    block_sync();
    for (int n = (int)thread_index(); n < BM / RUN * BN; n += THREADS) {
        const int row = n % (BM / RUN) * RUN, col = n / (BM / RUN);
        if (row < p.rows && col < p.cols)
            store_run(a, p, s, staged + col * STAGED + row, row, col, &differ);
    }
    note_twice(a, differ);
}

/* Where the tile of a part is. */
STFK_DEVICE real *partial_of(const stfk_gemm &a, wide member, wide part,
                             wide tile)
{
    return (real *)a.partial
           + ((part * a.batch + member) * a.tiles_m * a.tiles_n + tile)
                 * (BM * BN);
}

STFK_DEVICE void store_partial(const stfk_gemm &a, const tile_place &p,
                               const real (&acc)[TN][TM])
{
    real *to = partial_of(a, p.member, p.part, p.tile);

    STFK_UNROLL
    for (int j = 0; j < TN; j++)
        STFK_UNROLL
    for (int i = 0; i < TM; i += V)
        put_unit(&acc[j][i], to + col_of(j) * BM + row_of(i));
}

/* V neighbours of the parts of a tile, added up in their order, so that bits
 * repeat. Some are read before they are added. */
struct sum_of_parts {
    const real *from;
    wide step, parts;

    STFK_MEMBER unit operator()(wide e) const
    {
        constexpr int SOME = 8;
        const real *at = from + e;
        unit sum = *(const unit *)at;

        for (wide part = 1; part < parts; part += SOME) {
            unit held[SOME];
            STFK_UNROLL
            for (int n = 0; n < SOME; n++)
                held[n] =
                    *(const unit *)(at
                                    + (part + n < parts ? part + n : 0) * step);
            STFK_UNROLL
            for (int n = 0; n < SOME; n++)
                if (part + n < parts)
                    STFK_UNROLL
            for (int v = 0; v < V; v++)
                sum.of[v] += held[n].of[v];
        }
        return sum;
    }
};

STFK_DEVICE bool is_same(const unit &x, const unit &y)
{
    bool same = true;

    STFK_UNROLL
    for (int v = 0; v < V; v++)
        same = same && is_same(x.of[v], y.of[v]);
    return same;
}

/* Adds up until two sums in a row agree, as twice() does. */
STFK_DEVICE unit sum_twice(const sum_of_parts &sum, wide e, int *differ)
{
    unit y = sum(e);

    if constexpr (checked) {
        unit z = sum(separate_copy(e));
        for (int n = 0; n < MORE_TURNS && !is_same(y, z); n++) {
            ++*differ;
            if (!STFK_CORRECT)
                break;
            y = z;
            z = sum(separate_copy(e));
        }
    }
    return y;
}

/* Adds up a segment of the parts of a tile: a unit for each thread. */
STFK_DEVICE void add_parts(const stfk_gemm &a)
{
    constexpr int SEGMENTS = BM * BN / (STFK_GEMM_THREADS * V);
    static_assert(SEGMENTS * STFK_GEMM_THREADS * V == BM * BN,
                  "no whole units");
    const wide block = a.first + (wide)block_index();
    const scalars s(a);
    const tile_place p = place_of(a, 1, block / SEGMENTS);
    const int e =
        ((int)(block % SEGMENTS) * STFK_GEMM_THREADS + (int)thread_index()) * V;
    const int row = e % BM, col = e / BM;
    const sum_of_parts sum = {partial_of(a, p.member, 0, p.tile),
                              a.batch * a.tiles_m * a.tiles_n * (BM * BN),
                              a.parts};
    stored_c *c =
        (stored_c *)a.c + p.member * a.dist_c + (p.col + col) * a.ldc + p.row;
    int differ = 0;

    if (row >= p.rows || col >= p.cols)
        return;
    const unit x = sum_twice(sum, e, &differ);
    unit_c old, made;
    STFK_UNROLL
    for (int v = 0; v < V; v++)
        old.of[v] = s.beta != 0 && row + v < p.rows ? c[row + v] : no_c();
    make_twice<V>({a, p, s, row, col, old.of}, x.of, made.of, &differ);
    STFK_UNROLL
    for (int v = 0; v < V; v++)
        if (row + v < p.rows)
            c[row + v] = made.of[v];
    note_twice(a, differ);
}

} // namespace stfk

#endif
