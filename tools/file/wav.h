/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sound files, which are read by libsndfile if the library was built with
 * it. */
#ifndef STFI_FILE_WAV_H
#define STFI_FILE_WAV_H

#include "tools/file/array.h"

/* 1 if a file begins like a sound file. */
int stfi_wav_recognise(const unsigned char *head, size_t bytes);

/* Reads a file into a new array of reals of precision a_p->precision, with its
 * sample rate. Full scale becomes 1.
 * Shape: [channel] [sample].
 * Errors: IO (not a sound file, truncated, or no libsndfile in this build),
 * MEMORY. */
stf_status stfi_wav_read(const char *path, stfi_array *a_p);

#endif
