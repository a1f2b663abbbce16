/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Collects the kernels of problems; see kernel_set.h. */
#include "backends/gpu/host/kernels/kernel_set.h"

#include <stdio.h>
#include <string.h>

#include "backends/gpu/host/end_to_end/end_to_end.h"
#include "backends/gpu/host/gemm/gemm_kernels.h"
#include "base/alloc.h"
#include "base/effort.h"
#include "base/status.h"
#include "fft/candidates.h"
#include "fft/desc.h"
#include "fft/lower.h"
#include "ft/instrument.h"
#include "ft/offline.h"
#include "gemm/gemm_desc.h"

stf_status stfi_kernel_get(const stfi_kernel *kernel,
                           const stfi_kernel_source *source)
{
    const stfi_gpu_spec *spec = &kernel->spec;
    stfi_gpu_usage usage = {.local_bytes = spec->spill_bytes + 1};
    char exact[STFI_GPU_ARCH_BYTES];
    stf_status status = STF_OK;

    stfi_gpu_arch_exact(kernel->arch, exact);
    for (int blocks = spec->hoped;
         blocks > 0 && stfi_gpu_spec_spills(spec, blocks, &usage)
         && status == STF_OK;
         blocks = stfi_gpu_spec_fewer(spec, blocks)) {
        char config[STFI_GPU_VARIANT_BYTES];
        stfi_gpu_key key = {spec->entry, config,
                            spec->exact ? exact : kernel->arch};
        void *image;
        size_t bytes;

        stfi_gpu_spec_variant(spec, blocks, config);
        status = source->get(source->arg, &key, &image, &bytes);
        if (status != STF_OK)
            break;
        status = source->usage(image, bytes, spec->entry, &usage);
        stfi_dealloc(image);
    }
    return status;
}

/* ---------------------------------------------------------------- the set */

static int holds(const stfi_kernel_set *set, const stfi_kernel *k)
{
    for (int i = 0; i < set->count; i++) {
        const stfi_kernel *there = set->kernel[i];

        if (strcmp(there->spec.entry, k->spec.entry) == 0
            && strcmp(there->arch, k->arch) == 0
            && strcmp(there->spec.config, k->spec.config) == 0)
            return 1;
    }
    return 0;
}

static stf_status grow(stfi_kernel_set *set)
{
    int capacity = set->capacity > 0 ? 2 * set->capacity : 32;
    void *list;
    stf_status status = stfi_alloc((size_t)capacity * sizeof *set->kernel,
                                   "a list of kernels", &list);

    if (status != STF_OK)
        return status;
    if (set->count > 0)
        memcpy(list, set->kernel, (size_t)set->count * sizeof *set->kernel);
    stfi_dealloc(set->kernel);
    set->kernel = list;
    set->capacity = capacity;
    return STF_OK;
}

/* Adds the kernel to the set, or frees it if the set has it already. */
static stf_status insert_take(stfi_kernel_set *set, stfi_kernel *k)
{
    stf_status status = STF_OK;
    int known = holds(set, k);

    if (!known && set->count == set->capacity)
        status = grow(set);
    if (known || status != STF_OK)
        stfi_dealloc(k);
    else
        set->kernel[set->count++] = k;
    return status;
}

/* Where the kernels of a problem go. */
typedef struct target {
    stfi_kernel_set *set;
    const stfi_caps *caps;
    const char *arch;
} target;

static stf_status make_kernel(const target *to, stfi_kernel **k_p)
{
    void *memory;
    stf_status status = stfi_alloc(sizeof **k_p, "a kernel's text", &memory);

    if (status != STF_OK)
        return status;
    *k_p = memory;
    snprintf((*k_p)->arch, sizeof(*k_p)->arch, "%s", to->arch);
    return STF_OK;
}

/* Adds the kernel if its text could be made, or else frees it. */
static stf_status keep(const target *to, stfi_kernel *k, stf_status made)
{
    if (made == STF_OK)
        return insert_take(to->set, k);
    stfi_dealloc(k);
    return made;
}

static stf_status add_pass(const target *to, const stfi_schedule *s, int pass)
{
    stfi_kernel *k;
    stf_status status = make_kernel(to, &k);

    return status != STF_OK
               ? status
               : keep(to, k,
                      stfi_gpu_spec_make(&s->pass[pass], s->precision, to->caps,
                                         &k->spec));
}

static stf_status add_launch(const target *to, const stfi_e2e_desc *of,
                             stfi_e2e_launch what)
{
    stfi_kernel *k;
    stf_status status = make_kernel(to, &k);

    return status != STF_OK
               ? status
               : keep(to, k,
                      stfi_gpu_e2e_spec_of(of, what, to->caps, &k->spec));
}

