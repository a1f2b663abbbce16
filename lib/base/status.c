/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Status names and the thread's last message. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_message[512];

static const struct {
    stf_status status;
    const char *name;
} status_names[] = {
    {STF_OK, "STF_OK"},
    {STF_CORRECTED, "STF_CORRECTED"},
    {STF_UNCHECKED, "STF_UNCHECKED"},
    {STF_ERR_ARGUMENT, "STF_ERR_ARGUMENT"},
    {STF_ERR_UNSUPPORTED, "STF_ERR_UNSUPPORTED"},
    {STF_ERR_MEMORY, "STF_ERR_MEMORY"},
    {STF_ERR_IO, "STF_ERR_IO"},
    {STF_ERR_COMPILE, "STF_ERR_COMPILE"},
    {STF_ERR_DEVICE, "STF_ERR_DEVICE"},
    {STF_ERR_UNCORRECTED, "STF_ERR_UNCORRECTED"},
    {STF_ERR_INTERNAL, "STF_ERR_INTERNAL"},
};

const char *stf_status_name(stf_status status)
{
    for (size_t i = 0; i < sizeof status_names / sizeof *status_names; i++)
        if (status_names[i].status == status)
            return status_names[i].name;
    return "unknown status";
}

const char *stf_error_message(void)
{
    return last_message;
}

stf_status stfi_error(stf_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_message, sizeof last_message, format, args);
    va_end(args);
    return status;
}
