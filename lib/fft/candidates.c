/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Candidates of CPUs and GPUs; see candidates.h. */
#include "fft/candidates.h"

#include <math.h>
#include <string.h>

#include "fft/desc.h"
#include "fft/factor.h"
#include "fft/gpu_shape.h"

typedef struct listing {
    const stf_fft_desc *full;
    const stfi_schedule *s;
    const stfi_choice *base;
    int each;
    int count;
    stfi_choice *list;
} listing;

/* Appends a copy of the base, to be changed; NULL if there is no room. */
static stfi_choice *append(listing *l)
{
    if (l->count == STFI_CANDIDATES)
        return NULL;
    l->list[l->count] = *l->base;
    return &l->list[l->count++];
}

/* Offers to run the passes where the device has another form of the whole, or a pass
 * for each axis where one has several. */
static void list_apart(listing *l, int whole)
{
    stfi_choice *c;

    if (whole && !l->base->apart && (c = append(l)) != NULL)
        c->apart = 1;
}

/* Offers to leave matrix units out where some pass has them. */
static void list_native(listing *l)
{
    int matrix = 0;
    stfi_choice *c;

    for (int i = 0; i < l->s->npasses; i++)
        matrix |= l->s->pass[i].matrix != 0;
    if (matrix && (c = append(l)) != NULL)
        c->native = 1;
}

/* Returns the largest radix of stages on matrix units, or 0. *others_p: 1 if there are
 * stages of even radices beside them. */
static int largest_on_units(const stfi_schedule *s, int *others_p)
{
    int largest = 0;

    *others_p = 0;
    for (int i = 0; i < s->npasses; i++)
        for (int k = 0; k < s->pass[i].nstages; k++) {
            const int r = s->pass[i].radix[k];
            if ((s->pass[i].matrix >> k & 1) == 0)
                *others_p |= r % 2 == 0 && s->pass[i].matrix != 0;
            else if (r > largest)
                largest = r;
        }
    return largest;
}

/* Offers to have all stages of even radices on units where some are, and to have
 * smaller ones there. */
static void list_units(listing *l)
{
    int others, radix = STFI_GPU_MATRIX_RADIX;
    const int largest = largest_on_units(l->s, &others);
    stfi_choice *c;

    if (!others)
        radix = largest / 2;
    for (int offered = 0; radix >= 4 && largest > 0 && offered < l->each / 2;
         offered++, radix /= 2)
        if (radix != l->base->unit_radix && (c = append(l)) != NULL)
            c->unit_radix = radix;
}

/* Offers shorter and longer chunks. */
static void list_chunks(listing *l)
{
    const struct {
        int times, over;
    } steps[] = {{1, 2}, {2, 1}, {4, 1}, {1, 4}};
    int64_t now = l->s->chunk;

    if (l->s->npasses < 2)
        return;
    for (int i = 0; i < l->each && i < 4; i++) {
        int64_t chunk = now * steps[i].times / steps[i].over;
        stfi_choice *c;

        chunk = chunk < 1 ? 1 : chunk > l->s->batch ? l->s->batch : chunk;
        if (chunk != now && (c = append(l)) != NULL)
            c->chunk = chunk;
    }
}

/* Offers one split of an axis of n elements, into one or two levels. */
static void offer_split(listing *l, int64_t n, int64_t first)
{
    stfi_choice_list split = {.n = n,
                              .count = first == n ? 1 : 2,
                              .factor = {first, first == n ? 0 : n / first}};
    stfi_choice *c = append(l);

    if (c != NULL && !stfi_choice_set_split(c, &split))
        l->count--;
}

static int has_tile(const stfi_schedule *s, int64_t n)
{
    for (int i = 0; i < s->npasses; i++)
        if (s->pass[i].n == n)
            return 1;
    return 0;
}

/* Offers splits of an axis: none, and those into two levels that are closest to
 * squares. On a GPU, an axis that one pass can transform is not split. */
