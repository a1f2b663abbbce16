/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Files and pipes as input; see infile.h. */
#include "tools/file/infile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/status.h"

/* The first memory for a stream of unknown length. */
static const size_t FIRST_BYTES = 1 << 20;

static stf_status io_error(const char *path, int error)
{
    return stfi_error(STF_ERR_IO, "%s cannot be read: %s", path,
                      strerror(error));
}

/* Standard input by its path may be a socket, which cannot be opened again. */
static FILE *open_stream(const char *path)
{
    struct stat st, standard;
    int fd;

    if (stat(path, &st) != 0 || !S_ISSOCK(st.st_mode)
        || fstat(STDIN_FILENO, &standard) != 0 || st.st_dev != standard.st_dev
        || st.st_ino != standard.st_ino)
        return fopen(path, "rb");
    fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    return fd >= 0 ? fdopen(fd, "rb") : NULL;
}

stf_status stfi_infile_open(const char *path, stfi_infile *in_p)
{
    stfi_infile in = {.path = path, .bytes = -1};
    struct stat st;

    in.stream = open_stream(path);
    if (in.stream == NULL)
        return io_error(path, errno);
    if (fstat(fileno(in.stream), &st) == 0) {
        if (S_ISDIR(st.st_mode)) {
            fclose(in.stream);
            return io_error(path, EISDIR);
        }
        if (S_ISREG(st.st_mode))
            in.bytes = (int64_t)st.st_size;
    }
    *in_p = in;
    return STF_OK;
}

void stfi_infile_close(stfi_infile *in)
{
    if (in->stream != NULL)
        fclose(in->stream);
    in->stream = NULL;
}

stf_status stfi_infile_look(stfi_infile *in)
{
    stf_status status;

    errno = 0;
    in->head_bytes = fread(in->head, 1, sizeof in->head, in->stream);
    status = stfi_infile_status(in);
    if (status == STF_OK && in->head_bytes == 0)
        status = stfi_error(STF_ERR_IO, "%s is empty", in->path);
    return status;
}

size_t stfi_infile_read(stfi_infile *in, void *to, size_t bytes)
{
    size_t first = 0, rest;

    if (in->consumed < (int64_t)in->head_bytes) {
        first = in->head_bytes - (size_t)in->consumed;
        first = first < bytes ? first : bytes;
        memcpy(to, in->head + in->consumed, first);
    }
    errno = 0;
    rest = fread((char *)to + first, 1, bytes - first, in->stream);
    in->consumed += (int64_t)(first + rest);
    return first + rest;
}

stf_status stfi_infile_status(const stfi_infile *in)
{
    return ferror(in->stream) ? io_error(in->path, errno != 0 ? errno : EIO)
                              : STF_OK;
}

/* Moves what was read to larger memory. */
static stf_status grow(const stfi_infile *in, size_t capacity, size_t used,
                       void **data)
{
    void *larger;
    stf_status status = stfi_alloc_raw(capacity, in->path, &larger);

    if (status != STF_OK)
        return status;
    if (used > 0)
        memcpy(larger, *data, used);
    stfi_dealloc(*data);
    *data = larger;
    return STF_OK;
}

stf_status stfi_infile_take(stfi_infile *in, size_t bytes, size_t capacity,
                            void **data_p, size_t *got_p)
{
    size_t room = 0, got = 0, wanted = 0;
    void *data = NULL;
    stf_status status = STF_OK;

    while (got == wanted && got < bytes && status == STF_OK) {
        room = in->bytes >= 0        ? capacity
               : room == 0           ? FIRST_BYTES
               : room < capacity / 2 ? 2 * room
                                     : capacity;
        room = room < capacity ? room : capacity;
        wanted = room < bytes ? room : bytes;
        status = grow(in, room, got, &data);
        if (status == STF_OK) {
            got += stfi_infile_read(in, (char *)data + got, wanted - got);
            status = stfi_infile_status(in);
        }
    }
    if (status == STF_OK && got == bytes && room < capacity)
        status = grow(in, capacity, got, &data);
    if (status != STF_OK) {
        stfi_dealloc(data);
        return status;
    }
    *data_p = data;
    *got_p = got;
    return STF_OK;
}
