/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lists of shapes in words; the language is described in COVERAGE.def. */
#ifndef STFI_HARNESS_SHAPES_H
#define STFI_HARNESS_SHAPES_H

#include <stddef.h>

/* Cuts the next word off a list that blanks separate; 0 at its end. */
int stfi_shapes_word(const char **list, char *word, size_t capacity);

/* Calls `visit` for every shape that the words of a list stand for. */
void stfi_shapes_each(const char *list,
                      void (*visit)(void *context, const char *shape),
                      void *context);

#endif
