/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executions of which each transform is checked as a whole (protect/cpu_whole.h): piece
 * by piece, or row by row, sums over the input, what kernels compute of it, and sums over
 * the output (cpu_exec_part.h). End-to-end checks take two sums with different
 * weights. */
#include "backends/cpu/cpu_exec_whole.h"

#include <math.h>
#include <string.h>

#include "backends/cpu/cpu_exec_part.h"
#include "base/alloc.h"

/* Judges a row of many alone. */
static int is_row_clean(stfi_cpu_part *p, int64_t row)
{
    const stfi_cpu_whole_way *way = stfi_cpu_part_way(p);
    const stfi_cpu_whole_side *side = way->side;
    _Alignas(STFI_ALIGN) unsigned char terms[STFI_CPU_MOST_TERMS];

    side[0].enter(
        &side[0],
        stfi_cpu_part_without_gaps(
            p, 0, p->from + row * stfi_cpu_part_row_bytes(p->x, 0), 1),
        terms);
    return side[1].judge(
        &side[1],
        stfi_cpu_part_without_gaps(
            p, 1, (char *)p->b->out + row * stfi_cpu_part_row_bytes(p->x, 1),
            1),
        terms, &way->limit, &p->worst);
}

/* ------------------------------------------------------------- executions */

/* Keeps rows that will be overwritten. The sums over them have loads of their own:
 * a copy that is wrong has other sums. */
static inline void keep_rows(stfi_cpu_part *p, const void *src, int64_t rows)
{
    if (p->keep != NULL)
        stfi_cpu_part_copy(p, src, p->keep, rows);
}

static void put_back(stfi_cpu_part *p, int64_t rows)
{
    stfi_cpu_part_copy(p, p->keep, p->b->out, rows);
}

/* The sums of the group that has row `row` of a piece. */
static const char *terms_of(const stfi_cpu_part *p, int64_t row)
{
    const stfi_cpu_whole *w = &p->x->whole;

    return stfi_cpu_part_sums(p)
           + (size_t)(row / stfi_cpu_whole_group(w)) * stfi_cpu_whole_terms(w);
}

/* Notes that sums were stored before address `end`, and not before the one that they
 * should have ended at, if they may have hit the input there. */
static void note_end(stfi_cpu_part *p, const void *end, const void *should)
{
    const int64_t reals =
        (p->x->schedule.batch - 1) * p->x->schedule.batch_stride[0]
        + stfi_cpu_part_layout(p, 0)->spread.span;
    const uintptr_t in = (uintptr_t)p->b->in, to = (uintptr_t)end;
    const size_t bytes = stfi_type_get(p->x->schedule.precision)->bytes;

    if (end != should)
        p->strayed |=
            to > in && to < in + (size_t)reals * bytes + p->x->whole.terms;
}

/* Sums up rows that are alone. */
static stfi_cpu_whole_entered enter_alone(const stfi_cpu_part *p, int64_t begin,
                                          int64_t end)
{
    const stfi_cpu_whole_side *in = &stfi_cpu_part_way(p)->side[0];
    const size_t bytes = stfi_cpu_whole_terms(&p->x->whole);
    stfi_cpu_whole_entered done = {0, stfi_cpu_part_sums(p), 0};

    for (int64_t row = begin; row < end; row++) {
        const char *at =
            in->enter(in,
                      stfi_cpu_part_without_gaps(
                          p, 0, stfi_cpu_part_row(p->x, p->b, 0, row), 1),
                      stfi_cpu_part_sums(p) + (size_t)(row - begin) * bytes);
        done.end = at + bytes;
        done.bits += stfi_cpu_part_bits(at, bytes);
        done.rows++;
    }
    return done;
}

/* Sums up rows [begin, end) of the input by the current check. Returns how many these
 * were. */
