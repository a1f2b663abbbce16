/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executions of which each transform is checked as a whole
 * (protect/cpu_whole.h): the kernels are those of an executable without checks.
 * Transforms that are not clean are looked at by the sums of stf_check_fft(),
 * which take data of any size, and computed again by the same kernels. */
#include "backends/cpu/cpu_exec_whole.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/type.h"

/* The part of an execution that one thread computes. */
typedef struct part {
    stfi_exec *x;
    const stfi_buffers *b;
    stfi_ft_result *result;
    const char *from; /* what is computed again: in place, the copy of the
                         piece, as if all rows were there */
    int slot;         /* of the workspace */
    char *scratch;    /* of the kernels; */
    void *keep;       /* then a copy of a piece of the input, or NULL, */
    char *terms;      /* its sums, */
    char *packed;     /* and rows without gaps */
    double worst;     /* largest |residual|^2 / norm^2 of clean rows */
    double ratio;     /* largest residual / tau of those that were settled */
    uint64_t read;    /* bits of the sums over the input */
    int64_t end;      /* of the rows that are computed piece by piece */
    int repaired;
    int brief; /* what overflowed is left to a launch: its scale may have been
                  wrong, which is read once for a brief call; */
    int again; /* that has happened */
} part;

/* --------------------------------------------------------------- kernels */

/* Computes rows [begin, end) by passes, as a chunk of their own: each pass over all
 * of them. */
static void compute_passes(const part *p, const void *src, int64_t begin,
                           int64_t end)
{
    stfi_buffers own = *p->b;

    own.in = src;
    stfi_cpu_exec_run_passes(p->x->bare, &own, p->slot, p->scratch, begin, end);
}

/* Computes rows [begin, end), of which `src` has row 0, without checks. */
static void compute(const part *p, const void *src, int64_t begin, int64_t end)
{
    const stfi_cpu_compact *c = p->x->bare->compact;
    const stfi_buffers *b = p->b;
    const int64_t ahead = p->x->whole.ahead;

    if (c == NULL) {
        compute_passes(p, src, begin, end);
    } else if (c->one.run != NULL && p->x->schedule.batch == 1) {
        c->one.run(src, b->out, c->one.table, b->scale, b->inverse);
    } else {
        const stfi_cpu_compact_run run = {
            .src = src,
            .dst = b->out,
            .scratch = p->scratch,
            .scale = b->scale,
            .inverse = b->inverse,
            .begin = begin,
            .end = end,
            .behind = ahead > 0 && p->end > end ? p->end - end : 0,
            .ahead = ahead,
        };
        c->kernels->run(c, &run);
    }
}

static int64_t row_bytes(const stfi_exec *x, int side)
{
    return x->schedule.batch_stride[side]
           * (int64_t)stfi_type_get(x->schedule.precision)->bytes;
}

/* Returns where `rows` rows of a side are without gaps: where they lie, or in a copy
 * that the next call overwrites. */
static const void *without_gaps(const part *p, int side, const void *at,
                                int64_t rows)
{
    const stfi_cpu_whole_side *s = &p->x->whole.way[p->b->backward].side[side];
    const int64_t bytes =
        s->reals * (int64_t)stfi_type_get(p->x->schedule.precision)->bytes;

    if (s->spread.rank == 0)
        return at;
    stfi_cpu_spread_gather(&s->spread, rows, at, row_bytes(p->x, side),
                           p->packed, bytes);
    return p->packed;
}

/* -------------------------------------------------------------- settling */

/* Computes row `row` again, with all of its tile, which gives the other rows the
 * values that they have. */
static void compute_again(part *p, int64_t row)
{
    const stfi_exec *x = p->x;
    const int64_t tile = x->whole.tile, begin = row / tile * tile;
    const int64_t end = begin + tile;

    compute(p, p->from, begin,
            end < x->schedule.batch ? end : x->schedule.batch);
}

static void note(part *p, int64_t row, stfi_ft_outcome outcome, double ratio)
{
    const stf_ft_event event = {-1, p->b->first_signal + row, ratio};

    if (outcome == STFI_FT_CHECKED)
        return;
    if (outcome == STFI_FT_OVERFLOWED && p->brief) {
        p->again = 1;
        return;
    }
    p->repaired |= outcome == STFI_FT_RECOMPUTED;
    stfi_cpu_exec_note(p->x, p->result, outcome, &event);
}

