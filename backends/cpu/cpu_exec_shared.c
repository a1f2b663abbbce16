/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executions with checks as a whole whose threads share each transform, as they share its
 * passes: each sums up a share of the input and, when all passes are done, of the output.
 * The first thread adds up these sums, judges, and settles what is not clean while the
 * others wait. */
#include <string.h>

#include "backends/cpu/cpu_exec_part.h"
#include "base/team.h"

/* A thread among those that share. */
typedef struct member {
    stfi_exec *x;
    const stfi_buffers *b;
    stfi_cpu_team t;
} member;

/* Where a thread's sums of a row of a chunk are. */
static char *sums_of(const member *m, int thread, int check, int side,
                     int64_t row)
{
    const stfi_cpu_whole *w = &m->x->whole;

    return stfi_cpu_exec_tile(m->x, m->b->work, thread) + m->x->whole_at[1]
           + (size_t)check * stfi_cpu_round_up(w->terms)
           + (size_t)(2 * row + side) * stfi_cpu_whole_terms(w);
}

/* Whether all transforms have to be computed once more, which the first thread says. */
static int *again_of(const member *m)
{
    return (int *)(void *)(sums_of(m, 0, 0, 0, 0) + m->x->whole.terms
                           - STFI_CPU_WHOLE_WORD);
}

/* -------------------------------------------------------------------- sums */

/* The share of a row that a thread sums up: whole lines, or vectors of the only line, the
 * last one with what is behind them. *at: its first real. */
static stfi_cpu_whole_side share_of(const stfi_exec *x,
                                    const stfi_cpu_whole_side *all, int thread,
                                    int threads, int64_t *at)
{
    const int64_t lanes = x->whole.kernels->key.lanes;
    const size_t bytes = stfi_type_get(x->schedule.precision)->bytes;
    const int64_t units = all->lines > 1 ? all->lines : all->vectors;
    const int64_t begin = units * thread / threads;
    const int64_t end = units * (thread + 1) / threads;
    stfi_cpu_whole_side s = *all;

    if (all->lines > 1) {
        const int64_t line = all->reals / all->lines;
        *at = begin * line;
        s.lines = end - begin;
        s.reals = s.lines * line;
        s.outer = (const char *)all->outer + 2 * (size_t)begin * bytes;
        return s;
    }
    *at = begin * lanes;
    s.vectors = end - begin;
    s.rest = thread == threads - 1 ? all->rest : 0;
    s.reals = thread == threads - 1 ? all->reals - *at : s.vectors * lanes;
    for (int c = 0; c < 2; c++)
        s.plane[c] = (const char *)all->plane[c] + (size_t)*at * bytes;
    return s;
}

/* Sums up a thread's share of a row of one side. */
static void sum_share(const member *m, int thread, int check, int side,
                      const char *row, char *terms)
{
    const stfi_exec *x = m->x;
    const stfi_cpu_whole_side *all =
        &x->whole.way[m->b->backward][check].side[side];
    int64_t at;
    const stfi_cpu_whole_side s = share_of(x, all, thread, m->t.threads, &at);
    const size_t bytes = stfi_type_get(x->schedule.precision)->bytes;

    if (s.reals > 0)
        s.enter(&s, row + (size_t)at * bytes, terms);
    else
        memset(terms, 0, stfi_cpu_whole_terms(&x->whole));
}

/* Sums up this thread's share of rows [first, first + rows) of a side, by all checks. */
static void sum_rows(const member *m, int side, int64_t first, int64_t rows)
{
    for (int c = 0; c < m->x->whole.checks; c++)
        for (int64_t r = 0; r < rows; r++)
            sum_share(m, m->t.thread, c, side,
                      stfi_cpu_part_row(m->x, m->b, side, first + r),
                      sums_of(m, m->t.thread, c, side, r));
}

/* ---------------------------------------------------------------- verdicts */

/* The sum of a row, from the shares of all threads. */
typedef struct total {
    double re, im, power;
} total;

