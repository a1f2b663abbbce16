/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lines of reports; see report_lines.h. */
#include "tools/command/report_lines.h"

#include <inttypes.h>

#include "tools/command/protections.h"

const char *stfi_verdict(int failed)
{
    return failed ? "FAIL" : "PASS";
}

void stfi_device_line(const stf_device_info *info, int threads, FILE *file)
{
    fprintf(file, "device      %s (%s%s%s)", info->name, info->model,
            info->model[0] != '\0' ? ", " : "", info->arch);
    if (threads > 0)
        fprintf(file, ", %d thread%s", threads, threads == 1 ? "" : "s");
    fputc('\n', file);
}

int64_t stfi_checks_repaired(const stf_ft_report *c)
{
    return c->corrected + c->recomputed;
}

int64_t stfi_checks_unrepaired(const stf_ft_report *c)
{
    return c->detected - stfi_checks_repaired(c);
}

void stfi_checks_lines(stf_ft_mode mode, const stf_ft_report *c,
                       const char *place, FILE *file)
{
    if (mode == STF_FT_OFF)
        return;
    fprintf(file,
            "protection  %s: %" PRId64 " checksums compared, largest "
            "residual %.3f of its threshold\n",
            stfi_ft_mode_name(mode), c->groups_checked, c->max_residual);
    if (c->non_finite_input > 0)
        fprintf(file,
                "            (%" PRId64 " of them of infinities or "
                "NaNs, which cannot be checked)\n",
                c->non_finite_input);
    if (c->detected > 0)
        fprintf(file,
                "            %" PRId64 " soft error%s, %" PRId64
                " repaired; the first in %s: %s\n",
                c->detected, c->detected == 1 ? "" : "s",
                stfi_checks_repaired(c), place,
                stfi_verdict(stfi_checks_unrepaired(c) > 0));
}
