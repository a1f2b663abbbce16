/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Kernels as PTX, the assembly language of NVIDIA's compilers: where a fault
 * may strike one, and the same kernel with such places built in. A program that
 * tests protection runs it in place of the kernel itself.
 *
 * A site follows an instruction of the kernel that writes a register. There,
 * bits of that register can be flipped, by one thread of one block, when it
 * comes by for the n-th time. Which, is an argument of the launch, so that all
 * trials share one module. Functions that the kernel calls have no sites. What
 * fails to be parsed ends the program with a message. */
#ifndef STFI_FLIP_PTX_H
#define STFI_FLIP_PTX_H

#include <stdint.h>

/* What a register is for. */
typedef enum ptx_kind {
    PTX_DATA,    /* floating-point numbers, also while they are moved as bits */
    PTX_ADDRESS, /* all other numbers: addresses, indices, counters */
    PTX_PREDICATE,
    PTX_KINDS
} ptx_kind;

enum { PTX_NAME_BYTES = 40 };

typedef struct ptx_site {
    ptx_kind kind;
    int line;  /* of the text, counted from 0: that of the instruction */
    int block; /* the basic block that it is in */
    int bits;  /* of the register */
    int place; /* index of the place in the kernel's source; -1: not known */
    char target[PTX_NAME_BYTES]; /* the register */
    char guard[PTX_NAME_BYTES];  /* of the instruction: "", "%p1", "!%p1" */
    char opcode[PTX_NAME_BYTES];
} ptx_site;

/* A place in the kernel's source, as .loc says it. */
typedef struct ptx_place {
    int file, row, column;
    int function; /* number of the name; -1: the kernel itself */
    int parent;   /* index of the place that it is inlined at; -1: none */
} ptx_place;

enum { PTX_MAX_FILES = 100 };

typedef struct ptx_program {
    char *text, **line; /* the lines of the text, without line ends */
    int lines;
    int parameters; /* the line that closes the list of parameters */
    int begin, end; /* first line of code in the kernel; closing brace */
    int *block;     /* of each line: the basic block that starts; -1 */
    int blocks;
    int sites, places;
    ptx_site *site;
    ptx_place *place;
    char *file[PTX_MAX_FILES]; /* names, by number */
} ptx_program;

/* The last parameter of a kernel with sites, and of one that counts. */
typedef struct ptx_strike {
    uint32_t site; /* index; PTX_NO_SITE: none */
    uint32_t thread, block;
    uint32_t occurrence; /* 1: when the thread comes by for the first time */
    uint64_t mask;       /* bits to be flipped */
    uint64_t device;     /* address in device memory. With sites: a word that
                            becomes 1 when it happens. Counting: words, one for
                            each basic block */
} ptx_strike;

#define PTX_NO_SITE UINT32_MAX

/* Parses a text with one kernel. */
void ptx_parse(const char *text, ptx_program *p_p);
void ptx_free(ptx_program *p);

/* Returns the text of the kernel with its sites, or with those that `chosen`
 * (NULL: all) has a 1 for, or the text of one that counts how many threads go
 * through each of its basic blocks. Either has the kernel's name and one more
 * parameter, a ptx_strike, after its own. */
char *ptx_with_sites(const ptx_program *p, const unsigned char *chosen);
char *ptx_counting(const ptx_program *p);

/* Writes the places of a site, the innermost first: "add complex.h:31 <
 * butterfly4 butterfly.h:70 < ...", `depth` of them at most. */
void ptx_tell_place(const ptx_program *p, const ptx_site *site, int depth,
                    char *text, int capacity);

/* Ends the program with a message. */
void ptx_die(const char *what, const char *which) __attribute__((noreturn));

/* For the source files of this interface: */

/* Memory that is never missing: realloc(), or the end of the program. */
void *ptx_grow(void *old, int64_t count, int64_t bytes);
/* Adds what a .loc or .file says; ptx_note_line() is called for each line. */
void ptx_note_line(ptx_program *p, const char *line);

#endif
