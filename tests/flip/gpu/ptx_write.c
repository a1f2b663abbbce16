/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Writes kernels with sites for faults, and kernels that count; see ptx.h. The
 * names of all that is added begin with stf_. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/flip/gpu/ptx.h"

/* Offsets in ptx_strike are written as numbers below. */
_Static_assert(sizeof(ptx_strike) == 32, "size of the parameter");

/* stf_want is the site that is struck, and has that number in one thread only;
 * stf_left counts down to 0 while that thread comes by. */
static const char prologue[] =
    "\t.reg .pred %stf_hit;\n"
    "\t.reg .b16 %stf_h;\n"
    "\t.reg .b32 %stf_want, %stf_left, %stf_w;\n"
    "\t.reg .b64 %stf_d, %stf_to;\n"
    "\tmov.u32 %stf_w, %tid.x;\n"
    "\tld.param.u32 %stf_left, [stf_strike+4];\n"
    "\tsetp.eq.u32 %stf_hit, %stf_w, %stf_left;\n"
    "\tmov.u32 %stf_w, %ctaid.x;\n"
    "\tld.param.u32 %stf_left, [stf_strike+8];\n"
    "\tsetp.eq.and.u32 %stf_hit, %stf_w, %stf_left, %stf_hit;\n"
    "\tld.param.u32 %stf_want, [stf_strike];\n"
    "\tselp.b32 %stf_want, %stf_want, -1, %stf_hit;\n"
    "\tld.param.u32 %stf_left, [stf_strike+12];\n";

static const char counting_prologue[] =
    "\t.reg .b64 %stf_to;\n"
    "\tld.param.u64 %stf_to, [stf_strike+24];\n";

/* The instructions that flip bits of a register of some width. */
static const struct {
    int bits;
    const char *mask, *flip, *mask_register;
} flips[] = {
    {1, NULL, "xor.pred", "%stf_hit"},
    {16, "ld.param.u16", "xor.b16", "%stf_h"},
    {32, "ld.param.u32", "xor.b32", "%stf_w"},
    {64, "ld.param.u64", "xor.b64", "%stf_d"},
};

static void put_site(FILE *out, const ptx_site *s, int number)
{
    size_t i = 0;

    while (i < sizeof flips / sizeof *flips && flips[i].bits != s->bits)
        i++;
    if (i == sizeof flips / sizeof *flips)
        ptx_die("a register of unknown width", s->target);
    fprintf(out, "\tsetp.eq%s.s32 %%stf_hit, %%stf_want, %d%s%s;\n",
            s->guard[0] != '\0' ? ".and" : "", number,
            s->guard[0] != '\0' ? ", " : "", s->guard);
    fprintf(out, "\t@%%stf_hit add.s32 %%stf_left, %%stf_left, -1;\n"
                 "\tsetp.eq.and.s32 %%stf_hit, %%stf_left, 0, %%stf_hit;\n"
                 "\t@%%stf_hit mov.u32 %%stf_want, -1;\n");
    if (flips[i].mask != NULL)
        fprintf(out, "\t@%%stf_hit %s %s, [stf_strike+16];\n\t@%%stf_hit",
                flips[i].mask, flips[i].mask_register);
    fprintf(out, "\t%s %s, %s, %s;\n", flips[i].flip, s->target, s->target,
            flips[i].mask_register);
    fprintf(out, "\t@%%stf_hit ld.param.u64 %%stf_to, [stf_strike+24];\n"
                 "\t@%%stf_hit mov.u32 %%stf_w, 1;\n"
                 "\t@%%stf_hit st.global.u32 [%%stf_to], %%stf_w;\n");
}

/* Lines that debuggers need and the assembler does not. */
static int is_debugging(const char *line)
{
    line += strspn(line, " \t");
    return strncmp(line, ".loc", 4) == 0 || strncmp(line, "//", 2) == 0;
}

static char *rewrite(const ptx_program *p, int counts,
                     const unsigned char *chosen)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    int next = 0;

    if (out == NULL)
        ptx_die("no memory", "for a kernel's text");
    for (int i = 0; i < p->lines; i++) {
        const char *line = p->line[i];

        /* The rest is for debuggers. */
        if (strncmp(line + strspn(line, "\t"), ".file", 5) == 0
            || strncmp(line + strspn(line, "\t"), ".section", 8) == 0)
            break;
        if (i == p->parameters)
            fprintf(out, "\t, .param .align 8 .b8 stf_strike[%d]\n",
                    (int)sizeof(ptx_strike));
        if (i == p->begin)
            fputs(counts ? counting_prologue : prologue, out);
        if (counts && p->block[i] >= 0)
            fprintf(out, "\tred.global.add.u32 [%%stf_to+%d], 1;\n",
                    4 * p->block[i]);
        if (!is_debugging(line))
            fprintf(out, "%s\n", line);
        for (; next < p->sites && p->site[next].line == i; next++)
            if (!counts && (chosen == NULL || chosen[next]))
                put_site(out, &p->site[next], next);
    }
    if (fclose(out) != 0 || text == NULL)
        ptx_die("no memory", "for a kernel's text");
    return text;
}

char *ptx_with_sites(const ptx_program *p, const unsigned char *chosen)
{
    return rewrite(p, 0, chosen);
}

char *ptx_counting(const ptx_program *p)
{
    return rewrite(p, 1, NULL);
}
