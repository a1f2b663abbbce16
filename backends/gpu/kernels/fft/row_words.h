/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Where rows that stay halves are (unit_rows.h): the words that threads have of them, in
 * shared memory and in device memory.
 *
 * A wave multiplies 32 neighbouring columns (matrix.h) at a time, in four products: t
 * has columns t, t + 4, t + 8, ... of them. Thread 4 g + q of the wave has elements
 * q + 4 i of four neighbours before a stage, the first of which is 16 (g mod 2) +
 * 4 (g / 2), and after it results g + 8 h of columns 4 q + t and 4 q + t + 16. Elements
 * of neighbouring columns are neighbours in memory, so a thread moves four at a time,
 * and four threads 64 bytes. */
#ifndef STFK_ROW_WORDS_H
#define STFK_ROW_WORDS_H

#include "fft/matrix.h"
#include "fft/ops.h"

namespace stfk
{

static_assert(power_of_two(N) && S > 1 && T % wave_size == 0 && wave_size == 32
                  && V * T == N && !two_pieces,
              "rows of halves take whole waves");

/* Stages run in the reverse order of their tables: so the root of a result depends on
 * the number of the result and on the columns before it, of which all but the first
 * stage have few in a wave. Stage s has radix row_radix(s) and follows others of
 * product row_before(s); its table is that of stage S-1-s of a transform in order. */
STFK_CONST int row_radix(int s)
{
    return radix_of(s, true);
}
STFK_CONST int row_before(int s)
{
    return before(s, true);
}

/* ------------------------------------------------------------ block memory */

/* What each bit of an element's number from 3 on changes of its lowest three. The eight
 * threads that move 16 bytes at once differ in three bits of the number, which
 * are these at the exchanges of all lengths: they find all banks. */
constexpr int word_flips[] = {1, 2, 4, 3, 7, 3, 4, 1, 5, 1};

/* Where word e of a row is in the row's part of shared memory. The two highest bits
 * of e are the lowest ones there, in reverse order: so a thread gets a column's four
 * elements at once, and puts results of four rounds at once. Places of numbers whose
 * bits are apart are the exclusive or of both places. */
STFK_CONST int word_place(int e)
{
    const int low = e & (N / 4 - 1), high = e / (N / 4);
    int flips = 0;

    for (int b = 0; b < 10; b++)
        flips ^= -(low >> (b + 3) & 1) & word_flips[b];
    return (low ^ flips) << 2 | (high & 1) << 1 | high >> 1;
}

/* Returns the place of word e + more, of which the compiler knows `more`, and `at` is
 * e's. */
STFK_DEVICE int place_with(int at, int more)
{
    const int known = word_place(more);

    return (at ^ (known & 31)) + (known & ~31);
}

/* Of `count` things, a power of two, returns which one comes at place i if the bits of
 * its number are reversed. */
STFK_CONST int bits_reversed(int i, int count)
{
    int n = 0;

    for (int bit = 1; bit < count; bit *= 2)
        n = 2 * n + (i / bit & 1);
    return n;
}

/* Where the thread is: the lane and its row, and the wave's first column of a round. */
struct row_seat : seat {
    int lane, column;
    unsigned *memory;
    STFK_MEMBER row_seat()
        : lane(first / T), column(first % T),
          memory((unsigned *)shared_memory() + lane * N)
    {
    }
    /* The thread's first column before a stage. */
    STFK_MEMBER int before() const
    {
        return g % 2 * 16 + g / 2 * 4;
    }
};

/* A thread has words w[k R + t R/4 + i] of rounds k, columns t, and elements or results
 * i of a stage of radix R. Before it, word i is of element q + 4 bits_reversed(i); after
 * it, of result g + 8 (i / 2) of column t + 16 (i % 2). Here are the elements of what
 * the compiler knows of these, beyond those of the thread. */
template <int R> STFK_CONST int known_before(int k, int t, int i)
{
    return k * T + t + 4 * bits_reversed(i, R / 4) * (N / R);
}
template <int R, int P> STFK_CONST int known_after(int k, int t, int i)
{
    return first_result<R, P>(k * T + t + i % 2 * 16) + i / 2 * 8 * P;
}

template <int R> STFK_DEVICE void get_words(unsigned *w)
{
    const row_seat s;
    const int at = word_place(s.column) ^ word_place(s.before())
                   ^ word_place(s.q * (N / R));

    STFK_UNROLL
    for (int c = 0; c < V / (R / 4); c++) {
        const int k = c / 4, t = c % 4;
        const unsigned *from =
            s.memory + place_with(at, known_before<R>(k, t, 0));
        unsigned *to = w + c * (R / 4);
        if constexpr (R == 16) {
            const words u = *(const words *)from;
            STFK_UNROLL
            for (int i = 0; i < 4; i++)
                to[i] = u.of[i];
        } else {
            const vec2<unsigned> u = *(const vec2<unsigned> *)from;
            to[0] = u.x;
            to[1] = u.y;
        }
    }
}

/* Of results of four rounds, or two, the highest bits differ. */
template <int R, int P> STFK_DEVICE void put_words(const unsigned *w)
{
    constexpr int rounds = V / R, most = rounds < 4 ? rounds : 4;
    const row_seat s;
    const int at = word_place(first_result<R, P>(s.column))
                   ^ word_place(first_result<R, P>(4 * s.q))
                   ^ word_place(s.g * P);

    static_assert(N / (P * R) >= most, "rounds differ in the highest bits");
    STFK_UNROLL
    for (int k = 0; k < rounds / most; k++) {
        STFK_UNROLL
        for (int c = 0; c < R; c++) {
            const int t = c / (R / 4), i = c % (R / 4);
            unsigned *to =
                s.memory + place_with(at, known_after<R, P>(k, t, i));
            const unsigned *from = w + k * R + c;
            constexpr int next = rounds / most * R;
            if constexpr (most == 4)
                *(words *)to = {
                    {from[0], from[2 * next], from[next], from[3 * next]}};
            else if constexpr (most == 2)
                *(vec2<unsigned> *)to = {from[0], from[next]};
            else
                *to = from[0];
        }
    }
}

/* ----------------------------------------------------------- device memory */

union row_word {
    vec2<load_side::stored> of;
    unsigned bits;
};

/* Whether four neighbours move at once, the first of which is at p: rows may be any
 * distance apart. */
template <class Side>
STFK_DEVICE bool moves_words(const typename Side::stored *p)
{
    return Side::unit && (unsigned long long)p % sizeof(words) == 0;
}

/* Calls use(more, w) for each four neighbours that a thread loads: elements from that
 * of the thread and `more` on, which are R / 4 words apart. */
template <int R, class Use>
STFK_DEVICE void each_loaded(unsigned *w, const Use &use)
{
    STFK_UNROLL
    for (int c = 0; c < V / 4; c++) {
        const int k = c / (R / 4), i = c % (R / 4);
        use(known_before<R>(k, 0, i), w + k * R + i);
    }
}

STFK_DEVICE void load_row_words(const work &a, unsigned *w)
{
    const row_seat s;
    constexpr int R = row_radix(0);
    const int own = s.column + s.before() + s.q * (N / R);
    const auto *p = known_address<load_side>(
        locate_load(a, s.lane).p + distance<load_side>(a->load, own));

    if (moves_words<load_side>(p)) {
        each_loaded<R>(w, [&](int more, unsigned *to) {
            const words u = load_global((const words *)(p + 2 * more));
            STFK_UNROLL
            for (int t = 0; t < 4; t++)
                to[t * (R / 4)] = u.of[t];
        });
        return;
    }
    each_loaded<R>(w, [&](int more, unsigned *to) {
        STFK_UNROLL
        for (int t = 0; t < 4; t++) {
            const auto *x = p + distance<load_side>(a->load, more + t);
            row_word u = {{load_global(x), load_global(x + 1)}};
            to[t * (R / 4)] = u.bits;
        }
    });
}

/* The same of what it stores, after the last stage. */
template <int R, class Use>
STFK_DEVICE void each_stored(const unsigned *w, const Use &use)
{
    STFK_UNROLL
    for (int c = 0; c < V / 4; c++) {
        const int k = c / (R / 4), i = c % (R / 4);
        use(known_after<R, N / R>(k, 0, i), w + k * R + i);
    }
}

template <class Watch>
STFK_DEVICE void store_row_words(const work &a, const unsigned *w)
{
    const row_seat s;
    constexpr int R = row_radix(S - 1);
    const int own = s.column + 4 * s.q + s.g * (N / R);
    const auto lane = locate<store_side>(a, s.lane);
    auto *p =
        known_address<store_side>(lane.p + distance<store_side>(a->store, own));

    if (!lane.there)
        return;
    if (moves_words<store_side>(p)) {
        each_stored<R>(w, [&](int more, const unsigned *from) {
            Watch::put(
                (words *)(p + 2 * more),
                words{{from[0], from[R / 4], from[R / 2], from[3 * R / 4]}});
        });
        return;
    }
    each_stored<R>(w, [&](int more, const unsigned *from) {
        STFK_UNROLL
        for (int t = 0; t < 4; t++) {
            auto *x = p + distance<store_side>(a->store, more + t);
            row_word u;
            u.bits = from[t * (R / 4)];
            Watch::put(x, u.of.x);
            Watch::put(x + 1, u.of.y);
        }
    });
}

} // namespace stfk

#endif
