/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What may be decided otherwise than by the model: how axes are split into
 * passes, the radices of tiles, how many transforms go through all passes
 * together, and whether the passes are run as they are, each for one axis; on a
 * GPU, which of the shapes of a tile that the model ranks is taken, where 0 is its
 * own, whether matrix units are left out that the descriptor permits, and to which
 * radix they have all stages whose radix is a power of two. As text:
 *     chunk=4 apart=1 split=1048576:1024x1024 radices=1024:32x32
 *     native=1 split=1048576:1024x1024 shape=1024:2
 *     units=4 split=1048576:1024x1024
 * Lists are found by the length that they belong to: that of an axis, and that of
 * a tile. What is not decided is the model's choice, all of it: "model". A choice
 * may come from anywhere; lowering uses it only if it is possible. Pure
 * functions. */
#ifndef STFI_FFT_CHOICE_H
#define STFI_FFT_CHOICE_H

#include <stddef.h>
#include <stdint.h>

enum {
    STFI_CHOICE_LISTS = 8,
    STFI_CHOICE_FACTORS = 16,
    STFI_CHOICE_SHAPES = 6, /* that the model ranks for a tile */
    STFI_CHOICE_TEXT = 400  /* bytes of a text, the NUL included */
};

/* A length, and its factors in order. */
typedef struct stfi_choice_list {
    int64_t n;
    int count;
    int64_t factor[STFI_CHOICE_FACTORS];
} stfi_choice_list;

/* The shape of a GPU's tiles of a length, by its rank. */
typedef struct stfi_choice_shape {
    int64_t n;
    int rank; /* 1 .. STFI_CHOICE_SHAPES - 1 */
} stfi_choice_shape;

/* All zero: the model's choice. */
typedef struct stfi_choice {
    int64_t chunk; /* 0: the model's */
    int apart;     /* 1: a backend runs the passes, even if it has a faster form
                      of the whole, and no pass has several axes */
    int native;    /* 1: no stages on matrix units */
    int unit_radix; /* 2, 4, 8 or 16: units have all stages of radix 2, 4, .. to
                      this one, and there is no other even radix; 0: the model's,
                      who gives them stages of radix 8 and 16 */
    int splits, radices, shapes;
    stfi_choice_list split[STFI_CHOICE_LISTS];
    stfi_choice_list radix[STFI_CHOICE_LISTS];
    stfi_choice_shape shape[STFI_CHOICE_LISTS];
} stfi_choice;

/* Reads a text. Returns 0 if it is none, or if the factors of a list do not
 * multiply to its length. */
int stfi_choice_parse(const char *text, stfi_choice *choice_p);

/* Prints the text; returns 0 if it needs more than STFI_CHOICE_TEXT bytes. */
int stfi_choice_print(const stfi_choice *choice, char text[STFI_CHOICE_TEXT]);

/* Returns 1 if `unit_radix` may be so large. */
int stfi_choice_is_unit_radix(int64_t radix);

/* Return the list of a length, or NULL; so they do if choice is NULL. */
const stfi_choice_list *stfi_choice_split(const stfi_choice *choice, int64_t n);
const stfi_choice_list *stfi_choice_radices(const stfi_choice *choice,
                                            int64_t n);

/* Returns the rank of the shape for tiles of n elements; 0 is the model's, also if
 * choice is NULL. */
int stfi_choice_rank(const stfi_choice *choice, int64_t n);

/* Sets that rank, which 0 does not take back. Returns 0 if there is no room. */
int stfi_choice_set_rank(stfi_choice *choice, int64_t n, int rank);

/* Sets the list of a length, in place of one that was there. Returns 0 if there
 * is no room. */
int stfi_choice_set_split(stfi_choice *choice, const stfi_choice_list *list);
int stfi_choice_set_radices(stfi_choice *choice, const stfi_choice_list *list);

#endif
