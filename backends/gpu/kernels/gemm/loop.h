/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The main loop: slabs of both operands go through shared memory, and each
 * thread multiplies rows and columns of them. An element is one chain of
 * multiply-adds in the order of k.
 *
 * With asynchronous copies, STAGES slabs are under way; otherwise a slab waits
 * in registers while the one before is multiplied, and there are two stages.
 * The operands of the next step are read while this step is computed. */
#ifndef STFK_GEMM_LOOP_H
#define STFK_GEMM_LOOP_H

#include "gemm/load.h"
#include "gemm/strike.h"

namespace stfk
{

constexpr int STAGES = STFK_STAGES, AHEAD = STAGES - 1;

typedef operand<BM, STFK_A_ALONG_K> operand_a;
typedef operand<BN, STFK_B_ALONG_K> operand_b;

/* A slab: the operands, and the weighed rows of A for checks. */
constexpr int SLAB_A = BK * operand_a::LENGTH, SLAB_B = BK * operand_b::LENGTH;
constexpr int SLAB = SLAB_A + SLAB_B + (checked ? VECTORS * BK : 0);

/* The part of the checksums that a thread adds up: V columns, of which each
 * has GROUPS threads, which take every GROUPS-th step of a slab. */
constexpr int UNITS_N = BN / V;
constexpr int GROUPS = THREADS / UNITS_N < BK ? THREADS / UNITS_N : BK;
constexpr int OWN_STEPS = BK / GROUPS;
static_assert(BK % GROUPS == 0, "no whole steps");

/* Sums of a thread: predicted[w][v] of column v under vector w. */
struct predictions {
    real of[checked ? VECTORS : 1][V];
};

/* What a block keeps of its slabs. */
struct pipeline {
    real *shared;
    operand_a a;
    operand_b b;
    const real *weighed; /* of the next slab, vector 0 */
    wide weighed_step;   /* from a vector to the next */
    int steps;           /* of k from there on */
    bool whole;          /* the tile has all rows and columns */
#if STFK_ASYNC
    async_copies copies;
#else
    real held_w;
#endif

    STFK_MEMBER real *slab(int stage) const
    {
        return shared + stage * SLAB;
    }

    /* The number of the sum that this thread moves for checks, of those of a
     * slab; more than there are if it moves none. */
    STFK_MEMBER bool moves_sum() const
    {
        return checked && (int)thread_index() < VECTORS * BK;
    }

    STFK_MEMBER const real *sum_source(bool *there) const
    {
        const int t = (int)thread_index();

        *there = t % BK < steps;
        return *there ? weighed + t / BK * weighed_step + t % BK : weighed;
    }

#if STFK_ASYNC
    template <bool all> STFK_MEMBER void send(int stage)
    {
        a.template send<all>(slab(stage), copies);
        b.template send<all>(slab(stage) + SLAB_A, copies);
        if (moves_sum()) {
            bool there;
            const real *from = sum_source(&there);
            real *to = slab(stage) + SLAB_A + SLAB_B + (int)thread_index();
            if constexpr (all)
                copies.template copy<(int)sizeof(real)>(to, from);
            else
                copies.template copy<(int)sizeof(real)>(
                    to, from, there ? (int)sizeof(real) : 0);
        }
        if (checked)
            weighed += BK;
        steps -= BK;
    }

    /* Begins the copies of the next slab, if there is one. */
    STFK_MEMBER void begin(int stage)
    {
        if (whole && steps >= BK)
            send<true>(stage);
        else if (steps > 0)
            send<false>(stage);
        copies.commit();
    }

    STFK_MEMBER void end(int)
    {
        copies.template wait<AHEAD - 1>();
    }
#else
    STFK_MEMBER void begin(int)
    {
        a.take();
        b.take();
        if (moves_sum()) {
            bool there;
            const real *from = sum_source(&there);
            held_w = there ? *from : 0;
        }
        if (checked)
            weighed += BK;
        steps -= BK;
    }

