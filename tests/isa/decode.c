/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Makes a program of the text that llvm-objdump writes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "tests/isa/isa.h"

enum { NAME_BYTES = 48, TOKEN_BYTES = 48 };

/* ---------------------------------------------------------------- operands */

static const struct {
    const char *name;
    isa_kind kind;
    int reg, count;
} names[] = {
    {"vcc", ISA_SCALAR, ISA_VCC, 2},
    {"vcc_lo", ISA_SCALAR, ISA_VCC, 1},
    {"vcc_hi", ISA_SCALAR, ISA_VCC + 1, 1},
    {"exec", ISA_SCALAR, ISA_EXEC, 2},
    {"exec_lo", ISA_SCALAR, ISA_EXEC, 1},
    {"exec_hi", ISA_SCALAR, ISA_EXEC + 1, 1},
    {"m0", ISA_SCALAR, ISA_M0, 1},
    {"flat_scratch", ISA_SCALAR, 102, 2},
    {"flat_scratch_lo", ISA_SCALAR, 102, 1},
    {"flat_scratch_hi", ISA_SCALAR, 103, 1},
    {"scc", ISA_SCC, 0, 1},
    {"src_scc", ISA_SCC, 0, 1},
    {"off", ISA_OFF, 0, 0},
    {"src_shared_base", ISA_SHARED_BASE, 0, 2},
    {"src_private_base", ISA_PRIVATE_BASE, 0, 2},
};

/* Reads "v7", "a7", "s[4:7]"; 0 if the text is no register. */
static int read_register(const char *text, isa_operand *o)
{
    int first, last, end = 0;

    if (text[0] != 'v' && text[0] != 'a' && text[0] != 's')
        return 0;
    if (sscanf(text + 1, "[%d:%d]%n", &first, &last, &end) < 2 || end == 0) {
        if (sscanf(text + 1, "%d%n", &first, &end) < 1)
            return 0;
        last = first;
    }
    o->kind = text[0] == 's' ? ISA_SCALAR : ISA_VECTOR;
    o->reg = text[0] == 'a' ? ISA_NAMED + first : first;
    o->count = last - first + 1;
    return text[1 + end] == '\0' && first >= 0 && o->count > 0
           && last < (text[0] == 's' ? ISA_SCALARS : ISA_NAMED);
}

static int read_constant(const char *text, isa_operand *o)
{
    char *end;

    if (strchr(text, '.') != NULL && strncmp(text, "0x", 2) != 0) {
        o->kind = ISA_REAL;
        o->real = strtod(text, &end);
        return *end == '\0';
    }
    o->kind = strstr(text, "0x") != NULL ? ISA_LITERAL : ISA_INTEGER;
    o->bits = (uint32_t)strtoll(text, &end, 0);
    return end != text && *end == '\0';
}

/* Reads an operand with its modifiers "-", "|...|" and "sext(...)". */
static int read_operand(const char *text, isa_operand *o)
{
    char inner[TOKEN_BYTES];
    size_t length;

    *o = (isa_operand){.kind = ISA_NONE};
    if (text[0] == '-' && strchr("vs|", text[1]) != NULL && text[1] != '\0') {
        o->neg = 1;
        text++;
    }
    snprintf(inner, sizeof inner, "%s", text);
    length = strlen(inner);
    if (length > 2 && inner[0] == '|' && inner[length - 1] == '|') {
        o->abs = 1;
        inner[length - 1] = '\0';
        memmove(inner, inner + 1, length - 1);
    } else if (strncmp(inner, "sext(", 5) == 0 && inner[length - 1] == ')') {
        o->sext = 1;
        inner[length - 1] = '\0';
        memmove(inner, inner + 5, length - 5);
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(names[k].name, inner) == 0) {
            o->kind = names[k].kind;
            o->reg = names[k].reg;
            o->count = names[k].count;
            return 1;
        }
    return read_register(inner, o) || read_constant(inner, o);
}

/* --------------------------------------------------------------- modifiers */

/* Which modifiers an instruction may have. */
enum { OF_ACCESS = 1, OF_PACKED = 2, OF_PARTS = 4 };

static int read_list(const char *text, unsigned char list[3])
{
    int a, b, c = 0, n = sscanf(text, "[%d,%d,%d]", &a, &b, &c);

    if (n < 2)
        return 0;
    list[0] = (unsigned char)a;
    list[1] = (unsigned char)b;
    list[2] = (unsigned char)c;
    return 1;
}

