/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The operations of passes: the rows of ops.def. Thread: any. */
#ifndef STFI_FFT_OP_H
#define STFI_FFT_OP_H

typedef enum stfi_op {
#define STFI_OP(id, ...) STFI_OP_##id,
#include "fft/ops.def"
#undef STFI_OP
} stfi_op;

typedef enum stfi_conv {
#define STFI_CONV(id, ...) STFI_CONV_##id,
#include "fft/ops.def"
#undef STFI_CONV
} stfi_conv;

/* The numbers of operations and of convolutions. */
enum {
    STFI_OPS = 0
#define STFI_OP(id, ...) +1
#include "fft/ops.def"
#undef STFI_OP
};

enum {
    STFI_CONVS = 0
#define STFI_CONV(id, ...) +1
#include "fft/ops.def"
#undef STFI_CONV
};

/* What one side of a lane consists of, for a tile of n elements. */
typedef enum stfi_lane {
    STFI_LANE_COMPLEX,    /* n complex elements */
    STFI_LANE_REALS,      /* 2n reals, form PAIRS */
    STFI_LANE_SPECTRUM,   /* n+1 elements of a real signal's spectrum */
    STFI_LANE_TWO_REALS,  /* two signals of n reals each, form PAIRS */
    STFI_LANE_TWO_SPECTRA /* n/2+1 elements of each one's spectrum */
} stfi_lane;

/* How the arithmetic of a pass is checked. */
typedef enum stfi_check_kind {
    STFI_CHECK_NONE,
    STFI_CHECK_LANE, /* each lane has a residual e^T y - r^T x */
    STFI_CHECK_TWICE /* everything is computed twice, element by element, and
                        compared */
} stfi_check_kind;

/* One row of ops.def. Its columns `make` and `put` name the functions of the
 * CPU backend's kernels that do the transform and that store a tile; those of
 * GPUs are specialisations of run<OP_id>(). Its column `enter` names the
 * function by which the check's weights enter the network of butterflies
 * (ft/weights/butterfly_network_make.c). */
typedef struct stfi_op_row {
    const char *name;  /* name in the text of a schedule: "r2c-two" */
    const char *word;  /* name in tables for readers: "convolve" */
    const char *macro; /* name in GPU kernels: "R2C_TWO" */
    stfi_lane loads, stores;
    int transforms;        /* transforms of the tile, one after the other; 0:
                              there is no tile, pairs go from memory to
                              memory */
    int real;              /* 1: a side has reals, or spectra of reals */
    int two;               /* 1: two signals in a lane */
    int loads_spectra;     /* 1: the load is of spectra, of one signal or of
                              two */
    int stores_spectra;    /* 1: the store is of spectra, of one signal or of
                              two */
    stfi_check_kind check; /* how a protected pass checks it */
    int points;            /* points of its residual, per element of the tile */
    int half;              /* 1: e covers only the first points/2+1 outputs */
    int depth;             /* stages of radix 2 in addition to the tile's
                              transform */
} stfi_op_row;

/* One row of the convolutions. */
typedef struct stfi_conv_row {
    const char *name;  /* in the text of a schedule: "rader"; "" of NONE */
    const char *macro; /* in GPU kernels: "RADER" */
} stfi_conv_row;

/* Return the row of an id. */
const stfi_op_row *stfi_op_get(stfi_op op);
const stfi_conv_row *stfi_conv_get(stfi_conv conv);

/* Return the id of a name in the text of a schedule, or -1 if there is none. */
int stfi_op_find(const char *name);
int stfi_conv_find(const char *name);

/* Return 1 if a lane's tile is transformed forth and back, and if there is no
 * tile, respectively. These are the column `transforms` as comparisons, which
 * are cheap enough for kernels of the CPU backend. */
static inline int stfi_op_is_conv(stfi_op op)
{
#define STFI_OP(id, name, word, loads, stores, transforms, ...) \
    || ((transforms) == 2 && op == STFI_OP_##id)
    return 0
#include "fft/ops.def"
        ;
#undef STFI_OP
}

static inline int stfi_op_is_pairs(stfi_op op)
{
#define STFI_OP(id, name, word, loads, stores, transforms, ...) \
    || ((transforms) == 0 && op == STFI_OP_##id)
    return 0
#include "fft/ops.def"
        ;
#undef STFI_OP
}

#endif
