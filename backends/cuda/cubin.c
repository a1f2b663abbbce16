/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reads cubins; see cubin.h. A cubin is a little-endian ELF64 file. Its section
 * .nv.info is a list of attributes: a byte for the form of the value, a byte
 * for the attribute's number, and the value. The attributes that are needed
 * here have values of 8 bytes: the index of a function's symbol, and a number.
 * The shared memory of a function is the size of a section with its name. */
#include "backends/cuda/cubin.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

enum {
    HEADER_BYTES = 64,
    SECTION_BYTES = 64,
    SYMBOL_BYTES = 24,
    SYMBOL_FUNCTION = 2,
    MACHINE_CUDA = 190,
    /* Forms of an attribute: no value, 2 bytes in its head, or as many bytes
     * after its head as the head says. */
    FORM_NONE = 1,
    FORM_BYTE = 2,
    FORM_SHORT = 3,
    FORM_SIZED = 4,
    ATTRIBUTE_FRAME = 0x11, /* bytes of the function's own stack */
    ATTRIBUTE_STACK = 0x12, /* the same with the functions that it calls */
    ATTRIBUTE_REGISTERS = 0x2f,
    /* From sm_70 on, an instruction has 16 bytes, and its lowest 9 bits say what it
     * does. */
    INSTRUCTION_BYTES = 16,
    INSTRUCTION_MASK = 0x1ff,
    LOAD_LOCAL = 0x183,
    /* From sm_90 on, the first bytes of a kernel's shared memory belong to the
     * system; a section .nv.shared.reserved.0 shows that. */
    RESERVED_BYTES = 1024,
    /* Images of this version and later have the architecture in the second byte of
     * their flags, earlier ones in the first. */
    SECOND_BYTE_FROM = 8,
    WIDE_JUMPS_FROM = 90
};

typedef struct span {
    const unsigned char *data;
    uint64_t bytes;
} span;

typedef struct section {
    uint64_t size;
    span contents; /* empty if it is not inside the image */
    uint32_t name, link;
} section;

typedef struct cubin {
    span image, names;
    uint64_t table; /* offset of the section headers */
    uint32_t sections;
} cubin;

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

static span part(span s, uint64_t offset, uint64_t bytes)
{
    span none = {s.data, 0};

    if (offset > s.bytes || bytes > s.bytes - offset)
        return none;
    return (span){s.data + offset, bytes};
}

/* 1 if the NUL-terminated string at the offset is prefix + rest. */
static int is_name(span names, uint64_t offset, const char *prefix,
                   const char *rest)
{
    size_t head = strlen(prefix), tail = strlen(rest);
    span found = part(names, offset, (uint64_t)head + tail + 1);

    return found.bytes > 0 && memcmp(found.data, prefix, head) == 0
           && memcmp(found.data + head, rest, tail + 1) == 0;
}

static section section_at(const cubin *c, uint32_t index)
{
    span head = part(c->image, c->table + (uint64_t)index * SECTION_BYTES,
                     SECTION_BYTES);
    section s;

    s.name = (uint32_t)number(head, 0, 4);
    s.size = number(head, 32, 8);
    s.link = (uint32_t)number(head, 40, 4);
    s.contents = part(c->image, number(head, 24, 8), s.size);
    return s;
}

static int find_section(const cubin *c, const char *prefix, const char *rest,
                        section *section_p)
{
    for (uint32_t i = 0; i < c->sections; i++) {
        section s = section_at(c, i);
        if (is_name(c->names, s.name, prefix, rest)) {
            *section_p = s;
            return 1;
        }
    }
    return 0;
}

static int open_cubin(const void *image, size_t bytes, cubin *c)
{
    c->image = (span){image, bytes};
    if (bytes < HEADER_BYTES || memcmp(image, "\177ELF\2\1", 6) != 0
        || number(c->image, 18, 2) != MACHINE_CUDA
        || number(c->image, 58, 2) != SECTION_BYTES)
        return 0;
    c->table = number(c->image, 40, 8);
    c->sections = (uint32_t)number(c->image, 60, 2);
    if (c->table > bytes
        || (uint64_t)c->sections * SECTION_BYTES > bytes - c->table)
        return 0;
    c->names = section_at(c, (uint32_t)number(c->image, 62, 2)).contents;
    return 1;
}

