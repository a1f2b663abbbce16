/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compiles kernels with NVRTC; see cuda_rtc.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cuda/cuda_rtc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/library.h"
#include "base/status.h"

#ifndef STF_CUDA_LIBDIR
#define STF_CUDA_LIBDIR ""
#endif

typedef int nvrtcResult; /* 0: success */
typedef struct _nvrtcProgram *nvrtcProgram;

/* ---------------------------------------------------------------- loading */

typedef struct library {
#define STFI_NVRTC_CALL(name, parameters) nvrtcResult(*name) parameters;
#include "backends/cuda/nvrtc_api.def"
#undef STFI_NVRTC_CALL
} library;

static const struct {
    const char *name;
    size_t offset;
} calls[] = {
#define STFI_NVRTC_CALL(name, parameters) {#name, offsetof(library, name)},
#include "backends/cuda/nvrtc_api.def"
#undef STFI_NVRTC_CALL
};

/* File names of the library; those of CUDA 11.2 to 11.8 all have the suffix
 * 11.2. */
static const char *const file_names[] = {"libnvrtc.so", "libnvrtc.so.13",
                                         "libnvrtc.so.12", "libnvrtc.so.11.2"};

/* The oldest version of CUDA that compiles the kernels. */
enum { LEAST_MAJOR = 11, LEAST_MINOR = 7 };

/* The folders where they are searched; "" stands for those of the loader. */
static const char *const folders[] = {"", STF_CUDA_LIBDIR "/"};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static library nvrtc;
static int loaded;
static char load_reason[320];
static char library_path[4096];
static _Atomic(const char *) library_p; /* library_path, once it is written */

static void *open_library(void)
{
    /* A build without a toolkit has no second folder. */
    size_t count = STF_CUDA_LIBDIR[0] != '\0' ? 2 : 1;
    char path[1024];
    void *handle;

    for (size_t d = 0; d < count; d++)
        for (size_t i = 0; i < sizeof file_names / sizeof *file_names; i++) {
            snprintf(path, sizeof path, "%s%s", folders[d], file_names[i]);
            if ((handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)) != NULL)
                return handle;
        }
    snprintf(load_reason, sizeof load_reason,
             "no run-time compiler: "
             "libnvrtc.so is neither among the system's libraries%s%.100s; "
             "install the CUDA toolkit, or name the library in STEADFAST_NVRTC",
             STF_CUDA_LIBDIR[0] != '\0' ? " nor in " : "", STF_CUDA_LIBDIR);
    return NULL;
}

static void *open_named(const char *file)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const char *why;

    if (handle != NULL)
        return handle;
    why = dlerror();
    snprintf(load_reason, sizeof load_reason,
             "no run-time compiler: "
             "STEADFAST_NVRTC names a library that cannot be loaded: %.200s",
             why != NULL ? why : file);
    return NULL;
}

/* Finds the library's functions. Returns 1 if it has all of them and is new
 * enough. */
static int resolve(void *handle, const char *file)
{
    int major = 0, minor = 0;

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        void *symbol = dlsym(handle, calls[i].name);
        if (symbol == NULL) {
            snprintf(load_reason, sizeof load_reason,
                     "no run-time compiler: "
                     "%.100s lacks %s; CUDA %d.%d or newer is needed",
                     file, calls[i].name, LEAST_MAJOR, LEAST_MINOR);
            return 0;
        }
        memcpy((char *)&nvrtc + calls[i].offset, &symbol, sizeof symbol);
    }
    if (nvrtc.nvrtcVersion(&major, &minor) == 0
        && (major > LEAST_MAJOR
            || (major == LEAST_MAJOR && minor >= LEAST_MINOR)))
        return 1;
    snprintf(load_reason, sizeof load_reason,
             "no run-time compiler: "
             "%.100s is of CUDA %d.%d; %d.%d or newer is needed",
             file, major, minor, LEAST_MAJOR, LEAST_MINOR);
    return 0;
}

/* The library that the user names, or NULL. */
static const char *rtc_named(void)
{
    return stfi_env_get_trusted("STEADFAST_NVRTC");
}

/* Loads the library, which is never unloaded. */
static void load(void)
{
    const char *named = rtc_named();
    void *handle = named != NULL ? open_named(named) : open_library();

    loaded = handle != NULL
             && resolve(handle, named != NULL ? named : "libnvrtc.so");
    if (loaded
        && stfi_library_path((void (*)(void))nvrtc.nvrtcVersion, library_path,
                             sizeof library_path))
        library_p = library_path;
}

static const char *rtc_library(void)
{
    return library_p;
}

static stf_status need_library(void)
{
    pthread_once(&once, load);
    return loaded ? STF_OK : stfi_error(STF_ERR_COMPILE, "%s", load_reason);
}

static stf_status rtc_version(char *text, size_t capacity)
{
    int major = 0, minor = 0;
    stf_status status = need_library();

    if (status != STF_OK)
        return status;
    if (nvrtc.nvrtcVersion(&major, &minor) != 0)
        return stfi_error(STF_ERR_COMPILE, "NVRTC does not tell its version");
    snprintf(text, capacity, "%d.%d", major, minor);
    return STF_OK;
}

/* ----------------------------------------------------------- architectures */

enum { ARCH_BYTES = 32, MAX_ARCHS = 128 };

/* The newest architecture up to `wanted` that the compiler knows, such as 90
 * for sm_90; 0 if there is none. */
