/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* hipRTC over NVRTC, to go with libamdhip64_on_cuda.c: kernels are compiled for
 * CUDA and for the first device, or for sm_90 where there is none. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/cuda_api.h"

typedef int nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;
typedef int hiprtcResult;
typedef struct _nvrtcProgram *hiprtcProgram;

#define EXPORT __attribute__((visibility("default")))
#define STFI_HIPRTC_CALL(name, parameters) EXPORT hiprtcResult name parameters;
#include "backends/hip/hiprtc_api.def"
#undef STFI_HIPRTC_CALL

enum { INTERNAL_ERROR = 11, ARCH_BYTES = 64, MOST_OPTIONS = 16 };

#ifndef STF_CUDA_LIBDIR
#define STF_CUDA_LIBDIR ""
#endif

static struct {
#define STFI_NVRTC_CALL(name, parameters) nvrtcResult(*name) parameters;
#include "backends/cuda/nvrtc_api.def"
#undef STFI_NVRTC_CALL
} nvrtc;

static const struct {
    const char *name;
    void *address;
} calls[] = {
#define STFI_NVRTC_CALL(name, parameters) {#name, &nvrtc.name},
#include "backends/cuda/nvrtc_api.def"
#undef STFI_NVRTC_CALL
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int loaded;
static char option_arch[ARCH_BYTES] = "--gpu-architecture=sm_90";

/* Asks the driver for what to compile. */
static void ask_device(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    CUresult (*init)(unsigned) = NULL;
    CUresult (*attribute)(int *, CUdevice_attribute, CUdevice) = NULL;
    void *symbol;
    int major = 0, minor = 0;

    if (library == NULL)
        return;
    symbol = dlsym(library, "cuInit");
    memcpy(&init, &symbol, sizeof symbol);
    symbol = dlsym(library, "cuDeviceGetAttribute");
    memcpy(&attribute, &symbol, sizeof symbol);
    if (init != NULL && attribute != NULL && init(0) == CUDA_SUCCESS
        && !attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0)
        && !attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0))
        snprintf(option_arch, sizeof option_arch, "--gpu-architecture=sm_%d%d",
                 major, minor);
}

static void load(void)
{
    static const char *const names[] = {"libnvrtc.so",
                                        "libnvrtc.so.13",
                                        "libnvrtc.so.12",
                                        STF_CUDA_LIBDIR "/libnvrtc.so",
                                        STF_CUDA_LIBDIR "/libnvrtc.so.13",
                                        STF_CUDA_LIBDIR "/libnvrtc.so.12"};
    void *library = NULL;

    for (size_t i = 0; library == NULL && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; library != NULL && i < sizeof calls / sizeof *calls;
         i++) {
        void *symbol = dlsym(library, calls[i].name);
        if (symbol == NULL)
            return;
        memcpy(calls[i].address, &symbol, sizeof symbol);
    }
    loaded = library != NULL;
    ask_device();
}

/* Fails where there is no NVRTC, which is how the backend sees it. */
hiprtcResult hiprtcVersion(int *major_p, int *minor_p)
{
    pthread_once(&once, load);
    return loaded ? nvrtc.nvrtcVersion(major_p, minor_p) : INTERNAL_ERROR;
}

hiprtcResult hiprtcCreateProgram(hiprtcProgram *program_p, const char *text,
                                 const char *name, int count,
                                 const char **headers, const char **names)
{
    pthread_once(&once, load);
    return loaded ? nvrtc.nvrtcCreateProgram(program_p, text, name, count,
                                             headers, names)
                  : INTERNAL_ERROR;
}

hiprtcResult hiprtcDestroyProgram(hiprtcProgram *program_p)
{
    return nvrtc.nvrtcDestroyProgram(program_p);
}

hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count,
                                  const char **options)
{
    static const struct {
        const char *hip, *cuda;
    } rows[] = {
        {"--offload-arch=", option_arch},
        {"-std=c++17", "--std=c++17"},
        {"-DSTFK_HIP=1", "-DSTFK_CUDA=1"},
        {"-gline-tables-only", "-lineinfo"},
    };
    const char *translated[MOST_OPTIONS];
    int used = 0;

    /* NVRTC optimises without being asked. */
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            if (used < MOST_OPTIONS
                && !strncmp(options[i], rows[k].hip, strlen(rows[k].hip)))
                translated[used++] = rows[k].cuda;
    return nvrtc.nvrtcCompileProgram(program, used, translated);
}

hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t *bytes_p)
{
    return nvrtc.nvrtcGetProgramLogSize(program, bytes_p);
}

hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char *log)
{
    return nvrtc.nvrtcGetProgramLog(program, log);
}

hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t *bytes_p)
{
    return nvrtc.nvrtcGetCUBINSize(program, bytes_p);
}

hiprtcResult hiprtcGetCode(hiprtcProgram program, char *image)
{
    return nvrtc.nvrtcGetCUBIN(program, image);
}
