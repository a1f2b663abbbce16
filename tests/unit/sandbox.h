/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A directory and a compiler for tests of the kernel cache. The compiler makes
 * up images, counts its calls, and fails on demand. */
#ifndef STFI_TESTS_SANDBOX_H
#define STFI_TESTS_SANDBOX_H

#include "backends/gpu/host/cache/cache.h"
#include "backends/gpu/host/kernels/images.h"

enum { SANDBOX_PATH_BYTES = 512, SANDBOX_FILE_BYTES = 8192 };

extern char sandbox[SANDBOX_PATH_BYTES]; /* the directory */

/* The compiler. Its images depend on the whole key, on the version and on the
 * options. */
extern const stfi_gpu_rtc sandbox_rtc;
extern const char *sandbox_version; /* NULL: there is no compiler */
extern const char *sandbox_options;
extern stf_status sandbox_failure; /* result of compile(); STF_OK: it
                                    * succeeds */
extern size_t sandbox_bytes;       /* bytes of an image */
extern int sandbox_compiles;       /* number of compilations so far */

/* Makes the directory, and sets $STEADFAST_CACHE_DIR to a name in it. Returns 0
 * on failure. */
int sandbox_begin(void);
void sandbox_end(void);

/* Changes a kernel source, before any kernel is asked for. The families are
 * those of the library: entry_fft.h includes fft.h, entry_protected.h also
 * check.h, entry_end_to_end.h only weigh.h; fft.h and weigh.h include arch.h;
 * nobody includes other.h. */
void sandbox_edit(const char *file);

/* Sets or (NULL) unsets an environment variable. */
void sandbox_env(const char *name, const char *value);

/* Writes "<sandbox>/<name>" and returns it. It stays valid during the next 15
 * calls. */
const char *sandbox_path(const char *name);

/* Removes a file or a tree; returns 1 if it is gone. */
int sandbox_remove(const char *path);

/* Removes the user's cache. */
void sandbox_fresh(void);

/* Reads a file of up to SANDBOX_FILE_BYTES; overwrites a file and keeps its
 * mode. */
size_t sandbox_read(const char *path, unsigned char *bytes);
void sandbox_write(const char *path, const unsigned char *bytes, size_t count);
int sandbox_mode_is(const char *path, mode_t mode);

/* 1 if get() returns the right image of the key: from a cache (cached = 1),
 * from the compiler, which is called once (0), or from either (-1). */
int sandbox_gets(const stfi_gpu_key *key, int cached);

/* 1 if build() returns the right image of the key with this directory, which
 * had it before (built = 1) or not (0). */
int sandbox_builds(const stfi_gpu_key *key, const char *directory, int built);

/* The path of the key's entry in a cache, for the present compiler. */
const char *sandbox_entry(const char *directory, const stfi_gpu_key *key);

/* The number of entries in the user's cache (temporary = 0), or of its
 * temporary files (1). */
int sandbox_count(int temporary);

#endif
