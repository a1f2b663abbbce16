/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Runs clang in a private folder; see clang.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "tests/isa/clang.h"

#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/gpu/host/kernels/family.h"
#include "base/alloc.h"
#include "base/env.h"
#include "base/status.h"

#ifndef STF_ISA_SOURCE
#define STF_ISA_SOURCE "."
#endif

/* What every kernel is compiled with; hipRTC gets the same options. */
#define FLAGS "-std=c++17 -O3 -DSTFK_HIP=1"

#define DEVICE_ONLY                                              \
    "-x hip --cuda-device-only --no-gpu-bundle-output -nogpuinc" \
    " -nogpulib -w"

enum { PATH_BYTES = 1024, COMMAND_BYTES = 4096, LOG_BYTES = 1600 };

static atomic_long compiles;

long stfi_isa_compiles(void)
{
    return atomic_load(&compiles);
}

/* ------------------------------------------------------------------- files */

stf_status stfi_isa_folder_make(char *path, size_t capacity)
{
    const char *tmp = stfi_env_get("TMPDIR");

    snprintf(path, capacity, "%s/stf-isa.XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(path) != NULL
               ? STF_OK
               : stfi_error(STF_ERR_COMPILE, "cannot make a folder %s", path);
}

static int remove_one(const char *path, const struct stat *info, int kind,
                      struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

void stfi_isa_folder_remove(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

stf_status stfi_isa_file_write(const char *folder, const char *name,
                               const void *data, size_t bytes)
{
    char path[PATH_BYTES];
    FILE *file;
    int bad;

    snprintf(path, sizeof path, "%.900s/%.100s", folder, name);
    file = fopen(path, "wb");
    bad = file == NULL || fwrite(data, 1, bytes, file) != bytes;
    if (file != NULL)
        bad = fclose(file) != 0 || bad;
    return bad ? stfi_error(STF_ERR_COMPILE, "cannot write %s", path) : STF_OK;
}

stf_status stfi_isa_file_read(const char *folder, const char *name,
                              void **data_p, size_t *bytes_p)
{
    char path[PATH_BYTES];
    void *data = NULL;
    long bytes = -1;
    stf_status status;
    FILE *file;

    snprintf(path, sizeof path, "%.900s/%.100s", folder, name);
    file = fopen(path, "rb");
    if (file == NULL)
        return stfi_error(STF_ERR_COMPILE, "cannot read %s", path);
    if (fseek(file, 0, SEEK_END) == 0)
        bytes = ftell(file);
    rewind(file);
    bytes = bytes < 0 ? 0 : bytes;
    status = stfi_alloc((size_t)bytes + 1, "a file", &data);
    if (status == STF_OK
        && fread(data, 1, (size_t)bytes, file) != (size_t)bytes)
        status = stfi_error(STF_ERR_COMPILE, "cannot read %s", path);
    fclose(file);
    if (status != STF_OK) {
        stfi_dealloc(data);
        return status;
    }
    ((char *)data)[bytes] = '\0';
    *data_p = data;
    *bytes_p = (size_t)bytes;
    return STF_OK;
}

/* --------------------------------------------------------------- compiling */

static stf_status report_log(const char *folder, const char *name)
{
    void *log;
    size_t bytes;

    if (stfi_isa_file_read(folder, "log", &log, &bytes) != STF_OK)
        return STF_ERR_COMPILE;
    stfi_error(STF_ERR_COMPILE, "kernel %s does not compile: %.*s", name,
               (int)LOG_BYTES, (char *)log);
    stfi_dealloc(log);
    return STF_ERR_COMPILE;
}

/* Compiles the text in a folder of its own, and reads the code object. */
static stf_status compile_in(const char *clang, const char *folder,
                             const char *arch, const char *entry,
                             const char *config, const char *program,
                             void **image_p, size_t *bytes_p)
{
    char command[COMMAND_BYTES];
    stf_status status =
        stfi_isa_file_write(folder, "config.h", config, strlen(config));

    if (status == STF_OK)
        status =
            stfi_isa_file_write(folder, "kernel.hip", program, strlen(program));
    snprintf(command, sizeof command,
             "cd '%s' && %s " DEVICE_ONLY " " FLAGS " --offload-arch=%s -I. "
             "-I'" STF_ISA_SOURCE "/backends/gpu/kernels' "
             "-I'" STF_ISA_SOURCE "/lib' -c kernel.hip -o kernel.o "
             ">log 2>&1 </dev/null",
             folder, clang, arch);
    if (status == STF_OK && system(command) != 0)
        status = report_log(folder, entry);
    return status == STF_OK
               ? stfi_isa_file_read(folder, "kernel.o", image_p, bytes_p)
               : status;
}

static stf_status compile_with(const char *clang, const char *arch,
                               const char *entry, const char *config,
                               const char *program, void **image_p,
                               size_t *bytes_p)
{
    char folder[PATH_BYTES];
    stf_status status = stfi_isa_folder_make(folder, sizeof folder);

    if (status != STF_OK)
        return status;
    status = compile_in(clang, folder, arch, entry, config, program, image_p,
                        bytes_p);
    stfi_isa_folder_remove(folder);
    return status;
}

/* ---------------------------------------------------------- which compiler */

/* A compiler is found once; the text is "" if there is none. */
static char found[PATH_BYTES], found_version[32];
static int was_sought;

/* Asks a compiler for its version; 0 if it cannot compile for AMD. */
static int is_good(const char *clang)
{
    char command[COMMAND_BYTES], line[256] = "";
    void *image = NULL;
    size_t bytes;
    FILE *pipe;
    const char *at;

    snprintf(command, sizeof command, "%s --version 2>/dev/null", clang);
    if ((pipe = popen(command, "r")) == NULL)
        return 0;
    at = fgets(line, sizeof line, pipe) != NULL ? strstr(line, "version ")
                                                : NULL;
    if (pclose(pipe) != 0 || at == NULL
        || compile_with(clang, "gfx942", "probe", "", "", &image, &bytes)
               != STF_OK)
        return 0;
    stfi_dealloc(image);
    sscanf(at, "version %31[0-9.]", found_version);
    return found_version[0] != '\0';
}

const char *stfi_isa_clang_missing(void)
{
    static const char *const names[] = {"clang++-19", "clang++-20",
                                        "clang++-21", "clang++"};
    const char *own = stfi_env_get("STF_HIP_CLANG");

    if (!was_sought && own != NULL && is_good(own))
        snprintf(found, sizeof found, "%s", own);
    for (size_t i = 0; !was_sought && own == NULL && found[0] == '\0'
                       && i < sizeof names / sizeof *names;
         i++)
        if (is_good(names[i]))
            snprintf(found, sizeof found, "%s", names[i]);
    was_sought = 1;
    return found[0] != '\0' ? NULL
                            : "there is no clang (19 or later, with lld) that "
                              "compiles for gfx942";
}

/* ------------------------------------------------------------------- table */

static stf_status version(char *text, size_t capacity)
{
    if (stfi_isa_clang_missing() != NULL)
        return stfi_error(STF_ERR_COMPILE, "%s", stfi_isa_clang_missing());
    snprintf(text, capacity, "%s", found_version);
    return STF_OK;
}

static const char *options(void)
{
    return FLAGS;
}

static stf_status compile(const char *arch, const char *entry,
                          const char *config, void **image_p, size_t *bytes_p)
{
    if (stfi_isa_clang_missing() != NULL)
        return stfi_error(STF_ERR_COMPILE, "%s", stfi_isa_clang_missing());
    atomic_fetch_add(&compiles, 1);
    return compile_with(found, arch, entry, config, stfi_gpu_program(config),
                        image_p, bytes_p);
}

const stfi_gpu_rtc stfi_isa_rtc = {
    .name = "clang",
    .version = version,
    .options = options,
    .compile = compile,
};
