/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How many instructions the checks of passes take, by compiled code: those of a
 * protected kernel for each element that a thread holds, less those of the unprotected
 * one for each that its threads hold; an element of two real signals counts as two.
 * This is the code of the main path with its branches that are rarely taken, such as
 * reporting a fault, which are about 140 instructions of a thread; functions apart
 * from it do not count. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200112L
#endif

#include <stdlib.h>

#include "backends/cuda/cubin.h"
#include "backends/cuda/cuda_rtc.h"
#include "backends/gpu/host/fft/spec.h"
#include "backends/gpu/host/kernels/images.h"
#include "base/alloc.h"
#include "fft/lower.h"
#include "ft/instrument.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

/* Problems, and the most instructions for an element in any of their passes, of the
 * check and of the whole protected kernel: what was reached with NVRTC 13.0, and
 * about a twentieth more. */
static const struct row {
    const char *problem;
    int most, most_whole;
    tap_level_t level;
} rows[] = {
#define MOST(level, problem, most, most_whole) \
    {problem, most, most_whole, level},
#include "tests/unit/check_cost.def"
#undef MOST
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char preset[] = "h200", arch[] = "sm_90";

/* Compiles a kernel; returns the number of its instructions, or 0. */
static int count_instructions(const stfi_gpu_spec *spec)
{
    const stfi_gpu_key key = {spec->entry, spec->config, arch};
    void *image = NULL;
    size_t bytes = 0;
    int count = 0;

    if (stfi_gpu_image_get(&stfi_cuda_rtc, &key, &image, &bytes, NULL)
        == STF_OK)
        count = stfi_cubin_instructions(image, bytes, spec->entry);
    stfi_dealloc(image);
    return count;
}

static stf_status lower(const char *problem, stf_ft_mode mode, stfi_schedule *s)
{
    stfi_problem p;
    stf_fft_desc full;
    stf_status status = stfi_problem_parse(problem, &p);

    p.desc.ft.mode = mode;
    if (status == STF_OK)
        status = stfi_desc_complete(&p.desc, &full);
    if (status == STF_OK)
        status = stfi_lower(&full, stfi_preset_find(preset), 1, s);
    if (status == STF_OK)
        stfi_ft_mark(&full.ft, s);
    return status;
}

/* Returns the instructions of a pass's kernel, or 0. */
static int count_pass(const stfi_schedule *s, int i)
{
    static stfi_gpu_spec spec;

    return stfi_gpu_spec_make(&s->pass[i], s->precision,
                              stfi_preset_find(preset), &spec)
                   == STF_OK
               ? count_instructions(&spec)
               : 0;
}

/* Returns how many elements of signals a thread of a pass holds. */
static int elements_of(const stfi_pass *p)
{
    const int two = p->op == STFI_OP_R2C_TWO || p->op == STFI_OP_C2R_TWO;

    return p->block.elements * (two ? 2 : 1);
}

static void test_row(const struct row *r)
{
    static stfi_schedule off, on;
    int most = 0, most_whole = 0, fine = 1;

    if (!tap_ok(!lower(r->problem, STF_FT_OFF, &off)
                    && !lower(r->problem, STF_FT_CORRECT, &on)
                    && on.npasses == off.npasses,
                "%s: passes, protected or not", r->problem))
        return;
    for (int i = 0; i < on.npasses; i++) {
        int without = count_pass(&off, i), with = count_pass(&on, i);
        int whole = with / elements_of(&on.pass[i]);
        int each = whole - without / elements_of(&off.pass[i]);

        fine &= without > 0 && each > 0;
        most = each > most ? each : most;
        most_whole = whole > most_whole ? whole : most_whole;
    }
    tap_ok(fine && most <= r->most && most_whole <= r->most_whole,
           "%s: a check has %d instructions for an element, of at most %d, and "
           "all of the kernel %d, of at most %d",
           r->problem, most, r->most, most_whole, r->most_whole);
}

int main(void)
{
    char version[32];

    tap_begin("check_cost");
    if (getenv("STF_TEST_CACHE") != NULL)
        setenv("STEADFAST_CACHE_DIR", getenv("STF_TEST_CACHE"), 1);
    if (stfi_cuda_rtc.version(version, sizeof version) != STF_OK) {
        tap_skip(stf_error_message(), "compiling kernels");
        return tap_end();
    }
    for (int i = 0; i < ROWS; i++)
        if (rows[i].level <= tap_level()
            && (rows[i].level == TAP_QUICK || tap_takes(i)))
            test_row(&rows[i]);
    return tap_end();
}
