/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The entry point of the kernels of end-to-end checks. */
#ifndef STFK_ENTRY_END_TO_END_H
#define STFK_ENTRY_END_TO_END_H

#include "end_to_end/end_to_end.h"

STFK_ENTRY(STFK_NAME, stfk::B, STFK_BLOCKS)(STFK_PARAM stfk_e2e a)
{
    if (a.leads == STFK_LEADS_AT_ONCE)
        stfk::let_next_begin();
    stfk::wait_for_previous();
    stfk::run<stfk::STFK_E2E>(a);
}

#endif
