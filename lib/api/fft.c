/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Public calls on Fourier transforms: arguments are checked here, work is
 * done in run/ and by the backend. */
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "ft/fault.h"
#include "fft/desc.h"
#include "run/check.h"
#include "run/host.h"
#include "run/plan.h"
#include "run/protect.h"
#include "run/end_to_end.h"

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
    if (dev == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "dev is NULL; open one with "
                                            "stf_device_open()");
    if (plan_p == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plan_p is NULL");
    return stfi_plan_create(dev, d, 1, plan_p);
}

static stf_status check_direction(const stf_fft_desc *d,
                                  stf_direction direction)
{
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

stf_status stf_execute_on(stf_plan *plan, stf_direction direction,
                          const void *in, void *out, void *workspace,
                          void *stream)
{
    stfi_buffers buffers = {.in = in, .out = out};
    stfi_exec *exec;
    stf_status status;

    if (plan == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plan is NULL");
    if ((status = check_arrays(&plan->desc, direction, in, out)) != STF_OK
        || (status = stfi_plan_choose(plan, in == out, &exec)) != STF_OK)
        return status;
    if (workspace == NULL)
        workspace = plan->workspace;
    else if ((status = check_pointer(workspace, "workspace", STFI_ALIGN))
             != STF_OK)
        return status;
    buffers.work = workspace;
    buffers.inverse = direction == STF_INVERSE;
    buffers.scale =
        buffers.inverse ? plan->desc.scale_inverse : plan->desc.scale_forward;
    status = stfi_e2e_launch(plan, exec, &buffers, stream);
    if (plan->armed && stfi_plan_disarm(plan) < STF_OK)
        return status < STF_OK ? status : STF_ERR_DEVICE;
    return status;
}

stf_status stf_execute(stf_plan *plan, stf_direction direction, const void *in,
                       void *out)
{
    return stf_execute_on(plan, direction, in, out, NULL, NULL);
}

stf_status stf_execute_host(stf_plan *plan, stf_direction direction,
                            const void *in, void *out)
{
    stf_status status;

    if (plan == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plan is NULL");
    if (stfi_host_is_device(plan->dev))
        return stf_execute_on(plan, direction, in, out, NULL, NULL);
    if ((status = check_arrays(&plan->desc, direction, in, out)) != STF_OK)
        return status;
    return stfi_host_execute(plan, direction, in, out);
}

size_t stf_plan_workspace(const stf_plan *plan)
{
    return plan != NULL ? plan->workspace_bytes : 0;
}

stf_status stf_plan_describe(const stf_plan *plan, char *text, size_t capacity)
{
    size_t length;

    if (plan == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plan is NULL");
    if (text == NULL || capacity == 0)
        return stfi_error(STF_ERR_ARGUMENT, "text is NULL or capacity is 0");
    length = stfi_schedule_print(plan->schedule, text, capacity);
    if (length >= capacity)
        return stfi_error(STF_ERR_ARGUMENT,
                          "capacity is %zu; the whole text "
                          "needs %zu bytes",
                          capacity, length + 1);
    return STF_OK;
}

stf_status stf_plan_ft_report(stf_plan *plan, stf_ft_report *report_p)
{
    if (plan == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plan is NULL");
    if (report_p == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "report_p is NULL");
    return stfi_plan_report(plan, report_p);
}

stf_status stf_plan_ft_reset(stf_plan *plan)
{
    if (plan == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plan is NULL");
    return stfi_plan_reset(plan);
}

stf_status stf_plan_inject(stf_plan *plan, const stf_fault *fault, int count)
{
    if (plan == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plan is NULL");
    if (count < 0)
        return stfi_error(STF_ERR_ARGUMENT,
                          "count is %d; it must be 0 or "
                          "more",
                          count);
    if (fault == NULL && count > 0)
        return stfi_error(STF_ERR_ARGUMENT, "fault is NULL");
    return stfi_plan_inject(plan, fault, count);
}

stf_status stf_plan_draw_fault(const stf_plan *plan, uint64_t seed,
                               stf_fault *fault_p)
{
    if (plan == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plan is NULL");
    if (fault_p == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "fault_p is NULL");
    *fault_p = stfi_fault_draw(plan->schedule, seed);
    return STF_OK;
}

/* What protection a plan would have does not matter to a check. */
static stf_status complete_unprotected(const stf_fft_desc *d,
                                       stf_fft_desc *full_p)
{
    stf_fft_desc plain;

    if (d == NULL || d->size_bytes != sizeof *d)
        return stfi_desc_complete(d, full_p);
    plain = *d;
    if ((int)d->ft.mode >= STF_FT_DEFAULT && d->ft.mode <= STF_FT_CORRECT)
        plain.ft.mode = STF_FT_OFF;
    return stfi_desc_complete(&plain, full_p);
}

stf_status stf_check_fft(stf_device *dev, const stf_fft_desc *d,
                         stf_direction direction, const void *in,
                         const void *out, stf_ft_report *report_p)
{
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

void stf_plan_destroy(stf_plan *plan)
{
    stfi_plan_destroy(plan);
}
