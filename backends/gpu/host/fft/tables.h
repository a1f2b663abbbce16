/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The tables of a pass in device memory. */
#ifndef STFI_FFT_TABLES_H
#define STFI_FFT_TABLES_H

#include "backends/gpu/host/device/gpu_ctx.h"
#include "backends/gpu/kernels/fft/args.h"
#include "fft/tables/convolution.h"

/* One allocation that holds all tables of a pass. */
typedef struct stfi_gpu_tables {
    void *memory;
    int borrowed; /* the memory belongs to another executable */
    int ordered;  /* as in stfi_gpu_spec */
} stfi_gpu_tables;

/* Makes and uploads the tables of a pass and points `args` at them. `dft`
 * transforms the kernels of convolutions. Errors: MEMORY, DEVICE. */
stf_status stfi_gpu_tables_create(stfi_bctx *ctx, const stfi_pass *p,
                                  stf_precision precision, int ordered,
                                  const stfi_dft *dft, stfi_gpu_tables *tables,
                                  stfk_args *args);

/* If the tables of another executable's pass serve pass p, too, shares them and
 * returns 1; otherwise returns 0. */
int stfi_gpu_tables_borrow(const stfi_pass *p, int ordered,
                           const stfi_pass *like, const stfi_gpu_tables *from,
                           const stfk_args *from_args, stfi_gpu_tables *tables,
                           stfk_args *args);

void stfi_gpu_tables_destroy(stfi_bctx *ctx, stfi_gpu_tables *tables);

#endif
