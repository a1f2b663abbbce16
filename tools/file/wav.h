/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sound files, which are read by libsndfile if the library was built with
 * it. */
#ifndef STFI_FILE_WAV_H
#define STFI_FILE_WAV_H

#include "tools/file/array.h"
#include "tools/file/infile.h"

/* 1 if a file begins like a sound file. */
int stfi_wav_recognise(const unsigned char *head, size_t bytes);

/* Reads a file into a new array of reals of precision a_p->precision, with its
 * sample rate. Full scale becomes 1. Memory is taken for what the file holds,
 * whatever number of samples its header claims. A pipe is read to its end
 * first, into memory. *note_p is set if the file does not tell its length.
 * Shape: [channel] [sample].
 * Errors: IO (not a sound file, truncated, or no libsndfile in this build),
 * MEMORY. */
stf_status stfi_wav_read(stfi_infile *in, stfi_array *a_p, const char **note_p);

#endif
