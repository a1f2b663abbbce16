/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The verification of a transform; see verify_fft.h. */
#include "tools/verify/verify_fft.h"

#include <inttypes.h>

#include "support/oracle/naive.h"
#include "base/status.h"
#include "run/fft/fft_plan.h"
#include "tools/command/setup.h"
#include "tools/file/data.h"
#include "tools/verify/accuracy.h"
#include "tools/verify/digest.h"
#include "tools/verify/pass_bits.h"

void stfi_verify_oracle(stfi_verify_session *s, double bound, const char *label)
{
    double error = stfi_accuracy_error(&s->accuracy);
    char detail[160];

    snprintf(detail, sizeof detail, "error %.3e, bound %.3e (%s)", error, bound,
             s->accuracy.reference);
    stfi_verify_result(s, error <= bound, label, detail);
}

/* Records the digest of a result, and compares it with that of a file. */
static stf_status use_digest(stfi_verify_session *s, stfi_setup *t,
                             const char *label, uint64_t seed, int measured)
{
    stfi_digest digest;
    stf_status status =
        stfi_digest_compute(&t->full, t->host_out, label, seed, &digest);

    if (status == STF_OK && stfi_verify_wants_values(s, label))
        status = stfi_values_take(&t->full, t->host_out, &digest.values);
    if (status != STF_OK)
        return status;
    if (measured)
        digest.error = stfi_accuracy_error(&s->accuracy);
    stfi_digest_set_passes(stfi_fft_plan_of(t->plan)->schedule, NULL, &digest);
    if (digest.values.data != NULL)
        status = stfi_pass_bits_add(t, &digest);
    if (status == STF_OK)
        stfi_verify_digest(s, &digest, t->full.precision,
                           stfi_naive_bound(&t->full));
    stfi_values_free(&digest.values);
    return status;
}

/* Executes once on the input as it is. *quiet_p is 0 if checks complained, which is
 * told. */
static stf_status execute_once(stfi_verify_session *s, stfi_setup *t,
                               const char *label, int *quiet_p)
{
    stf_status status;

    *quiet_p = 0;
    if ((status = stfi_setup_load(t, 1)) != STF_OK
        || (status = stfi_setup_execute(t)) < STF_OK
        || (status = stfi_setup_fetch(t)) != STF_OK)
        return status;
    return stfi_verify_checks(s, t->plan, label, quiet_p);
}

static stf_status measure(stfi_verify_session *s, const stfi_setup *t)
{
    return stfi_accuracy_add(&s->accuracy, &t->full, t->direction, t->host_in,
                             t->host_out, 1);
}

/* Measures other draws until enough elements were seen. */
static stf_status measure_more(stfi_verify_session *s, stfi_setup *t,
                               const char *label, uint64_t seed, int *quiet_p)
{
    stf_status status = STF_OK;

    while (status == STF_OK && *quiet_p
           && s->accuracy.elements < STFI_NAIVE_ENOUGH) {
        stfi_data_fill(&t->full, t->host_in, ++seed);
        status = execute_once(s, t, label, quiet_p);
        if (status == STF_OK && *quiet_p)
            status = measure(s, t);
    }
    return status;
}

/* Executes a problem, records its digest, and compares the result. */
static stf_status judge(stfi_verify_session *s, stfi_setup *t,
                        const char *label, uint64_t seed)
{
    int quiet;
    stf_status measured, status = execute_once(s, t, label, &quiet);

    if (status != STF_OK || !quiet)
        return status;
    stfi_accuracy_reset(&s->accuracy);
    measured = measure(s, t);
    if (s->against_file || s->record.stream != NULL)
        status = use_digest(s, t, label, seed, measured == STF_OK);
    if (status != STF_OK || s->against_file)
        return status;
    if (measured == STF_OK)
        measured = measure_more(s, t, label, seed, &quiet);
    if (measured == STF_OK && quiet)
        stfi_verify_oracle(s, stfi_naive_bound(&t->full), label);
    return measured;
}

void stfi_verify_fft(stfi_verify_session *s, const stfi_problem *p,
                     stf_direction direction, const char *ending)
{
    char label[STFI_LABEL_BYTES];
    const stfi_digest *known;
    stfi_setup t;
    uint64_t seed;
    stf_status status;
    int used;

    used = stfi_problem_print(p, label, sizeof label);
    snprintf(label + used, sizeof label - (size_t)used, ":%s%s",
             direction == STF_FORWARD ? "forward" : "inverse", ending);
    seed = stfi_verify_seed(s, label);
    known = s->against_file ? stfi_digests_find(&s->known, label) : NULL;
    if (known != NULL)
        seed = known->seed;
    status = stfi_setup_make(s->dev, p, direction, seed, &t);
    if (status == STF_OK) {
        status = judge(s, &t, label, seed);
        if (status < STF_OK)
            stfi_verify_status(s, label, status);
        stfi_setup_free(&t);
    } else {
        stfi_verify_status(s, label, status);
    }
}
