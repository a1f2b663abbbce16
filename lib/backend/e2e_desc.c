/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a backend has to know of an end-to-end check; see e2e_ops.h. */
#include "backend/e2e_ops.h"
#include "fft/desc.h"

stfi_e2e_desc stfi_e2e_desc_of(const stf_fft_desc *full,
                               const struct stfi_ft_offline *check)
{
    const stfi_kind *kind = stfi_kind_get(full->kind);

    return (stfi_e2e_desc){
        .check = check,
        .precision = full->precision,
        .batch = full->batch,
        .dist = {full->in.dist * (kind->real_in ? 1 : 2),
                 full->out.dist * (kind->real_out ? 1 : 2)},
        .correct = full->ft.mode == STF_FT_CORRECT,
    };
}
