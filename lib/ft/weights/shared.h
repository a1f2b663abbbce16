/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Optimised left vectors that the caches of a process share. Such a vector
 * takes up to a second to make, and depends neither on the device nor on the
 * precision, so it is made once for all of them. It is kept while any cache
 * exists. Thread: any. */
#ifndef STFI_WEIGHTS_SHARED_H
#define STFI_WEIGHTS_SHARED_H

#include <stdint.h>

#include "ft/weights/butterfly_network.h"

/* What is kept in total; when there is more, the oldest vectors are dropped. */
enum { STFI_FT_SHARED_BYTES = 1 << 24 };

/* Called for each cache that is made, and that is destroyed. The last one to be
 * destroyed frees the vectors. */
void stfi_ft_shared_open(void);
void stfi_ft_shared_close(void);

/* Copies the vector for a shape and a check of `points` points to
 * e[2 * count]. Returns 0 if it is not kept. */
int stfi_ft_shared_find(const stfi_network_shape *shape, int64_t points,
                        int64_t count, float *e);

/* Keeps a copy of e[2 * count]. Errors: MEMORY. */
stf_status stfi_ft_shared_add(const stfi_network_shape *shape, int64_t points,
                              int64_t count, const float *e);

#endif
