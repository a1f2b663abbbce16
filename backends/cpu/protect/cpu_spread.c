/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows with gaps; see cpu_spread.h. */
#include "backends/cpu/protect/cpu_spread.h"

#include <string.h>

int stfi_cpu_spread_find(const stfi_ft_side *side, size_t bytes,
                         stfi_cpu_spread *s)
{
    int64_t run = side->parts, loops = 0;

    *s = (stfi_cpu_spread){.span = side->parts};
    for (int a = side->rank - 1; a >= 0; a--) {
        if (side->n[a] == 1)
            continue;
        if (side->stride[a] < side->parts)
            return 0;
        s->span += (side->n[a] - 1) * side->stride[a];
        if (loops == 0 && side->stride[a] == run)
            run *= side->n[a];
        else
            loops++;
    }
    s->run = (size_t)run * bytes;
    s->rank = (int)loops;
    for (int a = side->rank - 1; a >= 0 && loops > 0; a--)
        if (side->n[a] > 1 && side->below[a] * side->parts >= run) {
            loops--;
            s->n[loops] = side->n[a];
            s->step[loops] = side->stride[a] * (int64_t)bytes;
            s->packed[loops] = side->below[a] * side->parts * (int64_t)bytes;
        }
    return 1;
}

/* Runs of a known length are copied without a call for each. */
#define COPY_RUNS(length)           \
    for (int64_t i = 0; i < n; i++) \
        memcpy(to + i * to_step, from + i * step, length);

static void copy_runs(size_t run, int64_t n, const char *from, int64_t step,
                      char *to, int64_t to_step)
{
    switch (run) {
    case 4: COPY_RUNS(4) break;
    case 8: COPY_RUNS(8) break;
    case 16: COPY_RUNS(16) break;
    default: COPY_RUNS(run)
    }
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

void stfi_cpu_spread_gather(const stfi_cpu_spread *s, const void *from,
                            void *to)
{
    copy(s, 0, from, s->packed, to);
}

void stfi_cpu_spread_copy(const stfi_cpu_spread *s, const void *from, void *to)
{
    copy(s, 0, from, s->step, to);
}