static int64_t enter_piece(stfi_cpu_part *p, int64_t begin, int64_t end)
{
    const stfi_cpu_whole *w = &p->x->whole;
    const int64_t rows = end - begin;
    const stfi_cpu_whole_entered entered =
        w->alone ? enter_alone(p, begin, end)
                 : w->kernels->enter_rows(
                     &stfi_cpu_part_way(p)->side[0],
                     stfi_cpu_part_without_gaps(
                         p, 0, stfi_cpu_part_row(p->x, p->b, 0, begin), rows),
                     rows, stfi_cpu_part_sums(p));

    p->read += p->by == 0 ? entered.bits : 0;
    if (entered.rows == rows)
        note_end(p, entered.end,
                 terms_of(p, rows + stfi_cpu_whole_group(w) - 1));
    return entered.rows;
}

/* Judges rows that are alone. */
static int64_t judge_alone(stfi_cpu_part *p, int64_t begin, int64_t end)
{
    const stfi_cpu_whole_way *way = stfi_cpu_part_way(p);
    const stfi_cpu_whole_side *out = &way->side[1];
    int64_t row = begin;

    for (; row < end; row++) {
        const char *terms = terms_of(p, row - begin);
        if (!out->judge(out,
                        stfi_cpu_part_without_gaps(
                            p, 1, stfi_cpu_part_row(p->x, p->b, 1, row), 1),
                        terms, &way->limit, &p->worst))
            stfi_cpu_part_settle(p, row, terms, row, 1);
    }
    return row - begin;
}

/* Judges rows [begin, end) by the current check. Returns how many these were. */
static int64_t judge_piece(stfi_cpu_part *p, int64_t begin, int64_t end)
{
    const stfi_cpu_whole *w = &p->x->whole;
    const stfi_cpu_whole_way *way = stfi_cpu_part_way(p);
    const int64_t rows = end - begin, lanes = w->kernels->key.lanes;
    int64_t row = 0;

    if (w->alone)
        return judge_alone(p, begin, end);
    while ((row = w->kernels->judge_rows(
                &way->side[1],
                stfi_cpu_part_without_gaps(
                    p, 1, stfi_cpu_part_row(p->x, p->b, 1, begin), rows),
                row, rows, stfi_cpu_part_sums(p), &way->limit, &p->worst))
           < rows) {
        const int64_t group = row / lanes * lanes;
        const int64_t most = rows - group < lanes ? rows - group : lanes;
        for (int r = 0; r < w->joined && row < rows; r++, row++)
            if (w->joined == 1 || !is_row_clean(p, begin + row))
                stfi_cpu_part_settle(p, begin + row, terms_of(p, row),
                                     begin + group, most);
    }
    return row;
}

/* Sums up, computes and judges rows [begin, end). Returns how many these were by
 * all sums. The copy is made after the sums: so a copy that hits the input is found. */
static int64_t run_piece(stfi_cpu_part *p, int64_t begin, int64_t end)
{
    const int checks = p->x->whole.checks;
    int64_t done = end - begin, n;

    if (p->keep != NULL)
        p->from =
            (const char *)((uintptr_t)p->keep
                           - (uintptr_t)(begin
                                         * stfi_cpu_part_row_bytes(p->x, 0)));
    p->told = 0;
    for (p->by = 0; p->by < checks; p->by++)
        done = (n = enter_piece(p, begin, end)) < done ? n : done;
    keep_rows(p, stfi_cpu_part_row(p->x, p->b, 0, begin), end - begin);
    stfi_cpu_part_compute(p, p->b->in, p->b->out, begin, end);
    for (p->by = 0; p->by < checks; p->by++)
        done = (n = judge_piece(p, begin, end)) < done ? n : done;
    p->by = 0;
    return done;
}

/* What is done with rows [begin, end). Returns how many these were. */
typedef int64_t piece_fn(stfi_cpu_part *p, int64_t begin, int64_t end);

/* Calls a function for all pieces of [begin, end). Returns the sum of what it
 * returns. */
static int64_t each_piece(stfi_cpu_part *p, int64_t begin, int64_t end,
                          piece_fn *run)
{
    int64_t done = 0;

    p->read = p->stored = 0;
    p->first = begin;
    p->end = end;
    for (int64_t row = begin, next; row < end; row = next) {
        next = end - row < p->x->whole.piece ? end : row + p->x->whole.piece;
        done += run(p, row, next);
    }
    return done;
}