/* Adds the kernels of end-to-end checks in one direction. */
static stf_status add_end_to_end(const target *to, const stf_fft_desc *full,
                                 stfi_ft_cache *cache, stf_direction direction)
{
    stfi_ft_offline check;
    stfi_e2e_desc of;
    stf_status status =
        stfi_ft_offline_open(cache, full, direction, NULL, &check);

    if (status != STF_OK)
        return status;
    of = stfi_e2e_desc_of(full, &check);
    for (int i = 0; i < STFI_E2E_LAUNCHES && status == STF_OK; i++)
        status = add_launch(to, &of, (stfi_e2e_launch)i);
    stfi_ft_offline_close(&check);
    return status;
}

static stf_status add_checks(const target *to, const stf_fft_desc *full)
{
    stfi_ft_cache *cache;
    stf_status status = STF_OK;

    if (!stfi_ft_is_end_to_end(&full->ft))
        return STF_OK;
    status = stfi_ft_cache_create(&cache);
    if (status != STF_OK)
        return status;
    for (int inverse = 0; inverse < 2 && status == STF_OK; inverse++)
        if (stfi_desc_has_direction(full, inverse))
            status = add_end_to_end(to, full, cache,
                                    inverse ? STF_INVERSE : STF_FORWARD);
    stfi_ft_cache_destroy(cache);
    return status;
}

/* Adds the kernels of the passes of a plan with a choice, which it makes. */
static stf_status add_chosen(const target *to, const stf_fft_desc *full,
                             const stfi_choice *choice, stfi_schedule *s)
{
    stf_status status =
        stfi_lower_chosen(full, to->caps, 1, SIZE_MAX, choice, s);

    if (status == STF_OK)
        status = stfi_ft_rehearse(&full->ft, s);
    for (int i = 0; status == STF_OK && i < s->npasses; i++)
        status = add_pass(to, s, i);
    return status;
}

/* Schedules, and what differs from the first of them. */
typedef struct alternatives {
    stfi_schedule model, other;
    stfi_choice none, list[STFI_CANDIDATES];
} alternatives;

/* Adds the kernels of the model's plan, and with an effort those of the candidates that
 * measuring begins with; some of them are not possible. */
static stf_status add_passes(const target *to, const stf_fft_desc *full)
{
    alternatives *a;
    void *memory;
    int count = 0;
    stf_status status = stfi_alloc(sizeof *a, "schedules", &memory);

    if (status != STF_OK)
        return status;
    a = memory;
    status = add_chosen(to, full, &a->none, &a->model);
    if (status == STF_OK && full->effort != STF_EFFORT_ESTIMATE)
        count = stfi_candidates(full, &a->model, 0, &a->none,
                                stfi_effort_each(full->effort), a->list);
    for (int i = 0; i < count && status == STF_OK; i++) {
        status = add_chosen(to, full, &a->list[i], &a->other);
        if (status == STF_ERR_UNSUPPORTED)
            status = STF_OK;
    }
    stfi_dealloc(memory);
    return status;
}

stf_status stfi_kernel_set_add(stfi_kernel_set *set, const stf_fft_desc *desc,
                               const stfi_caps *caps, const char *arch)
{
    const target to = {set, caps, arch};
    stf_fft_desc full, padded;
    stf_status status = stfi_desc_complete(desc, &full);

    if (status == STF_OK)
        status = add_passes(&to, &full);
    if (status == STF_OK)
        status = add_checks(&to, &full);
    if (status == STF_OK && stfi_desc_padded(desc, &padded)) {
        padded.ft = full.ft; /* a padded layout is completed without it */
        status = add_passes(&to, &padded);
    }
    return status;
}

/* stfi_gpu_gemm_visit: adds one kernel. */
static stf_status add_spec(void *arg, const stfi_gpu_spec *spec)
{
    const target *to = arg;
    stfi_kernel *k;
    stf_status status = make_kernel(to, &k);

    if (status != STF_OK)
        return status;
    k->spec = *spec;
    return insert_take(to->set, k);
}

stf_status stfi_kernel_set_add_product(stfi_kernel_set *set,
                                       const stf_gemm_desc *desc,
                                       const stfi_caps *caps, const char *arch)
{
    target to = {set, caps, arch};
    stf_gemm_desc full;
    stfi_gemm gemm;
    stf_status status = stfi_gemm_desc_complete(desc, &full);

    if (status != STF_OK)
        return status;
    gemm = stfi_gemm_lower(&full);
    return stfi_gpu_gemm_kernels(&gemm, full.effort, caps, arch, add_spec, &to);
}

void stfi_kernel_set_free(stfi_kernel_set *set)
{
    for (int i = 0; i < set->count; i++)
        stfi_dealloc(set->kernel[i]);
    stfi_dealloc(set->kernel);
    *set = (stfi_kernel_set){0, 0, NULL};
}
