/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Short texts about passes; see passes.h. */
#include "tools/command/passes.h"

#include <stdio.h>
#include <string.h>

const char *stfi_pass_name(const stfi_pass *p)
{
    return stfi_op_get(p->op)->word;
}

int stfi_pass_factors(const stfi_pass *p, char *text, size_t capacity)
{
    size_t used = 0;

    if (capacity > 0)
        text[0] = '\0';
    for (int k = 0; k < p->nstages && used < capacity; k++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%d",
                                 k > 0 ? "*" : "", p->radix[k]);
    return (int)used;
}

void stfi_passes_print(const stfi_schedule *s, char *text, size_t capacity)
{
    size_t used = (size_t)snprintf(text, capacity, "%d pass%s", s->npasses,
                                   s->npasses == 1 ? "" : "es");

    for (int i = 0; i < s->npasses && used < capacity; i++) {
        char factors[STFI_MAX_STAGES * 4];

        stfi_pass_factors(&s->pass[i], factors, sizeof factors);
        used +=
            (size_t)snprintf(text + used, capacity - used, "%s %s%s%s",
                             i == 0 ? ":" : ",", stfi_pass_name(&s->pass[i]),
                             factors[0] != '\0' ? " " : "", factors);
    }
}
