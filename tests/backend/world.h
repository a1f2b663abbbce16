/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A complex problem with its plan and a few arrays of its size, in which
 * properties of transforms are measured. All arrays are packed. */
#ifndef STFI_TESTS_BACKEND_WORLD_H
#define STFI_TESTS_BACKEND_WORLD_H

#include "support/problem/component.h"
#include "support/problem/problem.h"

enum { STFI_WORLD_VECTORS = 3 };

/* A problem, its plan, arrays of its size, and the expected result. */
typedef struct stfi_world {
    stf_device *dev;
    stf_fft_desc d; /* completed */
    stf_plan *plan;
    int64_t points; /* of one transform */
    int64_t count;  /* elements of the batch: points * batch */
    size_t bytes;   /* bytes of an array of complex elements */
    double bound;   /* error bound of one transform */
    double unit;    /* unit round-off */
    uint64_t state;
    void *v[STFI_WORLD_VECTORS]; /* [count] complex, in host memory */
    void *remote[2];             /* arrays of the same size on the device */
    long double *want;           /* [count] complex */
} stfi_world;

/* Opens a problem of F32 or F64. Returns 0 on failure; close it in any case. */
int stfi_world_open(stfi_world *w, stf_device *dev, const char *word);
void stfi_world_close(stfi_world *w);

/* Fills v[v] with N(0,1) components. */
void stfi_world_randomize(stfi_world *w, int v);

/* v[to] = transform of v[from]; v[to] is overwritten with garbage first.
 * Returns 0, with a diagnostic, on failure. */
int stfi_world_transform(stfi_world *w, stf_plan *plan, stf_direction direction,
                         int from, int to);

/* v[to] = transform of v[from], computed in `rounds` equal parts one after the
 * other; from == to: in place. Both arrays are copied back from the device. */
stf_status stfi_world_run(stfi_world *w, stf_plan *plan,
                          stf_direction direction, int from, int to,
                          int64_t rounds);

/* |v|, and |v - want| / |want| over the first `components`. */
long double stfi_world_norm(const stfi_world *w, int v);
double stfi_world_distance(const stfi_world *w, int v, int64_t components);

/* exp(2 pi i t) where t = sum over the axes of s_a k_a / n_a, each product
 * reduced in integers; s and k are given as row-major element numbers. */
void stfi_world_phase(const stfi_world *w, int64_t s, int64_t k,
                      long double *re, long double *im);

/* The number of element i after a cyclic shift by s along every axis. */
int64_t stfi_world_shift(const stfi_world *w, int64_t i, int64_t s);

static inline long double get(const stfi_world *w, int v, int64_t i)
{
    return stfi_type_read(w->d.precision, w->v[v], i);
}

static inline void set(stfi_world *w, int v, int64_t i, long double value)
{
    stfi_type_write(w->d.precision, w->v[v], i, value);
}

#endif
