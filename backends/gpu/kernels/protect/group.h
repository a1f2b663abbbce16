/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* One verdict for several tiles, which a block computes and stores one after
 * the other. It is based on the residual of each tile, or on sums over the
 * tiles' residuals; weighted sums then tell which tile has the fault
 * (lib/ft/group.h). Suspect tiles are computed again from their input, each
 * with a verdict of its own. If stores overwrite that input, each tile has its
 * own verdict from the beginning.
 * Source: [TurboFFT], sections 4.1 (two-sided checksums) and 4.3 (several
 * transactions); doc/abft.md. */
#ifndef STFK_GROUP_H
#define STFK_GROUP_H

#include "protect/thread.h"

namespace stfk
{

/* The tiles of a block, `step` lanes apart. Functions that are not inlined
 * get a copy: an object that they had a reference to would have to be in
 * memory. */
struct queue {
    const stfk_args &args;
    lane_t first, step;
    int count;
    STFK_MEMBER work at(int q) const
    {
        return {args, first + (lane_t)q * step};
    }
};

/* Returns the rounding error of the sum s = a + b. Source: Knuth's addition. */
STFK_DEVICE sum lost_in(sum s, sum a, sum b)
{
    const sum part = s - a;

    return (a - (s - part)) + (b - part);
}

STFK_DEVICE sum_cx lost_in(sum_cx s, sum_cx a, sum_cx b)
{
    return {lost_in(s.x, a.x, b.x), lost_in(s.y, a.y, b.y)};
}

/* A thread's sums over tiles, and what rounding them has lost. A thread's part
 * of a residual is much larger than the residual; and where tiles are equal, so
 * are the rounding errors of adding them, which would add up, too. */
struct exact_moments {
    moments sums;
    sum_cx lost[MOMENTS > 0 ? MOMENTS : 1];

    STFK_MEMBER void add(int j, tally t)
    {
        const moments before = sums;
        sum weight = 1;

        sums.add(j, t);
        STFK_UNROLL
        for (int p = 0; p < MOMENTS; p++) {
            sum_cx term = {weight * t.d.x, weight * t.d.y};
            lost[p] = lost[p] + lost_in(sums.d[p], before.d[p], term);
            weight *= (sum)j;
        }
    }
    STFK_MEMBER moments all() const
    {
        moments m = sums;

        STFK_UNROLL
        for (int p = 0; p < MOMENTS; p++)
            m.d[p] = m.d[p] + lost[p];
        return m;
    }
};

/* Sums over the residuals of the tiles so far. */
struct balance {
    exact_moments in, out[CHECKS];

