/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The directories of the kernel cache: where they are, whether they can be
 * trusted, and what is in them.
 *
 * The user's: $STEADFAST_CACHE_DIR, else $XDG_CACHE_HOME/steadfast, else
 * $HOME/.cache/steadfast. What is in it gets executed, so it and everything
 * in it has to belong to the user, and nobody else may write to it.
 * The sites': $STEADFAST_SITE_CACHE (separated by ':'), then the installed
 * one. They are only read, and are refused when everybody may write to them.
 * STEADFAST_CACHE=off switches all of them off. */
#ifndef STFI_CACHE_CACHE_DIR_H
#define STFI_CACHE_CACHE_DIR_H

#include <stdint.h>
#include <sys/stat.h>

enum { STFI_CACHE_PATH_BYTES = 4096, STFI_CACHE_REASON_BYTES = 128 };

typedef enum stfi_cache_kind {
    STFI_CACHE_USER,
    STFI_CACHE_SITE,
    STFI_CACHE_BUILD, /* what `make` fills, to be installed as a site's */
    STFI_CACHE_KINDS
} stfi_cache_kind;

typedef struct stfi_cache_place {
    stfi_cache_kind kind;
    char path[STFI_CACHE_PATH_BYTES];
    char reason[STFI_CACHE_REASON_BYTES]; /* why it cannot be used, or "" */
    int absent; /* because there is nothing yet, which is no trouble */
} stfi_cache_place;

/* The i-th directory in the order of search, the user's (i = 0) first; 0 past
 * the end. Thread: any, as all below. */
int stfi_cache_place_at(int i, stfi_cache_place *place_p);

/* Opens a directory, after making it if `make`. -1 if it cannot be used; then
 * place->reason says why. */
int stfi_cache_place_open(stfi_cache_place *place, int make);

/* Opens a folder of an open place, after making it if `make`; or a file of an
 * open folder, of which *st_p then tells. -1 if it is not there or cannot be
 * trusted. */
int stfi_cache_folder_open(stfi_cache_kind kind, int place_fd, const char *name,
                           int make);
int stfi_cache_file_open(stfi_cache_kind kind, int folder_fd, const char *name,
                         struct stat *st_p);

/* A new file of an open folder, to be written; -1 with errno. */
int stfi_cache_file_make(stfi_cache_kind kind, int folder_fd, const char *name);

/* Calls visit() for all folders whose names begin with `prefix`, until one
 * call returns nonzero, which is then returned. */
typedef int stfi_cache_folder_visit(void *arg, int folder_fd, const char *name);
int stfi_cache_folders(stfi_cache_kind kind, int place_fd, const char *prefix,
                       stfi_cache_folder_visit *visit, void *arg);

/* An entry, or what was left of writing one. */
typedef struct stfi_cache_file {
    int place_fd, folder_fd;
    const char *folder, *name;
    int64_t bytes;
    int64_t used; /* seconds since the epoch; exact to a day */
    int temporary;
} stfi_cache_file;

/* Calls visit() for all files of ours in all folders, likewise. */
typedef int stfi_cache_file_visit(void *arg, const stfi_cache_file *file);
int stfi_cache_files(stfi_cache_kind kind, int place_fd,
                     stfi_cache_file_visit *visit, void *arg);

#endif
