/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Candidates of matrix products on the CPU: other depths of blocks, rows and columns
 * of tiles, and rows of blocks. Results have the same bits for each of them, as sums
 * go on from block to block. */
#include <stddef.h>

#include "backends/cpu/gemm/cpu_gemm.h"
#include "backends/cpu/gemm/gemm_exec.h"

/* No size is useful beyond this. */
enum { MOST = 4096, LEAST_DEPTH = 32 };

/* What may be changed. */
typedef struct sort {
    size_t at;            /* where it is in a choice */
    int64_t now;          /* what it is */
    int64_t least, whole; /* what it can be */
} sort;

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Appends the choices of a sort. `like` says what else the plan has. */
static int append(const sort *s, int each, const stfi_gemm_choice *like,
                  stfi_gemm_choice *list)
{
    static const double times[] = {2, 0.5, 4, 0.25};
    const int64_t most = least_of(s->whole, MOST);
    int64_t before = s->now;
    int count = 0;

    for (int i = 0; i < each && i < (int)(sizeof times / sizeof *times); i++) {
        const int64_t value =
            least_of((int64_t)(times[i] * (double)s->now), most);

        /* Of what is the whole already, there is no more. */
        if (value < s->least || value == before
            || (times[i] > 1 && value <= s->now))
            continue;
        before = value;
        list[count] = *like;
        *(int64_t *)(void *)((char *)&list[count++] + s->at) = value;
    }
    return count;
}

int stfi_cpu_gemm_candidates(const stfi_gemm_exec *e, int each,
                             stfi_gemm_choice list[STFI_GEMM_CANDIDATES])
{
    const stfi_gemm *g = &e->gemm;
    const int64_t mr = e->kernels->mr, nr = e->kernels->nr;
    stfi_gemm_choice tiles = g->choice;
    const int64_t n = e->checked ? least_of(g->n, STFI_CPU_GEMM_COLS) : g->n;
    const sort depth = {offsetof(stfi_gemm_choice, depth),
                        least_of(e->kc, g->k), LEAST_DEPTH, g->k};
    const sort rows = {offsetof(stfi_gemm_choice, rows),
                       least_of(e->tile_m, g->m), mr, g->m};
    const sort cols = {offsetof(stfi_gemm_choice, cols), least_of(e->tile_n, n),
                       nr, n};
    const sort block = {offsetof(stfi_gemm_choice, block),
                        least_of(e->mc, e->tile_m), mr, e->tile_m};
    int count = 0;

    /* The side that stays is as it is, and not as the model would have it beside the
     * other one. */
    tiles.rows = e->tile_m;
    tiles.cols = e->tile_n;
    count += append(&depth, each, &g->choice, list);
    count += append(&rows, each, &tiles, list + count);
    count += append(&cols, each, &tiles, list + count);
    return count + append(&block, each, &g->choice, list + count);
}
