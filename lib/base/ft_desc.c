/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What descriptors of all classes say about protection; see ft_desc.h. */
#include "base/ft_desc.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/env.h"
#include "base/status.h"

stf_status stfi_ft_desc_check(const stf_ft_desc *ft)
{
    int t = ft->transactions;

    if ((int)ft->mode < STF_FT_DEFAULT || ft->mode > STF_FT_CORRECT)
        return stfi_error(STF_ERR_ARGUMENT,
                          "ft.mode is %d; it must be one "
                          "of stf_ft_mode",
                          (int)ft->mode);
    if ((int)ft->level < STF_FT_AUTO || ft->level > STF_FT_OFFLINE)
        return stfi_error(STF_ERR_ARGUMENT,
                          "ft.level is %d; it must be one "
                          "of stf_ft_level",
                          (int)ft->level);
    if ((int)ft->scheme < STF_FT_SCHEME_AUTO
        || ft->scheme > STF_FT_SCHEME_TWO_SIDED)
        return stfi_error(STF_ERR_ARGUMENT,
                          "ft.scheme is %d; it must be one "
                          "of stf_ft_scheme",
                          (int)ft->scheme);
    if (t < 0 || t > 32 || (t & (t - 1)) != 0)
        return stfi_error(STF_ERR_ARGUMENT,
                          "ft.transactions is %d; it must "
                          "be 0 (auto) or a power of two up to 32",
                          t);
    if (ft->end_to_end != 0 && ft->end_to_end != 1)
        return stfi_error(STF_ERR_ARGUMENT,
                          "ft.end_to_end is %d; it must be "
                          "0 or 1",
                          (int)ft->end_to_end);
    if (!(ft->threshold >= 0.0) || !isfinite(ft->threshold))
        return stfi_error(STF_ERR_ARGUMENT,
                          "ft.threshold is %g; it must be "
                          "0 (derived) or a finite number above 0",
                          ft->threshold);
    return STF_OK;
}

stf_status stfi_ft_desc_resolve(stf_ft_desc *ft)
{
    static const char *const names[] = {"off", "detect", "correct"};
    const size_t count = sizeof names / sizeof *names;
    const char *text = stfi_env_get("STEADFAST_FT");
    size_t i = 0;

    if (ft->mode != STF_FT_DEFAULT)
        return STF_OK;
    while (text != NULL && i < count && strcmp(text, names[i]) != 0)
        i++;
    if (i == count)
        return stfi_error(STF_ERR_ARGUMENT,
                          "environment variable "
                          "STEADFAST_FT is \"%s\"; it must be off, "
                          "detect or correct",
                          text);
    ft->mode = (stf_ft_mode)(STF_FT_OFF + (int)i);
    return STF_OK;
}
