/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The problem language shared by tests, bench and the command:
 *     kind : precision : compute : effort : place : layout : shape * batch
 * for example "c2c:f32:out:360x7*4", "c2c:f32:split:in:4096", or
 * "r2r=dct2+dst1:f64:in:64x63", which has a kind for each length; compute is
 * "native", "tensor" or "split", effort is "estimate", "measure" or
 * "exhaustive", place is "in" or "out", layout is "packed" or "interleaved" (the
 * batch varies fastest), "*batch" may be missing (1), and so may every field but the
 * shape. */
#ifndef STFI_PROBLEM_PROBLEM_H
#define STFI_PROBLEM_PROBLEM_H

#include "base/random.h"
#include "steadfast.h"

typedef struct stfi_problem {
    stf_fft_desc desc;
    int in_place;
    int interleaved; /* 1: the strides of the descriptor are those of the layout */
    int axes;        /* kinds that were given one by one; 0: one for all axes */
} stfi_problem;

/* Parses a word; on failure returns STF_ERR_ARGUMENT with a message that
 * names the field (through stfi_error). */
stf_status stfi_problem_parse(const char *word, stfi_problem *p_p);

/* The same; what the word leaves out stays as it is. */
stf_status stfi_problem_take(const char *word, stfi_problem *p);

/* Returns 1 if the text names the kinds of axes one by one, as "r2r=dct2+dst1"
 * does. */
int stfi_problem_is_mixed(const char *text);

/* Parses such a text; *count_p is how many kinds it has.
 * Errors: ARGUMENT; the message has the part that is no real to real kind. */
stf_status stfi_problem_kinds(const char *text, stf_kind kinds[STF_MAX_RANK],
                              int *count_p);

/* Gives the descriptor the strides of an interleaved batch: equal elements of all
 * transforms are neighbours. */
void stfi_problem_interleave(stf_fft_desc *d);

/* Lays the arrays out anew, if the word asked for it, after its shape or its batch
 * has changed. */
void stfi_problem_lay_out(stfi_problem *p);

/* Returns the stf_compute that a word names, or -1; and the word. */
int stfi_problem_compute(const char *name);
const char *stfi_problem_compute_name(stf_compute compute);

/* Returns the stf_effort that a word names, or -1. */
int stfi_problem_effort(const char *name);

/* Prints the word like snprintf. */
int stfi_problem_print(const stfi_problem *p, char *text, size_t capacity);

/* Number of elements (complex or real, see stfi_kind) that the input
 * (output = 0) or output (1) array spans from its first to its last, with the
 * completed layout; *lowest_p is the offset of the lowest place (negative
 * strides), 0 otherwise. */
int64_t stfi_problem_span(const stf_fft_desc *full, int output,
                          int64_t *lowest_p);

/* Components (reals) of one transform in the array, packed. */
int64_t stfi_problem_components(const stf_fft_desc *d, int output);

/* Bytes of one element of the array. */
size_t stfi_problem_element_bytes(const stf_fft_desc *d, int output);

/* A number of N(0,1), made from stfi_random_u64(). This is the generator of all
 * test data, whose printed seed repeats it. */
double stfi_random_normal(uint64_t *state);

/* Advances the state as if `count` numbers of stfi_random_normal() were
 * drawn. */
void stfi_random_skip(uint64_t *state, int64_t count);

/* Fills `count` components of a precision with N(0,1) values. */
void stfi_random_fill(stf_precision precision, void *data, int64_t count,
                      uint64_t *state);

#endif
