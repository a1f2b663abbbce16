/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The CPU as a backend: one device, with host memory and OpenMP threads. */
#include "backends/cpu/cpu_backend.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/cpu/cpu_caps.h"
#include "backends/cpu/cpu_exec_whole.h"
#include "backends/cpu/cpu_pass.h"
#include "backends/cpu/cpu_transform.h"
#include "backends/cpu/gemm/cpu_gemm.h"
#include "backends/cpu/sums/row_sums_isa.h"
#include "base/alloc.h"
#include "base/env.h"
#include "base/status.h"
#include "base/team.h"

struct stfi_bctx {
    const char *isa;
    int threads;
    stfi_caps caps;
};

static stf_status cpu_probe(int *ndevices_p, const char **reason_p)
{
    *ndevices_p = 1;
    *reason_p = "";
    return STF_OK;
}

static stf_status choose_isa(const char **isa_p)
{
    const char *wanted = stfi_env_get("STEADFAST_ISA"), *isa;
    char known[128] = "";

    if (wanted == NULL) {
        *isa_p = stfi_cpu_isa_at(0);
        return STF_OK;
    }
    for (int i = 0; (isa = stfi_cpu_isa_at(i)) != NULL; i++) {
        size_t used = strlen(known);
        if (strcmp(isa, wanted) == 0) {
            *isa_p = isa;
            return STF_OK;
        }
        snprintf(known + used, sizeof known - used, " %s", isa);
    }
    return stfi_error(STF_ERR_ARGUMENT,
                      "environment variable STEADFAST_ISA "
                      "is \"%s\"; this build and processor have%s",
                      wanted, known);
}

static stf_status cpu_open(int device, stfi_bctx **bctx_p)
{
    stfi_bctx *ctx;
    void *mem;
    stf_status status;

    if (device != 0)
        return stfi_error(STF_ERR_ARGUMENT,
                          "device cpu:%d does not exist; "
                          "there is one cpu device, cpu:0",
                          device);
    status = stfi_alloc(sizeof *ctx, "a device", &mem);
    if (status != STF_OK)
        return status;
    ctx = mem;
    if ((status = choose_isa(&ctx->isa)) != STF_OK
        || (status = stfi_team_default(&ctx->threads)) != STF_OK) {
        stfi_dealloc(ctx);
        return status;
    }
    ctx->caps = stfi_cpu_caps(ctx->isa, ctx->threads);
    *bctx_p = ctx;
    return STF_OK;
}

static void cpu_close(stfi_bctx *ctx)
{
    stfi_dealloc(ctx);
}

static stf_status cpu_caps(const stfi_bctx *ctx, stfi_caps *caps_p)
{
    *caps_p = ctx->caps;
    return STF_OK;
}

static void read_model(char *text, size_t capacity)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");

    snprintf(text, capacity, "unknown processor");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            colon[strcspn(colon, "\n")] = '\0';
            snprintf(text, capacity, "%.120s", colon + 2);
            break;
        }
    }
    if (file != NULL)
        fclose(file);
}

static stf_status cpu_info(const stfi_bctx *ctx, stf_device_info *info_p)
{
    stf_device_info info;

    memset(&info, 0, sizeof info);
    snprintf(info.backend, sizeof info.backend, "cpu");
    snprintf(info.name, sizeof info.name, "cpu");
    snprintf(info.arch, sizeof info.arch, "%s", ctx->isa);
    read_model(info.model, sizeof info.model);
    info.available = 1;
    info.compute_units = (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
    info.max_threads = stfi_team_size(ctx->threads);
    info.simd_bytes = ctx->caps.wave;
    info.memory_bytes = ctx->caps.memory_bytes;
#ifdef _SC_AVPHYS_PAGES
    info.memory_free_bytes =
        (int64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
#endif
    info.block_memory_bytes = ctx->caps.block_bytes;
    info.l2_bytes = ctx->caps.l2_bytes;
    *info_p = info;
    return STF_OK;
}

static stf_status cpu_supports(const stfi_bctx *ctx, stf_precision precision,
                               const stfi_pass *p)
{
    if (p->check.kind != STFI_CHECK_NONE && !stfi_type_get(precision)->checked)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "ft.mode: transforms in %s "
                          "are not checked; those in f16, bf16, f32 "
                          "and f64 are",
                          stfi_type_get(precision)->name);
    if (p->load.mirror > 0 || p->store.mirror > 0)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "a schedule with mirrored columns runs on GPUs only");
    if (p->two_loop > 0 || p->odd_columns || p->balanced)
        return stfi_error(
            STF_ERR_UNSUPPORTED,
            "a schedule with signals of odd length that are alone "
            "in a lane, or two of different transforms, runs on "
            "GPUs only");
    if (stfi_cpu_kernels_find(ctx->isa, precision) == NULL)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "precision %s is not there on "
                          "the cpu device",
                          stfi_type_get(precision)->name);
    return STF_OK;
}

