/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reads any bytes as the input of `steadfast fft`: from a file or through a
 * pipe, as what they look like or as raw numbers. What is read is an array
 * whose memory can be touched. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/status.h"
#include "tests/fuzz/fuzz.h"
#include "tools/file/input.h"

enum { MOST_BYTES = 1 << 15, PATH_BYTES = 64 };

/* Returns a descriptor from which the bytes can be read, or -1. A pipe holds
 * them all, since they are fewer than what it has room for. */
static int hold(const fuzz_bytes *b, int as_pipe)
{
    int fd[2] = {-1, -1};
    ssize_t written;

    if (as_pipe ? pipe(fd) != 0 : (fd[0] = memfd_create("fuzz", 0)) < 0)
        return -1;
    written = write(as_pipe ? fd[1] : fd[0], b->at, b->left);
    if (as_pipe)
        close(fd[1]);
    return written == (ssize_t)b->left ? fd[0] : -1;
}

static void check_array(const stfi_array *a)
{
    size_t bytes = 0;
    unsigned sum = 0;

    if (stfi_array_bytes(a, &bytes) != STF_OK)
        fuzz_fail("an array without a size: %s", stf_error_message());
    for (size_t i = 0; i < bytes; i++)
        sum += ((const unsigned char *)a->data)[i];
    if (sum > 0 && bytes == 0)
        fuzz_fail("numbers in an empty array");
}

static void run(const uint8_t *data, size_t size)
{
    static const char *const shapes[] = {
        "1", "7", "2x3", "100000x100000", "9223372036854775807x3", "0", "x"};
    fuzz_bytes b = {data, size};
    int raw = fuzz_below(&b, 4) == 0, as_pipe = fuzz_below(&b, 2);
    char path[PATH_BYTES], *word[] = {path};
    stfi_args args = {.word = word, .nwords = 1};
    stfi_input input;
    stf_status status;
    int fd;

    args.value[STFI_OPT_PRECISION].given = 1;
    args.value[STFI_OPT_PRECISION].integer = 2 + fuzz_below(&b, 3);
    args.value[STFI_OPT_SHAPE].given = raw;
    args.value[STFI_OPT_SHAPE].text =
        shapes[fuzz_below(&b, sizeof shapes / sizeof *shapes)];
    fd = hold(&b, as_pipe);
    if (fd < 0)
        fuzz_fail("no file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    status = stfi_input_open(&args, &input);
    if (status == STF_OK)
        check_array(&input.array);
    else if (stf_error_message()[0] == '\0' || status == STF_ERR_INTERNAL)
        fuzz_fail("refused without a message: %s", stf_status_name(status));
    if (status == STF_OK)
        stfi_array_free(&input.array);
    close(fd);
}

const fuzz_target fuzz_file = {"file", MOST_BYTES, run};
