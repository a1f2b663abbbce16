/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Where in a kernel's source an instruction comes from: .loc, .file and the
 * names of functions in the debugging section; see ptx.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/flip/gpu/ptx.h"

enum { NAME_BYTES = 2048 };

/* Finds the newest place with these numbers; -1: there is none. */
static int find_place(const ptx_program *p, int file, int row, int column)
{
    for (int i = p->places - 1; i >= 0; i--) {
        const ptx_place *at = &p->place[i];

        if (at->file == file && at->row == row && at->column == column)
            return i;
    }
    return -1;
}

static void note_loc(ptx_program *p, const char *line)
{
    const char *name = strstr(line, "function_name $L__info_string");
    const char *inlined = strstr(line, "inlined_at ");
    ptx_place at = {.function = -1, .parent = -1};
    int file, row, column;

    if (sscanf(line, " .loc %d %d %d", &at.file, &at.row, &at.column) != 3)
        return;
    if (name != NULL)
        sscanf(name, "function_name $L__info_string%d", &at.function);
    if (inlined != NULL
        && sscanf(inlined, "inlined_at %d %d %d", &file, &row, &column) == 3)
        at.parent = find_place(p, file, row, column);
    if (p->places % 1024 == 0)
        p->place =
            ptx_grow(p->place, p->places + 1024, (int64_t)sizeof *p->place);
    p->place[p->places++] = at;
}

/* Keeps a file's name without the folders that the compiler was run in. */
static void note_file(ptx_program *p, const char *line)
{
    const char *name = strchr(line, '"'), *last;
    int number;

    if (name == NULL || sscanf(line, " .file %d", &number) != 1 || number < 0
        || number >= PTX_MAX_FILES)
        return;
    last = strrchr(++name, '/');
    free(p->file[number]);
    p->file[number] = strdup(last != NULL ? last + 1 : name);
    if (p->file[number] != NULL)
        p->file[number][strcspn(p->file[number], "\"")] = '\0';
}

void ptx_note_line(ptx_program *p, const char *line)
{
    line += strspn(line, " \t");
    if (strncmp(line, ".loc", 4) == 0)
        note_loc(p, line);
    else if (strncmp(line, ".file", 5) == 0)
        note_file(p, line);
}

/* ------------------------------------------------------------------- names */

/* Reads the mangled name of a number, which is written as bytes. */
static void read_name(const ptx_program *p, int number, char *name)
{
    char label[64];
    int i = p->end, length = 0;

    snprintf(label, sizeof label, "$L__info_string%d:", number);
    while (i < p->lines && strcmp(p->line[i], label) != 0)
        i++;
    for (i++; i < p->lines && strncmp(p->line[i], ".b8 ", 4) == 0; i++) {
        const char *at = p->line[i] + 4;
        char *next;

        for (; length < NAME_BYTES - 1; at = next + 1) {
            name[length++] = (char)strtol(at, &next, 10);
            if (*next != ',')
                break;
        }
    }
    name[length] = '\0';
}

/* Takes the function's own name out of a mangled one: the last of the names
 * that follow each other before the first argument, "fft" of
 * _ZN4stfk9transform3fftEv. */
static void own_name(const char *mangled, char *name, int capacity)
{
    const char *at = strstr(mangled, "_ZN");

    snprintf(name, (size_t)capacity, "?");
    if (strncmp(mangled, "_ZZN", 4) == 0)
        snprintf(name, (size_t)capacity, "lambda");
    if (at == NULL)
        return;
    for (at += 3; *at != '\0'; at++) {
        int length = 0, depth = 0;

        while (*at == 'K' || *at == 'L')
            at++;
        if (*at == 'I') { /* arguments of a template, up to their E */
            for (; *at != '\0'; at++) {
                if (isdigit((unsigned char)*at)) {
                    char *next;
                    long skip = strtol(at, &next, 10);
                    size_t left = strlen(next);

                    /* A number may also be that of a constant. */
                    at = (size_t)skip < left && isalpha((unsigned char)*next)
                                 && *next != 'E'
                             ? next + skip - 1
                             : next - 1;
                } else if (strchr("INXLJ", *at) != NULL) {
                    depth++;
                } else if (*at == 'E' && --depth == 0) {
                    break;
                }
            }
            continue;
        }
        if (!isdigit((unsigned char)*at))
            return;
        length = atoi(at);
        at += strspn(at, "0123456789");
        if ((size_t)length > strlen(at))
            return;
        if (strncmp(at, "_INTERNAL", 9) != 0)
            snprintf(name, (size_t)capacity, "%.*s", length, at);
        at += length - 1;
    }
}

static void tell_one(const ptx_program *p, const ptx_place *at, char *text,
                     size_t capacity)
{
    const char *file =
        at->file >= 0 && at->file < PTX_MAX_FILES && p->file[at->file] != NULL
            ? p->file[at->file]
            : "?";
    char mangled[NAME_BYTES], name[64] = "entry";

    if (at->function >= 0) {
        read_name(p, at->function, mangled);
        own_name(mangled, name, sizeof name);
        if (strcmp(name, "stfk") == 0)
            snprintf(name, sizeof name, "operator");
    }
    snprintf(text, capacity, "%s %s:%d", name, file, at->row);
}

void ptx_tell_place(const ptx_program *p, const ptx_site *site, int depth,
                    char *text, int capacity)
{
    int used = 0;

    text[0] = '\0';
    for (int i = site->place; i >= 0 && depth-- > 0; i = p->place[i].parent) {
        char one[160];

        tell_one(p, &p->place[i], one, sizeof one);
        if (used < capacity)
            used += snprintf(text + used, (size_t)(capacity - used), "%s%s",
                             used > 0 ? " < " : "", one);
    }
}
