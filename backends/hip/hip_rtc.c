/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compiles kernels with hipRTC; see hip_rtc.h. */
#include "backends/hip/hip_rtc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "backends/hip/hip_driver.h"
#include "backends/hip/hip_options.h"
#include "base/alloc.h"
#include "base/env.h"
#include "base/library.h"
#include "base/status.h"

typedef int hiprtcResult; /* 0: success */
typedef struct _hiprtcProgram *hiprtcProgram;

/* ---------------------------------------------------------------- loading */

typedef struct library {
#define STFI_HIPRTC_CALL(name, parameters) hiprtcResult(*name) parameters;
#include "backends/hip/hiprtc_api.def"
#undef STFI_HIPRTC_CALL
} library;

static const struct {
    const char *name;
    size_t offset;
} calls[] = {
#define STFI_HIPRTC_CALL(name, parameters) {#name, offsetof(library, name)},
#include "backends/hip/hiprtc_api.def"
#undef STFI_HIPRTC_CALL
};

/* comgr, the library in which hipRTC has its compiler. It is asked for what
 * hipRTC does not tell; all functions are NULL where it is not found. */
static struct {
    void (*version)(size_t *major_p, size_t *minor_p);
    int (*isa_count)(size_t *count_p);
    int (*isa_name)(size_t index, const char **name_p);
} comgr;

static const char *const rtc_files[] = {"libhiprtc.so.7", "libhiprtc.so.6",
                                        "libhiprtc.so.5", "libhiprtc.so", NULL};
static const char *const comgr_files[] = {
    "libamd_comgr.so.3", "libamd_comgr.so.2", "libamd_comgr.so", NULL};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static library hiprtc;
static int loaded;
static char load_reason[320];
static char library_path[4096];
static _Atomic(const char *) library_p; /* library_path, once it is written */

/* Before ROCm 5.4 hipRTC is part of the runtime's library. */
static void *open_library(void)
{
    void *handle = stfi_hip_open_first(rtc_files);

    if (handle == NULL)
        handle = stfi_hip_open_first(stfi_hip_driver_files);
    if (handle == NULL)
        snprintf(load_reason, sizeof load_reason,
                 "no run-time compiler: "
                 "libhiprtc.so is not among the system's libraries; install "
                 "ROCm, or name the library in STEADFAST_HIPRTC");
    return handle;
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
             "STEADFAST_HIPRTC names a library that cannot be loaded: %.200s",
             why != NULL ? why : file);
    return NULL;
}

/* Finds the library's functions. Returns 1 if it has all of them. */
static int resolve(void *handle, const char *file)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        void *symbol = dlsym(handle, calls[i].name);
        if (symbol == NULL) {
            snprintf(load_reason, sizeof load_reason,
                     "no run-time compiler: "
                     "%.100s lacks %s; ROCm 5.2 or newer is needed",
                     file, calls[i].name);
            return 0;
        }
        memcpy((char *)&hiprtc + calls[i].offset, &symbol, sizeof symbol);
    }
    return 1;
}

static void find_comgr(void)
{
    void *handle = stfi_hip_open_first(comgr_files);
    void *version, *count, *name;

    if (handle == NULL)
        return;
    version = dlsym(handle, "amd_comgr_get_version");
    count = dlsym(handle, "amd_comgr_get_isa_count");
    name = dlsym(handle, "amd_comgr_get_isa_name");
    if (version == NULL || count == NULL || name == NULL)
        return;
    memcpy(&comgr.version, &version, sizeof version);
    memcpy(&comgr.isa_count, &count, sizeof count);
    memcpy(&comgr.isa_name, &name, sizeof name);
}

/* The library that the user names, or NULL. */
static const char *rtc_named(void)
{
    return stfi_env_get_trusted("STEADFAST_HIPRTC");
}

