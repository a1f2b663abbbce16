/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Random problems; see random_problem.h. */
#include "tests/unit/random_problem.h"

#include <inttypes.h>

#include "base/text.h"
#include "fft/desc.h"
#include "math/numth.h"

static int below(uint64_t *state, int n)
{
    return (int)(stfi_random_u64(state) % (uint64_t)n);
}

/* ----------------------------------------------------------------- lengths */

static int64_t any_length(uint64_t *state, int64_t most)
{
    return 1 + (int64_t)(stfi_random_u64(state) % (uint64_t)most);
}

static int64_t power_length(uint64_t *state, int64_t most)
{
    (void)state;
    return most;
}

static int64_t smooth_length(uint64_t *state, int64_t most)
{
    static const int primes[] = {2, 3, 5, 7, 11, 13};
    int64_t n = 1, next;

    while ((next = n * primes[below(state, 6)]) <= most)
        n = next;
    return n;
}

static int64_t prime_length(uint64_t *state, int64_t most)
{
    int64_t n = any_length(state, most);

    while (n > 1 && !stfi_is_prime((uint64_t)n))
        n--;
    return n;
}

/* Two primes, or a power of two and its neighbours. */
static int64_t odd_length(uint64_t *state, int64_t most)
{
    int64_t half = 1;

    while (half * half < most / 2)
        half *= 2;
    if (below(state, 2))
        return most > 2 ? most - 1 : 1;
    return prime_length(state, half) * prime_length(state, half);
}

static int64_t draw_length(uint64_t *state, int bits)
{
    static int64_t (*const ways[])(uint64_t *, int64_t) = {
        any_length, power_length, smooth_length, prime_length, odd_length};

    return ways[below(state, 5)](state, (int64_t)1 << bits);
}

/* Shares the bits among the lengths and the batch. */
static void draw_sizes(uint64_t *state, random_problem *p)
{
    static const int most_bits[] = {12, 22, 22, 22, 34, 34, 53};
    stf_fft_desc *d = &p->d;
    int left;

    p->bits = left = 1 + below(state, most_bits[below(state, 7)]);
    d->rank = below(state, 2) ? 1 : 1 + below(state, STF_MAX_RANK);
    for (int a = 0; a < d->rank; a++) {
        int share = 2 * left / (d->rank - a + (d->rank == 1));
        int bits = below(state, share + 1);

        bits = bits < left ? bits : left;
        d->n[a] = draw_length(state, bits);
        left -= bits;
    }
    d->batch = below(state, 2) ? 1 : any_length(state, (int64_t)1 << left);
}

/* ----------------------------------------------------------------- layouts */

/* What a step of one element may be, as it is never taken. */
static int64_t wild_step(uint64_t *state)
{
    static const int64_t steps[] = {INT64_MAX, INT64_MIN,     -INT64_MAX,
                                    1,         INT64_MAX / 2, -3};

    return steps[below(state, 6)];
}

/* Draws the axes' order in memory, gaps between them and their signs. */
static void draw_layout(uint64_t *state, const stf_fft_desc *d, int output,
                        stf_layout *layout)
{
    int order[STF_MAX_RANK + 1] = {0};
    int64_t step = 1;

    for (int i = 0; i <= d->rank; i++) {
        int j = below(state, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i <= d->rank; i++) {
        int a = order[i];
        int64_t n = a < d->rank ? stfi_desc_extent(d, a, output) : d->batch;
        int64_t *at = a < d->rank ? &layout->stride[a] : &layout->dist;

        step *= below(state, 4) ? 1 : 1 + below(state, 3);
        *at = n == 1 ? wild_step(state) : below(state, 8) ? step : -step;
        step *= n;
    }
}

static void draw_layouts(uint64_t *state, stf_fft_desc *d)
{
    int how = below(state, 8);

    if (how == 0 || how == 1)
        draw_layout(state, d, 0, &d->in);
    if (how == 0 || how == 2)
        draw_layout(state, d, 1, &d->out);
    if (how == 3)
        for (int a = 0; a < d->rank; a++)
            if (d->n[a] == 1)
                d->in.stride[a] = d->out.stride[a] = wild_step(state);
    if (how == 3 && d->batch == 1) {
        d->in.dist = wild_step(state);
        d->out.dist = wild_step(state);
    }
}

/* -------------------------------------------------------------- protection */

static void draw_protection(uint64_t *state, stf_fft_desc *d)
{
    static const stf_ft_level levels[] = {STF_FT_AUTO, STF_FT_BLOCK,
                                          STF_FT_THREAD, STF_FT_OFFLINE};
    stf_ft_desc *ft = &d->ft;

    ft->mode = (stf_ft_mode)(STF_FT_OFF + below(state, 3));
    ft->level = levels[below(state, 4)];
    ft->end_to_end = below(state, 4) == 0;
    if (ft->level == STF_FT_AUTO || ft->level == STF_FT_BLOCK) {
        ft->scheme = (stf_ft_scheme)below(state, 4);
        ft->transactions = below(state, 2) ? 0 : 1 << below(state, 6);
    }
}

void random_problem_draw(uint64_t *state, random_problem *p_p)
{
    static const stf_precision precisions[] = {STF_F32, STF_F32, STF_F64,
                                               STF_F64, STF_F16, STF_BF16};
    random_problem p = {.d = stf_fft_desc_default()};

    p.d.kind = (stf_kind)below(state, 3);
    p.d.precision = precisions[below(state, 6)];
    p.in_place = below(state, 4) == 0;
    draw_sizes(state, &p);
    draw_layouts(state, &p.d);
    draw_protection(state, &p.d);
    *p_p = p;
}

/* -------------------------------------------------------------------- text */

static void print_layout(stfi_text *w, const stf_fft_desc *d, const char *name,
                         const stf_layout *layout)
{
    stfi_text_put(w, " %s", name);
    for (int a = 0; a < d->rank; a++)
        stfi_text_put(w, " %" PRId64, layout->stride[a]);
    stfi_text_put(w, "; %" PRId64, layout->dist);
}

void random_problem_print(const random_problem *p,
                          char text[RANDOM_PROBLEM_BYTES])
{
    const stf_ft_desc *ft = &p->d.ft;
    stfi_text w = {text, RANDOM_PROBLEM_BYTES, 0};
    char shape[RANDOM_PROBLEM_BYTES / 2];

    stfi_desc_print(&p->d, shape, sizeof shape);
    stfi_text_put(&w, "%s%s", shape, p->in_place ? " in place" : "");
    print_layout(&w, &p->d, "in", &p->d.in);
    print_layout(&w, &p->d, "out", &p->d.out);
    stfi_text_put(&w, " mode %d level %d scheme %d transactions %d e2e %d",
                  (int)ft->mode, (int)ft->level, (int)ft->scheme,
                  (int)ft->transactions, (int)ft->end_to_end);
}
