/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The options that a command does not take with a matrix product. */
#ifndef STFI_COMMAND_PRODUCT_OPTIONS_H
#define STFI_COMMAND_PRODUCT_OPTIONS_H

#include "tools/command/options.h"

/* Refuses options that say something of transforms alone, for a command that was
 * given the word of a matrix product. Errors: ARGUMENT, naming the option. */
stf_status stfi_product_options_check(const stfi_args *args);

#endif
