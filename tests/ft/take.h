/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Memory for tests. The test ends if there is none. */
#ifndef STFI_TESTS_FT_TAKE_H
#define STFI_TESTS_FT_TAKE_H

#include <stdlib.h>

/* Allocates `count` elements of `each` bytes, to be freed by free(). */
static inline void *take(size_t count, size_t each)
{
    void *memory = malloc(count * each);

    if (!memory)
        exit(99);
    return memory;
}

#endif
