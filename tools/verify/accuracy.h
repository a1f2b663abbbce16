/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How wrong a computed transform is: its relative L2 error against direct
 * sums, a long double plan of this library, or FFTW in long double. */
#ifndef STFI_VERIFY_ACCURACY_H
#define STFI_VERIFY_ACCURACY_H

#include "support/peers/peer.h"
#include "steadfast.h"

typedef enum stfi_reference {
    STFI_REFERENCE_AUTO, /* direct sums if short, else a wider plan */
    STFI_REFERENCE_DIRECT,
    STFI_REFERENCE_F80, /* plans of the cpu device */
    STFI_REFERENCE_F64, /* the same, for F32 and faster */
    STFI_REFERENCE_FFTW
} stfi_reference;

/* Means over elements: of the absolute values of errors, of the errors of components
 * relative to what they should be, each at most 1 (those of an element added), and of
 * squares of what elements should be, as a root. */
typedef struct stfi_error_means {
    double absolute, relative, size;
} stfi_error_means;

/* Sums over all transforms that were compared. */
typedef struct stfi_accuracy {
    stfi_reference which;
    stf_device *cpu; /* opened when it is first needed */
    stfi_peer *fftw;
    long double error2, norm2;
    long double absolute, relative; /* of elements, as in stfi_error_means */
    double elements;
    int64_t transforms;
    const char *reference; /* what the last transforms were compared with */
} stfi_accuracy;

void stfi_accuracy_begin(stfi_accuracy *a, stfi_reference which);
void stfi_accuracy_end(stfi_accuracy *a);

/* Resets the sums; the cpu device and the peer stay open. */
void stfi_accuracy_reset(stfi_accuracy *a);

/* Compares transforms 0, every, 2*every, ... of a completed descriptor's batch.
 * in and out point at element 0, in host memory. Errors: UNSUPPORTED (there is
 * no more precise reference), IO, MEMORY. */
stf_status stfi_accuracy_add(stfi_accuracy *a, const stf_fft_desc *full,
                             stf_direction direction, const void *in,
                             const void *out, int64_t every);

/* The relative L2 error over all transforms that were added; 0 if all values
 * are zeros and right. */
double stfi_accuracy_error(const stfi_accuracy *a);

/* The means over all transforms that were added; 0 of none. */
stfi_error_means stfi_accuracy_means(const stfi_accuracy *a);

#endif
