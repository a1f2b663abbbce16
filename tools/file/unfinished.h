/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The temporary file that a signal must not leave behind. */
#ifndef STFI_FILE_UNFINISHED_H
#define STFI_FILE_UNFINISHED_H

/* From now on, a signal that ends the process (an interrupt, a hang-up, a
 * reader that has gone, a limit on time or size) first removes the file of
 * this name; then the process ends by that signal. NULL: no file any more. The
 * text must stay as it is until the next call. There is one such file at a
 * time. Thread: the one that writes files. */
void stfi_unfinished_set(const char *path);

#endif
