/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reads any text as the word of a problem and as the configuration of a kernel.
 * What is read, and printed, reads as the same again. */
#include <stdlib.h>
#include <string.h>

#include "fft/gpu/config.h"
#include "support/problem/problem.h"
#include "tests/fuzz/fuzz.h"

enum { TEXT_BYTES = 4096 };

static void try_problem(const char *text)
{
    char once[TEXT_BYTES], twice[TEXT_BYTES];
    stfi_problem p, q;

    if (stfi_problem_parse(text, &p) != STF_OK)
        return;
    if (stfi_problem_print(&p, once, sizeof once) >= TEXT_BYTES)
        fuzz_fail("a word of more than %d bytes", TEXT_BYTES);
    if (stfi_problem_parse(once, &q) != STF_OK)
        fuzz_fail("%s: printed, but not read: %s", once, stf_error_message());
    stfi_problem_print(&q, twice, sizeof twice);
    if (strcmp(once, twice) != 0)
        fuzz_fail("%s is printed as %s", once, twice);
}

static void try_config(const char *text, unsigned parts)
{
    char once[TEXT_BYTES], twice[TEXT_BYTES];
    stfi_gpu_config c, d;

    memset(&c, 0, sizeof c);
    if (stfi_gpu_config_parse(text, parts, &c) != STF_OK)
        return;
    if (stfi_gpu_config_print(&c, parts, once, sizeof once) >= TEXT_BYTES)
        fuzz_fail("a configuration of more than %d bytes", TEXT_BYTES);
    d = c;
    if (stfi_gpu_config_parse(once, parts, &d) != STF_OK)
        fuzz_fail("%s: printed, but not read: %s", once, stf_error_message());
    stfi_gpu_config_print(&d, parts, twice, sizeof twice);
    if (strcmp(once, twice) != 0)
        fuzz_fail("%s is printed as %s", once, twice);
}

static void run(const uint8_t *data, size_t size)
{
    fuzz_bytes b = {data, size};
    int parts = fuzz_byte(&b);
    char *text = fuzz_text(&b);

    if (parts < 128)
        try_problem(text);
    else
        try_config(text, (unsigned)parts & 127);
    free(text);
}

const fuzz_target fuzz_words = {"words", 512, run};
