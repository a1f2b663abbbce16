/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compiling kernels beforehand; see cache_warm.h. */
#include "tools/cache/cache_warm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/gpu/host/cache/cache.h"
#include "backends/gpu/host/kernels/kernel_set.h"
#include "run/device.h"
#include "tools/cache/compilers.h"
#include "tools/command/command.h"
#include "tools/command/problems.h"
#include "tools/command/protections.h"
#include "tools/command/table.h"

static const char *const stock[] = {
#define STFI_AOT(problem) problem,
#include "backends/gpu/aot.def"
#undef STFI_AOT
};

enum {
    COLUMN_ARCH,
    COLUMN_BYTES,
    COLUMN_CACHED,
    COLUMN_SECONDS,
    COLUMN_ENTRY,
    COLUMNS
};

static const stfi_column columns[COLUMNS] = {
    [COLUMN_ARCH] = {"arch", 0, 8},     [COLUMN_BYTES] = {"bytes", 1, 8},
    [COLUMN_CACHED] = {"cached", 1, 0}, [COLUMN_SECONDS] = {"seconds", 1, 8},
    [COLUMN_ENTRY] = {"entry", 0, 0},
};

/* The device for which kernels are compiled. */
typedef struct target {
    stfi_caps caps;
    char arch[32];
} target;

/* ----------------------------------------------------------------- target */

static stf_status target_preset(const char *name, target *t_p)
{
    const char *arch = stfi_gpu_preset_arch(name);

    if (arch == NULL)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--preset is \"%s\"; kernels can "
                          "be compiled for%s",
                          name, stfi_gpu_presets);
    t_p->caps = *stfi_preset_find(name);
    snprintf(t_p->arch, sizeof t_p->arch, "%s", arch);
    return STF_OK;
}

static stf_status target_device(const char *name, target *t_p)
{
    stf_device *dev;
    stf_device_info info;
    stf_status status = stf_device_open(name, &dev);

    if (status != STF_OK)
        return status;
    status = stf_device_query(dev, &info);
    if (status == STF_OK)
        status = dev->backend->caps(dev->ctx, &t_p->caps);
    stf_device_close(dev);
    if (status == STF_OK && !t_p->caps.gpu)
        status = stfi_error(STF_ERR_ARGUMENT,
                            "device %s needs no compiled "
                            "kernels; use --preset, or --device with a GPU",
                            info.name);
    if (status == STF_OK)
        snprintf(t_p->arch, sizeof t_p->arch, "%.31s", info.arch);
    return status;
}

/* ---------------------------------------------------------------- kernels */

static stf_status add_stock(stfi_kernel_set *set, const target *t)
{
    stf_status status = STF_OK;

    for (size_t i = 0; i < sizeof stock / sizeof *stock && status == STF_OK;
         i++) {
        stfi_problem p;

        status = stfi_problem_parse(stock[i], &p);
        if (status == STF_OK)
            status = stfi_kernel_set_add(set, &p.desc, &t->caps, t->arch);
    }
    return status;
}

/* Adds a problem's kernels for all kinds of protection that are asked for, and
 * that the device has if `all` are. */
static stf_status add_protected(const stfi_protections *kinds,
                                const stf_fft_desc *desc, stfi_kernel_set *set,
                                const target *t)
{
    stf_status status = STF_OK;

    for (int i = 0; i < kinds->count && status == STF_OK; i++) {
        stf_fft_desc wanted = *desc;

        wanted.ft = kinds->item[i].ft;
        status = stfi_kernel_set_add(set, &wanted, &t->caps, t->arch);
        if (status == STF_ERR_UNSUPPORTED && kinds->item[i].optional)
            status = STF_OK;
    }
    return status;
}

/* The same for a matrix product, which has kinds of its own. */
static stf_status add_product(const stfi_args *args, const stf_gemm_desc *desc,
                              stfi_kernel_set *set, const target *t)
{
    const stfi_protections kinds = stfi_gemm_protections_of(args, 0);
    stf_status status = STF_OK;

    for (int i = 0; i < kinds.count && status == STF_OK; i++) {
        stf_gemm_desc wanted = *desc;

        wanted.ft = kinds.item[i].ft;
        status = stfi_kernel_set_add_product(set, &wanted, &t->caps, t->arch);
        if (status == STF_ERR_UNSUPPORTED && kinds.item[i].optional)
            status = STF_OK;
    }
    return status;
}

