/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Operations of a pass between reals and half spectra; lib/fft/schedule.h.
 * Source: Cooley, Lewis, Welch, J. Sound Vib. 12 (1970). */
#ifndef STFK_REAL_TRANSFORMS_H
#define STFK_REAL_TRANSFORMS_H

#include "protect/group.h"
#include "fft/ops.h"
#include "fft/two.h"

namespace stfk
{

/* X_k = E + w O and X_(n-k) = conj(E - w O) of the even and odd parts E, O of
 * Z_k = x and Z_(n-k) = y. */
STFK_DEVICE void separate_pair(cx &x, cx &y, cx w)
{
    const real half = (real)0.5;
    cx even = {(x.x + y.x) * half, (x.y - y.y) * half};
    cx odd = cx{(x.y + y.y) * half, (y.x - x.x) * half} * w;

    x = even + odd;
    y = conj(even - odd);
}

/* The reverse, twice as large: Z_k = E + i O and Z_(n-k) = conj(E) + i
 * conj(O) from X_k = x and X_(n-k) = y. */
STFK_DEVICE void join_pair(cx &x, cx &y, cx w)
{
    cx even = {x.x + y.x, x.y - y.y};
    cx odd = cx{x.x - y.x, x.y + y.y} * conj(w);

    x = {even.x - odd.y, even.y + odd.x};
    y = {even.x + odd.y, odd.x - even.y};
}

/* Pair k of a row of n: elements 0 and n come from element 0 alone. */
STFK_DEVICE void separate(wide k, cx &x, cx &y, cx w)
{
    if (k == 0) {
        y = {x.x - x.y, 0};
        x = {x.x + x.y, 0};
    } else {
        separate_pair(x, y, w);
    }
}

/* The imaginary parts of elements 0 and n do not count. */
STFK_DEVICE void join(wide k, cx &x, cx &y, cx w)
{
    if (k == 0)
        x = {x.x + y.x, x.x - y.x};
    else
        join_pair(x, y, w);
}

/* How the threads of a protected pass take the elements k and N - k of a
 * spectrum. */
template <class Side, int interleave> struct half_sweep {
    typedef typename either<checked>::template of<
        lane_sweep<N / 2 + 1, interleave>,
        sweep<Side, N / 2 + 1, Side::across>>::type type;
};
typedef half_sweep<store_side, STORE_SUM_INTERLEAVE>::type store_half_sweep;
typedef half_sweep<load_side, LOAD_SUM_INTERLEAVE>::type load_half_sweep;

/* Elements k and N - k of the spectrum of a lane whose transform stands in
 * shared memory. */
STFK_DEVICE void make_pair(trial &c, int lane, int k, cx x[2])
{
    get<BOTH>(place(lane, k), x[0]);
    get<BOTH>(place(lane, k == 0 ? 0 : N - k), x[1]);
    separate(k, x[0], x[1], table_at(c.a->separate, k));
    apply_scale<2>(c.a, x);
    if (by_lane) {
        c.out[0].add(e_at(c, k), x[0]);
        if (2 * k != N)
            c.out[0].add(e_at(c, N - k), x[1]);
    }
}

STFK_DEVICE void store_made(const work &a, int lane, int k, const cx x[2])
{
    bool vector = a->store.vector != 0;
    spot s = locate<store_side>(a, lane);
    real *p = s.p + distance<store_side>(a->store, k);
    real *r = s.p + distance<store_side>(a->store, N - k);

    store_element<store_side>(a, s, p, k, x[0], vector);
    if (2 * k != N)
        store_element<store_side>(a, s, r, N - k, x[1], vector);
}

STFK_DEVICE void store_spectrum(trial &c)
{
    typedef store_half_sweep go;

    STFK_UNROLL_SOME /* more would hold the roots of all in registers */
        for (int q = 0; q < go::rounds; q++)
    {
        if (!go::has(q))
            continue;
        cx x[2];
        make_pair(c, go::lane(q), go::element(q), x);
        store_made(c.a, go::lane(q), go::element(q), x);
    }
}

/* The inputs of R2C are pairs of neighbouring reals, those of R2C_TWO one of
 * either signal. */
template <int op, int R>
STFK_DEVICE void sum_reals(trial &c, member m, const cx *v)
{
    sum_squares<R>(c, m, v);
    each_held<R>(m.t, [&](int i, int b, int j) {
        int e = b + j * (N / R);
        if (op == OP_R2C) {
            c.in.add(row_at(c, 2 * e), -v[i].x);
            c.in.add(row_at(c, 2 * e + 1), -v[i].y);
        } else {
            c.in.sub(row_at(c, e), two_as_one(v[i].x, v[i].y));
        }
    });
    end_load_sum(c);
}

/* R2C and R2C_TWO, up to a transform in shared memory. */
template <int op> STFK_DEVICE void transform_reals(trial &c)
{
    member to = who < op == OP_R2C ? T : STFK_STORE_INTERLEAVE > ();
    member from = shared_before ? to : who<STFK_LOAD_INTERLEAVE>();
    member last = S > 1 ? to : from;
    cx v[V];

    take_inputs(c, from, v);
    turn_direction<V>(c.a, v);
    if constexpr (by_lane)
        sum_reals<op, R_FIRST>(c, from, v);
    transform(c, v, from, to);
    strike_results<R_LAST>(c, last, v);
    if (S > 1 || shared_before)
        block_sync();
    put_natural<R_LAST>{v, last}.template run<BOTH>();
    block_sync();
}

/* R2C and R2C_TWO: the pairs that a thread has are held until they are known
 * to be right. */
template <int op> struct spectrum_tile {
    typedef typename either<op == OP_R2C>::template of<
        store_half_sweep, lane_sweep<N / 2 + 1, STORE_SUM_INTERLEAVE>>::type go;
    cx x[go::rounds][2];

    STFK_MEMBER void compute(trial &c)
    {
        transform_reals<op>(c);
        STFK_UNROLL
        for (int q = 0; q < go::rounds; q++) {
            if (!go::has(q))
                continue;
            if constexpr (op == OP_R2C)
                make_pair(c, go::lane(q), go::element(q), x[q]);
            else
                make_two(c, go::lane(q), go::element(q), x[q]);
        }
    }
    STFK_MEMBER void store(trial &c)
    {
        STFK_UNROLL
        for (int q = 0; q < go::rounds; q++) {
            if (!go::has(q))
                continue;
            if constexpr (op == OP_R2C)
                store_made(c.a, go::lane(q), go::element(q), x[q]);
            else
                store_two_made(c.a, go::lane(q), go::element(q), x[q]);
        }
    }
};

template <int op> STFK_DEVICE void run_r2c(const work &a)
{
    if constexpr (checked) {
        run_tile<spectrum_tile<op>>(a);
    } else if (has_faults(a)) {
        if constexpr (strikable)
            compute_apart<spectrum_tile<op>>(a.args, a.first, 0, SUFFERS,
                                             nullptr);
    } else {
        trial c(a, 0);
        transform_reals<op>(c);
        if constexpr (op == OP_R2C)
            store_spectrum(c);
        else
            store_spectra(c);
    }
}

/* Element k of N + 1 of the spectrum of 2N reals, X, of which row[-k] X
 * + row[k] conj X is summed; the first and the last are real, and count
 * half. */
STFK_DEVICE void sum_half(trial &c, int k, cx x)
{
    const int mirror = k == 0 ? 0 : 2 * N - k;
    if (k == 0 || k == N) {
        c.in.add(row_at(c, k), -x.x);
    } else {
        c.in.sub(row_at(c, mirror), x);
        c.in.sub(row_at(c, k), conj(x));
    }
}

/* Of the whole spectrum. */
STFK_DEVICE void add_half_square(growing &sum, int k, cx x, real unit)
{
    if (k == 0 || k == N)
        sum.square({x.x, 0}, unit);
    else
        sum.square(x, unit * (real)1.4142135623730951);
}

STFK_DEVICE void sum_halves(trial &c, const cx *x, const cx *y)
{
    typedef load_half_sweep go;
    const real unit = unit_of(c, 0, go::lane(0));

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        int k = go::element(q);
        if (!go::has(q))
            continue;
        add_half_square(c.in, k, x[q], unit);
        sum_half(c, k, x[q]);
        if (2 * k == N)
            continue;
        add_half_square(c.in, N - k, y[q], unit);
        sum_half(c, N - k, y[q]);
    }
    end_load_sum(c);
}

