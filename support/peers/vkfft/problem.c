/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A descriptor as a problem of VkFFT's; see module.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "support/peers/vkfft/module.h"

#include "base/status.h"
#include "fft/desc.h"

enum { VKFFT_RANKS = 3 };

static stf_status refuse(const char *what)
{
    return stfi_error(STF_ERR_UNSUPPORTED, "peer vkfft: %s", what);
}

/* The types of DCT1 to DCT4 and DST1 to DST4, which all axes share. */
static stf_status set_kind(const stfi_vkfft_module *module,
                           const stf_fft_desc *full, stfi_vkfft_problem *q)
{
    static const struct {
        stf_kind kind;
        int dct, dst;
    } types[] = {
        {STF_DCT1, 1, 0}, {STF_DCT2, 2, 0}, {STF_DCT3, 3, 0}, {STF_DCT4, 4, 0},
        {STF_DST1, 0, 1}, {STF_DST2, 0, 2}, {STF_DST3, 0, 3}, {STF_DST4, 0, 4},
    };

    if (full->kind == STF_C2C)
        return STF_OK;
    if (!stfi_kind_is_r2r(full->kind))
        return refuse("r2c and c2r are not wired up");
    for (int a = 1; a < full->rank; a++)
        if (full->kinds[a] != full->kinds[0])
            return refuse("all axes must have the same kind");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].kind == full->kinds[0]) {
            q->dct = types[i].dct;
            q->dst = types[i].dst;
        }
    if (q->dct == 0 && q->dst == 0)
        return refuse("it has cosine and sine transforms only");
    if (q->dst != 0 && !module->has_dst)
        return refuse("this version has no sine transforms");
    return STF_OK;
}

static stf_status set_precision(const stfi_vkfft_module *module,
                                const stf_fft_desc *full, stfi_vkfft_problem *q)
{
    switch (full->precision) {
    case STF_F16: q->component_bytes = 2; break;
    case STF_F32: q->component_bytes = 4; break;
    case STF_F64: q->component_bytes = 8; break;
    default: return refuse("only f16, f32 and f64 are wired up");
    }
    if (full->precision == STF_F16 && !module->has_half)
        return refuse("f16 on cuda needs VkFFT 1.3.0 or newer: configure "
                      "--with-vkfft=DIR");
    return STF_OK;
}

static stf_status set_layout(const stf_fft_desc *full, stfi_vkfft_problem *q)
{
    int64_t size = 1;

    if (full->rank > VKFFT_RANKS)
        return refuse("there are more than 3 axes");
    for (int a = full->rank - 1; a >= 0; a--) {
        if (full->in.stride[a] != size || full->out.stride[a] != size)
            return refuse("only packed arrays are wired up");
        q->n[full->rank - 1 - a] = full->n[a];
        size *= full->n[a];
    }
    if (full->batch > 1 && (full->in.dist != size || full->out.dist != size))
        return refuse("only packed arrays are wired up");
    q->rank = full->rank;
    q->batch = full->batch;
    return STF_OK;
}

stf_status stfi_vkfft_set_problem(const stfi_vkfft_module *module,
                                  const stf_fft_desc *full,
                                  stf_direction direction,
                                  stfi_vkfft_problem *problem_p)
{
    stfi_vkfft_problem q = *problem_p;
    stf_status status;

    q.dct = q.dst = 0;
    if (full->kind == STF_C2C && direction == STF_INVERSE)
        return refuse("inverse c2c is not wired up");
    if ((status = set_precision(module, full, &q)) != STF_OK
        || (status = set_kind(module, full, &q)) != STF_OK
        || (status = set_layout(full, &q)) != STF_OK)
        return status;
    *problem_p = q;
    return STF_OK;
}
