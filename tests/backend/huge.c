/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A batch of more than 2^31 elements. Some of its transforms hold data, and are
 * compared with the oracle. */
#include <stdlib.h>

#include "support/oracle/naive.h"
#include "support/problem/problem.h"
#include "tests/backend/huge.h"
#include "tests/tap.h"

enum { HUGE_N = 4096, HUGE_BATCH = 524289, HUGE_TRIED = 3 };

static const size_t signal_bytes = HUGE_N * 2 * sizeof(float);

/* The transforms that hold data: the first, the one that ends just before
 * element 2^31, and the last, which begins there. */
static const int64_t tried[HUGE_TRIED] = {0, 524287, 524288};

static stf_status load_huge(stf_device *dev, char *in, float *data)
{
    uint64_t state = tap_seed();
    stf_status status = STF_OK;
    int i;

    for (i = 0; i < HUGE_TRIED && !status; i++) {
        float *signal = data + (int64_t)i * HUGE_N * 2;
        stfi_random_fill(STF_F32, signal, HUGE_N * 2, &state);
        status = stf_upload(dev, in + (size_t)tried[i] * signal_bytes, signal,
                            signal_bytes);
    }
    return status;
}

static const char *compare_huge(stf_device *dev, const char *out,
                                const float *data)
{
    static float got[HUGE_N * 2];
    static long double want[HUGE_N * 2];
    stf_fft_desc d = stf_fft_desc_default();
    int i;

    d.n[0] = HUGE_N;
    d.in.stride[0] = d.out.stride[0] = 1;
    d.in.dist = d.out.dist = HUGE_N;
    for (i = 0; i < HUGE_TRIED; i++) {
        if (stf_download(dev, got, out + (size_t)tried[i] * signal_bytes,
                         signal_bytes)
            || stfi_naive_fft(&d, STF_FORWARD, data + (int64_t)i * HUGE_N * 2,
                              want))
            return stf_error_message();
        if (!(stfi_naive_error(&d, got, want) <= stfi_naive_bound(&d)))
            return "less accurate than its bound";
    }
    return NULL;
}

void stfi_test_huge(stf_device *dev, const stf_device_info *info)
{
    static const char word[] = "c2c:f32:out:4096*524289";
    size_t bytes = signal_bytes * HUGE_BATCH;
    float *data = malloc(HUGE_TRIED * signal_bytes);
    void *in = NULL, *out = NULL;
    const char *wrong = NULL;
    stf_plan *plan = NULL;
    stfi_problem p;

    if ((double)info->memory_free_bytes < 2.2 * (double)bytes) {
        tap_skip("38 GB are needed", "%s: %s", info->name, word);
    } else {
        if (!data || stfi_problem_parse(word, &p) || stf_malloc(dev, bytes, &in)
            || stf_malloc(dev, bytes, &out) || stf_plan_fft(dev, &p.desc, &plan)
            || load_huge(dev, in, data)
            || stf_execute(plan, STF_FORWARD, in, out) || stf_synchronize(dev))
            wrong = data ? stf_error_message() : "the test has no memory";
        if (!wrong)
            wrong = compare_huge(dev, out, data);
        tap_ok(!wrong, "%s: %s of more than 2^31 elements", info->name, word);
        if (wrong)
            tap_diag("%s", wrong);
    }
    stf_plan_destroy(plan);
    stf_free(dev, in);
    stf_free(dev, out);
    free(data);
}