static total total_of(const member *m, int check, int side, int64_t row)
{
    const int lanes = m->x->whole.kernels->key.lanes;
    const int single = m->x->schedule.precision == STF_F32;
    total t = {0, 0, 0};

    for (int k = 0; k < m->t.threads; k++) {
        const void *at = sums_of(m, k, check, side, row);
        for (int l = 0; l < lanes; l++) {
            const double sum =
                single ? ((const float *)at)[l] : ((const double *)at)[l];
            const double power = single ? ((const float *)at)[lanes + l]
                                        : ((const double *)at)[lanes + l];
            t.re += l % 2 ? 0 : sum;
            t.im += l % 2 ? sum : 0;
            t.power += l % 2 ? 0 : power; /* both of a pair have their sum */
        }
    }
    return t;
}

/* 1 if the residual of a row of a chunk is small; raises *worst as judges of rows do. */
static int is_clean(const member *m, int check, int64_t row, double *worst)
{
    const stfi_cpu_whole *w = &m->x->whole;
    const stfi_cpu_whole_limit *limit = &w->way[m->b->backward][check].limit;
    const total in = total_of(m, check, 0, row);
    const total out = total_of(m, check, 1, row);
    const double re = out.re * limit->factor - in.re;
    const double im = out.im * limit->factor - in.im;
    const double squared = re * re + im * im;

    if (!(in.power > w->kernels->least_power
          && in.power < w->kernels->most_power
          && squared <= limit->most * in.power))
        return in.power == 0 && re == 0 && im == 0;
    if (!(squared <= *worst * in.power))
        *worst = squared / in.power;
    return 1;
}

/* Judges the rows of a chunk by all checks. */
static void judge(const member *m, stfi_cpu_part *p, int64_t first,
                  int64_t rows)
{
    for (int64_t r = 0; r < rows; r++)
        for (int k = 0; k < m->t.threads; k++)
            p->read += stfi_cpu_part_bits(sums_of(m, k, 0, 0, r),
                                          stfi_cpu_whole_terms(&m->x->whole));
    p->told = 0;
    for (p->by = 0; p->by < m->x->whole.checks; p->by++)
        for (int64_t r = 0; r < rows; r++)
            if (!is_clean(m, p->by, r, &p->worst))
                stfi_cpu_part_settle(p, first + r, NULL, r, 1);
    p->by = 0;
}

int stfi_cpu_exec_share_changed(const stfi_cpu_part *p, int64_t row, int64_t r)
{
    const member m = {p->x, p->b, {0, p->team}};
    const size_t bytes = stfi_cpu_whole_terms(&p->x->whole);
    _Alignas(STFI_ALIGN) unsigned char now[STFI_CPU_MOST_TERMS];
    int changed = 0;

    for (int k = 0; k < m.t.threads; k++) {
        sum_share(&m, k, p->by, 0, stfi_cpu_part_row(p->x, p->b, 0, row),
                  (char *)now);
        changed |= memcmp(now, sums_of(&m, k, p->by, 0, r), bytes) != 0;
    }
    return changed;
}

/* -------------------------------------------------------------- executions */

/* Runs all chunks once. */
static void run_chunks(const member *m, stfi_cpu_part *p)
{
    const stfi_schedule *s = &m->x->schedule;

    for (int64_t first = 0, rows; first < s->batch; first += rows) {
        rows = s->batch - first < s->chunk ? s->batch - first : s->chunk;
        sum_rows(m, 0, first, rows);
        stfi_team_meet(m->t.threads);
        stfi_cpu_exec_run_passes(
            m->x->bare, m->b, 0,
            stfi_cpu_exec_tile(m->x, m->b->work, m->t.thread), first,
            first + rows, &m->t);
        sum_rows(m, 1, first, rows);
        stfi_team_meet(m->t.threads);
        if (m->t.thread == 0)
            judge(m, p, first, rows);
        stfi_team_meet(m->t.threads);
    }
}

void stfi_cpu_exec_run_shared(stfi_exec *x, const stfi_buffers *b, int thread,
                              int threads, stfi_cpu_part *p)
{
    const member m = {x, b, {thread, threads}};
    uint64_t read;

    p->team = threads;
    run_chunks(&m, p);
    if (x->schedule.batch <= x->schedule.chunk)
        return;
    /* A store to a wrong address may have hit what was judged already. */
    if (thread == 0)
        *again_of(&m) = p->repaired;
    stfi_team_meet(threads);
    if (!*again_of(&m))
        return;
    read = p->read;
    p->read = 0;
    run_chunks(&m, p);
    if (p->read
        != read) /* the input is another one; only the first thread reads */
        stfi_cpu_part_note(p, 0, STFI_FT_UNCORRECTABLE, 0);
}
