/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What descriptors of all classes say about protection: checking it, and
 * filling in the mode. What one class cannot do is refused by that class. */
#ifndef STFI_BASE_FT_DESC_H
#define STFI_BASE_FT_DESC_H

#include "steadfast.h"

/* Checks each field by itself. Errors: ARGUMENT, naming the field. */
stf_status stfi_ft_desc_check(const stf_ft_desc *ft);

/* Resolves STF_FT_DEFAULT through the environment. Errors: ARGUMENT (the
 * variable). */
stf_status stfi_ft_desc_resolve(stf_ft_desc *ft);

#endif
