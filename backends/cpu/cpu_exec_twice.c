/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executions of which each transform is computed twice, and compared bit by bit: of rows
 * that are so short that sums over them take longer than the transform. Such a check has
 * no threshold, and sees whatever changes a result. Results that differ are replaced by
 * others that two more computations agree on. */
#include <math.h>
#include <string.h>

#include "backends/cpu/cpu_exec_part.h"

/* Rows [begin, end) from `src` to `dst`, of which both have row 0, for the second of two
 * computations. Its scale is that of the check: the other one may have been hit. */
static stfi_cpu_compact_run run_of(const stfi_cpu_part *p, const void *src,
                                   void *dst, int64_t begin, int64_t end)
{
    return (stfi_cpu_compact_run){
        .src = src,
        .dst = dst,
        .scale = stfi_cpu_part_way(p)->check->scale,
        .inverse = p->b->inverse,
        .begin = begin,
        .end = end,
    };
}

static int is_same(const stfi_cpu_part *p, const void *src, void *dst,
                   int64_t begin, int64_t end)
{
    const stfi_cpu_compact *c = p->x->bare->compact;
    const stfi_cpu_compact_run run = run_of(p, src, dst, begin, end);

    return c->kernels->is_same(c, &run);
}

/* The same of a piece; meanwhile the next one comes into cache. */
static int is_piece_same(const stfi_cpu_part *p, int64_t begin, int64_t end)
{
    const stfi_cpu_compact *c = p->x->bare->compact;
    stfi_cpu_compact_run run = run_of(p, p->from, p->b->out, begin, end);

    run.ahead = p->x->whole.ahead;
    return c->kernels->is_same(c, &run);
}

/* 1 if there is something between rows that is not theirs. What is between the shorter
 * rows of a side is of the other side's, in place. */
static int has_gaps(const stfi_cpu_part *p)
{
    const int64_t *step = p->x->schedule.batch_stride;
    const int64_t in = stfi_cpu_part_layout(p, 0)->reals;
    const int64_t out = stfi_cpu_part_layout(p, 1)->reals;

    return p->keep == NULL || step[0] != step[1]
           || step[0] != (in > out ? in : out);
}

/* The bits of rows, of which `from` has row 0. */
static uint64_t bits_of(const stfi_cpu_part *p, int side, const void *from,
                        int64_t begin, int64_t end)
{
    const stfi_cpu_compact *c = p->x->bare->compact;
    const stfi_cpu_compact_run run =
        run_of(p, from, (void *)(uintptr_t)from, begin, end);

    return c->kernels->bits(c, &run, side, has_gaps(p));
}

int64_t stfi_cpu_exec_enter_twice(stfi_cpu_part *p, int64_t begin, int64_t end)
{
    p->bits = bits_of(p, 0, p->b->in, begin, end);
    p->read += p->bits;
    return end - begin;
}

/* The bytes of a row of results. */
static size_t row_bytes(const stfi_cpu_part *p)
{
    return (size_t)stfi_cpu_part_layout(p, 1)->reals
           * stfi_type_get(p->x->schedule.precision)->bytes;
}

/* The address of row 0, if the rows from number `begin` on are at `at`. */
static void *row_0(const stfi_cpu_part *p, void *at, int side, int64_t begin)
{
    return (void *)((uintptr_t)at
                    - (uintptr_t)(begin * stfi_cpu_part_row_bytes(p->x, side)));
}

/* Computes rows twice more, to memory for both. Returns 1 if the results agree. */
static int compute_apart(const stfi_cpu_part *p, char *to, int64_t begin,
                         int64_t end)
{
    const stfi_cpu_compact *c = p->x->bare->compact;
    const size_t bytes = stfi_cpu_round_up(p->x->whole.terms);
    const int64_t step = stfi_cpu_part_row_bytes(p->x, 1);
    const stfi_cpu_compact_run other =
        run_of(p, p->from, row_0(p, to + bytes, 1, begin), begin, end);
    int64_t row = begin;

    stfi_cpu_part_compute(p, p->from, row_0(p, to, 1, begin), begin, end);
    c->kernels->run(c, &other);
    for (; row < end; row++, to += step)
        if (memcmp(to, to + bytes, row_bytes(p)) != 0)
            return 0;
    return 1;
}

