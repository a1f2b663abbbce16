/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What tests share that run a GPU backend on a fake driver. They are written
 * once for all vendors, and name what differs by fake_vendor. */
#ifndef STFI_TESTS_FAKE_H
#define STFI_TESTS_FAKE_H

#include "backends/gpu/host/device/gpu_rt.h"
#include "tests/fake/fake_gpu.h"
#include "tests/fake/fake_path.h"

/* Results that are the same numbers in CUDA and HIP. */
enum {
    FAKE_INVALID_VALUE = 1,
    FAKE_OUT_OF_MEMORY = 2,
    FAKE_NO_DEVICE = 100,
    FAKE_INVALID_IMAGE = 200,
    FAKE_ECC = 214,
    FAKE_INVALID_HANDLE = 400,
    FAKE_NOT_FOUND = 500,
    FAKE_ILLEGAL_ADDRESS = 700,
    FAKE_LAUNCH_FAILED = 719,
    FAKE_CAPTURE = 900
};

typedef struct fake_vendor_table {
    const char *name; /* of the backend, "cuda" */
    const stfi_gpu_rt *rt;
    const char *arch;              /* of the device */
    int contexts;                  /* that an open device holds */
    const char *variable;          /* that names the driver */
    const char *library;           /* the fake one */
    const char *old_library, *old; /* one that lacks this function */
    const char *none, *absent;     /* a file that is not there, and the words
                                    * about that */

    /* Functions of the driver. */
    const char *init, *properties, *enter, *wait_stream, *wait_device,
        *to_device, *on_device, *load, *launch, *stream_create, *host_alloc,
        *elapsed;

    /* All of them, and those that may fail without a consequence for the
     * caller. Both lists end with NULL. */
    const char *const *calls, *const *harmless;
    /* One after whose failure the caller's device is not current. */
    const char *leave;

    /* The vendor's name of a result. */
    const char *(*result)(int code);
} fake_vendor_table;

extern const fake_vendor_table fake_vendor;

/* The state of the fake driver that tests and driver share; NULL until it is
 * loaded. */
extern fake_gpu_state *fake;

/* Loads the fake driver for this program and for the library; returns 1 on
 * success. No driver may have been loaded before. */
int fake_load(void);

/* Resets the fake driver: all counters are zero, nothing fails, and what stands
 * for the caller's own context or device is current. */
void fake_reset(void);

/* 1 if the caller's context or device is current again, and no call was made
 * while that of the tested device was not. */
int fake_balanced(void);

/* An address for tests: of a stream that a caller made, or of what must not be
 * written. */
extern int fake_other;

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
