/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* F16 and BF16 (half_checks.h) on every device, and on the cpu by each
 * instruction set. */
#include <stdlib.h>
#include <string.h>

#include "tests/backend/half_checks.h"
#include "tests/devices.h"
#include "tests/tap.h"

static const char *const words[] = {
    "c2c:f16:16*50",         "c2c:bf16:1024*3",         "c2c:f16:16384",
    "c2c:bf16:1009",         "c2c:f16:12007",           "c2c:f16:32x48",
    "c2c:bf16:8x9x10",       "r2c:f16:1000*3",          "r2c:bf16:105*9",
    "r2c:f16:20000",         "c2r:f16:1024*3",          "c2r:bf16:24x36",
    "dct2:f16:512*3",        "dst1:bf16:1000",          "dct4:f16:16384",
    "dht:bf16:30x40",        "r2r=dct1+hc2r:f16:33x20", "c2c:f16:tensor:4096*3",
    "c2c:bf16:tensor:512*5", "c2c:f16:tensor:32768*40",
};

/* Batches whose signals share tiles, waves or products of matrix units. */
static const char *const batches[] = {
    "c2c:f16:8*9",     "c2c:bf16:37*5",       "r2c:f16:45*7",
    "dct2:bf16:16*9",  "c2c:f16:tensor:64*9", "c2c:bf16:tensor:1024*3",
    "c2c:f16:12x16*3",
};

static void test_isa(const char *isa, stf_precision p)
{
    stf_device *cpu = NULL;

    setenv("STEADFAST_ISA", isa, 1);
    if (stf_device_open("cpu", &cpu)) {
        tap_skip(stf_error_message(), "conversions by %s", isa);
        return;
    }
    half_check_codes(&(half_rig){cpu, cpu, isa}, p, 0);
    stf_device_close(cpu);
}

static void test_describe(stf_device *dev)
{
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *plan = NULL;
    char text[4096] = "";
    int right;

    d.precision = STF_F16;
    d.compute = STF_COMPUTE_TENSOR;
    d.n[0] = 37;
    right = !stf_plan_fft(dev, &d, &plan)
            && !stf_plan_describe(plan, text, sizeof text);
    tap_ok(right && strstr(text, "native"),
           "a plan that has no matrix stages says so");
    stf_plan_destroy(plan);
}

static void test_device(void *cpu, stf_device *dev, const stf_device_info *info)
{
    const int is_cpu = stfi_device_is_cpu(info);
    const half_rig rig = {is_cpu ? cpu : dev, cpu, info->name};

    for (int p = STF_F16; p <= STF_BF16 && !is_cpu; p++)
        half_check_codes(&rig, (stf_precision)p, !stfi_device_is_gpu(info));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        half_check_rounding(&rig, words[i]);
    half_check_range(&rig, "c2c:f16:in:64x64", 10, 12);
    half_check_range(&rig, "c2c:f16:in:32x32x32", 15, 15);
    half_check_range(&rig, "c2c:f16:in:16x16x16x16", 12, 14);
    half_check_range(&rig, "c2c:f16:in:16384", 15, 14);
    half_check_range(&rig, "c2c:bf16:in:32x32x32", 100, 15);
    half_check_range(&rig, "c2c:f16:tensor:in:8192", 15, 13);
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        half_check_others(&rig, batches[i]);
    test_describe(rig.dev);
}

int main(void)
{
    stf_device *cpu = NULL;

    tap_begin("backend/halves");
    for (int p = STF_F16; p <= STF_BF16; p++) {
        test_isa("base", (stf_precision)p);
        test_isa("avx2", (stf_precision)p);
        test_isa("avx512", (stf_precision)p);
    }
    unsetenv("STEADFAST_ISA");
    if (stf_device_open("cpu", &cpu))
        return tap_ok(0, "%s", stf_error_message()), tap_end();
    stfi_devices_each(test_device, cpu);
    stf_device_close(cpu);
    return tap_end();
}
