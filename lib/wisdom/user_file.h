/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Files of wisdom, and which one is the user's: what STEADFAST_WISDOM names, or
 * the file "wisdom" in the folder of the kernel cache. Any number of processes,
 * also on several hosts, may add to it at the same time: each takes a lock,
 * reads what is there, and replaces the file as a whole, so that nothing is lost
 * and no reader ever sees a part. Thread: any. */
#ifndef STFI_WISDOM_USER_FILE_H
#define STFI_WISDOM_USER_FILE_H

#include "base/folder.h"
#include "wisdom/list.h"

enum { STFI_WISDOM_PATH_BYTES = 4096, STFI_WISDOM_REASON_BYTES = 160 };

typedef struct stfi_wisdom_place {
    stfi_folder_rules rules;
    char folder[STFI_WISDOM_PATH_BYTES];
    char name[256];                        /* of the file in the folder */
    char reason[STFI_WISDOM_REASON_BYTES]; /* why it cannot be used, or "" */
    int absent; /* 1: it, or its folder, is not there */
    int off;    /* 1: the user wants none */
} stfi_wisdom_place;

/* Finds the user's file, which need not be there. */
void stfi_wisdom_place_find(stfi_wisdom_place *place_p);

/* Adds what is in the file to the list. Returns STF_OK, too, if the file is
 * absent or cannot be used; then place->reason says why. Errors: MEMORY. */
stf_status stfi_wisdom_place_read(stfi_wisdom_place *place,
                                  stfi_wisdom_list *list,
                                  stfi_wisdom_tally *tally_p);

/* Adds the list to what is in the file. Errors: IO (it cannot be written, or is
 * no wisdom and stays as it is; the message and place->reason say why), MEMORY. */
stf_status stfi_wisdom_place_merge(stfi_wisdom_place *place,
                                   const stfi_wisdom_list *list);

/* Removes all entries from the file. Errors: IO, MEMORY. */
stf_status stfi_wisdom_place_empty(stfi_wisdom_place *place);

/* Adds what is in any file to a list; replaces a file by the text of a list.
 * Errors: IO, MEMORY, ARGUMENT (it is not wisdom). */
stf_status stfi_wisdom_read_file(const char *path, stfi_wisdom_list *list,
                                 stfi_wisdom_tally *tally_p);
stf_status stfi_wisdom_write_file(const char *path,
                                  const stfi_wisdom_list *list);

#endif
