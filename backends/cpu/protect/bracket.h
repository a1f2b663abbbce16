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
#include "backends/cpu/protect/finish.h"
#include "backends/cpu/protect/verdict.h"
#include "base/alloc.h"

/* The most tiles of a piece, and the bytes of its input that are enough. */
enum { PIECE_TILES = 8, PIECE_BYTES = 4096 };

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
/* One side of the rows. Weights of the last vector are apart where a row is no
 * whole number of vectors: that one overlaps the one before. */
typedef struct bracket_side {
    const stored *at; /* row 0 */
    int64_t step;     /* reals from row to row */
    int64_t vectors, rest;
    const sum *w;
    sum tail[W];
    weights kind;
    int swap;
} bracket_side;

/* The sums of a piece: terms of the input and of the output, by joint sums, and
 * sums of squares, by rows. */
typedef struct bracket {
    bracket_side in, out;
    int tiles;  /* of a piece; */
    int joints; /* joint sums that are computed at a time */
    V of_in[PIECE_TILES * JOINTS], of_out[PIECE_TILES * JOINTS];
    V squares[PIECE_TILES * W];
} bracket;

static void bracket_side_open(bracket_side *s, const tile *t, int loaded)
{
    const probe *k = t->probe;
    const stfi_cpu_pass *cp = t->cp;

    s->at = loaded ? t->run->src : t->run->dst;
    s->step = loaded ? cp->load_ls[0] : cp->store_ls[0];
    s->vectors = cp->p.n / (W / 2);
    s->rest = cp->p.n % (W / 2);
    s->w = loaded ? k->row : k->e;
    s->kind = kind_of(k, loaded);
    s->swap = k->ro != 0;
    copy_tail(s->w + 2 * cp->p.n, s->rest, s->kind, s->tail);
}

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

static void bracket_open(bracket *b, const tile *t)
{
    int64_t bytes = 2 * t->cp->p.n * W * (int64_t)sizeof(real);

    bracket_side_open(&b->in, t, 1);
    bracket_side_open(&b->out, t, 0);
    b->tiles = bytes * PIECE_TILES <= PIECE_BYTES ? PIECE_TILES
               : bytes < PIECE_BYTES              ? (int)(PIECE_BYTES / bytes)
                                                  : 1;
    b->joints =
        t->cp->compact != NULL && bytes > PIECE_BYTES ? 1 : b->tiles * JOINTS;
}

/* Vector i of the joint rows from `at` on. The squares of its reals, if `squared`,
 * are added to those of each row, or are the first ones. */
INLINE V bracket_load(const stored *at, int64_t step, int64_t i, int squared,
                      int first, V *squares)
{
    V x[JOINED];

    UNROLL
    for (int q = 0; q < JOINED; q++)
        x[q] = load_stored(stored_at(at, STFI_REAL_ID, q * step + i),
                           STFI_REAL_ID);
    if (squared) {
        UNROLL
        for (int q = 0; q < JOINED; q++)
            squares[q] = first ? x[q] * x[q] : squares[q] + x[q] * x[q];
    }
    UNROLL
    for (int q = 0; q < JOINED; q += 2)
        x[q / 2] = x[q] - x[q + 1];
    if (JOINED == 4)
        x[0] = x[0] + x[JOINED / 4];
    return x[0];
}

/* Adds vector v of joint rows to the sums of w.r x and of w.i x. */
INLINE void bracket_add(const stored *at, int64_t step, int64_t i, const sum *w,
                        int64_t v, weights kind, V *re, V *im, int squared,
                        V *squares)
{
    V x = bracket_load(at, step, i, squared, 0, squares), wr, wi;

    row_weights(w, v, kind, &wr, &wi);
    *re = *re + x * wr;
    if (kind != WEIGHTS_REAL)
        *im = *im + x * wi;
}

