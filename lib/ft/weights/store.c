/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Left vectors kept between programs; see store.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "ft/weights/store.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/hash.h"

static const char FOLDER[] = "weights", TEMPORARY[] = "weights/.stfe-";

/* Raise FORMAT whenever the vector of any key changes within a version of the
 * library. */
enum { FORMAT = 1, SLOTS = 4096, PATH_BYTES = 4096, REASON_BYTES = 128 };

static const stfi_folder_rules rules = STFI_FOLDER_OWN;

/* A file's contents: the words are the upper halves of floats, whose lower
 * halves are 0 (left_vector.h). */
typedef struct image {
    stfi_hash seal;
    uint16_t word[];
} image;

static size_t image_bytes(int64_t count)
{
    return sizeof(image) + 2 * (size_t)count * sizeof(uint16_t);
}

static stfi_hash hash_key(const stfi_network_shape *shape, int64_t points)
{
    static const int format = FORMAT;
    stfi_hash h = stfi_hash_add_text(stfi_hash_begin(), stf_version());

    h = stfi_hash_add(h, &format, sizeof format);
    h = stfi_hash_add(h, shape, sizeof *shape);
    return stfi_hash_add(h, &points, sizeof points);
}

static stfi_hash seal_of(stfi_hash key, const image *one, int64_t count)
{
    return stfi_hash_add(key, one->word, image_bytes(count) - sizeof *one);
}

static void name_slot(unsigned slot, char name[STFI_FT_STORE_NAME_BYTES])
{
    snprintf(name, STFI_FT_STORE_NAME_BYTES, "%s/%03x.stfe", FOLDER, slot);
}

void stfi_ft_store_name(const stfi_network_shape *shape, int64_t points,
                        char name[STFI_FT_STORE_NAME_BYTES])
{
    name_slot((unsigned)(hash_key(shape, points).low % SLOTS), name);
}

/* Opens the user's folder, or returns -1. */
static int open_folder(int make)
{
    const char *cache = stfi_env_get("STEADFAST_CACHE");
    char path[PATH_BYTES], reason[REASON_BYTES];
    int absent;

    if (cache != NULL && strcmp(cache, "off") == 0)
        return -1;
    if (!stfi_folder_find(path, sizeof path, reason, sizeof reason))
        return -1;
    return stfi_folder_open(&rules, path, make, reason, sizeof reason, &absent);
}

/* With STEADFAST_CACHE_MAX_MB=0, or a value that is not allowed, nothing is
 * added. */
static int may_grow(void)
{
    long megabytes = 0;

    return stfi_env_int("STEADFAST_CACHE_MAX_MB", 0, LONG_MAX, 1, &megabytes)
               == STF_OK
           && megabytes > 0;
}

/* Opens what is below an open folder, closes that, and returns the new
 * descriptor, or -1. */
static int step_below(int fd, const char *name, mode_t type, struct stat *st)
{
    int below =
        fd < 0 ? -1 : stfi_folder_open_below(&rules, fd, name, type, st);

    if (fd >= 0)
        close(fd);
    return below;
}

/* Writes a word for each component; returns 0 if one is no such number. */
static int shorten(int64_t count, const float *e, uint16_t *word)
{
    for (int64_t i = 0; i < 2 * count; i++) {
        uint32_t bits;
        memcpy(&bits, &e[i], sizeof bits);
        word[i] = (uint16_t)(bits >> 16);
        if ((bits & 0xffff) != 0)
            return 0;
    }
    return 1;
}

static void lengthen(int64_t count, const uint16_t *word, float *e)
{
    for (int64_t i = 0; i < 2 * count; i++) {
        uint32_t bits = (uint32_t)word[i] << 16;
        memcpy(&e[i], &bits, sizeof bits);
    }
}

static stf_status make_image(int64_t count, image **one_p)
{
    void *memory = NULL;
    stf_status status =
        stfi_alloc_raw(image_bytes(count), "weights of a checksum", &memory);

    *one_p = memory;
    return status;
}

/* Opens a vector's file, or returns -1. */
static int open_slot(const stfi_network_shape *shape, int64_t points,
                     struct stat *st)
{
    char name[STFI_FT_STORE_NAME_BYTES];
    int fd = step_below(open_folder(0), FOLDER, S_IFDIR, st);

    stfi_ft_store_name(shape, points, name);
    return step_below(fd, name + sizeof FOLDER, S_IFREG, st);
}

/* 1 if the file is whole and that of this vector. */
static int read_image(int fd, const struct stat *st, stfi_hash key,
                      int64_t count, image *one)
{
    return st->st_size == (off_t)image_bytes(count)
           && stfi_file_read(fd, one, image_bytes(count), 0)
           && stfi_hash_equal(one->seal, seal_of(key, one, count));
}

stf_status stfi_ft_store_find(const stfi_network_shape *shape, int64_t points,
                              int64_t count, float *e, int *found_p)
{
    struct stat st;
    image *one = NULL;
    int fd = open_slot(shape, points, &st);
    stf_status status;

    *found_p = 0;
    if (fd < 0)
        return STF_OK;
    status = make_image(count, &one);
    if (status == STF_OK
        && read_image(fd, &st, hash_key(shape, points), count, one)) {
        lengthen(count, one->word, e);
        *found_p = 1;
    }
    close(fd);
    stfi_dealloc(one);
    return status;
}

/* The folder is opened by way of open_below(), which checks it, before a file
 * gets its name in it. */
static void write_image(const char *name, const image *one, int64_t count)
{
    stfi_file_part part = {one, image_bytes(count)};
    struct stat st;
    int fd = may_grow() ? open_folder(1) : -1, below;

    if (fd < 0)
        return;
    (void)mkdirat(fd, FOLDER, rules.folder_mode);
    below = step_below(fd, FOLDER, S_IFDIR, &st);
    if (below < 0)
        return;
    (void)stfi_file_replace(below, TEMPORARY + sizeof FOLDER,
                            name + sizeof FOLDER, rules.file_mode, &part, 1);
    close(below);
}

stf_status stfi_ft_store_add(const stfi_network_shape *shape, int64_t points,
                             int64_t count, const float *e)
{
    char name[STFI_FT_STORE_NAME_BYTES];
    image *one = NULL;
    stf_status status = make_image(count, &one);

    if (status == STF_OK && shorten(count, e, one->word)) {
        one->seal = seal_of(hash_key(shape, points), one, count);
        stfi_ft_store_name(shape, points, name);
        write_image(name, one, count);
    }
    stfi_dealloc(one);
    return status;
}

void stfi_ft_store_clear(int folder_fd)
{
    char name[STFI_FT_STORE_NAME_BYTES];

    for (unsigned slot = 0; slot < SLOTS; slot++) {
        name_slot(slot, name);
        unlinkat(folder_fd, name, 0);
    }
    unlinkat(folder_fd, FOLDER, AT_REMOVEDIR);
}
