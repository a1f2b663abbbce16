/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Wisdom as a list: what was found out about problems, as a line of text for
 * each, "key value". The key says for which problem, device and library it
 * holds; what a value means is for others to decide and to check.
 *
 * The text begins with a line that names its format. Lines that begin with #
 * and empty ones count for nothing. A key has no space; both consist of
 * printable characters of ASCII. Thread: one per list. */
#ifndef STFI_WISDOM_LIST_H
#define STFI_WISDOM_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "steadfast.h"

enum {
    STFI_WISDOM_TEXT_BYTES = 512,    /* of a key or a value, the NUL included */
    STFI_WISDOM_MOST_BYTES = 1 << 20 /* of the text of a list */
};

#define STFI_WISDOM_HEAD "steadfast-wisdom 1\n"

typedef struct stfi_wisdom_entry {
    uint64_t hash; /* of the key */
    char *key;
    const char *value; /* in the same memory, behind the key */
} stfi_wisdom_entry;

/* A list of entries, the oldest first. All zero: empty. */
typedef struct stfi_wisdom_list {
    int count, capacity;
    size_t bytes; /* of its text, but for the first line */
    stfi_wisdom_entry *entry;
} stfi_wisdom_list;

/* What became of the lines of a text. */
typedef struct stfi_wisdom_tally {
    int64_t taken;
    int64_t ignored;
    int64_t first_ignored; /* number of the line, from 1; 0: none */
} stfi_wisdom_tally;

/* Returns 1 if the text can be a key; as a value, it may have spaces inside. */
int stfi_wisdom_is_key(const char *text);
int stfi_wisdom_is_value(const char *text);

/* Frees what the list has, which is empty then. */
void stfi_wisdom_list_clear(stfi_wisdom_list *list);

/* Adds an entry, which replaces the one with the same key. The oldest ones are
 * dropped if the text becomes too long. Errors: MEMORY; ARGUMENT (no key or
 * value). */
stf_status stfi_wisdom_list_put(stfi_wisdom_list *list, const char *key,
                                const char *value);

/* Adds all entries of another list. Errors: MEMORY, after some of them. */
stf_status stfi_wisdom_list_merge(stfi_wisdom_list *list,
                                  const stfi_wisdom_list *other);

/* Returns the value of a key, or NULL. */
const char *stfi_wisdom_list_find(const stfi_wisdom_list *list,
                                  const char *key);

/* Adds the entries of a text of so many bytes. Lines that are none are ignored
 * and counted. Errors: ARGUMENT (too long, or its first line is not that of the
 * format; nothing is added), MEMORY. */
stf_status stfi_wisdom_list_read(stfi_wisdom_list *list, const char *text,
                                 size_t bytes, stfi_wisdom_tally *tally_p);

/* Prints the list; like snprintf. */
size_t stfi_wisdom_list_print(const stfi_wisdom_list *list, char *text,
                              size_t capacity);

#endif
