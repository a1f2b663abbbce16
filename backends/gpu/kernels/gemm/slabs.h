/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The slabs of both operands in shared memory, and the sums that checks take of
 * them.
 *
 * With asynchronous copies, STAGES slabs are under way; otherwise a slab waits
 * in registers while the one before is multiplied, and there are two stages. */
#ifndef STFK_GEMM_SLABS_H
#define STFK_GEMM_SLABS_H

#include "gemm/load.h"
#include "gemm/weighed.h"

namespace stfk
{

/* A group's units still read the slab before the one that they are given. */
constexpr int STAGES = STFK_STAGES, AHEAD = STAGES - (group_units ? 2 : 1);
static_assert(AHEAD > 0, "too few stages");

typedef operand<BM, STFK_A_ALONG_K> operand_a;
typedef operand<BN, STFK_B_ALONG_K> operand_b;

/* A slab: the operands, and the weighed rows of A for checks. */
#if STFK_UNIT >= 2
constexpr int SLAB_A = operand_a::SIZE / 2, SLAB_B = operand_b::SIZE / 2;
#else
constexpr int SLAB_A = BK * operand_a::LENGTH, SLAB_B = BK * operand_b::LENGTH;
#endif
constexpr int SLAB_SUMS = !predicts      ? 0
                          : sums_by_unit ? UNIT_ROWS * BK / 2
                                         : VECTORS * BK;
/* The weighed rows move by pieces of 16 bytes. */
constexpr int SUM_PIECE = 16 / (int)sizeof(real),
              SUM_PIECES = SLAB_SUMS / SUM_PIECE;
constexpr int SUM_ROWS = sums_by_unit ? UNIT_ROWS : VECTORS;
constexpr int ROW_PIECES = predicts ? SUM_PIECES / SUM_ROWS : 1;
static_assert(SUM_PIECES <= THREADS, "too few threads");
/* Rows of a group's units begin at multiples of 1024 bytes. */
constexpr int SLAB_UNIT = group_units ? 1024 / (int)sizeof(real) : 1;
constexpr int SLAB =
    (SLAB_A + SLAB_B + SLAB_SUMS + SLAB_UNIT - 1) / SLAB_UNIT * SLAB_UNIT;

/* The part of the checksums that a thread adds up: SUMMED columns, of which each
 * has GROUPS threads, which share the steps of a slab. */
constexpr int SUMMED = half_units ? 4 : V, UNITS_N = BN / SUMMED;
constexpr int MOST_GROUPS = sums_by_unit ? 1 : half_units ? BK / 4 : BK;
constexpr int GROUPS =
    THREADS / UNITS_N < MOST_GROUPS ? THREADS / UNITS_N : MOST_GROUPS;
constexpr int OWN_STEPS = BK / GROUPS;
static_assert(BK % GROUPS == 0, "no whole steps");

/* Sums of a thread: of[w][v] of column v of its columns under vector w, and squares
 * (own_norms); if it checks its own elements, of each of their columns under one vector;
 * if groups of 32 do, of V of the group's columns; if units do, as these leave them. */
constexpr int SUM_VECTORS = predicts && !by_thread ? VECTORS + own_norms : 1;
constexpr int SUM_COLUMNS = by_thread ? TN : sums_by_unit ? 2 : SUMMED;
struct predictions {
    real of[SUM_VECTORS][SUM_COLUMNS];
};

/* Whether units read the weighed rows as the next ones of the tile, and not its columns
 * once more for them: both lie along k, and units take 256 rows at most. */
constexpr bool sums_joined =
    sums_by_unit && STFK_A_ALONG_K && BM + UNIT_ROWS < 256;
constexpr int SUMS_AT = sums_joined ? SLAB_A : SLAB_A + SLAB_B;
constexpr int B_AT = sums_joined ? SLAB_A + SLAB_SUMS : SLAB_A;

/* Products of halves that one of split numbers takes. */
constexpr int SPLIT_TURNS = splits ? 3 : 1;

/* The columns are neighbours, unless steps are: then threads that read the same
 * steps of neighbouring columns read all banks. */
STFK_DEVICE int summed_col(int v)
{
    const int t = (int)thread_index() % UNITS_N;

    return half_units && STFK_B_ALONG_K ? t + v * UNITS_N : t * SUMMED + v;
}

struct alignas(16) piece_of_sums {
    real of[SUM_PIECE];
};

/* What a block keeps of its slabs. */
struct pipeline {
    real *shared;
    operand_a a;
    operand_b b;
    const real *weighed; /* the thread's piece of those of the next slab */
    int steps;           /* of k from there on */
    bool whole;          /* the tile has all rows and columns */
#if STFK_ASYNC
    async_copies copies;
#else
    real held_w[SUM_PIECE];
#endif

