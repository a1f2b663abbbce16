/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Left vectors that caches share; see shared.h. */
#include "ft/weights/shared.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

typedef struct kept {
    struct kept *next; /* the next older one */
    stfi_network_shape shape;
    int64_t points;
    size_t bytes;
    float e[];
} kept;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static kept *newest;
static int users;

/* Frees a vector and all older ones. */
static void free_from(kept **link)
{
    while (*link != NULL) {
        kept *one = *link;
        *link = one->next;
        stfi_dealloc(one);
    }
}

void stfi_ft_shared_open(void)
{
    pthread_mutex_lock(&lock);
    users++;
    pthread_mutex_unlock(&lock);
}

void stfi_ft_shared_close(void)
{
    pthread_mutex_lock(&lock);
    if (--users == 0)
        free_from(&newest);
    pthread_mutex_unlock(&lock);
}

/* The caller holds the lock. */
static const kept *find(const stfi_network_shape *shape, int64_t points)
{
    const kept *one = newest;

    while (one != NULL
           && (one->points != points
               || memcmp(&one->shape, shape, sizeof *shape) != 0))
        one = one->next;
    return one;
}

int stfi_ft_shared_find(const stfi_network_shape *shape, int64_t points,
                        int64_t count, float *e)
{
    const kept *one;

    pthread_mutex_lock(&lock);
    one = find(shape, points);
    if (one != NULL)
        memcpy(e, one->e, 2 * (size_t)count * sizeof *e);
    pthread_mutex_unlock(&lock);
    return one != NULL;
}

/* Drops the oldest vectors until the others are within the bound. The caller
 * holds the lock. */
static void trim(void)
{
    kept **link = &newest;
    size_t sum = 0;

    while (*link != NULL && (sum += (*link)->bytes) <= STFI_FT_SHARED_BYTES)
        link = &(*link)->next;
    free_from(link);
}

/* If two threads have made the same vector, that of the first one is kept. */
stf_status stfi_ft_shared_add(const stfi_network_shape *shape, int64_t points,
                              int64_t count, const float *e)
{
    size_t bytes = 2 * (size_t)count * sizeof *e;
    kept *one;
    void *memory;
    stf_status status =
        stfi_alloc(sizeof *one + bytes, "weights of a checksum", &memory);

    if (status != STF_OK)
        return status;
    one = memory;
    one->shape = *shape;
    one->points = points;
    one->bytes = sizeof *one + bytes;
    memcpy(one->e, e, bytes);
    pthread_mutex_lock(&lock);
    if (find(shape, points) == NULL) {
        one->next = newest;
        newest = one;
        one = NULL;
        trim();
    }
    pthread_mutex_unlock(&lock);
    stfi_dealloc(one);
    return STF_OK;
}
