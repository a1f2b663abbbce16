/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* VkFFT as a peer, on the arrays of a cuda device: a module (vkfft/module.c) that
 * make builds where it finds vkFFT.h and CUDA's headers. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "support/peers/peer_ops.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/status.h"
#include "support/peers/vkfft/module.h"

enum { PATH_BYTES = 1024 };

typedef struct peer {
    stfi_peer base;
    const stfi_vkfft_module *module;
    int device;
} peer;

typedef struct peer_plan {
    stfi_peer_plan base;
    const peer *peer;
    void *plan;
} peer_plan;

/* The libraries whose functions the module calls, by their newest names. */
static const char *const libraries[][5] = {
    {"libcuda.so.1", NULL},
    {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
     "/usr/local/cuda/lib64/libnvrtc.so", NULL},
    {"libcudart.so", "libcudart.so.13", "libcudart.so.12",
     "/usr/local/cuda/lib64/libcudart.so", NULL},
};

/* ----------------------------------------------------------------- opening */

/* Loads the libraries for all modules to use. They are never unloaded, as CUDA's
 * libraries do not support this reliably. */
static stf_status load_libraries(void)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        void *library = NULL;
        for (int k = 0; libraries[i][k] != NULL && library == NULL; k++)
            library = dlopen(libraries[i][k], RTLD_NOW | RTLD_GLOBAL);
        if (library == NULL)
            return stfi_error(STF_ERR_IO,
                              "peer vkfft: %s cannot be loaded; it needs "
                              "CUDA's driver, NVRTC and run-time library",
                              libraries[i][0]);
    }
    return STF_OK;
}

/* Writes where the module is: $STEADFAST_VKFFT, or beside the command in the
 * folder where both were built. */
static void find_module(char path[PATH_BYTES])
{
    const char *named = stfi_env_get_trusted("STEADFAST_VKFFT");
    ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - 1);
    char *slash;

    if (named != NULL) {
        snprintf(path, PATH_BYTES, "%s", named);
        return;
    }
    path[length > 0 ? length : 0] = '\0';
    slash = strrchr(path, '/');
    length = slash != NULL ? slash + 1 - path : 0;
    snprintf(path + length, PATH_BYTES - (size_t)length,
             ".libs/steadfast_vkfft.so");
}

static stf_status open_module(const stfi_vkfft_module **module_p)
{
    const stfi_vkfft_module *(*get)(void);
    char path[PATH_BYTES];
    void *library;

    find_module(path);
    if (access(path, R_OK) != 0)
        return stfi_error(STF_ERR_IO,
                          "peer vkfft: there is no module %.200s; configure "
                          "--with-vkfft builds it (Debian: libvkfft-dev), and "
                          "STEADFAST_VKFFT names another",
                          path);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return stfi_error(STF_ERR_IO, "peer vkfft: %.300s", dlerror());
    if (!stfi_peer_symbol(library, "", STFI_VKFFT_SYMBOL, &get))
        return stfi_error(STF_ERR_IO, "peer vkfft: %.200s is no module of it",
                          path);
    *module_p = get();
    return STF_OK;
}

static stf_status vkfft_open(int device, stfi_peer **peer_p)
{
    const stfi_vkfft_module *module = NULL;
    stf_status status = load_libraries();
    peer *p;

    if (status == STF_OK)
        status = open_module(&module);
    if (status != STF_OK)
        return status;
    p = calloc(1, sizeof *p);
    if (p == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of memory for a peer");
    p->base.ops = &stfi_peer_vkfft;
    p->module = module;
    p->device = device;
    *peer_p = &p->base;
    return STF_OK;
}

static void vkfft_close(stfi_peer *base)
{
    free(base);
}

/* ------------------------------------------------------------------- plans */

static stf_status check(int result, const char *what)
{
    int unsupported = result >= 3000 && result < 4000;

    if (result == 0)
        return STF_OK;
    return stfi_error(unsupported ? STF_ERR_UNSUPPORTED : STF_ERR_DEVICE,
                      "peer vkfft: %s: %s %d", what,
                      result < 0 ? "CUDA's error" : "VkFFT's result",
                      result < 0 ? -result : result);
}

static stf_status vkfft_plan_fft(stfi_peer *base, const stf_fft_desc *full,
                                 stf_direction direction, void *in, void *out,
                                 int threads, int measure,
                                 stfi_peer_plan **plan_p)
{
    const peer *p = (const peer *)base;
    stfi_vkfft_problem q = {.device = p->device, .in = in, .out = out};
    peer_plan *plan;
    stf_status status;

    (void)threads, (void)measure;
    status = stfi_vkfft_set_problem(p->module, full, direction, &q);
    if (status != STF_OK)
        return status;
    plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of memory for a peer's plan");
    plan->base.ops = &stfi_peer_vkfft;
    plan->peer = p;
    status = check(p->module->make(&q, &plan->plan), "plan");
    if (status == STF_OK)
        *plan_p = &plan->base;
    else
        free(plan);
    return status;
}

static stf_status vkfft_execute(stfi_peer_plan *base, void *stream)
{
    peer_plan *plan = (peer_plan *)base;

    return check(plan->peer->module->execute(plan->plan, stream), "execution");
}

static void vkfft_plan_destroy(stfi_peer_plan *base)
{
    peer_plan *plan = (peer_plan *)base;

    plan->peer->module->destroy(plan->plan);
    free(plan);
}

const stfi_peer_ops stfi_peer_vkfft = {
    .name = "vkfft",
    .backend = "cuda",
    .open = vkfft_open,
    .close = vkfft_close,
    .plan_fft = vkfft_plan_fft,
    .execute = vkfft_execute,
    .plan_destroy = vkfft_plan_destroy,
};