/* 1 if it pays to know what the input of all pieces is before the first one is computed:
 * from end to end, and where second-level caches hold it. */
static int reads_ahead(const stfi_cpu_part *p, int64_t rows)
{
    enum { MOST_BYTES = 1 << 20 };

    return p->x->whole.checks > 1 && rows > p->x->whole.piece
           && rows * stfi_cpu_part_row_bytes(p->x, 0) <= MOST_BYTES;
}

/* Sums up the input of all pieces, and computes them. */
static int64_t read_pieces(stfi_cpu_part *p, int64_t begin, int64_t end)
{
    return each_piece(p, begin, end,
                      p->x->whole.twice ? stfi_cpu_exec_enter_twice
                                        : enter_piece);
}

static int64_t run_pieces(stfi_cpu_part *p, int64_t begin, int64_t end)
{
    int64_t done;

    if (!p->x->whole.twice)
        return each_piece(p, begin, end, run_piece);
    done = each_piece(p, begin, end, stfi_cpu_exec_run_twice);
    stfi_cpu_exec_end_twice(p, begin, end);
    return done;
}

/* Runs all rows. Where some were wrong, a store to a wrong address may have hit
 * results that were judged already, or input that was read: everything is
 * computed once more, from an input that has to be what it was. So it is if rows
 * were left out. Input may also have been hit before it was read, which is known if it
 * was read ahead. Returns how many rows that were. */
static int64_t run_rows(stfi_cpu_part *p, int64_t begin, int64_t end)
{
    const int64_t rows = end - begin;
    const int correct = p->x->pass[0].p.check.correct;
    const int ahead = reads_ahead(p, rows);
    const uint64_t before =
        ahead && read_pieces(p, begin, end) == rows ? p->read : 0;
    const int64_t first = run_pieces(p, begin, end);
    const uint64_t read = p->read;
    const int hit = ahead && p->repaired && read != before;

    if (first == rows && !hit
        && (!p->repaired || rows <= p->x->whole.piece || p->keep != NULL))
        return first;
    if (p->keep == NULL && correct && !hit && run_pieces(p, begin, end) == rows
        && (p->read == read || first != rows))
        return rows;
    stfi_cpu_part_note_lost(p, begin);
    return rows;
}

/* Runs rows [begin, end); returns how many. Whether they are one is found twice; in
 * place, a row that was taken for the only one is lost. */
static inline int64_t run_all(stfi_cpu_part *p, int64_t begin, int64_t end)
{
    int64_t done = 0;

    if (p->x->schedule.batch == 1)
        done = run_piece(p, 0, 1);
    __asm__("" : "+r"(done));
    if (done == end - begin)
        return done;
    if (done > 0 && p->keep != NULL)
        stfi_cpu_part_note(p, begin, STFI_FT_UNCORRECTABLE, 0);
    return run_rows(p, begin, end);
}

/* Tells of sums that were stored elsewhere, and have hit the input before it was read:
 * then everything agrees with an input that nobody gave; and of results that were
 * stored elsewhere. */
static void note_strayed(stfi_cpu_part *p)
{
    if (p->strayed)
        stfi_cpu_part_note_lost(p, 0);
}

/* Returns the largest residual of a part, relative to its threshold. */
static double worst_of(const stfi_cpu_part *p)
{
    const double slope = sqrt(stfi_cpu_part_way(p)->limit.most);
    const double ratio = slope > 0
                             ? sqrt(p->worst) / slope
                                   * (double)(STFI_FT_SUSPECT / STFI_FT_REPORT)
                             : 0;

    return ratio > p->ratio ? ratio : p->ratio;
}

static void begin_part(stfi_cpu_part *p, stfi_exec *x, const stfi_buffers *b,
                       int thread, stfi_ft_result *result)
{
    char *scratch = stfi_cpu_exec_tile(x, b->work, thread);

    *p = (stfi_cpu_part){
        .x = x,
        .b = b,
        .result = result,
        .from = b->in,
        .slot = x->schedule.slots > 1 ? thread : 0,
        .scratch = scratch,
        .keep = b->in == b->out ? scratch + x->whole_at[0] : NULL,
        .sums = scratch + x->whole_at[1],
        .packed = scratch + x->whole_at[2],
        .worst = atomic_load_explicit(&x->whole.worst, memory_order_relaxed),
    };
}