static int read_part(const char *text, isa_part *part)
{
    static const char *const parts[] = {"DWORD",  "BYTE_0", "BYTE_1", "BYTE_2",
                                        "BYTE_3", "WORD_0", "WORD_1"};

    for (int k = 0; k < 7; k++)
        if (strcmp(text, parts[k]) == 0) {
            *part = (isa_part)k;
            return 1;
        }
    return 0;
}

/* 1 if `text` begins with `name`, with the rest in *value_p. */
static int is_named(const char *text, const char *name, const char **value_p)
{
    size_t length = strlen(name);

    *value_p = text + length;
    return strncmp(text, name, length) == 0;
}

static int read_access_modifier(const char *text, isa_instr *i)
{
    const char *value;

    if (is_named(text, "offset:", &value) || is_named(text, "offset0:", &value))
        i->offset = strtoll(value, NULL, 0);
    else if (is_named(text, "offset1:", &value))
        i->offset1 = strtoll(value, NULL, 0);
    else if (strcmp(text, "offen") == 0)
        i->offen = 1;
    else if (strcmp(text, "glc") == 0 || strcmp(text, "sc0") == 0)
        i->returns = strstr(i->text, "_atomic_") != NULL;
    else
        return !strcmp(text, "slc") || !strcmp(text, "nt")
               || !strcmp(text, "sc1");
    return 1;
}

static int read_modifier(const char *text, int allowed, isa_instr *i)
{
    const char *value;

    if (allowed == OF_ACCESS)
        return read_access_modifier(text, i);
    if (allowed == OF_PACKED)
        return is_named(text, "op_sel:", &value) ? read_list(value, i->op_sel)
               : is_named(text, "op_sel_hi:", &value)
                   ? read_list(value, i->op_sel_hi)
               : is_named(text, "neg_lo:", &value) ? read_list(value, i->neg_lo)
               : is_named(text, "neg_hi:", &value) ? read_list(value, i->neg_hi)
                                                   : 0;
    if (allowed != OF_PARTS)
        return 0;
    if (is_named(text, "dst_sel:", &value))
        return read_part(value, &i->dst_part);
    if (is_named(text, "src0_sel:", &value))
        return read_part(value, &i->op[1].part);
    if (is_named(text, "src1_sel:", &value))
        return read_part(value, &i->op[2].part);
    i->preserve = strcmp(text, "dst_unused:UNUSED_PRESERVE") == 0;
    return i->preserve || strcmp(text, "dst_unused:UNUSED_PAD") == 0;
}

/* ------------------------------------------------------------------- lines */

/* Cuts the next operand or modifier off; operands end at commas outside of
 * brackets, modifiers at blanks. */
static const char *next_token(const char *at, char token[TOKEN_BYTES],
                              int *comma_p)
{
    int depth = 0, length = 0;

    while (*at == ' ')
        at++;
    for (; *at != '\0' && (depth > 0 || (*at != ',' && *at != ' ')); at++) {
        depth += (*at == '[') - (*at == ']');
        if (length < TOKEN_BYTES - 1)
            token[length++] = *at;
    }
    token[length] = '\0';
    *comma_p = *at == ',';
    return *comma_p ? at + 1 : at;
}

/* Removes the end of a name that says how the instruction is encoded; returns
 * which modifiers it may have, -1 if the encoding is not known. */
static int encoding(char *name)
{
    size_t length = strlen(name);
    char *end = length > 5 ? name + length - 5 : name;

    if (length > 4
        && (strcmp(name + length - 4, "_e32") == 0
            || strcmp(name + length - 4, "_e64") == 0)) {
        name[length - 4] = '\0';
        return 0;
    }
    if (strcmp(end, "_sdwa") == 0) {
        *end = '\0';
        return OF_PARTS;
    }
    if (length > 4 && strcmp(name + length - 4, "_dpp") == 0)
        return -1;
    if (strncmp(name, "v_pk_", 5) == 0)
        return OF_PACKED;
    return name[0] == 'v'
                   || (name[0] == 's' && strncmp(name, "s_load", 6) != 0
                       && strncmp(name, "scratch", 7) != 0)
               ? 0
               : OF_ACCESS;
}

/* 1 for instructions whose operands say nothing here. */
static int is_idle(const char *name)
{
    return !strcmp(name, "s_waitcnt") || !strcmp(name, "s_nop")
           || !strcmp(name, "s_sleep") || !strcmp(name, "s_setprio")
           || !strncmp(name, "buffer_wb", 9)
           || !strncmp(name, "buffer_inv", 10);
}

