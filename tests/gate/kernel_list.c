/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The list of kernels that tests compile without a GPU; see kernel_list.h. */
#include "tests/gate/kernel_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/gpu/host/end_to_end/end_to_end.h"
#include "fft/lower.h"
#include "ft/instrument.h"
#include "support/problem/problem.h"

/* One in so many problems is protected, and one is gated. */
enum { PROTECTED_STEP = 24, WORD_BYTES = 80 };

static const char *const problems[] = {
#define STFI_AOT(problem) problem,
#include "backends/gpu/aot.def"
#undef STFI_AOT
#define ODD(problem) problem,
#define KNOWN(arch, entry, reason)
#include "tests/unit/kernels.def"
#undef KNOWN
#undef ODD
};

enum { PROBLEMS = sizeof problems / sizeof *problems };

/* One way to check the passes of a problem. */
typedef struct mode {
    const char *name;
    stf_ft_desc ft;
    int gated;
} mode;

/* A protected problem is checked in the first of these ways and, in turn, in
 * one of the others. */
static const mode protected_modes[] = {
    {"correct", {.mode = STF_FT_CORRECT}, 0},
    {"two-sided",
     {.mode = STF_FT_CORRECT, .scheme = STF_FT_SCHEME_TWO_SIDED},
     0},
    {"four-tiles",
     {.mode = STF_FT_CORRECT,
      .scheme = STF_FT_SCHEME_SIGNAL,
      .transactions = 4},
     0},
    {"one-sided",
     {.mode = STF_FT_CORRECT, .scheme = STF_FT_SCHEME_ONE_SIDED},
     0},
    {"thread", {.mode = STF_FT_CORRECT, .level = STF_FT_THREAD}, 0},
    {"end-to-end", {.mode = STF_FT_CORRECT}, 1},
};

enum { MODES = sizeof protected_modes / sizeof *protected_modes };

/* The arguments that all kernels of one call share. */
typedef struct list {
    const char *preset, *arch;
    stfi_list_take *take;
    void *arg;
} list;

const char *stfi_list_problem(int i)
{
    return i >= 0 && i < PROBLEMS ? problems[i] : NULL;
}

static void hand_over(const list *l, const char *problem, const char *name,
                      int pass, const stfi_gpu_spec *spec)
{
    stfi_listed k = {.preset = l->preset,
                     .arch = l->arch,
                     .problem = problem,
                     .pass = pass,
                     .spec = spec};

    snprintf(k.mode, sizeof k.mode, "%s", name);
    l->take(l->arg, &k);
}

static stf_status add_problem(const list *l, const char *word, const mode *m)
{
    static stfi_schedule s;
    static stfi_gpu_spec spec;
    const stfi_caps *caps = stfi_preset_find(l->preset);
    const size_t length = strcspn(word, "/");
    const stfi_choice choice = {
        .unit_radix = word[length] == '/' ? atoi(word + length + 1) : 0};
    char own[WORD_BYTES];
    stfi_problem p;
    stf_fft_desc full;
    stf_status status;

    snprintf(own, sizeof own, "%.*s", (int)length, word);
    status = stfi_problem_parse(own, &p);

    p.desc.ft = m->ft;
    if (status == STF_OK)
        status = stfi_desc_complete(&p.desc, &full);
    if (status == STF_OK)
        status = stfi_lower_chosen(&full, caps, 1, SIZE_MAX, &choice, &s);
    if (status == STF_OK)
        stfi_ft_mark(&full.ft, &s);
    if (status == STF_OK && m->gated)
        stfi_schedule_gate(&s);
    for (int i = 0; status == STF_OK && i < s.npasses; i++) {
        status = stfi_gpu_spec_make(&s.pass[i], s.precision, caps, &spec);
        if (status == STF_OK)
            hand_over(l, word, m->name, i, &spec);
    }
    return status;
}

stf_status stfi_list_kernels(int i, const char *preset, const char *arch,
                             stfi_list_take *take, void *arg)
{
    static const mode off = {"off", {.mode = STF_FT_OFF}, 0},
                      gated = {"gated", {.mode = STF_FT_OFF}, 1};
    const list l = {preset, arch, take, arg};
    int turn = i / PROTECTED_STEP;
    stf_status status = add_problem(&l, problems[i], &off);

    if (status == STF_OK && i % PROTECTED_STEP == PROTECTED_STEP / 2)
        status = add_problem(&l, problems[i], &gated);
    if (status != STF_OK || i % PROTECTED_STEP != 0)
        return status;
    status = add_problem(&l, problems[i], &protected_modes[0]);
    return status != STF_OK
               ? status
               : add_problem(&l, problems[i],
                             &protected_modes[1 + turn % (MODES - 1)]);
}

stf_status stfi_list_protected(int i, const char *preset, const char *arch,
                               stfi_list_take *take, void *arg)
{
    const list l = {preset, arch, take, arg};

    return add_problem(&l, problems[i], &protected_modes[0]);
}

stf_status stfi_list_end_to_end(const char *preset, const char *arch,
                                stfi_list_take *take, void *arg)
{
    static stfi_gpu_spec spec;
    const list l = {preset, arch, take, arg};
    const stfi_caps *caps = stfi_preset_find(preset);
    stf_status status = STF_OK;

    for (int n = 0; n < 2 * 8 * STFI_E2E_KERNELS && status == STF_OK; n++) {
        int precision = STF_F32 + n % 2, i = n / 2 % 8, kernel = n / 16;
        int most = precision == STF_F32 ? 4 : 2;
        stfi_e2e_form form = {i % 2, i / 2 % 2, i < 4 ? 1 : most};
        char name[48];

        if ((kernel == STFI_E2E_HALF && form.packed)
            || (kernel > STFI_E2E_HALF && i > 0))
            continue; /* no plan uses these */
        status = stfi_gpu_e2e_spec((stfi_e2e_kernel)kernel, form,
                                   (stf_precision)precision, caps, &spec);
        snprintf(name, sizeof name, "%s-%d-%d",
                 precision == STF_F32 ? "f32" : "f64", kernel, i);
        if (status == STF_OK)
            hand_over(&l, "end-to-end", name, 0, &spec);
    }
    return status;
}
