/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products at random on the emulated device against the definition: each
 * tile of gemm_tiles.def, each pair of transposes, with and without checks, with
 * and without asynchronous copies. The level says how many of these kernels are
 * compiled; the seed, which. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/type.h"
#include "gemm/gemm_tiles.h"
#include "tests/gemm/rig.h"
#include "tests/simt/simt.h"
#include "tests/simt/unit.h"
#include "tests/tap.h"

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(stfi_random_u64(state) % (uint64_t)n);
}

static double draw_scalar(uint64_t *state)
{
    static const double some[] = {1, 0, -1, 0.3, -2.5, 1e3};

    return some[below(state, sizeof some / sizeof *some)];
}

/* Often a size at which a tile or a slab ends, or one more or less. */
static int64_t draw_size(int64_t end, uint64_t *state)
{
    return below(state, 2) ? end + below(state, 3) - 1
                           : below(state, end + end / 2);
}

static void draw_layout(stf_gemm_desc *d, uint64_t *state)
{
    const int64_t most = 852;

    if (below(state, 2))
        d->lda = most + below(state, 5);
    if (below(state, 2))
        d->ldb = most + below(state, 5);
    if (below(state, 2))
        d->ldc = most + below(state, 5);
    d->batch = below(state, 3) > 0 ? 1 : 1 + below(state, 2);
    if (below(state, 3) == 0)
        d->dist_a = below(state, 2) ? STF_SHARED : -(most * 1000);
    if (below(state, 3) == 0)
        d->dist_b = STF_SHARED;
}

/* A kernel. */
typedef struct variant {
    const char *preset;
    int tile, ta, tb;
    stf_ft_mode mode;
    stf_precision precision, precision_c;
    stf_compute compute;
} variant;

static stf_gemm_desc draw(const variant *v, uint64_t *state)
{
    const stfi_gemm_tile *tile = stfi_gemm_tile_at(v->tile);
    stf_gemm_desc d = stf_gemm_desc_default();
    const int swapped = (int)below(state, 2);
    int64_t m = draw_size(tile->m, state), n = draw_size(tile->n, state);

    d.precision = v->precision;
    d.precision_c = v->precision_c;
    d.compute = v->compute;
    d.order = swapped ? STF_ROW_MAJOR : STF_COLUMN_MAJOR;
    d.transa = (stf_transpose)(swapped ? v->tb : v->ta);
    d.transb = (stf_transpose)(swapped ? v->ta : v->tb);
    d.m = swapped ? n : m;
    d.n = swapped ? m : n;
    d.k = below(state, 3) ? draw_size(2 * tile->steps, state)
                          : 250 + below(state, 600);
    d.scalars = (int32_t)below(state, 2);
    d.ft.mode = v->mode;
    draw_layout(&d, state);
    return d;
}

static void tell(const stf_gemm_desc *d)
{
    tap_diag(
        "order %d trans %d %d m %lld n %lld k %lld ld %lld %lld %lld batch "
        "%lld dist %lld %lld",
        (int)d->order, (int)d->transa, (int)d->transb, (long long)d->m,
        (long long)d->n, (long long)d->k, (long long)d->lda, (long long)d->ldb,
        (long long)d->ldc, (long long)d->batch, (long long)d->dist_a,
        (long long)d->dist_b);
}

/* What a checked plan says of a clean product. Sums that were taken of other numbers
 * come out the same again, and would pass for rounding. */
static int is_clean(stf_plan *plan, const stf_gemm_desc *d)
{
    stf_ft_report report;

    if (d->ft.mode == STF_FT_OFF)
        return 1;
    if (stf_plan_ft_report(plan, &report) != STF_OK || report.detected != 0
        || report.max_residual >= 1
        || (d->m > 0 && d->n > 0 && report.groups_checked == 0)) {
        tap_diag("checked %lld detected %lld rechecked %lld residual %.2f",
                 (long long)report.groups_checked, (long long)report.detected,
                 (long long)report.rechecked, report.max_residual);
        return 0;
    }
    return 1;
}

