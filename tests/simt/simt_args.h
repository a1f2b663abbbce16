/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The arguments of launches on the emulated device. */
#ifndef STFI_TESTS_SIMT_ARGS_H
#define STFI_TESTS_SIMT_ARGS_H

#include "steadfast.h"
#include "tests/simt/memory.h"

/* Fails with a message that names the kernel if the arguments have the size of
 * no kernel's arguments, or if a pointer among them does not lead to the
 * device's memory. */
stf_status stfi_simt_args_check(const stfi_simt_memory *m, const char *name,
                                const void *args, size_t bytes);

#endif
