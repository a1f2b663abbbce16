/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows that lie one behind the other, between two sums over memory: those of
 * their input before they are computed, and those of their output afterwards,
 * both of JOINED rows together (joint.h). What computes them knows nothing of
 * checks. A piece of several tiles goes through each of the three steps at once,
 * so that what a tile costs beside its arithmetic is paid once for all of them;
 * of long rows, a piece is one joint sum, so that it stays in the nearest cache. */
#ifndef STFI_PROTECT_BRACKET_H
#define STFI_PROTECT_BRACKET_H

#include "backends/cpu/compact/cpu_compact.h"
#include "backends/cpu/protect/bracket_sums.h"
#include "base/alloc.h"

/* Where a compact transform has its scratch: behind the tile. */
static void *compact_scratch(const tile *t)
{
    uintptr_t at =
        (uintptr_t)t->run->scratch + t->cp->kernels->scratch_bytes(t->cp);

    return (void *)((at + STFI_ALIGN - 1) / STFI_ALIGN * STFI_ALIGN);
}

/* Computes `lanes` rows from number `lane` on, from memory to memory. */
static void run_compact(const tile *t, int64_t lane, int64_t lanes)
{
    const stfi_cpu_compact *c = t->cp->compact;
    const stfi_cpu_compact_run run = {
        .src = t->run->src,
        .dst = t->run->dst,
        .scratch = compact_scratch(t),
        .scale = t->cp->p.scaled ? t->run->scale : 1.0,
        .inverse = t->run->inverse,
        .begin = lane,
        .end = lane + lanes,
    };

    c->kernels->run(c, &run);
}

/* Computes the norm of the tile's input, as exactly as the attempt needs it. */
static void bracket_measure(const tile *t)
{
    const int64_t n = t->cp->p.n;
    int64_t size;

    measure_input(t);
    for (int64_t e = 0; t->probe->deep && e < n; e += size) {
        size = n - e < AGAIN ? n - e : AGAIN;
        read_limited(&t->seen.in, e, size, t->again, NULL);
        probe_measure(t->probe, t->again, NULL, size, 1);
    }
}

/* The method of a compact transform, for what is not computed in pieces: the last
 * rows, and attempts after the first. */
static void make_compact(tile *t)
{
    probe *k = t->probe;
    const int64_t n = t->cp->p.n;
    C in;

    weigh_source(t, 0, n);
    in = sums_take(&k->in, k->row_fold, k->ro != 0);
    bracket_measure(t);
    READ_AGAIN();
    run_compact(t, t->lane, t->count);
    READ_AGAIN();
    t->stored = 1;
    k->results = n;
    k->pos = NULL;
    k->weigh = weigh_output;
    k->result = weigh_output(t, 1);
    probe_close(k, in, k->result, k->power[0]);
}

#if STFI_LANES > 1
/* 1 if the lanes of the pass can be computed in pieces. */
static int is_bracketed(const tile *t)
{
    const probe *k = t->probe;
    const stfi_cpu_pass *cp = t->cp;
    const stfi_pass *p = &cp->p;
    const port *in = &t->work.in, *out = &t->work.out;

    return k->joinable && t->run->watch->fault == NULL
           && k->row_fold == FOLD_COMPLEX && k->e_fold == FOLD_COMPLEX
           && p->op == STFI_OP_FFT && p->nloops == 1 && !in->indexed
           && in->line == ACCESS_ROWS && out->line == ACCESS_ROWS
           && in->format == STFI_REAL_ID && out->format == STFI_REAL_ID
           && is_plain(t, &p->load) && is_plain(t, &p->store) && !cp->carries[0]
           && !cp->carries[1];
}

