/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The note of the run-time compiler's version; see compiler_note.h. */
#include "backends/gpu/host/cache/compiler_note.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/gpu/host/cache/cache_dir.h"
#include "backends/gpu/host/cache/cache_entry.h"
#include "base/env.h"
#include "base/file.h"
#include "base/hash.h"

enum { NOTE_BYTES = STFI_CACHE_PATH_BYTES + 256 };

/* The notes' files, by the compiler's name. */
static const struct {
    const char *compiler, *file;
} files[] = {{"nvrtc", "nvrtc.note"}, {"hiprtc", "hiprtc.note"}};

static const char *file_of(const stfi_gpu_rtc *rtc)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(files[i].compiler, rtc->name) == 0)
            return files[i].file;
    return NULL;
}

/* What a note says: three lines. */
typedef struct note {
    char version[64];
    char path[STFI_CACHE_PATH_BYTES]; /* of the library */
    char state[STFI_HASH_TEXT_BYTES]; /* a hash of all that it depends on */
} note;

/* Adds what tells whether a file or folder has been replaced or changed. */
static stfi_hash add_stat(stfi_hash h, const char *path)
{
    struct stat st;
    int64_t facts[6] = {0};

    if (stat(path, &st) == 0) {
        facts[0] = 1;
        facts[1] = (int64_t)st.st_dev;
        facts[2] = (int64_t)st.st_ino;
        facts[3] = (int64_t)st.st_size;
        facts[4] = (int64_t)st.st_mtim.tv_sec;
        facts[5] = (int64_t)st.st_mtim.tv_nsec;
    }
    return stfi_hash_add(stfi_hash_add_text(h, path), facts, sizeof facts);
}

/* Adds the folders of a list that is separated by ':'. A library that is put
 * into one of them changes it. */
static stfi_hash add_folders(stfi_hash h, const char *list)
{
    char path[STFI_CACHE_PATH_BYTES];

    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, ":");
        snprintf(path, sizeof path, "%.*s", (int)length, list);
        h = add_stat(h, length > 0 ? path : ".");
        list += length + (list[length] == ':');
    }
    return h;
}

/* Writes the hash of a note and of all that it depends on. */
static void hash_state(const stfi_gpu_rtc *rtc, const note *n,
                       char text[STFI_HASH_TEXT_BYTES])
{
    const char *named = rtc->named();
    stfi_hash h = stfi_hash_begin();

    h = stfi_hash_add_text(h, rtc->name);
    h = stfi_hash_add_text(h, n->version);
    h = stfi_hash_add_text(h, named != NULL ? named : "");
    h = add_stat(h, n->path);
    h = add_stat(h, "/etc/ld.so.cache");
    h = add_folders(h, stfi_env_get("LD_LIBRARY_PATH"));
    stfi_hash_print(h, text);
}

/* Opens the user's cache, or returns -1. */
static int open_place(int make)
{
    stfi_cache_place place;

    stfi_cache_place_first(&place);
    return stfi_cache_place_open(&place, make);
}

/* Cuts the first line off a text and copies it. Returns 0 if there is none, or if
 * it is too long. */
static int take_line(char **text, char *line, size_t capacity)
{
    char *end = strchr(*text, '\n');

    if (end == NULL || (size_t)(end - *text) >= capacity)
        return 0;
    *end = '\0';
    memcpy(line, *text, (size_t)(end - *text) + 1);
    *text = end + 1;
    return 1;
}

/* Reads a note in an open user's cache. Returns 0 if there is none. */
static int read_note(int place_fd, const char *file, note *n)
{
    char text[NOTE_BYTES + 1], *at = text;
    struct stat st;
    int fd = stfi_cache_file_open(STFI_CACHE_USER, place_fd, file, &st);
    int whole = fd >= 0 && st.st_size <= NOTE_BYTES
                && stfi_file_read(fd, text, (uint64_t)st.st_size, 0);

    if (fd >= 0)
        close(fd);
    if (!whole)
        return 0;
    text[st.st_size] = '\0';
    return take_line(&at, n->version, sizeof n->version)
           && take_line(&at, n->path, sizeof n->path)
           && take_line(&at, n->state, sizeof n->state);
}

int stfi_compiler_recall(const stfi_gpu_rtc *rtc, char *version,
                         size_t capacity)
{
    char now[STFI_HASH_TEXT_BYTES];
    const char *file = file_of(rtc);
    int fd = file != NULL && rtc->named != NULL ? open_place(0) : -1, known;
    note n;

    if (fd < 0)
        return 0;
    known = read_note(fd, file, &n);
    close(fd);
    if (!known || access(n.path, R_OK) != 0)
        return 0;
    hash_state(rtc, &n, now);
    if (strcmp(now, n.state) != 0)
        return 0;
    snprintf(version, capacity, "%s", n.version);
    return 1;
}

void stfi_compiler_note(const stfi_gpu_rtc *rtc, const char *version)
{
    const char *file = file_of(rtc);
    const char *path = rtc->library != NULL ? rtc->library() : NULL;
    char text[NOTE_BYTES];
    stfi_file_part part = {text, 0};
    note n;
    int fd;

    if (file == NULL || path == NULL || strchr(path, '\n') != NULL
        || strlen(path) >= sizeof n.path)
        return;
    snprintf(n.version, sizeof n.version, "%s", version);
    snprintf(n.path, sizeof n.path, "%s", path);
    hash_state(rtc, &n, n.state);
    part.bytes = (size_t)snprintf(text, sizeof text, "%s\n%s\n%s\n", n.version,
                                  n.path, n.state);
    if (part.bytes >= sizeof text || (fd = open_place(1)) < 0)
        return;
    stfi_file_replace(fd, STFI_CACHE_TEMPORARY, file,
                      stfi_cache_rules(STFI_CACHE_USER)->file_mode, &part, 1);
    close(fd);
}

void stfi_compiler_forget(int place_fd)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlinkat(place_fd, files[i].file, 0);
}
