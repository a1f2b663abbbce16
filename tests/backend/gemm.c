/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products on every device: special values and sizes, random shapes
 * against the definition, faults on purpose, a graph whose scalars in device
 * memory change between replays. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/type.h"
#include "ft/gemm_fault.h"
#include "run/device.h"
#include "support/harness/vendor.h"
#include "tests/devices.h"
#include "tests/gemm/rig.h"
#include "tests/gemm/trap_rows.h"
#include "tests/tap.h"

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(stfi_random_u64(state) % (uint64_t)n);
}

static int is_half(stf_precision p)
{
    return p == STF_F16 || p == STF_BF16;
}

/* Units of halves cut off their sums after 8 products or more. */
static void set_cuts(rig *r, const stf_gemm_desc *d, int gpu)
{
    r->cuts = gpu && (is_half(d->precision) || d->compute == STF_COMPUTE_SPLIT)
                  ? 8
                  : 0;
}

/* A protected or unprotected product of a random shape. */
static stf_gemm_desc draw(uint64_t *state, int gpu)
{
    static const stf_ft_mode modes[] = {STF_FT_OFF, STF_FT_CORRECT,
                                        STF_FT_DETECT};
    static const stf_precision types[] = {STF_F32, STF_F32, STF_F64, STF_F16,
                                          STF_BF16};
    stf_gemm_desc d = stf_gemm_desc_default();

    d.precision = types[below(state, 5)];
    d.precision_c =
        is_half(d.precision) && below(state, 2) ? STF_F32 : d.precision;
    if (gpu && d.precision == STF_F32 && below(state, 2))
        d.compute = STF_COMPUTE_SPLIT;
    d.order = (stf_order)below(state, 2);
    d.transa = (stf_transpose)below(state, 2);
    d.transb = (stf_transpose)below(state, 2);
    d.m = 1 + below(state, 200);
    d.n = 1 + below(state, 200);
    d.k = 1 + below(state, below(state, 4) ? 150 : 1500);
    d.batch = 1 + below(state, 2);
    d.ft.mode = modes[below(state, 3)];
    d.ft.level =
        below(state, 3) || is_half(d.precision) ? STF_FT_AUTO : STF_FT_OFFLINE;
    return d;
}

static void test_random(stf_device *dev, const char *name, int gpu)
{
    static const int counts[] = {4, 12, 200};
    const int count = counts[tap_level()];
    uint64_t state = tap_seed();
    int right = 0;

    for (int i = 0; i < count; i++) {
        const stf_gemm_desc d = draw(&state, gpu);
        stf_plan *plan = NULL;
        stf_ft_report report = {.detected = 0};
        rig_result found = {.touched = 1};
        rig r;
        int now = rig_make(&r, &d, (int)below(&state, 3), -1, state)
                  && stf_plan_gemm(dev, &d, &plan) == STF_OK
                  && rig_execute_on(&r, plan, dev) == STF_OK
                  && (d.ft.mode == STF_FT_OFF
                      || (stf_plan_ft_report(plan, &report) == STF_OK
                          && report.detected == 0));
        set_cuts(&r, &d, gpu);
        if (now)
            found = rig_compare(&r);
        now = now && found.bound <= 1 && found.usual <= 1 && !found.touched;
        if (!now)
            tap_diag("%s: %dx%dx%d, mode %d: %s", name, (int)d.m, (int)d.n,
                     (int)d.k, (int)d.ft.mode, stf_error_message());
        right += now;
        stf_plan_destroy(plan);
        rig_free(&r);
    }
    tap_ok(right == count, "%s: %d random products", name, count);
}

/* A fault of each type is found, and repaired to the bits of a product without
 * one. Checked as a whole, a wrong checksum is none. */
typedef struct fault_row {
    stf_ft_level level;
    stf_precision precision;
    stf_compute compute;
    int gpu; /* 1: only there */
} fault_row;

