/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Random data of a batch; see draw.h. */
#include "tools/inject/draw.h"

#include "base/type.h"
#include "fft/desc.h"
#include "run/fft/pack.h"
#include "support/problem/distribution.h"
#include "support/problem/problem.h"
#include "tools/file/data.h"

/* From this many components on, a batch is worth several threads. */
enum { SHARED_COUNT = 1 << 15 };

/* A descriptor whose output has the layout of this one's input. */
static stf_fft_desc reversed(const stf_fft_desc *full)
{
    stf_fft_desc d = *full;

    d.in = full->out;
    d.out = full->in;
    d.kind = full->kind == STF_R2C   ? STF_C2R
             : full->kind == STF_C2R ? STF_R2C
                                     : full->kind;
    return d;
}

size_t stfi_draw_bytes(const stf_fft_desc *full)
{
    return (size_t)stfi_problem_components(full, 0)
           * stfi_type_get(full->precision)->bytes;
}

void stfi_draw_batch(const stf_fft_desc *full, const stfi_draw *draw,
                     int threads, void *packed, void *array)
{
    const stf_fft_desc back = reversed(full);
    const int parts = stfi_kind_get(full->kind)->real_in ? 1 : 2;
    const int64_t count = stfi_problem_components(full, 0);
    const size_t bytes = stfi_draw_bytes(full);

#ifdef _OPENMP
#pragma omp parallel for schedule(static) \
    num_threads(threads) if (full->batch * count > SHARED_COUNT)
#endif
    for (int64_t t = 0; t < full->batch; t++) {
        uint64_t state = draw[t].seed;
        stfi_distribution_draw(draw[t].distribution, full->precision,
                               count / parts, parts,
                               (char *)packed + (size_t)t * bytes, &state);
    }
    stfi_unpack(&back, 0, full->batch, packed, array, threads);
    if (full->kind == STF_C2R) {
        stfi_data_symmetrise(full, array);
        stfi_pack(full, 0, 0, full->batch, array, packed, threads);
    }
}
