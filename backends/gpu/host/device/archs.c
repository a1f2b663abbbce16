/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Looks up architectures and presets; see archs.h. */
#include "backends/gpu/host/device/archs.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *arch, *preset;
} archs[] = {
#define STFI_GPU_ARCH(arch, preset) {arch, preset},
#include "backends/gpu/archs.def"
#undef STFI_GPU_ARCH
};

const char stfi_gpu_presets[] =
#define STFI_GPU_ARCH(arch, preset) " " preset
#include "backends/gpu/archs.def"
#undef STFI_GPU_ARCH
    ;

enum { ARCHS = sizeof archs / sizeof *archs };

const stfi_caps *stfi_gpu_arch_preset(const char *arch)
{
    for (int i = 0; i < ARCHS; i++)
        if (strcmp(archs[i].arch, arch) == 0)
            return stfi_preset_find(archs[i].preset);
    return NULL;
}

const char *stfi_gpu_preset_arch(const char *preset)
{
    for (int i = 0; i < ARCHS; i++)
        if (strcmp(archs[i].preset, preset) == 0)
            return archs[i].arch;
    return NULL;
}

void stfi_gpu_arch_exact(const char *arch, char text[STFI_GPU_ARCH_BYTES])
{
    snprintf(text, STFI_GPU_ARCH_BYTES, "%.16s%s", arch,
             strncmp(arch, "sm_", 3) == 0 ? "a" : "");
}

int stfi_gpu_arch_virtual(const char *arch, char text[STFI_GPU_ARCH_BYTES])
{
    static const char real[] = "sm_";
    size_t length = sizeof real - 1;
    int has = strncmp(arch, real, length) == 0;

    if (has)
        snprintf(text, STFI_GPU_ARCH_BYTES, "compute_%.16s", arch + length);
    else
        snprintf(text, STFI_GPU_ARCH_BYTES, "%s", arch);
    return has;
}

int stfi_gpu_arch_related(const char *a, const char *b)
{
    size_t length = strcspn(a, "_0123456789");

    return strcspn(b, "_0123456789") == length && strncmp(a, b, length) == 0;
}
