/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels of end-to-end checks: their names, config.h and launches. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/gpu/host/end_to_end/end_to_end.h"
#include "backends/gpu/kernels/fft/args.h"
#include "backends/gpu/kernels/end_to_end/end_to_end_args.h"
#include "base/hash.h"
#include "base/status.h"
#include "device/tuning.h"

typedef struct kernel_row {
    const char *name, *what, *form;
    int blocks[2]; /* resident per multiprocessor in F32 and F64 */
    int fewer[2];  /* so many fewer with several axes, or transforms together */
} kernel_row;

static const kernel_row kernels[STFI_E2E_KERNELS] = {
    [STFI_E2E_COMPLEX] = {"complex", "SUM", "COMPLEX", {4, 3}, {1, 0}},
    [STFI_E2E_REAL] = {"real", "SUM", "REAL", {4, 3}, {1, 1}},
    [STFI_E2E_HALF] = {"half", "SUM", "HALF", {3, 2}, {1, 0}},
    [STFI_E2E_FOLD] = {"fold", "FOLD", "COMPLEX", {4, 4}, {0, 0}},
    [STFI_E2E_CONCLUDE] = {"conclude", "CONCLUDE", "COMPLEX", {4, 4}, {0, 0}},
};

stfi_gpu_launch stfi_gpu_e2e_launch(uint32_t blocks)
{
    return (stfi_gpu_launch){blocks, STFK_E2E_THREADS,
                             STFK_E2E_SLOTS * (uint32_t)sizeof(stfk_e2e_sum),
                             1};
}

/* Transforms of so many elements have a whole block each, whatever the device: at most
 * 64 elements for each of its threads. */
enum { LONG = 64 * STFK_E2E_THREADS };

int64_t stfi_gpu_e2e_elements(const stfi_ft_side *side)
{
    int64_t elements = 1;

    for (int axis = 0; axis < side->rank; axis++)
        elements *= side->n[axis];
    return elements;
}

int stfi_gpu_e2e_is_across(const stfi_ft_side *side, int64_t dist,
                           int64_t batch)
{
    int64_t nearest = INT64_MAX;

    for (int axis = 0; axis < side->rank; axis++)
        if (side->n[axis] > 1 && llabs(side->stride[axis]) < nearest)
            nearest = llabs(side->stride[axis]);
    return batch >= STFI_E2E_ACROSS && llabs(dist) < nearest
           && stfi_gpu_e2e_elements(side) > 1;
}

/* More of them have no registers. */
int stfi_gpu_e2e_together(const stfi_ft_side *side, int64_t dist, int64_t batch,
                          stf_precision precision)
{
    const int most = stfi_type_sums(precision)->wide ? 2 : 4;

    if (stfi_gpu_e2e_elements(side) < LONG || batch == 1
        || stfi_gpu_e2e_is_across(side, dist, batch))
        return 1;
    return batch < most ? 2 : most;
}

int stfi_gpu_e2e_pack(const stfi_ft_side *side)
{
    return side->parts == 1 ? 4 : 2;
}

stf_status stfi_gpu_e2e_spec(stfi_e2e_kernel kernel, stfi_e2e_form form,
                             stf_precision precision, const stfi_caps *caps,
                             stfi_gpu_spec *spec_p)
{
    const kernel_row *row = &kernels[kernel];
    const stfi_type *type = stfi_type_get(precision);
    int length;
    char text[512];

    memset(spec_p, 0, sizeof *spec_p);
    spec_p->resident = row->blocks[type->wide];
    if (!form.one_axis || form.together > 1)
        spec_p->resident -= row->fewer[type->wide];
    spec_p->spill_bytes = stfi_tuning_of(caps)->spill_bytes;
    spec_p->hoped = spec_p->resident;
    spec_p->spills_most = stfi_tuning_of(caps)->spills_most;
    spec_p->lanes = 1;
    spec_p->launch = stfi_gpu_e2e_launch(0);
    length = snprintf(
        text, sizeof text,
        "#define STFK_STORED %s\n#define STFK_REAL %s\n"
        "#define STFK_SUM %s\n#define STFK_CHECK 0\n"
        "#define STFK_E2E E2E_%s\n"
        "#define STFK_E2E_FORM E2E_%s\n"
        "#define STFK_E2E_PACKED %d\n"
        "#define STFK_E2E_AXIS %d\n#define STFK_E2E_TOGETHER %d\n"
        "#define STFK_WAVE %d\n"
        "#ifndef STFK_BLOCKS\n#define STFK_BLOCKS %d\n#endif\n",
        stfi_gpu_type_word(precision), stfi_type_arithmetic(precision)->c_name,
        stfi_type_sums(precision)->c_name, row->what, row->form, form.packed,
        form.one_axis, form.together, (int)caps->wave, spec_p->resident);
    snprintf(spec_p->entry, sizeof spec_p->entry,
             "stfk_e2e_%s_%s_%s_%d_%s_%016" PRIx64, row->name,
             form.packed ? "e" : "row", form.one_axis ? "axis" : "axes",
             form.together, type->name, stfi_hash_text(text));
    if (length < 0 || (size_t)length >= sizeof text)
        return stfi_error(STF_ERR_INTERNAL, "config.h of %s is too long",
                          spec_p->entry);
    snprintf(spec_p->config, sizeof spec_p->config, "%s#define STFK_NAME %s\n",
             text, spec_p->entry);
    return STF_OK;
}

static stfi_e2e_kernel sums_over(const stfi_ft_side *side)
{
    return side->halved > 0   ? STFI_E2E_HALF
           : side->parts == 1 ? STFI_E2E_REAL
                              : STFI_E2E_COMPLEX;
}

stf_status stfi_gpu_e2e_spec_of(const stfi_e2e_desc *of, stfi_e2e_launch what,
                                const stfi_caps *caps, stfi_gpu_spec *spec_p)
{
    const int output = what == STFI_E2E_SUMS_OUT;
    const stfi_ft_side *side = output ? &of->check->out : &of->check->in;
    stfi_e2e_kernel kernel = sums_over(side);
    stfi_e2e_form form = {output, side->rank == 1,
                          stfi_gpu_e2e_together(side, of->dist[output],
                                                of->batch, of->precision)};

    if (what == STFI_E2E_ADDS_UP || what == STFI_E2E_JUDGES) {
        kernel = what == STFI_E2E_JUDGES ? STFI_E2E_CONCLUDE : STFI_E2E_FOLD;
        form = (stfi_e2e_form){0, 0, 1};
    }
    return stfi_gpu_e2e_spec(kernel, form, of->precision, caps, spec_p);
}