/* The terms of short joint rows from `at` on, whose `vectors` are a constant. */
INLINE V bracket_short(const bracket_side *s, const stored *at, int64_t vectors,
                       weights kind, int squared, V *squares)
{
    V re = {0}, im = {0}, sq[JOINED];

    UNROLL
    for (int64_t v = 0; v < vectors; v++) {
        V x = bracket_load(at, s->step, W * v, squared, v == 0, sq), wr, wi;
        row_weights(s->w, v, kind, &wr, &wi);
        re = v == 0 ? x * wr : re + x * wr;
        if (kind != WEIGHTS_REAL)
            im = v == 0 ? x * wi : im + x * wi;
    }
    if (squared) {
        UNROLL
        for (int q = 0; q < JOINED; q++)
            squares[q] = sq[q];
    }
    return row_terms(re, im, kind, FOLD_COMPLEX, s->swap);
}

/* The terms of the joint rows from `at` on. Squares are those of every
 * stride-th vector; 0: of none. */
INLINE V bracket_terms(const bracket_side *s, const stored *at, int64_t vectors,
                       weights kind, int stride, V *squares)
{
    const sum *w = s->w;
    const int64_t step = s->step;
    V re[2] = {{0}}, im[2] = {{0}}, sq[JOINED] = {{0}};

    for (int64_t v = 0; v < vectors;) {
        V r[2] = {{0}}, i[2] = {{0}};
        int64_t end = vectors - v < BLOCK ? vectors : v + BLOCK;
        for (; v + STRIDE <= end; v += STRIDE) {
            UNROLL
            for (int u = 0; u < STRIDE; u++)
                bracket_add(at, step, W * (v + u), w, v + u, kind, &r[u % 2],
                            &i[u % 2], stride > 0 && u % stride == 0, sq);
        }
        for (int u = 0; v < end; u++, v++)
            bracket_add(at, step, W * v, w, v, kind, &r[0], &i[0],
                        stride > 0 && u % stride == 0, sq);
        re[0] += r[0] + r[1];
        im[0] += i[0] + i[1];
        if (v % (BLOCK * BLOCK) == 0) {
            re[1] += re[0];
            im[1] += im[0];
            re[0] = im[0] = (V){0};
        }
    }
    if (s->rest > 0)
        bracket_add(at, step, W * (vectors - 1) + 2 * s->rest, s->tail, 0, kind,
                    &re[0], &im[0], 0, sq);
    if (stride > 0) {
        UNROLL
        for (int q = 0; q < JOINED; q++)
            squares[q] = sq[q];
    }
    return row_terms(re[0] + re[1], im[0] + im[1], kind, FOLD_COMPLEX, s->swap);
}

/* Sums up joint rows [first, first + count) of one side. */
INLINE void bracket_sweep(const bracket_side *s, int64_t lane, int first,
                          int count, int64_t vectors, weights kind, int stride,
                          V *terms, V *squares)
{
    for (int j = first; j < first + count; j++) {
        const stored *at = stored_at(s->at, STFI_REAL_ID,
                                     (lane + (int64_t)j * JOINED) * s->step);
        V *sq = squares + (int64_t)j * JOINED;
        terms[j] = __builtin_constant_p(vectors)
                       ? bracket_short(s, at, vectors, kind, stride > 0, sq)
                       : bracket_terms(s, at, vectors, kind, stride, sq);
    }
}

/* The same, with the loops of a few short rows unrolled. */
INLINE void bracket_sum(const bracket_side *s, int64_t lane, int first,
                        int count, weights kind, int stride, V *terms,
                        V *squares)
{
    if (s->rest > 0 || stride > 1)
        bracket_sweep(s, lane, first, count, s->vectors, kind, stride, terms,
                      squares);
    else if (s->vectors == 2)
        bracket_sweep(s, lane, first, count, 2, kind, stride, terms, squares);
    else if (s->vectors == 4)
        bracket_sweep(s, lane, first, count, 4, kind, stride, terms, squares);
    else
        bracket_sweep(s, lane, first, count, s->vectors, kind, stride, terms,
                      squares);
}

