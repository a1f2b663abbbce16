/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Makes, encodes and compares heads of cached kernels, and makes their names;
 * see cache_entry.h. */
#include "backends/gpu/host/cache/cache_entry.h"

#include <stdio.h>
#include <string.h>

#include "backends/gpu/host/kernels/family.h"

enum { MAGIC_BYTES = 8, FORMAT = 1, HASH_BYTES = 16 };

/* The first byte is not ASCII, and line ends follow that a transfer as text
 * would change, so that a file damaged in this way is recognised at once. */
static const unsigned char magic[MAGIC_BYTES] = {0x93, 'S',  'T',  'F',
                                                 'K',  '\r', '\n', 0x1a};

/* Offsets in the encoded head. The checksum covers all bytes before it. */
enum {
    AT_FORMAT = MAGIC_BYTES,
    AT_HEAD_BYTES = AT_FORMAT + 4,
    AT_IMAGE_BYTES = AT_HEAD_BYTES + 4,
    AT_SOURCES = AT_IMAGE_BYTES + 8,
    AT_CONFIG = AT_SOURCES + HASH_BYTES,
    AT_IMAGE = AT_CONFIG + HASH_BYTES,
    AT_LIBRARY = AT_IMAGE + HASH_BYTES,
    AT_COMPILER = AT_LIBRARY + STFI_CACHE_VERSION_BYTES,
    AT_ARCH = AT_COMPILER + STFI_GPU_COMPILER_BYTES,
    AT_ENTRY = AT_ARCH + STFI_CACHE_ARCH_BYTES,
    AT_END = AT_ENTRY + STFI_CACHE_ENTRY_BYTES,
    AT_CHECKSUM = STFI_CACHE_HEAD_BYTES - HASH_BYTES
};

_Static_assert(AT_END <= AT_CHECKSUM, "the head is too small");

static const char entry_suffix[] = ".stfk";

/* ----------------------------------------------------------------- fields */

static int put_text(char *field, size_t capacity, const char *text)
{
    size_t length = strlen(text);

    if (length >= capacity)
        return 0;
    memset(field, 0, capacity);
    memcpy(field, text, length);
    return 1;
}

int stfi_cache_head_make(const stfi_gpu_key *key, const char *compiler,
                         const char *options, stfi_cache_head *head_p)
{
    stfi_cache_head head = {.image_bytes = 0};

    if (!put_text(head.library, sizeof head.library, stf_version())
        || !put_text(head.compiler, sizeof head.compiler, compiler)
        || !put_text(head.arch, sizeof head.arch, key->arch)
        || !put_text(head.entry, sizeof head.entry, key->entry))
        return 0;
    head.sources = stfi_gpu_family_hash(key->config);
    head.config = stfi_hash_add_text(stfi_hash_begin(), key->config);
    head.config = stfi_hash_add_text(head.config, options);
    *head_p = head;
    return 1;
}

void stfi_cache_head_seal(stfi_cache_head *head, const void *image,
                          size_t bytes)
{
    head->image_bytes = bytes;
    head->image = stfi_hash_add(stfi_hash_begin(), image, bytes);
}

int stfi_cache_head_current(const stfi_cache_head *head)
{
    return stfi_gpu_family_known(head->sources)
           && strcmp(head->library, stf_version()) == 0;
}

int stfi_cache_head_matches(const stfi_cache_head *head,
                            const stfi_cache_head *wanted)
{
    return stfi_hash_equal(head->sources, wanted->sources)
           && stfi_hash_equal(head->config, wanted->config)
           && strcmp(head->library, wanted->library) == 0
           && strcmp(head->arch, wanted->arch) == 0
           && strcmp(head->entry, wanted->entry) == 0
           && (wanted->compiler[0] == '\0'
               || strcmp(head->compiler, wanted->compiler) == 0);
}

/* --------------------------------------------------------------- encoding */

