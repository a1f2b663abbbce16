/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The machine code of matrix products for gfx90a and gfx942: results against the
 * definition; protected ones raise no alarm, and a fault of each type is repaired
 * to the same bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ft/gemm_fault.h"
#include "gemm/gemm_tiles.h"
#include "tests/gemm/rig.h"
#include "tests/isa/device.h"
#include "tests/simt/simt.h"
#include "tests/tap.h"

/* How products are protected. */
#define PLAIN STF_FT_OFF, STF_FT_AUTO
#define BLOCK STF_FT_CORRECT, STF_FT_BLOCK
#define OFFLINE STF_FT_CORRECT, STF_FT_OFFLINE

typedef struct row {
    stf_precision precision;
    int ta, tb;
    int64_t m, n, k, batch;
    int parts;
    stf_ft_mode mode;
    stf_ft_level level;
} row;

/* The quick level takes the first row, the normal level as many as that table
 * says. */
static const row rows[] = {
    {STF_F32, 0, 0, 37, 40, 21, 1, 1, PLAIN},
    {STF_F32, 0, 1, 40, 33, 27, 1, 1, BLOCK},
    {STF_F64, 1, 0, 33, 35, 19, 1, 1, BLOCK},
    {STF_F64, 0, 1, 20, 50, 30, 2, 1, PLAIN},
    {STF_F32, 1, 1, 45, 20, 300, 1, 2, BLOCK},
    {STF_F32, 0, 0, 33, 35, 19, 2, 1, OFFLINE},
    {STF_F64, 1, 1, 40, 36, 17, 1, 1, OFFLINE},
    {STF_F64, 0, 0, 31, 33, 290, 1, 2, PLAIN},
};

static const int counts[] = {1, 2, sizeof rows / sizeof *rows};

static const struct {
    const char *preset, *arch;
} devices[] = {{"mi250x", "gfx90a"}, {"mi300x", "gfx942"}};

/* The number of the tile of 32 x 32. */
static int smallest_tile(int wide)
{
    const stfi_gemm_tile *t;
    int i = 0;

    while ((t = stfi_gemm_tile_at(i)) != NULL
           && (t->wide != wide || t->unit || t->m > 32 || t->n > 32))
        i++;
    return i;
}

static stf_gemm_desc describe(const row *w)
{
    stf_gemm_desc d = stf_gemm_desc_default();

    d.precision = d.precision_c = w->precision;
    d.transa = (stf_transpose)w->ta;
    d.transb = (stf_transpose)w->tb;
    d.m = w->m;
    d.n = w->n;
    d.k = w->k;
    d.batch = w->batch;
    d.ft.mode = w->mode;
    d.ft.level = w->level;
    return d;
}

/* Executes with a report of this execution. */
static int execute(rig *r, stf_plan *plan, stf_device *dev,
                   stf_ft_report *report)
{
    memset(report, 0, sizeof *report);
    rig_restore(r);
    if (r->full.ft.mode == STF_FT_OFF)
        return rig_execute_on(r, plan, dev) == STF_OK;
    return stf_plan_ft_reset(plan) == STF_OK
           && rig_execute_on(r, plan, dev) == STF_OK
           && stf_plan_ft_report(plan, report) == STF_OK;
}

static void check_faults(rig *r, stf_plan *plan, stf_device *dev,
                         const char *name)
{
    const int types = tap_level() == TAP_LONG ? STFI_STRUCK : 2;
    void *clean = malloc(r->size[RIG_C]);
    int right = clean != NULL;

    if (right)
        memcpy(clean, r->memory[RIG_C], r->size[RIG_C]);
    for (int type = 0; type < types && right; type++) {
        const int found =
            r->full.ft.level != STF_FT_OFFLINE || type != STFI_STRUCK_CHECKSUM;
        const stf_fault f = {.element = 5 + 7 * r->full.m,
                             .stage = (int32_t)r->full.k / 2,
                             .component = type,
                             .bit = -1,
                             .magnitude = 10};
        stf_ft_report report;
        right = stf_plan_inject(plan, &f, 1) == STF_OK
                && execute(r, plan, dev, &report) && report.detected == found
                && report.recomputed == found
                && memcmp(clean, r->memory[RIG_C], r->size[RIG_C]) == 0;
    }
    tap_ok(right, "%s: faults of %d types are repaired", name, types);
    free(clean);
}

static void check_row(const row *w, int device)
{
    const stf_gemm_desc d = describe(w);
    stf_device *dev = NULL;
    stf_plan *plan = NULL;
    stf_ft_report report = {.detected = 0};
    rig_result found = {.touched = 1};
    char name[80];
    rig r = {.bytes = 0};
    int right;

    snprintf(name, sizeof name, "%s f%d %c%c %dx%dx%d, level %d",
             devices[device].arch, w->precision == STF_F32 ? 32 : 64,
             "nt"[w->ta], "nt"[w->tb], (int)w -> m, (int)w -> n, (int)w -> k,
             (int)w -> level);
    stfi_gemm_tiling_want(smallest_tile(w->precision == STF_F64), w->parts);
    right = stfi_isa_device_open(stfi_preset_find(devices[device].preset),
                                 devices[device].arch, &dev)
                == STF_OK
            && rig_make(&r, &d, 0, -1, tap_seed())
            && stf_plan_gemm(dev, &d, &plan) == STF_OK;
    stfi_gemm_tiling_want(-1, 0);
    if (right) {
        rig_scalars(&r, 1.5, -0.5);
        right = execute(&r, plan, dev, &report) && report.detected == 0;
        found = rig_compare(&r);
    }
    if (!tap_ok(right && found.bound <= 1 && found.usual <= 1 && !found.touched,
                "%s: error %.2f of what is usual, no alarm", name, found.usual))
        tap_diag("%s", stf_error_message());
    else if (w->mode != STF_FT_OFF)
        check_faults(&r, plan, dev, name);
    stf_plan_destroy(plan);
    rig_free(&r);
    stf_device_close(dev);
}

int main(void)
{
    tap_begin("isa-products");
    unsetenv("STEADFAST_PRESET");
    if (stfi_isa_missing() != NULL || !stfi_simt_cache_open()) {
        tap_skip(stfi_isa_missing() ? stfi_isa_missing() : "no cache",
                 "machine code of products for GPUs of AMD");
        return tap_end();
    }
    for (int i = 0; i < counts[tap_level()]; i++)
        check_row(&rows[i], i % 2);
    tap_diag("%ld kernels, %ld launches, %ld instructions of waves",
             stfi_isa_count().kernels, stfi_isa_count().launches,
             stfi_isa_count().instructions);
    stfi_simt_cache_close();
    return tap_end();
}