static __attribute__((noinline)) void
bracket_inputs(bracket *b, int64_t lane, int first, int count, int sampled)
{
    const bracket_side *s = &b->in;

    if (s->kind == WEIGHTS_REAL && sampled)
        bracket_sum(s, lane, first, count, WEIGHTS_REAL, STRIDE, b->of_in,
                    b->squares);
    else if (s->kind == WEIGHTS_REAL)
        bracket_sum(s, lane, first, count, WEIGHTS_REAL, 1, b->of_in,
                    b->squares);
    else if (sampled)
        bracket_sum(s, lane, first, count, WEIGHTS_COMPLEX, STRIDE, b->of_in,
                    b->squares);
    else
        bracket_sum(s, lane, first, count, WEIGHTS_COMPLEX, 1, b->of_in,
                    b->squares);
}

static __attribute__((noinline)) void bracket_outputs(bracket *b, int64_t lane,
                                                      int first, int count)
{
    const bracket_side *s = &b->out;

    if (s->kind == WEIGHTS_REAL)
        bracket_sum(s, lane, first, count, WEIGHTS_REAL, 0, b->of_out,
                    b->squares);
    else
        bracket_sum(s, lane, first, count, WEIGHTS_COMPLEX, 0, b->of_out,
                    b->squares);
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

/* 1 if all tiles of a piece are clean, and none has the largest ratio so far: all
 * of them together, without a branch for each. */
INLINE int are_tiles_usual(const bracket *b, const probe *k, int tiles,
                           int stride)
{
    const V zero = {0};
    joint_mask usual = zero == zero;

    for (int j = 0; j < tiles; j++) {
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

/* Looks at the lanes of a tile that was stored, one by one, and computes it again
 * if one is not clean. */
static void bracket_settle(tile *t, const method *m, int64_t lane)
{
    probe *k = t->probe;

    tile_go(t, lane);
    probe_start(k, t->cp->p.n, 0, 0);
    k->stride = 1;
    k->results = t->cp->p.n;
    k->pos = NULL;
    k->weigh = weigh_output;
    t->struck = 0;
    t->stored = 1;
    measure_input(t);
    weigh_lanes_apart(t);
    if (!are_clean(k))
        settle_tile(t, m);
}

/* Adds rows [lane, lane + lanes) to the signature of the pass. */
static void bracket_sign(const bracket *b, probe *k, int64_t lanes)
{
    uint64_t bytes = sizeof(stored), lane = (uint64_t)k->lane;
    uint64_t n = (uint64_t)lanes, steps = n * lane + n * (n - 1) / 2;

    k->covered += lanes;
    k->from += n * (uint64_t)(uintptr_t)b->in.at
               + steps * (uint64_t)b->in.step * bytes;
    k->to += n * (uint64_t)(uintptr_t)b->out.at
             + steps * (uint64_t)b->out.step * bytes;
}

/* Computes the next piece, of `tiles` tiles. */
static void run_piece(tile *t, const method *m, bracket *b, int tiles)
{
    probe *k = t->probe;
    const int64_t lane = k->lane;
    const int stride = t->cp->p.n >= LONG ? STRIDE : 1, joints = tiles * JOINTS;

    for (int j = 0; j < joints; j += b->joints) {
        int count = joints - j < b->joints ? joints - j : b->joints;
        bracket_inputs(b, lane, j, count, stride > 1);
        READ_AGAIN();
        bracket_compute(t, m, lane + (int64_t)j * JOINED,
                        (int64_t)count * JOINED);
        READ_AGAIN();
        bracket_outputs(b, lane, j, count);
    }
    if (!are_tiles_usual(b, k, tiles, stride))
        for (int j = 0; j < tiles; j++)
            if (!bracket_verdict(b, k, j, stride))
                bracket_settle(t, m, lane + (int64_t)j * W);
    k->lane = lane;
    if (k->is_signed)
        bracket_sign(b, k, (int64_t)tiles * W);
    k->lane = lane + (int64_t)tiles * W;
}

/* Computes lanes from k->lane on in pieces, as far as they fill whole tiles. */
static void run_pieces(tile *t, const method *m)
{
    probe *k = t->probe;
    bracket b;

    bracket_open(&b, t);
    while (k->end - k->lane >= W) {
        int64_t left = (k->end - k->lane) / W;
        run_piece(t, m, &b, left < b.tiles ? (int)left : b.tiles);
    }
}
#else
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
