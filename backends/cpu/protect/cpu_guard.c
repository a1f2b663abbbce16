/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Makes the weights that check butterflies; see cpu_guard.h. */
#include "backends/cpu/protect/cpu_guard.h"

#include "base/alloc.h"
#include "ft/weights/stage.h"

static stf_status make_guard(int r, stf_precision precision, void **guard_p)
{
    const stfi_type *sums = stfi_type_sums(precision);
    stfi_ft_stage stage;
    stf_status status = stfi_ft_stage_make(r, &stage);

    if (status == STF_OK)
        status = stfi_alloc_raw(4 * (size_t)r * sums->bytes,
                                "the plan's tables", guard_p);
    for (int i = 0; i < 2 * r && status == STF_OK; i++) {
        stfi_type_write(sums->id, *guard_p, i, (long double)stage.e[i]);
        stfi_type_write(sums->id, *guard_p, 2 * r + i,
                        (long double)stage.row[i]);
    }
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