static void put_number(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get_number(const unsigned char *from, int bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

static void put_hash(unsigned char *to, stfi_hash h)
{
    put_number(to, h.low, 8);
    put_number(to + 8, h.high, 8);
}

static stfi_hash get_hash(const unsigned char *from)
{
    stfi_hash h = {.high = get_number(from + 8, 8), .low = get_number(from, 8)};
    return h;
}

void stfi_cache_head_encode(const stfi_cache_head *head,
                            unsigned char bytes[STFI_CACHE_HEAD_BYTES])
{
    memset(bytes, 0, STFI_CACHE_HEAD_BYTES);
    memcpy(bytes, magic, sizeof magic);
    put_number(bytes + AT_FORMAT, FORMAT, 4);
    put_number(bytes + AT_HEAD_BYTES, STFI_CACHE_HEAD_BYTES, 4);
    put_number(bytes + AT_IMAGE_BYTES, head->image_bytes, 8);
    put_hash(bytes + AT_SOURCES, head->sources);
    put_hash(bytes + AT_CONFIG, head->config);
    put_hash(bytes + AT_IMAGE, head->image);
    memcpy(bytes + AT_LIBRARY, head->library, sizeof head->library);
    memcpy(bytes + AT_COMPILER, head->compiler, sizeof head->compiler);
    memcpy(bytes + AT_ARCH, head->arch, sizeof head->arch);
    memcpy(bytes + AT_ENTRY, head->entry, sizeof head->entry);
    put_hash(bytes + AT_CHECKSUM,
             stfi_hash_add(stfi_hash_begin(), bytes, AT_CHECKSUM));
}

/* Copies a text that must end within its field. */
static int get_text(char *text, const unsigned char *from, size_t capacity)
{
    memcpy(text, from, capacity);
    return memchr(text, '\0', capacity) != NULL;
}

int stfi_cache_head_decode(const unsigned char bytes[STFI_CACHE_HEAD_BYTES],
                           stfi_cache_head *head_p)
{
    stfi_hash checksum = stfi_hash_add(stfi_hash_begin(), bytes, AT_CHECKSUM);
    stfi_cache_head h;

    if (memcmp(bytes, magic, sizeof magic) != 0
        || get_number(bytes + AT_FORMAT, 4) != FORMAT
        || get_number(bytes + AT_HEAD_BYTES, 4) != STFI_CACHE_HEAD_BYTES
        || !stfi_hash_equal(get_hash(bytes + AT_CHECKSUM), checksum)
        || !get_text(h.library, bytes + AT_LIBRARY, sizeof h.library)
        || !get_text(h.compiler, bytes + AT_COMPILER, sizeof h.compiler)
        || !get_text(h.arch, bytes + AT_ARCH, sizeof h.arch)
        || !get_text(h.entry, bytes + AT_ENTRY, sizeof h.entry))
        return 0;
    h.image_bytes = get_number(bytes + AT_IMAGE_BYTES, 8);
    if (h.image_bytes > STFI_CACHE_IMAGE_BYTES)
        return 0;
    h.sources = get_hash(bytes + AT_SOURCES);
    h.config = get_hash(bytes + AT_CONFIG);
    h.image = get_hash(bytes + AT_IMAGE);
    *head_p = h;
    return 1;
}

/* ------------------------------------------------------------------ names */

/* Appends a text, with '_' for characters that are not plain. '-' is among
 * these, so that it can separate the architecture from the compiler. Texts that
 * differ only in replaced characters share a folder; the heads of the entries
 * tell them apart. */
static void append_plain(char *name, const char *text)
{
    static const char plain[] = "0123456789.+_"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz";
    size_t at = strlen(name);

    for (; *text != '\0' && at + 2 < STFI_CACHE_NAME_BYTES; text++)
        name[at++] = strchr(plain, *text) != NULL ? *text : '_';
    name[at] = '\0';
}

void stfi_cache_folder_name(const stfi_cache_head *head,
                            char name[STFI_CACHE_NAME_BYTES])
{
    name[0] = '\0';
    append_plain(name, head->arch);
    memcpy(name + strlen(name), "-", 2);
    append_plain(name, head->compiler);
}

void stfi_cache_file_name(const stfi_cache_head *head,
                          char name[STFI_CACHE_NAME_BYTES])
{
    stfi_hash h = stfi_hash_add_text(stfi_hash_begin(), head->library);
    char digits[STFI_HASH_TEXT_BYTES];
    unsigned char hashes[2 * HASH_BYTES];

    put_hash(hashes, head->sources);
    put_hash(hashes + HASH_BYTES, head->config);
    h = stfi_hash_add(h, hashes, sizeof hashes);
    h = stfi_hash_add_text(h, head->arch);
    h = stfi_hash_add_text(h, head->entry);
    stfi_hash_print(h, digits);
    snprintf(name, STFI_CACHE_NAME_BYTES, "%s%s", digits, entry_suffix);
}

int stfi_cache_name_is_entry(const char *name)
{
    return strspn(name, "0123456789abcdef") == STFI_HASH_TEXT_BYTES - 1
           && strcmp(name + STFI_HASH_TEXT_BYTES - 1, entry_suffix) == 0;
}

int stfi_cache_name_is_temporary(const char *name)
{
    return strncmp(name, STFI_CACHE_TEMPORARY, sizeof STFI_CACHE_TEMPORARY - 1)
           == 0;
}
