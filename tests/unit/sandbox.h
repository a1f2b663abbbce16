/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A place to test the kernel cache in: a directory of its own, and a compiler
 * that makes up images, counts, and fails on demand. */
#ifndef STFI_TESTS_SANDBOX_H
#define STFI_TESTS_SANDBOX_H

#include "backends/gpu/host/cache/cache.h"
#include "backends/gpu/host/kernels/images.h"

enum { SANDBOX_PATH_BYTES = 512, SANDBOX_FILE_BYTES = 8192 };

extern char sandbox[SANDBOX_PATH_BYTES]; /* the directory */

/* The compiler. An image depends on all of the key, on the version and on the
 * options. */
extern const stfi_gpu_rtc sandbox_rtc;
extern const char *sandbox_version; /* NULL: there is no compiler */
extern const char *sandbox_options;
extern stf_status sandbox_failure; /* of compile(), STF_OK: none */
extern size_t sandbox_bytes;       /* of an image */
extern int sandbox_compiles;       /* so far */

/* Makes the directory, and $STEADFAST_CACHE_DIR a name in it. 0: it cannot. */
int sandbox_begin(void);
void sandbox_end(void);

/* Changes a kernel source, before any kernel is asked for. The families are
 * those of the library: entry_fft.h includes fft.h, entry_protected.h also
 * check.h, entry_end_to_end.h only weigh.h; fft.h and weigh.h include arch.h;
 * nobody includes other.h. */
void sandbox_edit(const char *file);

/* Sets or (NULL) unsets an environment variable. */
void sandbox_env(const char *name, const char *value);

/* Writes "<sandbox>/<name>" and returns it; valid until the next call but
 * 15. */
const char *sandbox_path(const char *name);

/* Removes a file or a tree, 1 if it is gone. */
int sandbox_remove(const char *path);

/* Removes the user's cache. */
void sandbox_fresh(void);

/* Reads a file, up to SANDBOX_FILE_BYTES; overwrites one, keeping its mode. */
size_t sandbox_read(const char *path, unsigned char *bytes);
void sandbox_write(const char *path, const unsigned char *bytes, size_t count);
int sandbox_mode_is(const char *path, mode_t mode);

/* 1 if get() yields the right image of the key, from a cache (cached = 1), the
 * compiler, which is then called once (0), or either (-1). */
int sandbox_gets(const stfi_gpu_key *key, int cached);

/* 1 if build() yields the right image of the key in a directory, where it was
 * (built = 1) or not. */
int sandbox_builds(const stfi_gpu_key *key, const char *directory, int built);

/* The path of the key's entry in a cache, by the present compiler. */
const char *sandbox_entry(const char *directory, const stfi_gpu_key *key);

/* Number of files in the user's cache: entries, and (temporary) others. */
int sandbox_count(int temporary);

#endif