/* Adds what a part has seen to the ledger. Only a new largest residual is worth
 * its division. */
static void finish(const stfi_cpu_part *p, int64_t rows)
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
    return stfi_cpu_exec_is_whole_for(x, b->in == b->out)
           && x->whole.way[b->backward][0].check != NULL && b->signature == NULL
           && !b->again;
}

int stfi_cpu_exec_is_end_to_end(const stfi_exec *x, int in_place)
{
    return x->whole.checks > 1 && stfi_cpu_exec_is_whole_for(x, in_place)
           && atomic_load_explicit(&x->faults, memory_order_relaxed) == 0;
}

void stfi_cpu_exec_run_whole(stfi_exec *x, const stfi_buffers *b, int thread,
                             int threads, stfi_ft_result *result)
{
    const int64_t tile = x->whole.tile, batch = x->schedule.batch;
    const int64_t tiles = (batch + tile - 1) / tile;
    int64_t begin = tiles * thread / threads * tile;
    int64_t end = tiles * (thread + 1) / threads * tile;
    stfi_cpu_part p;

    begin_part(&p, x, b, thread, result);
    if (x->whole.shared) {
        stfi_cpu_exec_run_shared(x, b, thread, threads, &p);
        if (thread == 0)
            finish(&p, batch);
        return;
    }
    end = end < batch ? end : batch;
    if (begin >= end)
        return;
    if (run_all(&p, begin, end) != end - begin)
        run_rows(&p, begin, end);
    note_strayed(&p);
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
static int end_briefly(stfi_cpu_part *p, int64_t done, double before)
{
    const int64_t batch = p->x->schedule.batch;

    note_strayed(p);
    /* Another launch would find nothing wrong with an input that was hit. */
    if (!p->strayed && p->result->failed == 0 && (done != batch || p->again)) {
        if (p->keep == NULL)
            return STFI_BRIEF_NOT;
        if (p->brief) {
            put_back(p, batch);
            return STFI_BRIEF_NOT;
        }
        stfi_cpu_part_note(p, 0, STFI_FT_UNCORRECTABLE, 0);
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
    int64_t done;
    double before;
    stfi_cpu_part p;

    if (!stfi_cpu_exec_is_whole_brief(x, way, in == out))
        return STFI_BRIEF_NOT;
    begin_part(&p, x, &b, 0, &result);
    before = p.worst;
    p.brief = p.keep == NULL || batch <= x->whole.piece;
    done = run_all(&p, 0, batch);
    p.strayed |= stfi_cpu_exec_is_astray(x, b.in, b.out);
    return end_briefly(&p, done, before);
}

int stfi_cpu_exec_end_alone(stfi_exec *x, const stfi_brief_way *way,
                            const void *in, void *out, void *work,
                            const stfi_cpu_alone *found)
{
    const stfi_buffers b = buffers_of(way, in, out, work);
    stfi_ft_result result = {.failed = 0};
    double before;
    stfi_cpu_part p;

    begin_part(&p, x, &b, 0, &result);
    before = p.worst;
    p.worst = found->worst;
    p.strayed = found->astray;
    p.brief = 1;
    if (p.keep != NULL)
        p.from = p.keep;
    if (found->sums != NULL)
        note_end(&p, found->sums + x->whole.terms, NULL);
    if (!found->clean || p.strayed) {
        for (; p.by < x->whole.checks; p.by++)
            stfi_cpu_part_settle(&p, 0, stfi_cpu_part_sums(&p), 0, 1);
        p.by = 0;
        return end_briefly(&p, 1, before);
    }
    /* What is right is never put back: that would be transformed twice. */
    finish(&p, 0);
    stfi_cpu_exec_count(x, 1);
    return STF_OK;
}
