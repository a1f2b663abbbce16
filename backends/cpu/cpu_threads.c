/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How many threads make an execution faster; see cpu_threads.h. What was
 * measured for it is in device/tuning.def. */
#include "backends/cpu/cpu_threads.h"

#include "backends/cpu/cpu_executable.h"
#include "backends/cpu/cpu_pass.h"
#include "device/tuning.h"

/* What the passes of an execution are, as far as threads share them. */
typedef struct extent {
    double elements; /* of all passes */
    double bytes;    /* of the longest pass over a chunk */
    int64_t tiles;   /* of the pass that has the most */
} extent;

static extent extent_of(const stfi_exec *x)
{
    const stfi_schedule *s = &x->schedule;
    const double element =
        2.0 * (double)stfi_type_arithmetic(s->precision)->bytes;
    const double rounds = (double)s->batch / (double)s->chunk;
    extent e = {.tiles = 1};

    for (int i = 0; i < x->npasses; i++) {
        const stfi_cpu_pass *cp = &x->pass[i];
        const int64_t lanes = stfi_pass_lanes(&cp->p);
        const int64_t width = cp->kernels->lanes;
        const int64_t tiles = (lanes + width - 1) / width;
        const double elements = (double)lanes * (double)cp->p.n;

        e.elements += elements * rounds;
        e.bytes = elements * element > e.bytes ? elements * element : e.bytes;
        e.tiles = tiles > e.tiles ? tiles : e.tiles;
    }
    return e;
}

/* Returns 1 if threads would spend more time on fetching from each other what
 * the pass before has stored than they save. The rates of a GPU's cache, if the
 * schedule was made for one, say nothing about this. */
static int fits_one_cache(const stfi_schedule *s, const stfi_tuning *t,
                          const extent *e, int threads)
{
    return s->slots == 1 && s->npasses > 1 && !s->caps.gpu
           && e->bytes * threads < t->team_shared * (double)s->caps.l2_bytes;
}

static int at_least_one(double threads, int most)
{
    if (threads >= most)
        return most;
    return threads > 1.0 ? (int)threads : 1;
}

int stfi_cpu_threads_of(const stfi_exec *x)
{
    const stfi_schedule *s = &x->schedule;
    const stfi_tuning *t = stfi_tuning_of(&s->caps);
    const extent e = extent_of(x);
    int most = s->slots > 1 ? s->slots : x->threads;

    if (s->slots == 1 && e.tiles < most)
        most = (int)e.tiles;
    most = at_least_one(e.elements / t->team_elements, most);
    return fits_one_cache(s, t, &e, most) ? 1 : most;
}

int stfi_cpu_threads_of_gemm(const stfi_gemm *g, int threads)
{
    /* STORING: what storing an element of C takes, in products. */
    enum { STORING = 16 };
    const double products = (double)g->batch * (double)g->m * (double)g->n
                            * ((double)g->k + STORING);

    return at_least_one(products / stfi_tuning_h200.team_products, threads);
}
