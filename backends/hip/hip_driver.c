/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Loads the HIP runtime and explains its results; see hip_driver.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/hip/hip_driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"

#ifndef STF_HIP_LIBDIR
#define STF_HIP_LIBDIR ""
#endif

/* ---------------------------------------------------------------- loading */

static const struct {
    const char *name;
    size_t offset;
} calls[] = {
#define STFI_HIP_CALL(name, parameters) \
    {#name, offsetof(stfi_hip_driver, name)},
#define STFI_HIP_TEXT(name) {#name, offsetof(stfi_hip_driver, name)},
#include "backends/hip/hip_api.def"
#undef STFI_HIP_TEXT
#undef STFI_HIP_CALL
};

const char *const stfi_hip_driver_files[] = {
    "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
    "libamdhip64.so", NULL};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static stfi_hip_driver driver_calls;
static int loaded;
static char load_reason[320];

void *stfi_hip_open_first(const char *const *files)
{
    enum { FLAGS = RTLD_NOW | RTLD_LOCAL };
    void *handle = NULL;
    char path[1024];

    for (int i = 0; files[i] != NULL && handle == NULL; i++)
        handle = dlopen(files[i], FLAGS | RTLD_NOLOAD);
    for (int i = 0; files[i] != NULL && handle == NULL; i++)
        handle = dlopen(files[i], FLAGS);
    /* A build without ROCm knows no folder. */
    for (int i = 0; files[i] != NULL && handle == NULL; i++)
        if (STF_HIP_LIBDIR[0] != '\0') {
            snprintf(path, sizeof path, "%s/%s", STF_HIP_LIBDIR, files[i]);
            handle = dlopen(path, FLAGS);
        }
    return handle;
}

/* Finds all functions in the library. Returns the name of one that it lacks, or
 * NULL if it has all. */
static const char *find_calls(void *handle)
{
    void *symbol;

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        symbol = dlsym(handle, calls[i].name);
        if (symbol == NULL)
            return calls[i].name;
        memcpy((char *)&driver_calls + calls[i].offset, &symbol, sizeof symbol);
    }
    driver_calls.arch_offset = STFI_HIP_ARCH_OFFSET_R0600;
    symbol = dlsym(handle, STFI_HIP_PROPERTIES_R0600);
    if (symbol == NULL) {
        driver_calls.arch_offset = STFI_HIP_ARCH_OFFSET_OLD;
        symbol = dlsym(handle, STFI_HIP_PROPERTIES_OLD);
    }
    if (symbol == NULL)
        return STFI_HIP_PROPERTIES_OLD;
    memcpy(&driver_calls.properties, &symbol, sizeof symbol);
    return NULL;
}

/* Says why no library was loaded. */
static void explain(const char *named)
{
    const char *why = dlerror();

    if (named != NULL)
        snprintf(load_reason, sizeof load_reason,
                 "no HIP runtime: %.160s; install ROCm or unset "
                 "STEADFAST_HIP_DRIVER",
                 why != NULL ? why : named);
    else
        snprintf(load_reason, sizeof load_reason,
                 "no HIP runtime: libamdhip64.so is neither among the system's "
                 "libraries%s%.80s; install ROCm, or name the library in "
                 "STEADFAST_HIP_DRIVER",
                 STF_HIP_LIBDIR[0] != '\0' ? " nor in " : "", STF_HIP_LIBDIR);
}

/* Loads the runtime. The library is never unloaded, since it has threads of its
 * own. */
static void load(void)
{
    const char *named = stfi_env_get_trusted("STEADFAST_HIP_DRIVER");
    void *handle = named != NULL ? dlopen(named, RTLD_NOW | RTLD_LOCAL)
                                 : stfi_hip_open_first(stfi_hip_driver_files);
    const char *lacking;

    if (handle == NULL) {
        explain(named);
        return;
    }
    lacking = find_calls(handle);
    if (lacking != NULL)
        snprintf(load_reason, sizeof load_reason,
                 "the HIP runtime %.100s lacks %s; update it (ROCm 5.2 or "
                 "newer)",
                 named != NULL ? named : "libamdhip64.so", lacking);
    loaded = lacking == NULL;
}

