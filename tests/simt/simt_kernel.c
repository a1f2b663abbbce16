/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Images of kernels of the emulated device, which are shared libraries; see
 * simt_kernel.h. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/status.h"
#include "tests/simt/machine.h"
#include "tests/simt/simt_kernel.h"

/* Loads the image as a library. Its path contains the number of the process and
 * not "self", so that tools in another process, such as a symboliser, can open
 * it too. */
stf_status stfi_simt_kernel_open(stfi_gpu_kernel *k, const char *entry,
                                 const void *image, size_t bytes)
{
    char path[64];

    k->library = NULL;
    snprintf(k->name, sizeof k->name, "%s", entry);
    k->file = memfd_create(k->name, MFD_CLOEXEC);
    if (k->file < 0 || write(k->file, image, bytes) != (ssize_t)bytes)
        return stfi_error(STF_ERR_DEVICE, "no memory for the image of %s",
                          k->name);
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), k->file);
    k->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (k->library == NULL)
        return stfi_error(STF_ERR_DEVICE, "the image of %s: %s", k->name,
                          dlerror());
    return STF_OK;
}

static void *symbol(const stfi_gpu_kernel *k, const char *head,
                    const char *name)
{
    char text[STFI_SIMT_NAME + 16];

    snprintf(text, sizeof text, "%s%s", head, name);
    return dlsym(k->library, text);
}

stf_status stfi_simt_kernel_enter(stfi_gpu_kernel *k, int32_t wave)
{
    const unsigned *threads = symbol(k, "simt_threads_", k->name);
    const unsigned *compiled = symbol(k, "simt_wave", "");
    const simt_calls **machine = symbol(k, "simt_machine", "");
    void *entry = symbol(k, "simt_run_", k->name);

    if (!threads || !compiled || !machine || !entry)
        return stfi_error(STF_ERR_DEVICE, "the image has no kernel %s",
                          k->name);
    if ((int32_t)*compiled != wave)
        return stfi_error(STF_ERR_DEVICE,
                          "the image of %s is for waves of "
                          "%u",
                          k->name, *compiled);
    *machine = stfi_simt_calls();
    memcpy(&k->entry, &entry, sizeof entry);
    k->max_threads = *threads;
    return STF_OK;
}

int stfi_simt_kernel_close(stfi_gpu_kernel *k)
{
    const int was_open = k->library != NULL;

    if (was_open)
        dlclose(k->library);
    if (k->file >= 0)
        close(k->file);
    return was_open;
}
