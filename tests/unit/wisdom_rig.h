/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A folder for tests of wisdom, the user's file in it, and checks that run in
 * processes of their own, which know nothing at first. */
#ifndef STFI_TESTS_WISDOM_RIG_H
#define STFI_TESTS_WISDOM_RIG_H

#include <stddef.h>

#include "wisdom/user_file.h"
#include "wisdom/wisdom.h"

extern char wisdom_folder[256];

/* Makes the folder; returns 0 on failure. */
int wisdom_begin(void);
void wisdom_end(void);

/* Returns the path of something in the folder, valid for the next 7 calls. */
const char *wisdom_path(const char *name);

/* Removes the user's folder, "user", and lets the environment name it. */
void wisdom_fresh(void);

/* Writes a file; and the user's, with these lines after the first one. */
void wisdom_put(const char *path, const char *data, size_t bytes);
void wisdom_put_user(const char *lines);

/* Counts what is in the user's folder. */
int wisdom_files(void);

/* Runs a check in a process of its own; returns 1 if it does. */
int wisdom_in_child(int (*check)(const void *arg), const void *arg);

/* 1 if a key has that value, NULL: none; and if the remark has that text, "": is
 * empty. */
int wisdom_knows(const char *key, const char *value);
int wisdom_remarks(const char *what);

/* Checks whose argument is a part of the remark: the process knows that a is 1,
 * and no b; not a; that x is 1; it learns that x is 1, and, of the second one,
 * the file is there then. */
int wisdom_knows_a(const void *remark);
int wisdom_knows_none(const void *remark);
int wisdom_knows_x(const void *remark);
int wisdom_learns_alone(const void *remark);
int wisdom_learns(const void *remark);

#endif
