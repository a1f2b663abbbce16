/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Parses kernels in PTX; see ptx.h. Only what the run-time compiler writes has
 * to be understood: one instruction a line, registers in numbered families. */
#include "tests/flip/gpu/ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ptx_die(const char *what, const char *which)
{
    fprintf(stderr, "%s: %s\n", what, which);
    exit(EXIT_FAILURE);
}

void *ptx_grow(void *old, int64_t count, int64_t bytes)
{
    void *mem = realloc(old, (size_t)(count * bytes));

    if (mem == NULL)
        ptx_die("no memory", "for a kernel's text");
    return mem;
}

/* --------------------------------------------------------------- registers */

enum { MAX_FAMILIES = 16, MAX_OPERANDS = 8 };

/* The registers %f0 .. %f9 of ".reg .f32 %f<10>;". */
typedef struct family {
    char name[PTX_NAME_BYTES];
    int bits, count;
    unsigned char *is_data;
} family;

typedef struct families {
    int count;
    family of[MAX_FAMILIES];
} families;

/* One instruction. Operands are cut at commas outside of brackets. */
typedef struct instruction {
    char guard[PTX_NAME_BYTES], opcode[PTX_NAME_BYTES];
    int operands;
    char operand[MAX_OPERANDS][4 * PTX_NAME_BYTES];
} instruction;

static void add_family(families *all, const char *line)
{
    family f = {.bits = 0};
    char type[PTX_NAME_BYTES];

    if (sscanf(line, " .reg .%39s %39[^<]<%d>", type, f.name, &f.count) != 3
        || all->count == MAX_FAMILIES)
        return;
    f.bits = strcmp(type, "pred") == 0 ? 1 : atoi(type + 1);
    f.is_data = ptx_grow(NULL, f.count + 1, 1);
    memset(f.is_data, type[0] == 'f', (size_t)f.count);
    all->of[all->count++] = f;
}

/* Returns the family of a register and its number in it; NULL if the name is
 * no register's. */
static family *find_family(families *all, const char *name, int *number_p)
{
    size_t length = strcspn(name, "0123456789");

    for (int i = 0; i < all->count; i++) {
        family *f = &all->of[i];

        if (strlen(f->name) == length && strncmp(f->name, name, length) == 0
            && isdigit((unsigned char)name[length])) {
            *number_p = atoi(name + length);
            return *number_p < f->count ? f : NULL;
        }
    }
    return NULL;
}

/* Gets the next register's name of an operand such as "{%f1, %f2}" or
 * "%r1|%p1", and returns the rest; NULL if there is none. */
