/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Runs clang in a private folder that is removed afterwards; see clang.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "support/compile/clang.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/gpu/host/kernels/source.h"
#include "backends/hip/hip_options.h"
#include "base/alloc.h"
#include "base/env.h"
#include "base/status.h"
#include "support/compile/folder.h"

#ifndef STF_HIP_CLANG
#define STF_HIP_CLANG ""
#endif
#ifndef STF_KERNEL_SOURCES
#define STF_KERNEL_SOURCES "."
#endif

/* What hipRTC gets. */
#define TEXT(option) option " "
#define FLAGS STFI_HIP_OPTIONS(TEXT)

/* Device code only, without the headers and libraries of HIP. */
#define DEVICE_ONLY                                              \
    "-x hip --cuda-device-only --no-gpu-bundle-output -nogpuinc" \
    " -nogpulib -w"

enum { NAME_BYTES = 1024, VERSION_BYTES = 16, COMMAND_BYTES = 8192 };

static atomic_long compiles;

long stfi_clang_compiles(void)
{
    return atomic_load(&compiles);
}

/* --------------------------------------------------------------- compiling */

static stf_status write_text(const char *folder, const char *name,
                             const char *text)
{
    return stfi_folder_write(folder, name, text, strlen(text));
}

static stf_status compile_in(const char *clang, const char *folder,
                             const char *arch, const char *entry,
                             const stfi_gpu_source *source, void **image_p,
                             size_t *bytes_p)
{
    char command[COMMAND_BYTES];
    stf_status status = write_text(folder, "config.h", source->config);

    if (status == STF_OK)
        status = write_text(folder, "kernel.hip", source->program);
    snprintf(command, sizeof command,
             "cd '%s' && '%s' " DEVICE_ONLY " " FLAGS "--offload-arch=%s -I. "
             "-I'" STF_KERNEL_SOURCES "/backends/gpu/kernels' "
             "-I'" STF_KERNEL_SOURCES "/lib' -c kernel.hip -o kernel.o "
             ">log 2>&1 </dev/null",
             folder, clang, arch);
    if (status == STF_OK && system(command) != 0)
        status = stfi_folder_complain(folder, entry);
    return status == STF_OK
               ? stfi_folder_read(folder, "kernel.o", image_p, bytes_p)
               : status;
}

static stf_status compile_with(const char *clang, const char *arch,
                               const char *entry, const stfi_gpu_source *source,
                               void **image_p, size_t *bytes_p)
{
    char folder[STFI_FOLDER_BYTES];
    stf_status status = stfi_folder_make(folder);

    if (status != STF_OK)
        return status;
    status = compile_in(clang, folder, arch, entry, source, image_p, bytes_p);
    stfi_folder_remove(folder);
    return status;
}

/* ---------------------------------------------------------- which compiler */

/* A compiler is found once; the text is "" if there is none. */
static char found[NAME_BYTES], found_version[VERSION_BYTES];
static int was_sought;

static void read_version(const char *clang, char version[VERSION_BYTES])
{
    char command[NAME_BYTES + 64], line[256] = "";
    const char *at = NULL;
    FILE *pipe;

    snprintf(command, sizeof command, "'%s' --version 2>/dev/null", clang);
    pipe = popen(command, "r");
    if (pipe != NULL && fgets(line, sizeof line, pipe) != NULL)
        at = strstr(line, "version ");
    if (pipe == NULL || pclose(pipe) != 0 || at == NULL
        || sscanf(at, "version %15[0-9.]", version) != 1)
        version[0] = '\0';
}

/* Keeps a compiler if it has a version and compiles for AMD. */
static int try_compiler(const char *clang)
{
    static const stfi_gpu_source empty = {.program = "", .config = ""};
    void *image = NULL;
    size_t bytes;

    if (clang[0] == '\0')
        return 0;
    read_version(clang, found_version);
    if (found_version[0] == '\0'
        || compile_with(clang, "gfx942", "probe", &empty, &image, &bytes)
               != STF_OK)
        return 0;
    stfi_dealloc(image);
    snprintf(found, sizeof found, "%s", clang);
    return 1;
}

static void seek(void)
{
    static const char *const names[] = {STF_HIP_CLANG, "clang++-19",
                                        "clang++-20", "clang++-21", "clang++"};
    const char *own = stfi_env_get("STF_HIP_CLANG");

    if (own != NULL) {
        try_compiler(own);
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (try_compiler(names[i]))
            return;
}

const char *stfi_clang_missing(void)
{
    if (!was_sought)
        seek();
    was_sought = 1;
    return found[0] != '\0' ? NULL
                            : "there is no clang (19 or later, with lld) that "
                              "compiles for gfx942";
}

/* ------------------------------------------------------------------- table */

static stf_status is_there(void)
{
    const char *missing = stfi_clang_missing();

    return missing == NULL ? STF_OK
                           : stfi_error(STF_ERR_COMPILE, "%s", missing);
}

static stf_status version(char *text, size_t capacity)
{
    stf_status status = is_there();

    if (status == STF_OK)
        snprintf(text, capacity, "%s", found_version);
    return status;
}

static const char *options(void)
{
    return FLAGS;
}

static stf_status compile(const char *arch, const char *entry,
                          const char *config, void **image_p, size_t *bytes_p)
{
    const stfi_gpu_source source = stfi_gpu_source_of(config);
    stf_status status = is_there();

    if (status != STF_OK)
        return status;
    atomic_fetch_add(&compiles, 1);
    return compile_with(found, arch, entry, &source, image_p, bytes_p);
}

const stfi_gpu_rtc stfi_clang_rtc = {
    .name = "clang",
    .version = version,
    .options = options,
    .compile = compile,
};
