/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The tile: what a block works on at a time. It has STFK_LANES lanes of STFK_N
 * elements, and STFK_THREADS threads share each lane. Between stages, threads
 * exchange elements through shared memory.
 *
 * Shape: shared memory is [lane][element] or [element][lane], by STFK_PITCH and
 * STFK_STEP, with a skew that avoids conflicts of banks.
 * Source: [TurboFFT], section 5.1 (threads and elements per thread). */
#ifndef STFK_TILE_H
#define STFK_TILE_H

#include "fft/args.h"
#include "common/types.h"

namespace stfk
{

enum op {
    OP_FFT,
    OP_CONV,
    OP_R2C,
    OP_C2R,
    OP_UNTANGLE,
    OP_TANGLE,
    OP_R2C_TWO,
    OP_C2R_TWO
};
enum conv { CONV_NONE, CONV_RADER, CONV_BLUESTEIN, CONV_SPREAD };
enum form { FORM_COMPLEX, FORM_REAL, FORM_PAIRS, FORM_HALF, FORM_HC };
enum order {
    ORDER_NONE,
    ORDER_PLAIN,
    ORDER_FOLD,
    ORDER_ENDS,
    ORDER_EIGHTH,
    ORDER_EIGHTH_BACK,
    ORDER_EVEN,
    ORDER_ODD
};
enum turning {
    TURN_NONE,
    TURN_QUARTER,
    TURN_FOUR,
    TURN_CAS,
    TURN_EIGHTH,
    TURN_IMAG
};
enum twiddling { TWIDDLE_NONE, TWIDDLE_STORE, TWIDDLE_LOAD };

constexpr int N = STFK_N;       /* elements of a lane */
constexpr int L = STFK_LANES;   /* lanes of a block */
constexpr int T = STFK_THREADS; /* threads of a lane */
constexpr int B = L * T;        /* threads of a block */
constexpr int S = STFK_STAGES;
constexpr int V = STFK_HELD; /* elements in a thread's registers */
constexpr int radices[S + 1] = {STFK_RADICES, 1};

/* A tile may be an array of several axes, each of which has stages of its own. The
 * elements of the axis of stage s lie inners[s] apart; two axes differ in this. */
constexpr int inners[S + 1] = {STFK_INNERS, 1};

/* inner(): that distance. before(): the product of the radices of the stages before
 * stage s of the same axis, counted from the last stage if `back`. axis(): the
 * length of the axis of stage s. */
STFK_CONST int radix_of(int s, bool back)
{
    return radices[back ? S - 1 - s : s];
}
STFK_CONST int inner(int s, bool back)
{
    return inners[back ? S - 1 - s : s];
}
STFK_CONST int before(int s, bool back)
{
    int product = 1;

    for (int i = 0; i < s; i++)
        if (inner(i, back) == inner(s, back))
            product *= radix_of(i, back);
    return product;
}
STFK_CONST int axis(int s)
{
    int product = 1;

    for (int i = 0; i < S; i++)
        if (inners[i] == inners[s])
            product *= radices[i];
    return product;
}

/* How far apart the inputs of a butterfly of stage s are, and its results. In the
 * first stage and the last one, inputs and results have to be N / R apart, so that
 * threads hold the tile in natural order; if the first one's are not, the tile is
 * sorted for it. */
STFK_CONST int reach(int s, bool back)
{
    return back ? N / radix_of(s, back)
                : inner(s, back) * (axis(s) / radix_of(s, back));
}
STFK_CONST int spread(int s, bool back)
{
    return inner(s, back) * before(s, back);
}
constexpr bool has_stages = STFK_OP != OP_UNTANGLE && STFK_OP != OP_TANGLE;
constexpr bool sorts_first = has_stages && reach(0, false) != N / radices[0];
static_assert(!has_stages || spread(S - 1, false) == N / radices[S - 1],
              "the last stage is of the outermost axis");

/* Returns the number of butterflies that a thread does in a stage of radix
 * r. */
STFK_CONST int rounds(int r)
{
    return (N / r + T - 1) / T;
}

/* Whether the first stage finds its inputs in shared memory. */
constexpr bool shared_before = STFK_LOAD_STAGED || STFK_OP == OP_C2R
                               || STFK_OP == OP_C2R_TWO
                               || STFK_CONV == CONV_RADER;

/* Returns the thread's number in its block. If a block does one tile after
 * another, the compiler would compute all that depends on this number alone
 * before the loop, and would then lack registers to keep it; so it must not
 * know that the number stays the same. */
STFK_DEVICE unsigned own_thread()
{
    return STFK_TRANSACTIONS > 1 || STFK_PERSISTENT
                   || (STFK_AHEAD && STFK_LOAD_ACROSS)
               ? thread_index_anew<B>()
               : thread_index_below<B>();
}

/* Numbers n < most, as a block has them, are divided by d with one product of 32
 * bits: n / d = n mul >> shift with mul = 2^shift / d + 1, if most (mul d - 2^shift)
 * is at most 2^shift, and most mul below 2^32. Compilers that know how small n is
 * divide in 16 bits instead, and need instructions to get there and back.
 * divisor_shift() returns -1 if there is no such shift.
 * Source: Granlund and Montgomery, PLDI 1994, theorem 4.2. */
STFK_CONST int divisor_shift(int d, int most)
{
    for (int shift = 0; shift < 31; shift++) {
        const unsigned long long power = 1ull << shift, mul = power / d + 1;
        if (most * mul >> 32 != 0)
            return -1;
        if (most * (mul * d - power) <= power)
            return shift;
    }
    return -1;
}

/* Returns n / d for 0 <= n < most. */
template <int d, int most> STFK_DEVICE int divided(int n)
{
    constexpr int shift = divisor_shift(d, most);

    if constexpr (d >= most)
        return 0;
    else if constexpr ((d & (d - 1)) == 0 || shift < 0)
        return (int)((unsigned)n / d);
    else
        return (int)((unsigned)n * ((1u << shift) / d + 1) >> shift);
}

/* Returns n % d for 0 <= n < most. */
template <int d, int most> STFK_DEVICE int remainder(int n)
{
    if constexpr (d >= most)
        return n;
    else if constexpr ((d & (d - 1)) == 0)
        return n & (d - 1);
    else
        return known_below<d>(n - divided<d, most>(n) * d);
}

/* Threads do `count` things in rounds, `threads` of them at a time. Returns whether
 * thing i of round k, which is a thread's, exists. The compiler has to know that all
 * rounds but the last are full, so that it puts no condition around them. */
STFK_DEVICE bool is_in_round(int k, int threads, int count, int i)
{
    return (k + 1) * threads <= count || i < count;
}

/* Returns the address of p[i] by that of p[from], which a thread has of several
 * elements; see one_address(). */
template <class E> STFK_DEVICE E *by_address(E *p, int from, int i)
{
    return one_address(p + from) + (i - from);
}

/* Which part of the tile belongs to a thread: `interleave` neighbouring
 * threads hold neighbouring butterflies of one lane, the next ones hold
 * those of the next lane. With 1, neighbouring threads hold neighbouring
 * lanes; with T, all threads of a lane are neighbours. */
struct member {
    int lane; /* in the block */
    int t;    /* in the lane */
};

template <int interleave> STFK_DEVICE member who()
{
    constexpr int group = interleave * L; /* threads */
    const int i = (int)own_thread(), of_group = remainder<group, B>(i);

    return {divided<interleave, group>(of_group),
            remainder<interleave, group>(of_group)
                + divided<group, B>(i) * interleave};
}

/* The same for what a thread holds of the transform. Threads t and T - 1 - t that
 * swap reals (swapped.h) are neighbours, or would be without other lanes. */
template <int interleave> STFK_DEVICE member holder()
{
    member m = who<interleave>();

    if (STFK_LOAD_SWAPPED || STFK_STORE_SWAPPED)
        m.t = m.t % 2 == 0 ? m.t / 2 : T - 1 - m.t / 2;
    return m;
}

template <bool one> struct either {
    template <class A, class B> struct of {
        typedef A type;
    };
};
template <> struct either<false> {
    template <class A, class B> struct of {
        typedef B type;
    };
};

/* ---------------------------------------------------------- shared memory */

/* Changes the lowest bits of e by a pattern for each higher bit that is set. */
STFK_CONST int swizzle(int e)
{
    int bits = 0;

    for (int i = 0; i < 16; i++)
        bits ^=
            -(e >> (4 + i) & 1) & (int)((long long)STFK_SWIZZLE >> 4 * i & 15);
    return e ^ bits;
}

/* Returns the number of bits of n, which is one below a power of two. */
STFK_CONST int bits_in(int n)
{
    int bits = 0;

    while (n >> bits != 0)
        bits++;
    return bits;
}

STFK_CONST int skew(int e)
{
    return STFK_SWIZZLE    ? swizzle(e)
           : STFK_SKEW_XOR ? e ^ ((e >> STFK_SKEW_SHIFT) & STFK_SKEW_MUL)
                           : e + (e >> STFK_SKEW_SHIFT) * STFK_SKEW_MUL;
}

/* If the bits of two parts of an element's number do not overlap, its place
 * is the sum of the places of both parts, and the compiler can compute one
 * of them. Radices that are powers of two guarantee this. */
STFK_CONST bool power_of_two(int n)
{
    return (n & (n - 1)) == 0;
}

STFK_DEVICE int place(int lane, int e)
{
    return lane * STFK_PITCH + skew(e) * STFK_STEP;
}

/* The number from which on bits of an element's number have no effect on how a skew
 * changes lower ones: of multiples of it the place can be added. */
constexpr int SKEW_PERIOD =
    1 << (STFK_SKEW_SHIFT + (STFK_SKEW_XOR ? bits_in(STFK_SKEW_MUL) : 0));

/* Returns the place of element e + more, of which the compiler knows `more`. It computes
 * one part of the place, and places at the same distance from a multiple of the period
 * share the other one. */
template <bool disjoint> STFK_DEVICE int place_sum(int lane, int e, int more)
{
    if (disjoint && STFK_SWIZZLE)
        return lane * STFK_PITCH + (skew(e) ^ (skew(more) & 15))
               + (skew(more) & ~15);
    if (disjoint && !STFK_SKEW_XOR)
        return place(lane, e) + skew(more) * STFK_STEP;
    if (STFK_SWIZZLE || STFK_SKEW_MUL == 0)
        return place(lane, e + more);

    const int low = more & (SKEW_PERIOD - 1), high = more - low;
    return place(lane, e + low)
           + (STFK_SKEW_XOR ? high : skew(high)) * STFK_STEP;
}

/* Which components of an element move. Shared memory holds both, or, with
 * STFK_SPLIT, one at a time. */
enum part { BOTH, FIRST, SECOND };

template <part P> STFK_DEVICE void put(int at, cx v)
{
    if (P == BOTH) {
        vec2<real> *m = (vec2<real> *)shared_memory();
        m[at] = vec2<real>{v.x, v.y};
    } else {
        real *m = (real *)shared_memory();
        m[at] = P == FIRST ? v.x : v.y;
    }
}

template <part P> STFK_DEVICE void get(int at, cx &v)
{
    if (P == BOTH) {
        vec2<real> u = ((const vec2<real> *)shared_memory())[at];
        v = {u.x, u.y};
    } else {
        real u = ((const real *)shared_memory())[at];
        (P == FIRST ? v.x : v.y) = u;
    }
}

/* Makes all threads that share a lane's memory wait for each other. */
STFK_DEVICE void tile_sync()
{
    if (STFK_WAVE_SYNC)
        wave_sync();
    else
        block_sync();
}

/* Moves a whole tile from put_all to get_all, both templates over the part
 * of an element that moves. */
template <class Put, class Get>
STFK_DEVICE void exchange(const Put &put_all, const Get &get_all)
{
    if (STFK_SPLIT) {
        put_all.template run<FIRST>();
        tile_sync();
        get_all.template run<FIRST>();
        tile_sync();
        put_all.template run<SECOND>();
        tile_sync();
        get_all.template run<SECOND>();
    } else {
        put_all.template run<BOTH>();
        tile_sync();
        get_all.template run<BOTH>();
    }
}

/* Puts the results of a stage: butterfly b of radix R, whose results are P apart,
 * writes elements (b / P) P R + b % P + j P. */
template <int R, int P> struct put_results {
    const cx *v;
    member m;
    template <part which> STFK_MEMBER void run() const
    {
        constexpr bool disjoint = power_of_two(R) && power_of_two(P);
        STFK_UNROLL
        for (int k = 0; k < rounds(R); k++) {
            int b = m.t + k * T;
            int e = b + divided<P, rounds(R) * T>(b) * (P * (R - 1));
            if (!is_in_round(k, T, N / R, b))
                continue;
            STFK_UNROLL
            for (int j = 0; j < R; j++)
                put<which>(place_sum<disjoint>(m.lane, e, j * P), v[k * R + j]);
        }
    }
};

/* Calls use(i, b, j) for each register i of thread t of a lane, which holds
 * element b + j N/R before a stage of radix R, or after the last one. */
template <int R, class Use> STFK_DEVICE void each_held(int t, const Use &use)
{
    STFK_UNROLL
    for (int k = 0; k < rounds(R); k++) {
        int b = t + k * T;
        if (!is_in_round(k, T, N / R, b))
            continue;
        STFK_UNROLL
        for (int j = 0; j < R; j++)
            use(k * R + j, b, j);
    }
}

/* Gets the inputs of a stage: butterfly b of radix R, whose inputs are Q apart,
 * reads elements (b / Q) Q R + b % Q + j Q. In a tile of one axis, Q is N/R, and b is
 * below it. */
template <int R, int Q = N / R> struct get_inputs {
    cx *v;
    member m;
    template <part which> STFK_MEMBER void run() const
    {
        constexpr bool whole = Q == N / R;
        constexpr bool disjoint = power_of_two(Q) && (whole || power_of_two(R));
        STFK_UNROLL
        for (int k = 0; k < rounds(R); k++) {
            int b = m.t + k * T;
            if (!is_in_round(k, T, N / R, b))
                continue;
            int e =
                whole ? b : b + divided<Q, rounds(R) * T>(b) * (Q * (R - 1));
            STFK_UNROLL
            for (int j = 0; j < R; j++)
                get<which>(place_sum<disjoint>(m.lane, e, j * Q), v[k * R + j]);
        }
    }
};

/* Puts the tile in natural order, in which get_inputs() reads it. */
template <int R> struct put_natural {
    const cx *v;
    member m;
    template <part which> STFK_MEMBER void run() const
    {
        each_held<R>(m.t, [&](int i, int b, int j) {
            put<which>(place_sum<power_of_two(N / R)>(m.lane, b, j * (N / R)),
                       v[i]);
        });
    }
};

} // namespace stfk

#endif