static const fault_row fault_rows[] = {
    {STF_FT_BLOCK, STF_F32, STF_COMPUTE_NATIVE, 0},
    {STF_FT_OFFLINE, STF_F32, STF_COMPUTE_NATIVE, 0},
    {STF_FT_THREAD, STF_F32, STF_COMPUTE_NATIVE, 1},
    {STF_FT_WARP, STF_F32, STF_COMPUTE_NATIVE, 1},
    {STF_FT_BLOCK, STF_F32, STF_COMPUTE_SPLIT, 1},
    {STF_FT_BLOCK, STF_F16, STF_COMPUTE_NATIVE, 0},
    {STF_FT_BLOCK, STF_BF16, STF_COMPUTE_NATIVE, 0},
};

/* Returns 1 if a fault of this type is found and repaired to the clean bits, or if it
 * is none. */
static int repairs(rig *r, stf_plan *plan, stf_device *dev, int type,
                   const void *clean)
{
    const stf_fault f = {.element = 149 + 139 * 150,
                         .stage = 100,
                         .component = type,
                         .bit = -1,
                         .magnitude = 10};
    const int found =
        r->full.ft.level != STF_FT_OFFLINE || type != STFI_STRUCK_CHECKSUM;
    stf_ft_report report = {.detected = 0};
    stf_status status;

    rig_restore(r);
    if (stf_plan_ft_reset(plan) != STF_OK
        || stf_plan_inject(plan, &f, 1) != STF_OK)
        return 0;
    status = rig_execute_on(r, plan, dev);
    if ((status == STF_OK || status == STF_CORRECTED)
        && stf_plan_ft_report(plan, &report) == STF_OK
        && report.detected == found && report.recomputed == found
        && memcmp(clean, r->memory[RIG_C], r->size[RIG_C]) == 0)
        return 1;
    tap_diag("status %d, detected %lld, computed again %lld: %s", (int)status,
             (long long)report.detected, (long long)report.recomputed,
             stf_error_message());
    return 0;
}

static void test_faults(stf_device *dev, const char *name, const fault_row *row)
{
    stf_gemm_desc d = stf_gemm_desc_default();
    stf_plan *plan = NULL;
    void *clean = NULL;
    rig r;
    int right;

    d.m = 150;
    d.n = 140;
    d.k = 130;
    d.precision = d.precision_c = row->precision;
    d.compute = row->compute;
    d.ft.mode = STF_FT_CORRECT;
    d.ft.level = row->level;
    right = rig_make(&r, &d, 0, -1, tap_seed())
            && stf_plan_gemm(dev, &d, &plan) == STF_OK
            && rig_execute_on(&r, plan, dev) == STF_OK
            && (clean = malloc(r.size[RIG_C])) != NULL;
    if (right)
        memcpy(clean, r.memory[RIG_C], r.size[RIG_C]);
    else
        tap_diag("%s", stf_error_message());
    for (int type = 0; type < STFI_STRUCK; type++)
        tap_ok(right && repairs(&r, plan, dev, type, clean),
               "%s, %s%s, level %d: a fault of type %d is repaired", name,
               stfi_type_get(row->precision)->name,
               row->compute == STF_COMPUTE_SPLIT ? " split" : "",
               (int)row->level, type);
    free(clean);
    stf_plan_destroy(plan);
    rig_free(&r);
}

/* ------------------------------------------------------------------- graph */

typedef struct graph_test {
    stf_plan *plan;
    float *a, *b, *c, *scalars; /* on the device */
    rig r;
} graph_test;

static stf_status send(stf_device *dev, void *to, const void *from,
                       size_t bytes)
{
    return dev->backend->device->mem_copy(dev->ctx, to, from, bytes,
                                          STFI_TO_DEVICE, NULL);
}

