/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Files that appear whole or not at all; see outfile.h. */
#include "tools/file/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

#include "base/status.h"
#include "support/problem/problem.h"
#include "tools/file/unfinished.h"

enum { NAME_ATTEMPTS = 100, LIST_BYTES = 4096 };

static const stfi_outfile closed = {.fd = -1};

static stf_status io_error(const char *path, int error)
{
    return stfi_error(STF_ERR_IO, "%s cannot be written: %s", path,
                      strerror(error));
}

static stf_status no_memory(void)
{
    return stfi_error(STF_ERR_MEMORY, "out of memory for an output file");
}

/* --------------------------------------------------------- what is there */

static int one_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino
           && !S_ISCHR(a->st_mode);
}

static int is_stdout(const struct stat *st)
{
    struct stat standard;

    return fstat(STDOUT_FILENO, &standard) == 0 && one_file(st, &standard);
}

int stfi_outfile_is_stdout(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && is_stdout(&st);
}

/* Finds the folder of a path and the name in it. Returns 0 and sets errno if
 * there is no such folder. */
static int find_folder(const char *path, struct stat *folder_p,
                       const char **name_p)
{
    const char *slash = strrchr(path, '/');
    char *folder =
        slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int found = folder != NULL && stat(folder, folder_p) == 0;
    int error = errno;

    free(folder);
    errno = error;
    *name_p = slash != NULL ? slash + 1 : path;
    return found;
}

int stfi_outfile_same(const char *a, const char *b)
{
    struct stat of_a, of_b;
    const char *name_a, *name_b;
    int there = stat(a, &of_a) == 0;

    if ((stat(b, &of_b) == 0) != there)
        return 0;
    if (there)
        return one_file(&of_a, &of_b);
    return find_folder(a, &of_a, &name_a) && find_folder(b, &of_b, &name_b)
           && one_file(&of_a, &of_b) && strcmp(name_a, name_b) == 0;
}

/* Looks at what has the path; *st_p is zeroed if there is nothing. */
static stf_status look(const char *path, struct stat *st_p)
{
    if (stat(path, st_p) != 0) {
        int error = errno, link = lstat(path, st_p) == 0;

        memset(st_p, 0, sizeof *st_p);
        if (error == ENOENT && link)
            return stfi_error(STF_ERR_IO,
                              "%s cannot be written: it is a link to a file "
                              "that is not there; name that file",
                              path);
        return error == ENOENT ? STF_OK : io_error(path, error);
    }
    if (S_ISDIR(st_p->st_mode))
        return io_error(path, EISDIR);
    if (is_stdout(st_p))
        return STF_OK;
    if (access(path, W_OK) != 0)
        return io_error(path, errno);
    if (S_ISREG(st_p->st_mode) && st_p->st_nlink > 1)
        return stfi_error(STF_ERR_IO,
                          "%s cannot be written: the file has %ju names (hard "
                          "links), and the others would keep the old one; "
                          "remove it, or name another file",
                          path, (uintmax_t)st_p->st_nlink);
    return STF_OK;
}

stf_status stfi_outfile_check(const char *path)
{
    struct stat st, folder;
    const char *name;
    stf_status status = look(path, &st);

    if (status == STF_OK && st.st_mode == 0
        && !find_folder(path, &folder, &name))
        status = io_error(path, errno);
    return status;
}

/* ---------------------------------------------------------------- opening */

/* Gives a new file the access control list of another, or none if that has
 * none: a folder may have given it one. Returns 0 or -1. */
static int copy_list(const char *from, int fd)
{
#ifdef __linux__
    static const char name[] = "system.posix_acl_access";
    char list[LIST_BYTES];
    ssize_t bytes = getxattr(from, name, list, sizeof list);

    if (bytes >= 0)
        return fsetxattr(fd, name, list, (size_t)bytes, 0);
    if (errno != ENODATA && errno != ENOTSUP)
        return -1;
    return fremovexattr(fd, name) == 0 || errno == ENODATA || errno == ENOTSUP
               ? 0
               : -1;
#else
    (void)from;
    (void)fd;
    return 0;
#endif
}

/* Lets a new file be accessible to those who can access the old one, and to
 * nobody else. Bits such as set-user-ID are lost, as they are when a file is
 * written. The owner comes first, since changing it may change the mode. */
static stf_status take_after(const stfi_outfile *out, const struct stat *old)
{
    mode_t mode = old->st_mode & 0777;
    struct stat st;

    if (fstat(out->fd, &st) != 0)
        return io_error(out->path, errno);
    if ((st.st_uid != old->st_uid || st.st_gid != old->st_gid)
        && fchown(out->fd, old->st_uid, old->st_gid) != 0)
        return stfi_error(STF_ERR_IO,
                          "%s cannot be written: it belongs to another user or "
                          "group, and a new file cannot be given to them; "
                          "remove it, or name another file",
                          out->path);
    if (copy_list(out->path, out->fd) != 0 || fstat(out->fd, &st) != 0
        || ((st.st_mode & 0777) != mode && fchmod(out->fd, mode) != 0))
        return stfi_error(STF_ERR_IO,
                          "%s cannot be written: a new file cannot be given "
                          "its permissions (%s); remove it, or name another "
                          "file",
                          out->path, strerror(errno));
    return STF_OK;
}

