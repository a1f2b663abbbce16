/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Faults on purpose in matrix products on the emulated device: what is struck is
 * found, and the tile that is computed again has the bits of a clean one. Data
 * that are no fault, too: Inf and NaN, sums that overflow, rounding errors that
 * all go the same way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/type.h"
#include "ft/gemm_fault.h"
#include "gemm/gemm_tiles.h"
#include "tests/gemm/rig.h"
#include "tests/simt/simt.h"
#include "tests/tap.h"

/* A product whose kernels are compiled once for all faults. */
typedef struct bench {
    stf_device *dev;
    stf_plan *plan;
    rig r;
    void *clean; /* memory of C after a clean product */
} bench;

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(stfi_random_u64(state) % (uint64_t)n);
}

/* The report says UNCORRECTED of a product that could not be repaired. */
static int execute(bench *b, stf_ft_report *report)
{
    stf_status status;

    rig_restore(&b->r);
    if (stf_plan_ft_reset(b->plan) != STF_OK
        || rig_execute_on(&b->r, b->plan, b->dev) != STF_OK)
        return 0;
    status = stf_plan_ft_report(b->plan, report);
    return status == (report->uncorrectable > 0 ? STF_ERR_UNCORRECTED : STF_OK);
}

static int is_equal(const bench *b)
{
    return memcmp(b->r.memory[RIG_C], b->clean, b->r.size[RIG_C]) == 0;
}

static int open_bench(bench *b, const char *preset, const stf_gemm_desc *d,
                      int tile, int parts)
{
    stf_ft_report report;
    int right;

    memset(b, 0, sizeof *b);
    stfi_gemm_tiling_want(tile, parts);
    right = stfi_simt_device_open(preset, &b->dev) == STF_OK
            && rig_make(&b->r, d, 0, -1, tap_seed())
            && stf_plan_gemm(b->dev, d, &b->plan) == STF_OK;
    stfi_gemm_tiling_want(-1, 0);
    if (right) {
        rig_scalars(&b->r, 1.5, -0.5);
        b->clean = malloc(b->r.size[RIG_C]);
        right = b->clean != NULL && execute(b, &report) && report.detected == 0
                && report.rechecked == 0;
    }
    if (right)
        memcpy(b->clean, b->r.memory[RIG_C], b->r.size[RIG_C]);
    else
        tap_diag("%s", stf_error_message());
    return right;
}

static void close_bench(bench *b)
{
    stf_plan_destroy(b->plan);
    rig_free(&b->r);
    free(b->clean);
    stf_device_close(b->dev);
}

static stf_fault draw(const stf_gemm_desc *d, int component, uint64_t *state)
{
    return (stf_fault){.signal = below(state, d->batch),
                       .element = below(state, d->m * d->n),
                       .stage = (int32_t)below(state, d->k),
                       .component = component,
                       .bit = -1,
                       .magnitude = 1};
}

/* Executes with faults; returns 1 if the report is as expected. */
static int strike(bench *b, const stf_fault *fault, int count, int64_t detected,
                  int64_t uncorrectable)
{
    stf_ft_report report;

    if (stf_plan_inject(b->plan, fault, count) == STF_OK && execute(b, &report)
        && report.detected == detected && report.uncorrectable == uncorrectable)
        return 1;
    tap_diag("fault of component %d at element %lld, step %d: %s, detected "
             "%lld, uncorrectable %lld",
             (int)fault->component, (long long)fault->element,
             (int)fault->stage, stf_error_message(), (long long)report.detected,
             (long long)report.uncorrectable);
    return 0;
}

/* An error of 1 in sums of numbers below 1 is far above their rounding. */
static void test_repair(bench *b, uint64_t *state)
{
    static const char *const names[] = {"accumulator", "A", "B", "checksum",
                                        "epilogue"};
    const int count = tap_level() == TAP_QUICK ? 2 : 8;

    for (int component = 0; component < STFI_STRUCK; component++) {
        int right = 0;
        for (int i = 0; i < count; i++) {
            const stf_fault f = draw(&b->r.full, component, state);
            right += strike(b, &f, 1, 1, 0) && is_equal(b);
        }
        tap_ok(right == count, "%d faults of %s are found and repaired", count,
               names[component]);
    }
}

