/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* stf_execute_host() on every device: host arrays of any layout, in and out
 * of place, longer than device memory. */
#include <stdio.h>
#include <string.h>

#include "support/oracle/naive.h"
#include "run/fft/fft_plan.h"
#include "support/harness/far.h"
#include "support/harness/trial.h"
#include "tests/devices.h"
#include "tests/tap.h"

static const char *const words[] = {
    "c2c:f32:out:60*7",  "c2c:f64:in:64*33",    "c2c:f32:in:1021*2",
    "r2c:f32:out:30x44", "r2c:f64:in:1000*3",   "c2r:f32:in:9x20*5",
    "c2r:f64:out:999*4", "c2c:f64:out:5x4x6*3", "c2c:f32:out:1*100",
};

static const char *const layouts[] = {"packed", "interleaved", "gaps",
                                      "negative", "mixed"};

enum {
    WORDS = sizeof words / sizeof *words,
    LAYOUTS = sizeof layouts / sizeof *layouts
};

static stf_direction direction_of(const stfi_problem *p)
{
    return p->desc.kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
}

/* Runs a problem and returns what is wrong; NULL if nothing. */
static const char *run_problem(stf_device *dev, stf_device *cpu,
                               const stfi_problem *p)
{
    const char *wrong;
    long double *want = NULL;
    stfi_trial t;

    if (stfi_trial_open(&t, p, 0, tap_seed()))
        return stf_error_message();
    if (stfi_trial_run_host(&t, dev, direction_of(p))
        || stfi_trial_want(&t, cpu, direction_of(p), STFI_SOURCE_AUTO, &want)) {
        stfi_trial_close(&t);
        return stf_error_message();
    }
    wrong = stfi_trial_damage(&t);
    if (!wrong
        && !(stfi_naive_error(&t.full, stfi_trial_array(&t, 1), want)
             <= stfi_naive_bound(&t.full)))
        wrong = "less accurate than its bound";
    stfi_trial_free_want(&t, want);
    stfi_trial_close(&t);
    return wrong;
}

static void test_layouts(stf_device *dev, const char *name, stf_device *cpu)
{
    uint64_t state = tap_seed();
    const char *wrong = NULL, *all = NULL;
    stfi_problem p;
    int i, k;

    for (i = 0; i < WORDS; i++)
        for (k = 0; k < LAYOUTS; k++) {
            if (stfi_problem_parse(words[i], &p)
                || !stfi_trial_layout(&p, layouts[k], &state))
                continue;
            wrong = run_problem(dev, cpu, &p);
            if (wrong)
                tap_diag("%s %s: %s", words[i], layouts[k], wrong);
            all = wrong ? wrong : all;
        }
    tap_ok(!all, "%s: host arrays of every layout", name);
}

/* A batch of more than a hundred MiB, which is executed in several chunks, of
 * which the last one is short. */
static void test_chunks(stf_device *dev, const char *name, stf_device *cpu)
{
    static const char *const long_words[] = {"c2c:f32:out:4096*2500",
                                             "r2c:f32:in:65536*401"};
    const char *wrong;
    stfi_problem p;
    int i;

    for (i = 0; i < 2; i++) {
        wrong = stfi_problem_parse(long_words[i], &p)
                    ? "bad word"
                    : run_problem(dev, cpu, &p);
        tap_ok(!wrong, "%s: %s in chunks", name, long_words[i]);
        if (wrong)
            tap_diag("%s", wrong);
    }
}

static void test_device(void *cpu, stf_device *dev, const stf_device_info *info)
{
    test_layouts(dev, info->name, cpu);
    if (tap_level() > TAP_QUICK)
        test_chunks(dev, info->name, cpu);
}

/* Arrays that do not fit in the device's memory; afterwards not even one
 * transform fits. */
static void test_short_memory(stf_device *cpu)
{
    static const size_t limit = 3 << 20, slot_limit = 2000000;
    stfi_far_count count;
    stf_device *dev = NULL;
    const char *wrong;
    stfi_problem p;

    if (stfi_far_open("a100", &dev)
        || stfi_problem_parse("c2c:f32:out:4096*300", &p)) {
        tap_ok(0, "a far device opens");
        return;
    }
    stfi_far_reset(limit);
    wrong = run_problem(dev, cpu, &p);
    count = stfi_far_counted();
    tap_ok(!wrong && count.launches > 3 && count.most_bytes <= limit,
           "20 MB of arrays pass through 3 MB");
    tap_diag("%s; %ld launches, %zu bytes", wrong ? wrong : "all well",
             count.launches, count.most_bytes);
    tap_ok(count.streams == 0 && count.allocations == 0,
           "nothing is left behind");
    stfi_far_reset(slot_limit);
    wrong = run_problem(dev, cpu, &p);
    count = stfi_far_counted();
    tap_ok(!wrong && count.most_bytes <= slot_limit,
           "and through what is too little for two slots");
    tap_diag("%s; %zu bytes", wrong ? wrong : "all well", count.most_bytes);
    stfi_far_reset(1 << 14);
    wrong = run_problem(dev, cpu, &p);
    count = stfi_far_counted();
    tap_ok(wrong && strstr(wrong, "too many") && count.streams == 0
               && count.allocations == 0,
           "a transform that does not fit fails");
    stfi_far_reset(0);
    tap_ok(!run_problem(dev, cpu, &p), "and the device is still good");
    stf_device_close(dev);
}

/* A workspace for the whole batch does not fit, so it is planned in smaller
 * chunks. */
