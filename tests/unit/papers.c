/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The measures of errors of bench's suites of papers, by an example worked by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fft/desc.h"
#include "tests/tap.h"
#include "tools/bench/papers.h"

static int is_near(double x, double y)
{
    return fabs(x - y) <= 1e-12 * fabs(y);
}

/* The transform of (1, 0) is (1, 1); the result has errors of 1/2 in one element and
 * of 1/4 in the other, there in a component that should be 0. */
static stf_status compare(stfi_accuracy *a)
{
    const float in[] = {1, 0, 0, 0}, out[] = {1.5f, 0, 1, -0.25f};
    stf_fft_desc d = stf_fft_desc_default(), full;
    stf_status status;

    d.n[0] = 2;
    status = stfi_desc_complete(&d, &full);
    return status != STF_OK
               ? status
               : stfi_accuracy_add(a, &full, STF_FORWARD, in, out, 1);
}

static void test_means(void)
{
    stfi_accuracy a;
    stfi_error_means m;

    stfi_accuracy_begin(&a, STFI_REFERENCE_DIRECT);
    m = stfi_accuracy_means(&a);
    tap_ok(m.absolute == 0 && m.relative == 0 && m.size == 0, "means of none");
    tap_ok(compare(&a) == STF_OK && compare(&a) == STF_OK, "two transforms");
    m = stfi_accuracy_means(&a);
    tap_ok(is_near(m.absolute, 0.375), "absolute: %g", m.absolute);
    tap_ok(is_near(m.relative, 0.75), "relative, at most 1: %g", m.relative);
    tap_ok(is_near(m.size, 1), "size: %g", m.size);
    tap_ok(is_near(stfi_accuracy_error(&a), sqrt(0.3125 / 2)),
           "the L2 error: %g", stfi_accuracy_error(&a));
    tap_ok(
        is_near(stfi_paper_error(stfi_paper_of("tcfft-native-1d"), &m, 2), 75),
        "[tcFFT]: percent");
    tap_ok(is_near(stfi_paper_error(stfi_paper_of("splitfft-split-1d"), &m, 2),
                   0.375 / sqrt(0.75)),
           "[SplitFFT]: in units of the bound");
    stfi_accuracy_end(&a);
}

static void test_groups(void)
{
    char text[4096] = "";
    FILE *file = tmpfile();
    size_t length = 0;

    tap_ok(stfi_paper_of("") == NULL && stfi_paper_of("cuda-2d-f32") == NULL
               && stfi_paper_of("tcfft") == NULL,
           "groups of no paper");
    if (!tap_ok(file != NULL, "a file"))
        return;
    stfi_paper_quote("cuda-2d-f32", file);
    tap_ok(ftell(file) == 0, "nothing is quoted for them");
    stfi_paper_quote("tcfft-tensor-2d", file);
    rewind(file);
    length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    tap_ok(strstr(text, "paper_error is [tcFFT]'s") != NULL
               && strstr(text, "#   quoted from [tcFFT]: V100") != NULL,
           "figures are quoted with their paper");
    fclose(file);
}

int main(void)
{
    tap_begin("papers");
    test_means();
    test_groups();
    return tap_end();
}
