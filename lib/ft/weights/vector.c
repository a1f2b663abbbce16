/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Making and keeping left vectors; see vector.h. */
#include "ft/weights/vector.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "ft/weights/left_vector.h"
#include "ft/weights/optimise.h"
#include "ft/weights/real_row.h"
#include "ft/weights/row.h"
#include "ft/weights/shared.h"
#include "ft/weights/store.h"
#include "ft/weights/vector_form.h"
#include "fft/factor.h"

typedef struct entry {
    stfi_ft_vector vector; /* must be first: its address is the entry's */
    size_t bytes;
    int users;
    struct entry *next; /* the next less recently used entry */
} entry;

struct stfi_ft_cache {
    pthread_mutex_t lock;
    entry *first;
    size_t bytes;
};

stf_status stfi_ft_cache_create(stfi_ft_cache **cache_p)
{
    stfi_ft_cache *cache;
    void *memory;
    stf_status status = stfi_alloc(sizeof *cache, "checksums", &memory);

    if (status != STF_OK)
        return status;
    cache = memory;
    if (pthread_mutex_init(&cache->lock, NULL) != 0) {
        stfi_dealloc(cache);
        return stfi_error(STF_ERR_MEMORY, "no lock for checksums");
    }
    stfi_ft_shared_open();
    *cache_p = cache;
    return STF_OK;
}

static void free_entry(entry *one)
{
    if (one == NULL)
        return;
    stfi_dealloc(one->vector.e);
    stfi_dealloc(one->vector.row);
    stfi_dealloc(one);
}

void stfi_ft_cache_destroy(stfi_ft_cache *cache)
{
    if (cache == NULL)
        return;
    while (cache->first != NULL) {
        entry *one = cache->first;
        cache->first = one->next;
        free_entry(one);
    }
    pthread_mutex_destroy(&cache->lock);
    stfi_dealloc(cache);
    stfi_ft_shared_close();
}

/* ------------------------------------------------------------------- keys */

static stfi_ft_key make_key(int64_t n, int half, stf_precision precision)
{
    stfi_ft_key key;

    memset(&key, 0, sizeof key);
    key.n = n;
    key.half = half;
    key.precision = precision;
    return key;
}

/* Where threads share a tile, the first transform of a convolution takes the
 * radices as they are listed, and the second one in reverse order; where a
 * single thread computes a tile, it is the other way round (transform.h of the
 * GPU's kernels, conv_ops.h of the CPU's). A shape takes the radices of the
 * second transform. */
stfi_ft_key stfi_ft_key_pass(const stfi_pass *p, stf_precision precision)
{
    const int folded = stfi_ft_is_folded(p);
    stfi_ft_key key = make_key(folded ? p->n : p->check.points,
                               !folded && p->check.half, precision);
    int backwards = stfi_op_is_conv(p->op) && p->block.threads > 1;
    int radix[STFI_MAX_STAGES];

    key.axes = p->axes.count;
    for (int a = 0; a < p->axes.count; a++)
        key.axis[a] = p->axes.n[a];
    if (!stfi_ft_is_optimised(p->n))
        return key;
    for (int s = 0; s < p->nstages; s++)
        radix[s] = p->radix[backwards ? p->nstages - 1 - s : s];
    key.shape = stfi_network_shape_make(folded ? STFI_OP_FFT : p->op, p->conv,
                                        p->n, p->nstages, radix);
    key.shape.op = folded ? p->op : key.shape.op;
    if (p->axes.count > 0)
        stfi_network_shape_set_axes(&key.shape, p->nstages, radix, p->axes.of);
    key.shape.period = p->check.period;
    key.shape.real = p->check.real_row;
    key.shape.axis = p->check.real_e;
    return key;
}

stfi_ft_key stfi_ft_key_whole(int64_t n, int half, stf_precision precision)
{
    stfi_ft_key key = make_key(n, half, precision);
    int radix[STFI_MAX_STAGES];
    double cost;

    if (!half && stfi_ft_is_optimised(n))
        key.shape =
            stfi_network_shape_make(STFI_OP_FFT, STFI_CONV_NONE, n,
                                    stfi_factor_stages(n, radix, &cost), radix);
    return key;
}