static void test_short_workspace(stf_device *cpu)
{
    static const size_t limit = 16 << 20, least = 1 << 20;
    stfi_far_count count;
    stf_plan *plan = NULL;
    stf_device *dev = NULL;
    const char *wrong;
    stfi_problem p;
    int64_t chunk = 0;

    if (stfi_far_open("a100", &dev)
        || stfi_problem_parse("c2c:f32:out:65536*60", &p)) {
        tap_ok(0, "a far device opens");
        return;
    }
    stfi_far_reset(limit);
    if (!stf_plan_fft(dev, &p.desc, &plan))
        chunk = stfi_fft_plan_of(plan)->schedule->chunk;
    count = stfi_far_counted();
    tap_ok(chunk > 1 && chunk < 60 && count.most_bytes <= limit
               && plan->workspace_bytes <= limit / 4,
           "a batch of 31 MB is planned in 16 MB, in rounds of %d", (int)chunk);
    stf_plan_destroy(plan);
    wrong = run_problem(dev, cpu, &p);
    count = stfi_far_counted();
    tap_ok(!wrong && count.launches > 3 && count.most_bytes <= limit,
           "and transformed");
    tap_diag("%s; %ld launches, %zu bytes", wrong ? wrong : "all well",
             count.launches, count.most_bytes);
    plan = NULL;
    stfi_far_reset(least);
    tap_ok(!stf_plan_fft(dev, &p.desc, &plan)
               && stfi_fft_plan_of(plan)->schedule->chunk == 1
               && stfi_far_counted().most_bytes <= least,
           "in 1 MB, one transform at a time");
    stf_plan_destroy(plan);
    plan = NULL;
    stfi_far_reset(least / 4);
    tap_ok(stf_plan_fft(dev, &p.desc, &plan) == STF_ERR_MEMORY && !plan
               && strstr(stf_error_message(), "too many")
               && stfi_far_counted().allocations == 0,
           "and not at all where none fits");
    stfi_far_reset(0);
    stf_device_close(dev);
}

/* A failure is reported, and the data of transforms that were not executed stay
 * unchanged. */
static void test_failure(void)
{
    stf_fft_desc d = stf_fft_desc_default();
    float data[2 * 256];
    stf_device *dev = NULL;
    stf_plan *plan = NULL;
    int same = 1;

    d.n[0] = 256;
    for (int i = 0; i < 2 * 256; i++)
        data[i] = (float)i;
    if (stfi_far_open("a100", &dev) || stf_plan_fft(dev, &d, &plan)) {
        tap_ok(0, "a far device makes a plan");
        return;
    }
    stfi_far_fail_launch_at(1);
    tap_ok(stf_execute_host(plan, STF_FORWARD, data, data) == STF_ERR_DEVICE
               && strstr(stf_error_message(), "was to fail"),
           "a launch fails");
    for (int i = 0; i < 2 * 256; i++)
        same &= data[i] == (float)i;
    tap_ok(same, "and the data are as they were");
    tap_ok(!stf_execute_host(plan, STF_FORWARD, data, data)
               && data[0] == 255.0f * 256.0f,
           "the next one does its work");
    stf_plan_destroy(plan);
    stf_device_close(dev);
}

/* A positive status of one of several chunks is the status of the whole
 * call. */
static void test_remark(void)
{
    static const size_t limit = 3 << 20;
    static float data[2 * 4096 * 300];
    stf_fft_desc d = stf_fft_desc_default();
    stfi_far_count count;
    stf_device *dev = NULL;
    stf_plan *plan = NULL;
    stf_status status;

    d.n[0] = 4096;
    d.batch = 300;
    if (stfi_far_open("a100", &dev) || stf_plan_fft(dev, &d, &plan)) {
        tap_ok(0, "a far device makes a plan");
        return;
    }
    stfi_far_reset(limit);
    stfi_far_remark_at(2, STF_UNCHECKED);
    status = stf_execute_host(plan, STF_FORWARD, data, data);
    count = stfi_far_counted();
    tap_ok(status == STF_UNCHECKED && count.launches > 2,
           "the second of %ld chunks has a remark: %s", count.launches,
           status < 0 ? stf_error_message() : stf_status_name(status));
    stfi_far_reset(0);
    stf_plan_destroy(plan);
    stf_device_close(dev);
}

/* Each slot has one workspace, and the plan of its chunk allocates none. */
static void test_workspace(void)
{
    enum { N = 65536 };
    static float data[2 * N];
    const size_t data_bytes = sizeof data;
    stf_fft_desc d = stf_fft_desc_default();
    stf_device *dev = NULL;
    stf_plan *plan = NULL;
    size_t work, most;

    d.n[0] = N;
    stfi_far_reset(0);
    if (stfi_far_open("a100", &dev) || stf_plan_fft(dev, &d, &plan)) {
        tap_ok(0, "a far device makes a plan");
        return;
    }
    work = stf_plan_workspace(plan);
    tap_ok(work > 0 && !stf_execute_host(plan, STF_FORWARD, data, data),
           "a transform with a workspace, of host arrays");
    most = stfi_far_counted().most_bytes;
    tap_ok(most <= 2 * data_bytes + 2 * work,
           "took %zu bytes of device memory, of which the plan's own "
           "workspace are %zu",
           most, work);
    stf_plan_destroy(plan);
    stf_device_close(dev);
}

int main(void)
{
    stf_device *cpu = NULL;

    tap_begin("host");
    if (!tap_ok(!stf_device_open("cpu", &cpu), "the cpu device opens"))
        return tap_end();
    stfi_devices_each(test_device, cpu);
    test_short_memory(cpu);
    test_short_workspace(cpu);
    test_failure();
    test_remark();
    test_workspace();
    stf_device_close(cpu);
    return tap_end();
}