/* Loads the libraries, which are never unloaded. */
static void load(void)
{
    const char *named = rtc_named();
    void *handle = named != NULL ? open_named(named) : open_library();

    loaded = handle != NULL
             && resolve(handle, named != NULL ? named : "libhiprtc.so");
    if (!loaded)
        return;
    find_comgr();
    if (stfi_library_path((void (*)(void))hiprtc.hiprtcVersion, library_path,
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
    enum { MAJOR_OF_ALL = 9 }; /* what releases of years say */
    int major = 0, minor = 0;
    size_t of_comgr[2] = {0, 0};
    stf_status status = need_library();

    if (status != STF_OK)
        return status;
    if (hiprtc.hiprtcVersion(&major, &minor) != 0)
        return stfi_error(STF_ERR_COMPILE, "hipRTC does not tell its version");
    if (major != MAJOR_OF_ALL || comgr.version == NULL) {
        snprintf(text, capacity, "%d.%d", major, minor);
        return STF_OK;
    }
    comgr.version(&of_comgr[0], &of_comgr[1]);
    snprintf(text, capacity, "%d.%d.%zu.%zu", major, minor, of_comgr[0],
             of_comgr[1]);
    return STF_OK;
}

/* ----------------------------------------------------------- architectures */

/* Says whether the compiler knows an architecture. hipRTC of ROCm 5 ends the
 * process when it does not, so comgr is asked first. Its names end with the
 * architecture, as amdgcn-amd-amdhsa--gfx90a. */
static stf_status check_arch(const char *arch, const char *entry)
{
    size_t count = 0, length = strlen(arch);

    if (comgr.isa_count == NULL || comgr.isa_count(&count) != 0)
        return STF_OK;
    for (size_t i = 0; i < count; i++) {
        const char *name = NULL, *end;

        if (comgr.isa_name(i, &name) != 0 || name == NULL)
            continue;
        end = strrchr(name, '-');
        end = end != NULL ? end + 1 : name;
        if (strcspn(end, ":") == length && strncmp(end, arch, length) == 0)
            return STF_OK;
    }
    return stfi_error(STF_ERR_COMPILE,
                      "hipRTC cannot compile %.120s for %s: its compiler does "
                      "not know the arch; update ROCm",
                      entry, arch);
}

/* -------------------------------------------------------------- compiling */

static stf_status create(const stfi_gpu_source *source,
                         hiprtcProgram *program_p)
{
    stfi_gpu_headers headers;
    stf_status status = stfi_gpu_headers_of(source, &headers);

    if (status != STF_OK)
        return status;
    /* An empty file would be refused. */
    for (int i = 0; i < headers.count; i++)
        if (headers.text[i][0] == '\0')
            headers.text[i] = "\n";
    if (hiprtc.hiprtcCreateProgram(program_p, source->program, "kernel.hip",
                                   headers.count, headers.text, headers.name)
        != 0)
        status = stfi_error(STF_ERR_COMPILE, "hipRTC does not take the kernel "
                                             "sources");
    return status;
}

/* Records the first error message in the compiler's log. */
static stf_status complain(hiprtcProgram program, const char *arch,
                           const char *entry)
{
    char none[] = "it left no log", *text = none;
    size_t bytes = 0;
    void *mem = NULL;

    if (hiprtc.hiprtcGetProgramLogSize(program, &bytes) == 0 && bytes > 1
        && stfi_alloc(bytes + 1, "a compiler's log", &mem) == STF_OK
        && hiprtc.hiprtcGetProgramLog(program, mem) == 0)
        text = mem;
    stfi_error(STF_ERR_COMPILE, "hipRTC cannot compile %.120s for %s: %s",
               entry, arch, stfi_gpu_log_line(text));
    stfi_dealloc(mem);
    return STF_ERR_COMPILE;
}

/* The options beside the architecture. DEBUG_OPTION is used only if
 * STEADFAST_DEBUG is set. */
#define DEBUG_OPTION "-gline-tables-only"

static int debugs(void)
{
    return stfi_env_get("STEADFAST_DEBUG") != NULL;
}

static const char *rtc_options(void)
{
#define TEXT(option) option " "
    return debugs() ? STFI_HIP_OPTIONS(TEXT) DEBUG_OPTION
                    : STFI_HIP_OPTIONS(TEXT);
#undef TEXT
}

static stf_status compile(hiprtcProgram program, const char *arch,
                          const char *entry)
{
#define ITEM(option) option,
    const char *option[] = {"", STFI_HIP_OPTIONS(ITEM) DEBUG_OPTION};
#undef ITEM
    char target[64];
    int count = (int)(sizeof option / sizeof *option) - !debugs();

    snprintf(target, sizeof target, "--offload-arch=%s", arch);
    option[0] = target;
    return hiprtc.hiprtcCompileProgram(program, count, option) == 0
               ? STF_OK
               : complain(program, arch, entry);
}

static stf_status fetch(hiprtcProgram program, const char *arch, void **image_p,
                        size_t *bytes_p)
{
    void *image = NULL;
    size_t bytes = 0;
    stf_status status;
    hiprtcResult r = hiprtc.hiprtcGetCodeSize(program, &bytes);

    if (r != 0 || bytes == 0)
        return stfi_error(STF_ERR_COMPILE, "hipRTC makes no code for %s", arch);
    status = stfi_alloc_raw(bytes, "a compiled kernel", &image);
    if (status != STF_OK)
        return status;
    if (hiprtc.hiprtcGetCode(program, image) != 0) {
        stfi_dealloc(image);
        return stfi_error(STF_ERR_COMPILE, "hipRTC keeps its code for %s",
                          arch);
    }
    *image_p = image;
    *bytes_p = bytes;
    return STF_OK;
}

stf_status stfi_hip_compile(const stfi_gpu_source *source, const char *arch,
                            const char *entry, void **image_p, size_t *bytes_p)
{
    hiprtcProgram program = NULL;
    stf_status status = need_library();

    if (status == STF_OK)
        status = check_arch(arch, entry);
    if (status != STF_OK || (status = create(source, &program)) != STF_OK)
        return status;
    status = compile(program, arch, entry);
    if (status == STF_OK)
        status = fetch(program, arch, image_p, bytes_p);
    hiprtc.hiprtcDestroyProgram(&program);
    return status;
}

static stf_status rtc_compile(const char *arch, const char *entry,
                              const char *config, void **image_p,
                              size_t *bytes_p)
{
    const stfi_gpu_source source = stfi_gpu_source_of(config);

    return stfi_hip_compile(&source, arch, entry, image_p, bytes_p);
}

const stfi_gpu_rtc stfi_hip_rtc = {
    .name = "hiprtc",
    .version = rtc_version,
    .options = rtc_options,
    .compile = rtc_compile,
    .named = rtc_named,
    .library = rtc_library,
};
