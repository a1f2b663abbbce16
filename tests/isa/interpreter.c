/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tests of the interpreter itself: instructions, operands and modifiers that it
 * does not know are refused with their text, accesses outside of their memory
 * are errors, and results of single instructions are those of the manual. No
 * compiler is needed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "tests/isa/isa.h"
#include "tests/isa/isa_kernel.h"
#include "tests/simt/memory.h"
#include "tests/tap.h"

enum { LINES = 24, TEXT_BYTES = 4096, THREADS = 64, SHARED = 1024 };

/* ---------------------------------------------------------------- refusals */

static const struct {
    const char *text;
    int is_known;
} instructions[] = {
    {"v_add_f32_e32 v1, v2, v3", 1},
    {"v_add_f32_e64 v1, -v2, |v3|", 1},
    {"v_add_f32_e64 v1, v2, v3 clamp", 0},
    {"v_add_f32_e64 v1, v2, v3 mul:2", 0},
    {"v_add_f32_dpp v1, v2, v3 quad_perm:[0,1,2,3] row_mask:0xf", 0},
    {"v_add_f32_e32 v1, v2", 0},
    {"v_no_such_b32_e32 v1, v2", 0},
    {"v_accvgpr_read_b32 v0, a1", 1},
    {"v_accvgpr_read_b32 v0, a256", 0},
    {"v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], 0", 1},
    {"v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], 0", 1},
    {"v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], 0 cbsz:1", 0},
    {"v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]", 0},
    {"v_mov_b32_e32 v256, v0", 0},
    {"v_mad_legacy_u16 v0, v1, v2, v3 op_sel:[0,1,0,0]", 0},
    {"v_pk_add_f32 v[0:1], v[2:3], v[4:5] op_sel_hi:[1,0]", 1},
    {"v_pk_add_f32 v[0:1], v[2:3], v[4:5] neg:[1,0]", 0},
    {"v_add_u32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD "
     "src0_sel:BYTE_3 src1_sel:DWORD",
     1},
    {"v_add_u32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_SEXT", 0},
    {"ds_read_b64 v[0:1], v2 offset:8", 1},
    {"ds_read_b64 v[0:1], v2 offset:8 gds", 0},
    {"ds_sub_u32 v0, v1", 0},
    {"global_load_dword v0, v1, s[2:3] offset:16 glc slc", 1},
    {"global_load_dword v0, v1, s[2:3] lds", 0},
    {"global_atomic_swap v0, v1, s[2:3]", 0},
    {"s_mov_b32 s0, src_shared_limit", 0},
    {"s_and_b64 s[0:1], s[2:3], -1", 1},
    {"s_and_b64 s0, s[2:3], -1", 0},
    {"s_sendmsg sendmsg(MSG_INTERRUPT)", 0},
};

/* Makes the text of a disassembly of lines that are separated by ";". Each
 * takes 4 bytes. A branch goes back to itself. */
static void disassembly(const char *lines, char *text, size_t capacity)
{
    size_t used = 0;
    unsigned address = 0;

    text[0] = '\0';
    while (*lines != '\0' && used < capacity) {
        int length = (int)strcspn(lines, ";");
        used += (size_t)snprintf(text + used, capacity - used,
                                 "\t%.*s // %012X: 0000FFFF\n", length, lines,
                                 address);
        address += 4;
        lines += length + (lines[length] == ';');
    }
}

static void check_known(void)
{
    char text[TEXT_BYTES];
    isa_program p;

    for (size_t k = 0; k < sizeof instructions / sizeof *instructions; k++) {
        const char *line = instructions[k].text;
        stf_status status;
        disassembly(line, text, sizeof text);
        status = isa_decode(text, &p);
        tap_ok(instructions[k].is_known
                   ? status == STF_OK
                   : status == STF_ERR_DEVICE
                         && strstr(stf_error_message(), line) != NULL,
               "%s: %s", instructions[k].is_known ? "known" : "refused", line);
        isa_program_free(&p);
    }
}

/* ----------------------------------------------------------------- running */

/* Before the lines of a row: s[2:3] is an array of a word for each thread, v1
 * the thread's offset in it. Behind them, v2 goes there. */
#define BEGIN "s_load_dwordx2 s[2:3], s[0:1], 0x0;v_lshlrev_b32_e32 v1, 2, v0;"
#define END ";global_store_dword v1, v2, s[2:3];s_endpgm"