stfi_ft_key stfi_ft_key_real(int64_t n, stf_kind kind, stf_precision precision)
{
    stfi_ft_key key = make_key(n, 0, precision);

    key.real = kind;
    return key;
}

static int is_key(const stfi_ft_key *a, const stfi_ft_key *b)
{
    return a->n == b->n && a->half == b->half && a->precision == b->precision
           && a->second == b->second && a->real == b->real && a->axes == b->axes
           && memcmp(a->axis, b->axis, sizeof a->axis) == 0
           && memcmp(&a->shape, &b->shape, sizeof a->shape) == 0;
}

/* ----------------------------------------------------------------- making */

/* Gets an optimised e: from other caches of the process, from another program
 * (store.h), or from the optimiser. */
static stf_status get_optimised(const stfi_ft_key *key, int64_t count, float *e,
                                int *shared_p)
{
    int kept = 0;
    stf_status status = STF_OK;

    *shared_p = stfi_ft_shared_find(&key->shape, key->n, count, e);
    if (*shared_p)
        return STF_OK;
    status = stfi_ft_store_find(&key->shape, key->n, count, e, &kept);
    if (status != STF_OK || kept)
        return status;
    status = stfi_ft_optimised_vector(&key->shape, key->n, e);
    return status != STF_OK ? status
                            : stfi_ft_store_add(&key->shape, key->n, count, e);
}

/* Allocates 2 * count numbers of the precision of sums. */
static stf_status make_numbers(stf_precision precision, int64_t count,
                               void **numbers_p)
{
    size_t each = stfi_type_sums(precision)->bytes;
    size_t bytes;
    stf_status status =
        stfi_bytes((size_t)count, 2, each, "a checksum", &bytes);

    return status != STF_OK ? status
                            : stfi_alloc_raw(bytes, "a checksum", numbers_p);
}

static void round_row(stf_precision precision, int64_t count,
                      const long double *from, void *to)
{
    stf_precision sums = stfi_type_get(precision)->sums;

    for (int64_t i = 0; i < 2 * count + 2; i++)
        stfi_type_write(sums, to, i, from[i % (2 * count)]);
}

static void widen(stf_precision precision, int64_t count, const float *from,
                  void *to)
{
    stf_precision sums = stfi_type_get(precision)->sums;

    for (int64_t i = 0; i < 2 * count; i++)
        stfi_type_write(sums, to, i, (long double)from[i]);
}

/* Makes the second vector of the first one: element k gets what k + 1 has, and every
 * other one the opposite sign. So the DFTs of every s-th element, which are the weights
 * of values in between, go to other values, and those of inputs to inputs half of them
 * further; and an optimised e need not be found twice. */
static void make_second(int64_t count, float *e)
{
    const float first[2] = {e[0], e[1]};

    memmove(e, e + 2, 2 * (size_t)(count - 1) * sizeof *e);
    memcpy(e + 2 * (count - 1), first, sizeof first);
    for (int64_t k = 1; k < count; k += 2) {
        e[2 * k] = -e[2 * k];
        e[2 * k + 1] = -e[2 * k + 1];
    }
}

/* Computes e and row, first e in float and row in long double. An optimised e
 * is shared at the end: then an attempt that fails leaves nothing behind. */
static stf_status fill(stfi_ft_vector *v, float *e, long double *row)
{
    const stfi_ft_key *key = &v->key;
    int optimised = key->shape.tile > 0, shared = 0;
    stf_status status = STF_OK;

    if (optimised)
        status = get_optimised(key, v->count, e, &shared);
    else
        stfi_ft_random_vector(v->count, e);
    if (status == STF_OK && key->second)
        make_second(v->count, e);
    if (status == STF_OK)
        status = key->real != 0 ? stfi_ft_real_row(key->real, key->n, e, row)
                 : key->axes > 0
                     ? stfi_ft_row_of_axes(key->axes, key->axis, e, row)
                     : stfi_ft_row(key->n, v->count, e, row);
    if (status == STF_OK && optimised && !shared && !key->second)
        status = stfi_ft_shared_add(&key->shape, key->n, v->count, e);
    if (status != STF_OK)
        return status;
    widen(key->precision, v->count, e, v->e);
    round_row(key->precision, key->n, row, v->row);
    return STF_OK;
}

