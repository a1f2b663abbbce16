/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reads any bytes as a code object of an AMD GPU, or as the metadata of one:
 * they are refused, or their counts are none below 0. A build without the HIP
 * backend has nothing that reads them. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

enum { MOST_BYTES = 2048 };

#ifdef HAVE_HIP
#include "backends/hip/codeobj.h"
#include "base/status.h"

/* Head of a file, its one program header, and the head of the note. */
enum { HEAD_BYTES = 64 + 56 + 20, NOTE_AT = 64 + 56 };

static void set(unsigned char *bytes, size_t at, size_t value)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[at + i] = (unsigned char)(value >> 8 * i);
}

/* A code object whose metadata are these bytes. */
static void wrap(const uint8_t *data, size_t size, unsigned char *file)
{
    memset(file, 0, HEAD_BYTES);
    memcpy(file, "\177ELF\2\1", 6);
    set(file, 18, 224);
    set(file, 32, 64);
    set(file, 54, 56 | 1 << 16);
    set(file, 64, 4);
    set(file, 64 + 8, NOTE_AT);
    set(file, 64 + 32, 20 + size);
    set(file, NOTE_AT, 7);
    set(file, NOTE_AT + 4, size);
    set(file, NOTE_AT + 8, 32);
    memcpy(file + NOTE_AT + 12, "AMDGPU\0", 8);
    if (size > 0)
        memcpy(file + HEAD_BYTES, data, size);
}

static void read_object(const unsigned char *bytes, size_t size)
{
    stfi_codeobj c = {.vgprs = -7};
    stf_status status = stfi_codeobj_read(bytes, size, "k", &c);

    if (status != STF_OK && (status != STF_ERR_ARGUMENT || c.vgprs != -7))
        fuzz_fail("%s", stf_error_message());
    if (status == STF_OK
        && (c.vgprs < 0 || c.agprs < 0 || c.sgprs < 0 || c.vgpr_spills < 0
            || c.sgpr_spills < 0 || c.scratch_bytes < 0 || c.lds_bytes < 0
            || c.args_bytes < 0 || c.wave <= 0 || c.threads < 0))
        fuzz_fail("a count below 0");
}

/* The memory ends where the file does, so that a sanitizer reports what is read
 * beyond it. */
static void run(const uint8_t *data, size_t size)
{
    unsigned char *file = malloc(HEAD_BYTES + size);

    if (file == NULL)
        return;
    wrap(data, size, file);
    read_object(file, HEAD_BYTES + size);
    free(file);
    read_object(data, size);
}
#else
static void run(const uint8_t *data, size_t size)
{
    (void)data;
    (void)size;
}
#endif

const fuzz_target fuzz_codeobj = {"codeobj", MOST_BYTES, run};
