/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The targets of fuzzing: functions that take any bytes, use a part of the
 * library as these say, and check what must hold whatever they are. libFuzzer
 * calls them (entry.c), and so does `make check` with the corpus and a few
 * thousand changed copies of it (fuzz.c). */
#ifndef STFI_FUZZ_FUZZ_H
#define STFI_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define FUZZ_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define FUZZ_PRINTF(f, a)
#endif

/* A target. Inputs longer than its most bytes are of no use. */
typedef struct fuzz_target {
    const char *name; /* that of its corpus, too */
    size_t most_bytes;
    void (*run)(const uint8_t *data, size_t size);
} fuzz_target;

#define FUZZ_TARGET(name) extern const fuzz_target fuzz_##name;
#include "tests/fuzz/targets.def"
#undef FUZZ_TARGET

/* Says that something does not hold, and ends the process. */
void fuzz_fail(const char *format, ...) FUZZ_PRINTF(1, 2)
    __attribute__((noreturn));

/* Bytes that are not yet used. Past the end all of them are 0. */
typedef struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
} fuzz_bytes;

uint8_t fuzz_byte(fuzz_bytes *b);
uint64_t fuzz_u64(fuzz_bytes *b);

/* A number from 0 to count - 1, made of one byte. */
int fuzz_below(fuzz_bytes *b, int count);

/* The bytes that are left as a text, which is to be freed. */
char *fuzz_text(fuzz_bytes *b);

#endif