static stf_status make_vector(stfi_ft_vector *v)
{
    void *e = NULL, *row = NULL;
    size_t bytes;
    stf_status status = stfi_bytes((size_t)v->key.n, 2, sizeof(long double),
                                   "a checksum", &bytes);

    if (status == STF_OK)
        status = stfi_alloc_raw(bytes, "a checksum", &row);
    if (status == STF_OK)
        status = make_numbers(STF_F32, v->count, &e);
    if (status == STF_OK)
        status = make_numbers(v->key.precision, v->count, &v->e);
    if (status == STF_OK)
        status = make_numbers(v->key.precision, v->key.n + 1, &v->row);
    if (status == STF_OK)
        status = fill(v, e, row);
    stfi_dealloc(e);
    stfi_dealloc(row);
    return status;
}

static stf_status make_entry(const stfi_ft_key *key, entry **entry_p)
{
    entry *one;
    void *memory;
    stf_status status = stfi_alloc(sizeof *one, "a checksum", &memory);

    if (status != STF_OK)
        return status;
    one = memory;
    one->vector.key = *key;
    one->vector.count = key->half ? key->n / 2 + 1 : key->n;
    one->users = 1;
    one->bytes = (size_t)(one->vector.count + key->n + 1) * 2
                 * stfi_type_sums(key->precision)->bytes;
    status = make_vector(&one->vector);
    if (status != STF_OK)
        free_entry(one);
    else
        *entry_p = one;
    return status;
}

/* ---------------------------------------------------------------- keeping */

/* Moves an entry to the front and counts one user more; returns NULL if there
 * is no such entry. */
static entry *use(stfi_ft_cache *cache, const stfi_ft_key *key)
{
    for (entry **link = &cache->first; *link != NULL; link = &(*link)->next) {
        entry *one = *link;
        const stfi_ft_key *have = &one->vector.key;
        if (!is_key(have, key))
            continue;
        *link = one->next;
        one->next = cache->first;
        cache->first = one;
        one->users++;
        return one;
    }
    return NULL;
}

/* Frees unused entries, the least recently used first, until the cache is
 * within STFI_FT_KEPT_BYTES. */
static void trim(stfi_ft_cache *cache)
{
    while (cache->bytes > STFI_FT_KEPT_BYTES) {
        entry **last = NULL, *one;
        for (entry **link = &cache->first; *link != NULL; link = &(*link)->next)
            if ((*link)->users == 0)
                last = link;
        if (last == NULL)
            return;
        one = *last;
        *last = one->next;
        cache->bytes -= one->bytes;
        free_entry(one);
    }
}

/* Vectors are made without holding the lock, so that nobody waits for the
 * vector of another length. If two threads make the same vector, the later one
 * discards its own. */
stf_status stfi_ft_vector_get(stfi_ft_cache *cache, stfi_ft_key key,
                              const stfi_ft_vector **vector_p)
{
    entry *made = NULL, *found;
    stf_status status = STF_OK;

    pthread_mutex_lock(&cache->lock);
    found = use(cache, &key);
    pthread_mutex_unlock(&cache->lock);
    if (found == NULL) {
        if ((status = make_entry(&key, &made)) != STF_OK)
            return status;
        pthread_mutex_lock(&cache->lock);
        found = use(cache, &key);
        if (found == NULL) {
            found = made;
            made->next = cache->first;
            cache->first = made;
            cache->bytes += made->bytes;
            made = NULL;
        }
        pthread_mutex_unlock(&cache->lock);
        free_entry(made);
    }
    *vector_p = &found->vector;
    return STF_OK;
}

void stfi_ft_vector_release(stfi_ft_cache *cache, const stfi_ft_vector *vector)
{
    entry *one = NULL;

    if (vector == NULL)
        return;
    pthread_mutex_lock(&cache->lock);
    for (one = cache->first; &one->vector != vector; one = one->next)
        ;
    one->users--;
    trim(cache);
    pthread_mutex_unlock(&cache->lock);
}
