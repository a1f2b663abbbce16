/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A reference from FFTW; see second.h. */
#include "support/harness/second.h"

#include <math.h>
#include <stdlib.h>

#include "base/status.h"

/* The trial's input in long double, NaN where there is no element. */
static void widen(const stfi_trial *t, long double *wide)
{
    const stfi_fenced *a = &t->array[0];
    const char *in = a->image + a->origin * (int64_t)t->component_bytes;
    int64_t i;

    for (i = 0; i < a->components; i++)
        wide[i] = a->mine[i] ? stfi_trial_get(t, in, i - a->origin) : NAN;
}

stf_status stfi_second_want(stfi_peer *peer, const stfi_trial *t,
                            stf_direction direction, long double **want_p)
{
    const stfi_fenced *in = &t->array[0];
    const stfi_fenced *out = &t->array[!t->problem.in_place];
    stf_fft_desc d = t->full;
    stfi_peer_plan *plan = NULL;
    stf_status status;
    size_t bytes_in = (size_t)in->components * sizeof(long double);
    size_t bytes_out = (size_t)out->components * sizeof(long double);
    long double *wide = malloc(bytes_in), *want = malloc(bytes_out);

    d.precision = STF_F80;
    d.compute = STF_COMPUTE_NATIVE;
    d.scale_forward = 1;
    d.scale_inverse = 1;
    status =
        wide && want ? STF_OK : stfi_error(STF_ERR_MEMORY, "second: no memory");
    if (!status)
        status = stfi_peer_plan_fft(peer, &d, direction, wide + in->origin,
                                    want + out->origin, 1, 0, &plan);
    if (!status) {
        /* Planning may have overwritten the arrays, so they are filled only
         * now. */
        widen(t, wide);
        status = stfi_peer_execute(plan, NULL);
        stfi_peer_plan_destroy(plan);
    }
    if (!status) {
        *want_p = want + out->origin;
        want = NULL;
    }
    free(wide);
    free(want);
    return status;
}
