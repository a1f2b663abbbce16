/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checking, placing and drawing faults of matrix products; see
 * gemm_fault.h. */
#include "ft/gemm_fault.h"

#include <inttypes.h>
#include <math.h>

#include "base/random.h"
#include "base/status.h"
#include "base/type.h"

static int bits_of(const stfi_gemm *g)
{
    return 8 * (int)stfi_type_arithmetic(g->precision)->bytes;
}

stf_status stfi_gemm_fault_check(const stfi_gemm *g, const stf_fault *f)
{
    const struct {
        const char *name;
        int64_t value, least, most;
    } rows[] = {
        {"pass", f->pass, 0, 0},
        {"signal", f->signal, 0, g->batch - 1},
        {"element", f->element, 0, g->m * g->n - 1},
        {"stage", f->stage, 0, g->k - 1},
        {"component", f->component, 0, STFI_STRUCK - 1},
        {"bit", f->bit, -1, bits_of(g) - 1},
        {"persistent", f->persistent, 0, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value < rows[i].least || rows[i].value > rows[i].most)
            return stfi_error(STF_ERR_ARGUMENT,
                              "fault.%s is %" PRId64
                              "; it must be from %" PRId64 " to %" PRId64,
                              rows[i].name, rows[i].value, rows[i].least,
                              rows[i].most);
    if (f->bit < 0 && !isfinite(f->magnitude))
        return stfi_error(STF_ERR_ARGUMENT,
                          "fault.magnitude is %g; it must be finite",
                          f->magnitude);
    return STF_OK;
}

stfi_gemm_fault stfi_gemm_fault_place(const stfi_gemm *g, const stf_fault *f)
{
    const int64_t m = g->swapped ? g->n : g->m; /* the user's */
    const int64_t i = f->element % m, j = f->element / m;
    stfi_gemm_struck struck = (stfi_gemm_struck)f->component;

    if (g->swapped && struck == STFI_STRUCK_A)
        struck = STFI_STRUCK_B;
    else if (g->swapped && struck == STFI_STRUCK_B)
        struck = STFI_STRUCK_A;
    return (stfi_gemm_fault){
        .member = f->signal,
        .row = g->swapped ? j : i,
        .col = g->swapped ? i : j,
        .k = f->stage,
        .struck = struck,
        .bit = f->bit,
        .persistent = f->persistent,
        .magnitude = f->magnitude,
    };
}

static int64_t below(uint64_t *state, int64_t n)
{
    return n > 0 ? (int64_t)(stfi_random_u64(state) % (uint64_t)n) : 0;
}

stf_fault stfi_gemm_fault_draw(const stfi_gemm *g, uint64_t seed)
{
    stf_fault f = {.pass = 0};
    int64_t steps = g->k < INT32_MAX ? g->k : INT32_MAX;

    f.signal = below(&seed, g->batch);
    f.element = below(&seed, g->m * g->n);
    f.stage = (int32_t)below(&seed, steps);
    f.component = (int32_t)below(&seed, STFI_STRUCK_CHECKSUM);
    f.bit = (int32_t)below(&seed, bits_of(g));
    return f;
}