/* 1 if results are added up when they have been compared: from end to end, in place,
 * where a store that went astray may have hit those of pieces before, which nothing can
 * compute again. */
static int watches_output(const stfi_cpu_part *p)
{
    return p->keep != NULL && p->x->whole.checks > 1;
}

/* Returns how far into a row its results have an element of the input where `fresh` has
 * another one, which was not stored there; -1: nowhere. */
static int64_t find_missing(const stfi_cpu_part *p, const char *result,
                            const char *fresh, int64_t row)
{
    const int64_t step = stfi_cpu_part_row_bytes(p->x, 0);
    const size_t real = stfi_type_get(p->x->schedule.precision)->bytes;
    const size_t of_input = (size_t)stfi_cpu_part_layout(p, 0)->reals * real;
    const char *input = (const char *)p->from + row * step;

    if (p->keep == NULL || step != stfi_cpu_part_row_bytes(p->x, 1))
        return -1;
    for (size_t at = 0; at + 2 * real <= of_input; at += 2 * real)
        if (at + 2 * real <= row_bytes(p)
            && memcmp(result + at, input + at, 2 * real) == 0
            && memcmp(result + at, fresh + at, 2 * real) != 0)
            return (int64_t)at;
    return -1;
}

/* 1 if an element that is missing from a row of results lies among those of other rows.
 * In place, a store that went astray has spoilt what it hit, of which nothing tells but
 * sums from end to end. To find it takes as long as to read all rows, so only the first
 * row of a piece is looked for. */
static int is_elsewhere(const stfi_cpu_part *p, const char *result,
                        const char *fresh, int64_t row)
{
    const int64_t step = stfi_cpu_part_row_bytes(p->x, 1);
    const int64_t pair =
        2 * (int64_t)stfi_type_get(p->x->schedule.precision)->bytes;
    const char *rows = (const char *)p->b->out;
    const int64_t end = (p->end - 1) * step + (int64_t)row_bytes(p);
    const int64_t missing =
        watches_output(p) ? -1 : find_missing(p, result, fresh, row);

    for (int64_t at = p->first * step; missing >= 0 && at + pair <= end;
         at += pair)
        if (memcmp(rows + at, fresh + missing, (size_t)pair) == 0)
            return 1;
    return 0;
}

/* Replaces the rows of a tile that are not what `fresh` has, if that is wanted. */
static void replace(stfi_cpu_part *p, const char *fresh, int64_t begin,
                    int64_t end)
{
    const int64_t step = stfi_cpu_part_row_bytes(p->x, 1);
    const int correct = p->x->pass[0].p.check.correct;
    int astray = 0;

    for (int64_t row = begin; row < end; row++, fresh += step) {
        char *result = (char *)p->b->out + row * step;
        if (memcmp(result, fresh, row_bytes(p)) == 0)
            continue;
        astray |= !p->looked && is_elsewhere(p, result, fresh, row);
        p->looked = 1;
        if (correct)
            memcpy(result, fresh, row_bytes(p));
        if (astray)
            stfi_cpu_part_note_lost(p, row);
        else
            stfi_cpu_part_note(
                p, row, correct ? STFI_FT_RECOMPUTED : STFI_FT_DETECTED, 0);
    }
}

/* Notes the rows of a tile whose results, in `fresh`, are not finite, and why. Returns 1
 * if there are some. */
static int note_infinite(stfi_cpu_part *p, const char *fresh, int64_t begin,
                         int64_t end)
{
    const stf_precision precision = p->x->schedule.precision;
    const int64_t reals = stfi_cpu_part_layout(p, 1)->reals;
    int found = 0;

    for (int64_t row = begin; row < end; row++) {
        int64_t i = 0;
        while (i < reals && isfinite(stfi_type_read(precision, fresh, i)))
            i++;
        found |= i < reals;
        if (i < reals)
            stfi_cpu_part_note_as_found(p, row);
        fresh += stfi_cpu_part_row_bytes(p->x, 1);
    }
    return found;
}