    STFK_MEMBER void end(int stage)
    {
        a.put(slab(stage));
        b.put(slab(stage) + SLAB_A);
        if (moves_sum())
            slab(stage)[SLAB_A + SLAB_B + (int)thread_index()] = held_w;
    }
#endif
};

/* What a thread multiplies: its elements of one step of A and of B. Of matrix
 * units it is what the thread passes to them: each has one of the STEP steps,
 * of one in 8 rows. */
constexpr int HELD_A = units ? TM / 2 : TM;

struct fragment {
    real a[HELD_A], b[TN];
};

STFK_DEVICE void read_unit_fragment(const real *slab, int k, fragment &f)
{
    const int own = k + (int)thread_index() % STEP;

    STFK_UNROLL
    for (int i = 0; i < HELD_A; i++)
        f.a[i] = slab[own * operand_a::LENGTH + held_row(i)];
    STFK_UNROLL
    for (int j = 0; j < TN; j++)
        f.b[j] = slab[SLAB_A + own * operand_b::LENGTH + col_of(j)];
}

STFK_DEVICE void read_fragment(const real *slab, int k, fragment &f)
{
    if constexpr (units) {
        read_unit_fragment(slab, k, f);
        return;
    }
    const real *a = slab + k * operand_a::LENGTH + row_of(0);
    const real *b = slab + SLAB_A + k * operand_b::LENGTH + col_of(0);

    STFK_UNROLL
    for (int i = 0; i < HELD_A; i += V) {
        const unit u = *(const unit *)(a + i * RT);
        STFK_UNROLL
        for (int v = 0; v < V; v++)
            f.a[i + v] = u.of[v];
    }
    STFK_UNROLL
    for (int j = 0; j < TN; j += V) {
        const unit u = *(const unit *)(b + j * CT);
        STFK_UNROLL
        for (int v = 0; v < V; v++)
            f.b[j + v] = u.of[v];
    }
}

/* Adds a slab to the sums that the checks expect. */
STFK_DEVICE void predict(const real *slab, predictions &r)
{
    const int group = (int)thread_index() / UNITS_N;
    const int col = (int)thread_index() % UNITS_N * V;
    const real *sums = slab + SLAB_A + SLAB_B;

    if (GROUPS * UNITS_N < THREADS && group >= GROUPS)
        return;
    STFK_UNROLL
    for (int n = 0; n < OWN_STEPS; n++) {
        const int k = group + n * GROUPS;
        const unit u =
            *(const unit *)(slab + SLAB_A + k * operand_b::LENGTH + col);
        STFK_UNROLL
        for (int w = 0; w < VECTORS; w++) {
            const real s = sums[w * BK + k];
            STFK_UNROLL
            for (int v = 0; v < V; v++)
                r.of[w][v] = multiply_add(s, u.of[v], r.of[w][v]);
        }
    }
}

/* Begins a tile: the first slab is in shared memory, others are under way. */
STFK_DEVICE void begin(const stfk_gemm &a, const tile_place &p, pipeline &pipe,
                       real (&acc)[TN][TM], predictions &r)
{
    pipe.steps = (int)p.steps;
    pipe.whole = p.rows == BM && p.cols == BN;
    if constexpr (checked) {
        const wide member = a.a.shared ? 0 : p.member;
        pipe.weighed_step = a.k;
        pipe.weighed = (const real *)a.weighed
                       + (member * a.tiles_m + p.row / BM) * VECTORS * a.k
                       + p.k;
        for (int w = 0; w < VECTORS; w++)
            for (int v = 0; v < V; v++)
                r.of[w][v] = 0;
    }
    STFK_UNROLL
    for (int j = 0; j < TN; j++)
        STFK_UNROLL
    for (int i = 0; i < TM; i++)
        acc[j][i] = 0;
    for (int s = 0; s < (STFK_ASYNC ? AHEAD : 1); s++)
        pipe.begin(s);
    pipe.end(0);
    block_sync();
}

STFK_DEVICE void multiply_step(const fragment &f, real (&acc)[TN][TM])
{
#if STFK_UNIT
    STFK_UNROLL
    for (int j = 0; j < TN; j += 2)
        STFK_UNROLL
    for (int i = 0; i < TM; i += 2)
        unit_multiply(acc[j][i], acc[j][i + 1], acc[j + 1][i],
                      acc[j + 1][i + 1], f.b[j], f.b[j + 1], f.a[i / 2]);
#else
    STFK_UNROLL
    for (int j = 0; j < TN; j++)
        STFK_UNROLL
    for (int i = 0; i < TM; i++)
        acc[j][i] = multiply_add(f.b[j], f.a[i], acc[j][i]);
#endif
}

/* When a slab is added to the sums of checks: before its last step, at which the
 * block gives it up. */
constexpr int PREDICT_AT = units ? 1 : 2;
static_assert(BK / STEP % 2 == 0 && BK / STEP > PREDICT_AT + 1, "few steps");

/* Computes a tile. `again` is 1 if it was computed before. */
STFK_DEVICE void accumulate(const stfk_gemm &a, const tile_place &p,
                            real *shared, bool again, real (&acc)[TN][TM],
                            predictions &r)
{
    pipeline pipe = {shared, {a.a, p, p.row, p.rows}, {a.b, p, p.col, p.cols}};
    const int steps = (int)p.steps;
    fragment f[2];
    int stage = 0, next_load = STAGES - 1;

    (void)again;
    begin(a, p, pipe, acc, r);
    read_fragment(pipe.slab(0), 0, f[0]);
    for (int k = 0; k < steps; k += BK) {
        const int next = stage + 1 == STAGES ? 0 : stage + 1;
        STFK_UNROLL
        for (int s = 0; s < BK / STEP; s++) {
            if (s == BK / STEP - 1) {
                pipe.end(next);
                block_sync();
                read_fragment(pipe.slab(next), 0, f[0]);
            } else {
                read_fragment(pipe.slab(stage), (s + 1) * STEP, f[(s + 1) & 1]);
            }
            if (s == 0)
                pipe.begin(next_load);
            if (checked && s == PREDICT_AT)
                predict(pipe.slab(stage), r);
#if STFK_STRIKE
            strike_operands(a, p, p.k + k + s * STEP, again, f[s & 1].a,
                            f[s & 1].b);
#endif
            multiply_step(f[s & 1], acc);
#if STFK_STRIKE
            for (int n = 0; n < STEP; n++)
                strike_accumulators(a, p, p.k + k + s * STEP + n, again, acc);
#endif
        }
        stage = next;
        next_load = next_load + 1 == STAGES ? 0 : next_load + 1;
    }
}

} // namespace stfk

#endif
