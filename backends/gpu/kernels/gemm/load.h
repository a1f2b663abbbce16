/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Slabs of the operands on their way to shared memory, where they lie as
 * [k][row of A] and [k][column of B]. What lies outside of the matrices is 0 in
 * both: a 0 in one alone could meet an Inf in the other.
 *
 * Operands whose neighbours are along m or n move by 16 bytes if they are
 * aligned to that, all others by single elements. Where neighbours are along k,
 * the rows of a slab are 16 bytes longer, so that threads that write one
 * element of each use several banks. Halves for matrix units: load_half.h. */
#ifndef STFK_GEMM_LOAD_H
#define STFK_GEMM_LOAD_H

#include "gemm/shape.h"

#if STFK_UNIT < 2

/* Elements that are held in registers need loops that are unrolled. */
#if STFK_ASYNC
#define STFK_LOOP STFK_ROLL
#else
#define STFK_LOOP STFK_UNROLL
#endif

namespace stfk
{

STFK_CONST int most(int a, int b)
{
    return a > b ? a : b;
}

/* One of the operands of a tile, D elements across. A thread moves units of V
 * elements or single ones; between two of them it goes some steps of k ahead
 * or, where neighbours are along k, some elements across. It keeps a pointer to
 * its next one, as the distances are numbers of 64 bits, which take
 * registers. */
template <int D, bool along_k> struct operand {
    /* Of a row. Matrix units read 4 rows at once, 4 neighbours of each. */
    static constexpr int LENGTH = D + (units ? 2 * V : along_k ? V : 0);
    /* Threads across a row of units, rows at once, and turns of a slab. */
    static constexpr int UNITS = D / V, UNIT_ROWS = THREADS / UNITS;
    static constexpr int WIDE = UNIT_ROWS < BK ? BK / UNIT_ROWS : 1;
    /* The same for single elements; if a row has more of them than there are
     * threads, it takes ACROSS turns. */
    static constexpr int ACROSS = D > THREADS ? D / THREADS : 1;
    static constexpr int ROWS = D > THREADS ? 1 : THREADS / D;
    static constexpr int NARROW = ROWS < BK ? BK / ROWS : 1;
    static constexpr int LANES = THREADS / BK; /* across, along k */
    static constexpr int ALONG = LANES < D ? D / LANES : 1;
    static constexpr int HELD =
        along_k ? ALONG : most(V, most(WIDE *V, ACROSS *NARROW));
    static_assert(UNITS <= THREADS && BK <= THREADS, "too few threads");

    const stored *next; /* the first element that this thread moves next */
    wide jump;          /* to the one after it */
    int left;           /* steps of k from there on */
    int there;          /* elements across, from there on */
    int is_wide;

    STFK_MEMBER operand(const stfk_gemm_operand &x, const tile_place &p,
                        wide first, int elements)
    {
        const int t = (int)thread_index();
        const int row = x.wide ? UNITS : ACROSS > 1 ? THREADS : D;
        const int d = along_k ? t / BK : x.wide ? t % row * V : t % row;
        const int k = along_k ? t % BK : t / row;

        is_wide = x.wide;
        left = (int)p.steps - k;
        there = elements - d;
        jump =
            along_k ? LANES * x.across : (x.wide ? UNIT_ROWS : ROWS) * x.along;
        next = (const stored *)x.base + p.member * x.dist
               + (first + d) * x.across + (p.k + k) * x.along;
    }

    /* Where this thread's first element lies in a slab. */
    STFK_MEMBER int place() const
    {
        const int t = (int)thread_index();

        if (along_k)
            return t % BK * LENGTH + t / BK;
        if (is_wide)
            return t / UNITS * LENGTH + t % UNITS * V;
        return ACROSS > 1 ? t : t / D * LENGTH + t % D;
    }

    /* Calls f(e, place in the slab, source, elements that are there) for the
     * units of V elements that this thread moves of the next slab. all: the slab
     * is whole, and nothing is counted; counting takes more instructions than
     * moving. */
    template <bool all, class F> STFK_MEMBER void each_wide(F f)
    {
        const int count = there < 0 ? 0 : there < V ? there : V;
        const int to = place();

        STFK_UNROLL
        for (int e = 0; e < WIDE; e++) {
            const int n = all ? V : e * UNIT_ROWS < left ? count : 0;
            if (UNIT_ROWS <= BK || (int)thread_index() < UNITS * BK)
                f(e, to + e * UNIT_ROWS * LENGTH, next, n);
            if (UNIT_ROWS <= BK)
                next += jump;
        }
        if (UNIT_ROWS > BK)
            next += jump / UNIT_ROWS * BK;
        left -= BK;
    }

    /* The same for single elements whose neighbours are across. This is for
     * operands that are not aligned; a loop takes few registers. */
    template <bool all, class F> STFK_MEMBER void each_narrow(F f)
    {
        const int to = place();

        STFK_LOOP
        for (int e = 0; e < NARROW; e++) {
            STFK_LOOP
            for (int i = 0; i < ACROSS; i++) {
                const int n = all || (i * THREADS < there && e * ROWS < left);
                if (ROWS <= BK || (int)thread_index() < D * BK)
                    f(e * ACROSS + i, to + e * ROWS * LENGTH + i * THREADS,
                      next + i * THREADS, n);
            }
            if (ROWS <= BK)
                next += jump;
        }
        if (ROWS > BK)
            next += jump / ROWS * BK;
        left -= BK;
    }

    /* The same for single elements whose neighbours are along k. */
    template <bool all, class F> STFK_MEMBER void each_along(F f)
    {
        const stored *from = next;
        const int to = place();

        STFK_UNROLL
        for (int e = 0; e < ALONG; e++) {
            const int n = all || (e * LANES < there && left > 0);
            if (LANES <= D || (int)thread_index() < D * BK)
                f(e, to + e * LANES, from, n);
            from += jump;
        }
        next += BK;
        left -= BK;
    }

#if STFK_ASYNC
    /* all: the slab is whole, see each_wide(). */
    template <bool all> STFK_MEMBER void send(real *slab, async_copies &copies)
    {
        const auto one = [&](int, int at, const stored *x, int count) {
            if constexpr (all)
                copies.template copy<(int)sizeof(stored)>(slab + at, x);
            else
                copies.template copy<(int)sizeof(stored)>(
                    slab + at, x, count * (int)sizeof(stored));
        };

        if constexpr (along_k)
            each_along<all>(one);
        else if (is_wide)
            each_wide<all>([&](int, int at, const stored *x, int count) {
                if constexpr (all)
                    copies.template copy<16>(slab + at, x);
                else
                    copies.template copy<16>(slab + at, x,
                                             count * (int)sizeof(stored));
            });
        else
            each_narrow<all>(one);
    }
#else
    real held[HELD];

    /* Takes the next slab into registers. */
    STFK_MEMBER void take()
    {
        const auto one = [&](int e, int, const stored *x, int count) {
            held[e] = count ? get_element(x) : 0;
        };

        if constexpr (along_k)
            each_along<false>(one);
        else if (is_wide)
            each_wide<false>([&](int e, int, const stored *x, int count) {
                if (U == V && count == V)
                    get_elements(x, &held[e * V]);
                else
                    STFK_UNROLL
                for (int v = 0; v < V; v++)
                    held[e * V + v] = v < count ? get_element(x + v) : 0;
            });
        else
            each_narrow<false>(one);
    }

    /* Puts it into shared memory. */
    STFK_MEMBER void put(real *slab) const
    {
        operand there = *this;
        const auto one = [&](int e, int at, const stored *, int) {
            slab[at] = held[e];
        };

        if constexpr (along_k)
            there.template each_along<false>(one);
        else if (is_wide)
            there.template each_wide<false>(
                [&](int e, int at, const stored *, int) {
                    put_unit(&held[e * V], slab + at);
                });
        else
            there.template each_narrow<false>(one);
    }
#endif
};

} // namespace stfk

#else
#include "gemm/load_half.h"
#endif

#endif
