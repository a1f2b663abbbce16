/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Streams and graphs of the CUDA driver, as its users call them; see vendor.h.
 * Names and values are those of the driver's binary interface.
 * Source: the CUDA driver manual, CUDA 13.0. */
#include "support/harness/vendor.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NON_BLOCKING = 1, CAPTURE_THREAD_LOCAL = 1 };

/* The functions of the driver; each returns 0 on success. */
typedef struct calls {
    int (*init)(unsigned flags);
    int (*device_get)(int *device, int ordinal);
    int (*retain)(void **context, int device);
    int (*release)(int device);
    int (*push)(void *context);
    int (*pop)(void **context);
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
    const char *name;
    size_t offset;
} symbols[] = {
    {"cuInit", offsetof(calls, init)},
    {"cuDeviceGet", offsetof(calls, device_get)},
    {"cuDevicePrimaryCtxRetain", offsetof(calls, retain)},
    {"cuDevicePrimaryCtxRelease_v2", offsetof(calls, release)},
    {"cuCtxPushCurrent_v2", offsetof(calls, push)},
    {"cuCtxPopCurrent_v2", offsetof(calls, pop)},
    {"cuStreamCreate", offsetof(calls, stream_create)},
    {"cuStreamDestroy_v2", offsetof(calls, stream_destroy)},
    {"cuStreamSynchronize", offsetof(calls, stream_wait)},
    {"cuStreamBeginCapture_v2", offsetof(calls, begin_capture)},
    {"cuStreamEndCapture", offsetof(calls, end_capture)},
    {"cuGraphInstantiateWithFlags", offsetof(calls, instantiate)},
    {"cuGraphDestroy", offsetof(calls, graph_destroy)},
    {"cuGraphExecDestroy", offsetof(calls, exec_destroy)},
    {"cuGraphLaunch", offsetof(calls, launch)},
};

struct stfi_vendor {
    calls cu;
    int device;
    void *context;
};

static const char *load(calls *cu)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    size_t i;

    if (!library)
        return "libcuda.so.1 cannot be loaded";
    for (i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address)
            return symbols[i].name;
        memcpy((char *)cu + symbols[i].offset, &address, sizeof address);
    }
    return NULL;
}

stfi_vendor *stfi_vendor_open(const stf_device_info *info,
                              const char **reason_p)
{
    const char *colon = strchr(info->name, ':');
    stfi_vendor *v = calloc(1, sizeof *v);

    *reason_p = strcmp(info->backend, "cuda") || !v
                    ? "its vendor is not known here"
                    : load(&v->cu);
    if (!*reason_p
        && (v->cu.init(0)
            || v->cu.device_get(&v->device, colon ? atoi(colon + 1) : 0)
            || v->cu.retain(&v->context, v->device)))
        *reason_p = "its context cannot be had";
    if (!*reason_p)
        return v;
    free(v);
    return NULL;
}

void stfi_vendor_close(stfi_vendor *v)
{
    if (v)
        v->cu.release(v->device);
    free(v);
}

static void leave(stfi_vendor *v)
{
    void *popped;

    v->cu.pop(&popped);
}

void *stfi_vendor_stream(stfi_vendor *v)
{
    void *stream = NULL;

    v->cu.push(v->context);
    if (v->cu.stream_create(&stream, NON_BLOCKING))
        stream = NULL;
    leave(v);
    return stream;
}

void stfi_vendor_stream_destroy(stfi_vendor *v, void *stream)
{
    v->cu.push(v->context);
    v->cu.stream_destroy(stream);
    leave(v);
}

int stfi_vendor_wait(stfi_vendor *v, void *stream)
{
    int good;

    v->cu.push(v->context);
    good = !v->cu.stream_wait(stream);
    leave(v);
    return good;
}

int stfi_vendor_capture(stfi_vendor *v, void *stream)
{
    int good;

    v->cu.push(v->context);
    good = !v->cu.begin_capture(stream, CAPTURE_THREAD_LOCAL);
    leave(v);
    return good;
}

void *stfi_vendor_captured(stfi_vendor *v, void *stream)
{
    void *graph = NULL, *exec = NULL;

    v->cu.push(v->context);
    if (!v->cu.end_capture(stream, &graph) && graph) {
        if (v->cu.instantiate(&exec, graph, 0))
            exec = NULL;
        v->cu.graph_destroy(graph);
    }
    leave(v);
    return exec;
}

int stfi_vendor_replay(stfi_vendor *v, void *graph, void *stream)
{
    int good;

    v->cu.push(v->context);
    good = !v->cu.launch(graph, stream);
    leave(v);
    return good;
}

void stfi_vendor_graph_destroy(stfi_vendor *v, void *graph)
{
    v->cu.push(v->context);
    v->cu.exec_destroy(graph);
    leave(v);
}