/* Finds the table of symbols and their names; returns 0 if there is none. */
static int find_symbols(const cubin *c, span *table_p, span *names_p)
{
    section symbols;

    if (!find_section(c, ".symtab", "", &symbols)
        || symbols.link >= c->sections)
        return 0;
    *table_p = symbols.contents;
    *names_p = section_at(c, symbols.link).contents;
    return 1;
}

/* The index of the entry's symbol, or 0, which is no symbol, if there is
 * none. */
static uint32_t find_symbol(const cubin *c, const char *entry)
{
    span table, names;

    if (!find_symbols(c, &table, &names))
        return 0;
    for (uint64_t i = 1; i < table.bytes / SYMBOL_BYTES; i++)
        if (is_name(names, number(table, i * SYMBOL_BYTES, 4), entry, ""))
            return (uint32_t)i;
    return 0;
}

/* Stores the value of an attribute, if it is one that counts resources. */
static void take(int attribute, uint64_t value, stfi_gpu_usage *usage)
{
    int count = value < INT32_MAX ? (int)value : INT32_MAX;

    if (attribute == ATTRIBUTE_REGISTERS)
        usage->registers = count;
    else if ((attribute == ATTRIBUTE_FRAME || attribute == ATTRIBUTE_STACK)
             && count > usage->local_bytes)
        usage->local_bytes = count;
}

/* Reads the attributes of the symbol from the list; returns 0 if the list is
 * damaged. */
static int read_attributes(span list, uint32_t symbol, stfi_gpu_usage *usage)
{
    uint64_t at = 0;

    while (list.bytes - at >= 4) {
        unsigned form = list.data[at];
        int attribute = list.data[at + 1];
        uint64_t bytes = form == FORM_SIZED ? number(list, at + 2, 2) : 0;

        if (form < FORM_NONE || form > FORM_SIZED
            || bytes > list.bytes - at - 4)
            return 0;
        if (bytes == 8 && number(list, at + 4, 4) == symbol)
            take(attribute, number(list, at + 8, 4), usage);
        at += 4 + bytes;
    }
    return at == list.bytes;
}

/* Returns the code of the symbol's function, without that of the functions which
 * follow in its section and which it calls; empty if there is none. */
static span own_code(const cubin *c, uint32_t symbol)
{
    span table, code = {c->image.data, 0};
    section symbols;
    uint64_t at = (uint64_t)symbol * SYMBOL_BYTES, begin, end;
    uint32_t index;

    if (!find_section(c, ".symtab", "", &symbols))
        return code;
    table = symbols.contents;
    index = (uint32_t)number(table, at + 6, 2);
    if (index >= c->sections)
        return code;
    begin = number(table, at + 8, 8);
    end = section_at(c, index).contents.bytes;
    for (uint64_t i = 0; i < table.bytes / SYMBOL_BYTES; i++) {
        uint64_t other = number(table, i * SYMBOL_BYTES + 8, 8);
        if ((number(table, i * SYMBOL_BYTES + 4, 1) & 15) == SYMBOL_FUNCTION
            && number(table, i * SYMBOL_BYTES + 6, 2) == index && other > begin
            && other < end)
            end = other;
    }
    return begin < end ? part(section_at(c, index).contents, begin, end - begin)
                       : code;
}

/* The architecture that the code is for, such as 90. */
static int architecture(const cubin *c)
{
    const int second = number(c->image, 8, 1) >= SECOND_BYTE_FROM;

    return (int)number(c->image, 48 + (uint64_t)second, 1);
}

/* Lists the functions of section `index` that the compiler has added. Returns 0 if
 * there are too many. */
static int list_helpers(const cubin *c, uint32_t index, stfi_cubin_code *code)
{
    span table, names;

    if (!find_symbols(c, &table, &names))
        return 0;
    for (uint64_t at = 0; at < table.bytes; at += SYMBOL_BYTES) {
        const span name = part(names, number(table, at, 4), 12);

        if ((number(table, at + 4, 1) & 15) != SYMBOL_FUNCTION
            || number(table, at + 6, 2) != index || name.bytes == 0
            || memcmp(name.data, "$__internal_", 12) != 0)
            continue;
        if (code->helpers == STFI_CUBIN_HELPERS)
            return 0;
        code->helper[code->helpers++] = (size_t)number(table, at + 8, 8);
    }
    return 1;
}

