/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The forms of a plan's arrays, for each of which there are end-to-end
 * checks. */
#ifndef STFI_RUN_END_TO_END_FORM_H
#define STFI_RUN_END_TO_END_FORM_H

#include "steadfast.h"

typedef enum stfi_e2e_which {
    STFI_E2E_MAIN,
    STFI_E2E_PADDED, /* in place, with padded rows */
    STFI_E2E_FORMS
} stfi_e2e_which;

/* The number of directions, which index as stfi_buffers.inverse does, and how
 * often an execution runs on the same input at most. */
enum { STFI_E2E_DIRECTIONS = 2, STFI_E2E_EXECUTIONS = 3 };

/* Completed descriptors that differ in their layouts only. NULL: the form does
 * not occur. The main form always exists. */
typedef struct stfi_e2e_forms {
    const stf_fft_desc *desc[STFI_E2E_FORMS];
    double roundings; /* of the plan's passes, to halves */
} stfi_e2e_forms;

#endif
