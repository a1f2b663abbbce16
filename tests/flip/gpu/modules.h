/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Modules with sites for the kernels that an execution launches. */
#ifndef STFI_FLIP_MODULES_H
#define STFI_FLIP_MODULES_H

#include "tests/flip/gpu/hooks.h"

typedef struct flip_module {
    ptx_program program;
    int64_t *passed;       /* of each basic block: threads that come by in all
                              launches of an execution */
    unsigned char *chosen; /* 1 for each site that the module has */
    stfi_gpu_kernel *counting, *struck;
} flip_module;

/* Those of the kernels that flip.kernel[i].used says; the others are empty. */
extern flip_module flip_modules[FLIP_MAX_KERNELS];

/* Where texts and images are kept, so that the next process finds them. */
extern const char *flip_folder;

/* 1 if there is an assembler. */
int flip_can_assemble(void);

/* Returns the text of a kernel that was loaded, with the places in its source,
 * for malloc()'s free(). */
char *flip_ptx_of(const flip_kernel *k);

/* Assembles texts for the architectures that they are of, side by side. The
 * images are malloc()'s, or NULL where the text is. Returns 0 if the assembler
 * does not take one, of which it has said why. */
int flip_assemble(int count, char *const *text, void **image, size_t *bytes);

/* Makes the modules that count, and loads them. */
void flip_make_counting(void);

/* Chooses up to most[kind] of the sites of each kernel that threads come by,
 * and loads modules with these. */
void flip_make_struck(const int most[PTX_KINDS], uint64_t seed);

#endif
