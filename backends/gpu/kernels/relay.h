/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Protected tiles of several lanes, one after the other, out of place. A block
 * keeps the vectors of its checks in shared memory, where all its tiles find
 * them. Results are stored before they are judged; the sums of a tile are
 * looked at once the next one is stored, and while the one after it is on its
 * way into the registers, so that nobody waits for a verdict. What is suspect
 * is computed again from its input, and the tile behind it too, of which the
 * sums were not looked at yet.
 * Source: paper 000, section 4.3 (several transactions, delayed correction). */
#ifndef STFK_RELAY_H
#define STFK_RELAY_H

#include "group.h"
#include "ops.h"

namespace stfk {

STFK_DEVICE void copy_vectors(const work &a)
{
    vec2<real> *row = kept_row();
    unsigned *e = kept_e();

    STFK_UNROLL_SOME
    for (int i = (int)thread_index(); i < N; i += B) {
        row[i] = load_table((const vec2<real> *)a->check.row + i);
        if (i < KEPT_E)
            e[i] = load_word((const unsigned *)a->check.e + i);
    }
    block_sync();
}

STFK_DEVICE void put_sums(trial &c)
{
    tally out[CHECKS];

    end_store_sums(c, out);
    put_parts(c.slot, c.in.all(), out);
}

STFK_DEVICE work next_of(const work &a)
{
    return {a.args, a.first + (lane_t)block_count() * L};
}

/* What a judge finds of a tile whose sums are all there. */
STFK_DEVICE bool judge(const work &a, int slot)
{
    const bench b = bench_of(a);
    tally total[CHECKS];
    int found[CHECKS];
    bool bad = false;

    add_parts(slot, b, total);
    STFK_UNROLL
    for (int i = 0; i < CHECKS && b.judges; i++)
        bad |= asks_again(found[i] = look(a, b.lane, total[i]));
    keep_suspects(b, found, total);
    return bad;
}

/* Tiles until one is suspect, which is then `a`, or until there are none. */
template <class Tile> STFK_DEVICE bool pass_on(work &a)
{
    Tile tile;
    work before = a;
    int slot = 0;

    tile.take(a);
    copy_vectors(a); /* while that is on its way */
    for (bool first = true;; first = false) {
        const work next = next_of(a);
        trial c(a, slot);
        bool bad;
        tile.finish(c);
        put_sums(c);
        tile.store(c);
        bad = !first && judge(before, slot ^ 1);
        tile.take(next); /* nothing, of lanes that do not exist */
        if (block_any(bad)) {
            a.first = before.first;
            return true;
        }
        if ((wide)next.first >= a->lanes)
            return block_any(judge(a, slot));
        slot ^= 1;
        before.first = a.first;
        a.first = next.first;
    }
}

template <class Tile> STFK_DEVICE void run_relay(work a)
{
    if (has_faults(a)) {
        for (; (wide)a.first < a->lanes; a.first = next_of(a).first) {
            compute_apart<Tile>(a.args, a.first, 0, SUFFERS, nullptr);
            block_sync();
        }
        return;
    }
    while (pass_on<Tile>(a)) {
        compute_apart<Tile>(a.args, a.first, 0, SUSPECTED, nullptr);
        block_sync();
        a.first = next_of(a).first;
        if ((wide)a.first >= a->lanes)
            return;
    }
}

} // namespace stfk

#endif
