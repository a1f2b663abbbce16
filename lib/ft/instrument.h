/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of a schedule: what each pass verifies while it runs.
 *
 * A lane of a pass computes y from x. Both are taken as the transform sees
 * them: x after what the load does to it, y before what the store does to it.
 * The lane's residual is d = (sum of e y) - (sum of row x), and ||x||^2 is the
 * sum of |x|^2. With T = check.points, and with indices of row taken modulo T,
 * the terms are:
 *
 *   op                  T       e y                    row x
 *   FFT                 n       e[k] y[k]              row[j] x[j]
 *   CONV in one tile    signal  the same, of the signal's elements
 *   CONV SPREAD         n       two residuals are added: one as for FFT, from x
 *                               to the spectrum v; and e[j] y[j] against
 *                               row[-k] p[k] v[k], where p is the kernel's
 *                               spectrum, and the norm is that of p v
 *   R2C      (half)     2n      e[k] X[k], k <= n      row[j] x[j], reals
 *   C2R                 2n      e[j] y[j], reals       row[-k] X[k]
 *                                                      + row[k] conj X[k]
 *   R2C_TWO  (half)     n       e[k] (A[k] + c B[k])   row[j] (a[j] + c b[j])
 *   C2R_TWO             n       e[j] (a[j] + c b[j])   row[-k] (A[k] + c B[k])
 *                                       + row[k] (conj A[k] + c conj B[k])
 *
 * Here c = 3/4 + 5/8 i, and the terms k = 0 and k = T/2 of half spectra, which
 * are real, are halved. The norm for C2R is that of its spectrum. The residual
 * also includes the factors t of twiddles and chirps, |t| = 1, so that a wrong
 * product is detected: at the load, row x becomes (row t) x with x before the
 * product; at the store, e y becomes (e conj t)(t y). It includes the scale
 * likewise, and the signs and turns of real to real transforms: x and y are
 * those between load and store, wherever their reals lie, and parts of y that
 * are not stored are taken from the tile. UNTANGLE and TANGLE, which work
 * element by element, are computed twice and compared.
 *
 * At level THREAD, each butterfly of a stage has a residual of its own instead,
 * including its twiddles; e and row have as many points as its radix. A thread
 * knows at once whether the residuals of all its butterflies are small. Errors
 * between stages are not covered.
 *
 * A verdict covers `transactions` tiles, which a thread or a block computes one
 * after the other. A group consists of the lanes that have the same number in
 * their tiles; j = 1 is the lane of the first tile. By scheme:
 *   SIGNAL      each lane is a group; a tile with a residual that is too large
 *               is computed again
 *   ONE_SIDED   sum d_j is compared with the root of sum ||x_j||^2; if it is
 *               too large, all of the tiles are computed again, each checked
 *               as with SIGNAL
 *   TWO_SIDED   as ONE_SIDED, but if sum d_j, sum j d_j and sum j^2 d_j agree
 *               upon one tile, only that one is computed again (group.h)
 * A pass that overwrites its own input, as an execution in place does, checks
 * each tile as with SIGNAL before it is stored, whatever the scheme.
 *
 * Source: doc/abft.md; J.-Y. Jou, J. A. Abraham, IEEE Trans. Computers 37
 *         (1988) 548-561; [TurboFFT], section 4. */
#ifndef STFI_FT_INSTRUMENT_H
#define STFI_FT_INSTRUMENT_H

#include "ft/weights/vector.h"
#include "fft/schedule.h"

/* The factor c by which the second of two real signals that share a complex
 * transform enters their residual. It makes errors of every direction in the
 * complex plane change the residual. */
#define STFI_FT_SECOND_RE 0.75
#define STFI_FT_SECOND_IM 0.625

/* The vectors that a schedule's passes use. */
typedef struct stfi_ft_vectors {
    stfi_ft_cache *cache;
    int count;
    const stfi_ft_vector *vector[STFI_MAX_PASSES];
} stfi_ft_vectors;

/* Sets what all passes check, as the completed ft says, except for the pointers
 * e and row. */
void stfi_ft_mark(const stf_ft_desc *ft, stfi_schedule *s);

/* Returns how often a schedule rounds an element to the halves that it stores and that
 * matrix units take, or 0 if no pass has units. */
double stfi_ft_schedule_roundings(const stfi_schedule *s);

/* Does the same, and sets e and row too. *vectors_p must be released, but only
 * after all executables of the schedule. Errors: MEMORY. Thread: any. */
stf_status stfi_ft_instrument(stfi_ft_cache *cache, const stf_ft_desc *ft,
                              stfi_schedule *s, stfi_ft_vectors *vectors_p);
void stfi_ft_vectors_release(stfi_ft_vectors *vectors);

/* Marks the checks that a plan would have, those of the passes and that from end to
 * end, in a schedule that is not executed: it is printed, or its kernels are compiled.
 * The vectors are made, so that the
 * user's folder keeps them (weights/store.h), and released at once. Without
 * protection nothing is done. Errors: MEMORY. Thread: any. */
stf_status stfi_ft_rehearse(const stf_ft_desc *ft, stfi_schedule *s);

#endif
