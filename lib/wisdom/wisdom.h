/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The wisdom of this process: what it found out itself, what a program gave it,
 * and what the user's file had when it was first asked. It is there to save
 * measurements: whatever goes wrong with the file is no error, but a remark, and
 * the process goes on with what it knows. Thread: any. */
#ifndef STFI_WISDOM_WISDOM_H
#define STFI_WISDOM_WISDOM_H

#include "wisdom/list.h"

/* Copies the value of a key. Returns 0 if there is none. Errors of memory count
 * as not known. */
int stfi_wisdom_find(const char *key, char value[STFI_WISDOM_TEXT_BYTES]);

/* Keeps a value, in the process and, as far as possible, in the user's file,
 * with what could not be written there before. Errors: MEMORY, ARGUMENT. */
stf_status stfi_wisdom_learn(const char *key, const char *value);

/* Adds a list to what the process knows. Errors: MEMORY. */
stf_status stfi_wisdom_add(const stfi_wisdom_list *list);

/* Adds what the process knows to a list. Errors: MEMORY. */
stf_status stfi_wisdom_copy(stfi_wisdom_list *list);

/* Drops what the process knows. The user's file stays as it is, and is not read
 * again. */
void stfi_wisdom_drop(void);

/* Writes why the user's file was not used or written, or what of it was ignored;
 * "" if all is well. */
void stfi_wisdom_remark(char *text, size_t capacity);

#endif