    /* Adds tile j. Lanes that do not exist are left out. */
    STFK_MEMBER void add(const work &a, int j, const tally &load,
                         const tally *store)
    {
        if (exists(a, who<STORE_SUM_INTERLEAVE>().lane)) {
            STFK_UNROLL
            for (int i = 0; i < CHECKS; i++)
                out[i].add(j, own_sum(load, store, i));
        }
        if (!same_hands && exists(a, who<LOAD_SUM_INTERLEAVE>().lane))
            in.add(j, load);
    }
    STFK_MEMBER static bool exists(const work &a, int lane)
    {
        return (wide)lane_number(a, lane) < a->lanes;
    }
};

/* --------------------------------------------------- a residual per tile */

/* Computes the suspect tiles again. `bad` has a bit for each tile, set if
 * this thread has found it suspect. */
template <class Tile> STFK_APART void repair_tiles(queue tiles, unsigned bad)
{
    for (int q = 0; q < tiles.count; q++) {
        const work a = tiles.at(q);
        const reducer_role b = reducer_role_of(a);
        tally total[CHECKS];
        stfi_ft_verdict found[CHECKS];
        if (!block_any(bad >> q & 1))
            continue;
        add_parts(q, b, total);
        for (int i = 0; i < CHECKS && b.judges; i++)
            found[i] = weigh(a, total[i]);
        keep_suspects(b, found, total);
        block_sync();
        compute_apart<Tile>(a.args, a.first, q, SUSPECTED, nullptr);
        block_sync();
    }
}

template <class Tile> STFK_DEVICE void settle_tiles(const queue &tiles)
{
    unsigned bad = 0;

    block_sync();
    for (int q = 0; q < tiles.count; q++) {
        const work a = tiles.at(q);
        const reducer_role b = reducer_role_of(a);
        tally total[CHECKS];
        add_parts(q, b, total);
        STFK_UNROLL
        for (int i = 0; i < CHECKS && b.judges; i++)
            bad |= (unsigned)asks_again(look(a, b.lane, total[i])) << q;
    }
    if (block_any(bad != 0))
        repair_tiles<Tile>(tiles, bad);
}

/* ------------------------------------------------------- sums over tiles */

/* OWN_ROUNDINGS bounds the rounding errors of the sums themselves, relative
 * to the largest term. MARGIN is the safety factor of the bound that the sum
 * has to exceed to rule out two faults; lib/ft/group.c. */
constexpr sum OWN_ROUNDINGS =
    64 * (sizeof(sum) == 4 ? (sum)0x1p-24 : (sum)0x1p-53);
constexpr sum MARGIN = (sum)1.5;

/* Returns the sum over j of (j - i)^P a_j, where s[q] is the sum over j of
 * j^q a_j. */
template <int P, class Sum> STFK_DEVICE Sum about(const Sum *s, sum i)
{
    Sum total = {};
    int binomial = 1; /* binomial coefficient, P over q */

    STFK_UNROLL
    for (int q = 0; q <= P; q++) {
        total = scaled(s[q], (sum)binomial) - scaled(total, i);
        binomial = binomial * (P - q) / (q + 1);
    }
    return total;
}

/* Where a fault is: `tile` is its tile, or -1 if that is not known; `alone`
 * says that all other tiles are free of faults that matter. */
struct location {
    int tile;
    bool alone;
};

/* Returns whether the sum of (j - i)^P d_j is as small as it is if only tile
 * i has a fault. Adds to *least, which the sum of d_j has to exceed so that
 * two faults cannot look the same. Clears *alone if roundings of the sums
 * could hide another fault. */
template <int P>
STFK_DEVICE bool agrees(const moments &m, sum i, sum slope, sum size,
                        sum *least, bool *alone)
{
    sum square = about<2 * P>(m.s, i), power = P > 1 ? i * i : i;
    sum bound = slope * square_root(square > 0 ? square : 0);
    sum own = OWN_ROUNDINGS * power * size;

    *least += MARGIN * bound;
    *alone = *alone && own <= bound;
    return length_of(about<P>(m.d, i)) <= bound + own;
}

STFK_DEVICE location locate_tile(const work &a, const moments &m)
{
    if constexpr (MOMENTS > 2) {
        const sum slope = FAULTY_AT * (sum)a->check.slope / down_of(a);
        const sum_cx d = m.d[0], e = m.d[1];
        sum size = length_of(d), i;
        sum least = 2 * slope * square_root(m.s[0]);
        bool alone = true;

        if (size == 0 || !is_finite(size) || !is_finite(m.s[SQUARES - 1]))
            return {-1, false};
        i = (e.x * (d.x / size) + e.y * (d.y / size)) / size;
        if (!(i >= (sum)0.5 && i < TILES + (sum)0.5))
            return {-1, false};
        i = (sum)(int)(i + (sum)0.5);
        if (agrees<1>(m, i, slope, size, &least, &alone)
            && agrees<2>(m, i, slope, size, &least, &alone) && size > least)
            return {(int)i - 1, alone};
    }
    return {-1, false};
}

/* Notes a fault of a group; its tile may be unknown (-1). */
STFK_DEVICE void note_group(const queue &tiles, int lane, int tile,
                            stfi_ft_outcome outcome, sum ratio)
{
    const work a = tiles.at(tile < 0 ? 0 : tile);

    note_ratio(a, (float)(ratio * ratio));
    note_fault(a, lane, outcome, ratio);
    if (tile < 0)
        count(a, STFI_FT_UNLOCATED);
}

/* What the thread that judges a lane knows of its groups. */
struct opinion {
    stfi_ft_verdict found[CHECKS];
    location where[CHECKS];
    sum ratio[CHECKS];
};

/* Returns whether the sums show a fault. Without a fault each tile stays
 * below its own threshold, but equal data have equal residuals, whose sum
 * can be sqrt(count) times the group's threshold. So much is allowed if no
 * tile was located. */
STFK_DEVICE bool is_fault(const queue &tiles, location where, sum ratio)
{
    return where.tile >= 0 ? ratio > 1 : !(ratio * ratio <= (sum)tiles.count);
}

/* Returns the tiles that a judge wants to have computed again, one bit for
 * each. */
STFK_DEVICE unsigned wanted(const opinion &o, int count)
{
    const unsigned all = count < 32 ? (1u << count) - 1 : ~0u;
    unsigned bits = 0;

    for (int i = 0; i < CHECKS; i++)
        if (asks_again(o.found[i]))
            bits |= o.where[i].alone ? 1u << o.where[i].tile : all;
    return bits;
}

/* All suspect tiles are right now. If no tile's own verdict has reported
 * anything, what the sums showed is reported here: a fault, or, below the
 * threshold, rounding. */
STFK_DEVICE void settle_group(const queue &tiles, const reducer_role &b,
                              const opinion &o)
{
    for (int i = 0; i < CHECKS && b.judges; i++) {
        if (o.found[i] != STFI_FT_SUSPICIOUS || suspect_at(b.lane, i).reported)
            continue;
        const stfi_ft_outcome found = stfi_ft_conclude_mended(
            remedy_of(tiles.at(0)), is_fault(tiles, o.where[i], o.ratio[i]));
        if (stfi_ft_is_fault(found))
            note_group(tiles, b.lane, o.where[i].tile, found, o.ratio[i]);
        else
            count(tiles.at(0), found);
    }
}

template <class Tile> STFK_APART void repair_group(queue tiles, opinion o)
{
    const reducer_role b = reducer_role_of(tiles.at(0));
    const unsigned mine = b.judges ? wanted(o, tiles.count) : 0;

    for (int i = 0; i < CHECKS && b.judges; i++)
        suspect_at(b.lane, i).reported = 0;
    for (int q = 0; q < tiles.count; q++) {
        if (!block_any(mine >> q & 1))
            continue;
        compute_apart<Tile>(tiles.args, tiles.at(q).first, 0, 0, nullptr);
        block_sync();
    }
    settle_group(tiles, b, o);
}

/* Judges the sums of check i of a lane's group. Returns whether tiles have
 * to be computed again. */
STFK_DEVICE bool look_at_group(const queue &tiles, int lane, const moments &m,
                               int i, opinion &o)
{
    const work a = tiles.at(0);
    const tally t = {m.d[0], m.s[0]};

    o.found[i] = weigh(a, t, (sum)tiles.count);
    if (o.found[i] == STFI_FT_CLEAN)
        return false;
    o.ratio[i] = ratio_of(a, t.d, t.s, 1);
    o.where[i] = {-1, false};
    if (o.found[i] != STFI_FT_UNVERIFIABLE)
        o.where[i] = locate_tile(a, m);
    if (o.found[i] == STFI_FT_FAULTY && is_fault(tiles, o.where[i], o.ratio[i]))
        note_group(tiles, lane, o.where[i].tile, STFI_FT_DETECTED, o.ratio[i]);
    return asks_again(o.found[i]);
}

template <class Tile>
STFK_DEVICE void settle_sums(const queue &tiles, const balance &sums)
{
    const reducer_role b = reducer_role_of(tiles.at(0));
    moments out[CHECKS], total[CHECKS];
    opinion o;
    bool bad = false;

    STFK_UNROLL
    for (int i = 0; i < CHECKS; i++)
        out[i] = sums.out[i].all();
    add_all(0, b, sums.in.all(), out, total);
    STFK_UNROLL
    for (int i = 0; i < CHECKS && b.judges; i++)
        bad |= look_at_group(tiles, b.lane, total[i], i, o);
    if (block_any(bad))
        repair_group<Tile>(tiles, o);
}

/* ---------------------------------------------------------------- blocks */

/* Returns whether an attempt is stored before it is judged. A tile that does not
 * take the place of its input is, so that its stores are on their way meanwhile;
 * nobody reads it before the launch has ended. */
STFK_DEVICE bool stores_at_once(const trial &c)
{
    return !branches_in_turn && c.first && c.a->load.base != c.a->store.base;
}

/* Judges the first attempt at a tile, and stores it or computes it again. Where
 * branches are run in turn, the tile is stored in a branch of its own and before the
 * other one: it would have to be kept in memory while it is computed again. A block's
 * only tile is found anew then, as the number of the block may be what was hit. */
template <class Tile>
STFK_DEVICE void settle_tile(const work &a, trial &c, Tile &tile,
                             int how = SUSPECTED)
{
    const auto compute_again = [&] {
        const work w = from_memory ? work_anew(a) : a;
        compute_apart<Tile>(w.args, w.first, c.slot, how, nullptr);
    };
    const bool first = stores_at_once(c);

    if (first)
        store_attempt(c, tile);
    if constexpr (branches_in_turn) {
        const bool bad = again(c);
        if (!bad) {
            store_attempt(c, tile);
            sign(c);
        }
        if (known_anew(bad))
            compute_again();
    } else if (again(c)) {
        compute_again();
    } else {
        if (!first)
            store_attempt(c, tile);
        sign(c);
    }
}

/* Runs a tile that has a verdict of its own. */
template <class Tile> STFK_DEVICE void run_alone(const work &a)
{
    trial c(a, 0);
    Tile tile;

    if (has_faults(a)) {
        compute_apart<Tile>(a.args, a.first, 0, SUFFERS, nullptr);
        return;
    }
    begin_sign(c);
    tile.compute(c);
    settle_tile(a, c, tile);
}

/* Runs a tile in a launch without faults on purpose. A tile that is alone
 * gets its verdict here; one of several only leaves its sums. */
template <class Tile> struct without_faults {
    STFK_MEMBER static void run(trial &c, bool alone)
    {
        Tile tile;

        tile.compute(c);
        if (alone)
            settle_tile(c.a, c, tile);
        else
            tile.store(c);
    }
};

/* Runs a tile in a launch with faults on purpose that are to strike. */
template <class Tile> struct with_faults {
    STFK_MEMBER static void run(trial &c, bool alone)
    {
        given g;

        compute_apart<Tile>(c.a.args, c.a.first, c.slot,
                            alone ? SUFFERS : SUFFERS | ONCE, &g);
        c.in = g.in;
        STFK_UNROLL
        for (int i = 0; i < CHECKS; i++)
            c.out[i] = g.out[i];
    }
};

STFK_DEVICE void keep_sums(trial &c, balance &sums)
{
    tally out[CHECKS];

    end_store_sums(c, out);
    if constexpr (grouped)
        sums.add(c.a, c.slot + 1, c.in.all(), out);
    else
        put_parts(c.slot, c.in.all(), out);
}

/* Runs all tiles of a block. In a launch that overwrites its input,
 * check.tiles is 1: this runs a single tile, which is alone. Where branches are
 * run in turn, run_tile() does that: sums over tiles would have to be kept in
 * memory while that tile is computed again. */
template <class Tile, class One>
STFK_DEVICE void run_several(const stfk_args &args, lane_t first)
{
    const int most = args.check.tiles;
    const bool alone = !branches_in_turn && most == 1;
    queue tiles = {args, first, (lane_t)block_count() * L, 0};
    balance sums = {};

    while (tiles.count < most
           && (wide)tiles.at(tiles.count).first < args.lanes) {
        const work a = tiles.at(tiles.count);
        trial c(a, tiles.count);
        One::run(c, alone);
        if (alone)
            return;
        keep_sums(c, sums);
        tiles.count++;
        block_sync();
    }
    if constexpr (grouped)
        settle_sums<Tile>(tiles, sums);
    else
        settle_tiles<Tile>(tiles);
}

template <class Tile>
STFK_APART void run_with_faults(const stfk_args &args, lane_t first)
{
    run_several<Tile, with_faults<Tile>>(args, first);
}

template <class Tile> STFK_DEVICE void run_tile(const work &a)
{
    if constexpr (checked && TILES > 1) {
        if (branches_in_turn && a->check.tiles == 1)
            run_alone<Tile>(a);
        else if (has_faults(a))
            run_with_faults<Tile>(a.args, a.first);
        else
            run_several<Tile, without_faults<Tile>>(a.args, a.first);
    } else {
        run_alone<Tile>(a);
    }
}

/* Returns the number of groups of `tiles` tiles, `step` lanes apart: there
 * is one for each lane of a first tile. */
STFK_DEVICE count_t count_groups(count_t lanes, count_t step, int tiles)
{
    count_t groups = 0;

    for (count_t first = 0; first < lanes; first += step * (count_t)tiles)
        groups += lanes - first < step ? lanes - first : step;
    return groups;
}

/* One block counts how many residuals a launch has. */
STFK_DEVICE void count_checks(const work &a)
{
    count_t lanes = (count_t)a->lanes;

    if (!(checked || STFK_TWICE) || block_index() != 0 || own_thread() != 0)
        return;
    if constexpr (grouped)
        lanes = count_groups(lanes, (count_t)block_count() * L, a->check.tiles);
    if constexpr (by_thread)
        lanes *= BUTTERFLIES;
    atomic_add(&a->check.ledger->count[STFI_FT_CHECKED], lanes * CHECKS);
}

} // namespace stfk

#endif
