/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Loads the CUDA driver and explains its results; see cuda_driver.h. */
#include "backends/cuda/cuda_driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"

/* ---------------------------------------------------------------- loading */

static const struct {
    const char *name;
    size_t offset;
    int needed;
} calls[] = {
#define STFI_CUDA_CALL(name, parameters) \
    {#name, offsetof(stfi_cuda_driver, name), 1},
#include "backends/cuda/cuda_api.def"
#undef STFI_CUDA_CALL
#define STFI_CUDA_MAYBE(name, parameters) \
    {#name, offsetof(stfi_cuda_driver, name), 0},
#include "backends/cuda/cuda_api.def"
#undef STFI_CUDA_MAYBE
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static stfi_cuda_driver driver_calls;
static int loaded;
static char load_reason[256];

/* Finds all functions in the library. Returns the name of one that it lacks and
 * that is needed, or NULL if it has all these. */
static const char *find_calls(void *handle)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        void *symbol = dlsym(handle, calls[i].name);
        if (symbol == NULL && calls[i].needed)
            return calls[i].name;
        memcpy((char *)&driver_calls + calls[i].offset, &symbol, sizeof symbol);
    }
    return NULL;
}

/* Loads the driver. The library is never unloaded, since it has threads of its
 * own. */
static void load(void)
{
    const char *named = stfi_env_get_trusted("STEADFAST_CUDA_DRIVER");
    const char *file = named != NULL ? named : "libcuda.so.1";
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const char *lacking;

    if (handle == NULL) {
        const char *why = dlerror();
        snprintf(load_reason, sizeof load_reason,
                 "no CUDA driver: %.160s; install NVIDIA's driver%s",
                 why != NULL ? why : file,
                 named != NULL ? " or unset STEADFAST_CUDA_DRIVER" : "");
        return;
    }
    lacking = find_calls(handle);
    if (lacking != NULL)
        snprintf(load_reason, sizeof load_reason,
                 "the CUDA driver %.100s lacks %s; update it (450 or newer)",
                 file, lacking);
    loaded = lacking == NULL;
}

const stfi_cuda_driver *stfi_cuda_driver_get(const char **reason_p)
{
    pthread_once(&once, load);
    if (!loaded) {
        *reason_p = load_reason;
        return NULL;
    }
    return &driver_calls;
}

/* ----------------------------------------------------------------- errors */

#define LOST "the program's context on the device is lost: start it anew"
#define NO_CODE "the device or its driver cannot take this code"
#define CAPTURING                                                          \
    "the stream is being captured into a graph: only executing a plan is " \
    "allowed meanwhile"

/* What is not listed is an error of the device. */
static const struct {
    CUresult code;
    stf_status status;
    const char *hint;
} meanings[] = {
    {CUDA_ERROR_INVALID_VALUE, STF_ERR_ARGUMENT,
     "is every pointer and the stream of this device?"},
    {CUDA_ERROR_INVALID_HANDLE, STF_ERR_ARGUMENT,
     "is the stream alive and of this device?"},
    {CUDA_ERROR_INVALID_CONTEXT, STF_ERR_ARGUMENT,
     "is the stream alive and of this device?"},
    {CUDA_ERROR_OUT_OF_MEMORY, STF_ERR_MEMORY,
     "use a smaller batch or free device memory"},
    {CUDA_ERROR_INVALID_DEVICE, STF_ERR_ARGUMENT, "no such device"},
    {CUDA_ERROR_NO_DEVICE, STF_ERR_DEVICE,
     "is one installed, and does CUDA_VISIBLE_DEVICES let it be seen?"},
    {CUDA_ERROR_INVALID_IMAGE, STF_ERR_COMPILE, NO_CODE},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, STF_ERR_COMPILE, NO_CODE},
    {CUDA_ERROR_INVALID_PTX, STF_ERR_COMPILE, NO_CODE},
    {CUDA_ERROR_INVALID_SOURCE, STF_ERR_COMPILE, NO_CODE},
    {CUDA_ERROR_NOT_FOUND, STF_ERR_COMPILE, "the image lacks it"},
    {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, STF_ERR_COMPILE,
     "the driver's installation lacks its compiler of PTX"},
    {CUDA_ERROR_JIT_COMPILATION_DISABLED, STF_ERR_COMPILE,
     "unset CUDA_DISABLE_PTX_JIT"},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, STF_ERR_COMPILE,
     "the driver is older than the compiler: update it"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, STF_ERR_DEVICE,
     "the kernel needs more registers or memory than a block has"},
    {CUDA_ERROR_ECC_UNCORRECTABLE, STF_ERR_DEVICE,
     "device memory has an error beyond repair: reset the device"},
    {CUDA_ERROR_NVLINK_UNCORRECTABLE, STF_ERR_DEVICE,
     "a link between devices has failed: reset the device"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, STF_ERR_DEVICE,
     LOST "; are the arrays as large as the plan says?"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, STF_ERR_DEVICE,
     LOST "; are the arrays aligned to their components?"},
    {CUDA_ERROR_LAUNCH_TIMEOUT, STF_ERR_DEVICE, LOST},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, STF_ERR_DEVICE, LOST},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, STF_ERR_DEVICE, LOST},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, STF_ERR_DEVICE, LOST},
    {CUDA_ERROR_INVALID_PC, STF_ERR_DEVICE, LOST},
    {CUDA_ERROR_LAUNCH_FAILED, STF_ERR_DEVICE, LOST},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, STF_ERR_ARGUMENT, CAPTURING},
    {CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, STF_ERR_ARGUMENT, CAPTURING},
};

const char *stfi_cuda_result_text(const stfi_cuda_driver *driver, CUresult code,
                                  char *text, size_t capacity)
{
    const char *name = NULL, *words = NULL;

    if (driver->cuGetErrorName(code, &name) != CUDA_SUCCESS || name == NULL)
        name = "unknown error";
    if (driver->cuGetErrorString(code, &words) != CUDA_SUCCESS || words == NULL)
        words = "the driver has no words for it";
    snprintf(text, capacity, "%s, %d (%s)", name, code, words);
    return text;
}

stf_status stfi_cuda_error(const stfi_cuda_driver *driver, CUresult code,
                           const char *what, ...)
{
    stf_status status = STF_ERR_DEVICE;
    const char *hint = NULL;
    char text[160], subject[200];
    va_list args;

    va_start(args, what);
    vsnprintf(subject, sizeof subject, what, args);
    va_end(args);
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].code == code) {
            status = meanings[i].status;
            hint = meanings[i].hint;
        }
    stfi_cuda_result_text(driver, code, text, sizeof text);
    return stfi_error(status, "%s: %s%s%s", subject, text,
                      hint != NULL ? "; " : "", hint != NULL ? hint : "");
}
