/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of transforms as a whole whose axes are one butterfly each: no value inside of
 * these butterflies may have a weight of nearly nothing, or a fault of any size there
 * changes the output and not the residual. Vectors that are levelled for the radices
 * of passes have such values. */
#include <stdlib.h>

#include "backends/cpu/cpu_executable.h"
#include "base/type.h"
#include "ft/weights/optimise.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

static const char *const words[] = {"c2c:f64:14*1000",
                                    "c2c:f64:20*77",
                                    "c2c:f64:21*500",
                                    "c2c:f64:22*300",
                                    "c2c:f64:24*100",
                                    "c2c:f64:28*100",
                                    "c2c:f64:30*300",
                                    "c2c:f64:20x20",
                                    "c2c:f64:20x20*20",
                                    "c2c:f64:6x14x22*10",
                                    "c2c:f64:28x15*9",
                                    "c2c:f64:26x18*5",
                                    "c2c:f64:in:6x14x22*10",
                                    "c2c:f32:20x21",
                                    "c2c:f32:14x22",
                                    "c2c:f64:12x10x7*33",
                                    "c2c:f64:in:24x20*7",
                                    "c2c:f64:in:21*99",
                                    "c2c:f64:14",
                                    "c2c:f64:22",
                                    "c2c:f64:30",
                                    "c2c:f32:22",
                                    "c2c:f32:26",
                                    "c2c:f64:in:21"};

/* Of vectors that are levelled; random ones have less. */
static const double LEAST = 0.02;

/* Returns the least weight of the values inside of a butterfly of n, by a side's
 * vector; negative if that cannot be told. */
static double least_of(int64_t n, stf_precision sums, const void *weight)
{
    const int radix = (int)n;
    const stfi_network_shape shape =
        stfi_network_shape_make(STFI_OP_FFT, STFI_CONV_NONE, n, 1, &radix);
    double least = -1;
    float e[2 * STFI_WHOLE_AT_ONCE];

    for (int i = 0; i < 2 * (int)n; i++)
        e[i] = (float)stfi_type_read(sums, weight, i);
    return stfi_ft_least_weight(&shape, n, e, &least) == STF_OK ? least : -1;
}

static void test_check(const char *isa, const char *word,
                       const stfi_fft_plan *plan)
{
    const stf_precision sums = stfi_type_get(plan->desc.precision)->sums;

    for (int back = 0; back < 2; back++) {
        const stfi_ft_side *out = &plan->whole[0][back][0].out;
        for (int a = 0; a < out->rank; a++) {
            double least;
            if (out->n[a] > STFI_WHOLE_AT_ONCE)
                continue;
            least = least_of(out->n[a], sums, out->weight[a]);
            tap_ok(least >= LEAST, "%s, %s, %s, axis of %d: least weight %.3f",
                   isa, word, back ? "inverse" : "forward", (int)out->n[a],
                   least);
        }
    }
}

static void test_problem(stf_device *dev, const char *isa, const char *word)
{
    stfi_problem p;
    stf_plan *plan = NULL;
    stf_status status = stfi_problem_parse(word, &p);

    p.desc.ft.mode = STF_FT_CORRECT;
    if (status == STF_OK)
        status = stf_plan_fft(dev, &p.desc, &plan);
    if (tap_ok(status == STF_OK, "%s, %s", isa, word)) {
        const stfi_fft_plan *f = stfi_fft_plan_of(plan);
        const stfi_exec *bare = f->exec->bare;

        if (bare != NULL && bare->compact != NULL && bare->compact->at_once)
            test_check(isa, word, f);
        else
            tap_skip("other kernels compute it", "%s, %s", isa, word);
    }
    stf_plan_destroy(plan);
}

int main(void)
{
    stf_device *dev;
    const char *isa;

    tap_begin("ft/at_once");
    for (int i = 0; (isa = stfi_cpu_isa_at(i)) != NULL; i++) {
        setenv("STEADFAST_ISA", isa, 1);
        if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "%s", isa))
            continue;
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            test_problem(dev, isa, words[w]);
        stf_device_close(dev);
    }
    return tap_end();
}