/* Writes a name that is probably unused over the X of the temporary path. */
static void choose_name(char *digits, uint64_t *state)
{
    static const char set[] = "0123456789abcdefghijklmnopqrstuvwxyz";

    for (; *digits != '\0'; digits++)
        *digits = set[stfi_random_u64(state) % (sizeof set - 1)];
}

/* The temporary file is not there, or not any more. */
static void forget_temporary(stfi_outfile *out)
{
    stfi_unfinished_set(NULL);
    free(out->temporary);
    out->temporary = NULL;
}

/* Creates the temporary file; one that takes the place of another is private at
 * first. The signals learn of its name before it is there. */
static stf_status open_temporary(stfi_outfile *out, const struct stat *old)
{
    static const char suffix[] = ".XXXXXX";
    size_t length = strlen(out->path);
    struct timespec now = {0, 0};
    int attempts = NAME_ATTEMPTS;
    uint64_t state;

    clock_gettime(CLOCK_REALTIME, &now);
    state = ((uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec)
            + ((uint64_t)getpid() << 40);
    out->temporary = malloc(length + sizeof suffix);
    if (out->temporary == NULL)
        return no_memory();
    memcpy(out->temporary, out->path, length);
    memcpy(out->temporary + length, suffix, sizeof suffix);
    do {
        stfi_unfinished_set(NULL);
        choose_name(out->temporary + length + 1, &state);
        stfi_unfinished_set(out->temporary);
        out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                       old->st_mode != 0 ? 0600 : 0666);
    } while (out->fd < 0 && errno == EEXIST && --attempts > 0);
    if (out->fd < 0) {
        int error = errno;
        forget_temporary(out);
        return stfi_error(STF_ERR_IO,
                          "%s cannot be written: no file can be made beside "
                          "it: %s",
                          out->path, strerror(error));
    }
    return old->st_mode != 0 ? take_after(out, old) : STF_OK;
}

/* Sets the target's path. Renaming over a symbolic link would replace the link
 * and not its target, so the target's path is found first. */
static stf_status set_path(const char *path, const struct stat *st,
                           stfi_outfile *out)
{
    int direct = st->st_mode != 0 && (!S_ISREG(st->st_mode) || is_stdout(st));

    errno = ENOMEM;
    out->path =
        st->st_mode != 0 && !direct ? realpath(path, NULL) : strdup(path);
    if (out->path != NULL)
        return STF_OK;
    return errno == ENOMEM ? no_memory() : io_error(path, errno);
}

/* Opens what is written directly. What standard output goes to may be a socket,
 * which has no path that could be opened, or a file that is appended to. */
static stf_status open_direct(stfi_outfile *out, const struct stat *st)
{
    out->fd = is_stdout(st) ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                            : open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return out->fd >= 0 ? STF_OK : io_error(out->path, errno);
}

stf_status stfi_outfile_open(const char *path, stfi_outfile *out_p)
{
    struct stat st;
    stf_status status = look(path, &st);

    *out_p = closed;
    if (status == STF_OK)
        status = set_path(path, &st, out_p);
    if (status == STF_OK)
        status = st.st_mode == 0 || (S_ISREG(st.st_mode) && !is_stdout(&st))
                     ? open_temporary(out_p, &st)
                     : open_direct(out_p, &st);
    if (status == STF_OK) {
        out_p->stream = open_memstream(&out_p->text, &out_p->text_bytes);
        status = out_p->stream != NULL ? STF_OK : no_memory();
    }
    if (status != STF_OK)
        stfi_outfile_discard(out_p);
    return status;
}

/* ---------------------------------------------------------------- writing */

void stfi_outfile_write(stfi_outfile *out, const void *from, size_t bytes)
{
    const char *next = from;

    if (out->temporary == NULL)
        fflush(stdout); /* which may be the same */
    while (bytes > 0 && out->error == 0) {
        ssize_t put = write(out->fd, next, bytes);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            out->error = put < 0 ? errno : EIO;
            return;
        }
        next += put;
        bytes -= (size_t)put;
    }
}

/* Closes the stream and writes its text. Errors: MEMORY. */
static stf_status write_text(stfi_outfile *out)
{
    int short_of = ferror(out->stream);

    if (fclose(out->stream) != 0)
        short_of = 1;
    out->stream = NULL;
    if (short_of)
        return no_memory();
    stfi_outfile_write(out, out->text, out->text_bytes);
    return STF_OK;
}

/* Sees to it that all is on the disk, which may notice only now that it is
 * full, and closes the file. */
static void finish(stfi_outfile *out)
{
    if (out->error == 0 && out->temporary != NULL && fsync(out->fd) != 0)
        out->error = errno;
    if (close(out->fd) != 0 && out->error == 0)
        out->error = errno;
    out->fd = -1;
}

stf_status stfi_outfile_commit(stfi_outfile *out)
{
    stf_status status = write_text(out);

    finish(out);
    if (status == STF_OK && out->error == 0 && out->temporary != NULL) {
        if (rename(out->temporary, out->path) != 0)
            out->error = errno;
        else
            forget_temporary(out);
    }
    if (status == STF_OK && out->error != 0)
        status = io_error(out->path, out->error);
    stfi_outfile_discard(out);
    return status;
}

void stfi_outfile_discard(stfi_outfile *out)
{
    if (out->path == NULL)
        return;
    if (out->stream != NULL)
        fclose(out->stream);
    if (out->fd >= 0)
        close(out->fd);
    if (out->temporary != NULL) {
        unlink(out->temporary);
        forget_temporary(out);
    }
    free(out->path);
    free(out->text);
    *out = closed;
}
