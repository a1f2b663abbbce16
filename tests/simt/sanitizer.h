/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tells which sanitizers this file is compiled with. */
#ifndef STFI_TESTS_SIMT_SANITIZER_H
#define STFI_TESTS_SIMT_SANITIZER_H

#ifndef __has_feature
#define __has_feature(x) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define STFI_ASAN 1
#else
#define STFI_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define STFI_TSAN 1
#else
#define STFI_TSAN 0
#endif

#endif