/* Looks at a row by the sums of stf_check_fft(). Returns the verdict. */
static int look(part *p, const stfi_ft_offline *check, int64_t row,
                stfi_ft_history *h)
{
    const stfi_ft_group in =
        stfi_ft_offline_in(check, p->from + row * row_bytes(p->x, 0));
    const stfi_ft_group d = stfi_ft_offline_out(
        check, &in, (char *)p->b->out + row * row_bytes(p->x, 1));
    const double ratio = stfi_ft_look(&check->bound, &d, h);

    if (isfinite(ratio) && ratio > p->ratio)
        p->ratio = ratio;
    return h->state.verdict;
}

/* The most bytes of terms. */
enum { MOST_TERMS = 6 * 64 };

/* 1 if the input has other sums than `terms`, those that it had: of the group of
 * `rows` rows from `begin` on, or of the only row. */
static int has_changed(part *p, const void *terms, int64_t begin, int64_t rows)
{
    const stfi_cpu_whole_kernels *k = p->x->whole.kernels;
    const stfi_cpu_whole_side *side = &p->x->whole.way[p->b->backward].side[0];
    const void *src =
        without_gaps(p, 0, p->from + begin * row_bytes(p->x, 0), rows);
    _Alignas(STFI_ALIGN) unsigned char now[MOST_TERMS];
    uint64_t bits = 0;

    if (p->x->schedule.batch == 1)
        side->enter(side, src, now);
    else
        k->enter_rows(side, src, rows, now, &bits);
    return memcmp(now, terms,
                  stfi_cpu_whole_terms(&p->x->whole, p->x->schedule.batch == 1))
           != 0;
}

/* Looks at a row that may not be clean, and computes it again if it is not: as
 * long as the input is what it was when it was summed up. Otherwise nobody knows
 * what is right. */
static void settle(part *p, int64_t row, const void *terms, int64_t begin,
                   int64_t rows)
{
    const stfi_ft_offline *check = p->x->whole.way[p->b->backward].check;
    const int correct = p->x->pass[0].p.check.correct;
    stfi_ft_history h = {.ratio = 0};

    if (look(p, check, row, &h) != STFI_FT_CLEAN && correct
        && has_changed(p, terms, begin, rows)) {
        note(p, row, STFI_FT_UNCORRECTABLE, h.ratio);
        return;
    }
    for (int i = 0;
         i < STFI_FT_ATTEMPTS && correct && !stfi_ft_is_settled(&h.state);
         i++) {
        compute_again(p, row);
        look(p, check, row, &h);
    }
    note(p, row,
         stfi_ft_find(&h, correct ? STFI_FT_REPEAT : STFI_FT_REPORT_ONLY),
         h.ratio);
}

/* Judges a row of many alone. */
static int is_row_clean(part *p, int64_t row)
{
    const stfi_cpu_whole *w = &p->x->whole;
    const int d = p->b->backward;
    const stfi_cpu_whole_side *side = w->way[d].side;
    _Alignas(STFI_ALIGN) unsigned char terms[MOST_TERMS];

    side[0].enter(&side[0],
                  without_gaps(p, 0, p->from + row * row_bytes(p->x, 0), 1),
                  terms);
    return side[1].judge(
        &side[1],
        without_gaps(p, 1, (char *)p->b->out + row * row_bytes(p->x, 1), 1),
        terms, &w->way[d].limit, &p->worst);
}

/* ------------------------------------------------------------- executions */

/* Copies rows of the input. Nothing is read or written between elements: in gaps,
 * somebody else may be at work. */
static void copy_rows(const part *p, const void *from, void *to, int64_t rows)
{
    const stfi_cpu_whole_side *side = &p->x->whole.way[p->b->backward].side[0];
    const int64_t step = row_bytes(p->x, 0);

    if (side->spread.rank == 0) {
        memcpy(to, from,
               (size_t)((rows - 1) * step)
                   + (size_t)side->reals
                         * stfi_type_get(p->x->schedule.precision)->bytes);
        return;
    }
    stfi_cpu_spread_copy(&side->spread, rows, from, step, to);
}

/* Keeps rows that will be overwritten. The sums over them have loads of their own:
 * a copy that is wrong has other sums. */
static inline void keep_rows(part *p, const void *src, int64_t rows)
{
    if (p->keep != NULL)
        copy_rows(p, src, p->keep, rows);
}

static void put_back(part *p, int64_t rows)
{
    copy_rows(p, p->keep, p->b->out, rows);
}

/* The terms of the group that has row `row` of a piece. */
static const char *terms_of(const part *p, int64_t row)
{
    const stfi_cpu_whole *w = &p->x->whole;

    return p->terms
           + (size_t)(row / w->kernels->key.lanes) * stfi_cpu_whole_terms(w, 0);
}

/* Sums up, computes and judges rows [begin, end). Returns how many these were by
 * both sums. */
