/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reads code objects; see codeobj.h. A code object is a little-endian ELF64
 * file. One of its notes holds the metadata of all kernels in the MessagePack
 * format: a map, whose key "amdhsa.kernels" has an array of maps, one for each
 * kernel.
 * Source: LLVM, User Guide for AMDGPU Backend, code object V3 and later;
 * msgpack.org, specification. */
#include "backends/hip/codeobj.h"

#include <stdint.h>
#include <string.h>

#include "base/status.h"

enum {
    HEADER_BYTES = 64,
    PROGRAM_BYTES = 56, /* of a program header */
    NOTE_BYTES = 12,    /* of a note's head: three numbers of 4 bytes */
    MACHINE_AMDGPU = 224,
    PROGRAM_NOTE = 4,
    NOTE_METADATA = 32
};

typedef struct span {
    const unsigned char *data;
    uint64_t bytes;
} span;

/* Reads a little-endian number of `width` bytes; 0 if it is not inside the
 * span. */
static uint64_t number(span s, uint64_t offset, unsigned width)
{
    uint64_t value = 0;

    if (offset > s.bytes || width > s.bytes - offset)
        return 0;
    for (unsigned i = width; i-- > 0;)
        value = value << 8 | s.data[offset + i];
    return value;
}

/* A part of a span; empty if it is not inside. */
static span part(span s, uint64_t offset, uint64_t bytes)
{
    span none = {s.data, 0};

    if (offset > s.bytes || bytes > s.bytes - offset)
        return none;
    return (span){s.data + offset, bytes};
}

static int is_text(span s, const char *text)
{
    size_t length = strlen(text);

    return s.bytes == length && memcmp(s.data, text, length) == 0;
}

/* ------------------------------------------------------------------- notes */

/* The name of a note's owner ends in a NUL. */
static int is_owner(span name)
{
    static const char owner[] = "AMDGPU";

    return name.bytes == sizeof owner
           && memcmp(name.data, owner, sizeof owner) == 0;
}

/* Finds the metadata among the notes of a segment; empty if they are not
 * there. */
static span find_note(span notes)
{
    uint64_t at = 0;

    while (notes.bytes - at >= NOTE_BYTES) {
        uint64_t name = number(notes, at, 4), bytes = number(notes, at + 4, 4);
        uint64_t type = number(notes, at + 8, 4);
        uint64_t text = at + NOTE_BYTES, body = text + (name + 3) / 4 * 4;

        if (type == NOTE_METADATA && is_owner(part(notes, text, name)))
            return part(notes, body, bytes);
        at = body + (bytes + 3) / 4 * 4;
        if (at > notes.bytes)
            break;
    }
    return (span){notes.data, 0};
}

/* Finds the metadata of a code object; empty if it is none. */
static span find_metadata(span image)
{
    uint64_t table, count;

    if (image.bytes < HEADER_BYTES || memcmp(image.data, "\177ELF\2\1", 6) != 0
        || number(image, 18, 2) != MACHINE_AMDGPU
        || number(image, 54, 2) != PROGRAM_BYTES)
        return (span){image.data, 0};
    table = number(image, 32, 8);
    count = number(image, 56, 2);
    for (uint64_t i = 0; i < count && table <= image.bytes; i++) {
        span head = part(image, table + i * PROGRAM_BYTES, PROGRAM_BYTES);
        span found;

        if (number(head, 0, 4) != PROGRAM_NOTE)
            continue;
        found = find_note(part(image, number(head, 8, 8), number(head, 32, 8)));
        if (found.bytes > 0)
            return found;
    }
    return (span){image.data, 0};
}

/* ------------------------------------------------------------- MessagePack */

typedef enum kind {
    KIND_DAMAGED,
    KIND_NUMBER,
    KIND_TEXT,
    KIND_ARRAY,
    KIND_MAP,
    KIND_OTHER
} kind;

/* A value, without the values that an array or a map holds, which follow. */
typedef struct value {
    kind kind;
    uint64_t number; /* or the number of the array's values or map's pairs */
    span text;
} value;

/* The forms whose first byte has the kind only: how many bytes of a number come
 * next, and how many bytes follow that are skipped, beside as many as the
 * number says if `sized`. */
