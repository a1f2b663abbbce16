/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The traps of matrix products on emulated devices, with copies that run beside
 * a thread's instructions and without; and parts of k. */
#include <stdlib.h>
#include <string.h>

#include "gemm/gemm_tiles.h"
#include "tests/gemm/rig.h"
#include "tests/gemm/trap_rows.h"
#include "tests/simt/simt.h"
#include "tests/tap.h"

/* With 1 to 7 parts of k, whatever rounding they have, bits repeat. */
static void test_parts(stf_device *dev, const char *name)
{
    stf_gemm_desc d = stf_gemm_desc_default();

    d.m = 20;
    d.n = 40;
    d.k = 7 * STFI_GEMM_CHUNK - 3;
    for (int parts = 1; parts <= 7; parts++) {
        stf_plan *plan = NULL;
        void *first = NULL;
        rig_result found = {.touched = 1};
        rig r;
        int right;
        stfi_gemm_tiling_want(10, parts); /* of 32 x 32 */
        right = rig_make(&r, &d, 0, -1, tap_seed())
                && stf_plan_gemm(dev, &d, &plan) == STF_OK
                && (first = malloc(r.size[RIG_C])) != NULL
                && rig_execute_on(&r, plan, dev) == STF_OK;
        stfi_gemm_tiling_want(-1, 0);
        if (right) {
            found = rig_compare(&r);
            memcpy(first, r.memory[RIG_C], r.size[RIG_C]);
            right = found.usual <= 1 && !found.touched
                    && rig_execute_on(&r, plan, dev) == STF_OK
                    && memcmp(first, r.memory[RIG_C], r.size[RIG_C]) == 0;
        }
        tap_ok(right, "%s: %d parts of k, error %.2f of what is usual", name,
               parts, found.usual);
        free(first);
        stf_plan_destroy(plan);
        rig_free(&r);
    }
}

int main(void)
{
    static const char *const presets[] = {"h200", "mi250x"};

    tap_begin("simt/gemm_traps");
    if (stfi_simt_missing() != NULL || !stfi_simt_cache_open()) {
        tap_skip("nothing to compile with", "products on an emulated device");
        return tap_end();
    }
    for (size_t i = 0; i < (tap_level() == TAP_QUICK ? 1 : 2); i++) {
        stf_device *dev = NULL;
        if (!tap_ok(stfi_simt_device_open(presets[i], &dev) == STF_OK,
                    "an emulated %s opens", presets[i]))
            continue;
        traps_on(dev, presets[i], 0);
        if (tap_level() > TAP_QUICK)
            test_parts(dev, presets[i]);
        stf_device_close(dev);
    }
    stfi_simt_cache_close();
    return tap_end();
}
