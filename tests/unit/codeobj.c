/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tests of reading code objects: of one that is written here, with every form
 * of values, of those of hipRTC, whose numbers are compared with what
 * llvm-readelf prints, and of damaged ones. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "backends/hip/codeobj.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/hip/hip_rtc.h"
#include "base/alloc.h"
#include "base/status.h"
#include "tests/tap.h"

/* ----------------------------------------------------------------- writing */

enum { MOST_BYTES = 2048, NOTE_AT = 64 + 56 };

typedef struct image {
    unsigned char data[MOST_BYTES];
    size_t bytes;
} image;

static void put(image *o, const void *data, size_t bytes)
{
    memcpy(o->data + o->bytes, data, bytes);
    o->bytes += bytes;
}

static void put_byte(image *o, unsigned value)
{
    o->data[o->bytes++] = (unsigned char)value;
}

/* A number of an ELF file, the lowest byte first, at an offset. */
static void set(image *o, size_t at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++)
        o->data[at + i] = (unsigned char)(value >> 8 * i);
}

/* A text in the form with a length of so many bytes; 0: the shortest form. */
static void put_text(image *o, const char *text, unsigned width)
{
    size_t length = strlen(text);

    put_byte(o, width == 0   ? 0xa0 | (unsigned)length
                : width == 1 ? 0xd9
                : width == 2 ? 0xda
                             : 0xdb);
    for (unsigned i = width; i-- > 0;)
        put_byte(o, (unsigned)(length >> 8 * i) & 255);
    put(o, text, length);
}

/* An integer in the form of so many bytes; 0: the shortest form. */
static void put_number(image *o, uint64_t value, unsigned width)
{
    if (width == 0) {
        put_byte(o, (unsigned)value);
        return;
    }
    put_byte(o, width == 1   ? 0xcc
                : width == 2 ? 0xcd
                : width == 4 ? 0xce
                             : 0xcf);
    for (unsigned i = width; i-- > 0;)
        put_byte(o, (unsigned)(value >> 8 * i) & 255);
}

static void put_count(image *o, const char *key, uint64_t value, unsigned width)
{
    put_text(o, key, strlen(key) < 32 ? 0 : 1);
    put_number(o, value, width);
}

/* The head of an ELF file with one segment of notes, and that of the note. Its
 * lengths are set by end(). */
static void begin(image *o)
{
    memset(o, 0, sizeof *o);
    memcpy(o->data, "\177ELF\2\1\1\100", 8);
    set(o, 18, 2, 224);
    set(o, 32, 8, 64);
    set(o, 54, 2, 56);
    set(o, 56, 2, 1);
    set(o, 64, 4, 4);
    set(o, 64 + 8, 8, NOTE_AT);
    /* Another note comes first. */
    o->bytes = NOTE_AT;
    set(o, o->bytes, 4, 4);
    set(o, o->bytes + 4, 4, 5);
    set(o, o->bytes + 8, 4, 1);
    o->bytes += 12;
    put(o, "GNU\0hello\0\0\0", 12);
    set(o, o->bytes, 4, 7);
    set(o, o->bytes + 8, 4, 32);
    o->bytes += 12;
    put(o, "AMDGPU\0\0", 8);
}

static void end(image *o)
{
    size_t note = NOTE_AT + 24;

    set(o, note + 4, 4, o->bytes - note - 20);
    set(o, 64 + 32, 8, o->bytes - NOTE_AT);
}

