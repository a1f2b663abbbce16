/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The sums over a piece of rows before and after they are computed (bracket.h). */
#ifndef STFI_PROTECT_BRACKET_SUMS_H
#define STFI_PROTECT_BRACKET_SUMS_H

#include "backends/cpu/protect/finish.h"
#include "backends/cpu/protect/verdict.h"
#include "backends/cpu/simd/prefetch.h"

/* The most tiles of a piece, and the bytes of its input that are enough. */
enum { PIECE_TILES = W <= 4 ? 16 : 8, PIECE_BYTES = 4096 };

#if STFI_LANES > 1
/* One side of the rows. Weights of the last vector are apart where a row is no
 * whole number of vectors: that one overlaps the one before. */
typedef struct bracket_side {
    const stored *at; /* row 0 */
    int64_t step;     /* reals from row to row */
    int64_t vectors, rest;
    const sum *w;
    sum tail[W];
    V fresh; /* 1 for what the vector before the last one has not, else 0 */
    weights kind;
    int swap;
    int64_t reals; /* of joint rows */
    int64_t ahead; /* reals to the rows that are next, 0 if they are near */
} bracket_side;

/* The sums of a piece: terms of the input and of the output, by joint sums, and
 * sums of squares, by rows. What was not summed up would have the sums of the piece
 * before, so the rows of either side are counted by what sums them up. */
typedef struct bracket {
    bracket_side in, out;
    int tiles;      /* of a piece; */
    int joints;     /* joint sums that are computed at a time */
    int64_t at[2];  /* the rows of the input and of the output that are next, */
    int64_t astray; /* which is not 0 if sums began with other ones */
    V of_in[PIECE_TILES * JOINTS], of_out[PIECE_TILES * JOINTS];
    V squares[PIECE_TILES * W];
    V most; /* the largest ratio so far of any lane: the probe's `worst` */
} bracket;

static void bracket_note_most(bracket *b, const probe *k)
{
    real most = 0;

    for (int l = 0; l < W; l++)
        most = k->worst[l] > most ? k->worst[l] : most;
    b->most = (V){0} + most;
}

/* 1 if the rows are in no near cache, and the next ones do not fill it. Bound:
 * measured. */
static int are_rows_far(const tile *t)
{
    enum { MOST = 1 << 16 };
    const int64_t row = 2 * t->cp->p.n * (int64_t)sizeof(stored);

    return JOINED * row <= MOST
           && 2 * row * (t->probe->end - t->probe->lane) >= t->cp->far;
}

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
    for (int l = 0; l < W; l++)
        s->fresh[l] = l >= W - 2 * s->rest;
    s->reals = 2 * cp->p.n * JOINED;
    s->ahead = 0;
}

static void bracket_open(bracket *b, const tile *t)
{
    int64_t bytes = 2 * t->cp->p.n * W * (int64_t)sizeof(real);

    b->at[0] = b->at[1] = t->probe->lane;
    b->astray = 0;
    bracket_note_most(b, t->probe);
    bracket_side_open(&b->in, t, 1);
    bracket_side_open(&b->out, t, 0);
    b->tiles = bytes * PIECE_TILES <= PIECE_BYTES ? PIECE_TILES
               : bytes < PIECE_BYTES              ? (int)(PIECE_BYTES / bytes)
                                                  : 1;
    b->joints =
        t->cp->compact != NULL && bytes > PIECE_BYTES ? 1 : b->tiles * JOINTS;
    if (t->cp->compact != NULL && are_rows_far(t)) {
        b->in.ahead = (int64_t)b->joints * JOINED * b->in.step;
        b->out.ahead = (int64_t)b->joints * JOINED * b->out.step;
    }
}

/* Brings the rows of a joint sum nearer that will be next, while those from `at` on
 * are summed up: those of the output before they are stored. What computes rows
 * sees a piece of them at a time, and cannot. */