static int64_t run_piece(part *p, int64_t begin, int64_t end)
{
    const stfi_exec *x = p->x;
    const stfi_cpu_whole *w = &x->whole;
    const stfi_cpu_whole_kernels *k = w->kernels;
    const stfi_cpu_whole_side *side = w->way[p->b->backward].side;
    const char *src = (const char *)p->b->in + begin * row_bytes(x, 0);
    const char *dst = (const char *)p->b->out + begin * row_bytes(x, 1);
    int64_t entered, rows = end - begin, row = 0;

    if (p->keep != NULL)
        p->from = (const char *)((uintptr_t)p->keep
                                 - (uintptr_t)(begin * row_bytes(x, 0)));
    keep_rows(p, src, rows);
    entered = k->enter_rows(&side[0], without_gaps(p, 0, src, rows), rows,
                            p->terms, &p->read);
    compute(p, p->b->in, begin, end);
    while ((row = k->judge_rows(&side[1], without_gaps(p, 1, dst, rows), row,
                                rows, p->terms, &w->way[p->b->backward].limit,
                                &p->worst))
           < rows) {
        const int64_t group = row / k->key.lanes * k->key.lanes;
        const int64_t most =
            rows - group < k->key.lanes ? rows - group : k->key.lanes;
        for (int r = 0; r < w->joined && row < rows; r++, row++)
            if (w->joined == 1 || !is_row_clean(p, begin + row))
                settle(p, begin + row, terms_of(p, row), begin + group, most);
    }
    return entered < row ? entered : row;
}

/* Runs all pieces of [begin, end) once. Returns how many rows that were. */
static int64_t run_pieces(part *p, int64_t begin, int64_t end)
{
    int64_t done = 0;

    p->read = 0;
    p->end = end;
    for (int64_t row = begin, next; row < end; row = next) {
        next = end - row < p->x->whole.piece ? end : row + p->x->whole.piece;
        done += run_piece(p, row, next);
    }
    return done;
}

/* Runs all rows. Where some were wrong, a store to a wrong address may have hit
 * results that were judged already, or input that was read: everything is
 * computed once more, from an input that has to be what it was. So it is if rows
 * were left out. Returns how many rows that were. */
static int64_t run_rows(part *p, int64_t begin, int64_t end)
{
    const int64_t rows = end - begin;
    const int correct = p->x->pass[0].p.check.correct;
    const int64_t first = run_pieces(p, begin, end);
    const uint64_t read = p->read;

    if (first == rows
        && (!p->repaired || rows <= p->x->whole.piece || p->keep != NULL))
        return first;
    if (p->keep == NULL && correct && run_pieces(p, begin, end) == rows
        && (p->read == read || first != rows))
        return rows;
    note(p, begin, correct ? STFI_FT_UNCORRECTABLE : STFI_FT_DETECTED, 0);
    return rows;
}

/* Runs the only row. Returns how many rows that were. */
static inline int64_t run_one(part *p)
{
    const stfi_cpu_whole *w = &p->x->whole;
    const int d = p->b->backward;
    const stfi_cpu_whole_side *side = w->way[d].side;

    p->from = p->keep != NULL ? p->keep : p->b->in;
    keep_rows(p, p->b->in, 1);
    side[0].enter(&side[0], without_gaps(p, 0, p->b->in, 1), p->terms);
    compute(p, p->b->in, 0, 1);
    if (!side[1].judge(&side[1], without_gaps(p, 1, p->b->out, 1), p->terms,
                       &w->way[d].limit, &p->worst))
        settle(p, 0, p->terms, 0, 1);
    return 1;
}

/* Runs rows [begin, end); returns how many. Whether they are one is found twice; in
 * place, a row that was taken for the only one is lost. */
static inline int64_t run_all(part *p, int64_t begin, int64_t end)
{
    int64_t done = 0;

    if (p->x->schedule.batch == 1)
        done = run_one(p);
    __asm__("" : "+r"(done));
    if (done == end - begin)
        return done;
    if (done > 0 && p->keep != NULL)
        note(p, begin, STFI_FT_UNCORRECTABLE, 0);
    return run_rows(p, begin, end);
}

/* Returns the largest residual of a part, relative to its threshold. */
static double worst_of(const part *p)
{
    const double slope = sqrt(p->x->whole.way[p->b->backward].limit.most);
    const double ratio = slope > 0
                             ? sqrt(p->worst) / slope
                                   * (double)(STFI_FT_SUSPECT / STFI_FT_REPORT)
                             : 0;

    return ratio > p->ratio ? ratio : p->ratio;
}