static int newest_known(int wanted)
{
    int known[MAX_ARCHS], count = 0, newest = 0;

    if (nvrtc.nvrtcGetNumSupportedArchs(&count) != 0 || count > MAX_ARCHS
        || nvrtc.nvrtcGetSupportedArchs(known) != 0)
        return 0;
    for (int i = 0; i < count; i++)
        if (known[i] <= wanted && known[i] > newest)
            newest = known[i];
    return newest;
}

/* Chooses the target to compile for. For a device that is newer than the
 * compiler this is PTX for the newest architecture that the compiler knows,
 * which the driver translates. */
static void choose_target(const char *arch, char target[ARCH_BYTES])
{
    int wanted = 0, known;

    snprintf(target, ARCH_BYTES, "%s", arch);
    if (sscanf(arch, "sm_%d", &wanted) != 1)
        return;
    known = newest_known(wanted);
    if (known > 0 && known < wanted)
        snprintf(target, ARCH_BYTES, "compute_%d", known);
}

/* -------------------------------------------------------------- compiling */

static stf_status create(const stfi_gpu_source *source, nvrtcProgram *program_p)
{
    stfi_gpu_headers headers;
    stf_status status = stfi_gpu_headers_of(source, &headers);

    if (status == STF_OK
        && nvrtc.nvrtcCreateProgram(program_p, source->program, "kernel.cu",
                                    headers.count, headers.text, headers.name)
               != 0)
        status = stfi_error(STF_ERR_COMPILE, "NVRTC does not take the kernel "
                                             "sources");
    return status;
}

/* Records the first error message in the compiler's log. */
static stf_status complain(nvrtcProgram program, const char *arch,
                           const char *entry)
{
    char none[] = "it left no log", *text = none;
    size_t bytes = 0;
    void *mem = NULL;

    if (nvrtc.nvrtcGetProgramLogSize(program, &bytes) == 0 && bytes > 1
        && stfi_alloc(bytes + 1, "a compiler's log", &mem) == STF_OK
        && nvrtc.nvrtcGetProgramLog(program, mem) == 0)
        text = mem;
    stfi_error(STF_ERR_COMPILE, "NVRTC cannot compile %.120s for %s: %s", entry,
               arch, stfi_gpu_log_line(text));
    stfi_dealloc(mem);
    return STF_ERR_COMPILE;
}

/* The options beside the architecture. DEBUG_OPTION is used only if
 * STEADFAST_DEBUG is set. */
#define PLAIN_OPTIONS(X) X("--std=c++17") X("-DSTFK_CUDA=1")
#define DEBUG_OPTION "-lineinfo"

static int debugs(void)
{
    return stfi_env_get("STEADFAST_DEBUG") != NULL;
}

static const char *rtc_options(void)
{
#define TEXT(option) option " "
    return debugs() ? PLAIN_OPTIONS(TEXT) DEBUG_OPTION : PLAIN_OPTIONS(TEXT);
#undef TEXT
}

static stf_status compile(nvrtcProgram program, const char *arch,
                          const char *entry)
{
#define ITEM(option) option,
    const char *option[] = {"", PLAIN_OPTIONS(ITEM) DEBUG_OPTION};
#undef ITEM
    char target[64];
    int count = (int)(sizeof option / sizeof *option) - !debugs();

    snprintf(target, sizeof target, "--gpu-architecture=%s", arch);
    option[0] = target;
    return nvrtc.nvrtcCompileProgram(program, count, option) == 0
               ? STF_OK
               : complain(program, arch, entry);
}

/* Gets the result: machine code for a device's architecture, or PTX for a
 * virtual one. */
static stf_status fetch(nvrtcProgram program, const char *arch, void **image_p,
                        size_t *bytes_p)
{
    int machine = strncmp(arch, "sm_", 3) == 0;
    void *image = NULL;
    size_t bytes = 0;
    stf_status status;
    nvrtcResult r = (machine ? nvrtc.nvrtcGetCUBINSize
                             : nvrtc.nvrtcGetPTXSize)(program, &bytes);

    if (r != 0 || bytes == 0)
        return stfi_error(STF_ERR_COMPILE, "NVRTC makes no code for %s", arch);
    status = stfi_alloc_raw(bytes, "a compiled kernel", &image);
    if (status != STF_OK)
        return status;
    r = (machine ? nvrtc.nvrtcGetCUBIN : nvrtc.nvrtcGetPTX)(program, image);
    if (r != 0) {
        stfi_dealloc(image);
        return stfi_error(STF_ERR_COMPILE, "NVRTC keeps its code for %s", arch);
    }
    *image_p = image;
    *bytes_p = bytes;
    return STF_OK;
}

stf_status stfi_cuda_compile(const stfi_gpu_source *source, const char *arch,
                             const char *entry, void **image_p, size_t *bytes_p)
{
    nvrtcProgram program = NULL;
    char target[ARCH_BYTES];
    stf_status status = need_library();

    if (status != STF_OK || (status = create(source, &program)) != STF_OK)
        return status;
    choose_target(arch, target);
    status = compile(program, target, entry);
    if (status == STF_OK)
        status = fetch(program, target, image_p, bytes_p);
    nvrtc.nvrtcDestroyProgram(&program);
    return status;
}

static stf_status rtc_compile(const char *arch, const char *entry,
                              const char *config, void **image_p,
                              size_t *bytes_p)
{
    const stfi_gpu_source source = stfi_gpu_source_of(config);

    return stfi_cuda_compile(&source, arch, entry, image_p, bytes_p);
}

const stfi_gpu_rtc stfi_cuda_rtc = {
    .name = "nvrtc",
    .version = rtc_version,
    .options = rtc_options,
    .compile = rtc_compile,
    .named = rtc_named,
    .library = rtc_library,
};