stf_status stfi_cubin_code_of(const void *image, size_t bytes,
                              const char *entry, stfi_cubin_code *code_p)
{
    stfi_cubin_code code = {.helpers = 0};
    section symbols, text;
    uint32_t symbol = 0, index;
    span own;
    cubin c;

    if (open_cubin(image, bytes, &c)
        && find_section(&c, ".symtab", "", &symbols))
        symbol = find_symbol(&c, entry);
    if (symbol == 0)
        return stfi_error(STF_ERR_ARGUMENT, "the cubin has no kernel %.120s",
                          entry);
    own = own_code(&c, symbol);
    index = (uint32_t)number(symbols.contents,
                             (uint64_t)symbol * SYMBOL_BYTES + 6, 2);
    text = section_at(&c, index);
    if (own.bytes == 0 || !list_helpers(&c, index, &code))
        return stfi_error(STF_ERR_ARGUMENT, "the cubin of %.120s is damaged",
                          entry);
    code.section = text.contents.data;
    code.begin = (size_t)(own.data - text.contents.data);
    code.end = code.begin + (size_t)own.bytes;
    code.wide_jumps = architecture(&c) >= WIDE_JUMPS_FROM;
    *code_p = code;
    return STF_OK;
}

/* Returns how many of a thousand instructions keep values in local memory: twice those
 * that load from there. Of the stores, many are for a call that computes a tile again,
 * and do not run. */
static int count_spills(span code)
{
    uint64_t count = code.bytes / INSTRUCTION_BYTES, spills = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t what =
            number(code, i * INSTRUCTION_BYTES, 2) & INSTRUCTION_MASK;
        spills += what == LOAD_LOCAL ? 2 : 0;
    }
    return count > 0 ? (int)(1000 * spills / count) : 0;
}

static void read_shared(const cubin *c, const char *entry,
                        stfi_gpu_usage *usage)
{
    section shared, reserved;
    uint64_t bytes;

    if (!find_section(c, ".nv.shared.", entry, &shared))
        return;
    bytes = shared.size;
    if (bytes >= RESERVED_BYTES
        && find_section(c, ".nv.shared.reserved.", "0", &reserved))
        bytes -= RESERVED_BYTES;
    usage->shared_bytes = bytes < INT32_MAX ? (int)bytes : INT32_MAX;
}

int stfi_cubin_instructions(const void *image, size_t bytes, const char *entry)
{
    uint32_t symbol;
    cubin c;

    if (!open_cubin(image, bytes, &c))
        return 0;
    symbol = find_symbol(&c, entry);
    return symbol == 0 ? 0
                       : (int)(own_code(&c, symbol).bytes / INSTRUCTION_BYTES);
}

stf_status stfi_cubin_usage(const void *image, size_t bytes, const char *entry,
                            stfi_gpu_usage *usage_p)
{
    stfi_gpu_usage usage = {0, 0, 0, 0, 0};
    section info;
    uint32_t symbol;
    cubin c;

    if (!open_cubin(image, bytes, &c))
        return stfi_error(STF_ERR_ARGUMENT, "the image of %.120s is no cubin",
                          entry);
    symbol = find_symbol(&c, entry);
    if (symbol == 0 || !find_section(&c, ".nv.info", "", &info))
        return stfi_error(STF_ERR_ARGUMENT, "the cubin has no kernel %.120s",
                          entry);
    if (!read_attributes(info.contents, symbol, &usage) || usage.registers == 0)
        return stfi_error(STF_ERR_ARGUMENT, "the cubin of %.120s is damaged",
                          entry);
    read_shared(&c, entry, &usage);
    usage.spills = count_spills(own_code(&c, symbol));
    *usage_p = usage;
    return STF_OK;
}

/* PTX is text that ends in a NUL and begins with a comment or a directive. */
static int is_ptx(const void *image, size_t bytes)
{
    const char *text = image;

    return bytes > 2 && text[bytes - 1] == '\0'
           && (text[0] == '.' || strncmp(text, "//", 2) == 0);
}

stf_status stfi_cuda_image_usage(const void *image, size_t bytes,
                                 const char *entry, stfi_gpu_usage *usage_p)
{
    if (!is_ptx(image, bytes))
        return stfi_cubin_usage(image, bytes, entry, usage_p);
    *usage_p = (stfi_gpu_usage){0, 0, 0, 0, 0};
    return STF_OK;
}
