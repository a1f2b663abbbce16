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

/* How many there are. */
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

/* What one side of a lane is, of a tile of n elements. */
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
    STFI_CHECK_LANE, /* a residual e^T y - r^T x for each lane */
    STFI_CHECK_TWICE /* element by element: everything is done twice */
} stfi_check_kind;

/* One row. The columns `make`, `put` of ops.def name the functions of the CPU
 * backend's kernels that do the transform and store a tile; those of GPUs are
 * a specialisation of run<OP_id>(). `enter` names what enters the check's
 * weights into the network of butterflies (ft/weights/network_make.c). */
typedef struct stfi_op_row {
    const char *name;  /* in the text of a schedule: "r2c-two" */
    const char *word;  /* in tables for readers: "convolve" */
    const char *macro; /* in the names of GPU kernels: "R2C_TWO" */
    stfi_lane loads, stores;
    int transforms;        /* of the tile, one after the other; 0: steps from
                              memory to memory, pair by pair, without a tile */
    int real;              /* 1: reals go in, come out or are behind spectra */
    int two;               /* 1: two signals in a lane */
    int loads_spectra;     /* 1: spectra, of one signal or of two, come in, */
    int stores_spectra;    /* or go out, by a way of their own */
    stfi_check_kind check; /* how a protected pass checks it */
    int points;            /* of its residual, per element of the tile */
    int half;              /* 1: e has the first points/2+1 outputs only */
    int depth;             /* stages of radix 2 beside the tile's transform */
} stfi_op_row;

/* One row of the convolutions. */
typedef struct stfi_conv_row {
    const char *name;  /* in the text of a schedule: "rader"; "" of NONE */
    const char *macro; /* in GPU kernels: "RADER" */
} stfi_conv_row;

/* Rows by id. */
const stfi_op_row *stfi_op_get(stfi_op op);
const stfi_conv_row *stfi_conv_get(stfi_conv conv);

/* The id of a name in the text of a schedule; -1 if there is none. */
int stfi_op_find(const char *name);
int stfi_conv_find(const char *name);

/* 1 if a lane's tile is transformed forth and back, and if there is no tile:
 * the column `transforms` as comparisons, which kernels of the CPU backend can
 * afford. */
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