/* Values of every form that is skipped: none is a count. */
static void put_others(image *o)
{
    static const unsigned char
        others[] =
            {
                0xdc, 0,    26,   /* an array of 26 */
                0xc0, 0xc2, 0xc3, /* nil, false, true */
                0xc4, 1,    7,    /* binary */
                0xc5, 0,    1,    7,    0xc6, 0,    0,    0,   1,   7, /* longer */
                0xc7, 1,    9,    7,    0xc8, 0,    1,    9,   7, /* extensions */
                0xc9, 0,    0,    0,    1,    9,    7,            /* longer */
                0xca, 1,    2,    3,    4, /* numbers with a point */
                0xcb, 1,    2,    3,    4,    5,    6,    7,   8, /* longer */
                0xd0, 255,  0xd1, 255,  255,                      /* negative */
                0xd2, 255,  255,  255,  255,                      /* longer */
                0xd3, 255,  255,  255,  255,  255,  255,  255, 255, 0xd4, 9,
                1,                   /* short extensions */
                0xd5, 9,    1,    2, /* of 2, 4, 8, 16 bytes */
                0xd6, 9,    1,    2,    3,    4,    0xd7, 9,   1,   2,    3,
                4,    5,    6,    7,    8,    0xd8, 9,    1,   2,   3,    4,
                5,    6,    7,    8,    1,    2,    3,    4,   5,   6,    7,
                8,    0xe0, 0xff, /* small negative ones */
                0xdd, 0,    0,    0,    1,    0x91, 0x80, /* nested */
                0x81, 0xa1, 'k',  0x92, 1,    2,          /* map in it */
                0xde, 0,    1,    0xa1, 'm',  3,          /* longer */
                0xdf, 0,    0,    0,    1,    0xa1, 'n',  4,
            };

    put_text(o, ".others", 0);
    put(o, others, sizeof others);
}

static void put_kernel(image *o, const char *name, int scale)
{
    put_byte(o, 0x8c);
    put_count(o, ".agpr_count", (uint64_t)scale, 0);
    put_others(o);
    put_count(o, ".group_segment_fixed_size", 40000 + (uint64_t)scale, 4);
    put_count(o, ".kernarg_segment_size", 300 + (uint64_t)scale, 2);
    put_count(o, ".max_flat_workgroup_size", 512, 2);
    put_text(o, ".name", 1);
    put_text(o, name, 2);
    put_count(o, ".private_segment_fixed_size", 1000 + (uint64_t)scale, 8);
    put_count(o, ".sgpr_count", 90 + (uint64_t)scale, 1);
    put_count(o, ".sgpr_spill_count", 2 + (uint64_t)scale, 0);
    put_count(o, ".vgpr_count", 200 + (uint64_t)scale, 1);
    put_count(o, ".vgpr_spill_count", UINT64_C(1) << 40, 8);
    put_count(o, ".wavefront_size", 64, 0);
}

static void make(image *o)
{
    begin(o);
    put_byte(o, 0x83);
    put_text(o, "amdhsa.version", 4);
    put(o, "\x92\1\2", 3);
    put_text(o, "amdhsa.kernels", 0);
    put_byte(o, 0x92);
    put_kernel(o, "first", 0);
    put_kernel(o, "second", 5);
    put_text(o, "amdhsa.target", 0);
    put_text(o, "amdgcn-amd-amdhsa--gfx90a", 1);
    end(o);
}

/* ----------------------------------------------------------------- reading */

static void test_forms(void)
{
    stfi_codeobj first = {0}, c = {0};
    stfi_gpu_usage usage = {-7, -7, -7, -7, -7};
    static image o;

    make(&o);
    tap_ok(!stfi_codeobj_read(o.data, o.bytes, "first", &first)
               && first.vgprs == 200 && first.agprs == 0 && first.wave == 64,
           "the first of two kernels");
    tap_ok(!stfi_codeobj_read(o.data, o.bytes, "second", &c) && c.vgprs == 205
               && c.agprs == 5 && c.sgprs == 95 && c.vgpr_spills == INT32_MAX
               && c.sgpr_spills == 7 && c.scratch_bytes == 1005
               && c.lds_bytes == 40005 && c.args_bytes == 305 && c.wave == 64
               && c.threads == 512,
           "the second, in values of every form: %s", stf_error_message());
    tap_ok(!stfi_hip_image_usage(o.data, o.bytes, "second", &usage)
               && usage.registers == 205 && usage.local_bytes == 1005
               && usage.shared_bytes == 40005 && usage.blocks == 0,
           "as the resources of any vendor's kernel");
}

/* Reads a copy that ends where its memory ends, so that a sanitizer reports any
 * access beyond its end. */
static stf_status read_copy(const unsigned char *data, size_t bytes,
                            const char *entry)
{
    unsigned char *copy = malloc(bytes > 0 ? bytes : 1);
    stf_status status = STF_ERR_MEMORY;
    stfi_codeobj object;

    if (copy != NULL) {
        memcpy(copy, data, bytes);
        status = stfi_codeobj_read(copy, bytes, entry, &object);
    }
    free(copy);
    return status;
}

