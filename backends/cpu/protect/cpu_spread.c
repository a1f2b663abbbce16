/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows with gaps; see cpu_spread.h. */
#include "backends/cpu/protect/cpu_spread.h"

#include <string.h>

/* Adds a loop around those that there are: from the innermost one on, backwards. Two of
 * which one goes on where the other ends are one. */
static void add_loop(stfi_cpu_spread *s, int64_t n, int64_t step,
                     int64_t packed)
{
    const int last = s->rank - 1;

    if (s->rank > 0 && step == s->n[last] * s->step[last]) {
        s->n[last] *= n;
        return;
    }
    s->n[s->rank] = n;
    s->step[s->rank] = step;
    s->packed[s->rank++] = packed;
}

/* Turns the loops around, so that the outermost one comes first. */
static void turn_loops(stfi_cpu_spread *s)
{
    for (int i = 0, j = s->rank - 1; i < j; i++, j--) {
        const int64_t n = s->n[i], step = s->step[i], packed = s->packed[i];

        s->n[i] = s->n[j];
        s->step[i] = s->step[j];
        s->packed[i] = s->packed[j];
        s->n[j] = n;
        s->step[j] = step;
        s->packed[j] = packed;
    }
}

int stfi_cpu_spread_find(const stfi_ft_side *side, size_t bytes,
                         stfi_cpu_spread *s)
{
    const int64_t size = (int64_t)bytes;
    int64_t run = side->parts;

    *s = (stfi_cpu_spread){.span = side->parts};
    for (int a = side->rank - 1; a >= 0; a--) {
        if (side->n[a] == 1)
            continue;
        if (side->stride[a] < side->parts)
            return 0;
        s->span += (side->n[a] - 1) * side->stride[a];
        if (s->rank == 0 && side->stride[a] == run)
            run *= side->n[a];
        else
            add_loop(s, side->n[a], side->stride[a] * size,
                     side->below[a] * side->parts * size);
    }
    s->run = (size_t)(run * size);
    turn_loops(s);
    return 1;
}

/* Runs of up to 128 bytes are copied without a call for each, as two halves of a known
 * length that may overlap. */
#define COPY_RUNS(half)                                          \
    for (int64_t i = 0; i < n; i++) {                            \
        const char *at = from + i * step;                        \
        char *put = to + i * to_step;                            \
        memcpy(put, at, half);                                   \
        memcpy(put + (run - (half)), at + (run - (half)), half); \
    }                                                            \
    return;

static void copy_runs(size_t run, int64_t n, const char *from, int64_t step,
                      char *to, int64_t to_step)
{
    if (run == 4) {
        COPY_RUNS(4)
    }
    if (run >= 8 && run <= 16) {
        COPY_RUNS(8)
    }
    if (run > 16 && run <= 32) {
        COPY_RUNS(16)
    }
    if (run > 32 && run <= 64) {
        COPY_RUNS(32)
    }
    if (run > 64 && run <= 128) {
        COPY_RUNS(64)
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * to_step, from + i * step, run);
}

static void copy(const stfi_cpu_spread *s, int loop, const char *from,
                 const int64_t *to_step, char *to)
{
    if (loop >= s->rank - 1) {
        copy_runs(s->run, s->n[loop], from, s->step[loop], to, to_step[loop]);
        return;
    }
    for (int64_t i = 0; i < s->n[loop]; i++)
        copy(s, loop + 1, from + i * s->step[loop], to_step,
             to + i * to_step[loop]);
}

/* Copies rows, at once if the runs of all have one distance. */
static void copy_rows(const stfi_cpu_spread *s, int64_t rows, const char *from,
                      int64_t step, char *to, const int64_t *to_step,
                      int64_t to_row)
{
    if (s->rank == 1 && step == s->n[0] * s->step[0]
        && to_row == s->n[0] * to_step[0]) {
        copy_runs(s->run, rows * s->n[0], from, s->step[0], to, to_step[0]);
        return;
    }
    for (int64_t i = 0; i < rows; i++)
        copy(s, 0, from + i * step, to_step, to + i * to_row);
}

void stfi_cpu_spread_gather(const stfi_cpu_spread *s, int64_t rows,
                            const void *from, int64_t step, void *to,
                            int64_t packed)
{
    copy_rows(s, rows, from, step, to, s->packed, packed);
}

void stfi_cpu_spread_copy(const stfi_cpu_spread *s, int64_t rows,
                          const void *from, int64_t step, void *to)
{
    copy_rows(s, rows, from, step, to, s->step, step);
}
