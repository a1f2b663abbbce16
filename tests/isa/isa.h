/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* An interpreter of the machine code of gfx90a and gfx942, waves of 64, from
 * the text of llvm-objdump: the parts that share no more than these types.
 * What is not known, an instruction, an operand or a modifier, is an error when
 * a kernel is loaded, with its text.
 *
 * Source: AMD Instinct MI200 and MI300 Instruction Set Architecture; LLVM, User
 * Guide for AMDGPU Backend. */
#ifndef STFI_TESTS_ISA_ISA_H
#define STFI_TESTS_ISA_ISA_H

#include <stddef.h>
#include <stdint.h>

#include "steadfast.h"
#include "tests/isa/object.h"
#include "tests/simt/memory.h"

enum {
    ISA_LANES = 64,
    ISA_NAMED = 256,   /* vector registers of each kind, v and a */
    ISA_VECTORS = 512, /* of a wave: v, then a */
    ISA_SCALARS = 128,
    ISA_OPERANDS = 6,
    ISA_VCC = 106,
    ISA_M0 = 124,
    ISA_EXEC = 126,
    ISA_MOST_WAVES = 16,
    ISA_ERROR_BYTES = 240
};

/* What an operand is. Constants are kept as the text gives them, because their
 * bits depend on the type that the instruction takes. */
typedef enum isa_kind {
    ISA_NONE,
    ISA_VECTOR,
    ISA_SCALAR,
    ISA_SCC,
    ISA_INTEGER, /* an integer that stands for itself in any width */
    ISA_LITERAL, /* 32 bits; of a double, the upper half */
    ISA_REAL,    /* a number such as 0.5, of the instruction's type */
    ISA_OFF,
    ISA_SHARED_BASE,
    ISA_PRIVATE_BASE
} isa_kind;

/* Which part of a register an operand is. */
typedef enum isa_part {
    ISA_DWORD,
    ISA_BYTE_0,
    ISA_BYTE_1,
    ISA_BYTE_2,
    ISA_BYTE_3,
    ISA_WORD_0,
    ISA_WORD_1
} isa_part;

typedef struct isa_operand {
    isa_kind kind;
    isa_part part;
    int reg;   /* the first register */
    int count; /* of registers */
    int neg, abs, sext;
    uint32_t bits;
    double real;
} isa_operand;

typedef struct isa_wave isa_wave;
typedef struct isa_instr isa_instr;

/* Executes an instruction; the program counter is at the next one already. */
typedef void isa_run(isa_wave *w, const isa_instr *i);

struct isa_instr {
    isa_run *run;
    isa_operand op[ISA_OPERANDS];
    int operands;
    int which, type; /* of families of instructions, such as comparisons */
    int words;       /* that an access moves */
    int unit;        /* bytes of each, if they are not 4 */
    int sext;        /* 1: a narrow value has a sign */
    int space;       /* which memory an access is to */
    int64_t offset, offset1;
    int returns; /* 1: an atomic that returns what was there */
    int offen;
    int preserve; /* 1: the parts that are not written stay as they are */
    isa_part dst_part;
    unsigned char op_sel[3], op_sel_hi[3], neg_lo[3], neg_hi[3];
    uint32_t address; /* in the code object */
    uint32_t bytes;
    uint32_t target; /* of a branch */
    char text[104];
};

typedef struct isa_program {
    isa_instr *instr;
    int count;
    uint32_t first; /* the address of instr[0] */
    int32_t *index; /* which instruction is at first + 4 i, or -1 */
    uint32_t words;
} isa_program;

/* What the waves of a launch share. */
typedef struct isa_launch {
    const isa_program *program;
    const stfi_simt_memory *memory;
    const char *name;
    unsigned char *image; /* the loaded code object */
    uint64_t image_bytes;
    const unsigned char *args; /* with the implicit ones */
    uint64_t args_bytes;
    const unsigned char *packet; /* of the dispatch */
    unsigned char *shared;       /* block memory of the present block */
    uint32_t shared_bytes;
    uint32_t stack_bytes; /* of a thread */
    uint32_t stack_used;  /* the end of what any thread has accessed of it */
    isa_start start;
    uint32_t blocks, threads;
    int separate_stack;       /* 1: a wave finds its stack by itself (gfx942) */
    long executed;            /* instructions of waves */
    uintptr_t near, near_end; /* the allocation that was used last */
    char error[ISA_ERROR_BYTES];
} isa_launch;

struct isa_wave {
    isa_launch *launch;
    uint32_t v[ISA_VECTORS][ISA_LANES];
    uint32_t s[ISA_SCALARS];
    int scc;
    uint64_t pc; /* address in memory */
    int ended, waits;
    unsigned char *stack; /* of its threads, their words side by side */
    uint64_t stack_bytes;
};

/* Records the first error of a launch; the wave ends. */
void isa_fail(isa_wave *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline uint64_t isa_pair(const isa_wave *w, int reg)
{
    return w->s[reg] | (uint64_t)w->s[reg + 1] << 32;
}

static inline void isa_set_pair(isa_wave *w, int reg, uint64_t value)
{
    w->s[reg] = (uint32_t)value;
    w->s[reg + 1] = (uint32_t)(value >> 32);
}

static inline uint64_t isa_exec(const isa_wave *w)
{
    return isa_pair(w, ISA_EXEC);
}

/* operand.c: the values of all lanes of a vector operand, or of a scalar one. A
 * real constant gets the bits of a float or of a double. `wide` says that a
 * literal is extended with its sign. */
void isa_get32(const isa_wave *w, const isa_operand *o, uint32_t *lanes);
void isa_get64(const isa_wave *w, const isa_operand *o, int is_real,
               int is_signed, uint64_t *lanes);
uint32_t isa_scalar32(const isa_wave *w, const isa_operand *o);
uint64_t isa_scalar64(const isa_wave *w, const isa_operand *o, int is_signed);
void isa_put32(isa_wave *w, const isa_instr *i, int lane, uint32_t value);
void isa_put64(isa_wave *w, const isa_instr *i, int lane, uint64_t value);
void isa_put_bits(isa_wave *w, const isa_operand *o, uint64_t bits);
void isa_put_scalar(isa_wave *w, const isa_operand *o, uint64_t value);

/* Each finds the function of an instruction by its name without _e32, _e64 and
 * _sdwa, and sets which, type and words of `i`; 0 if it has none. */
int isa_find_vector(const char *name, isa_instr *i);
int isa_find_special(const char *name, isa_instr *i);
int isa_find_scalar(const char *name, isa_instr *i);
int isa_find_access(const char *name, isa_instr *i);

/* mfma.c: multiplies 16 x 16 by 16 x 16 halves; `which` is their type. Multiplies
 * integers of 32 bits, signed ones if `which` is 1, and adds one of 64; carries are those
 * of numbers without a sign. */
void isa_run_mfma(isa_wave *w, const isa_instr *i);
void isa_run_mad_64(isa_wave *w, const isa_instr *i);

/* decode.c: makes a program of the disassembly. Errors: DEVICE (what is not
 * known), MEMORY. */
stf_status isa_decode(const char *text, isa_program *p);
void isa_program_free(isa_program *p);

/* machine.c: runs all blocks, in descending order of blocks and waves if asked
 * for. Errors: DEVICE with the first error, MEMORY. */
stf_status isa_machine_run(isa_launch *l, int descending);

#endif
