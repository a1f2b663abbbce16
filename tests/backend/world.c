/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A problem for measuring properties of transforms; see world.h. */
#include "tests/backend/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/oracle/naive.h"
#include "fft/desc.h"
#include "tests/tap.h"

void stfi_world_randomize(stfi_world *w, int v)
{
    stfi_random_fill(w->d.precision, w->v[v], 2 * w->count, &w->state);
}

stf_status stfi_world_run(stfi_world *w, stf_plan *plan,
                          stf_direction direction, int from, int to,
                          int64_t rounds)
{
    char *in = w->remote[0], *out = w->remote[from != to];
    size_t step = w->bytes / (size_t)rounds;
    stf_status status = stf_upload(w->dev, in, w->v[from], w->bytes);
    int64_t i;

    if (!status && in != out)
        status = stf_upload(w->dev, out, w->v[to], w->bytes);
    for (i = 0; i < rounds && !status; i++)
        status = stf_execute(plan, direction, in + (size_t)i * step,
                             out + (size_t)i * step);
    if (!status)
        status = stf_synchronize(w->dev);
    if (!status)
        status = stf_download(w->dev, w->v[from], in, w->bytes);
    if (!status && in != out)
        status = stf_download(w->dev, w->v[to], out, w->bytes);
    return status;
}

int stfi_world_transform(stfi_world *w, stf_plan *plan, stf_direction direction,
                         int from, int to)
{
    memset(w->v[to], 0xff, w->bytes);
    if (!stfi_world_run(w, plan, direction, from, to, 1))
        return 1;
    tap_diag("%s", stf_error_message());
    return 0;
}

long double stfi_world_norm(const stfi_world *w, int v)
{
    long double sum = 0;
    int64_t i;

    for (i = 0; i < 2 * w->count; i++)
        sum += get(w, v, i) * get(w, v, i);
    return sqrtl(sum);
}

double stfi_world_distance(const stfi_world *w, int v, int64_t components)
{
    long double error = 0, whole = 0;
    int64_t i;

    for (i = 0; i < components; i++) {
        long double e = get(w, v, i) - w->want[i];
        error += e * e;
        whole += w->want[i] * w->want[i];
    }
    if (!isfinite(error))
        return INFINITY;
    return whole > 0 ? (double)sqrtl(error / whole) : error > 0 ? 1 : 0;
}

void stfi_world_phase(const stfi_world *w, int64_t s, int64_t k,
                      long double *re, long double *im)
{
    const long double turn = 2 * acosl(-1);
    long double t = 0;
    int a;

    for (a = w->d.rank - 1; a >= 0; a--) {
        uint64_t n = (uint64_t)w->d.n[a];
        uint64_t product = (uint64_t)s % n * ((uint64_t)k % n) % n;
        t += (long double)product / (long double)n;
        s /= w->d.n[a];
        k /= w->d.n[a];
    }
    t -= rintl(t);
    *re = cosl(turn * t);
    *im = sinl(turn * t);
}

int64_t stfi_world_shift(const stfi_world *w, int64_t i, int64_t s)
{
    int64_t to = 0, pitch = 1;
    int a;

    for (a = w->d.rank - 1; a >= 0; a--) {
        int64_t n = w->d.n[a];
        to += (i % n + s % n) % n * pitch;
        pitch *= n;
        i /= n;
        s /= n;
    }
    return to;
}

void stfi_world_close(stfi_world *w)
{
    int v;

    for (v = 0; v < STFI_WORLD_VECTORS; v++)
        free(w->v[v]);
    for (v = 0; v < 2; v++)
        stf_free(w->dev, w->remote[v]);
    free(w->want);
    stf_plan_destroy(w->plan);
}

int stfi_world_open(stfi_world *w, stf_device *dev, const char *word)
{
    stfi_problem p;
    int a, v, missing = 0;

    memset(w, 0, sizeof *w);
    w->dev = dev;
    w->state = tap_seed();
    if (stfi_problem_parse(word, &p))
        return 0;
    p.desc.threads = 1;
    if (stfi_desc_complete(&p.desc, &w->d)
        || stf_plan_fft(dev, &w->d, &w->plan))
        return 0;
    w->points = 1;
    for (a = 0; a < w->d.rank; a++)
        w->points *= w->d.n[a];
    w->count = w->points * w->d.batch;
    w->bytes = 2 * (size_t)w->count * stfi_type_get(w->d.precision)->bytes;
    w->bound = stfi_naive_bound(&w->d);
    w->unit = stfi_type_get(w->d.precision)->unit_roundoff;
    for (v = 0; v < STFI_WORLD_VECTORS; v++) {
        w->v[v] = aligned_alloc(64, (w->bytes + 63) / 64 * 64);
        missing = missing || !w->v[v];
    }
    for (v = 0; v < 2; v++)
        if (stf_malloc(w->dev, w->bytes, &w->remote[v]))
            return 0;
    w->want = malloc(2 * (size_t)w->count * sizeof *w->want);
    return !missing && w->want;
}
