/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The thread's last error message. The first detector of an error records it
 * with stfi_error(); everybody above only passes the status on. */
#ifndef STFI_BASE_STATUS_H
#define STFI_BASE_STATUS_H

#include "steadfast.h"

#if defined(__GNUC__)
#define STFI_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define STFI_PRINTF(f, a)
#endif

/* Records the message for stf_error_message() and returns `status`. */
stf_status stfi_error(stf_status status, const char *format, ...)
    STFI_PRINTF(2, 3);

#endif
