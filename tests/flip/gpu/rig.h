/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A problem whose executions are struck: data, plan, arrays, and the verdict on
 * an output. Thread: one. */
#ifndef STFI_FLIP_RIG_H
#define STFI_FLIP_RIG_H

#include <stdint.h>

#include "tests/flip/gpu/product.h"

/* What became of a fault. */
typedef enum flip_class {
    FLIP_EXACT,     /* the clean output, nothing reported */
    FLIP_BENIGN,    /* good, nothing reported */
    FLIP_CORRECTED, /* CORRECT: a detection reported, output good */
    FLIP_DETECTED,  /* bad, and reported as such */
    FLIP_SDC,       /* bad, nothing reported */
    FLIP_CLAIMED,   /* CORRECT: bad, but reported as repaired */
    FLIP_CRASH,     /* the device refuses to go on */
    FLIP_HANG,
    FLIP_FALSE, /* good, but reported, and not as repaired */
    FLIP_CLASSES
} flip_class;

extern const char *const flip_class_name[FLIP_CLASSES];

typedef struct flip_rig {
    stf_fft_desc desc; /* of a transform, */
    int in_place;      /* whose output takes the place of the input, or not */
    flip_product product; /* desc.m is 0 for transforms */
    stf_ft_mode mode;
    stf_precision precision; /* of the output */
    size_t in_bytes, out_bytes;
    /* Transforms, or columns of a product, which are judged one by one. */
    int64_t signals;
    int64_t out_reals; /* of one signal */
    /* On the host; `other` is an input of other data, `clean` the output of the
     * kernels themselves. */
    char *input, *other, *output, *clean;
    long double *oracle;
    double *clean_error; /* of each signal */
    stf_device *dev;
    stf_plan *plan;
    void *in, *in_other, *out; /* on the device */
    uint32_t *words;           /* likewise, for faults and counts */
    stf_ft_report report;      /* of the last execution */
    stf_status status;
} flip_rig;

enum { FLIP_WORDS = 4096 };

/* Reads a mode: "off", "detect", "correct", or one of these with "+e2e"; for
 * products also "correct+warp" and "correct+thread", levels, and
 * "correct+two-sided". Errors: ARGUMENT. */
stf_status flip_rig_read_mode(const char *mode, stf_ft_desc *ft);

/* Makes data and oracle of a problem ("r2c:f32:out:4096*32",
 * "gemm:f32:nn:256x192x128") in a mode, without the device. Errors: ARGUMENT,
 * MEMORY. */
stf_status flip_rig_make(const char *problem, const char *mode, uint64_t seed,
                         flip_rig *rig_p);

/* Opens the device, plans, and executes once. Errors: those of the library. */
stf_status flip_rig_open(flip_rig *rig, const char *device);

/* Executes with the input, or with other data, which needs no waiting. */
stf_status flip_rig_run(flip_rig *rig);
stf_status flip_rig_run_other(flip_rig *rig);

/* Gets output and report of the last execution, and the first word. */
stf_status flip_rig_fetch(flip_rig *rig, uint32_t *word_p);

/* Sets the words to 0, or gets `count` of them. */
stf_status flip_rig_clear_words(flip_rig *rig);
stf_status flip_rig_get_words(flip_rig *rig, int count, uint32_t *words);

/* Judges what was fetched: `clean` is the output without a fault. *ratio_p: the
 * largest error of a signal, relative to the clean one. */
flip_class flip_rig_judge(const flip_rig *rig, const char *clean,
                          double *ratio_p);

#endif
