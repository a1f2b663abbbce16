/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of the arguments of launches; see simt_args.h. */
#include "backends/gpu/kernels/fft/args.h"
#include "backends/gpu/kernels/end_to_end/end_to_end_args.h"
#include "backends/gpu/kernels/gemm/gemm_args.h"
#include "base/status.h"
#include "tests/simt/simt_args.h"

/* Every pointer among the arguments that is not NULL must lead to device
 * memory. Kernels on the emulated device could read host arrays, but those on
 * a GPU cannot. */
static stf_status check_pointers(const stfi_simt_memory *m, const char *name,
                                 const void *const *pointers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pointers[i] && !stfi_simt_memory_has(m, pointers[i], 1))
            return stfi_error(STF_ERR_DEVICE,
                              "%s: pointer %zu of the "
                              "arguments is not device memory",
                              name, i);
    return STF_OK;
}

static stf_status check_pass(const stfi_simt_memory *m, const char *name,
                             const stfk_args *a)
{
    const void *const pointers[] = {
        a->load.base,     a->store.base,
        a->stage,         a->fine,
        a->coarse,        a->chirp,
        a->product,       a->separate,
        a->load_pos,      a->store_pos,
        a->check.e,       a->check.row,
        a->check.ledger,  a->check.faults ? a->check.fault : NULL,
        a->tile_counters, a->gate,
    };
    return check_pointers(m, name, pointers,
                          sizeof pointers / sizeof *pointers);
}

static stf_status check_weigh(const stfi_simt_memory *m, const char *name,
                              const stfk_e2e *a)
{
    const void *const pointers[] = {
        a->base,      a->partial,   a->account,   a->history,   a->retry_flags,
        a->ledger,    a->gate,      a->weight[0], a->weight[1], a->weight[2],
        a->weight[3], a->weight[4], a->weight[5], a->weight[6], a->weight[7],
    };
    return check_pointers(m, name, pointers,
                          sizeof pointers / sizeof *pointers);
}

static stf_status check_gemm(const stfi_simt_memory *m, const char *name,
                             const stfk_gemm *a)
{
    const void *const pointers[] = {
        a->a.base,          a->b.base,      a->c,           a->alpha_at,
        a->beta_at,         a->partial,     a->weighed,     a->norm_a,
        a->norm_b,          a->ledger,      a->fault,       a->predicted,
        a->before,          a->half_a.base, a->half_b.base, a->half_a.exponent,
        a->half_b.exponent,
    };
    return check_pointers(m, name, pointers,
                          sizeof pointers / sizeof *pointers);
}

stf_status stfi_simt_args_check(const stfi_simt_memory *m, const char *name,
                                const void *args, size_t bytes)
{
    if (bytes == sizeof(stfk_args))
        return check_pass(m, name, args);
    if (bytes == sizeof(stfk_e2e))
        return check_weigh(m, name, args);
    if (bytes == sizeof(stfk_gemm))
        return check_gemm(m, name, args);
    return stfi_error(STF_ERR_DEVICE,
                      "%s: %zu bytes of arguments; it takes "
                      "%zu, %zu or %zu",
                      name, bytes, sizeof(stfk_args), sizeof(stfk_e2e),
                      sizeof(stfk_gemm));
}