static void test_others(bench *b, uint64_t *state)
{
    stf_fault many[3];
    stf_ft_report report;
    stf_fault f = draw(&b->r.full, STFI_STRUCK_ACCUMULATOR, state);

    for (int i = 0; i < 3; i++) {
        many[i] = draw(&b->r.full, i, state);
        many[i].element = i;
        many[i].signal = 0;
    }
    tap_ok(strike(b, many, 3, 1, 0) && is_equal(b),
           "several faults of a tile are one");
    tap_ok(execute(b, &report) && report.detected == 0 && is_equal(b),
           "the next product has none");
    f.bit = b->r.full.precision == STF_F64 ? 62 : 30;
    tap_ok(strike(b, &f, 1, 1, 0) && is_equal(b),
           "the largest bit of the exponent");
    f.bit = 0;
    tap_ok(strike(b, &f, 1, 0, 0), "the least bit is below the rounding");
    f.bit = -1;
    f.persistent = 1;
    tap_ok(strike(b, &f, 1, 1, 1), "a fault that comes again is not repaired");
}

/* ------------------------------------------------------------ no faults */

static void fill(rig *r, int matrix, double value)
{
    const int64_t rows = matrix == RIG_A ? r->full.m : r->full.k;
    const int64_t cols = matrix == RIG_A ? r->full.k : r->full.n;

    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            rig_set(r, matrix, 0, i, j,
                    (matrix == RIG_A ? (double)(i % 17) - 8.3
                                     : (double)(j % 17) - 8.3)
                        * value);
}

/* Squares of some numbers are lost, those of others leave the range. */
static void test_scales(bench *b, uint64_t *state)
{
    const double small = b->r.full.precision == STF_F64 ? 1e-120 : 1e-18;
    const double scale[][2] = {{small, small}, {1, small}, {small, 1 / small}};
    int right = 0;

    for (int i = 0; i < 3; i++) {
        stf_fault f = draw(&b->r.full, STFI_STRUCK_ACCUMULATOR, state);
        fill(&b->r, RIG_A, scale[i][0]);
        fill(&b->r, RIG_B, scale[i][1]);
        f.magnitude = 10 * scale[i][0] * scale[i][1];
        right += strike(b, &f, 1, 1, 0);
    }
    tap_ok(right == 3, "faults in numbers of any size are found");
}

static void test_data(bench *b)
{
    const double large = b->r.full.precision == STF_F64 ? 1e154 : 1e19;
    const double huge = b->r.full.precision == STF_F64 ? 1e308 : 3e38;
    const struct {
        const char *what;
        double a, b; /* the scales of data that are constant along k */
        int matrix;  /* and one other element; -1: none */
        double value;
        int64_t non_finite, overflowed;
    } rows[] = {
        {"rounding that goes the same way", 1, 1, -1, 0, 0, 0},
        {"large numbers times small ones", large, 1 / large, -1, 0, 0, 0},
        {"small numbers", 1 / large, 1 / large, -1, 0, 0, 0},
        {"NaN in A", 1, 1, RIG_A, NAN, 1, 0},
        {"NaN in B", 1, 1, RIG_B, NAN, 1, 0},
        {"Inf in A", 1, 1, RIG_A, INFINITY, 1, 0},
        {"Inf in B", 1, 1, RIG_B, INFINITY, 1, 0},
        {"sums that overflow", 100, 1, RIG_B, huge, 0, 1},
    };

    rig_scalars(&b->r, 1, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stf_ft_report report;
        int right;
        fill(&b->r, RIG_A, rows[i].a);
        fill(&b->r, RIG_B, rows[i].b);
        if (rows[i].matrix >= 0)
            rig_set(&b->r, rows[i].matrix, 0, 1, 2, rows[i].value);
        right = execute(b, &report) && report.detected == 0
                && (report.non_finite_input > 0) == rows[i].non_finite
                && (report.overflowed > 0) == rows[i].overflowed;
        if (!tap_ok(right,
                    "%s is no fault: %d tiles looked at again, residuals up "
                    "to %.3f",
                    rows[i].what, (int)report.rechecked, report.max_residual))
            tap_diag("%s: detected %lld, non-finite %lld, overflowed %lld",
                     stf_error_message(), (long long)report.detected,
                     (long long)report.non_finite_input,
                     (long long)report.overflowed);
    }
}

