/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The CUDA driver's side of the backend on a fake driver: what its tests
 * share. */
#ifndef STFI_TESTS_FAKE_H
#define STFI_TESTS_FAKE_H

#include "backends/cuda/cuda_rt.h"
#include "tests/fake/fake_cuda.h"

/* What both sides see of the fake driver; NULL until it was loaded. */
extern fake_cuda_state *fake;

/* Loads the fake driver for this program and for the library: 1 if done.
 * Before that, no driver may have been asked for. */
int fake_load(void);

/* The path of a file among the fake ones. */
const char *fake_path(const char *name);

/* The fake with nothing counted and nothing failing, and a context of the
 * program's own, fake_own_context, current. */
void fake_reset(void);
extern int fake_own_context;

/* 1 if the caller's context is current, and no call was made without the
 * device's. */
int fake_balanced(void);

/* 1 if everything that was made has been given back. */
int fake_nothing_left(void);

/* 1 if a call failed as it should, with a message that holds the texts. */
int fake_failed(stf_status got, stf_status want, const char *a, const char *b);

/* Device 0, or NULL with a diagnostic. */
stfi_gpu_dev *fake_open(void);

/* A piece of work: one launch, which fails the `fail_at`-th time. */
typedef struct fake_job {
    stfi_gpu_dev *dev;
    stfi_gpu_kernel *kernel;
    int runs, fail_at;
} fake_job;

stf_status fake_work(void *job, void *stream);

#endif