/* Elements k and N - k of a lane from their joined form. */
STFK_DEVICE void load_spectrum(trial &c)
{
    typedef load_half_sweep go;
    const work &a = c.a;
    bool vector = a->load.vector != 0;
    cx x[go::rounds], y[go::rounds], w[go::rounds];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        if (!go::has(q))
            continue;
        int k = go::element(q);
        spot s = locate<load_side>(a, go::lane(q));
        const real *p = s.p + distance<load_side>(a->load, k);
        const real *r = s.p + distance<load_side>(a->load, N - k);
        x[q] = load_element<load_side>(a, s, p, k, vector);
        y[q] = load_element<load_side>(a, s, r, N - k, vector);
        w[q] = table_at(a->separate, k);
    }
    if constexpr (by_lane)
        sum_halves(c, x, y);
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        if (!go::has(q))
            continue;
        int k = go::element(q), lane = go::lane(q);
        join(k, x[q], y[q], w[q]);
        if (k != 0 && 2 * k != N)
            put<BOTH>(place(lane, N - k), y[q]);
        put<BOTH>(place(lane, k), x[q]);
    }
}

/* The outputs of C2R and C2R_TWO are placed as the inputs of R2C and
 * R2C_TWO. */
template <int op, int R>
STFK_DEVICE void sum_made_reals(trial &c, member m, const cx *v)
{
    growing &sum = c.out[0];

    each_held<R>(m.t, [&](int i, int b, int j) {
        int e = b + j * (N / R);
        if (op == OP_C2R) {
            sum.add(e_at(c, 2 * e), v[i].x);
            sum.add(e_at(c, 2 * e + 1), v[i].y);
        } else {
            sum.add(e_at(c, e), two_as_one(v[i].x, v[i].y));
        }
    });
}