/* Finds out what the rows of a tile are: as long as the input of their piece, rows
 * [first, last), is what it was. */
static void settle(stfi_cpu_part *p, int64_t begin, int64_t end, int64_t first,
                   int64_t last)
{
    char *fresh = p->sums;

    for (int i = 0; i < STFI_FT_ATTEMPTS; i++) {
        if (bits_of(p, 0, p->from, first, last) != p->bits)
            break;
        if (!compute_apart(p, fresh, begin, end))
            continue;
        replace(p, fresh, begin, end);
        if (is_same(p, p->from, p->b->out, begin, end)
            || note_infinite(p, fresh, begin, end)
            || !p->x->pass[0].p.check.correct)
            return;
    }
    stfi_cpu_part_note_lost(p, begin);
}

/* Sums up the input of a piece again: the first sum may have been wrong. Returns 1 if it
 * was. */
static int is_sum_mended(stfi_cpu_part *p, int64_t begin, int64_t end)
{
    const uint64_t again = bits_of(p, 0, p->b->in, begin, end), was = p->bits;

    p->read += again - was;
    p->bits = again;
    return again != was;
}

/* Keeps rows of the input that will be overwritten. A copy that is wrong is made
 * again, as long as they are there; it may be elsewhere. */
static void keep(stfi_cpu_part *p, int64_t begin, int64_t end)
{
    p->from = row_0(p, p->keep, 0, begin);
    for (int i = 0; i < 2; i++) {
        stfi_cpu_part_copy(p, stfi_cpu_part_row(p->x, p->b, 0, begin), p->keep,
                           end - begin);
        if (bits_of(p, 0, p->from, begin, end) == p->bits)
            return;
        p->repaired |= !is_sum_mended(p, begin, end);
    }
}

/* The bits of the tiles before and behind a piece, where results are watched: a kernel
 * that does not begin or end where it should spoils one of them, with nothing wrong in
 * between. Rows of other threads change all the time. */
static uint64_t bits_around(const stfi_cpu_part *p, int64_t begin, int64_t end)
{
    const int64_t tile = p->x->whole.tile;
    uint64_t bits = 0;

    if (watches_output(p) && begin - p->first >= tile)
        bits += bits_of(p, 0, p->b->in, begin - tile, begin);
    if (watches_output(p) && p->end - end >= tile)
        bits += bits_of(p, 0, p->b->in, end, end + tile);
    return bits;
}

int64_t stfi_cpu_exec_run_twice(stfi_cpu_part *p, int64_t begin, int64_t end)
{
    /* Read anew for each use: a number that is hit is wrong once, and not for both
     * computations alike. */
    const volatile int64_t first = begin, last = end;
    const int64_t tile = p->x->whole.tile;
    int64_t row = begin, next;
    uint64_t around;

    p->looked = 0;
    stfi_cpu_exec_enter_twice(p, first, last);
    if (p->keep != NULL)
        keep(p, first, last);
    around = bits_around(p, first, last);
    stfi_cpu_part_compute(p, p->b->in, p->b->out, first, last);
    if (bits_around(p, first, last) != around
        && bits_around(p, first, last) != around)
        stfi_cpu_part_note_lost(p, last);
    if (is_piece_same(p, first, last))
        row = end;
    for (; row < end; row = next) {
        next = end - row < tile ? end : row + tile;
        if (!is_same(p, p->from, p->b->out, row, next))
            settle(p, row, next, first, last);
    }
    if (watches_output(p))
        p->stored += bits_of(p, 1, p->b->out, first, last);
    return last - first;
}

void stfi_cpu_exec_end_twice(stfi_cpu_part *p, int64_t begin, int64_t end)
{
    if (watches_output(p) && p->repaired
        && bits_of(p, 1, p->b->out, begin, end) != p->stored)
        stfi_cpu_part_note_lost(p, begin);
}
