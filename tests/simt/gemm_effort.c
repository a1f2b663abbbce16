/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products with an effort on the emulated device: candidates are what their
 * plans say, whatever is chosen computes the product, and what is measured is used
 * again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gemm/gemm_desc.h"
#include "run/gemm/gemm_plan.h"
#include "support/problem/gemm_problem.h"
#include "tests/gemm/rig.h"
#include "tests/simt/simt.h"
#include "tests/simt/unit.h"
#include "tests/tap.h"

enum { EACH = 2, FEW = 2 };

static stf_device *dev;
static char text[4096];

/* Returns 1 if the plan computes the product and finds nothing wrong with it. */
static int computes(stf_plan *plan, const stf_gemm_desc *d)
{
    stf_ft_report report;
    rig_result found;
    int right;
    rig r;

    if (!rig_make(&r, d, 0, -1, tap_seed()))
        return 0;
    r.cuts = d->compute == STF_COMPUTE_SPLIT || d->precision == STF_F16 ? 4 : 0;
    rig_scalars(&r, 1.5, -0.5);
    right = rig_execute_on(&r, plan, dev) == STF_OK;
    found = rig_compare(&r);
    if (d->ft.mode != STF_FT_OFF)
        right = right && stf_plan_ft_report(plan, &report) == STF_OK
                && report.detected == 0 && report.groups_checked > 0;
    if (!right || found.bound > 1)
        tap_diag("%s: %.3f of the bound", stf_error_message(), found.bound);
    rig_free(&r);
    return right && found.bound <= 1 && !found.touched;
}

/* 1 if the description has the tile and the parts of a choice. */
static int is_described(const stfi_gemm_choice *choice)
{
    char tile[64], parts[64];

    if (choice->m == 0)
        return 1;
    snprintf(tile, sizeof tile, " of %" PRId64 "x%" PRId64 ", threads ",
             choice->m, choice->n);
    snprintf(parts, sizeof parts, ", %" PRId64 " parts of ", choice->parts);
    return strstr(text, tile) != NULL
           && (choice->parts == 0 || strstr(text, parts) != NULL);
}

/* 1 if the description says how sums are made as a choice does. */
static int has_sums(const stfi_gemm_choice *choice)
{
    const int apart = strstr(text, "a product of their own") != NULL;

    return (!choice->apart || apart) && (!choice->beside || !apart);
}

static int is_candidate_right(const stf_gemm_desc *full,
                              const stfi_gemm_choice *choice)
{
    char printed[STFI_GEMM_CHOICE_TEXT];
    stfi_gemm_plan *plan = NULL;
    int right;

    stfi_gemm_choice_print(choice, printed);
    text[0] = '\0';
    right = stfi_gemm_plan_create_as(dev, full, 1, choice, &plan) == STF_OK
            && stf_plan_describe(&plan->head, text, sizeof text) == STF_OK
            && is_described(choice) && has_sums(choice)
            && computes(&plan->head, full);
    if (!right)
        tap_diag("%s: %s: %s", printed, stf_error_message(), text);
    stf_plan_destroy(plan != NULL ? &plan->head : NULL);
    return right;
}

/* Some of the candidates, or all of them; ways: 1 if a check's sums may be made in
 * another way, which they may not where k is in parts. */
static void test_candidates(const char *word, stf_ft_mode mode, int ways)
{
    const stfi_gemm_choice none = {.m = 0};
    stfi_gemm_choice list[STFI_GEMM_CANDIDATES];
    stf_gemm_desc d, full;
    stfi_gemm_plan *plan = NULL;
    int count = 0, few, right = 1, sums = 0;

    stfi_gemm_parse(word, &d);
    d.ft.mode = mode;
    if (tap_ok(stfi_gemm_desc_complete(&d, &full) == STF_OK
                   && stfi_gemm_plan_create_as(dev, &full, 1, &none, &plan)
                          == STF_OK,
               "%s: the model's plan", word))
        count = dev->backend->gemm->candidates(plan->exec, EACH, list);
    few = tap_level() > TAP_QUICK || count < FEW ? count : FEW;
    /* The last one is the other way to make sums. */
    for (int i = 0; i < few; i++) {
        const stfi_gemm_choice *one = &list[i == few - 1 ? count - 1 : i];
        sums |= one->apart || one->beside;
        right = is_candidate_right(&full, one) && right;
    }
    tap_ok(right && count > 1 && sums == ways,
           "%s, mode %d: %d of %d candidates", word, (int)mode, few, count);
    stf_plan_destroy(plan != NULL ? &plan->head : NULL);
}

/* A plan that is measured, and one after it. The emulated device takes a launch for so
 * short that a sample has hundreds: at the quick level there is no time for that. */
static void test_measured(const char *word)
{
    stf_plan *plan[2] = {NULL, NULL};
    const int quick = tap_level() == TAP_QUICK;
    const char *says[] = {quick ? "no time to measure" : " ways in ",
                          quick ? "no time to measure"
                                : "effort measure: by wisdom, "};
    stf_gemm_desc d;

    stfi_gemm_parse(word, &d);
    d.effort = STF_EFFORT_MEASURE;
    d.effort_seconds = quick ? 1e-9 : 300;
    d.scalars = STF_ON_DEVICE;
    d.ft.mode = STF_FT_OFF;
    for (int i = 0; i < 2; i++) {
        text[0] = '\0';
        tap_ok(stf_plan_gemm(dev, &d, &plan[i]) == STF_OK
                   && stf_plan_describe(plan[i], text, sizeof text) == STF_OK
                   && strstr(text, says[i]) != NULL && computes(plan[i], &d),
               "%s: %s", word, says[i]);
        if (strstr(text, "effort ") != NULL)
            tap_diag("%.100s", strstr(text, "effort "));
        stf_plan_destroy(plan[i]);
    }
}

int main(void)
{
    tap_begin("simt/gemm_effort");
    if (stfi_simt_missing() != NULL || !stfi_simt_cache_open()) {
        tap_skip("nothing to compile with", "products on an emulated device");
        return tap_end();
    }
    setenv("STEADFAST_WISDOM", "off", 1);
    if (!tap_ok(stfi_simt_device_open("h200", &dev) == STF_OK,
                "the device opens"))
        return tap_end();
    stfi_simt_unit_set(stfi_simt_unit_at(0));
    test_candidates("gemm:f32:nt:40x30x600", STF_FT_OFF, 0);
    test_candidates("gemm:f64:nn:40x40x300", STF_FT_CORRECT, 1);
    test_measured("gemm:f32:nt:4x4x8");
    if (tap_level() > TAP_QUICK) {
        test_candidates("gemm:f32:tn:130x70x600*2", STF_FT_CORRECT, 0);
        test_candidates("gemm:f32-split:nn:70x70x600", STF_FT_OFF, 0);
    }
    stf_device_close(dev);
    stfi_simt_cache_close();
    return tap_end();
}
