/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Problems with their protected plans alone; see protected.h. */
#include <stdlib.h>
#include <string.h>

#include "tests/simt/protected.h"
#include "tests/tap.h"

int protected_open(const char *word, stf_device *dev, stf_ft_mode mode,
                   protected_run *r)
{
    stfi_problem p;

    memset(r, 0, sizeof *r);
    r->dev = dev;
    if (stfi_problem_parse(word, &p)
        || stfi_trial_open(&r->trial, &p, 0, tap_seed()))
        return 0;
    r->direction = p.desc.kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    r->trial.problem.desc.ft.mode = mode;
    return !stfi_remote_open(&r->trial, dev, &r->guarded);
}

void protected_close(protected_run *r)
{
    stfi_remote_close(&r->guarded);
    stfi_trial_close(&r->trial);
    free(r->want);
}
