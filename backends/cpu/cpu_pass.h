/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the CPU backend's parts share: a pass with its tables, and the kernels
 * of one instruction set and precision (found by cpu_isa.c).
 *
 * A tile holds n elements of `lanes` lanes. Element e consists of `lanes` real
 * parts, followed by `lanes` imaginary parts. Only loads and stores move data
 * across lanes, arithmetic never does. An inverse transform runs the forward
 * arithmetic with the two parts exchanged. */
#ifndef STFI_CPU_PASS_H
#define STFI_CPU_PASS_H

#include "backends/cpu/protect/cpu_check.h"

typedef struct stfi_cpu_kernels stfi_cpu_kernels;
struct stfi_cpu_compact;

/* A pass ready to run. Tables are in the pass's precision; complex tables are
 * (re, im) pairs. */
typedef struct stfi_cpu_pass {
    stfi_pass p;
    const stfi_cpu_kernels *kernels;
    /* What computes the rows of a checked pass, or NULL: compact/. */
    const struct stfi_cpu_compact *compact;
    uint32_t *pos;       /* place in the tile of input element e, n entries */
    uint32_t *load_pos;  /* RADER: place in the tile of input element e */
    uint32_t *store_pos; /* RADER: place in the tile of output element e */
    void *stage[STFI_MAX_STAGES]; /* w^(p j): [p < m][1 <= j < r] */
    void *prime[STFI_MAX_STAGES]; /* generic radix: w_r^j, j < r */
    void *guard[STFI_MAX_STAGES]; /* weights of level THREAD: cpu_guard.h */
    int64_t fine;                 /* twiddle: w^(q e) = tw_fine[q][e % fine]
                                               * tw_coarse[q][e / fine] */
    void *tw_fine;
    void *tw_coarse;
    void *chirp; /* exp(-pi i j^2/chirp_n), j < chirp_n */
    int64_t chirp_n;
    int chirp_borrowed;  /* the chirp belongs to an earlier pass */
    int borrowed;        /* all tables belong to another executable's pass */
    void *product;       /* CONV: spectrum of the kernel, divided by length */
    void *separate;      /* R2C, C2R, ...: exp(-2 pi i k/(2n)), k <= n/2 */
    void *turn;          /* roots of the turn of a side with an order */
    int straight;        /* 1: real to real in one tile: fft/cpu_maps.h */
    uint32_t *load_map;  /* straight: places in the tile of reals in memory; */
    uint32_t *store_map; /* NULL: the side has no order */
    void *weights; /* checked C2R, C2R_TWO: weights of element k's parts */
    /* Checked and straight (protect/cpu_places.h): weights of the reals at their
     * places, two for each of rest_count results from rest_first on that are not
     * stored, or only one part of them. */
    void *load_weights, *store_weights, *rest;
    int64_t rest_first, rest_count;
    stf_precision load_format, store_format; /* what memory holds there */
    /* 1: what the load (0) reads, or the store (1) writes, is what the pass
     * before stored, or the next one loads: protect/cpu_signature.h. */
    int carries[2];
    int64_t
        far; /* bytes from which on checked rows are prefetched: cpu_caps.h */
    /* Strides in reals: *_bs between blocks, *_es between elements, *_im from
     * the real to the imaginary part, *_ls of the loops. */
    int64_t load_bs, store_bs;
    int64_t load_es, load_im, load_ls[STFI_MAX_LOOPS];
    int64_t store_es, store_im, store_ls[STFI_MAX_LOOPS];
} stfi_cpu_pass;

/* One execution of one pass over a range of lanes. */
typedef struct stfi_cpu_run {
    const void *src;
    void *dst;
    void *scratch; /* memory of stfi_cpu_kernels.scratch_bytes() */
    int64_t batch; /* transforms, the count of the batch loop */
    double scale;
    int inverse;           /* direction of the run */
    stfi_cpu_watch *watch; /* faults, and the counters of checked passes */
} stfi_cpu_run;

struct stfi_cpu_kernels {
    const char *isa;
    int lanes;
    size_t (*scratch_bytes)(const stfi_cpu_pass *cp);
    /* Computes lanes [begin, end) of the pass, counted over its loops. */
    void (*run)(const stfi_cpu_pass *cp, const stfi_cpu_run *run, int64_t begin,
                int64_t end);
};

/* The name of instruction set i, in the order of preference, of those that are
 * compiled in and that this processor has. NULL past the end. STEADFAST_ISA
 * chooses one of these names. */
const char *stfi_cpu_isa_at(int i);

/* Bytes of a vector of an instruction set; 0 if it is not compiled in. */
int stfi_cpu_isa_bytes(const char *isa);

/* The kernels that suit a pass: those of `isa`, or narrower ones if rows are
 * shorter than half a vector. NULL if there are none for the precision. */
const stfi_cpu_kernels *stfi_cpu_kernels_choose(const char *isa,
                                                stf_precision precision,
                                                const stfi_pass *p);

/* The kernels of an instruction set; NULL if there are none for the
 * precision. */
const stfi_cpu_kernels *stfi_cpu_kernels_find(const char *isa,
                                              stf_precision precision);

#endif
