/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The verdict on a tile. A block judges a tile's residuals before it stores
 * anything. If one is too large, the whole tile is computed again from its
 * input, which is still intact, and both residuals together tell what happened.
 * Source: [TurboFFT], section 4 (checks fused into the kernel); doc/abft.md. */
#ifndef STFK_VERDICT_H
#define STFK_VERDICT_H

#include "protect/judge.h"
#if STFK_EACH_WAVE
#include "protect/each_wave.h"
#endif
#if STFK_SIGNED
#include "protect/signature.h"
#endif

namespace stfk
{

/* ------------------------------------------ attempts apart from the kernel */

STFK_DEVICE bool same_bits(cx a, cx b)
{
    return bits_of(a.x) == bits_of(b.x) && bits_of(a.y) == bits_of(b.y);
}

STFK_DEVICE bool same_residual(sum_cx a, sum_cx b)
{
    return same_bits(a, b) || (!is_finite(a) && !is_finite(b));
}

STFK_DEVICE real unit_for(sum s)
{
    return s >= range<sum>::low && s <= range<sum>::high ? (real)1
           : s < range<sum>::low                         ? range<real>::up
                                                         : range<real>::down;
}

/* Forgets what earlier attempts found. */
STFK_DEVICE void start_again(suspect &was)
{
    was.state = stfi_ft_state();
    was.unit = 1;
    was.ratio = 0;
}

/* Returns whether the norm of an attempt is in the range of its unit, so that
 * the residual can be judged. If not, the next attempt has another unit.
 *
 * A norm of 0 may be one whose square underflowed, although the residual is 0,
 * too, if that of the kernel was not, or if that of a later attempt is not; so what
 * was seen without a unit is forgotten once one is needed. Check 1 takes the norm of
 * values that a fault may have struck, which check 0 has detected; a unit that was
 * made from such values is given up. */
STFK_DEVICE bool has_norm(int i, tally t, suspect &was)
{
    const bool zero = t.s == 0 && t.d.x == 0 && t.d.y == 0
                      && was.kernel_found != STFI_FT_UNVERIFIABLE;

    if (was.unit != 1 && i > 0 && !same_residual(t.d, was.d)) {
        start_again(was);
        return false;
    }
    if (was.unit == 1 && !zero && unit_for(t.s) != 1) {
        start_again(was);
        was.unit = unit_for(t.s);
        return false;
    }
    return true;
}

/* Takes a residual of an attempt into account. */
STFK_DEVICE void observe(const work &a, suspect &was, tally t, bool same)
{
    const sum ratio = ratio_of(a, t.d, t.s, was.unit);
    const stfi_ft_verdict verdict =
        !is_finite(t.s)                                ? STFI_FT_UNVERIFIABLE
        : !(ratio <= 1)                                ? STFI_FT_FAULTY
        : ratio * FAULTY_AT > (sum)a->check.suspect_at ? STFI_FT_SUSPICIOUS
                                                       : STFI_FT_CLEAN;

    if (verdict != STFI_FT_CLEAN && !was.state.alarmed)
        was.ratio = ratio;
    if (verdict != STFI_FT_UNVERIFIABLE)
        note_ratio(a, (float)(ratio * ratio));
    stfi_ft_observe(&was.state, verdict, same);
}

/* Judges an attempt by check i. The residual of the attempt that has found the
 * unit is judged with the norm of the next one. Returns whether the tile has to
 * be computed once more. */
STFK_DEVICE bool look_apart(const trial &c, int i, tally t, suspect &was)
{
    const bool more = c.attempt < LAST_ATTEMPT;

    if (c.attempt == 0) {
        start_again(was);
        if (!(c.how & SUSPECTED))
            was.kernel_found = STFI_FT_CLEAN;
    }
    if (was.kernel_found == STFI_FT_FAULTY) /* it has been reported */
        return false;
    if (!has_norm(i, t, was)) {
        was.d = t.d;
        return more;
    }
    if (was.state.looks == 0 && was.unit != 1)
        observe(c.a, was, {was.d, t.s}, false);
    observe(c.a, was, t, same_residual(t.d, was.d));
    was.d = t.d;
    return more && c.a->check.correct && !stfi_ft_is_settled(&was.state);
}

STFK_DEVICE stfi_ft_remedy remedy_of(const work &a)
{
    return a->check.correct ? STFI_FT_REPEAT : STFI_FT_REPORT_ONLY;
}

/* Returns the outcome for what the kernel found, which attempts apart from it
 * did not; s is the squared norm. */
STFK_DEVICE stfi_ft_outcome outcome_of_kernel(const work &a, suspect &was,
                                              sum s)
{
    const sum ratio = ratio_of(a, was.kernel_d, s, was.unit);

    note_ratio(a, (float)(ratio * ratio));
    was.ratio = ratio;
    if (was.kernel_found == STFI_FT_UNVERIFIABLE && ratio <= 1)
        return STFI_FT_CHECKED;
    return stfi_ft_conclude_mended(remedy_of(a), !(ratio <= 1));
}

/* Reports what came of check i of a lane after the last attempt. Non-finite
 * data are reported by the check of the input alone. */
STFK_DEVICE void conclude(const work &a, int i, int lane, tally t, suspect &was)
{
    stfi_ft_outcome found = stfi_ft_conclude(
        &was.state, remedy_of(a), !(was.ratio <= 1), is_finite(was.d));

    if (asks_again((stfi_ft_verdict)was.kernel_found)
        && (found == STFI_FT_CHECKED || found == STFI_FT_RECHECKED)) {
        stfi_ft_outcome by_kernel = outcome_of_kernel(a, was, t.s);
        found = by_kernel == STFI_FT_CHECKED ? found : by_kernel;
    }
    was.reported |=
        found != STFI_FT_CHECKED || was.kernel_found == STFI_FT_FAULTY;
    if (stfi_ft_is_fault(found))
        note_fault(a, lane, found, was.ratio);
    else if (found != STFI_FT_CHECKED
             && !(i > 0 && found == STFI_FT_NON_FINITE))
        count(a, found);
    if (found == STFI_FT_NON_FINITE)
        tell_non_finite(a);
}

STFK_DEVICE bool any_of(bool one)
{
    return wave_alone && in_waves ? wave_any(one) : block_any(one);
}

/* The same, asked twice where the answer is yes: a thread that a fault made believe
 * so would go on without the others, and nobody would look at what it stores. */
STFK_DEVICE bool any_of_twice(bool one)
{
    return any_of(one) && any_of(one);
}

/* What a thread does when sums are added up: it is reducer `reducer` of lane
 * `lane`, and the first reducer of a lane judges it. Lanes of the last tile
 * that do not exist hold arbitrary values and are not judged. */
struct reducer_role {
    int lane, reducer;
    bool judges;
};

STFK_DEVICE reducer_role reducer_role_of(const work &a)
{
    member m = who<STORE_SUM_INTERLEAVE>();
    reducer_role b = {in_waves ? m.lane : (int)own_thread() / REDUCERS,
                      (int)own_thread() % REDUCERS, false};

    b.judges = (in_waves         ? store_summing::speaks(m)
                : STFK_EACH_WAVE ? own_thread() == 0
                                 : b.lane < L && b.reducer == 0)
               && (wide)lane_number(a, b.lane) < a->lanes;
    return b;
}

/* Returns the thread's part of the sum of check i. Where the same threads
 * hold a lane's sum of the load, check 0 includes that. */
template <class Sum> STFK_DEVICE Sum own_sum(Sum in, const Sum *out, int i)
{
    return same_hands && i == 0 ? in + out[0] : out[i];
}

/* Returns whether the thread's wave has a reducer. */
STFK_DEVICE bool reduces()
{
    return (int)own_thread() / wave_size * wave_size < L * REDUCERS;
}

/* Adds up what put_parts() left in shared memory. Only whole waves can do
 * exchanges: threads beyond the last lane whose wave has a reducer take part, with
 * lane 0, but nobody uses their totals. Other waves have none. */
template <class Sum>
STFK_DEVICE void add_parts(int slot, const reducer_role &b, Sum *total)
{
    const int own = b.lane < L ? b.lane : 0;

    if (!reduces())
        return;
    STFK_UNROLL
    for (int i = 0; i < CHECKS; i++)
        total[i] = store_summing::total<REDUCERS>(store_parts<Sum>(slot, i),
                                                  own, b.reducer);
    if (!same_hands)
        total[0] = total[0]
                   + load_summing::total<REDUCERS>(load_parts<Sum>(slot), own,
                                                   b.reducer);
}

/* Returns the sums of what is stored, which are complete. */
STFK_DEVICE void end_store_sums(trial &c, tally *out)
{
    STFK_UNROLL
    for (int i = 0; i < CHECKS; i++)
        out[i] = c.out[i].all();
}

template <class Sum>
STFK_DEVICE void put_parts(int slot, Sum in, const Sum *out)
{
    if (!same_hands && !put_early)
        load_summing::put(load_parts<Sum>(slot), in);
    STFK_UNROLL
    for (int i = 0; i < CHECKS; i++)
        store_summing::put(store_parts<Sum>(slot, i), own_sum(in, out, i));
}

/* Adds up the sums of all threads of each lane; its judge gets the total. */
template <class Sum>
STFK_DEVICE void add_all(int slot, const reducer_role &b, Sum in,
                         const Sum *out, Sum *total)
{
    if (in_waves) {
        STFK_UNROLL
        for (int i = 0; i < CHECKS; i++)
            total[i] = store_summing::in_wave(own_sum(in, out, i));
        return;
    }
    if (STFK_CHECK_SHARED)
        block_sync();
    put_parts(slot, in, out);
    block_sync();
    add_parts(slot, b, total);
}

/* Keeps what the kernel found, for the attempts apart from it. */
STFK_DEVICE void keep_suspects(const reducer_role &b,
                               const stfi_ft_verdict *found, const tally *total)
{
    STFK_UNROLL
    for (int i = 0; i < CHECKS && b.judges; i++) {
        suspect_at(b.lane, i).kernel_d = total[i].d;
        suspect_at(b.lane, i).kernel_found = (unsigned char)found[i];
    }
}

/* Returns whether the tile has to be computed again; every thread gets the
 * same answer. All sums are complete. */
STFK_DEVICE bool ask_again(trial &c)
{
    const work &a = c.a;
    const reducer_role b = reducer_role_of(a);
    tally out[CHECKS], total[CHECKS];
    bool bad = false;
    stfi_ft_verdict found[CHECKS];

    end_store_sums(c, out);
#if STFK_EACH_WAVE
    total[0] = sum_of_block(c.in.all() + out[0]);
    if (c.first && is_settled(a, total[0]))
        return false;
#else
    add_all(c.slot, b, c.in.all(), out, total);
#endif
    STFK_UNROLL
    for (int i = 0; i < CHECKS && b.judges; i++) {
        if (c.first)
            bad |= asks_again(found[i] = look(a, b.lane, total[i]));
        else
            bad |= look_apart(c, i, total[i], suspect_at(b.lane, i));
    }
    bad = any_of_twice(bad);
    if (!bad && !c.first)
        for (int i = 0; i < CHECKS && b.judges; i++)
            conclude(a, i, b.lane, total[i], suspect_at(b.lane, i));
    if (!bad)
        return false;
    if (c.first)
        keep_suspects(b, found, total);
    all_wait();
    if (!c.first)
        c.once_more();
    return true;
}

STFK_DEVICE bool again(trial &c)
{
    if constexpr (checked)
        return ask_again(c);
    else
        return false;
}

/* The sums of a tile that was computed once, without a verdict. */
struct given {
    growing in, out[CHECKS];
};

/* Stores the tile of an attempt that is a block's only one, or apart from the
 * kernel. */
template <class Tile> STFK_DEVICE void store_attempt(trial &c, Tile &tile)
{
#if STFK_SIGNED
    store_signed(c, tile, c.first ? work_anew(c.a) : c.a);
#else
    tile.store(c);
#endif
}

/* Begins the tile's part of the launch's signature. */
STFK_DEVICE void begin_sign(trial &c)
{
#if STFK_SIGNED
    sign_before(c, c.first ? work_anew(c.a) : c.a);
#else
    (void)c;
#endif
}

/* Adds the bits of the final attempt at a tile to the launch's signature. */
STFK_DEVICE void sign(const trial &c)
{
#if STFK_SIGNED
    if (c.signs())
        leave_signature(c.a, c.signature);
#else
    (void)c;
#endif
}

/* Computes a tile until its verdict is final, or, with ONCE, one time
 * without a verdict. This function is not inlined: otherwise the kernel
 * would keep in registers what both have in common, and be five times as
 * long. A Tile has compute() and store(). */
template <class Tile>
STFK_APART void compute_apart(const stfk_args &args, lane_t first, int slot,
                              int how, given *sums)
{
    const work a = {args, first};
    trial c(a, slot, how);
    Tile tile;

    begin_sign(c);
    do
        tile.compute(c);
    while (!(TILES > 1 && (how & ONCE)) && again(c));
    store_attempt(c, tile);
    sign(c);
    if (TILES > 1 && (how & ONCE)) {
        sums->in = c.in;
        STFK_UNROLL
        for (int i = 0; i < CHECKS; i++)
            sums->out[i] = c.out[i];
    }
}

/* Returns whether the launch has faults on purpose that are to strike. */
STFK_DEVICE bool has_faults(const work &a)
{
    return strikable && a->check.faults != 0;
}

} // namespace stfk

#endif
