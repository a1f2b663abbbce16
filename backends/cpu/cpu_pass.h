/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the CPU backend's parts share: a pass with its tables, and the kernels
 * of one instruction set and precision (found by cpu_isa.c).
 *
 * A tile holds n elements of `lanes` lanes: element e is lanes real parts,
 * then lanes imaginary parts. Arithmetic never crosses lanes; only loads and
 * stores do. An inverse transform runs the forward arithmetic with the two
 * parts exchanged. */
#ifndef STFI_CPU_PASS_H
#define STFI_CPU_PASS_H

#include "backends/cpu/protect/cpu_check.h"

typedef struct stfi_cpu_kernels stfi_cpu_kernels;

/* A pass ready to run. Tables are in the pass's precision; complex tables are
 * (re, im) pairs. */
typedef struct stfi_cpu_pass {
    stfi_pass p;
    const stfi_cpu_kernels *kernels;
    uint32_t *pos;       /* tile place of input element e (n entries) */
    uint32_t *load_pos;  /* conv RADER: tile place of memory element e */
    uint32_t *store_pos; /* conv RADER: tile place of output element e */
    void *stage[STFI_MAX_STAGES]; /* w^(p j): [p < m][1 <= j < r] */
    void *prime[STFI_MAX_STAGES]; /* generic radix: w_r^j, j < r */
    void *guard[STFI_MAX_STAGES]; /* level THREAD: cpu_guard.h */
    int64_t fine;                 /* twiddle: w^(q e) = tw_fine[q][e % fine]
                                               * tw_coarse[q][e / fine] */
    void *tw_fine;
    void *tw_coarse;
    void *chirp; /* exp(-pi i j^2/chirp_n), j < chirp_n */
    int64_t chirp_n;
    int chirp_borrowed; /* it belongs to an earlier pass */
    int borrowed;       /* all tables belong to another pass */
    void *product;      /* CONV: transformed kernel / length */
    void *separate;     /* R2C, C2R, ...: exp(-2 pi i k/(2n)), k <= n/2 */
    void *weights;      /* checked C2R, C2R_TWO: of element k's parts */
    /* Strides in reals; *_bs: of blocks. */
    int64_t load_bs, store_bs;
    int64_t load_es, load_im, load_ls[STFI_MAX_LOOPS];
    int64_t store_es, store_im, store_ls[STFI_MAX_LOOPS];
} stfi_cpu_pass;

/* One execution of one pass over a range of lanes. */
typedef struct stfi_cpu_run {
    const void *src;
    void *dst;
    void *scratch; /* stfi_cpu_kernels.scratch_bytes() */
    int64_t batch; /* count of the batch loop */
    double scale;
    int inverse;           /* direction of the run */
    stfi_cpu_watch *watch; /* of checked passes */
} stfi_cpu_run;

struct stfi_cpu_kernels {
    const char *isa;
    stf_precision precision;
    int lanes;
    size_t (*scratch_bytes)(const stfi_cpu_pass *cp);
    /* Lanes [begin, end) of the pass, counted over its loops. */
    void (*run)(const stfi_cpu_pass *cp, const stfi_cpu_run *run, int64_t begin,
                int64_t end);
};

/* The instruction sets, in the order of preference, that are compiled in and
 * that this processor has; STEADFAST_ISA names one. NULL past the end. */
const char *stfi_cpu_isa_at(int i);

/* Vector bytes of an instruction set. */
int stfi_cpu_isa_bytes(const char *isa);

/* The kernels that suit a pass: those of `isa`, or narrower ones where rows
 * are shorter than half a vector; NULL if there are none. */
const stfi_cpu_kernels *stfi_cpu_kernels_choose(const char *isa,
                                                stf_precision precision,
                                                const stfi_pass *p);

/* The kernels; NULL if there are none for the precision. */
const stfi_cpu_kernels *stfi_cpu_kernels_find(const char *isa,
                                              stf_precision precision);

#endif
