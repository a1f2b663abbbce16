/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weights of the checks of butterflies; see cpu_guard.h. */
#include "backends/cpu/cpu_guard.h"

#include "base/alloc.h"
#include "base/status.h"
#include "ft/phases.h"
#include "plan/roots.h"

enum { MAX_RADIX = 64 };

/* e[r], then row[r]: row[j] = sum of e[k] exp(-2 pi i j k/r). */
static void fill(int r, const float *e, stf_precision precision, void *guard)
{
    for (int j = 0; j < r; j++) {
        long double row[2] = {0, 0};
        for (int k = 0; k < r; k++) {
            long double re, im;
            stfi_root_l((uint64_t)(j * k % r), (uint64_t)r, &re, &im);
            row[0] += (long double)e[2 * k] * re - (long double)e[2 * k + 1]
                                                   * im;
            row[1] += (long double)e[2 * k] * im + (long double)e[2 * k + 1]
                                                   * re;
        }
        for (int c = 0; c < 2; c++) {
            int at = 2 * j + c;
            if (precision == STF_F32) {
                ((float *)guard)[at] = e[at];
                ((float *)guard)[2 * r + at] = (float)row[c];
            } else {
                ((double *)guard)[at] = (double)e[at];
                ((double *)guard)[2 * r + at] = (double)row[c];
            }
        }
    }
}

static stf_status make_guard(int r, stf_precision precision, void **guard_p)
{
    stfi_network_way way = stfi_network_way_make(STFI_OP_FFT, STFI_CONV_NONE,
                                                 r, 1, &r);
    float e[2 * MAX_RADIX];
    stf_status status = stfi_ft_phases_levelled(&way, r, e);

    if (status == STF_OK)
        status = stfi_alloc_raw(4 * (size_t)r
                                * stfi_type_get(precision)->bytes,
                                "the plan's tables", guard_p);
    if (status == STF_OK)
        fill(r, e, precision, *guard_p);
    return status;
}

stf_status stfi_cpu_guards_make(const stfi_pass *p, stf_precision precision,
                                void **guard)
{
    stf_status status = STF_OK;

    if (p->check.kind != STFI_CHECK_LANE || p->check.level != STF_FT_THREAD)
        return STF_OK;
    for (int s = 0; s < p->nstages && status == STF_OK; s++)
        status = make_guard(p->radix[s], precision, &guard[s]);
    return status;
}