static const struct form {
    unsigned char first, width, sized, extra;
    kind kind;
} forms[] = {
    {0xc0, 0, 0, 0, KIND_OTHER}, /* nil, false, true */
    {0xc2, 0, 0, 0, KIND_OTHER},
    {0xc3, 0, 0, 0, KIND_OTHER},
    {0xc4, 1, 1, 0, KIND_OTHER}, /* binary */
    {0xc5, 2, 1, 0, KIND_OTHER},
    {0xc6, 4, 1, 0, KIND_OTHER},
    {0xc7, 1, 1, 1, KIND_OTHER}, /* extensions */
    {0xc8, 2, 1, 1, KIND_OTHER},
    {0xc9, 4, 1, 1, KIND_OTHER},
    {0xca, 0, 0, 4, KIND_OTHER}, /* floating-point numbers */
    {0xcb, 0, 0, 8, KIND_OTHER},
    {0xcc, 1, 0, 0, KIND_NUMBER}, /* unsigned integers */
    {0xcd, 2, 0, 0, KIND_NUMBER},
    {0xce, 4, 0, 0, KIND_NUMBER},
    {0xcf, 8, 0, 0, KIND_NUMBER},
    {0xd0, 0, 0, 1, KIND_OTHER}, /* signed integers; no count is one */
    {0xd1, 0, 0, 2, KIND_OTHER},
    {0xd2, 0, 0, 4, KIND_OTHER},
    {0xd3, 0, 0, 8, KIND_OTHER},
    {0xd4, 0, 0, 2, KIND_OTHER}, /* short extensions */
    {0xd5, 0, 0, 3, KIND_OTHER},
    {0xd6, 0, 0, 5, KIND_OTHER},
    {0xd7, 0, 0, 9, KIND_OTHER},
    {0xd8, 0, 0, 17, KIND_OTHER},
    {0xd9, 1, 1, 0, KIND_TEXT},
    {0xda, 2, 1, 0, KIND_TEXT},
    {0xdb, 4, 1, 0, KIND_TEXT},
    {0xdc, 2, 0, 0, KIND_ARRAY},
    {0xdd, 4, 0, 0, KIND_ARRAY},
    {0xde, 2, 0, 0, KIND_MAP},
    {0xdf, 4, 0, 0, KIND_MAP},
};

/* What is still to be read of the metadata. */
typedef struct reader {
    span left;
} reader;

/* Takes the next bytes; empty if there are not so many left. */
static span take(reader *r, uint64_t bytes)
{
    span taken = part(r->left, 0, bytes);

    r->left.data += taken.bytes;
    r->left.bytes -= taken.bytes;
    return taken;
}

/* Reads a big-endian number. */
static uint64_t take_number(reader *r, unsigned width)
{
    span bytes = take(r, width);
    uint64_t n = 0;

    for (uint64_t i = 0; i < bytes.bytes; i++)
        n = n << 8 | bytes.data[i];
    return n;
}

static value take_text(reader *r, uint64_t bytes, kind kind_of)
{
    value v = {kind_of, 0, {r->left.data, 0}};

    if (bytes > r->left.bytes)
        v.kind = KIND_DAMAGED;
    else
        v.text = take(r, bytes);
    return v;
}

/* Reads a value of a form in the table. */
static value take_form(reader *r, unsigned first)
{
    value v = {KIND_DAMAGED, 0, {r->left.data, 0}};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct form *f = &forms[i];

        if (f->first != first)
            continue;
        if (f->width > r->left.bytes)
            return v;
        v.number = take_number(r, f->width);
        if (f->sized || f->extra > 0)
            return take_text(r, (f->sized ? v.number : 0) + f->extra, f->kind);
        v.kind = f->kind;
    }
    return v;
}

static value take_value(reader *r)
{
    value v = {KIND_DAMAGED, 0, {r->left.data, 0}};
    unsigned first;

    if (r->left.bytes == 0)
        return v;
    first = (unsigned)take_number(r, 1);
    if (first < 0x80)
        return (value){KIND_NUMBER, first, {r->left.data, 0}};
    if (first < 0x90)
        return (value){KIND_MAP, first & 15, {r->left.data, 0}};
    if (first < 0xa0)
        return (value){KIND_ARRAY, first & 15, {r->left.data, 0}};
    if (first < 0xc0)
        return take_text(r, first & 31, KIND_TEXT);
    if (first >= 0xe0) /* a small negative number */
        return (value){KIND_OTHER, 0, {r->left.data, 0}};
    return take_form(r, first);
}

/* Skips the values that an array or a map holds. Returns 0 if it is damaged.
 * Each value takes a byte at least. */
static int skip_inside(reader *r, value v)
{
    uint64_t more = 0;

    for (;;) {
        if (v.kind == KIND_DAMAGED)
            return 0;
        if (v.kind == KIND_ARRAY || v.kind == KIND_MAP)
            more += v.kind == KIND_MAP ? 2 * v.number : v.number;
        if (more == 0)
            return 1;
        if (more > r->left.bytes)
            return 0;
        v = take_value(r);
        more--;
    }
}

