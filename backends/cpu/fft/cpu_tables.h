/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tables of real and prime-length transforms, in host memory: what the
 * backends share. Complex entries are (re, im) pairs of the precision; every
 * table is freed by stfi_dealloc(). Errors: MEMORY. Thread: any. */
#ifndef STFI_FFT_CPU_TABLES_H
#define STFI_FFT_CPU_TABLES_H

#include "fft/schedule.h"

/* exp(-pi i j^2/n), j < n. */
stf_status stfi_cpu_table_chirp(int64_t n, stf_precision precision,
                                void **chirp_p);

/* The transformed kernel of a CONV pass, divided by the convolution's length:
 * p->whole entries (conv SPREAD) or p->n. `chirp` is the chirp of p->signal
 * in `precision`, or NULL. */
stf_status stfi_cpu_table_product(const stfi_pass *p, stf_precision precision,
                                  const void *chirp, void **product_p);

/* Rader's orders, `prime` entries each: the tile place of memory element e,
 * and that of output element e. One block: free *load_pos_p only. */
stf_status stfi_cpu_table_rader(int64_t prime, uint32_t **load_pos_p,
                                uint32_t **store_pos_p);

/* exp(-2 pi i k/(2n)), k <= n/2. */
stf_status stfi_cpu_table_separate(int64_t n, stf_precision precision,
                                   void **separate_p);

#endif