/* Reads the operands, then the modifiers; 0 if one is not known. */
static int read_operands(const char *rest, int allowed, isa_instr *i)
{
    char token[TOKEN_BYTES];
    int comma = 1;

    while (*rest != '\0') {
        int expected = comma;
        rest = next_token(rest, token, &comma);
        if (token[0] == '\0')
            return 0;
        if (expected) {
            if (i->operands == ISA_OPERANDS
                || !read_operand(token, &i->op[i->operands]))
                return 0;
            i->operands++;
        } else if (!read_modifier(token, allowed, i)) {
            return 0;
        }
        while (*rest == ' ')
            rest++;
    }
    return 1;
}

static int find(const char *name, isa_instr *i)
{
    return name[0] == 'v'
               ? isa_find_vector(name, i) || isa_find_special(name, i)
               : isa_find_scalar(name, i) || isa_find_access(name, i);
}

/* Reads one instruction without its address; 0 if it is not known. */
static int read_instruction(const char *text, isa_instr *i)
{
    char name[NAME_BYTES];
    int length = 0, allowed;

    snprintf(i->text, sizeof i->text, "%.100s", text);
    memset(i->op_sel_hi, 1, sizeof i->op_sel_hi);
    while (text[length] != '\0' && text[length] != ' '
           && length < NAME_BYTES - 1)
        length++;
    snprintf(name, sizeof name, "%.*s", length, text);
    allowed = encoding(name);
    if (allowed < 0)
        return 0;
    if (!is_idle(name) && !read_operands(text + length, allowed, i))
        return 0;
    return find(name, i);
}

/* The address, the size and a branch's target, which follow "//". */
static int read_place(const char *text, isa_instr *i)
{
    unsigned long address;
    unsigned first, word;
    int at = 0, words = 0, n;

    if (sscanf(text, "%lx:%n", &address, &at) < 1 || at == 0)
        return 0;
    while (sscanf(text + at, " %8x%n", &word, &n) == 1) {
        first = words == 0 ? word : first;
        words++;
        at += n;
    }
    i->address = (uint32_t)address;
    i->bytes = 4 * (uint32_t)words;
    if (words > 0)
        i->target =
            i->address + 4 + 4 * (uint32_t)(int32_t)(int16_t)(first & 0xffff);
    return words > 0;
}

/* Cuts a line into the instruction and its place; 0 if it has none. */
static char *cut(char *line)
{
    char *place = strstr(line, "//"), *end = place;

    if (place == NULL || line[0] != '\t')
        return NULL;
    while (end > line && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return place + 2;
}

/* -------------------------------------------------------------- the program */

static stf_status add_line(char *line, isa_program *p, int *room_p)
{
    char *place = cut(line);
    isa_instr *i;

    if (place == NULL)
        return STF_OK;
    if (p->count == *room_p) {
        *room_p = 2 * *room_p + 1000;
        i = realloc(p->instr, (size_t)*room_p * sizeof *i);
        if (i == NULL)
            return stfi_error(STF_ERR_MEMORY, "no memory for a program");
        p->instr = i;
    }
    i = &p->instr[p->count++];
    memset(i, 0, sizeof *i);
    if (!read_instruction(line + 1, i) || !read_place(place, i))
        return stfi_error(STF_ERR_DEVICE, "not a known instruction: %s",
                          line + 1);
    return STF_OK;
}

static stf_status make_index(isa_program *p)
{
    const isa_instr *last = &p->instr[p->count - 1];

    p->first = p->instr[0].address;
    p->words = (last->address + last->bytes - p->first) / 4;
    p->index = malloc(p->words * sizeof *p->index);
    if (p->index == NULL)
        return stfi_error(STF_ERR_MEMORY, "no memory for a program");
    memset(p->index, 0xff, p->words * sizeof *p->index);
    for (int k = 0; k < p->count; k++)
        p->index[(p->instr[k].address - p->first) / 4] = k;
    return STF_OK;
}

stf_status isa_decode(const char *text, isa_program *p)
{
    char line[512];
    stf_status status = STF_OK;
    int room = 0;

    memset(p, 0, sizeof *p);
    while (*text != '\0' && status == STF_OK) {
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        status = add_line(line, p, &room);
        text += length + (text[length] == '\n');
    }
    if (status == STF_OK && p->count == 0)
        status = stfi_error(STF_ERR_DEVICE, "the disassembly is empty");
    return status == STF_OK ? make_index(p) : status;
}

void isa_program_free(isa_program *p)
{
    free(p->instr);
    free(p->index);
    memset(p, 0, sizeof *p);
}
