/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Kernels of matrix products as the compiler sees them; see gemm_spec.h. */
#include "backends/gpu/host/gemm/gemm_spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/gpu/kernels/fft/args.h"
#include "backends/gpu/kernels/gemm/gemm_args.h"
#include "base/hash.h"
#include "base/status.h"
#include "device/tuning.h"

_Static_assert((int)STFK_GEMM_CHUNK == (int)STFI_GEMM_CHUNK,
               "kernels and plans divide k differently");

typedef struct kernel_row {
    const char *name, *what;
    int checked; /* 1: only if the plan is */
    int strike;
    int shared_bytes; /* -1: those of the tiling */
    int resident;     /* blocks of a multiprocessor; 0: those of the tiling */
} kernel_row;

static const kernel_row kernels[STFI_GEMM_KERNELS] = {
    [STFI_GEMM_MULTIPLY] = {"multiply", "MULTIPLY", 0, 0, -1, 0},
    [STFI_GEMM_STRIKE] = {"strike", "MULTIPLY", 1, 1, -1, 0},
    [STFI_GEMM_ENCODE] = {"encode", "ENCODE", 1, 0, STFK_GEMM_THREADS * 24, 2},
    [STFI_GEMM_SPLIT] = {"split", "SPLIT", 0, 0,
                         STFK_GEMM_LINES *(STFK_GEMM_STEPS + 1) * 4, 4},
    [STFI_GEMM_ADD] = {"add", "ADD", 0, 0, 0, 4},
    [STFI_GEMM_STRIKE_ADD] = {"strike_add", "ADD", 1, 1, 0, 4},
    [STFI_GEMM_KEEP] = {"keep", "KEEP", 1, 0, 0, 4},
    [STFI_GEMM_SETTLE] = {"settle", "SETTLE", 1, 0, -1, 0},
    [STFI_GEMM_STRIKE_SETTLE] = {"strike_settle", "SETTLE", 1, 1, -1, 0},
    [STFI_GEMM_MEND] = {"mend", "MEND", 1, 0, -1, 0},
    [STFI_GEMM_STRIKE_MEND] = {"strike_mend", "MEND", 1, 1, -1, 0},
};

/* The number of an architecture of NVIDIA's, or 0. The emulation of such devices
 * has what 80 has. */
static int number_of(const char *arch)
{
    if (strncmp(arch, "sm_", 3) == 0)
        return atoi(arch + 3);
    if (strncmp(arch, "compute_", 8) == 0)
        return atoi(arch + 8);
    return strcmp(arch, "simt32") == 0 ? 80 : 0;
}

int stfi_gpu_gemm_async(const char *arch)
{
    return number_of(arch) >= 80;
}

int stfi_gpu_gemm_cut(const char *arch)
{
    return number_of(arch) >= 90 ? 16 : 8;
}

/* What a kernel is told of its numbers. */
typedef struct numbers {
    const char *stored, *stored_c; /* what arrays hold */
    const char *real;
    int half; /* 1 + the number that kernels have for halves; 0: none */
    int unit, splits, along_a, along_b;
    int thread_m, thread_n;
} numbers;

/* Halves are words of 16 bits. */
static const char *stored_name(const stfi_type *type)
{
    return type->c_name != NULL ? type->c_name : "unsigned short";
}

/* The numbers that kernels have for units of halves, STFK_UNIT. */
enum { KERNEL_HALVES = 2, KERNEL_GROUPS = 3 };

/* Of split operands, kernels before the product have the numbers as they are, and
 * all others the halves, whose neighbours are along k. */
static numbers numbers_of(const kernel_row *row, const stfi_gemm *g,
                          const stfi_gemm_tiling *t)
{
    const stfi_type *type = stfi_type_get(g->precision);
    const stfi_gemm_unit *unit = stfi_gemm_unit_get(t->tile.unit);
    const int halves = unit->groups ? KERNEL_GROUPS : KERNEL_HALVES;
    const int before =
        row == &kernels[STFI_GEMM_ENCODE] || row == &kernels[STFI_GEMM_SPLIT];
    numbers n = {
        .stored = stored_name(type),
        .stored_c = stored_name(stfi_type_get(g->precision_c)),
        .real = stfi_type_arithmetic(g->precision)->c_name,
        .half = type->id == STF_F16    ? 1
                : type->id == STF_BF16 ? 2
                                       : 0,
        .unit = unit->splits   ? STFI_GEMM_NO_UNIT
                : unit->halves ? halves
                               : t->tile.unit,
        .thread_m = t->tile.thread_m,
        .thread_n = t->tile.thread_n,
        .along_a = g->a.row != 1,
        .along_b = g->b.col != 1,
    };

    if (unit->splits && before) {
        /* Their threads have no part of C; any part that has whole units does. */
        n.thread_m = t->tile.m / 8;
        n.thread_n = 4;
    }
    if (unit->splits && !before) {
        n.stored = "unsigned short";
        n.half = n.splits = n.along_a = n.along_b = 1;
        n.unit = halves;
    }
    return n;
}

/* Products that are checked as a whole are computed as without checks. */
static int checks_tiles(const stfi_gemm *g)
{
    return g->ft.mode != STF_FT_OFF && g->ft.level != STF_FT_OFFLINE;
}

