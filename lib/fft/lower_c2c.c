/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Complex transforms of any rank: the last axis first, then the others in
 * place in the output. Axes of length 1 cost nothing. */
#include "fft/builder.h"

void stfi_lower_c2c(stfi_builder *b)
{
    const stf_fft_desc *d = b->desc;
    int done = 0;

    for (int a = d->rank - 1; a >= 0; a--) {
        stfi_axis axis;
        if (d->n[a] == 1 && (a > 0 || done))
            continue;
        stfi_builder_axis(b, a, 0, &axis);
        if (done)
            axis.load = axis.store;
        stfi_lower_axis(b, &axis);
        done = 1;
    }
}
