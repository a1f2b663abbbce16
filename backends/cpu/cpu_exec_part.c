/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of executions with checks as a whole; see cpu_exec_part.h. The kernels are those
 * of an executable without checks. Rows that are not clean are looked at by the sums of
 * stf_check_fft(), which take data of any size, and computed again by the same
 * kernels. */
#include "backends/cpu/cpu_exec_part.h"

#include <math.h>
#include <string.h>

#include "base/fp_env.h"

/* --------------------------------------------------------------- kernels */

/* Computes rows [begin, end) by passes, as a chunk of their own: each pass over all
 * of them. */
static void compute_passes(const stfi_cpu_part *p, const void *src, void *dst,
                           int64_t begin, int64_t end)
{
    static const stfi_cpu_team alone = {0, 1};
    stfi_buffers own = *p->b;

    own.in = src;
    own.out = dst;
    stfi_cpu_exec_run_passes(p->x->bare, &own, p->slot, p->scratch, begin, end,
                             &alone);
}

void stfi_cpu_part_compute(const stfi_cpu_part *p, const void *src, void *dst,
                           int64_t begin, int64_t end)
{
    const stfi_cpu_compact *c = p->x->bare->compact;
    const stfi_buffers *b = p->b;
    const int64_t ahead = p->x->whole.ahead;

    if (c == NULL) {
        compute_passes(p, src, dst, begin, end);
    } else if (c->one.run != NULL && p->x->schedule.batch == 1) {
        c->one.run(src, dst, c->one.table, b->scale, b->inverse);
    } else {
        const stfi_cpu_compact_run run = {
            .src = src,
            .dst = dst,
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

const void *stfi_cpu_part_without_gaps(const stfi_cpu_part *p, int side,
                                       const void *at, int64_t rows)
{
    const stfi_cpu_whole_side *s = stfi_cpu_part_layout(p, side);
    const int64_t bytes =
        s->reals * (int64_t)stfi_type_get(p->x->schedule.precision)->bytes;

    if (s->spread.rank == 0)
        return at;
    stfi_cpu_spread_gather(&s->spread, rows, at,
                           stfi_cpu_part_row_bytes(p->x, side), p->packed,
                           bytes);
    return p->packed;
}

void stfi_cpu_part_copy(const stfi_cpu_part *p, const void *from, void *to,
                        int64_t rows)
{
    const stfi_cpu_whole_side *side = stfi_cpu_part_layout(p, 0);
    const int64_t step = stfi_cpu_part_row_bytes(p->x, 0);

    if (side->spread.rank == 0) {
        memcpy(to, from,
               (size_t)((rows - 1) * step)
                   + (size_t)side->reals
                         * stfi_type_get(p->x->schedule.precision)->bytes);
        return;
    }
    stfi_cpu_spread_copy(&side->spread, rows, from, step, to);
}

/* -------------------------------------------------------------- settling */

/* Computes row `row` again, with all of its tile, which gives the other rows the
 * values that they have. */
static void compute_again(stfi_cpu_part *p, int64_t row)
{
    const stfi_exec *x = p->x;
    const int64_t tile = x->whole.tile, begin = row / tile * tile;
    const int64_t end = begin + tile;

    stfi_cpu_part_compute(p, p->from, p->b->out, begin,
                          end < x->schedule.batch ? end : x->schedule.batch);
}

void stfi_cpu_part_note(stfi_cpu_part *p, int64_t row, stfi_ft_outcome outcome,
                        double ratio)
{
    const stf_ft_event event = {-1, p->b->first_signal + row, ratio};

    if (outcome == STFI_FT_CHECKED)
        return;
    p->told = 1;
    if (outcome == STFI_FT_OVERFLOWED && p->brief) {
        p->again = 1;
        return;
    }
    p->repaired |= outcome == STFI_FT_RECOMPUTED;
    stfi_cpu_exec_note(p->x, p->result, outcome, &event);
}

void stfi_cpu_part_note_lost(stfi_cpu_part *p, int64_t row)
{
    stfi_cpu_part_note(p, row,
                       p->x->pass[0].p.check.correct ? STFI_FT_UNCORRECTABLE
                                                     : STFI_FT_DETECTED,
                       0);
}

/* Looks at a row by the sums of stf_check_fft(). Returns the verdict. */
static int look(stfi_cpu_part *p, const stfi_ft_offline *check, int64_t row,
                stfi_ft_history *h)
{
    const stfi_ft_group in = stfi_ft_offline_in(
        check, p->from + row * stfi_cpu_part_row_bytes(p->x, 0));
    const stfi_ft_group d = stfi_ft_offline_out(
        check, &in, (char *)p->b->out + row * stfi_cpu_part_row_bytes(p->x, 1));
    const double ratio = stfi_ft_look(&check->bound, &d, h);

    if (isfinite(ratio) && ratio > p->ratio)
        p->ratio = ratio;
    return h->state.verdict;
}

/* Notes what came of the looks at a row. */
static void note_history(stfi_cpu_part *p, int64_t row,
                         const stfi_ft_history *h)
{
    const stfi_ft_remedy remedy =
        p->x->pass[0].p.check.correct ? STFI_FT_REPEAT : STFI_FT_REPORT_ONLY;

    stfi_cpu_part_note(p, row, stfi_ft_find(h, remedy), h->ratio);
}

void stfi_cpu_part_note_as_found(stfi_cpu_part *p, int64_t row)
{
    STFI_FP_GUARD; /* see stfi_cpu_part_settle() */
    stfi_ft_history h = {.ratio = 0};

    do
        look(p, stfi_cpu_part_way(p)->check, row, &h);
    while (h.state.looks <= STFI_FT_ATTEMPTS && !stfi_ft_is_settled(&h.state));
    note_history(p, row, &h);
}

/* 1 if the input has other sums than `terms`, those that it had: of the group of
 * `rows` rows from `begin` on, or of the only row. */
static int has_changed(stfi_cpu_part *p, int64_t row, const void *terms,
                       int64_t begin, int64_t rows)
{
    const stfi_cpu_whole_kernels *k = p->x->whole.kernels;
    const stfi_cpu_whole_side *side = &stfi_cpu_part_way(p)->side[0];
    _Alignas(STFI_ALIGN) unsigned char now[STFI_CPU_MOST_TERMS];
    const void *src;

    if (p->x->whole.shared)
        return stfi_cpu_exec_share_changed(p, row, begin);
    src = stfi_cpu_part_without_gaps(
        p, 0, p->from + begin * stfi_cpu_part_row_bytes(p->x, 0), rows);
    if (p->x->whole.alone)
        side->enter(side, src, now);
    else
        k->enter_rows(side, src, rows, now);
    return memcmp(now, terms, stfi_cpu_whole_terms(&p->x->whole)) != 0;
}

/* 1 if the first check, which is judged before, has told of the row and was not settled:
 * another one would tell the same. */
static int is_told(stfi_cpu_part *p, int64_t row)
{
    const stfi_ft_offline *first = p->x->whole.way[p->b->backward][0].check;
    stfi_ft_history h = {.ratio = 0};

    return p->told && p->by > 0 && look(p, first, row, &h) > STFI_FT_SUSPICIOUS;
}

void stfi_cpu_part_settle(stfi_cpu_part *p, int64_t row, const void *terms,
                          int64_t begin, int64_t rows)
{
    STFI_FP_GUARD; /* brief launches have none for the x87, which this look takes */
    const stfi_ft_offline *check = stfi_cpu_part_way(p)->check;
    const int correct = p->x->pass[0].p.check.correct;
    stfi_ft_history h = {.ratio = 0};

    if (is_told(p, row))
        return;
    if (look(p, check, row, &h) != STFI_FT_CLEAN && correct
        && has_changed(p, row, terms, begin, rows)) {
        stfi_cpu_part_note(p, row, STFI_FT_UNCORRECTABLE, h.ratio);
        return;
    }
    for (int i = 0;
         i < STFI_FT_ATTEMPTS && correct && !stfi_ft_is_settled(&h.state);
         i++) {
        compute_again(p, row);
        look(p, check, row, &h);
    }
    note_history(p, row, &h);
}
