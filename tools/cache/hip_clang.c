/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Runs clang in a private folder that is removed afterwards; see hip_clang.h.
 * The kernel sources are those of the source tree, which are the embedded
 * ones. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "tools/cache/hip_clang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/gpu/host/kernels/source.h"
#include "backends/hip/hip_rtc.h"
#include "base/alloc.h"
#include "base/env.h"
#include "base/status.h"

#ifndef STF_HIP_CLANG
#define STF_HIP_CLANG ""
#endif
#ifndef STF_KERNEL_SOURCES
#define STF_KERNEL_SOURCES "."
#endif

/* Device code only, without the headers and libraries of HIP. */
#define DEVICE_ONLY                                                        \
    "-x hip --cuda-device-only --no-gpu-bundle-output -nogpuinc -nogpulib" \
    " -w"

enum { FOLDER_BYTES = 960, PATH_BYTES = 1024, COMMAND_BYTES = 8192 };

/* The files in the folder, all of which are removed at the end. */
static const char *const file_names[] = {"config.h", "kernel.hip", "kernel.o",
                                         "log"};

static stf_status write_text(const char *folder, const char *name,
                             const char *text)
{
    char path[PATH_BYTES];
    FILE *file;
    int bad;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    bad = file == NULL || fputs(text, file) < 0;
    if (file != NULL)
        bad = fclose(file) != 0 || bad;
    return bad ? stfi_error(STF_ERR_COMPILE, "cannot write %s", path) : STF_OK;
}

/* Reads a whole file and adds a NUL. */
static stf_status read_file(const char *folder, const char *name, void **data_p,
                            size_t *bytes_p)
{
    char path[PATH_BYTES];
    void *data = NULL;
    stf_status status;
    FILE *file;
    long bytes;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (file == NULL)
        return stfi_error(STF_ERR_COMPILE, "cannot read %s", path);
    bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    bytes = bytes < 0 ? 0 : bytes;
    rewind(file);
    status = stfi_alloc((size_t)bytes + 1, "a kernel's image", &data);
    if (status == STF_OK
        && fread(data, 1, (size_t)bytes, file) != (size_t)bytes)
        status = stfi_error(STF_ERR_COMPILE, "cannot read %s", path);
    fclose(file);
    if (status != STF_OK) {
        stfi_dealloc(data);
        return status;
    }
    *data_p = data;
    *bytes_p = (size_t)bytes;
    return STF_OK;
}

static stf_status complain(const char *folder, const char *arch,
                           const char *entry)
{
    char none[] = "it left no log";
    void *log = NULL;
    size_t bytes = 0;

    if (read_file(folder, "log", &log, &bytes) != STF_OK)
        log = NULL;
    stfi_error(STF_ERR_COMPILE, "clang cannot compile %.120s for %s: %s", entry,
               arch, stfi_gpu_log_line(bytes > 0 ? log : none));
    stfi_dealloc(log);
    return STF_ERR_COMPILE;
}

static stf_status compile_in(const char *folder, const char *arch,
                             const char *entry, const stfi_gpu_source *source,
                             void **image_p, size_t *bytes_p)
{
    char command[COMMAND_BYTES];
    stf_status status = write_text(folder, "config.h", source->config);

    if (status == STF_OK)
        status = write_text(folder, "kernel.hip", source->program);
    snprintf(command, sizeof command,
             "cd '%s' && '%s' " DEVICE_ONLY " %s --offload-arch=%s -I. "
             "-I'" STF_KERNEL_SOURCES "/backends/gpu/kernels' "
             "-I'" STF_KERNEL_SOURCES "/lib' -c kernel.hip -o kernel.o "
             ">log 2>&1 </dev/null",
             folder, STF_HIP_CLANG, stfi_hip_rtc.options(), arch);
    if (status == STF_OK && system(command) != 0)
        status = complain(folder, arch, entry);
    if (status == STF_OK)
        status = read_file(folder, "kernel.o", image_p, bytes_p);
    return status;
}

static void remove_folder(const char *folder)
{
    char path[PATH_BYTES];

    for (size_t i = 0; i < sizeof file_names / sizeof *file_names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, file_names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static stf_status rtc_compile(const char *arch, const char *entry,
                              const char *config, void **image_p,
                              size_t *bytes_p)
{
    const stfi_gpu_source source = stfi_gpu_source_of(config);
    const char *tmp = stfi_env_get("TMPDIR");
    char folder[FOLDER_BYTES];
    stf_status status;

    snprintf(folder, sizeof folder, "%s/stf-clang.XXXXXX", tmp ? tmp : "/tmp");
    if (mkdtemp(folder) == NULL)
        return stfi_error(STF_ERR_COMPILE, "cannot make a folder %s", folder);
    status = compile_in(folder, arch, entry, &source, image_p, bytes_p);
    remove_folder(folder);
    return status;
}

/* clang tells its version once per process. */
static stf_status rtc_version(char *text, size_t capacity)
{
    static char version[16];
    char line[256] = "";
    const char *at;
    FILE *pipe;

    if (version[0] == '\0') {
        pipe = popen("'" STF_HIP_CLANG "' --version 2>/dev/null", "r");
        at = pipe != NULL && fgets(line, sizeof line, pipe) != NULL
                 ? strstr(line, "version ")
                 : NULL;
        if (at != NULL)
            sscanf(at, "version %15[0-9.]", version);
        if (pipe != NULL)
            pclose(pipe);
    }
    if (version[0] == '\0')
        return stfi_error(STF_ERR_COMPILE, "there is no compiler: %s",
                          STF_HIP_CLANG[0] != '\0' ? STF_HIP_CLANG : "clang");
    snprintf(text, capacity, "%s", version);
    return STF_OK;
}

static const char *rtc_options(void)
{
    return stfi_hip_rtc.options();
}

const stfi_gpu_rtc stfi_hip_clang_rtc = {
    .name = "clang",
    .version = rtc_version,
    .options = rtc_options,
    .compile = rtc_compile,
};
