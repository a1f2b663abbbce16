/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels of single real arrays that are compiled in, and their tables; see
 * cpu_reals.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/compact/cpu_reals.h"

#include <limits.h>

#include "backends/cpu/compact/cpu_turns.h"
#include "base/alloc.h"
#include "base/type.h"

#define DECLARE(isa)                                              \
    extern const stfi_cpu_reals_kernels stfi_cpu_reals_f32_##isa; \
    extern const stfi_cpu_reals_kernels stfi_cpu_reals_f64_##isa;
#define ROWS(isa) &stfi_cpu_reals_f32_##isa.key, &stfi_cpu_reals_f64_##isa.key,

STFI_EACH_ISA(DECLARE)

/* Wider vectors come first. */
static const stfi_isa_key *const all[] = {STFI_EACH_ISA(ROWS)};

static const stfi_cpu_reals_kernels *find(const char *isa,
                                          stf_precision precision, int64_t most)
{
    return (const void *)stfi_isa_narrow(all, sizeof all / sizeof *all, isa,
                                         precision, most);
}

stfi_cpu_one_fn *stfi_cpu_reals_run(const char *isa, stf_precision precision)
{
    const stfi_cpu_reals_kernels *k = find(isa, precision, INT64_MAX);

    return k != NULL ? k->run : NULL;
}

/* The reals of the real transform, which DCT1 and DST1 extend. */
static int64_t reals_of(const stfi_cpu_row *row)
{
    return row->kind == STF_DCT1   ? 2 * (row->n - 1)
           : row->kind == STF_DST1 ? 2 * (row->n + 1)
                                   : row->n;
}

/* The most lanes of vectors that so many pairs fill. Number 0 is apart, but for
 * DCT4 and DST4. Vectors of R2C and C2R have half as many numbers. */
static int64_t most_lanes(stf_kind kind, int64_t pairs)
{
    if (kind == STF_DCT4 || kind == STF_DST4)
        return pairs;
    return stfi_kind_is_r2r(kind) ? pairs - 1 : 2 * (pairs - 1);
}

/* 1 if a row is always in pairs. */
static int has_ends(const stfi_cpu_row *row)
{
    return row->side[0] != NULL && row->side[0]->order == STFI_ORDER_ENDS;
}

/* Finds the kernels for a row, in pairs if they are many enough. */
static const stfi_cpu_reals_kernels *find_for(const char *isa,
                                              stf_precision precision,
                                              const stfi_cpu_row *row,
                                              int *pairs_p)
{
    const int64_t reals = reals_of(row);
    const stfi_cpu_reals_kernels *k =
        reals % 2 == 0 ? find(isa, precision, most_lanes(row->kind, reals / 2))
                       : NULL;

    *pairs_p = k != NULL || has_ends(row);
    return k != NULL ? k : find(isa, precision, INT64_MAX);
}

int64_t stfi_cpu_reals_length(const char *isa, stf_precision precision,
                              const stfi_cpu_row *row)
{
    int pairs;

    if (find_for(isa, precision, row, &pairs) == NULL)
        return 0;
    return pairs ? reals_of(row) / 2 : reals_of(row);
}

stf_status stfi_cpu_reals_make(const char *isa, stf_precision precision,
                               const stfi_cpu_row *row, stfi_cpu_reals **r_p)
{
    int pairs;
    const stfi_cpu_reals_kernels *k = find_for(isa, precision, row, &pairs);
    const int64_t reals = reals_of(row), n = pairs ? reals / 2 : reals;
    const size_t bytes =
        4 * (size_t)n * (size_t)stfi_type_get(precision)->bytes;
    stfi_cpu_reals *r;
    void *mem;
    stf_status status;

    *r_p = NULL;
    if (k == NULL)
        return STF_OK;
    status = stfi_alloc(sizeof *r + bytes
                            + (pairs ? 0 : 2 * (size_t)n * sizeof *r->place),
                        "the plan's tables", &mem);
    if (status != STF_OK)
        return status;
    r = mem;
    r->n = n;
    r->reals = reals;
    r->scales = pairs && row->kind == STF_R2C;
    r->turned = stfi_cpu_turns_are_back(row->kind);
    r->steps = pairs ? k->pairs[row->kind] : k->whole[row->kind];
    if (!pairs)
        r->place = (int32_t *)(void *)(r->turn + bytes);
    stfi_cpu_turns_write(precision, row, r);
    *r_p = r;
    return STF_OK;
}

void stfi_cpu_reals_free(stfi_cpu_reals *r)
{
    if (r != NULL)
        stfi_cpu_one_free(&r->one);
    stfi_dealloc(r);
}
