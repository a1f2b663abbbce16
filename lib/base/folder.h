/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Folders of files that the library keeps between programs: where the user's is,
 * and whether what is found there can be trusted. Everything below a folder is
 * opened relative to its descriptor, so that the folder that was checked is the
 * one that is used, even if somebody changes the path meanwhile. Thread: any. */
#ifndef STFI_BASE_FOLDER_H
#define STFI_BASE_FOLDER_H

#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>

/* The modes of new folders and files, and the conditions for existing ones. */
typedef struct stfi_folder_rules {
    mode_t folder_mode, file_mode;
    mode_t refused; /* mode bits that must not be set */
    int owned;      /* 1 if all must belong to the effective user */
    int no_links;   /* O_NOFOLLOW below the folder, or 0 */
} stfi_folder_rules;

/* The rules of the user's folder: symbolic links in it could lead to files of
 * somebody else. */
#define STFI_FOLDER_OWN                              \
    {                                                \
        0700, 0600, S_IWGRP | S_IWOTH, 1, O_NOFOLLOW \
    }

/* Finds the user's folder: $STEADFAST_CACHE_DIR, else $XDG_CACHE_HOME/steadfast,
 * else $HOME/.cache/steadfast. Returns 0 if there is none, as in programs with
 * the rights of another user, and writes the reason. */
int stfi_folder_find(char *path, size_t capacity, char *reason,
                     size_t reason_capacity);

/* Returns why an opened file or folder cannot be trusted, or NULL if it can. */
const char *stfi_folder_distrust(const stfi_folder_rules *rules,
                                 const struct stat *st);

/* Opens a folder; if `make` is 1, creates it first where needed. Returns -1 if it
 * cannot be used, and writes the reason; *absent_p is 1 if it is not there. */
int stfi_folder_open(const stfi_folder_rules *rules, const char *path, int make,
                     char *reason, size_t capacity, int *absent_p);

/* Opens a file or folder below an open one, for reading. It must be of that type
 * (S_IFDIR or S_IFREG) and trusted. Returns -1 and sets errno if it is not
 * there, or, with EPERM, if it is not to be trusted. */
int stfi_folder_open_below(const stfi_folder_rules *rules, int fd,
                           const char *name, mode_t type, struct stat *st_p);

#endif
