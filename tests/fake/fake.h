/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What tests of the CUDA backend share that run it on a fake driver. */
#ifndef STFI_TESTS_FAKE_H
#define STFI_TESTS_FAKE_H

#include "backends/cuda/cuda_rt.h"
#include "tests/fake/fake_cuda.h"

/* The state of the fake driver that tests and driver share; NULL until it is
 * loaded. */
extern fake_cuda_state *fake;

/* Loads the fake driver for this program and for the library; returns 1 on
 * success. No driver may have been loaded before. */
int fake_load(void);

/* The path of a file in the folder of fake libraries. */
const char *fake_path(const char *name);

/* Resets the fake driver: all counters are zero, nothing fails, and
 * fake_own_context, a context that stands for the caller's, is current. */
void fake_reset(void);
extern int fake_own_context;

/* 1 if the caller's context is current again, and no call was made without the
 * device's context. */
int fake_balanced(void);

/* 1 if everything that was allocated or created has been released. */
int fake_nothing_left(void);

/* 1 if a call failed as it should, with a message that holds the texts. */
int fake_failed(stf_status got, stf_status want, const char *a, const char *b);

/* Opens device 0; returns NULL, with a diagnostic, on failure. */
stfi_gpu_dev *fake_open(void);

/* Work for tests: one launch per call; call number `fail_at` fails. */
typedef struct fake_job {
    stfi_gpu_dev *dev;
    stfi_gpu_kernel *kernel;
    int runs, fail_at;
} fake_job;

stf_status fake_work(void *job, void *stream);

#endif
