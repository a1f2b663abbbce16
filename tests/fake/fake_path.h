/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Where the fake libraries are. */
#ifndef STFI_TESTS_FAKE_PATH_H
#define STFI_TESTS_FAKE_PATH_H

/* The path of a file in the folder of fake libraries; valid until the next
 * call. */
const char *fake_path(const char *name);

#endif
