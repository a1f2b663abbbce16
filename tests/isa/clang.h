/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels compiled for GPUs of AMD by clang, which needs no GPU, no driver
 * and none of AMD's headers or libraries. */
#ifndef STFI_TESTS_ISA_CLANG_H
#define STFI_TESTS_ISA_CLANG_H

#include "backends/gpu/host/device/gpu_rt.h"

/* Compiles for "gfx90a", "gfx942", "gfx1100" and others. Images are code
 * objects. Thread: any. */
extern const stfi_gpu_rtc stfi_isa_rtc;

/* The reason why nothing can be compiled here (no clang, or none that has AMD's
 * targets and linker), or NULL. Thread: one at a time. */
const char *stfi_isa_clang_missing(void);

/* Makes a private folder for files, and removes it with what is in it. */
stf_status stfi_isa_folder_make(char *path, size_t capacity);
void stfi_isa_folder_remove(const char *path);

/* Writes a file of a folder. Errors: COMPILE. */
stf_status stfi_isa_file_write(const char *folder, const char *name,
                               const void *data, size_t bytes);

/* Reads a file of a folder and adds a NUL; to be freed by stfi_dealloc().
 * Errors: COMPILE, MEMORY. */
stf_status stfi_isa_file_read(const char *folder, const char *name,
                              void **data_p, size_t *bytes_p);

/* How many kernels this process has compiled. */
long stfi_isa_compiles(void);

#endif