static void begin_part(part *p, stfi_exec *x, const stfi_buffers *b, int thread,
                       stfi_ft_result *result)
{
    char *scratch =
        (char *)b->work + x->work_bytes + (size_t)thread * x->tile_bytes;

    *p = (part){
        .x = x,
        .b = b,
        .result = result,
        .from = b->in,
        .slot = x->schedule.slots > 1 ? thread : 0,
        .scratch = scratch,
        .keep = b->in == b->out ? scratch + x->whole_at[0] : NULL,
        .terms = scratch + x->whole_at[1],
        .packed = scratch + x->whole_at[2],
        .worst = atomic_load_explicit(&x->whole.worst, memory_order_relaxed),
    };
}

/* Adds what a part has seen to the ledger. Only a new largest residual is worth
 * its division. */
static void finish(const part *p, int64_t rows)
{
    stfi_cpu_whole *w = &p->x->whole;
    stfi_cpu_watch watch = {.log = &p->x->log, .checked = rows};

    if (p->ratio > 0 || p->worst > atomic_load(&w->worst)) {
        atomic_store(&w->worst, p->worst);
        watch.worst = worst_of(p);
    }
    stfi_cpu_watch_end(&watch);
}

int stfi_cpu_exec_suits_whole(const stfi_exec *x, const stfi_buffers *b)
{
    return x->whole.kernels != NULL && x->whole.way[b->backward].check != NULL
           && b->signature == NULL && !b->again;
}

void stfi_cpu_exec_run_whole(stfi_exec *x, const stfi_buffers *b, int thread,
                             int threads, stfi_ft_result *result)
{
    const int64_t tile = x->whole.tile, batch = x->schedule.batch;
    const int64_t tiles = (batch + tile - 1) / tile;
    int64_t begin = tiles * thread / threads * tile;
    int64_t end = tiles * (thread + 1) / threads * tile;
    part p;

    end = end < batch ? end : batch;
    if (begin >= end)
        return;
    begin_part(&p, x, b, thread, result);
    if (run_all(&p, begin, end) != end - begin)
        run_rows(&p, begin, end);
    finish(&p, end - begin);
}

static stfi_buffers buffers_of(const stfi_brief_way *way, const void *in,
                               void *out, void *work)
{
    return (stfi_buffers){
        .in = in,
        .out = out,
        .work = work,
        .inverse = way->inverse,
        .backward = way->backward,
        .scale = way->scale,
    };
}

/* Ends a brief launch that has computed `done` rows, with the largest residual
 * `before` it. */
static int end_briefly(part *p, int64_t done, double before)
{
    const int64_t batch = p->x->schedule.batch;

    if (done != batch || p->again) {
        if (p->keep == NULL)
            return STFI_BRIEF_NOT;
        if (p->brief) {
            put_back(p, batch);
            return STFI_BRIEF_NOT;
        }
        note(p, 0, STFI_FT_UNCORRECTABLE, 0);
    }
    if (p->worst > before || p->ratio > 0)
        finish(p, 0);
    stfi_cpu_exec_count(p->x, batch);
    return p->result->failed > 0 || p->result->repaired > 0
               ? stfi_cpu_exec_conclude(p->result)
               : STF_OK;
}

int stfi_cpu_exec_whole_briefly(stfi_exec *x, const stfi_brief_way *way,
                                const void *in, void *out, void *work)
{
    const stfi_buffers b = buffers_of(way, in, out, work);
    const int64_t batch = x->schedule.batch;
    stfi_ft_result result = {.failed = 0};
    double before;
    part p;

    if (!stfi_cpu_exec_is_whole_brief(x, way))
        return STFI_BRIEF_NOT;
    begin_part(&p, x, &b, 0, &result);
    before = p.worst;
    p.brief = p.keep == NULL || batch <= x->whole.piece;
    return end_briefly(&p, run_all(&p, 0, batch), before);
}

int stfi_cpu_exec_end_alone(stfi_exec *x, const stfi_brief_way *way,
                            const void *in, void *out, void *work, int clean,
                            double worst)
{
    const stfi_buffers b = buffers_of(way, in, out, work);
    stfi_ft_result result = {.failed = 0};
    double before;
    part p;

    begin_part(&p, x, &b, 0, &result);
    before = p.worst;
    p.worst = worst;
    p.brief = 1;
    if (p.keep != NULL)
        p.from = p.keep;
    if (!clean) {
        settle(&p, 0, p.terms, 0, 1);
        return end_briefly(&p, 1, before);
    }
    /* What is right is never put back: that would be transformed twice. */
    finish(&p, 0);
    stfi_cpu_exec_count(x, 1);
    return STF_OK;
}
