/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The directories of the kernel cache: where they are, whether they can be
 * trusted, and what is in them.
 *
 * The user's cache is $STEADFAST_CACHE_DIR, else $XDG_CACHE_HOME/steadfast,
 * else $HOME/.cache/steadfast. Its contents get executed, so it and
 * everything in it must belong to the user, and nobody else may be able to
 * write to it. The sites' caches are those of $STEADFAST_SITE_CACHE
 * (separated by ':'), then the installed one. They are only read, and one
 * that everybody can write to is refused. One that a group can write to is
 * not: whoever names a site's cache trusts those who keep it, as with a
 * folder of libraries, and on shared machines these are a group, which can
 * replace the library itself as well. STEADFAST_CACHE=off switches all of
 * them off. */
#ifndef STFI_CACHE_CACHE_DIR_H
#define STFI_CACHE_CACHE_DIR_H

#include <stdint.h>
#include <sys/stat.h>

#include "base/folder.h"

enum { STFI_CACHE_PATH_BYTES = 4096, STFI_CACHE_REASON_BYTES = 128 };

typedef enum stfi_cache_kind {
    STFI_CACHE_USER,
    STFI_CACHE_SITE,
    STFI_CACHE_BUILD, /* filled by `make`, to be installed as a site's */
    STFI_CACHE_KINDS
} stfi_cache_kind;

typedef struct stfi_cache_place {
    stfi_cache_kind kind;
    char path[STFI_CACHE_PATH_BYTES];
    char reason[STFI_CACHE_REASON_BYTES]; /* why it cannot be used, or "" */
    int absent;       /* 1 if the directory does not exist, which is no error */
    const char *rest; /* of the list of sites' caches that comes next */
    int lists;        /* how many lists of sites' caches come after it */
} stfi_cache_place;

/* Sets the place to the user's cache, or goes on to the next one in the order
 * of search; returns 0 if there is none. The environment must not change
 * meanwhile. Thread: any; so are all functions below. */
void stfi_cache_place_first(stfi_cache_place *place_p);
int stfi_cache_place_next(stfi_cache_place *place);

/* Opens a directory; if `make` is 1, creates it first where needed. Returns -1
 * if it cannot be used; then place->reason says why. */
int stfi_cache_place_open(stfi_cache_place *place, int make);

/* Opens a folder of an open place, created first if `make` is 1; or opens a
 * file of an open folder and writes its attributes to *st_p. Returns -1 if
 * it does not exist or cannot be trusted. */
int stfi_cache_folder_open(stfi_cache_kind kind, int place_fd, const char *name,
                           int make);
int stfi_cache_file_open(stfi_cache_kind kind, int folder_fd, const char *name,
                         struct stat *st_p);

/* Returns what folders and files of the kind must be like. */
const stfi_folder_rules *stfi_cache_rules(stfi_cache_kind kind);

/* Calls visit() for all folders whose names begin with `prefix`, until a call
 * returns a nonzero value, and returns that value, else 0. */
typedef int stfi_cache_folder_visit(void *arg, int folder_fd, const char *name);
int stfi_cache_folders(stfi_cache_kind kind, int place_fd, const char *prefix,
                       stfi_cache_folder_visit *visit, void *arg);

/* A file of the cache: an entry, or a temporary file of a write. */
typedef struct stfi_cache_file {
    int place_fd, folder_fd;
    const char *folder, *name;
    int64_t bytes;
    int64_t used; /* time of last use, in seconds since the epoch, to a day */
    int temporary;
} stfi_cache_file;

/* As stfi_cache_folders(), for all of the library's files in all folders. */
typedef int stfi_cache_file_visit(void *arg, const stfi_cache_file *file);
int stfi_cache_files(stfi_cache_kind kind, int place_fd,
                     stfi_cache_file_visit *visit, void *arg);

#endif