static const struct {
    const char *lines;
    uint32_t of_5, of_63; /* v2 of threads 5 and 63 */
    const char *error;    /* what the message has, or NULL */
} rows[] = {
    {"v_sub_u16_e32 v2, 0, v0", 0xfffb, 0xffc1, NULL},
    {"v_mul_hi_u32 v2, v0, -1", 4, 62, NULL},
    {"v_perm_b32 v2, v0, 0x44332211, 0x0c0d0403", 0xff0544, 0xff3f44, NULL},
    {"s_mov_b32 s8, 0x44332211;v_perm_b32 v2, v0, s8, 0", 0x11111111,
     0x11111111, NULL},
    {"s_mov_b32 s8, 0xd0403;v_perm_b32 v2, v0, v0, s8", 0x05ff0500, 0x3fff3f00,
     NULL},
    {"v_mov_b32_e32 v2, 7;s_mov_b64 exec, 32;v_mov_b32_e32 v2, v0;"
     "s_mov_b64 exec, -1",
     5, 7, NULL},
    {"v_cmp_gt_u32_e32 vcc, 6, v0;v_cndmask_b32_e64 v2, 1, 2, vcc", 2, 1, NULL},
    {"v_mbcnt_lo_u32_b32 v2, -1, 0;v_mbcnt_hi_u32_b32 v2, -1, v2", 5, 63, NULL},
    {"v_xor_b32_e32 v3, 4, v1;ds_bpermute_b32 v2, v3, v0", 4, 62, NULL},
    {"s_mov_b64 exec, -2;v_mov_b32_e32 v3, 0;ds_bpermute_b32 v2, v3, v0;"
     "s_mov_b64 exec, -1",
     0, 0, NULL},
    {"v_readlane_b32 s8, v0, 9;v_mov_b32_e32 v2, s8", 9, 9, NULL},
    {"v_cvt_f32_u32_e32 v4, v0;v_mov_b32_e32 v5, 1.0;"
     "v_pk_fma_f32 v[2:3], v[4:5], v[4:5], v[4:5] op_sel:[0,1,0] "
     "neg_lo:[1,0,0]",
     0, 0, NULL},
    {"v_cvt_f32_u32_e32 v4, v0;v_fma_f32 v2, v4, 0.5, -v4", 0xc0200000,
     0xc1fc0000, NULL},
    {"v_accvgpr_write_b32 a2, v0;v_mov_b32_e32 v2, 0;v_accvgpr_read_b32 v2, a2",
     5, 63, NULL},
    /* Sums over q of (16 q + row) (16 q + column): 4180 and 7052. */
    {"v_cvt_f32_u32_e32 v3, v0;v_cvt_f16_f32_e32 v4, v3;v_mov_b32_e32 v5, 0;"
     "s_mov_b64 exec, 1;v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[4:5], 0;"
     "s_mov_b64 exec, -1;v_mov_b32_e32 v2, v9",
     0x4582a000, 0x45dc6000, NULL},
    {"ds_write_b32 v1, v0;v_xor_b32_e32 v3, 4, v1;ds_read_b32 v2, v3", 4, 62,
     NULL},
    {"ds_write_b8 v0, v0;ds_read_u8 v2, v0", 5, 63, NULL},
    {"v_add_co_u32_e32 v3, vcc, -6, v0;v_addc_co_u32_e32 v2, vcc, 0, v0, vcc",
     5, 64, NULL},
    {"s_movk_i32 s8, 0xffff;s_add_u32 s9, s8, 1;s_addc_u32 s9, 0, 0;"
     "v_mov_b32_e32 v2, s9",
     1, 1, NULL},
    {"v_lshlrev_b32_sdwa v2, v0, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PAD "
     "src0_sel:BYTE_1 src1_sel:BYTE_0",
     0x500, 0x3f00, NULL},
    {"v_mov_b32_e32 v2, 0;ds_write_b32 v1, v0 offset:1024", 0, 0,
     "block memory"},
    {"v_mov_b32_e32 v2, 0;ds_write_b32 v1, v0 offset:769", 0, 0,
     "lane 63: byte 1021 of 1024"},
    {"global_store_dword v1, v1, s[2:3] offset:4", 0, 0,
     "no memory of its own"},
    {"global_load_dword v2, v1, s[2:3] offset:-4", 0, 0,
     "no memory of its own"},
    {"s_load_dword s8, s[4:5], 0x0", 0, 0, "no memory of its own"},
    {"buffer_load_dword v2, off, s[4:7], 0", 0, 0, "not the stack"},
    {"s_setpc_b64 s[4:5]", 0, 0, "no instruction"},
    {"s_branch 65535", 0, 0, "does not end"},
    {"v_pk_mov_b32 v[2:3], v[0:1], 1 op_sel:[0,1]", 0, 0, "which half"},
};

/* Runs lines on one wave; returns the status and the array. */
static stf_status run(const char *lines, uint32_t out[THREADS])
{
    static unsigned char image[4 * LINES] __attribute__((aligned(4096)));
    static char text[TEXT_BYTES];
    char all[TEXT_BYTES];
    stfi_simt_memory memory = {NULL};
    const stfi_gpu_launch launch = {1, THREADS, SHARED, 0};
    stfi_gpu_kernel k = {.name = "lines",
                         .image = image,
                         .image_bytes = sizeof image,
                         .start = {.properties = 8, .resources = 2 << 1}};
    void *array = stfi_simt_memory_add(&memory, sizeof *out * THREADS);
    stfi_isa_counts counts = {0};
    stf_status status;

    snprintf(all, sizeof all, BEGIN "%s" END, lines);
    disassembly(all, text, sizeof text);
    status = isa_decode(text, &k.program);
    stfi_simt_memory_lock(&memory, 0);
    if (status == STF_OK)
        status = isa_kernel_run(&k, "gfx942", &memory, &launch, &array,
                                sizeof array, 0, &counts);
    memcpy(out, array, sizeof *out * THREADS);
    stfi_simt_memory_clear(&memory);
    isa_program_free(&k.program);
    return status;
}

static void check_results(void)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        uint32_t out[THREADS];
        stf_status status = run(rows[r].lines, out);
        int good =
            rows[r].error != NULL
                ? status != STF_OK && strstr(stf_error_message(), rows[r].error)
                : status == STF_OK && out[5] == rows[r].of_5
                      && out[63] == rows[r].of_63;
        tap_ok(good, "%s", rows[r].lines);
        if (!good)
            tap_diag("%#x, %#x; %s", out[5], out[63],
                     status != STF_OK ? stf_error_message() : "");
    }
}

int main(void)
{
    tap_begin("isa-interpreter");
    check_known();
    check_results();
    return tap_end();
}
