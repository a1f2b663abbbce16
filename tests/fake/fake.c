/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Common parts of the tests with the fake driver; see fake.h. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "tests/fake/fake.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "tests/tap.h"

fake_gpu_state *fake;
static fake_gpu_state fresh; /* the state right after loading */
int fake_other;              /* its address is no one's */

void fake_reset(void)
{
    *fake = fresh;
    fake->go_home();
}

int fake_balanced(void)
{
    return fake->at_home() && fake->calls_outside == 0;
}

int fake_nothing_left(void)
{
    return fake->live_contexts == 0 && fake->live_blocks == 0
           && fake->live_modules == 0 && fake->live_events == 0
           && fake->live_streams == 0 && fake->live_graphs == 0;
}

int fake_failed(stf_status got, stf_status want, const char *a, const char *b)
{
    const char *message = stf_error_message();
    int right = got == want && strstr(message, a) && strstr(message, b);

    if (!right)
        tap_diag("got %s, \"%s\"; want %s, \"%s\" and \"%s\"",
                 stf_status_name(got), message, stf_status_name(want), a, b);
    return right;
}

stfi_gpu_dev *fake_open(void)
{
    stfi_gpu_dev *dev = NULL;

    if (fake_vendor.rt->open(0, &dev) != STF_OK)
        tap_diag("%s", stf_error_message());
    return dev;
}

stf_status fake_work(void *arg, void *stream)
{
    const stfi_gpu_launch launch = {.blocks = 1, .threads = 32};
    fake_job *j = arg;

    if (++j->runs == j->fail_at)
        return stfi_error(STF_ERR_INTERNAL, "work that fails");
    return fake_vendor.rt->launch(j->dev, j->kernel, &launch, &launch,
                                  sizeof launch, stream);
}

int fake_load(void)
{
    const char *path = fake_path(fake_vendor.library);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    setenv(fake_vendor.variable, path, 1);
    fake = handle != NULL ? dlsym(handle, "fake_gpu") : NULL;
    if (fake != NULL)
        fresh = *fake;
    return tap_ok(fake != NULL, "the fake driver: %s", path);
}
