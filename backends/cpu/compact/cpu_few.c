/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Choosing rows of few points; see cpu_few.h. */
#include "backends/cpu/compact/cpu_few.h"

#include "backends/cpu/compact/cpu_rows.h"
#include "base/alloc.h"
#include "base/type.h"
#include "fft/factor.h"

/* 1 if rows of complex points are faster by the kernels of few.h than by a step: many of
 * them that are short, where rows.h has none. Bounds: measured. */
static int are_few_faster(const char *isa, const stfi_schedule *s,
                          const stfi_cpu_shape *a)
{
    enum { SHORT = 9, MANY = 64 };

    return a->elements <= SHORT && s->batch >= MANY && !a->inside
           && stfi_factor_special((int)a->elements)
           && stfi_cpu_rows_find(isa, s->precision, a->elements) == NULL;
}

/* Finds the kernels for rows, one in each lane, whose vectors have at most 32 bytes: to
 * turn rows into lanes and back takes most of the time, and more for each row the wider
 * vectors are. NULL: there are none. */
static const stfi_cpu_compact_kernels *
find_few(const char *isa, const stfi_schedule *s, const stfi_cpu_shape *a)
{
    const int64_t least = 16 / (int64_t)stfi_type_get(s->precision)->bytes;
    const int64_t most = 2 * least;
    const int is_real = a->row.kind == STF_R2C || a->row.kind == STF_C2R;

    if (a->rank > 1 || s->batch == 1 || a->elements < 2
        || a->elements > STFI_CPU_FEW
        || !(a->form == STFI_CPU_COMPLEX ? are_few_faster(isa, s, a) : is_real))
        return NULL;
    return stfi_cpu_few_find(isa, s->precision,
                             s->batch > most    ? most
                             : s->batch > least ? s->batch
                                                : least);
}

stf_status stfi_cpu_few_make(const char *isa, const stfi_schedule *s,
                             const stfi_cpu_shape *a,
                             stfi_cpu_compact **compact_p)
{
    const stfi_cpu_compact_kernels *k = find_few(isa, s, a);
    void *mem;
    stf_status status;

    if (k == NULL)
        return STF_OK;
    status = stfi_alloc(sizeof(stfi_cpu_compact), "a plan", &mem);
    if (status != STF_OK)
        return status;
    *compact_p = mem;
    **compact_p = (stfi_cpu_compact){
        .kernels = k,
        .form = a->form,
        .n = a->elements,
        .group = k->key.lanes,
        .src_step = s->batch_stride[0],
        .dst_step = s->batch_stride[1],
    };
    return STF_OK;
}