int stfi_gpu_gemm_unit_sums(const stfi_gemm *g, const stfi_gemm_tiling *t)
{
    const stfi_gemm_unit *unit = stfi_gemm_unit_get(t->tile.unit);

    return checks_tiles(g) && unit->groups ? 1 + unit->splits : 0;
}

int stfi_gpu_gemm_own_norms(const stfi_gemm *g, const stfi_gemm_tiling *t)
{
    return checks_tiles(g) && g->ft.level != STF_FT_THREAD
           && g->ft.level != STF_FT_WARP
           && !stfi_gemm_unit_get(t->tile.unit)->halves && !t->apart;
}

static int write_config(const kernel_row *row, const stfi_gemm *g,
                        const stfi_gemm_tiling *t, const stfi_caps *caps,
                        int resident, char *text, size_t capacity)
{
    const numbers n = numbers_of(row, g, t);
    const int on = checks_tiles(g);

    return snprintf(
        text, capacity,
        "#define STFK_GEMM GEMM_%s\n#define STFK_GEMM_HALVES %d\n"
        "#define STFK_STORED %s\n#define STFK_REAL %s\n#define STFK_SUM %s\n"
        "#define STFK_STORED_C %s\n#define STFK_HALF %d\n#define STFK_SPLIT "
        "%d\n"
        "#define STFK_BM %d\n#define STFK_BN %d\n#define STFK_BK %d\n"
        "#define STFK_TM %d\n#define STFK_TN %d\n#define STFK_STAGES %d\n"
        "#define STFK_ASYNC %d\n#define STFK_UNIT %d\n"
        "#define STFK_A_ALONG_K %d\n#define STFK_B_ALONG_K %d\n"
        "#define STFK_CHECK %d\n#define STFK_CORRECT %d\n"
        "#define STFK_BY_THREAD %d\n#define STFK_BY_WARP %d\n"
        "#define STFK_TWO_SIDED %d\n#define STFK_UNIT_SUMS %d\n"
        "#define STFK_OWN_NORMS %d\n#define STFK_EXPECTED %d\n"
        "#define STFK_LEADS %d\n"
        "#define STFK_TWICE 0\n#define STFK_GATED 0\n"
        "#define STFK_SHARED_ALIGN %d\n"
        "#define STFK_STRIKE %d\n#define STFK_WAVE %d\n"
        "#ifndef STFK_BLOCKS\n#define STFK_BLOCKS %d\n#endif\n",
        row->what, row == &kernels[STFI_GEMM_SPLIT], n.stored, n.real, n.real,
        n.stored_c, n.half, n.splits, t->tile.m, t->tile.n, t->steps,
        n.thread_m, n.thread_n, t->stages, t->async, n.unit, n.along_a,
        n.along_b, on, g->ft.mode == STF_FT_CORRECT,
        on && g->ft.level == STF_FT_THREAD, on && g->ft.level == STF_FT_WARP,
        on && g->ft.mode == STF_FT_CORRECT
            && g->ft.scheme == STF_FT_SCHEME_TWO_SIDED,
        stfi_gpu_gemm_unit_sums(g, t), stfi_gpu_gemm_own_norms(g, t),
        t->apart && strcmp(row->what, "MULTIPLY") == 0, g->leads,
        n.unit == KERNEL_GROUPS ? 1024 : 16, row->strike, (int)caps->wave,
        resident);
}

stf_status stfi_gpu_gemm_spec(stfi_gemm_kernel kernel, const stfi_gemm *g,
                              const stfi_gemm_tiling *t, const stfi_caps *caps,
                              stfi_gpu_spec *spec_p)
{
    const kernel_row *row = &kernels[kernel];
    const int tiled = row->shared_bytes < 0;
    char text[1024];
    int length;

    memset(spec_p, 0, sizeof *spec_p);
    spec_p->resident = tiled ? t->tile.blocks : row->resident;
    spec_p->hoped = spec_p->resident;
    spec_p->spills_most =
        row->strike ? 1000 : stfi_tuning_of(caps)->spills_most;
    spec_p->spill_bytes = row->strike ? 1 << 20
                          : g->ft.mode != STF_FT_OFF
                              ? stfi_tuning_of(caps)->spill_bytes_checked
                              : stfi_tuning_of(caps)->spill_bytes;
    spec_p->lanes = 1;
    spec_p->has_flag = checks_tiles(g);
    spec_p->exact = stfi_gemm_unit_get(t->tile.unit)->groups;
    spec_p->launch = (stfi_gpu_launch){
        0, (uint32_t)(tiled ? t->threads : STFK_GEMM_THREADS),
        (uint32_t)(tiled ? t->shared_bytes : row->shared_bytes), 1};
    length = write_config(row, g, t, caps, spec_p->resident, text, sizeof text);
    snprintf(spec_p->entry, sizeof spec_p->entry,
             "stfk_gemm_%s_%s_%dx%d_%c%c_%016" PRIx64, row->name,
             stfi_type_get(g->precision)->name, t->tile.m, t->tile.n,
             g->a.row != 1 ? 't' : 'n', g->b.col != 1 ? 'n' : 't',
             stfi_hash_text(text));
    if (length < 0 || (size_t)length >= sizeof text)
        return stfi_error(STF_ERR_INTERNAL, "config.h of %s is too long",
                          spec_p->entry);
    snprintf(spec_p->config, sizeof spec_p->config, "%s#define STFK_NAME %s\n",
             text, spec_p->entry);
    return STF_OK;
}