static stf_status add_problems(const stfi_args *args, stfi_kernel_set *set,
                               const target *t)
{
    const stfi_protections kinds = stfi_protections_of(args);
    stfi_problems list;
    stf_status status = stfi_problems_of(args, &list);

    if (status != STF_OK)
        return status;
    for (int i = 0; i < list.count && status == STF_OK; i++) {
        const stfi_listed *item = &list.item[i];

        status = item->is_product
                     ? add_product(args, &item->product, set, t)
                     : add_protected(&kinds, &item->problem.desc, set, t);
    }
    stfi_problems_free(&list);
    return status;
}

static stf_status collect(const stfi_args *args, stfi_kernel_set *set)
{
    const char *preset = stfi_args_text(args, STFI_OPT_PRESET, NULL);
    const char *device = stfi_args_text(args, STFI_OPT_DEVICE, NULL);
    int with_stock = stfi_args_given(args, STFI_OPT_ALL);
    target t;
    stf_status status;

    if (preset != NULL && device != NULL)
        return stfi_error(STF_ERR_ARGUMENT, "--preset and --device exclude "
                                            "each other");
    status =
        preset != NULL ? target_preset(preset, &t) : target_device(device, &t);
    if (status == STF_OK && with_stock)
        status = add_stock(set, &t);
    if (status == STF_OK
        && (!with_stock || args->nwords > 0 || stfi_args_given(args, STFI_OPT_N)
            || stfi_args_given(args, STFI_OPT_PROBLEMS)))
        status = add_problems(args, set, &t);
    return status;
}

/* stfi_kernel_source.get: gets an image, and prints a row about it. */
static stf_status get(void *table, const stfi_gpu_key *key, void **image_p,
                      size_t *bytes_p)
{
    char cell[COLUMNS][STFI_CELL_BYTES];
    int cached;
    double began = stfi_clock();
    stf_status status = stfi_gpu_image_get(stfi_compiler_of(key->arch), key,
                                           image_p, bytes_p, &cached);

    if (status != STF_OK)
        return status;
    snprintf(cell[COLUMN_ARCH], STFI_CELL_BYTES, "%s", key->arch);
    snprintf(cell[COLUMN_BYTES], STFI_CELL_BYTES, "%zu", *bytes_p);
    snprintf(cell[COLUMN_CACHED], STFI_CELL_BYTES, "%d", cached);
    snprintf(cell[COLUMN_SECONDS], STFI_CELL_BYTES, "%.3f",
             stfi_clock() - began);
    snprintf(cell[COLUMN_ENTRY], STFI_CELL_BYTES, "%s", key->entry);
    stfi_table_row(table, cell);
    return STF_OK;
}

static stf_status get_all(const stfi_args *args, const stfi_kernel_set *set)
{
    stfi_format format = stfi_format_of(args);
    stfi_table table;
    stf_status status = STF_OK;

    stfi_table_begin(&table, stdout, format, columns, COLUMNS);
    for (int i = 0; i < set->count && status == STF_OK; i++) {
        const stfi_kernel_source source = {
            get, &table, stfi_usage_reader_of(set->kernel[i]->arch)};
        status = stfi_kernel_get(set->kernel[i], &source);
    }
    stfi_table_end(&table);
    if (format == STFI_FORMAT_JSON)
        putchar('\n');
    return status;
}

/* Checks that the cache is usable: without it, compiled kernels would be
 * lost. */
static stf_status check_cache(void)
{
    stfi_cache_place place;
    int64_t limit;
    stf_status status = stfi_cache_limit(&limit);
    int fd;

    if (status != STF_OK)
        return status;
    stfi_cache_place_first(&place);
    fd = stfi_cache_place_open(&place, 1);
    if (fd < 0)
        return stfi_error(STF_ERR_IO,
                          "the kernel cache %s cannot be used: "
                          "%s",
                          place.path, place.reason);
    close(fd);
    return STF_OK;
}

int stfi_cache_warm(const stfi_args *args)
{
    stfi_kernel_set set = {0, 0, NULL};
    stf_status status = check_cache();

    if (status == STF_OK)
        status = collect(args, &set);
    if (status == STF_OK)
        status = get_all(args, &set);
    stfi_kernel_set_free(&set);
    return status == STF_OK ? STFI_EXIT_OK : stfi_exit_of(status);
}
