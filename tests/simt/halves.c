/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* F16 and BF16 (tests/backend/half_checks.h) on the emulated device. */
#include <stdlib.h>

#include "run/device.h"
#include "tests/backend/half_checks.h"
#include "tests/simt/simt.h"
#include "tests/simt/unit.h"
#include "tests/tap.h"

static const char *const words[] = {
    "c2c:f16:16*50",         "c2c:bf16:1024*3",       "c2c:f16:1021",
    "c2c:f16:32x48",         "c2c:bf16:8x9x10",       "r2c:f16:1000*3",
    "r2c:bf16:105*9",        "c2r:f16:1024*3",        "c2r:bf16:24x36",
    "dct2:f16:512*3",        "dst1:bf16:1000",        "dht:bf16:30x40",
    "c2c:f16:tensor:4096*2", "c2c:f16:tensor:64x256", "r2c:f16:tensor:2048*3",
    "c2c:f16:tensor:32768",
};

static const char *const batches[] = {
    "c2c:f16:8*9",
    "r2c:f16:45*7",
    "c2c:f16:tensor:64*9",
    "c2c:f16:tensor:1024*3",
};

/* Problems all of whose stages are on units, up to a radix (stfi_choice). */
static const struct {
    const char *word;
    int unit_radix;
} small[] = {
    {"c2c:f16:tensor:256*5", 4},   {"c2c:f16:tensor:64*9", 2},
    {"c2c:f16:tensor:1024*3", 2},  {"c2c:f16:tensor:4096*2", 4},
    {"c2c:f16:tensor:32*17", 16},  {"c2c:f16:tensor:64x256", 4},
    {"r2c:f16:tensor:2048*3", 16}, {"c2c:f16:tensor:32768", 2},
};

/* Calls a check with some of the ways in which matrix units may add. */
static void check_ways(void (*check)(const half_rig *rig, const char *word),
                       const half_rig *rig, const char *word)
{
    for (int k = stfi_simt_unit_turns(word); k > 0; k--) {
        stfi_simt_unit_next();
        check(rig, word);
    }
    stfi_simt_unit_set(NULL);
}

/* Stages of radix 4 and 2 on units. Their butterflies share products, and must not meet
 * those of other signals there. */
static void check_small(const half_rig *rig)
{
    for (size_t i = 0; i < sizeof small / sizeof *small;
         i += tap_level() == TAP_QUICK ? 2 : 1) {
        rig->dev->unit_radix = small[i].unit_radix;
        check_ways(half_check_rounding, rig, small[i].word);
    }
    for (int r = 2; r <= 4; r *= 2) {
        rig->dev->unit_radix = r;
        check_ways(half_check_others, rig, "c2c:f16:tensor:64*9");
        half_check_range(rig, "c2c:f16:tensor:in:4096", 10, 12);
    }
    rig->dev->unit_radix = 0;
}

int main(void)
{
    half_rig rig = {NULL, NULL, "t4"};

    tap_begin("simt/halves");
    if (stfi_simt_missing() != NULL) {
        tap_skip(stfi_simt_missing(), "halves on the emulated GPU");
        return tap_end();
    }
    unsetenv("STEADFAST_PRESET");
    if (!tap_ok(!stf_device_open("cpu", &rig.cpu) && stfi_simt_cache_open()
                    && !stfi_simt_device_open("t4", &rig.dev),
                "the devices open"))
        return tap_end();
    for (int p = STF_F16; p <= STF_BF16; p++)
        half_check_codes(&rig, (stf_precision)p, 1);
    for (size_t i = 0; i < sizeof words / sizeof *words;
         i += tap_level() == TAP_QUICK ? 4 : 1)
        check_ways(half_check_rounding, &rig, words[i]);
    half_check_range(&rig, "c2c:f16:in:64x64", 10, 12);
    half_check_range(&rig, "c2c:f16:in:16x16x16", 15, 12);
    half_check_range(&rig, "c2c:bf16:in:64x64", 100, 12);
    half_check_range(&rig, "c2c:f16:tensor:in:4096", 10, 12);
    half_check_range(&rig, "c2c:f16:tensor:in:512", 15, 9);
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        check_ways(half_check_others, &rig, batches[i]);
    check_small(&rig);
    stf_device_close(rig.dev);
    stfi_simt_cache_close();
    stf_device_close(rig.cpu);
    return tap_end();
}