/* Computes `lanes` rows from number `lane` on without looking at them. */
static void bracket_compute(tile *t, const method *m, int64_t lane,
                            int64_t lanes)
{
    probe *k = t->probe;
    walk at[2];

    if (t->cp->compact != NULL) {
        run_compact(t, lane, lanes);
        return;
    }
    t->probe = NULL;
    t->struck = 0;
    walks_start(at, t, lane);
    for (int64_t l = lane; l < lane + lanes; l += W) {
        tile_next(t, at, l, lane + lanes);
        t->stored = 0;
        m->make(t);
        if (!t->stored)
            m->put(t);
    }
    t->probe = k;
}

/* The residuals of the lanes of tile number j of a piece, from its joint sums. */
INLINE C bracket_residual(const bracket *b, const probe *k, int j)
{
    V d[JOINTS];

    UNROLL
    for (int g = 0; g < JOINTS; g++)
        d[g] = b->of_out[j * JOINTS + g] * k->of_out
               - b->of_in[j * JOINTS + g] * k->of_in;
    return joint_lanes(d);
}

INLINE V bracket_power(const bracket *b, int j, int stride)
{
    return row_totals(b->squares + (int64_t)j * W) * (real)stride;
}

/* What is compared of W joint sums from number `first` on, one in each lane. */
INLINE joint_look look_at_joints(const bracket *b, const probe *k, int first,
                                 int stride)
{
    V d[W], row[W], re = {0}, im = {0}, least = {0}, total = {0};

    UNROLL
    for (int l = 0; l < W; l++)
        d[l] =
            b->of_out[first + l] * k->of_out - b->of_in[first + l] * k->of_in;
    transpose(d);
    UNROLL
    for (int i = 0; i < W; i += 2) {
        re = re + d[i];
        im = im + d[i + 1];
    }
    UNROLL
    for (int q = 0; q < JOINED; q++) {
        V power;
        UNROLL
        for (int l = 0; l < W; l++)
            row[l] = b->squares[(int64_t)(first + l) * JOINED + q];
        power = row_totals(row) * (real)stride;
        least = q == 0 ? power : smaller(least, power);
        total = total + power;
    }
    return (joint_look){re * re + im * im, least, total};
}

/* 1 if all tiles of a piece are clean, and none has the largest ratio so far: all
 * of them together, without a branch for each, and as far as they fill vectors a
 * lane for each joint sum. */
INLINE int are_tiles_usual(const bracket *b, const probe *k, int tiles,
                           int stride)
{
    const V zero = {0};
    joint_mask usual = zero == zero;
    int j = 0;

    for (; j + JOINED <= tiles; j += JOINED) {
        joint_look look = look_at_joints(b, k, j * JOINTS, stride);
        usual &= joint_clean(k, &look) & (look.square <= b->most * look.total);
    }
    for (; j < tiles; j++) {
        joint_look look = look_jointly(bracket_residual(b, k, j),
                                       bracket_power(b, j, stride));
        usual &= joint_clean(k, &look) & joint_usual(k, &look);
    }
    return ALL(usual);
}

/* Judges tile number j of a piece by its joint sums. */
INLINE int bracket_verdict(const bracket *b, probe *k, int j, int stride)
{
    k->residuals = 1;
    k->residual[0] = bracket_residual(b, k, j);
    k->power[0] = bracket_power(b, j, stride);
    return are_joints_clean(k);
}

/* 1 if the input of tile number j of a piece has other sums than before: so its
 * results were computed of something else than what is there now. */
static int has_input_changed(bracket *b, int64_t lane, int j, int sampled)
{
    V before[JOINTS], *now = b->of_in + (int64_t)j * JOINTS;

    memcpy(before, now, sizeof before);
    READ_AGAIN();
    bracket_inputs(b, lane, j * JOINTS, JOINTS, sampled);
    return memcmp(before, now, sizeof before) != 0;
}

/* Notes that the pass's input changed while it was read, for the tile's first
 * lane: what is right can no longer be known. */
static void note_changed_input(tile *t)
{
    t->probe->lost = 1;
    stfi_cpu_note(t->run->watch, &t->cp->p, t->lane, STFI_FT_UNCORRECTABLE, 0,
                  1);
}