static void list_axis(listing *l, int64_t n)
{
    enum { LEAST = 4096 }; /* shorter ones gain nothing by two passes */
    int64_t root = (int64_t)sqrt((double)n);
    int offered = 0;

    if (n < LEAST || (l->s->caps.gpu && has_tile(l->s, n)))
        return;
    if (!l->s->caps.gpu) {
        offer_split(l, n, n);
        offered++;
    }
    for (int64_t d = root; d >= 8 && d >= root / 8 && offered < l->each; d--) {
        if (n % d != 0)
            continue;
        offer_split(l, n, d);
        if (++offered < l->each && d * d != n) {
            offer_split(l, n, n / d);
            offered++;
        }
    }
}

/* The last axis of a real transform of even length is one of half the length. */
static void list_splits(listing *l)
{
    const stfi_kind *kind = stfi_kind_get(l->full->kind);
    int real = kind->real_in || kind->real_out;

    for (int a = l->full->rank - 1; a >= 0; a--) {
        int64_t n = l->full->n[a];
        int halved = real && n % 2 == 0 && a == l->full->rank - 1;
        int seen = 0;

        n = halved ? n / 2 : n;
        for (int b = a + 1; b < l->full->rank; b++)
            seen |= l->full->n[b] == n;
        if (!seen)
            list_axis(l, n);
    }
}

/* Offers the radices of a pass the other way round, and other ones, by their
 * costs. */
static void list_stages(listing *l, const stfi_pass *p, int64_t tile)
{
    stfi_radix_way way[STFI_FACTOR_WAYS];
    int count = stfi_factor_ways(tile, way), offered = 0;

    for (int w = 0; w < 2 * count && offered < l->each; w++) {
        const stfi_radix_way *one = &way[w / 2];
        stfi_choice_list list = {.n = tile, .count = one->count};
        int same = one->count == p->nstages, turned = 1;
        stfi_choice *c;

        for (int i = 0; i < one->count; i++) {
            int r = one->radix[w % 2 ? one->count - 1 - i : i];
            list.factor[i] = r;
            same = same && p->radix[i] == r;
            turned = turned && r == one->radix[i];
        }
        if (same || (w % 2 && turned) || (c = append(l)) == NULL)
            continue;
        offered++;
        if (!stfi_choice_set_radices(c, &list))
            l->count--;
    }
}

static int64_t tile_of(const stfi_pass *p)
{
    int64_t n = 1;

    for (int i = 0; i < p->nstages; i++)
        n *= p->radix[i];
    return n;
}

static void list_radices(listing *l)
{
    for (int i = 0; i < l->s->npasses; i++) {
        int64_t tile = tile_of(&l->s->pass[i]);
        int seen = tile < 4;

        for (int k = 0; k < i; k++)
            seen |= tile_of(&l->s->pass[k]) == tile;
        if (!seen)
            list_stages(l, &l->s->pass[i], tile);
    }
}

/* Offers the next shapes that the model ranks for the tiles of each pass. */
static void list_shapes(listing *l)
{
    for (int i = 0; i < l->s->npasses; i++) {
        const int64_t n = l->s->pass[i].n;
        const int now = stfi_choice_rank(l->base, n);
        int seen = n < 2 || l->s->pass[i].nstages == 0;

        for (int k = 0; k < i; k++)
            seen |= l->s->pass[k].n == n;
        for (int step = 1; !seen && step <= l->each; step++) {
            stfi_choice *c = now + step < STFI_CHOICE_SHAPES ? append(l) : NULL;
            if (c != NULL && !stfi_choice_set_rank(c, n, now + step))
                l->count--;
        }
    }
}

static int has_joined_axes(const stfi_schedule *s)
{
    int joined = 0;

    for (int i = 0; i < s->npasses; i++)
        joined |= s->pass[i].axes.count > 0;
    return joined;
}

int stfi_candidates(const stf_fft_desc *full, const stfi_schedule *s, int whole,
                    const stfi_choice *base, int each,
                    stfi_choice list[STFI_CANDIDATES])
{
    listing l = {full, s, base, each, 0, list};

    if (s->caps.gpu) {
        list_native(&l);
        list_units(&l);
        list_apart(&l, has_joined_axes(s));
        list_shapes(&l);
        list_splits(&l);
        return l.count;
    }
    list_apart(&l, whole);
    list_chunks(&l);
    list_splits(&l);
    list_radices(&l);
    return l.count;
}
