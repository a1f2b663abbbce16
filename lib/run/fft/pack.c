/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Copies between layouts and packed order; see pack.h. */
#include "run/fft/pack.h"

#include <string.h>

#include "base/team.h"
#include "fft/desc.h"

/* Bytes from which on several threads copy: for fewer, waking threads costs
 * more than it saves. */
enum { SHARED_BYTES = 1 << 20 };

/* The layout of the elements of a transform. */
typedef struct shape {
    int rank; /* axes outside of a run */
    int64_t n[STF_MAX_RANK];
    int64_t step[STF_MAX_RANK]; /* bytes */
    int64_t dist;               /* bytes */
    int64_t run;                /* bytes that are contiguous */
    int64_t packed;             /* bytes of a packed transform */
} shape;

static int64_t element_bytes(const stf_fft_desc *d, int output)
{
    const stfi_kind *kind = stfi_kind_get(d->kind);
    int real = output ? kind->real_out : kind->real_in;

    return (int64_t)stfi_type_get(d->precision)->bytes * (real ? 1 : 2);
}

size_t stfi_pack_bytes(const stf_fft_desc *d, int output)
{
    int64_t bytes = element_bytes(d, output) * d->batch;

    for (int a = 0; a < d->rank; a++)
        bytes *= stfi_desc_extent(d, a, output);
    return (size_t)bytes;
}

static shape shape_of(const stf_fft_desc *full, int output)
{
    const stf_layout *layout = output ? &full->out : &full->in;
    int64_t bytes = element_bytes(full, output);
    shape s = {.rank = full->rank,
               .dist = layout->dist * bytes,
               .run = bytes,
               .packed = bytes};

    for (int a = 0; a < full->rank; a++) {
        s.n[a] = stfi_desc_extent(full, a, output);
        s.step[a] = layout->stride[a] * bytes;
        s.packed *= s.n[a];
    }
    while (s.rank > 0 && (s.n[s.rank - 1] == 1 || s.step[s.rank - 1] == s.run))
        s.run *= s.n[--s.rank];
    return s;
}

/* Moves on to the next run; returns 0 after the last one. */
static int next_run(const shape *s, int64_t *index, int64_t *at)
{
    for (int a = s->rank - 1; a >= 0; a--) {
        *at += s->step[a];
        if (++index[a] < s->n[a])
            return 1;
        *at -= s->step[a] * s->n[a];
        index[a] = 0;
    }
    return 0;
}

static void pack_one(const shape *s, const char *from, char *to)
{
    int64_t index[STF_MAX_RANK] = {0}, at = 0;

    do {
        memcpy(to, from + at, (size_t)s->run);
        to += s->run;
    } while (next_run(s, index, &at));
}

static void unpack_one(const shape *s, const char *from, char *to)
{
    int64_t index[STF_MAX_RANK] = {0}, at = 0;

    do {
        memcpy(to + at, from, (size_t)s->run);
        from += s->run;
    } while (next_run(s, index, &at));
}

/* Transforms that are copied: `first` is the number in the array of the first
 * one in packed order. */
typedef struct copies {
    shape s;
    int64_t first;
    const char *from;
    char *to;
} copies;

static void pack_step(void *arg, int64_t t)
{
    const copies *c = arg;

    pack_one(&c->s, c->from + (c->first + t) * c->s.dist,
             c->to + t * c->s.packed);
}

static void unpack_step(void *arg, int64_t t)
{
    const copies *c = arg;

    unpack_one(&c->s, c->from + t * c->s.packed,
               c->to + (c->first + t) * c->s.dist);
}

static void copy_each(copies *c, int64_t count, int threads,
                      stfi_team_step *step)
{
    int few = count * c->s.packed <= SHARED_BYTES;

    stfi_team_each(few ? 1 : threads, count, step, c);
}

void stfi_pack(const stf_fft_desc *full, int output, int64_t first,
               int64_t count, const char *array, char *packed, int threads)
{
    copies c = {shape_of(full, output), first, array, packed};

    copy_each(&c, count, threads, pack_step);
}

void stfi_unpack(const stf_fft_desc *full, int64_t first, int64_t count,
                 const char *packed, char *out, int threads)
{
    copies c = {shape_of(full, 1), first, packed, out};

    copy_each(&c, count, threads, unpack_step);
}