/* Looks at the lanes of tile number j of the piece that begins with row `lane`,
 * one by one, as they were stored, and computes them again if one is not clean.
 * The fault may have been a store that hit the input. */
static void bracket_settle(tile *t, const method *m, bracket *b, int64_t lane,
                           int j, int sampled)
{
    probe *k = t->probe;

    tile_go(t, lane + (int64_t)j * W);
    probe_start(k, t->cp->p.n, 0, 0);
    k->stride = 1;
    k->results = t->cp->p.n;
    k->pos = NULL;
    k->weigh = weigh_output;
    t->struck = 0;
    t->stored = 1;
    measure_input(t);
    weigh_lanes_apart(t);
    if (are_clean(k))
        return;
    if (t->cp->p.check.correct && has_input_changed(b, lane, j, sampled))
        note_changed_input(t);
    settle_tile(t, m);
}

/* Adds rows [lane, lane + lanes) to the signature of the pass. */
static void bracket_sign(const bracket *b, probe *k, int64_t lane,
                         int64_t lanes)
{
    uint64_t bytes = sizeof(stored);
    uint64_t n = (uint64_t)lanes, steps = n * (uint64_t)lane + n * (n - 1) / 2;

    k->covered += lanes;
    k->from += n * (uint64_t)(uintptr_t)b->in.at
               + steps * (uint64_t)b->in.step * bytes;
    k->to += n * (uint64_t)(uintptr_t)b->out.at
             + steps * (uint64_t)b->out.step * bytes;
}

/* Keeps the sums over the input of a piece, by their bits: if the pass is computed
 * once more, it has to read the same. */
static void bracket_remember(const bracket *b, probe *k, int joints)
{
    for (int j = 0; j < joints; j++) {
        words next;
        memcpy(&next, &b->of_in[j], sizeof next);
        k->read += next;
    }
}

/* Computes the next piece, of `tiles` tiles. Returns 0 if other rows were summed up
 * than these. */
static int run_piece(tile *t, const method *m, bracket *b, int tiles)
{
    probe *k = t->probe;
    const int64_t lane = k->lane;
    const int stride = t->cp->p.n >= LONG ? STRIDE : 1, joints = tiles * JOINTS;

    for (int j = 0; j < joints; j += b->joints) {
        int count = joints - j < b->joints ? joints - j : b->joints;
        bracket_count(b, 0, lane, j,
                      bracket_inputs(b, lane, j, count, stride > 1));
        READ_AGAIN();
        bracket_compute(t, m, lane + (int64_t)j * JOINED,
                        (int64_t)count * JOINED);
        READ_AGAIN();
        bracket_count(b, 1, lane, j, bracket_outputs(b, lane, j, count));
    }
    if (b->astray != 0 || b->at[0] != b->at[1]
        || b->at[1] != k->lane + (int64_t)tiles * W)
        return 0;
    bracket_remember(b, k, joints);
    if (!are_tiles_usual(b, k, tiles, stride)) {
        for (int j = 0; j < tiles; j++)
            if (!bracket_verdict(b, k, j, stride))
                bracket_settle(t, m, b, lane, j, stride > 1);
        bracket_note_most(b, k);
    }
    if (k->is_signed)
        bracket_sign(b, k, lane, b->at[1] - lane);
    k->lane = b->at[1];
    return 1;
}

/* Computes lanes from k->lane on in pieces, as far as they fill whole tiles and
 * nothing is wrong with the pieces. */
static void run_pieces(tile *t, const method *m)
{
    probe *k = t->probe;
    bracket b;

    bracket_open(&b, t);
    while (k->end - k->lane >= W) {
        int64_t left = (k->end - k->lane) / W;
        if (!run_piece(t, m, &b, left < b.tiles ? (int)left : b.tiles))
            return;
    }
}
#else
static void note_changed_input(tile *t)
{
    (void)t;
}

static int is_bracketed(const tile *t)
{
    (void)t;
    return 0;
}

static void run_pieces(tile *t, const method *m)
{
    (void)t;
    (void)m;
}
#endif

#endif
