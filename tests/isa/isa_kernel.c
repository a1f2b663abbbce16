/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Code objects as programs, and launches; see isa_kernel.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "tests/isa/isa_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/status.h"
#include "support/compile/folder.h"

enum {
    COMMAND_BYTES = 2048,
    PACKET_BYTES = 64,
    IMPLICIT_BYTES = 256,
    SHARED_ALIGN = 16
};

/* ------------------------------------------------------------ disassembling */

/* The name of a disassembler; "" if there is none. */
static char found[256];
static int was_sought;

static int is_good(const char *name)
{
    char command[COMMAND_BYTES];

    snprintf(command, sizeof command,
             "%s --version 2>/dev/null | grep -q amdgcn", name);
    return system(command) == 0;
}

const char *isa_objdump_missing(void)
{
    static const char *const names[] = {"llvm-objdump-19", "llvm-objdump-20",
                                        "llvm-objdump-21", "llvm-objdump"};
    const char *own = stfi_env_get("STF_HIP_OBJDUMP");

    if (!was_sought && own != NULL && is_good(own))
        snprintf(found, sizeof found, "%s", own);
    for (size_t i = 0; !was_sought && own == NULL && found[0] == '\0'
                       && i < sizeof names / sizeof *names;
         i++)
        if (is_good(names[i]))
            snprintf(found, sizeof found, "%s", names[i]);
    was_sought = 1;
    return found[0] != '\0' ? NULL
                            : "there is no llvm-objdump that knows amdgcn";
}

static stf_status disassemble(const void *image, size_t bytes, void **text_p)
{
    char folder[STFI_FOLDER_BYTES], command[COMMAND_BYTES];
    size_t length;
    stf_status status;

    if (isa_objdump_missing() != NULL)
        return stfi_error(STF_ERR_DEVICE, "%s", isa_objdump_missing());
    if ((status = stfi_folder_make(folder)) != STF_OK)
        return status;
    status = stfi_folder_write(folder, "kernel.o", image, bytes);
    snprintf(command, sizeof command,
             "cd '%s' && %s -d kernel.o >text 2>/dev/null </dev/null", folder,
             found);
    if (status == STF_OK && system(command) != 0)
        status = stfi_error(STF_ERR_DEVICE, "the code object cannot be "
                                            "disassembled");
    if (status == STF_OK)
        status = stfi_folder_read(folder, "text", text_p, &length);
    stfi_folder_remove(folder);
    return status;
}

/* ------------------------------------------------------------------ loading */

stf_status isa_kernel_open(stfi_gpu_kernel *k, const void *image, size_t bytes,
                           const char *entry)
{
    void *text = NULL;
    stf_status status;

    memset(k, 0, sizeof *k);
    snprintf(k->name, sizeof k->name, "%s", entry);
    status = stfi_codeobj_read(image, bytes, entry, &k->info);
    if (status == STF_OK)
        status = isa_object_start(image, bytes, entry, &k->start);
    if (status == STF_OK)
        status = disassemble(image, bytes, &text);
    if (status == STF_OK)
        status = isa_decode(text, &k->program);
    stfi_dealloc(text);
    if (status != STF_OK)
        return status;
    k->image_bytes = isa_object_size(image, bytes);
    k->image = aligned_alloc(4096, (k->image_bytes + 4095) / 4096 * 4096);
    if (k->image == NULL)
        return stfi_error(STF_ERR_MEMORY, "no memory for the code of %s",
                          entry);
    memset(k->image, 0, k->image_bytes);
    isa_object_load(image, bytes, k->image);
    return STF_OK;
}

void isa_kernel_close(stfi_gpu_kernel *k)
{
    isa_program_free(&k->program);
    free(k->image);
    k->image = NULL;
}

/* ---------------------------------------------------------------- launching */

static void put32(unsigned char *at, size_t offset, uint32_t value)
{
    memcpy(at + offset, &value, 4);
}

static void put16(unsigned char *at, size_t offset, uint32_t value)
{
    uint16_t half = (uint16_t)value;

    memcpy(at + offset, &half, 2);
}

/* Fills in the implicit arguments of code object version 5, which follow the
 * others: the grid in blocks, the blocks in threads, the grid's dimensions,
 * dynamic block memory. */
static void set_implicit(unsigned char *at, const stfi_gpu_launch *l)
{
    put32(at, 0, l->blocks);
    put32(at, 4, 1);
    put32(at, 8, 1);
    put16(at, 12, l->threads);
    put16(at, 14, 1);
    put16(at, 16, 1);
    put16(at, 64, 1);
    put32(at, 120, l->shared_bytes);
}

/* Fills in the packet of the dispatch: blocks and grid in threads. */
static void set_packet(unsigned char *at, const stfi_gpu_launch *l)
{
    put16(at, 2, 1);
    put16(at, 4, l->threads);
    put16(at, 6, 1);
    put16(at, 8, 1);
    put32(at, 12, l->blocks * l->threads);
    put32(at, 16, 1);
    put32(at, 20, 1);
}

static size_t rounded_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

stf_status isa_kernel_run(const stfi_gpu_kernel *k, const char *arch,
                          const stfi_simt_memory *memory,
                          const stfi_gpu_launch *launch, const void *args,
                          size_t args_bytes, int descending,
                          stfi_isa_counts *counts)
{
    const size_t explicit = rounded_up(args_bytes, 8);
    unsigned char packet[PACKET_BYTES] = {0};
    unsigned char *block;
    stf_status status;
    isa_launch l = {
        .program = &k->program,
        .memory = memory,
        .name = k->name,
        .image = k->image,
        .image_bytes = k->image_bytes,
        .args_bytes = explicit + IMPLICIT_BYTES,
        .packet = packet,
        .shared_bytes =
            (uint32_t)rounded_up((size_t)k->info.lds_bytes, SHARED_ALIGN)
            + launch->shared_bytes,
        .stack_bytes = (uint32_t)rounded_up((size_t)k->info.scratch_bytes, 4),
        .start = k->start,
        .blocks = launch->blocks,
        .threads = launch->threads,
        .separate_stack = strcmp(arch, "gfx942") == 0,
    };

    /* Arguments first, then block memory. */
    block = calloc(1, l.args_bytes + l.shared_bytes + 16);
    if (block == NULL)
        return stfi_error(STF_ERR_MEMORY, "no memory to run %s", k->name);
    memcpy(block, args, args_bytes);
    set_implicit(block + explicit, launch);
    set_packet(packet, launch);
    l.args = block;
    l.shared = block + rounded_up(l.args_bytes, 16);
    status = isa_machine_run(&l, descending);
    counts->instructions += l.executed;
    if (l.stack_used > counts->stack_bytes)
        counts->stack_bytes = l.stack_used;
    free(block);
    return status;
}