static int try(stf_device *dev, const stf_gemm_desc *d, double alpha,
               double beta, int shift, rig_result *worst, uint64_t seed)
{
    rig r;
    stf_plan *plan = NULL;
    rig_result found = {0};
    int right = 0;

    stfi_simt_unit_set(stfi_simt_unit_at((int)(seed % 4)));
    if (rig_make(&r, d, shift, -1, seed)
        && stf_plan_gemm(dev, d, &plan) == STF_OK) {
        r.cuts = d->precision == STF_F16 || d->precision == STF_BF16
                         || d->compute == STF_COMPUTE_SPLIT
                     ? 4
                     : 0;
        rig_scalars(&r, alpha, beta);
        /* Half of those with scalars on the host by host arrays. */
        right = (d->scalars == STF_ON_HOST && (seed & 1)
                     ? stf_execute_gemm_host(plan, &r.alpha, r.at[RIG_A],
                                             r.at[RIG_B], &r.beta, r.at[RIG_C])
                     : rig_execute_on(&r, plan, dev))
                    == STF_OK
                && is_clean(plan, d);
        found = rig_compare(&r);
        right &= found.bound <= 1 && found.usual <= 1 && !found.touched;
        worst->bound = fmax(worst->bound, found.bound);
        worst->usual = fmax(worst->usual, found.usual);
    }
    if (!right) {
        tap_diag("%s; error %g and %g of the bounds, touched %d",
                 stf_error_message(), found.bound, found.usual, found.touched);
        tell(d);
        tap_diag("alpha %g beta %g shift %d", alpha, beta, shift);
    }
    stf_plan_destroy(plan);
    rig_free(&r);
    return right;
}

/* A precision that is computed with a tile; halves in F32 where there are no
 * matrix units, too. */
static void draw_precision(variant *v, uint64_t *state)
{
    static const stf_precision halves[] = {STF_F16, STF_BF16};
    const stfi_gemm_tile *tile = stfi_gemm_tile_at(v->tile);
    const stfi_gemm_unit *unit = stfi_gemm_unit_get(tile->unit);
    const int half =
        (unit->halves && !unit->splits)
        || (!tile->wide && strcmp(v->preset, "h200") != 0 && below(state, 2));

    v->precision = half         ? halves[below(state, 2)]
                   : tile->wide ? STF_F64
                                : STF_F32;
    v->compute = unit->splits ? STF_COMPUTE_SPLIT : STF_COMPUTE_NATIVE;
    v->precision_c = half && below(state, 2) ? STF_F32 : v->precision;
}

/* Whether the emulated device computes such tiles: it has the units, or its
 * registers hold one. */
static int has_tile(const variant *v)
{
    const stfi_gemm_tile *tile = stfi_gemm_tile_at(v->tile);
    const int units = strcmp(v->preset, "h200") == 0;
    const stfi_gemm g = {.precision = tile->wide ? STF_F64 : STF_F32,
                         .batch = 1};
    stfi_gemm_tiling t = {.async = units};

    return tile->unit ? units
                      : stfi_gemm_tiling_make(&g, stfi_preset_find(v->preset),
                                              tile, 1, &t);
}

static void test_variant(variant *v, uint64_t *state)
{
    const stfi_gemm_tile *tile = stfi_gemm_tile_at(v->tile);
    const int count = tap_level() == TAP_QUICK ? 4 : 8;
    stf_device *dev = NULL;
    rig_result worst = {0};
    int right = 0;

    draw_precision(v, state);
    if (!tap_ok(stfi_simt_device_open(v->preset, &dev) == STF_OK,
                "an emulated %s opens", v->preset))
        return;
    for (int i = 0; i < count; i++) {
        stf_gemm_desc d = draw(v, state);
        double alpha = draw_scalar(state), beta = draw_scalar(state);
        int shift = (int)(below(state, 2) * below(state, 4));
        stfi_gemm_tiling_want(v->tile, 1 + below(state, 4));
        stfi_gemm_tiling_want_apart((int)below(state, 2));
        right +=
            try(dev, &d, alpha, beta, shift, &worst, stfi_random_u64(state));
    }
    stfi_gemm_tiling_want(-1, 0);
    stfi_gemm_tiling_want_apart(-1);
    tap_ok(right == count,
           "%s %s, %s %s%dx%d %c%c, mode %d: %d products, errors up to %.2f of "
           "the bound and %.2f of what is usual",
           v->preset, stfi_type_get(v->precision)->name,
           stfi_type_get(v->precision_c)->name,
           stfi_gemm_unit_get(tile->unit)->splits ? "split "
           : tile->unit                           ? "unit "
                                                  : "",
           tile->m, tile->n, "nt"[v->ta], "nt"[v->tb], (int)v -> mode, count,
           worst.bound, worst.usual);
    stf_device_close(dev);
}

static int count_tiles(void)
{
    int count = 0;

    while (stfi_gemm_tile_at(count) != NULL)
        count++;
    return count;
}

static variant variant_at(int64_t i)
{
    static const char *const presets[] = {"h200", "mi250x"};
    static const stf_ft_mode modes[] = {STF_FT_OFF, STF_FT_CORRECT,
                                        STF_FT_DETECT};
    const int tiles = count_tiles();

    return (variant){.preset = presets[i % 2],
                     .mode = modes[i / 2 % 3],
                     .ta = (int)(i / 6 % 2),
                     .tb = (int)(i / 12 % 2),
                     .tile = (int)(i / 24 % tiles)};
}

