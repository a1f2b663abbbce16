/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The bandwidth of memory copies; see copy.h. */
#include "tools/command/copy.h"

#include <string.h>

#include "run/queue.h"
#include "tools/command/stats.h"

static const double LEAST_SECONDS = 0.002;
static const size_t LEAST_BYTES = (size_t)1 << 30;

/* COPY_SHARED: copies of fewer bytes are done by one thread, as waking others
 * would cost more. */
enum { COPY_ROUNDS = 7, COPY_SHARED = 1 << 18, COPY_MOST = 1 << 24 };

typedef struct copy {
    stf_device *dev;
    void *to, *from;
    size_t bytes;
    int threads;
} copy;

static stf_status copy_on_host(void *arg, void *stream)
{
    const copy *c = arg;
    size_t bytes = c->bytes, share = bytes / (size_t)c->threads;
    char *to = c->to;
    const char *from = c->from;

    (void)stream;
    if (bytes < COPY_SHARED) {
        memcpy(to, from, bytes);
        return STF_OK;
    }
#ifdef _OPENMP
#pragma omp parallel for num_threads(c->threads) schedule(static)
#endif
    for (int t = 0; t < c->threads; t++) {
        size_t begin = share * (size_t)t;
        size_t end = t + 1 == c->threads ? bytes : begin + share;
        memcpy(to + begin, from + begin, end - begin);
    }
    return STF_OK;
}

static stf_status copy_on_device(void *arg, void *stream)
{
    const copy *c = arg;

    return stfi_copy_async(c->dev, c->to, c->from, c->bytes, STFI_ON_DEVICE,
                           stream);
}

/* Seconds of one copy, the median of several rounds; 0 on failure. On a device
 * whose clock stands still, which no copy of so many bytes is too short for, it
 * would take forever to copy for LEAST_SECONDS. */
static double time_copies(copy *c, stfi_work *work)
{
    double seconds[COPY_ROUNDS], some = 0.0;
    int count = 1;

    /* The first copy maps the memory and is not counted. */
    if (stfi_time_work(c->dev, work, c, 1, 0, &some) < STF_OK
        || (some <= 0.0 && !stfi_host_is_device(c->dev)))
        return 0.0;
    while (stfi_time_work(c->dev, work, c, count, 0, &some) >= STF_OK
           && some < LEAST_SECONDS && count < COPY_MOST)
        count *= 2;
    for (int round = 0; round < COPY_ROUNDS; round++) {
        if (stfi_time_work(c->dev, work, c, 2 * count, 0, &seconds[round])
            < STF_OK)
            return 0.0;
        seconds[round] /= 2.0 * count;
    }
    return stfi_median(seconds, COPY_ROUNDS);
}

/* The bandwidth of copies of so many bytes; 0 if they cannot be timed, and -1
 * if there is no memory for them. */
static double measure(stf_device *dev, size_t bytes, int threads)
{
    copy c = {dev, NULL, NULL, bytes, threads};
    double seconds, bandwidth = -1.0;

    if (stf_malloc(dev, bytes, &c.to) == STF_OK
        && stf_malloc(dev, bytes, &c.from) == STF_OK) {
        seconds = time_copies(&c, stfi_host_is_device(dev) ? copy_on_host
                                                           : copy_on_device);
        bandwidth = seconds > 0.0 ? 2.0 * (double)bytes / seconds : 0.0;
    }
    stf_free(dev, c.to);
    stf_free(dev, c.from);
    return bandwidth;
}

double stfi_copy_bandwidth(stfi_copies *c, stf_device *dev, size_t bytes,
                           int threads)
{
    size_t least = bytes, size;
    double bandwidth;

    if (!stfi_host_is_device(dev))
        for (least = LEAST_BYTES; least < bytes;)
            least *= 2;
    for (int i = 0; i < c->count; i++)
        if (c->known[i].bytes == least)
            return c->known[i].bandwidth;
    size = least;
    do
        bandwidth = measure(dev, size, threads);
    while (bandwidth < 0.0 && !stfi_host_is_device(dev)
           && (size /= 2) > COPY_SHARED);
    bandwidth = bandwidth > 0.0 ? bandwidth : 0.0;
    if (c->count < STFI_COPY_SIZES) {
        c->known[c->count].bytes = least;
        c->known[c->count++].bandwidth = bandwidth;
    }
    return bandwidth;
}
