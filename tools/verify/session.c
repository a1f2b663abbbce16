/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Results of `steadfast verify`; see session.h. */
#include "tools/verify/session.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/status.h"
#include "base/type.h"

void stfi_verify_result(stfi_verify_session *s, int pass, const char *label,
                        const char *detail)
{
    printf("%sok %d - %s: %s\n", pass ? "" : "not ", ++s->number, label,
           detail);
    s->failures += !pass;
    fflush(stdout);
}

/* The newlines and '#' of the reason are left out, which TAP would read. */
void stfi_verify_skip(stfi_verify_session *s, const char *label,
                      const char *reason)
{
    printf("ok %d - %s # SKIP ", ++s->number, label);
    for (; *reason != '\0'; reason++)
        putchar(*reason == '\n' || *reason == '#' ? ' ' : *reason);
    putchar('\n');
    s->skips++;
    fflush(stdout);
}

void stfi_verify_status(stfi_verify_session *s, const char *label,
                        stf_status status)
{
    if (status == STF_ERR_UNSUPPORTED || status == STF_ERR_IO)
        stfi_verify_skip(s, label, stf_error_message());
    else
        stfi_verify_result(s, 0, label, stf_error_message());
}

uint64_t stfi_verify_seed(const stfi_verify_session *s, const char *label)
{
    return stfi_hash_text(label) ^ s->seed;
}

int stfi_verify_wants_values(const stfi_verify_session *s, const char *label)
{
    const stfi_digest *known = stfi_digests_find(&s->known, label);

    return stfi_args_given(s->args, STFI_OPT_VALUES)
           || (known != NULL && known->values.data != NULL);
}

static void against(stfi_verify_session *s, const stfi_digest *mine,
                    stf_precision precision, double bound)
{
    const stfi_digest *known = stfi_digests_find(&s->known, mine->label);
    const double unit = stfi_type_get(precision)->unit_roundoff;
    char detail[400];
    int right;

    if (known == NULL) {
        stfi_verify_skip(s, mine->label, "the file has no digest of it");
        return;
    }
    right = stfi_agreement_add(&s->agreement, mine, known, bound, unit, detail,
                               sizeof detail);
    stfi_verify_result(s, right, mine->label, detail);
}

void stfi_verify_digest(stfi_verify_session *s, const stfi_digest *mine,
                        stf_precision precision, double bound)
{
    if (s->record.stream != NULL)
        stfi_digest_print(mine, s->record.stream);
    if (s->against_file)
        against(s, mine, precision, bound);
}

stf_status stfi_verify_checks(stfi_verify_session *s, stf_plan *plan,
                              const char *label, int *quiet_p)
{
    char detail[120];
    stf_ft_report r;
    stf_status status = stf_plan_ft_report(plan, &r);

    if (status < STF_OK && status != STF_ERR_UNCORRECTED)
        return status;
    *quiet_p = r.detected == 0 && r.non_finite_input == 0;
    if (*quiet_p)
        return STF_OK;
    snprintf(detail, sizeof detail,
             "of %lld checksums, %lld did not agree, "
             "%lld were of Inf or NaN; largest %.3g of its threshold",
             (long long)r.groups_checked, (long long)r.detected,
             (long long)r.non_finite_input, r.max_residual);
    stfi_verify_result(s, 0, label, detail);
    return STF_OK;
}
