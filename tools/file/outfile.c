/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Files that appear whole or not at all; see outfile.h. */
#include "tools/file/outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

static stf_status io_error(const char *path, int error)
{
    return stfi_error(STF_ERR_IO, "%s cannot be written: %s", path,
                      strerror(error));
}

/* mkstemp() makes a file private; this gives it the mode that open() would
 * have. */
static void apply_umask(int fd)
{
    mode_t mask = umask(0);
    umask(mask);
    /* On a file system without modes this fails, which does no harm to the
     * data. */
    if (fchmod(fd, 0666 & ~mask) != 0)
        errno = 0;
}

static stf_status open_temporary(stfi_outfile *out)
{
    static const char suffix[] = ".XXXXXX";
    size_t bytes = strlen(out->path) + sizeof suffix;
    int fd;

    out->temporary = malloc(bytes);
    if (out->temporary == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of memory for a file name");
    snprintf(out->temporary, bytes, "%s%s", out->path, suffix);
    fd = mkstemp(out->temporary);
    if (fd < 0) {
        stf_status status = io_error(out->path, errno);
        free(out->temporary);
        out->temporary = NULL;
        return status;
    }
    apply_umask(fd);
    out->stream = fdopen(fd, "wb");
    return out->stream != NULL ? STF_OK : io_error(out->path, errno);
}

stf_status stfi_outfile_open(const char *path, stfi_outfile *out_p)
{
    struct stat st;
    stf_status status;
    int exists = stat(path, &st) == 0;

    *out_p = (stfi_outfile){NULL, NULL, NULL};
    if (exists && S_ISDIR(st.st_mode))
        return io_error(path, EISDIR);
    /* Renaming over a symbolic link would replace the link and not its target,
     * so the target's path is found first. */
    out_p->path = exists ? realpath(path, NULL) : strdup(path);
    if (out_p->path == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of memory for a file name");
    if (exists && access(path, W_OK) != 0) {
        status = io_error(path, errno);
    } else if (exists && !S_ISREG(st.st_mode)) {
        out_p->stream = fopen(path, "wb");
        status = out_p->stream != NULL ? STF_OK : io_error(path, errno);
    } else {
        status = open_temporary(out_p);
    }
    if (status != STF_OK)
        stfi_outfile_discard(out_p);
    return status;
}

stf_status stfi_outfile_commit(stfi_outfile *out)
{
    stf_status status = STF_OK;
    int error;

    errno = 0;
    error = ferror(out->stream) || fflush(out->stream) != 0;
    /* A full disk may be noticed only when the data are written out of the
     * cache. */
    if (!error && out->temporary != NULL)
        error = fsync(fileno(out->stream)) != 0;
    if (error)
        status = io_error(out->path, errno != 0 ? errno : EIO);
    if (fclose(out->stream) != 0 && status == STF_OK)
        status = io_error(out->path, errno);
    out->stream = NULL;
    if (status == STF_OK && out->temporary != NULL) {
        if (rename(out->temporary, out->path) != 0) {
            status = io_error(out->path, errno);
        } else {
            free(out->temporary);
            out->temporary = NULL;
        }
    }
    stfi_outfile_discard(out);
    return status;
}

void stfi_outfile_discard(stfi_outfile *out)
{
    if (out->stream != NULL)
        fclose(out->stream);
    if (out->temporary != NULL)
        unlink(out->temporary);
    free(out->temporary);
    free(out->path);
    *out = (stfi_outfile){NULL, NULL, NULL};
}
