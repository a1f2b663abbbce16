/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Options and matrix products: those that a command does not take with one, and those
 * that say something of it beside its word. */
#ifndef STFI_COMMAND_PRODUCT_OPTIONS_H
#define STFI_COMMAND_PRODUCT_OPTIONS_H

#include "tools/command/options.h"

/* Refuses options that say something of transforms alone, for a command that was
 * given the word of a matrix product. Errors: ARGUMENT, naming the option. */
stf_status stfi_product_options_check(const stfi_args *args);

/* The product of a word, with the effort and the threads of the options. How it is
 * protected is not set. Errors: ARGUMENT. */
stf_status stfi_args_product(const stfi_args *args, const char *word,
                             stf_gemm_desc *d_p);

#endif
