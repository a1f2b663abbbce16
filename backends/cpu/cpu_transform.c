/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Transforms at plan time; see cpu_transform.h. */
#include "backends/cpu/cpu_transform.h"

#include "backends/cpu/cpu_caps.h"
#include "backends/cpu/cpu_exec.h"
#include "backends/cpu/cpu_pass.h"
#include "base/alloc.h"
#include "fft/lower.h"

/* Makes the schedule of one transform of n elements for kernels of `isa`. */
static stf_status plan(const char *isa, int64_t n, stf_precision precision,
                       stfi_schedule *schedule)
{
    const stfi_caps caps = stfi_cpu_caps(isa, 1);
    stf_fft_desc d = stf_fft_desc_default(), full;
    stf_status status;

    d.precision = precision;
    d.n[0] = n;
    d.ft.mode = STF_FT_OFF;
    status = stfi_desc_complete(&d, &full);
    return status != STF_OK ? status : stfi_lower(&full, &caps, 1, schedule);
}

/* Plans and runs one transform in place. If n has a larger prime factor than 13, there
 * may be a convolution in turn; those of this backend have none, so that it ends. */
static stf_status run(void *arg, int64_t n, stf_precision precision, void *data)
{
    const char *isa = stfi_cpu_isa_at(0);
    stfi_buffers buffers = {.in = data, .out = data, .scale = 1.0};
    stfi_schedule *schedule;
    stfi_exec *exec = NULL;
    void *mem;
    stf_status status = stfi_alloc(sizeof *schedule, "a schedule", &mem);

    (void)arg;
    if (status != STF_OK)
        return status;
    schedule = mem;
    if ((status = plan(isa, n, precision, schedule)) == STF_OK
        && (status = stfi_cpu_exec_make(isa, schedule, 1, NULL, &stfi_cpu_dft,
                                        &exec))
               == STF_OK
        && (status = stfi_alloc_raw(stfi_cpu_exec_workspace(exec),
                                    "a plan's tables", &buffers.work))
               == STF_OK)
        stfi_cpu_exec_launch(exec, &buffers, NULL);
    stfi_dealloc(buffers.work);
    stfi_cpu_exec_destroy(exec);
    stfi_dealloc(schedule);
    return status;
}

const stfi_dft stfi_cpu_dft = {run, NULL};
