/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Persistent columns in launches of few blocks; see protected.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backends/gpu/host/fft/spec.h"
#include "run/fft/fft_plan.h"
#include "tests/simt/protected.h"
#include "tests/simt/simt.h"
#include "tests/report.h"
#include "tests/tap.h"

/* What is executed, on a T4 of so many multiprocessors. */
static const struct few {
    const char *word;
    int64_t block_bytes;
    int32_t units;
} fews[] = {
    {"c2c:f32:out:8192*4", 16384, 1},
    {"c2c:f32:out:8192*4", 16384, 2},
};

enum { TURNS = 2 }; /* with as many blocks as there is room for; with one */

/* Finds the kernel of the first persistent pass of a plan. Returns 0 if there is
 * none. */
static int find_persistent(const stf_plan *plan, stfi_gpu_spec *spec_p)
{
    const stfi_schedule *s = stfi_fft_plan_of(plan)->schedule;

    for (int i = 0; i < s->npasses; i++)
        if (stfi_gpu_spec_make(&s->pass[i], s->precision, &s->caps, spec_p)
                == STF_OK
            && spec_p->draws)
            return 1;
    return 0;
}

/* Executes a plan in a workspace without results of earlier executions. Returns
 * the output, or NULL; the caller frees it. */
static char *execute_anew(stfi_trial *t, const stfi_remote *remote,
                          stf_ft_report *report_p)
{
    const size_t bytes = stf_plan_workspace(remote->plan);
    const size_t size = (size_t)t->array[1].components * t->component_bytes;
    char *zeros = calloc(bytes, 1), *output = NULL;
    void *work = NULL;

    stfi_trial_reset(t);
    stf_plan_ft_reset(remote->plan);
    if (zeros != NULL && !stf_malloc(remote->dev, bytes, &work)
        && !stf_upload(remote->dev, work, zeros, bytes)
        && !stfi_remote_load(t, remote)
        && !stf_execute_on(remote->plan, STF_FORWARD,
                           stfi_remote_element(t, remote, 0),
                           stfi_remote_element(t, remote, 1), work, NULL)
        && !stfi_remote_fetch(t, remote)
        && !stf_plan_ft_report(remote->plan, report_p)
        && (output = malloc(size)) != NULL)
        memcpy(output, t->array[1].block, size);
    stf_free(remote->dev, work);
    free(zeros);
    return output;
}

int protected_persists(const stf_plan *plan)
{
    static stfi_gpu_spec spec;

    return find_persistent(plan, &spec);
}

static int is_same(stfi_trial *t, const stfi_remote *remote)
{
    static stfi_gpu_spec spec;
    stf_ft_report report[TURNS] = {{0}};
    char *output[TURNS] = {NULL};
    int right = find_persistent(remote->plan, &spec);

    for (int i = 0; i < TURNS && right; i++) {
        stfi_simt_limit_blocks(i > 0 ? spec.entry : "", 1);
        output[i] = execute_anew(t, remote, &report[i]);
        right = output[i] != NULL && report_has_only(&report[i], 0);
    }
    stfi_simt_limit_blocks("", 0);
    right = right
            && !memcmp(output[0], output[1],
                       (size_t)t->array[1].components * t->component_bytes)
            && report[0].groups_checked == report[1].groups_checked;
    for (int i = 0; i < TURNS; i++)
        free(output[i]);
    return right;
}

static void check_one(const struct few *f)
{
    stfi_caps caps = *stfi_preset_find("t4");
    stf_device *dev = NULL;
    stfi_remote remote = {0};
    stfi_problem p;
    static stfi_trial t;

    caps.block_bytes = f->block_bytes;
    caps.units = f->units;
    if (!stfi_problem_parse(f->word, &p) && !stfi_trial_open(&t, &p, 0, 1)
        && !stfi_simt_device_open_caps(&caps, &dev)) {
        t.problem.desc.ft.mode = STF_FT_CORRECT;
        if (!tap_ok(!stfi_remote_open(&t, dev, &remote) && is_same(&t, &remote),
                    "%s: one block computes what many do, of %d "
                    "multiprocessors",
                    f->word, (int)f->units))
            tap_diag("%s", stf_error_message());
    } else {
        tap_ok(0, "%s: %s", f->word, stf_error_message());
    }
    stfi_remote_close(&remote);
    stfi_trial_close(&t);
    stf_device_close(dev);
}

void protected_check_few_blocks(void)
{
    for (size_t i = 0; i < sizeof fews / sizeof *fews; i++)
        check_one(&fews[i]);
}
