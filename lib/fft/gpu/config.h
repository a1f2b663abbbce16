/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The configuration of a GPU's kernel: everything that shapes its code and its
 * launch, except for pointers, strides and what each execution decides. The
 * rows of config.def are its members. Pure functions. Thread: any. */
#ifndef STFI_GPU_CONFIG_H
#define STFI_GPU_CONFIG_H

#include "fft/schedule.h"

/* Where the twiddles between passes apply. */
typedef enum stfi_twiddle_side {
    STFI_TWIDDLE_NONE,
    STFI_TWIDDLE_LOAD,
    STFI_TWIDDLE_STORE
} stfi_twiddle_side;

/* Kinds of values. Named values have words of their own in texts and in the
 * kernels' sources; numbers are decimal. */
typedef enum stfi_config_kind {
    STFI_CONFIG_FLAG,    /* 0 or 1 */
    STFI_CONFIG_COUNT,   /* at least 1 */
    STFI_CONFIG_NUMBER,  /* at least 0 */
    STFI_CONFIG_BYTES,   /* the same, below 2^32 */
    STFI_CONFIG_RADICES, /* "16x8x8" */
    STFI_CONFIG_TYPE,    /* from here on values have names; a stf_precision */
    STFI_CONFIG_OP,
    STFI_CONFIG_CONV,
    STFI_CONFIG_FORM,
    STFI_CONFIG_TWIDDLE,
    STFI_CONFIG_ORDER,
    STFI_CONFIG_TURN
} stfi_config_kind;

typedef enum stfi_config_part {
    STFI_CONFIG_PASS = 1,
    STFI_CONFIG_CHECK = 2,
    STFI_CONFIG_BLOCK = 4,
    STFI_CONFIG_ALL = 7
} stfi_config_part;

typedef struct stfi_radices {
    int count;
    int radix[STFI_MAX_STAGES];
} stfi_radices;

/* C types of the members, by kind. */
typedef int stfi_config_FLAG, stfi_config_TYPE, stfi_config_OP,
    stfi_config_CONV, stfi_config_FORM, stfi_config_TWIDDLE, stfi_config_ORDER,
    stfi_config_TURN;
typedef int64_t stfi_config_COUNT, stfi_config_NUMBER, stfi_config_BYTES;
typedef stfi_radices stfi_config_RADICES;

typedef struct stfi_gpu_config {
#define STFI_CONFIG(part, kind, name, macro, otherwise, meaning) \
    stfi_config_##kind name;
#include "fft/gpu/config.def"
#undef STFI_CONFIG
} stfi_gpu_config;

/* Returns 1 if GPUs have the precision, which all but F80 are. */
static inline int stfi_gpu_config_has(stf_precision precision)
{
    return precision <= STF_F64;
}

/* Chooses the configuration of the kernel for a pass of a schedule that was
 * planned for `caps`. Errors: UNSUPPORTED (precision), INTERNAL. */
stf_status stfi_gpu_config_choose(const stfi_pass *p, stf_precision precision,
                                  const stfi_caps *caps,
                                  stfi_gpu_config *config_p);

/* Returns 1 if the kernel of a pass, with its check, fits a block: then
 * stfi_gpu_config_choose() finds a configuration. Of the check, the form of its
 * vectors (period, real_row) may not be known yet. The precision must be one of
 * GPUs. */
int stfi_gpu_config_fits(const stfi_pass *p, stf_precision precision,
                         const stfi_caps *caps);

/* Returns 1 if the vectors of a check may lie in the order in which threads read them:
 * persistent blocks and transforms of reals have them in the order of elements. */
static inline int stfi_gpu_may_order(const stfi_gpu_config *c)
{
    return c->real_row && !c->persistent && !stfi_op_get((stfi_op)c->op)->real;
}

/* A row of config.def. */
typedef struct stfi_config_row {
    stfi_config_part part;
    stfi_config_kind kind;
    const char *name;
    const char *macro; /* macro without STFK_; "": none */
    const char *meaning;
    size_t offset; /* offset of the member */
    int64_t (*otherwise)(const stfi_gpu_config *);
} stfi_config_row;

/* Returns the i-th row, or NULL past the end. */
const stfi_config_row *stfi_gpu_config_row(int i);

/* Returns the value of a row; for radices their number. */
int64_t stfi_gpu_config_get(const stfi_gpu_config *c,
                            const stfi_config_row *row);

/* Returns the word of a named value in the kernels' sources, or NULL for other
 * kinds and values. */
const char *stfi_gpu_config_word(stfi_config_kind kind, int64_t value);

/* Returns the name of a precision in the kernels' sources, which for halves is
 * that of a class (kernels/common/half.h). */
const char *stfi_gpu_type_word(stf_precision precision);

/* Writes "name=value name=value ..." like snprintf: those rows of the given
 * parts whose value differs from their column `otherwise`. */
size_t stfi_gpu_config_print(const stfi_gpu_config *c, unsigned parts,
                             char *text, size_t capacity);

/* Reads such a text of the given parts into *config_p, whose other parts do not
 * change. Errors: ARGUMENT (a name that is unknown, of another part or
 * repeated, or a bad value); then *config_p does not change. */
stf_status stfi_gpu_config_parse(const char *text, unsigned parts,
                                 stfi_gpu_config *config_p);

/* Returns the bytes of a real of the configuration. */
static inline int64_t stfi_gpu_config_real(const stfi_gpu_config *c)
{
    return (int64_t)stfi_type_get((stf_precision)c->real)->bytes;
}

#endif