static void test_refused(void)
{
    stfi_codeobj c = {.vgprs = -7};
    static image o;

    make(&o);
    tap_ok(stfi_codeobj_read("PTX", 3, "x", &c) == STF_ERR_ARGUMENT
               && stfi_codeobj_read(o.data, 0, "x", &c) == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "no code object")
               && stfi_codeobj_read(o.data, o.bytes, "secon", &c)
                      == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "no kernel secon")
               && c.vgprs == -7,
           "no code object, an empty one, a name that is not there: %s",
           stf_error_message());
    set(&o, 18, 2, 190);
    tap_ok(read_copy(o.data, o.bytes, "first") == STF_ERR_ARGUMENT,
           "code for another vendor's device");
    make(&o);
    o.bytes--;
    end(&o);
    tap_ok(read_copy(o.data, o.bytes, "second") == STF_OK,
           "what comes after the kernels is not read");
    begin(&o);
    put(&o,
        "\x81\xaf"
        "amdhsa.printf_x",
        17);
    for (int i = 0; i < 100; i++)
        put(&o, "\xdf\xff\xff\xff\xff", 5);
    end(&o);
    tap_ok(read_copy(o.data, o.bytes, "first") == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "damaged"),
           "maps in maps, larger than the file: %s", stf_error_message());
    begin(&o);
    put_byte(&o, 0x81);
    put_text(&o, "amdhsa.kernels", 0);
    put(&o, "\x91\x81", 2);
    put_text(&o, ".name", 0);
    put_text(&o, "first", 0);
    end(&o);
    tap_ok(read_copy(o.data, o.bytes, "first") == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "damaged"),
           "a kernel without registers: %s", stf_error_message());
}

/* ----------------------------------------------------------------- damage */

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Reads the first n bytes for all n: only the whole is read. */
static void test_short(const unsigned char *data, size_t bytes,
                       const char *entry)
{
    int refused = 0, other = 0;

    for (size_t n = 0; n < bytes; n++) {
        stf_status s = read_copy(data, n, entry);
        refused += s == STF_ERR_ARGUMENT;
        other += s != STF_ERR_ARGUMENT && s != STF_OK;
    }
    tap_ok(other == 0 && refused > 0, "%d of %zu lengths are refused", refused,
           bytes);
}

/* Replaces some bytes at random. The image must be read or refused. */
static void test_bytes(unsigned char *data, size_t bytes, const char *entry)
{
    uint64_t random = tap_seed();
    int survived = 0, other = 0;
    unsigned char whole[MOST_BYTES];
    size_t most = bytes < MOST_BYTES ? bytes : MOST_BYTES;

    memcpy(whole, data, most);
    for (int i = 0; i < 20000; i++) {
        stf_status s;

        for (int k = 0; k <= i % 3; k++)
            data[next_random(&random) % most] =
                (unsigned char)next_random(&random);
        s = read_copy(data, bytes, entry);
        survived += s == STF_OK;
        other += s != STF_OK && s != STF_ERR_ARGUMENT;
        memcpy(data, whole, most);
    }
    tap_ok(other == 0 && survived > 0 && survived < 20000,
           "random bytes: %d of 20000 images are still read", survived);
}

/* ------------------------------------------------------------------ hipRTC */

