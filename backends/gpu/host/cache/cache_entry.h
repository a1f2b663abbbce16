/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* An entry of the kernel cache: a file that holds one compiled kernel behind
 * a head that says what it was made from. The head has a fixed size and byte
 * order, and a checksum of its own; nothing in it depends on the time or the
 * machine, so that equal kernels make equal files. Pure functions. */
#ifndef STFI_CACHE_CACHE_ENTRY_H
#define STFI_CACHE_CACHE_ENTRY_H

#include "backends/gpu/host/kernels/images.h"
#include "base/hash.h"

enum {
    STFI_CACHE_HEAD_BYTES = 384,
    STFI_CACHE_VERSION_BYTES = 16,
    STFI_CACHE_ARCH_BYTES = 32,
    STFI_CACHE_ENTRY_BYTES = 192,
    STFI_CACHE_NAME_BYTES = 128, /* of a folder or file in a cache */

    /* The most bytes of an image. A file that claims more is no kernel, and is
     * treated as damaged before any memory is taken or any byte is hashed. The
     * largest of ours have 0.17 MB (a protected kernel for sm_90, NVRTC 13.0)
     * and 0.63 MB (one compiled for the emulated GPU of the tests). */
    STFI_CACHE_IMAGE_BYTES = 16 << 20
};

typedef struct stfi_cache_head {
    uint64_t image_bytes;
    stfi_hash sources; /* hash of the family's kernel sources */
    stfi_hash config;  /* hash of config.h and of the compiler's options */
    stfi_hash image;
    char library[STFI_CACHE_VERSION_BYTES]; /* version of this library */
    char compiler[STFI_GPU_COMPILER_BYTES]; /* "nvrtc 13.0" */
    char arch[STFI_CACHE_ARCH_BYTES];
    char entry[STFI_CACHE_ENTRY_BYTES];
} stfi_cache_head;

/* Fills all members but those that describe the image; `options` are the
 * compiler's. Returns 0 if a text is too long for its field; such a kernel is
 * not cached. Thread: any. */
int stfi_cache_head_make(const stfi_gpu_key *key, const char *compiler,
                         const char *options, stfi_cache_head *head_p);

/* Sets the members that describe the image. */
void stfi_cache_head_seal(stfi_cache_head *head, const void *image,
                          size_t bytes);

void stfi_cache_head_encode(const stfi_cache_head *head,
                            unsigned char bytes[STFI_CACHE_HEAD_BYTES]);

/* 1 if the bytes are an undamaged head of this format, of an image that a
 * kernel can have. */
int stfi_cache_head_decode(const unsigned char bytes[STFI_CACHE_HEAD_BYTES],
                           stfi_cache_head *head_p);

/* 1 if an entry's head is that of the wanted kernel. The image is not compared,
 * nor is the compiler if wanted->compiler is "". */
int stfi_cache_head_matches(const stfi_cache_head *head,
                            const stfi_cache_head *wanted);

/* 1 if the kernel was made from sources of this very library. */
int stfi_cache_head_current(const stfi_cache_head *head);

/* An entry is kept in a folder such as "sm_90-nvrtc_13.0", as the file
 * "<hash>.stfk". If the compiler is "", the folder name is only the beginning
 * that the folders of all compilers share, "sm_90-". While an entry is being
 * written, its file's name begins with STFI_CACHE_TEMPORARY. */
#define STFI_CACHE_TEMPORARY ".stfk-"
void stfi_cache_folder_name(const stfi_cache_head *head,
                            char name[STFI_CACHE_NAME_BYTES]);
void stfi_cache_file_name(const stfi_cache_head *head,
                          char name[STFI_CACHE_NAME_BYTES]);

/* 1 if a file of this name may be an entry, or one that is being written. */
int stfi_cache_name_is_entry(const char *name);
int stfi_cache_name_is_temporary(const char *name);

#endif
