/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Complex transforms of any rank: the last axes first, then the others in
 * place in the output. Axes of length 1 cost nothing. */
#include "fft/builder.h"

void stfi_lower_c2c(stfi_builder *b)
{
    const stf_fft_desc *d = b->desc;
    stfi_axis_run run[STF_MAX_RANK];
    int runs = stfi_builder_runs(b, d->rank - 1, 0, d->in.stride, d->out.stride,
                                 1, run);

    for (int r = 0; r < runs; r++) {
        stfi_axis axis;
        stfi_builder_axis(b, run[r], 0, &axis);
        if (r > 0)
            axis.load = axis.store;
        stfi_lower_axis(b, &axis);
    }
}
