/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* End-to-end checks: weighted sums over whole transforms, first of the
 * input, then of the output, and the verdict on their difference. What is
 * summed: lib/ft/offline.h; verdicts and outcomes: lib/ft/threshold.h,
 * lib/ft/outcome.h. The host does not wait for a verdict: a word in device
 * memory, which later launches read, says whether transforms are computed
 * again. */
#ifndef STFK_E2E_H
#define STFK_E2E_H

#include "end_to_end/gather.h"

namespace stfk
{

/* ---------------------------------------------------------------- verdicts */

/* Returns v * 2^n. */
STFK_DEVICE double scaled(double v, int n)
{
    for (; n < -1000 && v != 0; n += 1000)
        v *= 0x1p-1000;
    for (; n > 1000; n -= 1000)
        v *= 0x1p1000;
    return v == 0 ? v : v * from_bits((count_t)(n + 1023) << 52);
}

STFK_DEVICE part scaled(part a, int n)
{
    return {scaled(a.high, n), scaled(a.low, n)};
}

STFK_DEVICE double difference(const stfk_e2e &a, part out, part in)
{
    return multiply_add(-a.scale, in.high, out.high)
           + multiply_add(-a.scale, in.low, out.low);
}

/* A residual, the norm and the floor of its threshold, all in one unit. */
struct residual {
    double re, im, norm, floor;
};

STFK_DEVICE residual subtract(const stfk_e2e &a, const weighed &in,
                              const weighed &out)
{
    int in_unit = in.unit * a.step, out_unit = out.unit * a.step + a.exponent;
    int unit = in_unit < out_unit ? in_unit : out_unit;
    residual d;

    d.re = difference(a, scaled(out.re, unit - out_unit),
                      scaled(in.re, unit - in_unit));
    d.im = difference(a, scaled(out.im, unit - out_unit),
                      scaled(in.im, unit - in_unit));
    d.norm = scaled(square_root(in.power), unit - in_unit);
    d.floor = scaled(a.floor, a.floor_shift + unit);
    return d;
}

STFK_DEVICE double length_of(const residual &d)
{
    double x = magnitude(d.re), y = magnitude(d.im);
    double most = x > y ? x : y, least = x > y ? y : x;
    double q = most > 0 ? least / most : 0;

    return is_finite(d.re) && is_finite(d.im) ? most * square_root(1 + q * q)
                                              : 1 / 0.0;
}

/* Returns the verdict on a residual. Comparisons are negated, so that NaN
 * exceeds any threshold. */
STFK_DEVICE int judge(const stfk_e2e &a, const residual &d, double *ratio)
{
    const double one = a.slope * d.norm, size = length_of(d);
    const double tau = STFK_FAULTY_AT * one + d.floor;

    *ratio = size == 0 ? 0 : size / tau;
    if (!is_finite(d.norm)) {
        *ratio = 0 / 0.0;
        return STFI_FT_UNVERIFIABLE;
    }
    if (!(size <= tau))
        return STFI_FT_FAULTY;
    return !(size <= a.suspect * one + d.floor) ? STFI_FT_SUSPICIOUS
                                                : STFI_FT_CLEAN;
}

/* Reads what is known of a transform. */
STFK_DEVICE void recall(const stfk_history &from, stfk_history &h)
{
    if constexpr (copies_whole) {
        h = from;
    } else {
        h.re = from.re;
        h.im = from.im;
        h.norm = from.norm;
        h.ratio = from.ratio;
        h.state = from.state;
    }
}

/* Takes the residual of another execution into account. */
STFK_DEVICE void remember(stfk_history &h, const residual &d, int verdict,
                          double ratio)
{
    if (verdict != STFI_FT_CLEAN && !h.state.alarmed)
        h.ratio = ratio;
    stfi_ft_observe(&h.state, verdict,
                    STFI_FT_IS_SAME(d.re, h.re) && STFI_FT_IS_SAME(d.im, h.im));
    h.re = d.re;
    h.im = d.im;
    h.norm = d.norm;
}

/* Returns 1 if sums that were made again are the ones of the last look. Then
 * they say nothing of the transform, which was not computed again. */
STFK_DEVICE bool is_same(const stfk_history &h, const residual &d)
{
    return STFI_FT_IS_SAME(d.re, h.re) && STFI_FT_IS_SAME(d.im, h.im)
           && STFI_FT_IS_SAME(d.norm, h.norm);
}

/* Keeps the largest finite residual, of those that a thread has seen. */
STFK_DEVICE void note_ratio(const stfk_e2e &a, float worst)
{
    for (int m = 1; m < wave_size; m *= 2) {
        const float other = shuffle_xor(worst, m);
        worst = other > worst ? other : worst;
    }
    if (thread_index() % wave_size == 0 && worst > make_float(a.ledger->worst))
        atomic_max(&a.ledger->worst, bits_of(worst));
}

STFK_DEVICE float finite_ratio(double ratio)
{
    const float most = 0x1.fffffep127f;

    return !is_finite(ratio) ? 0 : ratio < (double)most ? (float)ratio : most;
}

/* Compares the sums of an output with those of the input; returns the ratio of its
 * residual, or 0. */
STFK_DEVICE float look(const stfk_e2e &a, wide t, const weighed &out)
{
    residual d = subtract(a, from_memory(a.account[t]), out);
    stfk_history h = {0, 0, 0, 0, {0, 0, 0, 0, 0}, {0, 0, 0}};
    double ratio;
    int verdict = judge(a, d, &ratio);

    if (a.execution > a.first || a.again)
        recall(a.history[t], h);
    if (!a.again || !is_same(h, d)) {
        remember(h, d, verdict, ratio);
        a.history[t] = h;
    } else {
        ratio = 0;
    }
    if (h.state.verdict == STFI_FT_CLEAN)
        return finite_ratio(ratio);
    atomic_add(&a.retry_flags->alarms, 1);
    /* The first execution is not repeated before its sums are. */
    if ((a.execution > a.first || a.again) && !stfi_ft_is_settled(&h.state))
        atomic_add(&a.retry_flags->gate[a.execution + 1].wanted, 1);
    return finite_ratio(ratio);
}

/* Returns 1 if the transform is summed up: all of them are, except when sums
 * are made again. */
STFK_DEVICE bool takes_part(const stfk_e2e &a, wide t)
{
    return t < a.batch
           && (!a.again || a.history[t].state.verdict != STFI_FT_CLEAN);
}

/* Keeps a sum, or compares it: then the ratio of the residual is returned. */
STFK_DEVICE float deliver(const stfk_e2e &a, wide t, wide chunk,
                          const weighed &s)
{
    if (a.chunks > 1)
        to_memory(&a.partial[t * a.chunks + chunk], s);
    else if (!a.output)
        to_memory(&a.account[t], s);
    else
        return look(a, t, s);
    return 0;
}

/* ---------------------------------------------------------------- findings */

STFK_DEVICE stfi_ft_remedy remedy_of(const stfk_e2e &a)
{
    return !a.correct     ? STFI_FT_REPORT_ONLY
           : a.repeatable ? STFI_FT_REPEAT
                          : STFI_FT_NO_INPUT;
}

STFK_DEVICE void note(const stfk_e2e &a, wide t)
{
    const stfk_history h = a.history[t];
    const stfi_ft_outcome found =
        stfi_ft_conclude(&h.state, remedy_of(a), !(h.ratio <= 1),
                         is_finite(h.re) && is_finite(h.im));
    stfk_e2e_ledger *ledger = a.ledger;
    count_t i;

    if (found == STFI_FT_CHECKED)
        return;
    if (found != STFI_FT_DETECTED)
        atomic_add(&ledger->count[found], 1);
    if (!stfi_ft_is_fault(found))
        return;
    atomic_add(&ledger->count[STFI_FT_DETECTED], 1);
    i = atomic_take(&ledger->events, 1);
    if (i < STFK_EVENTS) {
        ledger->event[i].signal = a.first_signal + t;
        ledger->event[i].residual = h.ratio;
    }
}

/* Takes back what passes counted as uncorrectable in earlier executions, after
 * the last one has made every transform clean. */
STFK_DEVICE void take_back(const stfk_e2e &a)
{
    const stfk_gate *gate = a.retry_flags->gate;
    stfk_e2e_ledger *ledger = a.ledger;
    count_t failed = gate[1].failed;
    int last = 0;

    while (last + 1 < STFK_EXECUTIONS && gate[last + 1].wanted != 0)
        failed += gate[++last + 1].failed;
    if (gate[last + 1].failed != 0 || failed == 0 || !a.correct
        || !a.repeatable)
        return;
    atomic_add(&ledger->count[STFI_FT_UNCORRECTABLE], 0 - failed);
    atomic_add(&ledger->count[STFI_FT_RECOMPUTED], failed);
}

STFK_DEVICE void clear_flags(const stfk_e2e &a)
{
    for (int i = 0; i <= STFK_EXECUTIONS; i++)
        a.retry_flags->gate[i] = {0, 0, 0};
    a.retry_flags->alarms = a.retry_flags->lost = 0;
}

/* Notes that the signature of the launch was wrong. Which transforms that concerns
 * is not known; if some are not right at last, they are noted, and not this. If data
 * had Inf or NaN, it may have been due to the bits of these. */
STFK_DEVICE void note_lost(const stfk_e2e &a, bool clean)
{
    const stfi_ft_outcome found =
        remedy_of(a) == STFI_FT_NO_INPUT
            ? STFI_FT_UNCORRECTABLE
            : stfi_ft_conclude_twice(remedy_of(a), clean);
    stfk_e2e_ledger *ledger = a.ledger;

    if (!clean)
        return;
    if (found != STFI_FT_DETECTED)
        atomic_add(&ledger->count[found], 1);
    atomic_add(&ledger->count[STFI_FT_DETECTED], 1);
    atomic_add(&ledger->count[STFI_FT_UNLOCATED], 1);
    const count_t i = atomic_take(&ledger->events, 1);
    if (i < STFK_EVENTS) {
        ledger->event[i].signal = a.first_signal;
        ledger->event[i].residual = 1 / 0.0;
    }
}

/* Notes what came of all transforms. One block does this, so that they are
 * noted in their order. */
STFK_DEVICE void conclude(const stfk_e2e &a)
{
    bool clean = true;

    for (wide first = 0; first < a.batch && a.retry_flags->alarms != 0;
         first += B) {
        wide t = first + (wide)thread_index();
        stfi_ft_state s = {0, 0, 0, 0, 0};
        if (t < a.batch)
            s = a.history[t].state;
        if (!block_any(s.alarmed))
            continue;
        clean = !block_any(s.verdict != STFI_FT_CLEAN) && clean;
        for (int i = 0; i < B && thread_index() == 0; i++)
            if (first + i < a.batch)
                note(a, first + i);
    }
    if (thread_index() != 0)
        return;
    if (clean)
        take_back(a);
    if (a.retry_flags->lost != 0)
        note_lost(a, clean);
}

/* The sum of a signature's words, which is read anew. */
STFK_DEVICE unsigned signature_of(const stfk_e2e &a)
{
    const volatile unsigned *word = a.signs->word;
    unsigned sum = 0;

    for (int i = 0; i < STFK_SIGNATURE_WORDS; i++)
        sum += word[i];
    return sum;
}

/* Says whether transforms are computed again after a launch with a signature: if it
 * is wrong, twice in a row, or a pass gave up. All transforms count as checked. Where
 * nothing is computed again, a signature does not tell about data with Inf or NaN. */
STFK_DEVICE void judge_signature(const stfk_e2e &a)
{
    const stfk_gate found = a.signs->gate[1];
    const bool lost =
        signature_of(a) != 0 && signature_of(a) != 0
        && (remedy_of(a) == STFI_FT_REPEAT || found.non_finite == 0);

    if (thread_index() != 0)
        return;
    clear_flags(a);
    a.retry_flags->lost = lost;
    a.retry_flags->gate[1] = {found.wanted + lost, found.failed, 0};
    atomic_add(&a.ledger->count[STFI_FT_CHECKED], (count_t)a.batch);
}

/* Returns the sum of a thread's part of a chunk of transform t. */
template <int what>
STFK_DEVICE weighed sum_part(const stfk_e2e &a, wide t, int part, wide chunk)
{
    const wide from = chunk * a.chunk + part, end = (chunk + 1) * a.chunk;
    const wide last = end < a.elements ? end : a.elements;

    if (what == E2E_FOLD)
        return sum_partial(a, t, from, last, a.parts);
    return sum_packs(a, (const stored *)a.base + t * a.dist, from, last,
                     a.parts);
}

/* Adds up the sums of all transforms, or of all chunks of long ones. Blocks
 * take these in turn. Sums of several threads go by way of block memory to
 * neighbouring ones, so that few waves have verdicts, if it has room for them. */
template <int what> STFK_DEVICE void add_up(const stfk_e2e &a)
{
    const worker w = who(a);
    const int transforms = B / a.parts, i = (int)thread_index();
    const wide all = (a.batch + transforms - 1) / transforms * a.chunks;
    const bool passed_on = B / a.near <= STFK_E2E_SLOTS;
    const int taken = passed_on ? i : w.transform;
    const bool takes = passed_on ? i < transforms : w.part == 0;
    float worst = 0;

    for (wide b = block_index(); b < all; b += block_count()) {
        const wide chunk = a.chunks > 1 ? b % a.chunks : 0;
        const wide first = (a.chunks > 1 ? b / a.chunks : b) * transforms;
        weighed s = nothing();

        if (takes_part(a, first + w.transform))
            s = sum_part<what>(a, first + w.transform, w.part, chunk);
        s = gather_near(a, s);
        if (passed_on) {
            leave_sum(a, w.transform, w.part, s);
            block_sync();
            if (takes)
                s = sum_slots(a, taken);
        }
        if (takes && takes_part(a, first + taken)) {
            const float ratio = deliver(a, first + taken, chunk, s);
            worst = ratio > worst ? ratio : worst;
        }
        if (passed_on)
            block_sync();
    }
    note_ratio(a, worst);
}

/* The same in kernels for long transforms, of which one, or a chunk of it, has a whole
 * block: of several at once. Blocks that run at the same time have the same chunks, whose
 * weights are near then. */
STFK_DEVICE void add_up_together(const stfk_e2e &a)
{
    const int i = (int)thread_index();
    const wide groups = (a.batch + together - 1) / together;
    float worst = 0;

    for (wide b = block_index(); b < groups * a.chunks; b += block_count()) {
        const wide chunk = b / groups, t = b % groups * together;
        const wide end = (chunk + 1) * a.chunk;
        weighed s[together];
        int count = 0;

        for (int j = 0; j < together; j++) {
            s[j] = nothing();
            count = takes_part(a, t + j) ? j + 1 : count;
        }
        if (count > 0)
            sum_together(a, (const stored *)a.base + t * a.dist, count,
                         chunk * a.chunk + i,
                         end < a.elements ? end : a.elements, B, s);
        STFK_UNROLL
        for (int j = 0; j < together; j++)
            leave_sum(a, j, i, gather_near(a, s[j]));
        block_sync();
        if (i < together && takes_part(a, t + i)) {
            const float ratio = deliver(a, t + i, chunk, sum_slots(a, i));
            worst = ratio > worst ? ratio : worst;
        }
        block_sync();
    }
    note_ratio(a, worst);
}

/* Keeps the counters and retry flags; one thread of a launch does this. */
template <int what> STFK_DEVICE void keep_books(const stfk_e2e &a)
{
    if (block_index() != 0 || thread_index() != 0)
        return;
    if (a.again)
        return;
    if (a.output && a.chunks == 1 && a.execution == 0)
        atomic_add(&a.ledger->count[STFI_FT_CHECKED], (count_t)a.batch);
    if (!a.output && what != E2E_FOLD && a.execution == 0)
        clear_flags(a);
}

/* Returns whether there is nothing to do. It is asked twice, and reads anew: a
 * thread that a fault led past it would leave a part of a sum as the whole. */
STFK_DEVICE bool is_held_back(const stfk_e2e &a)
{
    const auto *gate =
        (const volatile unsigned long long *)separate_copy((long long)a.gate);

    return gate != 0 && *gate == 0;
}

template <int what> STFK_DEVICE void run(const stfk_e2e &a)
{
    if (is_held_back(a) || is_held_back(a))
        return;
    if constexpr (what == E2E_CONCLUDE) {
        if (a.signs != 0)
            judge_signature(a);
        else
            conclude(a);
    } else {
        keep_books<what>(a);
        if constexpr (what == E2E_SUM && together > 1)
            add_up_together(a);
        else
            add_up<what>(a);
    }
}

} // namespace stfk

#endif
