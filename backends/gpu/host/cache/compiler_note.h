/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A note in the user's cache of the run-time compiler's version. Loading the
 * compiler takes tens of milliseconds, and a process whose kernels are all in a
 * cache needs no more of it than its version, which names their folder.
 *
 * A note is believed as long as nothing has changed that decides which library
 * is loaded: the library's file, the loader's list of libraries, the folders of
 * LD_LIBRARY_PATH, and what the user names. One that is damaged or not to be
 * trusted is treated as absent. If a note is wrong in spite of that, kernels of
 * the compiler before are used, which compute the same. Thread: any. */
#ifndef STFI_CACHE_COMPILER_NOTE_H
#define STFI_CACHE_COMPILER_NOTE_H

#include "backends/gpu/host/device/gpu_rt.h"

/* Writes the version that was noted and returns 1, or returns 0. */
int stfi_compiler_recall(const stfi_gpu_rtc *rtc, char *version,
                         size_t capacity);

/* Notes the version of a compiler that is loaded, if possible. */
void stfi_compiler_note(const stfi_gpu_rtc *rtc, const char *version);

/* Removes all notes from an open user's cache. */
void stfi_compiler_forget(int place_fd);

#endif
