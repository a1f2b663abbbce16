/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of a schedule: what each pass has to verify while it runs.
 *
 * A lane of a pass makes y of x, both as its transform sees them: after what
 * the load does to x and before what the store does to y. Its residual is
 * d = (sum of e y) - (sum of row x), ||x||^2 the sum of |x|^2, and the sums
 * are, with T = check.points and indices of row taken modulo T:
 *
 *   op                  T       e y                    row x
 *   FFT                 n       e[k] y[k]              row[j] x[j]
 *   CONV in one tile    signal  the same, of the signal's elements
 *   CONV SPREAD         n       twice: as FFT from x to the spectrum v; then
 *                               e[j] y[j] against row[-k] p[k] v[k], where p
 *                               is the kernel's spectrum and the norm is that
 *                               of p v
 *   R2C      (half)     2n      e[k] X[k], k <= n      row[j] x[j], reals
 *   C2R                 2n      e[j] y[j], reals       row[-k] X[k]
 *                                                      + row[k] conj X[k]
 *   R2C_TWO  (half)     n       e[k] (A[k] + c B[k])   row[j] (a[j] + c b[j])
 *   C2R_TWO             n       e[j] (a[j] + c b[j])   row[-k] (A[k] + c B[k])
 *                                       + row[k] (conj A[k] + c conj B[k])
 *
 * where c = 3/4 + 5/8 i, and of half spectra the terms of k = 0 and k = T/2,
 * which are real, are halved. The norm of a C2R is that of its spectrum.
 * The factors t of twiddles and chirps are in the residual too: at the load
 * (row t) x stands for row (t x), at the store (e conj t)(t y) for e y, so
 * that a wrong product is seen; |t| = 1. So is the scale.
 * UNTANGLE and TANGLE, which work element by element, are done twice.
 *
 * Level THREAD: instead, each butterfly of a stage has a residual of its own,
 * with its twiddles, of e and row of as many points as its radix. A thread
 * sees at once whether all of its own are small; what lies between stages is
 * not covered.
 *
 * A verdict is on `transactions` tiles, which a thread or a block computes one
 * after the other. Its groups are made of lanes of the same number in their
 * tiles, j = 1 for the first:
 *   SIGNAL      each lane is one; tiles with one that is too large are
 *               computed again
 *   ONE_SIDED   sum d_j against the root of sum ||x_j||^2; all of the tiles
 *               are computed again, each checked as of SIGNAL
 *   TWO_SIDED   so, but only the tile that sum d_j, sum j d_j and sum j^2 d_j
 *               agree upon, if they do (group.h)
 * A pass that overwrites its own input, as an execution in place does, checks
 * each tile as of SIGNAL before it is stored, whatever the scheme.
 *
 * Source: doc/abft.md; J.-Y. Jou, J. A. Abraham, IEEE Trans. Computers 37
 *         (1988) 548-561; [TurboFFT], section 4. */
#ifndef STFI_FT_INSTRUMENT_H
#define STFI_FT_INSTRUMENT_H

#include "ft/weights/vector.h"
#include "fft/schedule.h"

/* c of two real signals in one complex one: no direction of an error in the
 * plane of both stays unseen. */
#define STFI_FT_SECOND_RE 0.75
#define STFI_FT_SECOND_IM 0.625

/* The vectors that a schedule's passes use. */
typedef struct stfi_ft_vectors {
    stfi_ft_cache *cache;
    int count;
    const stfi_ft_vector *vector[STFI_MAX_PASSES];
} stfi_ft_vectors;

/* Sets what all passes check, as ft (completed) says, but for e and row. */
void stfi_ft_mark(const stf_ft_desc *ft, stfi_schedule *s);

/* The same, with e and row. *vectors_p is to be released when no executable
 * of the schedule is left. Errors: MEMORY. Thread: any. */
stf_status stfi_ft_instrument(stfi_ft_cache *cache, const stf_ft_desc *ft,
                              stfi_schedule *s, stfi_ft_vectors *vectors_p);
void stfi_ft_vectors_release(stfi_ft_vectors *vectors);

#endif
