/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Which kernel sources belong together; see family.h. */
#include "backends/gpu/host/kernels/family.h"

#include <pthread.h>
#include <string.h>

#include "backends/gpu/host/kernels/files.h"

/* A kernel belongs to the first family whose line is in its config.h; the last
 * family takes all others. An entry file does not compile with a config.h of
 * another family. */
#define FAMILY(line, file)                                           \
    {                                                                \
        line, file, "#include \"config.h\"\n#include \"" file "\"\n" \
    }

static const struct family {
    const char *line, *entry, *program;
} families[] = {
    FAMILY("#define STFK_E2E ", "entry_end_to_end.h"),
    FAMILY("#define STFK_GEMM ", "entry_gemm.h"),
    FAMILY("#define STFK_CHECK 1\n", "entry_protected.h"),
    FAMILY("#define STFK_TWICE 1\n", "entry_protected.h"),
    FAMILY("#define STFK_GATED 1\n", "entry_protected.h"),
    FAMILY("", "entry_fft.h"),
};

enum { FAMILIES = sizeof families / sizeof *families };

static stfi_hash hashes[FAMILIES];
static pthread_once_t hashes_once = PTHREAD_ONCE_INIT;

static int find_family(const char *config)
{
    int i = 0;

    while (i < FAMILIES - 1 && strstr(config, families[i].line) == NULL)
        i++;
    return i;
}

const char *stfi_gpu_program(const char *config)
{
    return families[find_family(config)].program;
}

/* --------------------------------------------------------------- includes */

/* The number of the file whose name is the first `length` characters of `name`;
 * -1 if it is not one of the library's files, such as config.h. */
static int find_file(const char *name, size_t length)
{
    for (int i = 0; stfi_gpu_files[i].name != NULL; i++)
        if (strlen(stfi_gpu_files[i].name) == length
            && memcmp(stfi_gpu_files[i].name, name, length) == 0)
            return i;
    return -1;
}

/* Marks a file and all files that it includes, directly or not, whatever the
 * conditions around the includes are. Each file is read only once, so circles
 * of includes do no harm. */
static void mark_included(int file, unsigned char *marked)
{
    static const char include[] = "#include \"";

    if (file < 0 || file >= STFI_GPU_MOST_FILES || marked[file])
        return;
    marked[file] = 1;
    for (const char *c = stfi_gpu_files[file].data;
         (c = strstr(c, include)) != NULL;) {
        c += sizeof include - 1;
        mark_included(find_file(c, strcspn(c, "\"\n")), marked);
    }
}

static stfi_hash hash_file(const stfi_gpu_file *f)
{
    stfi_hash h = stfi_hash_add_text(stfi_hash_begin(), f->name);

    return stfi_hash_add(h, f->data, f->size);
}

static stfi_hash hash_family(const char *entry, const stfi_hash *file)
{
    unsigned char marked[STFI_GPU_MOST_FILES] = {0};
    stfi_hash h = stfi_hash_add_text(stfi_hash_begin(), entry);

    mark_included(find_file(entry, strlen(entry)), marked);
    for (int f = 0; f < STFI_GPU_MOST_FILES; f++)
        if (marked[f])
            h = stfi_hash_add(h, &file[f], sizeof file[f]);
    return h;
}

/* Families share most files, of which each is read once: this is most of the
 * time of a program's first plan. */
static void make_hashes(void)
{
    stfi_hash file[STFI_GPU_MOST_FILES];

    for (int f = 0; f < STFI_GPU_MOST_FILES && stfi_gpu_files[f].name != NULL;
         f++)
        file[f] = hash_file(&stfi_gpu_files[f]);
    for (int i = 0; i < FAMILIES; i++)
        hashes[i] = hash_family(families[i].entry, file);
}

/* ----------------------------------------------------------------- hashes */

stfi_hash stfi_gpu_family_hash(const char *config)
{
    pthread_once(&hashes_once, make_hashes);
    return hashes[find_family(config)];
}

int stfi_gpu_family_known(stfi_hash sources)
{
    pthread_once(&hashes_once, make_hashes);
    for (int i = 0; i < FAMILIES; i++)
        if (stfi_hash_equal(hashes[i], sources))
            return 1;
    return 0;
}
