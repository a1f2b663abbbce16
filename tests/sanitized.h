/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* SANITIZED: 1 if a sanitizer takes over allocation and stacks, which tests of
 * memory and limits then leave to it. */
#ifndef STFI_TESTS_SANITIZED_H
#define STFI_TESTS_SANITIZED_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) \
    || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#endif
