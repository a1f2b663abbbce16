/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Protected tiles of several lanes, which a block computes one after the other,
 * out of place. It keeps the vectors of its checks in shared memory for all its
 * tiles. Results are stored before they are judged: the sums of a tile are
 * judged after the next tile is stored, while the loads of the one after that
 * are on their way to registers, so that no thread waits for a verdict. Suspect
 * tiles are computed again from their input. Tile counters say which tile is
 * next (host/fft/tile_counters.h).
 * Source: [TurboFFT], section 4.3 (several transactions, delayed
 * correction). */
#ifndef STFK_PERSISTENT_H
#define STFK_PERSISTENT_H

#include "protect/tiles.h"

namespace stfk
{

STFK_DEVICE void copy_vectors(const work &a)
{
    weight *row = kept_row();
    stored_phase *e = kept_e();

    STFK_UNROLL_SOME
    for (int i = (int)own_thread(); i < N; i += B) {
        load_weight(a->check.row, 0, i, row[i]);
        if (i < KEPT_E)
            load_phase(a->check.e, 0, i, e[i]);
    }
    block_sync();
}

STFK_DEVICE void put_sums(trial &c)
{
    tally out[CHECKS];

    end_store_sums(c, out);
    put_parts(c.slot, c.in.all(), out);
}

STFK_DEVICE lane_t &tile_counter()
{
    return *(lane_t *)(shared_memory() + STFK_TILE_COUNTER_AT);
}

/* Puts the first lane of the block's next tile where all threads read it; if
 * that is `lanes` or more, there is no next tile. A launch draws as many
 * numbers as it has tiles, so that the last draw sets the counter back to 0.
 * Launches without a counter have blocks for all tiles most often; if they do
 * not, blocks take tiles in turn. */
STFK_DEVICE void draw_tile_counter(const work &a)
{
    const lane_t tiles = ((lane_t)a->lanes + L - 1) / L;

    if (own_thread() == 0)
        tile_counter() =
            a->tile_counters == 0
                ? a.first + (lane_t)block_count() * L
                : ((lane_t)block_count()
                   + atomic_turn(a->tile_counters, (unsigned)tiles - 1))
                      * L;
}

/* Judges a tile whose sums are complete. Returns whether it has to be
 * computed again. */
STFK_DEVICE bool judge(const work &a, int slot)
{
    const reducer_role b = reducer_role_of(a);
    tally total[CHECKS];
    stfi_ft_verdict found[CHECKS];
    bool bad = false;

    add_parts(slot, b, total);
    STFK_UNROLL
    for (int i = 0; i < CHECKS && b.judges; i++)
        bad |= asks_again(found[i] = look(a, b.lane, total[i]));
    keep_suspects(b, found, total);
    return bad;
}

template <class Tile> STFK_DEVICE void repair(const work &a, int slot)
{
    compute_apart<Tile>(a.args, a.first, slot, SUSPECTED, nullptr);
    block_sync();
}

/* The signature of a block's tiles that are right, and of the one that is not yet
 * judged. */
struct signing {
#if STFK_SIGNED
    unsigned right, last;

    /* The first lane of the tile in work: all threads read it anew. */
    STFK_MEMBER static lane_t &tile()
    {
        return *(&tile_counter() + 1);
    }
    STFK_MEMBER static void work_on(lane_t first)
    {
        if (own_thread() == 0)
            tile() = first;
    }
    STFK_MEMBER signing() : right(0), last(0)
    {
        work_on((lane_t)block_index_anew() * L);
    }
    /* Reads the tile once more where the pass has to. While the loads of the next
     * one are on their way, registers are lacking: that took a tenth of a
     * transform's time more on an H200. */
    STFK_MEMBER void read_again(trial &c)
    {
        sign_ends(c, {c.a.args, tile()});
    }
    /* The last tile signs itself, as it is computed again. */
    STFK_MEMBER void repaired()
    {
        last = 0;
    }
    /* The last tile is right. */
    STFK_MEMBER void go_on(const trial &c, const work &next)
    {
        right += last;
        last = c.signature;
        work_on(next.first);
    }
    STFK_MEMBER void end(const work &a)
    {
        leave_signature(a, right + last);
    }
#else
    STFK_MEMBER void read_again(trial &)
    {
    }
    STFK_MEMBER void repaired()
    {
    }
    STFK_MEMBER void go_on(const trial &, const work &)
    {
    }
    STFK_MEMBER void end(const work &)
    {
    }
#endif
};

/* Runs all tiles of a block. Threads start the loads of the next tile before
 * they judge the previous one: this saves 1 to 9 % of a transform's time, as
 * measured on an H200. */
template <class Tile> STFK_DEVICE void pass_on(work a)
{
    Tile tile;
    work before = a;
    int slot = 0;
    signing signs;

    tile.take(a);
    copy_vectors(a); /* while the tile's loads are on their way */
    for (bool first = true;; first = false, slot ^= 1) {
        trial c(a, slot);
        draw_tile_counter(a);
        tile.finish(c);
        put_sums(c);
        tile.store(c);
        if (S == 1) /* no barrier since the counter was drawn */
            block_sync();
        const work next = {a.args, tile_counter()};
        bool bad = false;
        signs.read_again(c);
        tile.take(next); /* loads zeros for lanes that do not exist */
        if (!first)
            bad = judge(before, slot ^ 1);
        if (block_any(bad) && block_any(bad)) { /* see any_of_twice() */
            signs.repaired();
            repair<Tile>(before, slot ^ 1);
            tile.take(next);
        }
        signs.go_on(c, next);
        if ((wide)next.first >= a->lanes)
            break;
        before.first = a.first;
        a.first = next.first;
    }
    const bool bad = judge(a, slot);
    if (block_any(bad) && block_any(bad)) {
        signs.repaired();
        repair<Tile>(a, slot);
    }
    signs.end(a);
}

template <class Tile> STFK_DEVICE void run_persistent(work a)
{
    if (!has_faults(a)) {
        pass_on<Tile>(a);
        return;
    }
    run_apart<Tile>(a);
}

} // namespace stfk

#endif
