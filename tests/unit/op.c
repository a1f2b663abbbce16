/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The table of operations: each row is complete, and its columns agree. That
 * each has its kernels in the CPU backend and in those of GPUs is what the
 * tables made from ops.def and tests/simt/features.def see to. */
#include <stdio.h>
#include <string.h>

#include "fft/gpu/config.h"
#include "fft/schedule_text.h"
#include "ft/fault.h"
#include "tests/tap.h"

typedef struct functions {
    const char *make, *put, *enter;
} functions;

/* Names of functions as ops.def has them. */
static const functions of_op[] = {
#define STFI_OP(id, name, word, loads, stores, transforms, check, points, \
                half, depth, make, put, enter)                            \
    {#make, #put, #enter},
#include "fft/ops.def"
#undef STFI_OP
};

static const functions of_conv[] = {
#define STFI_CONV(id, name, make, put, enter) {#make, #put, #enter},
#include "fft/ops.def"
#undef STFI_CONV
};

static int is_there(const char *function)
{
    return strcmp(function, "NULL") != 0;
}

/* The text of a schedule of one pass. */
static int is_printed(stfi_op op, stfi_conv conv)
{
    stfi_schedule s = {
        .precision = STF_F32, .batch = 1, .chunk = 1, .slots = 1, .npasses = 1};
    char text[2048], want[64];

    s.pass[0] = (stfi_pass){.op = op, .conv = conv, .n = 1, .signal = 7};
    stfi_schedule_print(&s, text, sizeof text);
    if (conv == STFI_CONV_NONE)
        snprintf(want, sizeof want, "pass 0: %s n 1", stfi_op_get(op)->name);
    else
        snprintf(want, sizeof want, "pass 0: %s %s 7 n 1",
                 stfi_op_get(op)->name, stfi_conv_get(conv)->name);
    return strstr(text, want) != NULL;
}

static void test_names(stfi_op op)
{
    const stfi_op_row *row = stfi_op_get(op);

    tap_ok(row->name[0] != '\0' && row->word[0] != '\0' && row->macro[0] != '\0'
               && strchr(row->name, ' ') == NULL,
           "%s has its names, of one word", row->name);
    tap_ok(stfi_op_find(row->name) == (int)op && is_printed(op, STFI_CONV_NONE),
           "%s: a schedule's text says so, and it alone is found by it",
           row->name);
}

static void test_kernels(stfi_op op)
{
    const stfi_op_row *row = stfi_op_get(op);
    const functions *f = &of_op[op];
    int conv = stfi_op_is_conv(op), pairs = stfi_op_is_pairs(op);
    const char *word;
    char want[32];

    tap_ok(is_there(f->make) == !conv && is_there(f->put) == (!conv && !pairs),
           "%s: functions of the CPU's kernels", row->name);
    tap_ok(is_there(f->enter) == (row->check == STFI_CHECK_LANE),
           "%s: weights enter a network where lanes are checked", row->name);
    snprintf(want, sizeof want, "OP_%s", row->macro);
    word = stfi_gpu_config_word(STFI_CONFIG_OP, op);
    tap_ok(word != NULL && strcmp(word, want) == 0,
           "%s: %s in the kernels of GPUs", row->name, want);
    tap_ok(conv == (row->transforms == 2) && pairs == (row->transforms == 0),
           "%s: columns for kernels are the table's", row->name);
}

static void test_lanes(stfi_op op)
{
    const stfi_op_row *row = stfi_op_get(op);
    int from = row->loads, to = row->stores;

    tap_ok(
        row->loads_spectra
                == (from == STFI_LANE_SPECTRUM || from == STFI_LANE_TWO_SPECTRA)
            && row->stores_spectra
                   == (to == STFI_LANE_SPECTRUM || to == STFI_LANE_TWO_SPECTRA),
        "%s: sides that are spectra", row->name);
    tap_ok(
        row->two
                == (from == STFI_LANE_TWO_REALS
                    || from == STFI_LANE_TWO_SPECTRA)
            && row->two
                   == (to == STFI_LANE_TWO_REALS || to == STFI_LANE_TWO_SPECTRA)
            && row->real == (from != STFI_LANE_COMPLEX || from != to),
        "%s: two signals on both sides or none", row->name);
    tap_ok(row->check != STFI_CHECK_NONE && row->points >= 1
               && (!row->half || row->stores_spectra)
               && (row->check == STFI_CHECK_TWICE) == (row->transforms == 0),
           "%s: how it is checked", row->name);
}

/* Faults strike what stages take in, and results. */
static void test_stages(stfi_op op)
{
    stfi_pass p = {.op = op, .nstages = 3};
    int want = stfi_op_is_pairs(op) ? 1 : stfi_op_is_conv(op) ? 7 : 4;

    tap_ok(stfi_fault_stages(&p) == want, "%s: stages that faults strike",
           stfi_op_get(op)->name);
}

static void test_conv(stfi_conv conv)
{
    const stfi_conv_row *row = stfi_conv_get(conv);
    const functions *f = &of_conv[conv];
    int none = conv == STFI_CONV_NONE;
    const char *word = stfi_gpu_config_word(STFI_CONFIG_CONV, conv);
    char want[32];

    tap_ok(stfi_conv_find(row->name) == (int)conv && row->macro[0] != '\0'
               && (row->name[0] == '\0') == none,
           "convolution \"%s\" has a name of its own", row->name);
    snprintf(want, sizeof want, "CONV_%s", row->macro);
    tap_ok(word != NULL && strcmp(word, want) == 0,
           "convolution \"%s\": %s in the kernels of GPUs", row->name, want);
    tap_ok(is_there(f->make) == !none && is_there(f->put) == !none
               && is_there(f->enter) == !none && is_printed(STFI_OP_CONV, conv),
           "convolution \"%s\": functions and text", row->name);
}

int main(void)
{
    tap_begin("op");
    tap_ok(stfi_op_find("sine") == -1 && stfi_conv_find("sine") == -1,
           "absent names are not found");
    for (int i = 0; i < STFI_OPS; i++) {
        test_names((stfi_op)i);
        test_kernels((stfi_op)i);
        test_lanes((stfi_op)i);
        test_stages((stfi_op)i);
    }
    for (int i = 0; i < STFI_CONVS; i++)
        test_conv((stfi_conv)i);
    return tap_end();
}
