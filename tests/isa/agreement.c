/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Results of machines that round differently, compared as `steadfast verify
 * --record` and `--against` compare them: the cpu with plain C and with AVX2, and
 * the machine code of gfx90a. Each pair agrees within the bounds of both, and
 * each error is within its own. */
#include <stdlib.h>
#include <string.h>

#include "run/fft/fft_plan.h"
#include "support/oracle/naive.h"
#include "support/problem/problem.h"
#include "tests/isa/device.h"
#include "tests/simt/simt.h"
#include "tests/tap.h"
#include "tools/command/setup.h"
#include "tools/verify/accuracy.h"
#include "tools/verify/agreement.h"
#include "tools/verify/pass_bits.h"

enum { SEED = 20, DETAIL_BYTES = 400 };

/* The first half is run at the quick level. */
static const char *const problems[] = {
    "c2c:f32:out:1000*2",     "r2c:f64:out:256*3", "c2c:f64:out:360*2",
    "c2r:f32:out:64*4",       "c2c:f32:out:127",   "c2c:f32:out:16x24*2",
    "c2c:f64:out:8192",       "r2c:f32:out:65536", "c2c:f32:out:37*3",
    "c2r:f64:out:12x15x16*2",
};

enum { PROBLEMS = sizeof problems / sizeof *problems };

static const struct machine {
    const char *name, *isa; /* of the cpu; NULL: gfx90a */
} machines[] = {
    {"cpu (base)", "base"}, {"cpu (avx2)", "avx2"}, {"gfx90a", NULL}};

enum { MACHINES = sizeof machines / sizeof *machines };

/* Opens a machine; 0 if it is not there, with the reason as the last error. */
static int open_machine(const struct machine *m, stf_device **dev_p)
{
    if (m->isa == NULL)
        return stfi_isa_device_open(stfi_preset_find("mi250x"), m->name, dev_p)
               == STF_OK;
    setenv("STEADFAST_ISA", m->isa, 1);
    return stf_device_open("cpu", dev_p) == STF_OK;
}

/* Computes a problem, with the same data on all machines. */
static stf_status compute(stf_device *dev, const char *word, stfi_digest *d_p,
                          double *bound_p)
{
    stfi_accuracy accuracy;
    stfi_problem p;
    stfi_setup t;
    stf_status status = stfi_problem_parse(word, &p);

    if (status == STF_OK)
        status = stfi_setup_make(
            dev, &p, p.desc.kind == STF_C2R ? STF_INVERSE : STF_FORWARD, SEED,
            &t);
    if (status != STF_OK)
        return status;
    stfi_accuracy_begin(&accuracy, STFI_REFERENCE_AUTO);
    if ((status = stfi_setup_load(&t, 1)) == STF_OK
        && (status = stfi_setup_execute(&t)) == STF_OK
        && (status = stfi_setup_fetch(&t)) == STF_OK
        && (status = stfi_accuracy_add(&accuracy, &t.full, t.direction,
                                       t.host_in, t.host_out, 1))
               == STF_OK)
        status = stfi_digest_compute(&t.full, t.host_out, word, SEED, d_p);
    if (status == STF_OK)
        status = stfi_values_take(&t.full, t.host_out, &d_p->values);
    if (status == STF_OK) {
        d_p->error = stfi_accuracy_error(&accuracy);
        stfi_digest_set_passes(stfi_fft_plan_of(t.plan)->schedule, NULL, d_p);
        status = stfi_pass_bits_add(&t, d_p);
        *bound_p = stfi_naive_bound(&t.full);
    }
    stfi_accuracy_end(&accuracy);
    stfi_setup_free(&t);
    return status;
}

static void compare(const char *word, const stfi_digest *d, int a, int b,
                    double bound, stfi_agreement *counts)
{
    stfi_problem p;
    char detail[DETAIL_BYTES];
    int right;

    stfi_problem_parse(word, &p);
    right = stfi_agreement_add(counts, &d[b], &d[a], bound,
                               stfi_type_get(p.desc.precision)->unit_roundoff,
                               detail, sizeof detail);
    tap_ok(right, "%s: %s and %s: %s", word, machines[a].name, machines[b].name,
           detail);
}

/* Computes all problems on a machine. Returns 0 if it is not there. */
static int run_machine(int m, int count, stfi_digest (*digest)[MACHINES],
                       double *bound)
{
    stf_device *dev;
    int failures = 0;

    if (!open_machine(&machines[m], &dev)) {
        tap_skip(stf_error_message(), "%s", machines[m].name);
        return 0;
    }
    for (int i = 0; i < count; i++)
        if (compute(dev, problems[i], &digest[i][m], &bound[i]) != STF_OK) {
            tap_diag("%s on %s: %s", problems[i], machines[m].name,
                     stf_error_message());
            failures++;
        }
    stf_device_close(dev);
    tap_ok(failures == 0, "%s computes %d problems", machines[m].name, count);
    return failures == 0;
}

int main(void)
{
    static stfi_digest digest[PROBLEMS][MACHINES];
    double bound[PROBLEMS];
    int there[MACHINES] = {0}, count;

    tap_begin("isa-agreement");
    unsetenv("STEADFAST_PRESET");
    if (stfi_isa_missing() != NULL) {
        tap_skip(stfi_isa_missing(), "machine code for GPUs of AMD");
        return tap_end();
    }
    if (!tap_ok(stfi_simt_cache_open(), "a cache of kernels"))
        return tap_end();
    count = tap_level() == TAP_QUICK ? PROBLEMS / 2 : PROBLEMS;
    for (int m = 0; m < MACHINES; m++)
        there[m] = run_machine(m, count, digest, bound);
    for (int a = 0; a < MACHINES; a++)
        for (int b = a + 1; b < MACHINES; b++) {
            stfi_agreement counts = {0};
            if (!there[a] || !there[b])
                continue;
            for (int i = 0; i < count; i++)
                compare(problems[i], digest[i], a, b, bound[i], &counts);
            stfi_agreement_print(&counts, machines[a].name, stdout);
            tap_ok(counts.same + counts.other == count, "%s and %s: %d results",
                   machines[a].name, machines[b].name, count);
        }
    stfi_simt_cache_close();
    return tap_end();
}