/* ------------------------------------------------------------------- all */

/* The number of the tile of 32 x 32, with or without matrix units. */
static int smallest_tile(int wide, int unit)
{
    const stfi_gemm_tile *t;
    int best = -1, least = 0;

    for (int i = 0; (t = stfi_gemm_tile_at(i)) != NULL; i++)
        if (t->wide == wide && t->unit == unit
            && (best < 0 || t->m * t->n < least)) {
            best = i;
            least = t->m * t->n;
        }
    return best;
}

/* A protected product of one whole tile and narrow ones beside it. */
static stf_gemm_desc desc_beside(const stfi_gemm_tile *t, int parts, int ta)
{
    stf_gemm_desc d = stf_gemm_desc_default();

    d.precision = d.precision_c = t->wide ? STF_F64 : STF_F32;
    d.m = t->m + 5;
    d.n = t->n + 7;
    d.k = parts > 1 ? 512 + 33 : 77;
    d.transa = (stf_transpose)ta;
    d.order = (stf_order)ta;
    d.ft.mode = STF_FT_CORRECT;
    return d;
}

static void test_product(const char *preset, int tile, int parts, int ta,
                         int apart, stf_ft_level level)
{
    const stfi_gemm_tile *t = stfi_gemm_tile_at(tile);
    const stfi_gemm_unit *unit = stfi_gemm_unit_get(t->unit);
    stf_gemm_desc d = desc_beside(t, parts, ta);
    uint64_t state = tap_seed();
    bench b;

    if (unit->halves && !unit->splits) {
        d.precision = STF_BF16;
        d.precision_c = ta ? STF_F32 : STF_BF16;
    }
    d.compute = unit->splits ? STF_COMPUTE_SPLIT : STF_COMPUTE_NATIVE;
    d.ft.level = level;
    stfi_gemm_tiling_want_apart(apart);
    if (tap_ok(open_bench(&b, preset, &d, tile, parts),
               "%s %s, %stile %dx%d, %d parts%s%s", preset,
               stfi_type_get(d.precision)->name, t->unit ? "unit " : "", t->m,
               t->n, parts,
               level == STF_FT_THREAD ? ", by thread"
               : level == STF_FT_WARP ? ", by warp"
                                      : "",
               apart ? ", sums apart" : "")) {
        test_repair(&b, &state);
        test_others(&b, &state);
        test_scales(&b, &state);
        test_data(&b);
    }
    stfi_gemm_tiling_want_apart(-1);
    close_bench(&b);
}

/* A product that is checked as a whole. The fault of a checksum is none of C, and
 * all faults of a tile are found at once. */
static void test_offline(const char *preset, int tile, int parts, int ta)
{
    const stfi_gemm_tile *t = stfi_gemm_tile_at(tile);
    stf_gemm_desc d = desc_beside(t, parts, ta);
    uint64_t state = tap_seed();
    bench b;

    d.batch = 2;
    d.ft.level = STF_FT_OFFLINE;
    if (tap_ok(open_bench(&b, preset, &d, tile, parts),
               "%s f%d, tile %dx%d, %d parts, checked as a whole", preset,
               t->wide ? 64 : 32, t->m, t->n, parts)) {
        for (int component = 0; component < STFI_STRUCK; component++) {
            stf_fault f = draw(&b.r.full, component, &state);
            int right = strike(&b, &f, 1, component != STFI_STRUCK_CHECKSUM, 0);
            tap_ok(right && is_equal(&b), "a fault of type %d", component);
        }
        if (tap_level() > TAP_QUICK) {
            stf_fault f = draw(&b.r.full, STFI_STRUCK_ACCUMULATOR, &state);
            f.persistent = 1;
            tap_ok(strike(&b, &f, 1, 1, 1),
                   "a fault that comes again is not repaired");
        }
        test_data(&b);
    }
    close_bench(&b);
}

/* ---------------------------------------------------------------- corrected */

/* Returns 1 if C is right to within the bound of the definition. */
static int is_right(const bench *b)
{
    const rig_result found = rig_compare(&b->r);

    return found.bound <= 1 && !found.touched;
}

/* Strikes `count` elements of the first tile, which lie in different rows and columns,
 * or in one column, and are to be corrected in place, or the tile to be
 * computed again. */
