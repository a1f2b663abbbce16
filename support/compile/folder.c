/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Private folders and the files in them; see folder.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "support/compile/folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/gpu/host/kernels/source.h"
#include "base/alloc.h"
#include "base/env.h"
#include "base/status.h"

enum { PATH_BYTES = 1088, MOST_OPEN = 8 };

stf_status stfi_folder_make(char path_p[STFI_FOLDER_BYTES])
{
    const char *tmp = stfi_env_get("TMPDIR");

    snprintf(path_p, STFI_FOLDER_BYTES, "%s/stf-compile.XXXXXX",
             tmp ? tmp : "/tmp");
    return mkdtemp(path_p) != NULL
               ? STF_OK
               : stfi_error(STF_ERR_COMPILE, "cannot make a folder %s", path_p);
}

static int remove_one(const char *path, const struct stat *info, int kind,
                      struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

void stfi_folder_remove(const char *path)
{
    nftw(path, remove_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
}

static FILE *open_file(const char *folder, const char *name, const char *mode,
                       char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%.100s", folder, name);
    return fopen(path, mode);
}

stf_status stfi_folder_write(const char *path, const char *name,
                             const void *data, size_t bytes)
{
    char full[PATH_BYTES];
    FILE *file = open_file(path, name, "wb", full);
    int bad = file == NULL || fwrite(data, 1, bytes, file) != bytes;

    if (file != NULL)
        bad = fclose(file) != 0 || bad;
    return bad ? stfi_error(STF_ERR_COMPILE, "cannot write %s", full) : STF_OK;
}

/* Returns the size of a file, or -1 if it has none. */
static long size_of(FILE *file)
{
    long bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;

    rewind(file);
    return bytes;
}

stf_status stfi_folder_read(const char *path, const char *name, void **data_p,
                            size_t *bytes_p)
{
    char full[PATH_BYTES];
    FILE *file = open_file(path, name, "rb", full);
    long bytes = file != NULL ? size_of(file) : -1;
    void *data = NULL;
    stf_status status = STF_OK;

    if (bytes < 0)
        status = stfi_error(STF_ERR_COMPILE, "cannot read %s", full);
    if (status == STF_OK)
        status = stfi_alloc((size_t)bytes + 1, "a file", &data);
    if (status == STF_OK
        && fread(data, 1, (size_t)bytes, file) != (size_t)bytes)
        status = stfi_error(STF_ERR_COMPILE, "cannot read %s", full);
    if (file != NULL)
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

stf_status stfi_folder_complain(const char *path, const char *name)
{
    char none[] = "the compiler left no log";
    void *log = NULL;
    size_t bytes = 0;

    if (stfi_folder_read(path, "log", &log, &bytes) != STF_OK)
        log = NULL;
    stfi_error(STF_ERR_COMPILE, "kernel %.120s does not compile: %s", name,
               stfi_gpu_log_line(bytes > 0 ? log : none));
    stfi_dealloc(log);
    return STF_ERR_COMPILE;
}
