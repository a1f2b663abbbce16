/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Optimised left vectors that the user's folder keeps between programs
 * (base/folder.h). To make one takes a tenth of a second and more, to read one
 * well below a millisecond, and every protected plan needs some.
 *
 * There are SLOTS files of one vector each, 4 bytes an element behind a checksum
 * of 16 bytes. A vector's slot follows from its key, and another one with the
 * same slot takes its place, so that what is kept has a bound without any count.
 * The checksum is that of the library's version, of the key and of the vector:
 * a file that does not have it belongs to another key or version or is damaged,
 * and the vector is made again. Whatever else fails has the same effect.
 *
 * STEADFAST_CACHE=off switches it off. Thread: any; so are processes. */
#ifndef STFI_WEIGHTS_STORE_H
#define STFI_WEIGHTS_STORE_H

#include <stdint.h>

#include "ft/weights/butterfly_network.h"

/* Fills e[2 * count], the vector for a shape and a check of `points` points, and
 * sets *found_p to 1; or to 0 if it is not kept. Errors: MEMORY. */
stf_status stfi_ft_store_find(const stfi_network_shape *shape, int64_t points,
                              int64_t count, float *e, int *found_p);

/* Keeps e[2 * count] if that is possible. Errors: MEMORY. */
stf_status stfi_ft_store_add(const stfi_network_shape *shape, int64_t points,
                             int64_t count, const float *e);

/* Writes the name of a vector's file, below the user's folder. */
enum { STFI_FT_STORE_NAME_BYTES = 32 };
void stfi_ft_store_name(const stfi_network_shape *shape, int64_t points,
                        char name[STFI_FT_STORE_NAME_BYTES]);

/* Removes all that is kept below an open user's folder. */
void stfi_ft_store_clear(int folder_fd);

#endif