static stf_status cpu_mem_alloc(stfi_bctx *ctx, size_t bytes, void **ptr_p)
{
    (void)ctx;
    return stfi_alloc_raw(bytes, "an array", ptr_p);
}

static void cpu_mem_free(stfi_bctx *ctx, void *ptr)
{
    (void)ctx;
    stfi_dealloc(ptr);
}

static stf_status cpu_mem_copy(stfi_bctx *ctx, void *dst, const void *src,
                               size_t bytes, stfi_copy_dir dir, void *stream)
{
    (void)ctx;
    (void)dir;
    (void)stream;
    memmove(dst, src, bytes);
    return STF_OK;
}

static stf_status cpu_exec_create(stfi_bctx *ctx, const stfi_schedule *s,
                                  int threads, const stfi_exec *like,
                                  stfi_exec **exec_p)
{
    return stfi_cpu_exec_make(ctx->isa, s, threads, like, &stfi_cpu_dft,
                              exec_p);
}

static stf_status cpu_may_check_whole(stfi_bctx *ctx, stfi_exec *x, int *how_p)
{
    return stfi_cpu_exec_may_check_whole(ctx->isa, &stfi_cpu_dft, x, how_p);
}

static stf_status cpu_check_whole(stfi_bctx *ctx, stfi_exec *x,
                                  const stfi_ft_whole_checks *checks)
{
    return stfi_cpu_exec_check_whole(x, ctx->isa, checks);
}

static stf_status cpu_gemm_create(stfi_bctx *ctx, const stfi_gemm *gemm,
                                  int threads, size_t most_bytes,
                                  stfi_gemm_exec **exec_p)
{
    return stfi_cpu_gemm_make(ctx->isa, gemm, threads, most_bytes, exec_p);
}

static stf_status cpu_sync(stfi_bctx *ctx, void *stream)
{
    (void)ctx;
    (void)stream;
    return STF_OK;
}

static const char *cpu_last_error(const stfi_bctx *ctx)
{
    (void)ctx;
    return "";
}

static const stfi_ft_rows *cpu_row_sums(const stfi_bctx *ctx,
                                        stf_precision precision)
{
    return stfi_cpu_row_sums_find(ctx->isa, precision);
}

static const stfi_device_ops device_table = {
    .mem_alloc = cpu_mem_alloc,
    .mem_free = cpu_mem_free,
    .mem_copy = cpu_mem_copy,
};

static const stfi_queue_ops queue_table = {.sync = cpu_sync};

static const stfi_fft_ops fft_table = {
    .supports = cpu_supports,
    .create = cpu_exec_create,
    .destroy = stfi_cpu_exec_destroy,
    .workspace = stfi_cpu_exec_workspace,
    .launch = stfi_cpu_exec_launch,
    .brief = stfi_cpu_exec_brief,
    .from_memory = stfi_cpu_exec_is_end_to_end,
    .may_check_whole = cpu_may_check_whole,
    .check_whole = cpu_check_whole,
    .signature = stfi_cpu_exec_signature,
    .is_whole = stfi_cpu_exec_is_whole,
    .ledger = stfi_cpu_exec_ledger,
    .inject = stfi_cpu_exec_inject,
    .time = stfi_cpu_exec_time,
};

static const stfi_gemm_ops gemm_table = {
    .create = cpu_gemm_create,
    .destroy = stfi_cpu_gemm_destroy,
    .workspace = stfi_cpu_gemm_workspace,
    .can_be_cut = stfi_cpu_gemm_can_be_cut,
    .candidates = stfi_cpu_gemm_candidates,
    .describe = stfi_cpu_gemm_describe,
    .launch = stfi_cpu_gemm_launch,
    .ledger = stfi_cpu_gemm_ledger,
    .inject = stfi_cpu_gemm_inject,
    .cover = stfi_cpu_gemm_cover,
};

const stfi_backend stfi_cpu_backend = {
    .abi = STFI_BACKEND_ABI,
    .name = "cpu",
    .priority = 0,
    .probe = cpu_probe,
    .open = cpu_open,
    .close = cpu_close,
    .caps = cpu_caps,
    .info = cpu_info,
    .last_error = cpu_last_error,
    .device = &device_table,
    .queue = &queue_table,
    .fft = &fft_table,
    .gemm = &gemm_table,
    .row_sums = cpu_row_sums,
};