static void test_elements(bench *b, int count, int apart, double magnitude,
                          int corrected)
{
    stf_fault f[6];
    stf_ft_report report = {.detected = 0};
    const int rows = b->r.full.order == STF_ROW_MAJOR;
    int right;

    for (int i = 0; i < count; i++) {
        const int64_t row = 3 + 5 * i, col = apart ? 30 - 4 * i : 7;
        f[i] = (stf_fault){.element = rows ? col + row * b->r.full.m
                                           : row + col * b->r.full.m,
                           .stage = 20 + i,
                           .component = STFI_STRUCK_ACCUMULATOR,
                           .bit = -1,
                           .magnitude = magnitude * (i + 1),
                           .persistent = corrected};
    }
    right = stf_plan_inject(b->plan, f, count) == STF_OK && execute(b, &report);
    if (!tap_ok(right && report.detected == 1 && report.corrected == corrected
                    && report.recomputed == !corrected
                    && (corrected ? is_right(b) : is_equal(b)),
                "%d elements%s that are wrong by %g are %s", count,
                apart ? "" : " of a column", magnitude,
                corrected ? "corrected" : "computed again"))
        tap_diag("%s: detected %d, corrected %d, recomputed %d",
                 stf_error_message(), (int)report.detected,
                 (int)report.corrected, (int)report.recomputed);
}

/* Elements that rows and columns locate are corrected. What is not located, or is wrong
 * in another way, is computed again. */
static void test_two_sided(const char *preset, int tile, int parts, int ta)
{
    const stfi_gemm_tile *t = stfi_gemm_tile_at(tile);
    stf_gemm_desc d = desc_beside(t, parts, ta);
    uint64_t state = tap_seed();
    stf_ft_report report;
    stf_fault f;
    bench b;

    d.ft.scheme = STF_FT_SCHEME_TWO_SIDED;
    if (tap_ok(open_bench(&b, preset, &d, tile, parts),
               "%s f%d, tile %dx%d, %d parts, two-sided", preset,
               t->wide ? 64 : 32, t->m, t->n, parts)) {
        test_elements(&b, 1, 1, 1, 1);
        test_elements(&b, 1, 1, 1e30, 1);
        test_elements(&b, 1, 1, 3e38, 1);
        test_elements(&b, 3, 1, 2, 1);
        test_elements(&b, 2, 0, 2, 0);
        test_elements(&b, 5, 1, 2, 0);
        f = draw(&b.r.full, STFI_STRUCK_A, &state);
        f.magnitude = 9;
        tap_ok(strike(&b, &f, 1, 1, 0) && is_equal(&b),
               "an element of A that is wrong in several of C");
        f = draw(&b.r.full, STFI_STRUCK_CHECKSUM, &state);
        tap_ok(strike(&b, &f, 1, 1, 0) && is_equal(&b),
               "a checksum that is wrong is no reason to change C");
        tap_ok(execute(&b, &report) && report.detected == 0 && is_equal(&b),
               "the next product has no fault");
        test_data(&b);
    }
    close_bench(&b);
}

/* In mode DETECT, C is what was computed. */
static void test_detect(void)
{
    stf_gemm_desc d = stf_gemm_desc_default();
    uint64_t state = tap_seed();
    stf_fault f;
    bench b;

    d.m = d.n = 40;
    d.k = 50;
    d.ft.mode = STF_FT_DETECT;
    f = draw(&d, STFI_STRUCK_ACCUMULATOR, &state);
    if (tap_ok(open_bench(&b, "h200", &d, smallest_tile(0, 0), 1),
               "a product in mode detect"))
        tap_ok(strike(&b, &f, 1, 1, 0) && !is_equal(&b),
               "a fault is found and stays");
    close_bench(&b);
}

#define BY_DEFAULT STF_FT_AUTO, STF_FT_SCHEME_AUTO

/* What is run below the last level: a tile of 32 x 32 of a precision and its matrix
 * units, parts of K, transposed operands or not, sums of a product of their own or not.
 * The rows of the quick level are run whatever part of the problems is taken. */
