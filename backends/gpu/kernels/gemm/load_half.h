/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Slabs of halves on their way to shared memory, where neighbours are what they
 * are in device memory: [element across][k] or [k][element across]. Matrix units
 * read pieces of 8 halves; rows are one piece longer, so that 8 of the same
 * place in 8 rows are in different banks. Units that groups of threads use want
 * rows of 64 halves, whose pieces are permuted instead (arch/groups_sm90.h). What
 * lies outside of the matrices is 0.
 *
 * Operands that are aligned to pieces move by these, all others by single
 * halves through registers. */
#ifndef STFK_GEMM_LOAD_HALF_H
#define STFK_GEMM_LOAD_HALF_H

#include "gemm/shape.h"

namespace stfk
{

constexpr int PIECE = 8;

/* Reads a piece by halves. */
STFK_DEVICE words gathered(const stored *from, int count)
{
    words w;

    STFK_UNROLL
    for (int v = 0; v < PIECE; v += 2)
        w.of[v / 2] = (v < count ? load_half(from + v) : 0)
                      | (v + 1 < count ? load_half(from + v + 1) : 0) << 16;
    return w;
}

/* One of the operands of a tile, D elements across. A thread moves one piece in
 * each of some turns, which are some rows apart. */
template <int D, bool along_k> struct operand {
    static constexpr int LENGTH = (along_k ? BK : D) + PIECE; /* of a row */
    static constexpr int LINES = along_k ? D : BK;
    static constexpr int ROW = 64; /* of a group's units */
    /* Of a slab, in halves. */
    static constexpr int SIZE = group_units ? D * BK : LINES * LENGTH;
    static constexpr int PIECES = (along_k ? BK : D) / PIECE;
    static constexpr int LINES_AT_ONCE = THREADS / PIECES;
    static constexpr int TURNS = (LINES + LINES_AT_ONCE - 1) / LINES_AT_ONCE;
    static_assert(THREADS % PIECES == 0, "no whole turns");
    static_assert(!group_units || (BK == ROW && D % ROW == 0), "no whole rows");

    const stored *next; /* the first half that this thread moves next */
    wide jump;          /* to that of the next turn */
    wide slab_step;
    int left;  /* steps of k of the slab and those after it */
    int there; /* elements across */
    int is_wide;
    wide lower; /* from upper halves to lower ones */

    STFK_MEMBER static int own_line()
    {
        return (int)thread_index() / PIECES;
    }

    STFK_MEMBER static int own_piece()
    {
        return (int)thread_index() % PIECES * PIECE;
    }

    /* Where half n of a line lies in a slab. */
    STFK_MEMBER static int place(int line, int n)
    {
        if constexpr (group_units)
            return n / ROW * (LINES * ROW) + line * ROW
                   + (n % ROW ^ line % 8 * PIECE);
        return line * LENGTH + n;
    }

    /* The same for step k of an element. */
    STFK_MEMBER static int place_of_step(int d, int k)
    {
        return along_k ? place(d, k) : place(k, d);
    }

    /* Where it would lie without permutation: d and k begin rows of pieces. */
    STFK_MEMBER static int group_begins(int d, int k)
    {
        return along_k ? d * ROW + k : d / ROW * (LINES * ROW) + k * ROW;
    }

    STFK_MEMBER operand(const stfk_gemm_operand &x, const tile_place &p,
                        wide first, int elements)
    {
        const int d = along_k ? own_line() : own_piece();
        const int k = along_k ? own_piece() : own_line();

        is_wide = x.wide;
        left = (int)p.steps;
        there = elements;
        jump = LINES_AT_ONCE * (along_k ? x.across : x.along);
        slab_step = BK * x.along;
        next = (const stored *)x.base + p.member * x.dist
               + (first + d) * x.across + (p.k + k) * x.along;
    }

    /* Calls f(place in the slab, source, halves that are there) for the pieces of
     * the next slab. all: the slab is whole; what counts is a loop, which takes
     * few registers. */
    template <bool all, class F> STFK_MEMBER void each(F f)
    {
        const int across = along_k ? left : there;
        const int lines = along_k ? there : left;
        const int rest = across - own_piece();
        const int count = rest < 0 ? 0 : rest < PIECE ? rest : PIECE;
        const stored *from = next;
        int line = own_line();
        const auto turn = [&] {
            if (LINES % LINES_AT_ONCE == 0 || line < LINES)
                f(place(line, own_piece()), from,
                  all            ? PIECE
                  : line < lines ? count
                                 : 0);
            from += jump;
            line += LINES_AT_ONCE;
        };

        if constexpr (all) {
            STFK_UNROLL
            for (int e = 0; e < TURNS; e++)
                turn();
        } else {
            STFK_ROLL
            for (int e = 0; e < TURNS; e++)
                turn();
        }
        next += slab_step;
        left -= BK;
    }

    /* all: the slab is whole. */
    template <bool all> STFK_MEMBER void send(real *slab, async_copies &copies)
    {
        stored *to = (stored *)slab;

        if (!is_wide) {
            each<false>([&](int at, const stored *x, int count) {
                *(words *)(to + at) = gathered(x, count);
            });
            return;
        }
        each<all>([&](int at, const stored *x, int count) {
            if constexpr (all)
                copies.template copy<16>(to + at, x);
            else
                copies.template copy<16>(to + at, x,
                                         count * (int)sizeof(stored));
        });
    }

    /* Of split numbers: the next slab of upper or lower halves; `last`: the one
     * after it is of the next steps. */
    STFK_MEMBER void send_half(real *slab, bool low, bool last,
                               async_copies &copies)
    {
        const stored *here = next;

        next += low ? lower : 0;
        send<true>(slab, copies);
        next = here + (last ? BK : 0);
    }

    /* Reads the four matrices of 8 x 8 from element `d` and step k of a slab on:
     * those of the next 8 elements, of the next 8 steps, and of both; in this
     * order if steps_first is 0. A thread gets two steps of an element. */
    template <bool steps_first>
    STFK_MEMBER static void read(const real *slab, int d, int k,
                                 unsigned (&word)[4])
    {
        const int t = (int)thread_index() % 32, matrix = t / 8;
        const int low = matrix % 2 * 8, high = matrix / 2 * 8;
        const int first_d = d + (steps_first ? high : low);
        const int first_k = k + (steps_first ? low : high);
        const stored *from = (const stored *)slab;

        if constexpr (along_k)
            load_matrices<false>(word,
                                 from + (first_d + t % 8) * LENGTH + first_k);
        else
            load_matrices<true>(word,
                                from + (first_k + t % 8) * LENGTH + first_d);
    }
};

} // namespace stfk

#endif