INLINE void bracket_prefetch(const bracket_side *s, const stored *at,
                             int output)
{
    prefetch_lines(at + s->ahead, s->reals, output);
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

/* The same of the last vector, which begins before the end of the one before. */
INLINE V bracket_last(const stored *at, int64_t step, int64_t i, V fresh,
                      int squared, V *squares)
{
    V last[JOINED], x;

    x = bracket_load(at, step, i, squared, 1, last);
    if (squared) {
        UNROLL
        for (int q = 0; q < JOINED; q++)
            squares[q] = squares[q] + last[q] * fresh;
    }
    return x;
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

/* Adds what joint rows have behind their last whole vector. */
INLINE void bracket_tail(const bracket_side *s, const stored *at,
                         int64_t vectors, weights kind, int squared, V *re,
                         V *im, V *squares)
{
    V x = bracket_last(at, s->step, W * (vectors - 1) + 2 * s->rest, s->fresh,
                       squared, squares);
    V wr, wi;

    row_weights(s->tail, 0, kind, &wr, &wi);
    *re = *re + x * wr;
    if (kind != WEIGHTS_REAL)
        *im = *im + x * wi;
}

/* The terms of short joint rows from `at` on, whose `vectors` are a constant. */
INLINE V bracket_short(const bracket_side *s, const stored *at, int64_t vectors,
                       int rest, weights kind, int squared, V *squares)
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
    if (rest)
        bracket_tail(s, at, vectors, kind, squared, &re, &im, sq);
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
        bracket_tail(s, at, vectors, kind, stride == 1, &re[0], &im[0], sq);
    if (stride > 0) {
        UNROLL
        for (int q = 0; q < JOINED; q++)
            squares[q] = sq[q];
    }
    return row_terms(re[0] + re[1], im[0] + im[1], kind, FOLD_COMPLEX, s->swap);
}

/* Sums up joint rows [first, first + count) of one side; returns their number, as
 * the loop has counted them, which the compiler must not foresee. */
INLINE int64_t bracket_sweep(const bracket_side *s, int64_t lane, int first,
                             int count, int64_t vectors, int rest, weights kind,
                             int stride, V *terms, V *squares)
{
    int64_t done = 0;

    for (int j = first; j < first + count; j++, done++) {
        const stored *at = stored_at(s->at, STFI_REAL_ID,
                                     (lane + (int64_t)j * JOINED) * s->step);
        V *sq = squares + (int64_t)j * JOINED;
        if (s->ahead != 0)
            bracket_prefetch(s, at, stride == 0);
        terms[j] =
            __builtin_constant_p(vectors)
                ? bracket_short(s, at, vectors, rest, kind, stride > 0, sq)
                : bracket_terms(s, at, vectors, kind, stride, sq);
        __asm__("" : "+r"(done));
    }
    return done;
}

/* The same, with the loops of short rows unrolled. */
INLINE int64_t bracket_sum(const bracket_side *s, int64_t lane, int first,
                           int count, weights kind, int stride, V *terms,
                           V *squares)
{
#define SWEEP(vectors, rest)                                                 \
    return bracket_sweep(s, lane, first, count, vectors, rest, kind, stride, \
                         terms, squares)
#define SHORT(vectors)                     \
    case 2 * (vectors): SWEEP(vectors, 0); \
    case 2 * (vectors) + 1: SWEEP(vectors, 1);
    switch (stride <= 1 ? 2 * s->vectors + (s->rest > 0) : 0) {
        SHORT(1)
        SHORT(2)
        SHORT(3)
        SHORT(4)
    default: SWEEP(s->vectors, 0);
    }
#undef SHORT
#undef SWEEP
}

static __attribute__((noinline)) int64_t
bracket_inputs(bracket *b, int64_t lane, int first, int count, int sampled)
{
    const bracket_side *s = &b->in;

    if (s->kind == WEIGHTS_REAL && sampled)
        return bracket_sum(s, lane, first, count, WEIGHTS_REAL, STRIDE,
                           b->of_in, b->squares);
    if (s->kind == WEIGHTS_REAL)
        return bracket_sum(s, lane, first, count, WEIGHTS_REAL, 1, b->of_in,
                           b->squares);
    if (sampled)
        return bracket_sum(s, lane, first, count, WEIGHTS_COMPLEX, STRIDE,
                           b->of_in, b->squares);
    return bracket_sum(s, lane, first, count, WEIGHTS_COMPLEX, 1, b->of_in,
                       b->squares);
}

static __attribute__((noinline)) int64_t
bracket_outputs(bracket *b, int64_t lane, int first, int count)
{
    const bracket_side *s = &b->out;

    if (s->kind == WEIGHTS_REAL)
        return bracket_sum(s, lane, first, count, WEIGHTS_REAL, 0, b->of_out,
                           b->squares);
    return bracket_sum(s, lane, first, count, WEIGHTS_COMPLEX, 0, b->of_out,
                       b->squares);
}

/* Counts `joints` joint sums of one side, from number `first` on of the piece that
 * begins with row `lane`. */
INLINE void bracket_count(bracket *b, int output, int64_t lane, int first,
                          int64_t joints)
{
    b->astray |= b->at[output] ^ (lane + (int64_t)first * JOINED);
    b->at[output] += joints * JOINED;
}

#endif

#endif
