/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The CUDA kernels of common schedules: each compiles, keeps to its share of
 * a multiprocessor, and holds its data in registers. The last is what makes
 * them fast, and a compiler gives it up without a word. */
#include <stdio.h>
#include <string.h>

#include "backends/cuda/cubin.h"
#include "backends/cuda/cuda_rtc.h"
#include "backends/gpu/host/spec.h"
#include "base/alloc.h"
#include "plan/lower.h"
#include "tests/problem.h"
#include "tests/tap.h"

enum { MAX_KERNELS = 512, REGISTERS_PER_UNIT = 65536, WAVE = 32 };

/* What is planned for a preset is compiled for its architecture. */
static const struct {
    const char *preset, *arch;
    tap_level_t level;
} devices[] = {
    {"h200", "sm_90", TAP_QUICK},
    {"a100", "sm_80", TAP_NORMAL},
    {"t4", "sm_75", TAP_LONG},
};

static const struct {
    const char *word;
    tap_level_t level;
} problems[] = {
    {"c2c:f32:out:8*4096", TAP_NORMAL},
    {"c2c:f32:out:256*1024", TAP_QUICK},
    {"c2c:f32:out:360*4096", TAP_NORMAL},
    {"c2c:f32:out:1024*1024", TAP_QUICK},
    {"c2c:f32:out:4096*1024", TAP_NORMAL},
    {"c2c:f32:out:2310*1024", TAP_LONG},
    {"c2c:f32:out:1021*16", TAP_NORMAL},
    {"c2c:f32:out:65536*64", TAP_NORMAL},
    {"c2c:f32:out:1048576*16", TAP_QUICK},
    {"c2c:f32:out:1048583", TAP_LONG},
    {"c2c:f32:out:512x384*10", TAP_NORMAL},
    {"c2c:f32:out:256x256x256", TAP_NORMAL},
    {"c2c:f64:out:1024*1024", TAP_QUICK},
    {"c2c:f64:out:100000*16", TAP_NORMAL},
    {"c2c:f64:out:1048576*16", TAP_NORMAL},
    {"r2c:f32:out:1024*1024", TAP_NORMAL},
    {"r2c:f64:out:1001*100", TAP_LONG},
    {"r2c:f32:out:1048576*16", TAP_LONG},
    {"c2r:f32:out:1024*1024", TAP_NORMAL},
    {"c2r:f32:out:64x64x64", TAP_LONG},
};

/* Kernels that were tried already, by entry and architecture. */
static char tried[MAX_KERNELS][STFI_GPU_ENTRY_BYTES + 8];
static int ntried;

static int is_new(const char *entry, const char *arch)
{
    char key[STFI_GPU_ENTRY_BYTES + 8];

    snprintf(key, sizeof key, "%s %s", arch, entry);
    for (int i = 0; i < ntried; i++)
        if (!strcmp(tried[i], key))
            return 0;
    if (ntried < MAX_KERNELS)
        memcpy(tried[ntried++], key, sizeof key);
    return 1;
}

/* Blocks that a multiprocessor's registers hold; a warp's are given out by
 * the 256. */
static int blocks_held(int registers, int threads)
{
    int warps = (threads + WAVE - 1) / WAVE;
    int warp_registers = (registers * WAVE + 255) / 256 * 256;

    return REGISTERS_PER_UNIT / (warp_registers * warps);
}

/* Bytes of the elements that a thread's largest butterfly holds. If they are
 * indexed by what the compiler does not know, as much as this is outside of
 * registers; what is less are registers that gave way to resident blocks. */
static int array_bytes(const stfi_pass *pass, stf_precision precision)
{
    int largest = 1;

    for (int i = 0; i < pass->nstages; i++)
        if (pass->radix[i] > largest)
            largest = pass->radix[i];
    return largest * 2 * (int)stfi_type_get(precision)->bytes;
}

static void test_kernel(const stfi_gpu_spec *spec, const char *arch,
                        int least_array)
{
    int threads = (int)spec->launch.threads, held;
    stfi_gpu_usage usage = {0, 0, 0, 0};
    void *image = NULL;
    size_t bytes = 0;
    stf_status status;

    status =
        stfi_cuda_rtc.compile(arch, spec->entry, spec->config, &image, &bytes);
    if (status == STF_OK)
        status = stfi_cubin_usage(image, bytes, spec->entry, &usage);
    stfi_dealloc(image);
    if (!tap_ok(status == STF_OK, "%s %s: %s", arch, spec->entry,
                status ? stf_error_message() : "compiled"))
        return;
    held = blocks_held(usage.registers, threads);
    tap_ok(held >= spec->resident,
           "%d registers of %d threads let %d of %d "
           "blocks be resident",
           usage.registers, threads, held, spec->resident);
    if (usage.local_bytes == 0 || usage.local_bytes >= least_array)
        tap_ok(usage.local_bytes == 0, "%d bytes outside of registers",
               usage.local_bytes);
    else
        tap_todo(0, "registers spilled", "%d bytes outside of registers",
                 usage.local_bytes);
}

static void test_problem(const char *word, const stfi_caps *caps,
                         const char *arch)
{
    static stfi_schedule s;
    static stfi_gpu_spec spec;
    stfi_problem p;
    stf_fft_desc full;
    stf_status status = stfi_problem_parse(word, &p);

    if (!status)
        status = stfi_desc_complete(&p.desc, &full);
    if (!status)
        status = stfi_lower(&full, caps, 1, &s);
    if (status != STF_OK)
        tap_ok(0, "%s: %s", word, stf_error_message());
    for (int i = 0; status == STF_OK && i < s.npasses; i++) {
        status = stfi_gpu_spec_make(&s.pass[i], s.precision, caps, &spec);
        if (status != STF_OK)
            tap_ok(0, "pass %d of %s: %s", i, word, stf_error_message());
        else if (is_new(spec.entry, arch))
            test_kernel(&spec, arch, array_bytes(&s.pass[i], s.precision));
    }
}

int main(void)
{
    enum {
        DEVICES = sizeof devices / sizeof *devices,
        PROBLEMS = sizeof problems / sizeof *problems
    };
    char version[32];

    tap_begin("kernels");
    if (stfi_cuda_rtc.version(version, sizeof version) != STF_OK) {
        tap_skip(stf_error_message(), "compiling kernels");
        return tap_end();
    }
    for (int d = 0; d < DEVICES; d++)
        for (int i = 0; i < PROBLEMS; i++)
            if (devices[d].level <= tap_level()
                && problems[i].level <= tap_level())
                test_problem(problems[i].word,
                             stfi_preset_find(devices[d].preset),
                             devices[d].arch);
    return tap_end();
}