/* ----------------------------------------------------------------- kernels */

static const struct {
    const char *key;
    size_t offset;
} keys[] = {
    {".vgpr_count", offsetof(stfi_codeobj, vgprs)},
    {".agpr_count", offsetof(stfi_codeobj, agprs)},
    {".sgpr_count", offsetof(stfi_codeobj, sgprs)},
    {".vgpr_spill_count", offsetof(stfi_codeobj, vgpr_spills)},
    {".sgpr_spill_count", offsetof(stfi_codeobj, sgpr_spills)},
    {".private_segment_fixed_size", offsetof(stfi_codeobj, scratch_bytes)},
    {".group_segment_fixed_size", offsetof(stfi_codeobj, lds_bytes)},
    {".kernarg_segment_size", offsetof(stfi_codeobj, args_bytes)},
    {".wavefront_size", offsetof(stfi_codeobj, wave)},
    {".max_flat_workgroup_size", offsetof(stfi_codeobj, threads)},
};

static void store(stfi_codeobj *object, span key, uint64_t n)
{
    int count = n < INT32_MAX ? (int)n : INT32_MAX;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (is_text(key, keys[i].key))
            memcpy((char *)object + keys[i].offset, &count, sizeof count);
}

typedef enum found { FOUND_NOTHING, FOUND_DAMAGE, FOUND_ENTRY } found;

/* Reads a kernel's map, and says whether it is that of the entry. */
static found read_kernel(reader *r, const char *entry, stfi_codeobj *object)
{
    value map = take_value(r);
    int right = 0;

    *object = (stfi_codeobj){.vgprs = -1};
    if (map.kind != KIND_MAP)
        return FOUND_DAMAGE;
    for (uint64_t i = 0; i < map.number; i++) {
        value key = take_value(r), v = take_value(r);

        if (key.kind != KIND_TEXT || !skip_inside(r, v))
            return FOUND_DAMAGE;
        if (v.kind == KIND_NUMBER)
            store(object, key.text, v.number);
        if (v.kind == KIND_TEXT && is_text(key.text, ".name"))
            right = is_text(v.text, entry);
    }
    if (!right)
        return FOUND_NOTHING;
    return object->vgprs >= 0 && object->wave > 0 ? FOUND_ENTRY : FOUND_DAMAGE;
}

static found read_metadata(reader *r, const char *entry, stfi_codeobj *object)
{
    value map = take_value(r);
    found result = FOUND_NOTHING;

    if (map.kind != KIND_MAP)
        return FOUND_DAMAGE;
    for (uint64_t i = 0; i < map.number; i++) {
        value key = take_value(r), v = take_value(r);

        if (key.kind != KIND_TEXT)
            return FOUND_DAMAGE;
        if (v.kind == KIND_ARRAY && is_text(key.text, "amdhsa.kernels")) {
            for (uint64_t k = 0; k < v.number && result == FOUND_NOTHING; k++)
                result = read_kernel(r, entry, object);
            return result;
        }
        if (!skip_inside(r, v))
            return FOUND_DAMAGE;
    }
    return result;
}

stf_status stfi_codeobj_read(const void *image, size_t bytes, const char *entry,
                             stfi_codeobj *object_p)
{
    reader r = {find_metadata((span){image, bytes})};
    stfi_codeobj object;

    if (r.left.bytes == 0)
        return stfi_error(STF_ERR_ARGUMENT,
                          "the image of %.120s is no code object", entry);
    switch (read_metadata(&r, entry, &object)) {
    case FOUND_NOTHING:
        return stfi_error(STF_ERR_ARGUMENT,
                          "the code object has no kernel %.120s", entry);
    case FOUND_DAMAGE:
        return stfi_error(STF_ERR_ARGUMENT,
                          "the code object of %.120s is damaged", entry);
    default: *object_p = object; return STF_OK;
    }
}

stf_status stfi_hip_image_usage(const void *image, size_t bytes,
                                const char *entry, stfi_gpu_usage *usage_p)
{
    stfi_codeobj object;
    stf_status status = stfi_codeobj_read(image, bytes, entry, &object);

    if (status == STF_OK)
        *usage_p = (stfi_gpu_usage){.registers = object.vgprs,
                                    .local_bytes = object.scratch_bytes,
                                    .shared_bytes = object.lds_bytes};
    return status;
}
