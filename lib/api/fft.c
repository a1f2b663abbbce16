/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Public calls on Fourier transforms: arguments are checked here, work is
 * done in run/ and by the backend. */
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fp_env.h"
#include "base/status.h"
#include "fft/desc.h"
#include "run/check/check.h"
#include "run/protect.h"
#include "run/fft/host.h"

void stf_fft_desc_init(stf_fft_desc *d, size_t size_bytes)
{
    stf_fft_desc init;

    if (d == NULL || size_bytes == 0)
        return;
    memset(&init, 0, sizeof init);
    init.size_bytes = size_bytes;
    init.kind = STF_C2C;
    init.precision = STF_F32;
    init.rank = 1;
    init.n[0] = 1;
    init.batch = 1;
    init.scale_forward = 1.0;
    init.scale_inverse = 1.0;
    memset(d, 0, size_bytes);
    memcpy(d, &init, size_bytes < sizeof init ? size_bytes : sizeof init);
}

stf_status stf_plan_fft(stf_device *dev, const stf_fft_desc *d,
                        stf_plan **plan_p)
{
    STFI_FP_GUARD;
    stfi_fft_plan *plan;
    stf_status status;

    if (dev == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "dev is NULL; open one with "
                                            "stf_device_open()");
    if (plan_p == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plan_p is NULL");
    status = stfi_fft_plan_create(dev, d, 1, &plan);
    if (status == STF_OK)
        *plan_p = &plan->head;
    return status;
}

static stf_status check_direction(const stf_fft_desc *d,
                                  stf_direction direction)
{
    int axis;

    if (direction != STF_FORWARD && direction != STF_INVERSE)
        return stfi_error(STF_ERR_ARGUMENT,
                          "direction is %d; it must be "
                          "STF_FORWARD or STF_INVERSE",
                          (int)direction);
    if (d->kind == STF_R2C && direction != STF_FORWARD)
        return stfi_error(STF_ERR_ARGUMENT,
                          "direction is STF_INVERSE, but "
                          "an R2C plan runs STF_FORWARD only; make a C2R "
                          "plan for the way back");
    if (direction == STF_INVERSE && (axis = stfi_desc_one_way(d)) >= 0)
        return stfi_error(
            STF_ERR_ARGUMENT,
            "direction is STF_INVERSE, but the kind of axis %d, %s, is not its "
            "own inverse; for the way back make a plan of %s and run it "
            "STF_FORWARD",
            axis, stfi_kind_get(d->kinds[axis])->name,
            stfi_kind_get(stfi_kind_get(d->kinds[axis])->inverse)->name);
    if (d->kind == STF_C2R && direction != STF_INVERSE)
        return stfi_error(STF_ERR_ARGUMENT,
                          "direction is STF_FORWARD, but "
                          "a C2R plan runs STF_INVERSE only; make an R2C "
                          "plan for the way there");
    return STF_OK;
}

static stf_status check_pointer(const void *pointer, const char *name,
                                size_t alignment)
{
    if (pointer == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "%s is NULL", name);
    if ((uintptr_t)pointer % alignment != 0)
        return stfi_error(STF_ERR_ARGUMENT, "%s is not aligned to %zu bytes",
                          name, alignment);
    return STF_OK;
}

static stf_status check_arrays(const stf_fft_desc *d, stf_direction direction,
                               const void *in, const void *out)
{
    size_t alignment = stfi_type_get(d->precision)->bytes;
    stf_status status;

    if ((status = check_direction(d, direction)) != STF_OK
        || (status = check_pointer(in, "in", alignment)) != STF_OK)
        return status;
    return check_pointer(out, "out", alignment);
}

/* Gets the plan, if it is not NULL and one of transforms. */
static stf_status check_plan(stf_plan *plan, const char *call,
                             stfi_fft_plan **fft_p)
{
    return plan != NULL ? stfi_fft_plan_get(plan, call, fft_p)
                        : stfi_error(STF_ERR_ARGUMENT, "plan is NULL");
}

/* Executes, and says in *is_launched_p whether it has come to that. */
static stf_status execute(stf_plan *plan, stf_direction direction,
                          const void *in, void *out, void *workspace,
                          void *stream, volatile int *is_launched_p)
{
    stfi_buffers buffers = {.in = in, .out = out};
    stfi_fft_plan *fft;
    stfi_exec *exec;
    stf_status status;

    if ((status = check_plan(plan, "stf_execute()", &fft)) != STF_OK
        || (status = check_arrays(&fft->desc, direction, in, out)) != STF_OK
        || (status = stfi_fft_plan_choose(fft, in == out, &exec)) != STF_OK)
        return status;
    if (workspace == NULL)
        workspace = plan->workspace;
    else if ((status = check_pointer(workspace, "workspace", STFI_ALIGN))
             != STF_OK)
        return status;
    buffers.work = workspace;
    stfi_fft_plan_direct(fft, direction, &buffers);
    status = stfi_fft_plan_launch(fft, exec, &buffers, stream);
    *is_launched_p = 1;
    return stfi_plan_disarm(plan, status);
}

/* A fault in what comes before the launch must not look like a success: where
 * nothing was launched without an error, it is tried once more. */
static __attribute__((noinline)) stf_status
execute_twice(stf_plan *plan, stf_direction direction, const void *in,
              void *out, void *workspace, void *stream)
{
    STFI_FP_GUARD;
    volatile int is_launched = 0;
    stf_status status =
        execute(plan, direction, in, out, workspace, stream, &is_launched);

    /* Found twice, as what is in place must not be transformed twice. */
    if (status >= STF_OK && !is_launched && !is_launched)
        status =
            execute(plan, direction, in, out, workspace, stream, &is_launched);
    return status;
}

/* 1 if a brief launch has done nothing. What is in place and right would be spoilt by
 * being transformed once more, so that this is found twice. */
static inline int is_left(int status)
{
    int same = status;

    __asm__("" : "+r"(same));
    return status == STFI_BRIEF_NOT && same == STFI_BRIEF_NOT;
}

stf_status stf_execute_on(stf_plan *plan, stf_direction direction,
                          const void *in, void *out, void *workspace,
                          void *stream)
{
    int status = plan != NULL && workspace == NULL
                     ? stfi_fft_plan_briefly(plan, direction, in, out)
                     : STFI_BRIEF_NOT;

    return is_left(status)
               ? execute_twice(plan, direction, in, out, workspace, stream)
               : (stf_status)status;
}

stf_status stf_execute(stf_plan *plan, stf_direction direction, const void *in,
                       void *out)
{
    int status = plan != NULL ? stfi_fft_plan_briefly(plan, direction, in, out)
                              : STFI_BRIEF_NOT;

    return is_left(status) ? execute_twice(plan, direction, in, out, NULL, NULL)
                           : (stf_status)status;
}

stf_status stf_execute_host(stf_plan *plan, stf_direction direction,
                            const void *in, void *out)
{
    STFI_FP_GUARD;
    stfi_fft_plan *fft;
    stf_status status = check_plan(plan, "stf_execute_host()", &fft);

    if (status != STF_OK)
        return status;
    if (stfi_host_is_device(plan->dev))
        return stf_execute_on(plan, direction, in, out, NULL, NULL);
    if ((status = check_arrays(&fft->desc, direction, in, out)) != STF_OK)
        return status;
    return stfi_host_execute(fft, direction, in, out);
}

/* Completes a descriptor for a check, which does not depend on the protection
 * of a plan. */
static stf_status complete_unprotected(const stf_fft_desc *d,
                                       stf_fft_desc *full_p)
{
    stf_fft_desc plain;
    stf_status status;

    if ((status = stfi_desc_take(d, &plain)) != STF_OK)
        return status;
    if ((int)plain.ft.mode >= STF_FT_DEFAULT && plain.ft.mode <= STF_FT_CORRECT)
        plain.ft.mode = STF_FT_OFF;
    return stfi_desc_complete(&plain, full_p);
}

stf_status stf_check_fft(stf_device *dev, const stf_fft_desc *d,
                         stf_direction direction, const void *in,
                         const void *out, stf_ft_report *report_p)
{
    STFI_FP_GUARD;
    stf_fft_desc full;
    stf_status status;

    if (dev == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "dev is NULL; open one with "
                                            "stf_device_open()");
    if (report_p == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "report_p is NULL");
    if ((status = complete_unprotected(d, &full)) != STF_OK
        || (status = check_arrays(&full, direction, in, out)) != STF_OK)
        return status;
    if (in == out)
        return stfi_error(STF_ERR_ARGUMENT,
                          "in equals out; to check a "
                          "transform in place, pass a copy of its input");
    return stfi_check_fft(dev, &full, direction, in, out, report_p);
}
