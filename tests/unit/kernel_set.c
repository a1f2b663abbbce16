/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sets of kernels to be compiled in advance: each kernel is in a set once, in
 * the variants that the backend would load, for the architecture of a
 * preset. */
#include <stdio.h>
#include <string.h>

#include "backends/gpu/host/kernels/kernel_set.h"
#include "base/alloc.h"
#include "device/tuning.h"
#include "fft/desc.h"
#include "fft/lower.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

static stf_status add(stfi_kernel_set *set, const char *word, const char *arch)
{
    stfi_problem p;
    stf_status status = stfi_problem_parse(word, &p);

    return status == STF_OK ? stfi_kernel_set_add(
               set, &p.desc, stfi_gpu_arch_preset(arch), arch)
                            : status;
}

static void test_archs(void)
{
    const stfi_caps *caps = stfi_gpu_arch_preset("sm_90");
    const char *arch = stfi_gpu_preset_arch("h100");
    char text[STFI_GPU_ARCH_BYTES];

    tap_ok(caps != NULL && strcmp(caps->name, "h200") == 0,
           "sm_90 stands for an H200");
    tap_ok(arch != NULL && strcmp(arch, "sm_90") == 0, "an H100 is sm_90");
    tap_ok(stfi_gpu_arch_preset("sm_9") == NULL
               && stfi_gpu_preset_arch("cpu") == NULL,
           "others are not known");
    stfi_gpu_arch_virtual("sm_90", text);
    tap_ok(strcmp(text, "compute_90") == 0, "its virtual one is %s", text);
    stfi_gpu_arch_virtual("simt32", text);
    tap_ok(strcmp(text, "simt32") == 0, "that of another vendor %s", text);
}

static void test_sets(void)
{
    stfi_kernel_set set = {0, 0, NULL};
    int one, all;

    tap_ok(add(&set, "c2c:f32:out:1024*4096", "sm_90") == STF_OK
               && set.count > 0,
           "a problem has kernels");
    one = set.count;
    tap_ok(add(&set, "c2c:f32:out:1024*4096", "sm_90") == STF_OK
               && set.count == one,
           "each of them once");
    tap_ok(add(&set, "c2c:f32:out:1024*4096", "sm_80") == STF_OK
               && set.count == 2 * one,
           "but once per architecture");
    all = set.count;
    tap_ok(add(&set, "c2c:f64:out:1024*4096", "sm_90") == STF_OK
               && set.count > all,
           "and precision");
    all = set.count;
    tap_ok(add(&set, "c2c:f80:out:8", "sm_90") < 0 && set.count == all,
           "what no GPU can do is refused");
    tap_ok(add(&set, "r2c:f64:out:300x400x50*3", "sm_90") == STF_OK
               && set.count > all + 2,
           "several axes have several kernels");
    stfi_kernel_set_free(&set);
    tap_ok(set.count == 0 && set.kernel == NULL, "a set is freed");
}

/* ---------------------------------------------------------------- variants */

/* A compiler for tests: kernels spill unless they are compiled for `enough`
 * blocks per multiprocessor or fewer. */
typedef struct fake {
    int enough, calls;
    stf_status status;
    int blocks[16];
} fake;

static int compiled_for;

static stf_status get(void *arg, const stfi_gpu_key *key, void **image_p,
                      size_t *bytes_p)
{
    fake *f = arg;
    const char *blocks = strstr(key->config, "#define STFK_BLOCKS ");
    stf_status status = f->status;

    if (blocks == NULL
        || sscanf(blocks, "#define STFK_BLOCKS %d", &compiled_for) != 1)
        status = STF_ERR_INTERNAL;
    if (status == STF_OK)
        status = stfi_alloc(1, "an image", image_p);
    if (status != STF_OK)
        return status;
    *bytes_p = 1;
    f->blocks[f->calls++] = compiled_for;
    *(char *)*image_p = compiled_for > f->enough;
    return STF_OK;
}

static stf_status usage(const void *image, size_t bytes, const char *entry,
                        stfi_gpu_usage *usage_p)
{
    (void)entry;
    usage_p->local_bytes = bytes == 1 && *(const char *)image
                               ? stfi_tuning_h200.spill_bytes + 8
                               : stfi_tuning_h200.spill_bytes;
    return STF_OK;
}

static void test_variants(void)
{
    stfi_kernel_set set = {0, 0, NULL};
    fake f = {.enough = 99};
    const stfi_kernel_source source = {get, &f, usage};
    stfi_kernel *k;

    if (!tap_ok(add(&set, "c2c:f32:out:64*65536", "sm_90") == STF_OK
                    && set.count == 1,
                "one kernel"))
        return;
    k = set.kernel[0];
    tap_ok(stfi_kernel_get(k, &source) == STF_OK && f.calls == 1
               && f.blocks[0] == k->spec.resident,
           "what does not spill will do");
    f = (fake){.enough = 0};
    tap_ok(stfi_kernel_get(k, &source) == STF_OK && f.calls > 1
               && f.blocks[0] == k->spec.resident && f.blocks[f.calls - 1] == 1,
           "what spills is tried for fewer blocks, down to one");
    for (int i = 1; i < f.calls; i++)
        if (f.blocks[i] >= f.blocks[i - 1])
            tap_ok(0, "%d blocks after %d", f.blocks[i], f.blocks[i - 1]);
    f = (fake){.enough = k->spec.resident - 1};
    tap_ok(stfi_kernel_get(k, &source) == STF_OK && f.calls == 2,
           "and no further than needed");
    f = (fake){.status = STF_ERR_COMPILE};
    tap_ok(stfi_kernel_get(k, &source) == STF_ERR_COMPILE, "an error ends it");
    stfi_kernel_set_free(&set);
}

static void test_memory(void)
{
    int fine = 1, k;

    for (k = 1; k < 1000 && fine; k++) {
        stfi_kernel_set set = {0, 0, NULL};
        stf_status status;

        stfi_alloc_fail_at(k);
        status = add(&set, "r2c:f32:out:360x7*4", "sm_80");
        if (stfi_alloc_fail_at(0) < k) {
            stfi_kernel_set_free(&set);
            break;
        }
        fine = status == STF_ERR_MEMORY;
        stfi_kernel_set_free(&set);
    }
    tap_ok(fine && k > 3 && k < 1000, "every allocation fails");
}

int main(void)
{
    tap_begin("kernel_set");
    test_archs();
    test_sets();
    test_variants();
    test_memory();
    return tap_end();
}
