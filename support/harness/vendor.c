/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Streams and graphs of CUDA's driver and HIP's runtime, as their users call
 * them; see vendor.h. Names and values are those of the binary interfaces.
 * Sources: the CUDA driver manual, CUDA 13.0; the HIP runtime API reference,
 * ROCm 5.2. */
#include "support/harness/vendor.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NON_BLOCKING = 1, CAPTURE_THREAD_LOCAL = 1 };

/* The functions of a driver; each returns 0 on success. Only CUDA has contexts,
 * and only HIP's current device is chosen by its number: the other's functions
 * are NULL. */
typedef struct calls {
    int (*init)(unsigned flags);
    int (*device_get)(int *device, int ordinal);
    int (*retain)(void **context, int device);
    int (*release)(int device);
    int (*push)(void *context);
    int (*pop)(void **context);
    int (*current)(int *device);
    int (*choose)(int device);
    int (*stream_create)(void **stream, unsigned flags);
    int (*stream_destroy)(void *stream);
    int (*stream_wait)(void *stream);
    int (*begin_capture)(void *stream, int mode);
    int (*end_capture)(void *stream, void **graph);
    int (*instantiate)(void **exec, void *graph, unsigned long long flags);
    int (*graph_destroy)(void *graph);
    int (*exec_destroy)(void *exec);
    int (*launch)(void *exec, void *stream);
} calls;

static const struct {
    const char *cuda, *hip;
    size_t offset;
} symbols[] = {
    {"cuInit", "hipInit", offsetof(calls, init)},
    {"cuDeviceGet", NULL, offsetof(calls, device_get)},
    {"cuDevicePrimaryCtxRetain", NULL, offsetof(calls, retain)},
    {"cuDevicePrimaryCtxRelease_v2", NULL, offsetof(calls, release)},
    {"cuCtxPushCurrent_v2", NULL, offsetof(calls, push)},
    {"cuCtxPopCurrent_v2", NULL, offsetof(calls, pop)},
    {NULL, "hipGetDevice", offsetof(calls, current)},
    {NULL, "hipSetDevice", offsetof(calls, choose)},
    {"cuStreamCreate", "hipStreamCreateWithFlags",
     offsetof(calls, stream_create)},
    {"cuStreamDestroy_v2", "hipStreamDestroy", offsetof(calls, stream_destroy)},
    {"cuStreamSynchronize", "hipStreamSynchronize",
     offsetof(calls, stream_wait)},
    {"cuStreamBeginCapture_v2", "hipStreamBeginCapture",
     offsetof(calls, begin_capture)},
    {"cuStreamEndCapture", "hipStreamEndCapture", offsetof(calls, end_capture)},
    {"cuGraphInstantiateWithFlags", "hipGraphInstantiateWithFlags",
     offsetof(calls, instantiate)},
    {"cuGraphDestroy", "hipGraphDestroy", offsetof(calls, graph_destroy)},
    {"cuGraphExecDestroy", "hipGraphExecDestroy",
     offsetof(calls, exec_destroy)},
    {"cuGraphLaunch", "hipGraphLaunch", offsetof(calls, launch)},
};

/* The files in which a vendor's functions are, as the backend looks for them:
 * the first that the environment or the loader has. */
static const char *const cuda_files[] = {"libcuda.so.1", NULL};
static const char *const hip_files[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                        "libamdhip64.so.5", "libamdhip64.so",
                                        NULL};

struct stfi_vendor {
    calls call;
    int device;
    void *context; /* CUDA's, retained */
    int previous;  /* HIP's device that was current before enter() */
};

static void *open_driver(int hip)
{
    const char *const *file = hip ? hip_files : cuda_files;
    const char *named = hip ? getenv("STEADFAST_HIP_DRIVER") : NULL;
    void *library = NULL;

    if (named)
        return dlopen(named, RTLD_NOW | RTLD_LOCAL);
    for (; *file && !library; file++)
        library = dlopen(*file, RTLD_NOW | RTLD_LOCAL);
    return library;
}

static const char *load(calls *call, int hip)
{
    void *library = open_driver(hip);
    size_t i;

    if (!library)
        return "its vendor's driver cannot be loaded";
    for (i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        const char *name = hip ? symbols[i].hip : symbols[i].cuda;
        void *address = name ? dlsym(library, name) : NULL;
        if (name && !address)
            return name;
        memcpy((char *)call + symbols[i].offset, &address, sizeof address);
    }
    return NULL;
}

/* Starts the driver; returns 0 on success. */
static int attach(stfi_vendor *v, int ordinal)
{
    v->device = ordinal;
    if (v->call.init(0))
        return -1;
    if (!v->call.retain)
        return 0;
    return v->call.device_get(&v->device, ordinal)
           || v->call.retain(&v->context, v->device);
}

stfi_vendor *stfi_vendor_open(const stf_device_info *info,
                              const char **reason_p)
{
    const char *colon = strchr(info->name, ':');
    int hip = !strcmp(info->backend, "hip");
    int known = hip || !strcmp(info->backend, "cuda");
    stfi_vendor *v = calloc(1, sizeof *v);

    *reason_p =
        !known || !v ? "its vendor is not known here" : load(&v->call, hip);
    if (!*reason_p && attach(v, colon ? atoi(colon + 1) : 0))
        *reason_p = "its context cannot be had";
    if (!*reason_p)
        return v;
    free(v);
    return NULL;
}

void stfi_vendor_close(stfi_vendor *v)
{
    if (v && v->call.release)
        v->call.release(v->device);
    free(v);
}

/* Makes the device current, and then what was before. */
static void enter(stfi_vendor *v)
{
    if (v->call.push) {
        v->call.push(v->context);
        return;
    }
    v->call.current(&v->previous);
    v->call.choose(v->device);
}

static void leave(stfi_vendor *v)
{
    void *popped;

    if (v->call.pop)
        v->call.pop(&popped);
    else
        v->call.choose(v->previous);
}

void *stfi_vendor_stream(stfi_vendor *v)
{
    void *stream = NULL;

    enter(v);
    if (v->call.stream_create(&stream, NON_BLOCKING))
        stream = NULL;
    leave(v);
    return stream;
}

void stfi_vendor_stream_destroy(stfi_vendor *v, void *stream)
{
    enter(v);
    v->call.stream_destroy(stream);
    leave(v);
}

int stfi_vendor_wait(stfi_vendor *v, void *stream)
{
    int good;

    enter(v);
    good = !v->call.stream_wait(stream);
    leave(v);
    return good;
}

int stfi_vendor_capture(stfi_vendor *v, void *stream)
{
    int good;

    enter(v);
    good = !v->call.begin_capture(stream, CAPTURE_THREAD_LOCAL);
    leave(v);
    return good;
}

void *stfi_vendor_captured(stfi_vendor *v, void *stream)
{
    void *graph = NULL, *exec = NULL;

    enter(v);
    if (!v->call.end_capture(stream, &graph) && graph) {
        if (v->call.instantiate(&exec, graph, 0))
            exec = NULL;
        v->call.graph_destroy(graph);
    }
    leave(v);
    return exec;
}

int stfi_vendor_replay(stfi_vendor *v, void *graph, void *stream)
{
    int good;

    enter(v);
    good = !v->call.launch(graph, stream);
    leave(v);
    return good;
}

void stfi_vendor_graph_destroy(stfi_vendor *v, void *graph)
{
    enter(v);
    v->call.exec_destroy(graph);
    leave(v);
}