static const char *next_register(const char *operand, char *name)
{
    size_t length;

    operand += strcspn(operand, "%");
    if (*operand == '\0')
        return NULL;
    length = 1
             + strspn(operand + 1, "abcdefghijklmnopqrstuvwxyz"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ_.$0123456789");
    snprintf(name, PTX_NAME_BYTES, "%.*s", (int)length, operand);
    return operand + length;
}

/* ------------------------------------------------------------ instructions */

static void put_operand(instruction *ins, const char *text, int length)
{
    while (length > 0 && isspace((unsigned char)*text)) {
        text++;
        length--;
    }
    if (length > 0 && ins->operands < MAX_OPERANDS)
        snprintf(ins->operand[ins->operands++], sizeof *ins->operand, "%.*s",
                 length, text);
}

/* Reads the line of an instruction. Returns 0 if it is anything else. */
static int read_instruction(const char *line, instruction *ins)
{
    const char *semicolon = strchr(line, ';'), *from;
    int depth = 0, used = 0;

    memset(ins, 0, sizeof *ins);
    line += strspn(line, " \t");
    if (semicolon == NULL || strchr(semicolon + 1, ';') != NULL)
        return 0;
    if (*line == '@' && sscanf(line, "@%39s %n", ins->guard, &used) == 1)
        line += used;
    if (!islower((unsigned char)*line)
        || sscanf(line, "%39[^ \t;]%n", ins->opcode, &used) != 1)
        return 0;
    for (from = line += used; line <= semicolon; line++) {
        depth += *line == '{' || *line == '[';
        depth -= *line == '}' || *line == ']';
        if ((*line == ',' && depth == 0) || line == semicolon) {
            put_operand(ins, from, (int)(line - from));
            from = line + 1;
        }
    }
    return 1;
}

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static int is_branch(const instruction *ins)
{
    return begins(ins->opcode, "bra") || begins(ins->opcode, "brx")
           || begins(ins->opcode, "ret") || begins(ins->opcode, "exit");
}

/* Whether the first operand is what the instruction writes. */
static int writes_first(const instruction *ins)
{
    static const char *const others[] = {
        "st.", "red.", "bar.sync", "barrier", "nanosleep", "call", "prefetch"};
    const char *first = ins->operand[0];

    if (ins->operands < 1 || is_branch(ins)
        || !(*first == '%' || begins(first, "{%")))
        return 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (begins(ins->opcode, others[i]))
            return 0;
    return 1;
}

/* ---------------------------------------------------------- data and others */

/* How many operands of an instruction hold the same number: bits that are
 * moved. */
static int same_operands(const instruction *ins)
{
    static const struct {
        const char *opcode;
        int operands;
    } moves[] = {{"mov.b", 2}, {"selp.b", 3}, {"shfl.", 2}};

    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        if (begins(ins->opcode, moves[i].opcode))
            return moves[i].operands;
    return 0;
}

/* Marks registers as data that have their bits from data, or give them to data.
 * Returns whether any is new. */
static int spread_data(families *all, const instruction *ins)
{
    int count = same_operands(ins), any = 0, changed = 0, n;

    for (int marks = 0; marks < 2; marks++)
        for (int i = 0; i < count && i < ins->operands; i++) {
            char name[PTX_NAME_BYTES];
            const char *rest = ins->operand[i];

            while ((rest = next_register(rest, name)) != NULL) {
                family *f = find_family(all, name, &n);

                if (f == NULL || f->bits == 1)
                    continue;
                changed |= marks && any && !f->is_data[n];
                if (marks && any)
                    f->is_data[n] = 1;
                any |= f->is_data[n];
            }
        }
    return changed;
}

static void find_data(families *all, const ptx_program *p)
{
    instruction ins;

    for (int changed = 1; changed;) {
        changed = 0;
        for (int i = p->begin; i < p->end; i++)
            if (read_instruction(p->line[i], &ins))
                changed |= spread_data(all, &ins);
    }
}

/* ------------------------------------------------------------------- sites */

static void add_site(ptx_program *p, families *all, const instruction *ins,
                     int line, const char *name)
{
    int number;
    const family *f = find_family(all, name, &number);
    ptx_site s = {.line = line, .place = p->places - 1, .block = p->blocks - 1};

    /* The guard would not be there any more. */
    if (f == NULL || strcmp(ins->guard + (ins->guard[0] == '!'), name) == 0)
        return;
    s.bits = f->bits;
    s.kind = f->bits == 1         ? PTX_PREDICATE
             : f->is_data[number] ? PTX_DATA
                                  : PTX_ADDRESS;
    memcpy(s.target, name, sizeof s.target);
    memcpy(s.guard, ins->guard, sizeof s.guard);
    memcpy(s.opcode, ins->opcode, sizeof s.opcode);
    if (p->sites % 1024 == 0)
        p->site = ptx_grow(p->site, p->sites + 1024, (int64_t)sizeof *p->site);
    p->site[p->sites++] = s;
}

/* Finds the sites and the basic blocks of the kernel. The lines of a call, from
 * its brace to the closing one, are left as they are. */
static void find_sites(ptx_program *p, families *all)
{
    int starts = 1, in_call = 0;
    instruction ins;

    for (int i = 0; i < p->lines; i++) {
        const char *line = p->line[i];
        const char *code = line + strspn(line, " \t");
        int is_code = i >= p->begin && i < p->end;

        p->block[i] = -1;
        ptx_note_line(p, line);
        if (!is_code)
            continue;
        if (line[0] == '$')
            starts = 1;
        if (starts && !in_call
            && (*code == '{' || islower((unsigned char)*code)
                || *code == '@')) {
            p->block[i] = p->blocks++;
            starts = 0;
        }
        in_call |= begins(code, "{ // callseq");
        in_call &= !begins(code, "} // callseq");
        if (in_call || !read_instruction(line, &ins))
            continue;
        if (writes_first(&ins)) {
            char name[PTX_NAME_BYTES];
            const char *rest = ins.operand[0];

            while ((rest = next_register(rest, name)) != NULL)
                add_site(p, all, &ins, i, name);
        }
        starts |= is_branch(&ins);
    }
}

/* ------------------------------------------------------------------- lines */

static void cut_lines(ptx_program *p)
{
    char *save = NULL;

    for (char *at = p->text; at != NULL; at = save) {
        save = strchr(at, '\n');
        if (save != NULL)
            *save++ = '\0';
        if (p->lines % 4096 == 0)
            p->line =
                ptx_grow(p->line, p->lines + 4096, (int64_t)sizeof *p->line);
        p->line[p->lines++] = at;
    }
}

/* Finds the kernel: its list of parameters, its registers and its code. */
static void find_kernel(ptx_program *p, families *all)
{
    int i = 0;

    while (i < p->lines && strstr(p->line[i], ".entry ") == NULL)
        i++;
    while (i < p->lines && p->line[i][0] != ')')
        i++;
    p->parameters = i;
    while (i < p->lines && p->line[i][0] != '{')
        i++;
    for (i++; i < p->lines; i++) {
        const char *code = p->line[i] + strspn(p->line[i], " \t");

        if (begins(code, ".reg"))
            add_family(all, code);
        else if (*code != '\0' && *code != '.' && *code != '/')
            break;
    }
    p->begin = i;
    while (i < p->lines && p->line[i][0] != '}')
        i++;
    p->end = i;
    if (i >= p->lines)
        ptx_die("a text of PTX", "there is no kernel in it");
}

void ptx_parse(const char *text, ptx_program *p_p)
{
    families all = {.count = 0};
    ptx_program p = {.text = strdup(text)};

    if (p.text == NULL)
        ptx_die("no memory", "for a kernel's text");
    cut_lines(&p);
    find_kernel(&p, &all);
    p.block = ptx_grow(NULL, p.lines, (int64_t)sizeof *p.block);
    find_data(&all, &p);
    find_sites(&p, &all);
    for (int i = 0; i < all.count; i++)
        free(all.of[i].is_data);
    *p_p = p;
}

void ptx_free(ptx_program *p)
{
    for (int i = 0; i < PTX_MAX_FILES; i++)
        free(p->file[i]);
    free(p->place);
    free(p->site);
    free(p->block);
    free(p->line);
    free(p->text);
    *p = (ptx_program){.text = NULL};
}
