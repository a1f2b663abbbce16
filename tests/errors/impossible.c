/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sizes that no machine holds are refused at once, with the bytes that they
 * need, and so are sizes beyond a limit of the process. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "support/problem/problem.h"
#include "tests/simt/sanitizer.h"
#include "tests/tap.h"

/* The processor's time that a refusal may take; planning takes milliseconds,
 * with a sanitizer too. */
static const double most_seconds = 0.5;

/* Tries to make a plan, and tells how long that took. */
static stf_status make_plan(stf_device *dev, const char *word,
                            stf_ft_level level, double *seconds_p)
{
    stfi_problem p;
    stf_plan *plan = NULL;
    clock_t start;
    stf_status status = stfi_problem_parse(word, &p);

    if (status != STF_OK)
        return status;
    p.desc.ft.mode = level == STF_FT_AUTO ? STF_FT_OFF : STF_FT_CORRECT;
    p.desc.ft.level = level;
    start = clock();
    status = stf_plan_fft(dev, &p.desc, &plan);
    *seconds_p = (double)(clock() - start) / CLOCKS_PER_SEC;
    stf_plan_destroy(plan);
    return status;
}

/* More than 2^50 bytes of workspace or tables for each. */
static const char *const words[] = {
    "c2c:f32:out:9007199254740881",     "c2c:f64:out:4503599627370449*2",
    "c2c:f32:out:2x1125899906842624*2", "r2c:f32:out:9007199254740881",
    "c2r:f64:out:4503599627370498",     "c2c:f32:in:67108864x67108864",
    "c2c:f80:out:1125899906842597",     "r2c:f64:out:3x1125899906842597",
};

static void test_absurd(stf_device *dev)
{
    static const stf_ft_level levels[] = {STF_FT_AUTO, STF_FT_BLOCK,
                                          STF_FT_OFFLINE};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t k = 0; k < 3; k++) {
            double seconds = 0.0;
            stf_status status;

            if (k > 0 && strstr(words[i], "f80") != NULL)
                continue;
            status = make_plan(dev, words[i], levels[k], &seconds);
            tap_ok(status == STF_ERR_MEMORY && seconds < most_seconds
                       && strstr(stf_error_message(), " bytes") != NULL,
                   "%s, level %d, is refused in %.3f s: %s", words[i],
                   (int)levels[k], seconds, stf_error_message());
        }
}

/* With 1 GiB of addresses: a workspace of 2 GiB for each transform of the
 * batch, of which no part can be left out, and tables of as many bytes. */
static void test_limited(stf_device *dev)
{
    static const char *const limited[] = {"c2c:f32:out:2x134217728*21",
                                          "c2c:f32:out:134217689"};
    const struct rlimit less = {(rlim_t)1 << 30, RLIM_INFINITY};
    struct rlimit old;

    if (STFI_ASAN || STFI_TSAN) {
        tap_skip("sanitizers take all addresses", "a limited process");
        return;
    }
    if (!tap_ok(getrlimit(RLIMIT_AS, &old) == 0
                    && setrlimit(RLIMIT_AS, &less) == 0,
                "the process's memory is limited"))
        return;
    for (size_t i = 0; i < sizeof limited / sizeof *limited; i++) {
        double seconds = 0.0;
        stf_status status = make_plan(dev, limited[i], STF_FT_AUTO, &seconds);

        tap_ok(status == STF_ERR_MEMORY && seconds < most_seconds
                   && strstr(stf_error_message(), " bytes") != NULL,
               "%s is refused in %.3f s: %s", limited[i], seconds,
               stf_error_message());
    }
    setrlimit(RLIMIT_AS, &old);
}

int main(void)
{
    stf_device *dev = NULL;

    tap_begin("impossible");
    if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "the cpu device opens"))
        return tap_end();
    test_absurd(dev);
    test_limited(dev);
    stf_device_close(dev);
    return tap_end();
}
