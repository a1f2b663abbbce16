/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels of single real arrays that are compiled in, and their tables; see
 * cpu_reals.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/compact/cpu_reals.h"

#include <limits.h>

#include "base/alloc.h"
#include "base/type.h"
#include "math/roots.h"

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

/* Finds the kernels for so many numbers, in pairs if they are many enough. */
static const stfi_cpu_reals_kernels *
find_for(const char *isa, stf_precision precision, int64_t reals, int *pairs_p)
{
    const stfi_cpu_reals_kernels *k =
        reals % 2 == 0 ? find(isa, precision, 2 * (reals / 2 - 1)) : NULL;

    *pairs_p = k != NULL;
    return k != NULL ? k : find(isa, precision, INT64_MAX);
}

int64_t stfi_cpu_reals_length(const char *isa, stf_precision precision,
                              int64_t reals)
{
    int pairs;

    if (find_for(isa, precision, reals, &pairs) == NULL)
        return 0;
    return pairs ? reals / 2 : reals;
}

static void write_turns(stf_precision precision, stfi_cpu_reals *r)
{
    for (int64_t k = 0; k < r->n; k++) {
        long double re, im;
        stfi_root_l((uint64_t)k, (uint64_t)r->reals, &re, &im);
        for (int part = 0; part < 2; part++) {
            stfi_type_write(precision, r->turn, 2 * k + part, im);
            stfi_type_write(precision, r->turn, 2 * (r->n + k) + part,
                            part ? -re : re);
        }
    }
}

stf_status stfi_cpu_reals_make(const char *isa, stf_precision precision,
                               int64_t reals, int back, stfi_cpu_reals **r_p)
{
    const int64_t half = reals / 2;
    int pairs;
    const stfi_cpu_reals_kernels *k = find_for(isa, precision, reals, &pairs);
    stfi_cpu_reals *r;
    void *mem;
    stf_status status;

    *r_p = NULL;
    if (k == NULL)
        return STF_OK;
    status = stfi_alloc(
        sizeof *r
            + (pairs ? (size_t)(4 * half) * stfi_type_get(precision)->bytes
                     : 0),
        "the plan's tables", &mem);
    if (status != STF_OK)
        return status;
    r = mem;
    r->n = pairs ? half : reals;
    r->reals = reals;
    r->scales = pairs && !back;
    r->before = pairs ? (back ? k->join : NULL) : back ? k->mirror : k->widen;
    r->after = pairs ? (back ? NULL : k->separate) : back ? k->narrow : k->cut;
    if (pairs)
        write_turns(precision, r);
    *r_p = r;
    return STF_OK;
}

void stfi_cpu_reals_free(stfi_cpu_reals *r)
{
    if (r != NULL)
        stfi_cpu_one_free(&r->one);
    stfi_dealloc(r);
}