static const struct row {
    tap_level_t level;
    const char *preset;
    int wide, unit, parts, ta, apart;
    stf_ft_level ft;
    stf_ft_scheme scheme;
} rows[] = {
    {TAP_QUICK, "h200", 0, 0, 1, 0, 0, BY_DEFAULT},
    {TAP_QUICK, "h200", 0, 0, 1, 1, 0, STF_FT_WARP, STF_FT_SCHEME_AUTO},
    {TAP_QUICK, "h200", 0, 0, 1, 0, 0, STF_FT_AUTO, STF_FT_SCHEME_TWO_SIDED},
    {TAP_QUICK, "h200", 0, 0, 1, 0, 0, STF_FT_OFFLINE, STF_FT_SCHEME_AUTO},
    {TAP_QUICK, "h200", 1, STFI_GEMM_UNIT_DOUBLE, 1, 1, 1, BY_DEFAULT},
    {TAP_NORMAL, "mi250x", 1, 0, 2, 1, 0, STF_FT_OFFLINE, STF_FT_SCHEME_AUTO},
    {TAP_NORMAL, "mi250x", 1, 0, 2, 1, 0, BY_DEFAULT},
    {TAP_NORMAL, "mi250x", 0, 0, 1, 1, 1, BY_DEFAULT},
    {TAP_NORMAL, "h200", 1, STFI_GEMM_UNIT_DOUBLE, 1, 1, 0, BY_DEFAULT},
    {TAP_NORMAL, "h200", 0, STFI_GEMM_UNIT_HALF, 2, 0, 0, BY_DEFAULT},
    {TAP_NORMAL, "h200", 0, STFI_GEMM_UNIT_SPLIT, 1, 1, 0, BY_DEFAULT},
    {TAP_NORMAL, "h200", 0, STFI_GEMM_UNIT_GROUP, 1, 1, 0, BY_DEFAULT},
    {TAP_NORMAL, "h200", 0, STFI_GEMM_UNIT_GROUP, 1, 0, 1, BY_DEFAULT},
    {TAP_NORMAL, "h200", 0, STFI_GEMM_UNIT_GROUP_SPLIT, 2, 0, 0, BY_DEFAULT},
    {TAP_NORMAL, "h200", 0, 0, 2, 1, 0, STF_FT_THREAD, STF_FT_SCHEME_AUTO},
    {TAP_NORMAL, "mi250x", 1, 0, 2, 1, 0, STF_FT_AUTO, STF_FT_SCHEME_TWO_SIDED},
    {TAP_NORMAL, "h200", 1, STFI_GEMM_UNIT_DOUBLE, 1, 1, 0, STF_FT_AUTO,
     STF_FT_SCHEME_TWO_SIDED},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void test_row(const struct row *r)
{
    const int tile = smallest_tile(r->wide, r->unit);

    if (r->scheme == STF_FT_SCHEME_TWO_SIDED)
        test_two_sided(r->preset, tile, r->parts, r->ta);
    else if (r->ft == STF_FT_OFFLINE)
        test_offline(r->preset, tile, r->parts, r->ta);
    else
        test_product(r->preset, tile, r->parts, r->ta, r->apart, r->ft);
}

static void test_all_tiles(void)
{
    const stfi_gemm_tile *t;

    for (int i = 0; (t = stfi_gemm_tile_at(i)) != NULL; i++) {
        const int plain = t->unit == STFI_GEMM_NO_UNIT;

        for (int level = STF_FT_THREAD;
             plain && !t->wide && level <= STF_FT_WARP; level++)
            test_product(i % 2 ? "t4" : "mi250x", i, 1, i / 2 % 2, 0,
                         (stf_ft_level)level);
        for (int apart = 0; apart < 2; apart++)
            test_product(i % 2 || !plain ? "h200" : "mi250x", i, 1 + i % 3,
                         i / 2 % 2, apart, STF_FT_AUTO);
    }
}

int main(void)
{
    tap_begin("simt/gemm_faults");
    if (stfi_simt_missing() != NULL || !stfi_simt_cache_open()) {
        tap_skip("nothing to compile with", "products on an emulated device");
        return tap_end();
    }
    for (int i = 0; i < ROWS; i++)
        if (rows[i].level <= tap_level()
            && (rows[i].level == TAP_QUICK || tap_takes(i)))
            test_row(&rows[i]);
    if (tap_level() > TAP_QUICK)
        test_detect();
    if (tap_level() > TAP_NORMAL)
        test_all_tiles();
    stfi_simt_cache_close();
    return tap_end();
}
