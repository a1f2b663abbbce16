/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Changes a sound entry of a kernel cache, or replaces it by any bytes, and
 * reads it: the image that comes back is the one that was written, or none. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/gpu/host/cache/cache.h"
#include "base/alloc.h"
#include "base/status.h"
#include "tests/fuzz/fuzz.h"

enum { IMAGE_BYTES = 700, ENTRY_BYTES = 4096, PATH_BYTES = 512 };

static char directory[] = "/tmp/steadfast-fuzz-XXXXXX";
static char path[PATH_BYTES];
static unsigned char image[IMAGE_BYTES], entry[ENTRY_BYTES];
static size_t entry_bytes;
static stfi_cache_head wanted;

static void remove_all(void)
{
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
    rmdir(directory);
}

static void begin(void)
{
    static const stfi_gpu_key key = {
        .arch = "sm_90", .entry = "stfk_fuzz", .config = "#define A 1\n"};
    char folder[STFI_CACHE_NAME_BYTES], name[STFI_CACHE_NAME_BYTES];
    FILE *file;

    if (path[0] != '\0')
        return;
    for (int i = 0; i < IMAGE_BYTES; i++)
        image[i] = (unsigned char)(i * 37);
    if (mkdtemp(directory) == NULL)
        fuzz_fail("%s: no such folder", directory);
    if (!stfi_cache_head_make(&key, "nvrtc 13.0", "-O", &wanted)
        || stfi_cache_build(directory, &wanted, image, IMAGE_BYTES) != STF_OK)
        fuzz_fail("no entry: %s", stf_error_message());
    stfi_cache_folder_name(&wanted, folder);
    stfi_cache_file_name(&wanted, name);
    snprintf(path, sizeof path, "%s/%s/%s", directory, folder, name);
    atexit(remove_all);
    file = fopen(path, "rb");
    if (file == NULL)
        fuzz_fail("%s: not written", path);
    entry_bytes = fread(entry, 1, sizeof entry, file);
    fclose(file);
}

/* Applies changes of three bytes each: two of place, one of value; a place past
 * the end cuts the entry there or makes it longer. */
static size_t change(fuzz_bytes *b, unsigned char *bytes)
{
    size_t size = entry_bytes;

    memcpy(bytes, entry, entry_bytes);
    while (b->left >= 3) {
        size_t place = fuzz_byte(b);
        place = (place | (size_t)fuzz_byte(b) << 8) % (2 * ENTRY_BYTES);
        if (place < entry_bytes)
            bytes[place] = fuzz_byte(b);
        else
            size = place - entry_bytes < ENTRY_BYTES ? place - entry_bytes
                                                     : ENTRY_BYTES;
    }
    return size;
}

static void store(const unsigned char *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        fuzz_fail("%s: not written", path);
    close(fd);
}

static void run(const uint8_t *data, size_t size)
{
    static unsigned char bytes[ENTRY_BYTES];
    fuzz_bytes b = {data, size};
    void *got = NULL;
    size_t got_bytes = 0, stored;
    int found = 0;

    begin();
    if (fuzz_below(&b, 8) == 0) {
        stored = b.left;
        memcpy(bytes, b.at, b.left);
    } else {
        stored = change(&b, bytes);
    }
    store(bytes, stored);
    if (stfi_cache_built(directory, &wanted, &got, &got_bytes, &found)
        != STF_OK)
        fuzz_fail("a bad entry is an error: %s", stf_error_message());
    if (found
        && (got_bytes != IMAGE_BYTES || memcmp(got, image, IMAGE_BYTES) != 0))
        fuzz_fail("another image");
    if (!found && stored == entry_bytes
        && memcmp(bytes, entry, entry_bytes) == 0)
        fuzz_fail("a sound entry is refused");
    stfi_dealloc(got);
}

const fuzz_target fuzz_cache = {"cache", 2048, run};