/* The kernels on a unit that compile in the shortest time. */
static void test_unit(int unit, uint64_t *state)
{
    variant v = variant_at(below(state, 24));

    v.preset = "h200";
    for (int i = 0; stfi_gemm_tile_at(i) != NULL; i++)
        if (stfi_gemm_tile_at(i)->unit == unit && stfi_gemm_tile_at(i)->m == 64)
            v.tile = i;
    test_variant(&v, state);
}

/* The error of a product relative to it, in units of round-off, and that of one
 * chain of multiply-adds in F32 for each element. */
static double error_of(rig *r, double *chain_p)
{
    const stfi_naive_gemm naive = {
        &r->full, &r->alpha, r->at[RIG_A], r->at[RIG_B], &r->beta, r->before, 0,
    };
    long double error = 0, chains = 0, size = 0;

    for (int64_t j = 0; j < r->full.n; j++)
        for (int64_t i = 0; i < r->full.m; i++) {
            const long double x = stfi_naive_gemm_at(&naive, 0, i, j).value;
            const long double own = rig_get(r, RIG_C, 0, i, j) - x;
            float sum = 0;
            for (int64_t p = 0; p < r->full.k; p++)
                sum = fmaf((float)rig_get(r, RIG_A, 0, i, p),
                           (float)rig_get(r, RIG_B, 0, p, j), sum);
            error += own * own;
            chains += (sum - x) * (sum - x);
            size += x * x;
        }
    *chain_p = (double)(sqrtl(chains / size) * 0x1p24L);
    return (double)(sqrtl(error / size) * 0x1p24L);
}

/* The devices whose units add so many products at a time
 * (stfi_gpu_gemm_cut()). */
static const char *device_of(const stfi_simt_unit *unit)
{
    return unit->block < 16 ? "a100" : "h200";
}

/* F32 by halves has no larger errors than F32, in each way of adding that devices
 * with these units are known to have. */
static void test_accuracy(int64_t k, double low)
{
    stf_gemm_desc d = stf_gemm_desc_default();
    stf_device *dev = NULL;
    int right = 1;

    d.compute = STF_COMPUTE_SPLIT;
    d.m = d.n = 40;
    d.k = k;
    for (int i = 0; stfi_simt_unit_at(i) != NULL && right; i++) {
        stf_plan *plan = NULL;
        double own = 0, chain = 0;
        rig r;
        if (stfi_simt_unit_at(i)->block < 8)
            continue;
        stfi_simt_unit_set(stfi_simt_unit_at(i));
        right = stfi_simt_device_open(device_of(stfi_simt_unit_at(i)), &dev)
                    == STF_OK
                && rig_make(&r, &d, 0, low, tap_seed())
                && stf_plan_gemm(dev, &d, &plan) == STF_OK
                && rig_execute_on(&r, plan, dev) == STF_OK;
        if (right)
            own = error_of(&r, &chain);
        tap_ok(right && own <= chain,
               "split, %lld steps of numbers from %g to 1, sums \"%s\": error "
               "%.2f, in F32 %.2f",
               (long long)k, low, stfi_simt_unit_at(i)->name, own, chain);
        stf_plan_destroy(plan);
        rig_free(&r);
        stf_device_close(dev);
        dev = NULL;
    }
    tap_ok(right, "products split into halves");
    stfi_simt_unit_set(NULL);
}

/* Makes a product of halves that units of groups would multiply; returns the steps
 * of its slabs, 0 if it is wrong. */
static int steps_of_product(stf_device *dev)
{
    stf_gemm_desc d = stf_gemm_desc_default();
    stf_plan *plan = NULL;
    char text[1024] = "";
    int steps = 0;
    rig r;

    d.precision = d.precision_c = STF_F16;
    d.m = d.n = 64;
    d.k = 128;
    if (!rig_make(&r, &d, 0, -1, tap_seed()))
        return 0;
    r.cuts = 4;
    rig_scalars(&r, 1, 0);
    if (stf_plan_gemm(dev, &d, &plan) == STF_OK
        && rig_execute_on(&r, plan, dev) == STF_OK
        && rig_compare(&r).bound <= 1) {
        stf_plan_describe(plan, text, sizeof text);
        if (sscanf(strstr(text, "slabs of"), "slabs of %d", &steps) != 1)
            steps = 0;
    }
    stf_plan_destroy(plan);
    rig_free(&r);
    return steps;
}

