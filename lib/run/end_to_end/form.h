/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What checks from input to output are of: the forms of a plan's arrays. */
#ifndef STFI_RUN_END_TO_END_FORM_H
#define STFI_RUN_END_TO_END_FORM_H

#include "steadfast.h"

typedef enum stfi_e2e_which {
    STFI_E2E_MAIN,
    STFI_E2E_PADDED, /* in place, with padded rows */
    STFI_E2E_FORMS
} stfi_e2e_which;

/* Directions, as stfi_buffers has them; executions of one input, at most. */
enum { STFI_E2E_DIRECTIONS = 2, STFI_E2E_EXECUTIONS = 3 };

/* Completed descriptors that differ in their layouts only; NULL: no such
 * form. The main one is there. */
typedef struct stfi_e2e_forms {
    const stf_fft_desc *desc[STFI_E2E_FORMS];
} stfi_e2e_forms;

#endif