    STFK_MEMBER real *slab(int stage) const
    {
        return shared + stage * SLAB;
    }

    /* Whether this thread moves a piece of the weighed rows of a slab. Rows of units
     * that have no digit are not there. */
    STFK_MEMBER static bool moves_sum()
    {
        const int t = (int)thread_index();

        return predicts && made_beforehand && t < SUM_PIECES
               && (!sums_by_unit || has_digit(t / ROW_PIECES));
    }

    /* Where the piece that it moves lies in a slab, in reals. */
    STFK_MEMBER static int place_of_sum()
    {
        const int t = (int)thread_index();
        const int row = t / ROW_PIECES, piece = t % ROW_PIECES;

        return SUMS_AT
               + (row * ROW_PIECES + (sums_by_unit ? piece ^ row : piece))
                     * SUM_PIECE;
    }

#if STFK_SPLIT
    int turn; /* of those of split.h */

    /* Begins the copies of the next part of a product of halves. Their arrays are
     * as large as whole tiles and slabs. */
    STFK_MEMBER void begin(int stage)
    {
        if (steps > 0) {
            a.send_half(slab(stage), turn == 0, turn == SPLIT_TURNS - 1,
                        copies);
            b.send_half(slab(stage) + B_AT, turn == 1, turn == SPLIT_TURNS - 1,
                        copies);
            send_sums(stage);
            turn = turn == SPLIT_TURNS - 1 ? 0 : turn + 1;
            weighed += turn != 0 ? 0 : sums_by_unit ? BK / 2 : BK;
            steps -= turn == 0 ? BK : 0;
        }
        copies.commit();
    }
#endif

#if STFK_ASYNC
    /* Whole slabs of them are there. */
    STFK_MEMBER void send_sums(int stage)
    {
        if (moves_sum())
            copies.template copy<16>(slab(stage) + place_of_sum(), weighed);
    }

#if !STFK_SPLIT
    template <bool all, bool sums> STFK_MEMBER void send(int stage)
    {
        a.template send<all>(slab(stage), copies);
        b.template send<all>(slab(stage) + B_AT, copies);
        if (sums)
            send_sums(stage);
        if (predicts)
            weighed += sums_by_unit ? BK / 2 : BK;
        steps -= BK;
    }

    /* Begins the copies of the next slab, if there is one; without `sums`, all but
     * the weighed rows. */
    template <bool sums = true> STFK_MEMBER void begin(int stage)
    {
        if (whole && steps >= BK)
            send<true, sums>(stage);
        else if (steps > 0)
            send<false, sums>(stage);
        copies.commit();
    }

    /* Reads the weighed rows of the first AHEAD slabs, of which begin() moves all
     * else, from `from` on. */
    STFK_MEMBER static void take_first_sums(const real *from, wide all_steps,
                                            piece_of_sums (&held)[AHEAD])
    {
        STFK_UNROLL
        for (int s = 0; s < AHEAD; s++)
            if (moves_sum() && s * BK < all_steps)
                held[s] = *(
                    const piece_of_sums *)(from
                                           + s * (sums_by_unit ? BK / 2 : BK));
    }

    STFK_MEMBER void put_first_sums(wide all_steps,
                                    const piece_of_sums (&held)[AHEAD])
    {
        STFK_UNROLL
        for (int s = 0; s < AHEAD; s++)
            if (moves_sum() && s * BK < all_steps)
                *(piece_of_sums *)(slab(s) + place_of_sum()) = held[s];
    }
#endif

    STFK_MEMBER void end(int)
    {
        copies.template wait<AHEAD - 1>();
#if STFK_UNIT == 3
        group_products::show();
#endif
    }
#else
    STFK_MEMBER void begin(int)
    {
        a.take();
        b.take();
        if (moves_sum())
            STFK_UNROLL
        for (int v = 0; v < SUM_PIECE; v++)
            held_w[v] = ((const piece_of_sums *)weighed)->of[v];
        if (predicts)
            weighed += BK;
        steps -= BK;
    }

    STFK_MEMBER void end(int stage)
    {
        a.put(slab(stage));
        b.put(slab(stage) + B_AT);
        if (moves_sum())
            STFK_UNROLL
        for (int v = 0; v < SUM_PIECE; v++)
            ((piece_of_sums *)(slab(stage) + place_of_sum()))->of[v] =
                held_w[v];
    }
#endif
};

} // namespace stfk

#endif