/* C2R and C2R_TWO. */
template <int op> struct reals_tile {
    cx v[V];

    STFK_MEMBER void compute(trial &c)
    {
        member to = who<STFK_STORE_INTERLEAVE>();

        if constexpr (op == OP_C2R)
            load_spectrum(c);
        else
            load_spectra(c);
        block_sync();
        get_inputs<R_FIRST>{v, to}.template run<BOTH>();
        turn_direction<V>(c.a, v);
        transform(c, v, to, to);
        strike_results<R_LAST>(c, to, v);
        apply_scale<V>(c.a, v);
        turn_direction<V>(c.a, v);
        if constexpr (by_lane)
            sum_made_reals<op, R_LAST>(c, to, v);
    }
    STFK_MEMBER void store(trial &c)
    {
        store_tile(c, who<STFK_STORE_INTERLEAVE>(), v);
    }
};

/* Pair k of UNTANGLE or TANGLE. */
struct pair_made {
    cx x, y;
};

STFK_DEVICE pair_made make_one_pair(const work &a, wide k, cx x, cx y)
{
    pair_made p = {x, y};

    if (STFK_OP == OP_UNTANGLE)
        separate(k, p.x, p.y, root(a, k));
    else
        join(k, p.x, p.y, root(a, k));
    apply_scale<1>(a, &p.x);
    apply_scale<1>(a, &p.y);
    return p;
}

/* The same, of values of which the compiler does not know where they are
 * from. `attempt` 0 may suffer a fault of element i of the lane. */
STFK_DEVICE pair_made make_copied_pair(const work &a, wide k, cx x, cx y, int i,
                                       int attempt)
{
    const stfk_check &check = a->check;
    cx u = {separate_copy(x.x), separate_copy(x.y)};
    cx v = {separate_copy(y.x), separate_copy(y.y)};

    for (wide q = 0; q < check.faults; q++) {
        const stfk_fault &f = check.fault[q];
        if (f.lane == (wide)lane_number(a, 0) && f.element == i
            && ((attempt == 0 && !check.again) || f.persistent))
            u = struck(u, f);
    }
    return make_one_pair(a, separate_copy(k), u, v);
}

/* Made twice; where the two differ, more often, until two in a row do not. */
STFK_DEVICE pair_made make_pair_twice(const work &a, wide k, cx x, cx y, int i)
{
    pair_made first = make_copied_pair(a, k, x, y, i, 0);
    pair_made p = first, next = make_copied_pair(a, k, x, y, i, 1);
    int attempt = 1;
    bool same;

    while (!(same_bits(p.x, next.x) && same_bits(p.y, next.y))
           && attempt < LAST_ATTEMPT) {
        p = next;
        next = make_copied_pair(a, k, x, y, i, ++attempt);
    }
    if (attempt == 1 && same_bits(p.x, next.x) && same_bits(p.y, next.y))
        return p;
    same = same_bits(p.x, next.x) && same_bits(p.y, next.y);
    note_fault(a, 0,
               !a->check.correct ? STFK_DETECTED
               : same            ? STFK_RECOMPUTED
                                 : STFK_UNCORRECTABLE,
               (real)1 / (real)0);
    return a->check.correct ? next : first;
}

/* UNTANGLE and TANGLE: pairs k, signal - k, from the lane's index on. */
template <int op> STFK_DEVICE void run_pairs(const work &a)
{
    spot in = locate<load_side>(a, 0), out = locate<store_side>(a, 0);
    const wide n = STFK_SIGNAL;

    for (int i = (int)thread_index(); i < N; i += B) {
        wide k = in.index + i;
        if (!in.there || 2 * k > n)
            continue;
        wide other = k == 0 && op == OP_UNTANGLE ? 0 : n - k;
        cx x = load_pair(in.p + k * a->load.elem, 1, a->load.vector != 0);
        cx y = load_pair(in.p + other * a->load.elem, 1, a->load.vector != 0);
        pair_made made = STFK_TWICE      ? make_pair_twice(a, k, x, y, i)
                         : has_faults(a) ? make_copied_pair(a, k, x, y, i, 0)
                                         : make_one_pair(a, k, x, y);
        bool both = 2 * k != n && (k != 0 || op == OP_UNTANGLE);
        real *p = out.p + k * a->store.elem;
        real *q = out.p + (n - k) * a->store.elem;
        store_pair(p, 1, made.x, a->store.vector != 0);
        if (both)
            store_pair(q, 1, made.y, a->store.vector != 0);
    }
}

} // namespace stfk

#endif