/* A compiler that does not know what one architecture alone has. */
static void test_old_compiler(void)
{
    enum { GROUP_STEPS = 64 };
    stf_device *dev = NULL;
    int new_steps, old_steps;

    tap_ok(stfi_simt_device_open("h200", &dev) == STF_OK,
           "an emulated h200 opens");
    new_steps = steps_of_product(dev);
    stf_device_close(dev);
    setenv("STEADFAST_CACHE", "off", 1);
    stfi_simt_refuse("#define STFK_UNIT 3");
    stfi_simt_device_open("h200", &dev);
    old_steps = steps_of_product(dev);
    stf_device_close(dev);
    stfi_simt_refuse(NULL);
    unsetenv("STEADFAST_CACHE");
    tap_ok(new_steps == GROUP_STEPS && old_steps > 0 && old_steps < GROUP_STEPS,
           "other kernels where units of groups do not compile: slabs of %d "
           "steps, else %d",
           old_steps, new_steps);
}

/* Which products have a product of their own for the sums that they expect: large ones,
 * but for those whose units have halves without groups, and where the device's memory
 * (1 GiB) has no room for these sums. */
static const struct apart_row {
    const char *preset;
    stf_precision precision;
    int64_t m, n, k;
    stf_ft_level level;
    int apart;
} apart_rows[] = {
    {"h100", STF_F32, 1024, 1024, 1024, STF_FT_AUTO, 0},
    {"h100", STF_F32, 8192, 8192, 8192, STF_FT_AUTO, 1},
    {"h100", STF_F32, 8192, 8192, 8192, STF_FT_WARP, 0},
    {"h100", STF_F64, 512, 512, 512, STF_FT_AUTO, 0},
    {"h100", STF_F64, 4096, 4096, 4096, STF_FT_AUTO, 1},
    {"h100", STF_F64, 65536, 30000, 4096, STF_FT_AUTO, 1},
    {"h100", STF_F64, 65536, 52000, 4096, STF_FT_AUTO, 0},
    {"h100", STF_F16, 2048, 2048, 2048, STF_FT_AUTO, 0},
    {"h100", STF_F16, 8192, 8192, 8192, STF_FT_AUTO, 1},
    {"a100", STF_F16, 8192, 8192, 8192, STF_FT_AUTO, 0},
};

static void test_apart(const struct apart_row *r)
{
    stf_gemm_desc d = stf_gemm_desc_default();
    stf_device *dev = NULL;
    stf_plan *plan = NULL;
    char text[1024] = "";
    int right;

    d.precision = d.precision_c = r->precision;
    d.m = r->m;
    d.n = r->n;
    d.k = r->k;
    d.ft.mode = STF_FT_CORRECT;
    d.ft.level = r->level;
    right = stfi_simt_device_open(r->preset, &dev) == STF_OK
            && stf_plan_gemm(dev, &d, &plan) == STF_OK;
    if (right)
        stf_plan_describe(plan, text, sizeof text);
    right =
        right && (strstr(text, "a product of their own") != NULL) == r->apart;
    if (!tap_ok(right, "%s %s, %dx%dx%d, level %d: sums %s", r->preset,
                stfi_type_get(r->precision)->name, (int)r->m, (int)r->n,
                (int)r->k, (int)r->level, r->apart ? "apart" : "beside"))
        tap_diag("%s: %s", stf_error_message(), text);
    stf_plan_destroy(plan);
    stf_device_close(dev);
}

int main(void)
{
    static const int counts[] = {2, 6, 0};
    const int64_t all = 24 * (int64_t)count_tiles();
    int64_t count;
    uint64_t state;

    tap_begin("simt/gemm");
    state = tap_seed();
    count = counts[tap_level()] ? counts[tap_level()] : all;
    if (stfi_simt_missing() != NULL || !stfi_simt_cache_open()) {
        tap_skip("nothing to compile with", "products on an emulated device");
        return tap_end();
    }
    test_unit(STFI_GEMM_UNIT_HALF, &state);
    test_unit(STFI_GEMM_UNIT_SPLIT, &state);
    test_unit(STFI_GEMM_UNIT_GROUP, &state);
    test_unit(STFI_GEMM_UNIT_GROUP_SPLIT, &state);
    stfi_gemm_tiling_want(-1, 0);
    test_old_compiler();
    test_accuracy(256, -1);
    if (tap_level() > TAP_QUICK) {
        for (size_t i = 0; i < sizeof apart_rows / sizeof *apart_rows; i++)
            test_apart(&apart_rows[i]);
        test_accuracy(256, 0);
        test_accuracy(1024, -1);
        test_accuracy(1024, 0);
    }
    for (int64_t i = 0; i < count; i++) {
        variant v = variant_at(count == all ? i : below(&state, all));
        while (count < all && !has_tile(&v))
            v = variant_at(below(&state, all));
        if (has_tile(&v))
            test_variant(&v, &state);
    }
    stfi_simt_cache_close();
    return tap_end();
}
