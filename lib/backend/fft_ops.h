/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Fourier transforms on an open device: schedules are made ready to run, and
 * launched. launch() neither allocates, locks nor compiles, and leaves the
 * executable as it was but for its ledger: any number of threads may launch
 * one executable at once, each with buffers of its own. */
#ifndef STFI_BACKEND_FFT_OPS_H
#define STFI_BACKEND_FFT_OPS_H

#include "backend/device_ops.h"
#include "fft/schedule.h"

typedef struct stfi_exec stfi_exec; /* a schedule made ready to run */
typedef struct stfi_ft_ledger stfi_ft_ledger;

/* Arrays of one execution. work is aligned to 64 bytes and holds workspace()
 * bytes; in == out runs in place. */
typedef struct stfi_buffers {
    const void *in;
    void *out;
    void *work;
    int inverse;          /* 1: exp(+2 pi i ...) */
    double scale;         /* applied once, by the passes marked `scaled` */
    int64_t first_signal; /* what the ledger calls transform 0 */
    int again;            /* 1: the launch before is repeated on the same input;
                       its persistent faults strike again */
    const void *gate; /* of gated passes: a word of 64 bits in device memory;
                         if it is 0 when they run, they do nothing. NULL:
                         they run. */
} stfi_buffers;

typedef struct stfi_fft_ops {
    /* Whether a pass can be run; asked for each. Errors: UNSUPPORTED. */
    stf_status (*supports)(const stfi_bctx *, stf_precision, const stfi_pass *);
    /* `like`, or NULL: an executable that outlives this one, for a schedule
     * that may differ in strides only, so that tables can be shared.
     * Errors: MEMORY, DEVICE, COMPILE. */
    stf_status (*create)(stfi_bctx *, const stfi_schedule *, int threads,
                         const stfi_exec *like, stfi_exec **exec_p);
    void (*destroy)(stfi_exec *);           /* NULL is a no-op */
    size_t (*workspace)(const stfi_exec *); /* bytes at buffers.work */
    stf_status (*launch)(stfi_exec *, const stfi_buffers *, void *stream);
    /* Of an executable whose schedule is instrumented. Reads what the checks
     * of finished launches found: sync() first. reset: and forgets it. */
    stf_status (*ledger)(stfi_exec *, int reset, stfi_ft_ledger *ledger_p);
    /* The next launch suffers these faults, each once; with count 0, none.
     * They are valid for the schedule (ft/fault.h). Waits for what the
     * executable is doing. Errors: MEMORY, DEVICE. */
    stf_status (*inject)(stfi_exec *, const stf_fault *fault, int count);
    /* Seconds of one execution, the least of `reps`. Errors: ARGUMENT (reps
     * below 1), DEVICE. */
    stf_status (*time)(stfi_exec *, const stfi_buffers *, int reps,
                       double *seconds_p);
} stfi_fft_ops;

#endif
