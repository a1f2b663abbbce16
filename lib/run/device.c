/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Finding, opening and listing devices; see device.h. */
#include "run/device.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/status.h"
#include "base/team.h"

static stf_status open_on(const stfi_backend *backend, int index,
                          stf_device **dev_p)
{
    stf_device *dev;
    void *mem;
    stf_status status = stfi_alloc(sizeof *dev, "a device", &mem);

    if (status != STF_OK)
        return status;
    dev = mem;
    dev->backend = backend;
    atomic_init(&dev->references, 1);
    atomic_init(&dev->checks, NULL);
    atomic_init(&dev->products, NULL);
    status = stfi_team_default(&dev->threads);
    if (status == STF_OK)
        status = backend->open(index, &dev->ctx);
    if (status != STF_OK) {
        stfi_dealloc(dev);
        return status;
    }
    *dev_p = dev;
    return STF_OK;
}

/* Splits a name like "cuda:1" into the length of the backend's name and the
 * index; returns 0 if it is malformed. */
static int split_name(const char *name, size_t *length_p, int *index_p)
{
    const char *colon = strchr(name, ':');
    char *end;
    long index = 0;

    *length_p = colon != NULL ? (size_t)(colon - name) : strlen(name);
    if (colon != NULL) {
        if (colon[1] < '0' || colon[1] > '9')
            return 0;
        index = strtol(colon + 1, &end, 10);
        if (*end != '\0' || index > INT_MAX)
            return 0;
    }
    *index_p = (int)index;
    return *length_p > 0;
}

/* `origin` says where the name comes from, "device name" or a variable. */
static stf_status open_named(const char *origin, const char *name,
                             stf_device **dev_p)
{
    int count, index;
    size_t length;
    const stfi_backend_entry *entry = stfi_backend_registry(&count);

    if (!split_name(name, &length, &index))
        return stfi_error(STF_ERR_ARGUMENT,
                          "%s \"%.64s\" is not of the form "
                          "\"cpu\" or \"cuda:0\"",
                          origin, name);
    for (int i = 0; i < count; i++) {
        if (strlen(entry[i].name) != length
            || strncmp(entry[i].name, name, length) != 0)
            continue;
        if (entry[i].backend == NULL)
            return stfi_error(STF_ERR_DEVICE, "%s \"%.64s\" is absent: %s",
                              origin, name, entry[i].reason);
        return open_on(entry[i].backend, index, dev_p);
    }
    return stfi_error(STF_ERR_ARGUMENT,
                      "%s \"%.64s\" is unknown; use cpu, "
                      "cuda:N, hip:N or auto",
                      origin, name);
}

/* Opens device 0 of the backend with the highest priority that works. If an
 * environment variable asks for something that cannot be had (ARGUMENT), that
 * is an error, and no other backend is tried. */
static stf_status open_first(stf_device **dev_p)
{
    int count;
    const stfi_backend_entry *entry = stfi_backend_registry(&count);
    stf_status status = stfi_error(STF_ERR_DEVICE, "no device can be used");

    for (int i = 0; i < count; i++) {
        int ndevices = 0;
        const char *reason;
        const stfi_backend *backend = entry[i].backend;
        if (backend == NULL || backend->probe(&ndevices, &reason) != STF_OK
            || ndevices == 0)
            continue;
        status = open_on(backend, 0, dev_p);
        if (status == STF_OK || status == STF_ERR_ARGUMENT)
            break;
    }
    return status;
}

stf_status stfi_device_open(const char *name, stf_device **dev_p)
{
    const char *origin = "device name";

    if (name == NULL || strcmp(name, "auto") == 0) {
        name = stfi_env_get("STEADFAST_DEVICE");
        origin = "environment variable STEADFAST_DEVICE";
    }
    if (name == NULL || strcmp(name, "auto") == 0)
        return open_first(dev_p);
    return open_named(origin, name, dev_p);
}

void stfi_device_keep(stf_device *dev)
{
    atomic_fetch_add(&dev->references, 1);
}

void stfi_device_drop(stf_device *dev)
{
    if (dev == NULL || atomic_fetch_sub(&dev->references, 1) != 1)
        return;
    stfi_ft_cache_destroy(atomic_load(&dev->checks));
    dev->backend->close(dev->ctx);
    stfi_dealloc(dev);
}

int stfi_device_threads(const stf_device *dev, int wanted)
{
    return wanted > 0 ? wanted : dev->threads;
}

const stfi_ft_rows *stfi_device_row_sums(const stf_device *dev,
                                         stf_precision precision)
{
    return dev->backend->row_sums != NULL
               ? dev->backend->row_sums(dev->ctx, precision)
               : NULL;
}

stf_status stfi_device_checks(stf_device *dev, stfi_ft_cache **cache_p)
{
    stfi_ft_cache *cache = atomic_load(&dev->checks), *made;
    stf_status status;

    if (cache == NULL) {
        if ((status = stfi_ft_cache_create(&made)) != STF_OK)
            return status;
        if (atomic_compare_exchange_strong(&dev->checks, &cache, made))
            cache = made;
        else
            stfi_ft_cache_destroy(made); /* another thread was first */
    }
    *cache_p = cache;
    return STF_OK;
}

int stfi_host_is_device(const stf_device *dev)
{
    stfi_caps caps;

    return dev->backend->caps(dev->ctx, &caps) == STF_OK && !caps.gpu;
}

/* --------------------------------------------------------------- the list */

static void set_absent(stf_device_info *info, const char *backend,
                       const char *reason)
{
    memset(info, 0, sizeof *info);
    snprintf(info->backend, sizeof info->backend, "%s", backend);
    snprintf(info->name, sizeof info->name, "%s", backend);
    snprintf(info->reason, sizeof info->reason, "%s", reason);
}

static void describe(const stfi_backend *backend, int index,
                     stf_device_info *info)
{
    stfi_bctx *ctx;

    if (backend->open(index, &ctx) != STF_OK) {
        set_absent(info, backend->name, stf_error_message());
        return;
    }
    if (backend->info(ctx, info) != STF_OK)
        set_absent(info, backend->name, stf_error_message());
    backend->close(ctx);
}

int stfi_device_list(stf_device_info *list, int capacity)
{
    int count, total = 0;
    const stfi_backend_entry *entry = stfi_backend_registry(&count);

    for (int i = 0; i < count; i++) {
        const stfi_backend *backend = entry[i].backend;
        const char *reason = entry[i].reason;
        int ndevices = 0;
        if (backend != NULL && backend->probe(&ndevices, &reason) != STF_OK) {
            reason = stf_error_message();
            ndevices = 0;
        }
        if (ndevices > 0) {
            for (int d = 0; d < ndevices; d++, total++)
                if (total < capacity)
                    describe(backend, d, &list[total]);
            continue;
        }
        if (total < capacity)
            set_absent(&list[total], entry[i].name, reason);
        total++;
    }
    return total;
}
