/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Loading the shared library and unloading it again, as programs with plug-ins
 * do: the threads of its teams still wait in OpenMP's run-time library then.
 * This program is linked with neither. */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "steadfast.h"
#include "tests/process/child.h"
#include "tests/tap.h"

enum { ROUNDS = 20, POINTS = 65536, BATCH = 4 };

/* The calls, as they are found in the library. */
typedef struct calls {
    __typeof__(&stf_fft_desc_init) desc_init;
    __typeof__(&stf_device_open) device_open;
    __typeof__(&stf_device_close) device_close;
    __typeof__(&stf_plan_fft) plan_fft;
    __typeof__(&stf_plan_destroy) plan_destroy;
    __typeof__(&stf_execute) execute;
} calls;

static void *load(void)
{
    void *library = dlopen(STF_SHARED_LIBRARY, RTLD_NOW | RTLD_LOCAL);

    if (library == NULL)
        tap_diag("%s", dlerror());
    return library;
}

/* ISO C has no conversion from pointers to functions. */
static int find(void *library, const char *name, void *function_p)
{
    *(void **)function_p = dlsym(library, name);
    return *(void **)function_p != NULL;
}

static int find_all(void *library, calls *c)
{
    return find(library, "stf_fft_desc_init", &c->desc_init)
           && find(library, "stf_device_open", &c->device_open)
           && find(library, "stf_device_close", &c->device_close)
           && find(library, "stf_plan_fft", &c->plan_fft)
           && find(library, "stf_plan_destroy", &c->plan_destroy)
           && find(library, "stf_execute", &c->execute);
}

/* Executes by two threads. */
static int use(const calls *c, double *array)
{
    stf_device *dev = NULL;
    stf_plan *plan = NULL;
    stf_fft_desc d;
    int right;

    c->desc_init(&d, sizeof d);
    d.precision = STF_F64;
    d.n[0] = POINTS;
    d.batch = BATCH;
    d.threads = 2;
    right = c->device_open("cpu", &dev) == STF_OK
            && c->plan_fft(dev, &d, &plan) == STF_OK
            && c->execute(plan, STF_FORWARD, array, array) == STF_OK;
    c->plan_destroy(plan);
    c->device_close(dev);
    return right;
}

static child_result use_and_unload(const void *arg)
{
    double *array = calloc((size_t)POINTS * BATCH, 2 * sizeof *array);
    int right = array != NULL;

    (void)arg;
    for (int i = 0; i < ROUNDS && right; i++) {
        calls c;
        void *library = load();
        right = library != NULL && find_all(library, &c) && use(&c, array)
                && dlclose(library) == 0;
        usleep(i % 2 == 0 ? 0 : 1000); /* a waiting thread spins, then sleeps */
    }
    free(array);
    return right ? CHILD_RIGHT : CHILD_WRONG;
}

/* Code that a thread may be in must stay. */
static child_result stays_in_memory(const void *arg)
{
    void *library = load();

    (void)arg;
    if (library == NULL || dlclose(library) != 0)
        return CHILD_WRONG;
    return dlopen(STF_SHARED_LIBRARY, RTLD_NOW | RTLD_NOLOAD) != NULL
               ? CHILD_RIGHT
               : CHILD_WRONG;
}

int main(void)
{
    const char *reason = NULL;

    tap_begin("unload");
#ifndef STF_HAVE_NODELETE
    reason = "the linker cannot keep libraries in memory";
#endif
    if (access(STF_SHARED_LIBRARY, R_OK) != 0)
        reason = "there is no shared library";
    if (reason != NULL) {
        tap_skip(reason, "the library is unloaded");
        return tap_end();
    }
    child_report("the library stays in memory", stays_in_memory, NULL);
    child_report("loaded, used by two threads and unloaded again and again",
                 use_and_unload, NULL);
    return tap_end();
}