static int open_graph_test(stf_device *dev, graph_test *g, stf_ft_level level)
{
    stf_gemm_desc d = stf_gemm_desc_default();
    void **const at[] = {(void **)&g->a, (void **)&g->b, (void **)&g->c};
    int right;

    memset(g, 0, sizeof *g);
    d.m = 100;
    d.n = 90;
    d.k = 1100; /* in parts */
    d.scalars = STF_ON_DEVICE;
    d.ft.mode = STF_FT_CORRECT;
    d.ft.level = level;
    right = rig_make(&g->r, &d, 0, -1, tap_seed())
            && stf_plan_gemm(dev, &d, &g->plan) == STF_OK
            && stf_malloc(dev, 64, (void **)&g->scalars) == STF_OK;
    for (int i = RIG_A; i <= RIG_C && right; i++)
        right = stf_malloc(dev, g->r.size[i], at[i]) == STF_OK
                && send(dev, *at[i], g->r.memory[i], g->r.size[i]) == STF_OK;
    return right;
}

static void close_graph_test(stf_device *dev, graph_test *g)
{
    stf_free(dev, g->a);
    stf_free(dev, g->b);
    stf_free(dev, g->c);
    stf_free(dev, g->scalars);
    stf_plan_destroy(g->plan);
    rig_free(&g->r);
}

/* Replays the graph with other scalars and C as it was. */
static int replay(stf_device *dev, graph_test *g, stfi_vendor *v, void *stream,
                  void *graph, float alpha, float beta)
{
    const float scalars[] = {alpha, beta};
    rig_result found;

    rig_restore(&g->r);
    rig_scalars(&g->r, alpha, beta);
    if (send(dev, g->scalars, scalars, sizeof scalars) != STF_OK
        || send(dev, g->c, g->r.memory[RIG_C], g->r.size[RIG_C]) != STF_OK
        || !stfi_vendor_replay(v, graph, stream) || !stfi_vendor_wait(v, stream)
        || dev->backend->device->mem_copy(dev->ctx, g->r.memory[RIG_C], g->c,
                                          g->r.size[RIG_C], STFI_TO_HOST, NULL)
               != STF_OK)
        return 0;
    found = rig_compare(&g->r);
    return found.bound <= 1 && found.usual <= 1 && !found.touched;
}

static void test_graph(stf_device *dev, const stf_device_info *info,
                       stf_ft_level level)
{
    const char *reason = NULL;
    stfi_vendor *v = stfi_vendor_open(info, &reason);
    void *stream = v ? stfi_vendor_stream(v) : NULL, *graph = NULL;
    graph_test g;
    int right = open_graph_test(dev, &g, level) && stream != NULL
                && stfi_vendor_capture(v, stream);

    if (right) {
        right = stf_execute_gemm_on(g.plan, g.scalars, g.a, g.b, g.scalars + 1,
                                    g.c, NULL, stream)
                == STF_OK;
        graph = stfi_vendor_captured(v, stream);
        right = right && graph != NULL
                && replay(dev, &g, v, stream, graph, 1, 0)
                && replay(dev, &g, v, stream, graph, -2, 0.5f)
                && replay(dev, &g, v, stream, graph, 0, 3);
    }
    tap_ok(right, "%s, level %d: a graph of a product, whose scalars change",
           info->name, (int)level);
    if (graph != NULL)
        stfi_vendor_graph_destroy(v, graph);
    if (stream != NULL)
        stfi_vendor_stream_destroy(v, stream);
    stfi_vendor_close(v);
    close_graph_test(dev, &g);
}

static void visit(void *context, stf_device *dev, const stf_device_info *info)
{
    const int gpu = stfi_device_is_gpu(info);

    (void)context;
    if (dev->backend->gemm == NULL) {
        tap_skip("the device has none", "%s: matrix products", info->name);
        return;
    }
    if (gpu) /* the cpu has them in tests/gemm */
        traps_on(dev, info->name, 1);
    test_random(dev, info->name, gpu);
    for (size_t i = 0; i < sizeof fault_rows / sizeof *fault_rows; i++)
        if (gpu || !fault_rows[i].gpu)
            test_faults(dev, info->name, &fault_rows[i]);
    if (gpu) {
        test_graph(dev, info, STF_FT_BLOCK);
        test_graph(dev, info, STF_FT_OFFLINE);
    }
}

int main(void)
{
    tap_begin("backend/gemm");
    stfi_devices_each(visit, NULL);
    return tap_end();
}