const stfi_hip_driver *stfi_hip_driver_get(const char **reason_p)
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
#define NO_DEVICE                                                       \
    "is one installed, may you open /dev/kfd (group render), and does " \
    "ROCR_VISIBLE_DEVICES or HIP_VISIBLE_DEVICES let it be seen?"
#define CAPTURING                                                          \
    "the stream is being captured into a graph: only executing a plan is " \
    "allowed meanwhile"

/* What is not listed is an error of the device. */
static const struct {
    hipError_t code;
    stf_status status;
    const char *hint;
} meanings[] = {
    {hipErrorInvalidValue, STF_ERR_ARGUMENT,
     "is every pointer and the stream of this device?"},
    {hipErrorInvalidDevicePointer, STF_ERR_ARGUMENT,
     "is every pointer of this device?"},
    {hipErrorInvalidHandle, STF_ERR_ARGUMENT,
     "is the stream alive and of this device?"},
    {hipErrorInvalidContext, STF_ERR_ARGUMENT,
     "is the stream alive and of this device?"},
    {hipErrorOutOfMemory, STF_ERR_MEMORY,
     "use a smaller batch or free device memory"},
    {hipErrorInvalidDevice, STF_ERR_ARGUMENT, "no such device"},
    {hipErrorNoDevice, STF_ERR_DEVICE, NO_DEVICE},
    {hipErrorInsufficientDriver, STF_ERR_DEVICE,
     "the kernel's amdgpu module is too old for this ROCm"},
    {hipErrorInvalidImage, STF_ERR_COMPILE, NO_CODE},
    {hipErrorNoBinaryForGpu, STF_ERR_COMPILE, NO_CODE},
    {hipErrorInvalidKernelFile, STF_ERR_COMPILE, NO_CODE},
    {hipErrorInvalidSource, STF_ERR_COMPILE, NO_CODE},
    {hipErrorSharedObjectInitFailed, STF_ERR_COMPILE, NO_CODE},
    {hipErrorNotFound, STF_ERR_COMPILE, "the image lacks it"},
    {hipErrorSharedObjectSymbolNotFound, STF_ERR_COMPILE, "the image lacks it"},
    {hipErrorInvalidDeviceFunction, STF_ERR_COMPILE, NO_CODE},
    {hipErrorInvalidConfiguration, STF_ERR_DEVICE,
     "the kernel has more threads or memory than a block of the device"},
    {hipErrorLaunchOutOfResources, STF_ERR_DEVICE,
     "the kernel needs more registers or memory than a block has"},
    {hipErrorECCNotCorrectable, STF_ERR_DEVICE,
     "device memory has an error beyond repair: reset the device"},
    {hipErrorIllegalAddress, STF_ERR_DEVICE,
     LOST "; are the arrays as large as the plan says?"},
    {hipErrorLaunchTimeOut, STF_ERR_DEVICE, LOST},
    {hipErrorAssert, STF_ERR_DEVICE, LOST},
    {hipErrorLaunchFailure, STF_ERR_DEVICE, LOST},
    {hipErrorStreamCaptureUnsupported, STF_ERR_ARGUMENT, CAPTURING},
    {hipErrorStreamCaptureInvalidated, STF_ERR_ARGUMENT, CAPTURING},
    {hipErrorStreamCaptureImplicit, STF_ERR_ARGUMENT, CAPTURING},
};

const char *stfi_hip_result_text(const stfi_hip_driver *driver, hipError_t code,
                                 char *text, size_t capacity)
{
    const char *name = driver->hipGetErrorName(code);
    const char *words = driver->hipGetErrorString(code);

    if (name == NULL)
        name = "unknown error";
    if (words == NULL || strcmp(words, name) == 0)
        snprintf(text, capacity, "%s, %d", name, code);
    else
        snprintf(text, capacity, "%s, %d (%s)", name, code, words);
    return text;
}

stf_status stfi_hip_error(const stfi_hip_driver *driver, hipError_t code,
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
    stfi_hip_result_text(driver, code, text, sizeof text);
    return stfi_error(status, "%s: %s%s%s", subject, text,
                      hint != NULL ? "; " : "", hint != NULL ? hint : "");
}