/* Kernels that use different resources. */
static const struct kernel {
    const char *entry;
    int scratch, lds; /* bytes; -1: some; else exact */
    const char *text;
} kernels[] = {
    {"plain", 0, 0,
     "extern \"C\" __global__ void plain(float *x){ x[threadIdx.x] *= 2; }\n"},
    {"indexed", -1, 0,
     "extern \"C\" __global__ void indexed(float *x, int n) { float a[40];"
     " for (int i = 0; i < 40; i++) a[i] = x[i * n];"
     " for (int i = 0; i < n; i++) a[(i * 7 + n) % 40] += a[(i * n) % 40];"
     " x[threadIdx.x] = a[n % 40]; }\n"},
    {"sharing", 0, 4000,
     "extern \"C\" __global__ void sharing(float *x)"
     "{ __shared__ float s[1000]; s[threadIdx.x] = x[threadIdx.x];"
     " __syncthreads(); x[threadIdx.x] = s[999 - threadIdx.x]; }\n"},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static int as_wanted(int got, int want)
{
    return want < 0 ? got > 0 : got == want;
}

/* Reads the number after a key in a line that llvm-readelf printed. */
static void take_number(const char *line, const char *key, int *value_p)
{
    const char *at = strstr(line, key);

    if (at != NULL)
        *value_p = atoi(at + strlen(key));
}

/* Compares what llvm-readelf prints with what the library reads. */
static void test_against(const char *tool, const void *data, size_t bytes,
                         const char *entry, const stfi_codeobj *read)
{
    char path[] = "/tmp/stf-codeobj.XXXXXX", line[512];
    stfi_codeobj says = {.vgprs = -1};
    int fd = mkstemp(path);
    FILE *pipe;

    if (!tap_ok(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes,
                "a file for %s", tool))
        return;
    close(fd);
    snprintf(line, sizeof line, "%s --notes %s 2>&1", tool, path);
    pipe = popen(line, "r");
    while (pipe != NULL && fgets(line, sizeof line, pipe) != NULL) {
        take_number(line, ".vgpr_count:", &says.vgprs);
        take_number(line, ".sgpr_count:", &says.sgprs);
        take_number(line, ".vgpr_spill_count:", &says.vgpr_spills);
        take_number(line, ".private_segment_fixed_size:", &says.scratch_bytes);
        take_number(line, ".group_segment_fixed_size:", &says.lds_bytes);
        take_number(line, ".kernarg_segment_size:", &says.args_bytes);
        take_number(line, ".wavefront_size:", &says.wave);
    }
    tap_ok(pipe != NULL && pclose(pipe) == 0 && says.vgprs == read->vgprs
               && says.sgprs == read->sgprs
               && says.vgpr_spills == read->vgpr_spills
               && says.scratch_bytes == read->scratch_bytes
               && says.lds_bytes == read->lds_bytes
               && says.args_bytes == read->args_bytes
               && says.wave == read->wave,
           "%s: %s says %d registers, %d bytes of scratch, %d of block memory",
           entry, tool, says.vgprs, says.scratch_bytes, says.lds_bytes);
    remove(path);
}

static const char *find_readelf(void)
{
    static const char *const tools[] = {"llvm-readelf", "llvm-readelf-19",
                                        "llvm-readelf-15", NULL};
    char line[128];

    for (int i = 0; tools[i] != NULL; i++) {
        snprintf(line, sizeof line, "%s --version >/dev/null 2>&1", tools[i]);
        if (system(line) == 0)
            return tools[i];
    }
    return NULL;
}

static void test_kernel(const struct kernel *k, const char *tool)
{
    static const stfi_gpu_file no_files[] = {{NULL, NULL, 0}};
    const stfi_gpu_source source = {k->text, no_files, ""};
    stfi_codeobj c = {.vgprs = -1};
    void *mem = NULL;
    size_t bytes = 0;
    stf_status status =
        stfi_hip_compile(&source, "gfx90a", k->entry, &mem, &bytes);

    if (status == STF_OK)
        status = stfi_codeobj_read(mem, bytes, k->entry, &c);
    tap_ok(!status && c.vgprs > 0 && c.vgprs <= 512
               && as_wanted(c.scratch_bytes, k->scratch)
               && as_wanted(c.lds_bytes, k->lds) && c.wave == 64,
           "%s: %s, %d registers, %d bytes of scratch, %d of block memory",
           k->entry, status ? stf_error_message() : "read", c.vgprs,
           c.scratch_bytes, c.lds_bytes);
    if (status == STF_OK && tool != NULL)
        test_against(tool, mem, bytes, k->entry, &c);
    if (status == STF_OK)
        test_bytes(mem, bytes, k->entry);
    stfi_dealloc(mem);
}

int main(void)
{
    static image o;
    char version[32];

    tap_begin("codeobj");
    test_forms();
    test_refused();
    make(&o);
    test_short(o.data, o.bytes, "second");
    test_bytes(o.data, o.bytes, "second");
    if (stfi_hip_rtc.version(version, sizeof version) != STF_OK) {
        tap_skip(stf_error_message(), "reading what hipRTC makes");
        return tap_end();
    }
    for (int i = 0; i < KERNELS; i++)
        test_kernel(&kernels[i], find_readelf());
    return tap_end();
}
