/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compiles kernels to PTX, and assembles them with sites; see modules.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "tests/flip/gpu/modules.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/cuda/cuda_rtc.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"

#ifndef STF_CUDA_LIBDIR
#define STF_CUDA_LIBDIR ""
#endif

enum { PATH_BYTES = 1024 };

extern char **environ;

flip_module flip_modules[FLIP_MAX_KERNELS];
const char *flip_folder = ".";

/* ------------------------------------------------------------------- files */

/* Reads a file with a NUL after it; NULL if there is none. */
static char *read_file(const char *path, size_t *bytes_p)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    size_t used = 0, got = 1;

    if (file == NULL)
        return NULL;
    while (got > 0) {
        data = ptx_grow(data, (int64_t)used + 65537, 1);
        got = fread(data + used, 1, 65536, file);
        used += got;
    }
    fclose(file);
    data[used] = '\0';
    *bytes_p = used;
    return data;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        ptx_die("cannot be written", path);
}

/* Names a file after what it is made from. */
static void name_file(const char *a, const char *b, const char *suffix,
                      char path[PATH_BYTES])
{
    char digest[STFI_HASH_TEXT_BYTES];
    stfi_hash hash = stfi_hash_add_text(stfi_hash_begin(), a);

    stfi_hash_print(stfi_hash_add_text(hash, b), digest);
    snprintf(path, PATH_BYTES, "%s/%s%s", flip_folder, digest, suffix);
}

/* --------------------------------------------------------------- compiling */

char *flip_ptx_of(const flip_kernel *k)
{
    char arch[24], path[PATH_BYTES], *text;
    void *image;
    size_t bytes;

    name_file(k->arch, k->config, ".ptx", path);
    text = read_file(path, &bytes);
    if (text != NULL)
        return text;
    snprintf(arch, sizeof arch, "compute_%s", k->arch + strlen("sm_"));
    setenv("STEADFAST_DEBUG", "1", 1); /* with line numbers */
    if (stfi_cuda_rtc.compile(arch, k->entry, k->config, &image, &bytes)
        != STF_OK)
        ptx_die(k->entry, stf_error_message());
    unsetenv("STEADFAST_DEBUG");
    text = ptx_grow(NULL, (int64_t)bytes + 1, 1);
    memcpy(text, image, bytes);
    text[bytes] = '\0';
    stfi_dealloc(image);
    write_file(path, text);
    return text;
}

/* -------------------------------------------------------------- assembling */

static const char *assembler(void)
{
    const char *named = getenv("PTXAS");
    static const char *const paths[] = {STF_CUDA_LIBDIR "/../bin/ptxas",
                                        "/usr/local/cuda/bin/ptxas",
                                        "/usr/bin/ptxas"};

    if (named != NULL && *named != '\0')
        return named;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (access(paths[i], X_OK) == 0)
            return paths[i];
    return NULL;
}

int flip_can_assemble(void)
{
    return assembler() != NULL;
}

/* Takes the architecture off a text: kernels that have what one alone has are for
 * "sm_90a", beside others for "sm_90". */
static void arch_of(const char *text, char arch[16])
{
    const char *target = strstr(text, "\n.target ");

    if (target == NULL || sscanf(target, " .target %15[a-z0-9_]", arch) != 1)
        ptx_die("no target", "in a kernel's text");
}

static pid_t start(const char *text, const char *path)
{
    char source[PATH_BYTES + 32], target[PATH_BYTES + 32];
    char arch[16], option[32];
    const char *program = assembler();
    char *const words[] = {"ptxas", option, "-o", target, source, NULL};
    pid_t child;

    if (program == NULL)
        ptx_die("ptxas", "it is nowhere; name it in PTXAS");
    snprintf(source, sizeof source, "%s.%ld.s", path, (long)getpid());
    snprintf(target, sizeof target, "%s.%ld.o", path, (long)getpid());
    arch_of(text, arch);
    snprintf(option, sizeof option, "-arch=%s", arch);
    write_file(source, text);
    if (posix_spawn(&child, program, NULL, NULL, words, environ) != 0)
        ptx_die("cannot be started", program);
    return child;
}

/* Waits for an assembler. Its result appears whole, as others look for it. */
static int finish(pid_t child, const char *path)
{
    char source[PATH_BYTES + 32], target[PATH_BYTES + 32];
    int status = -1;

    snprintf(source, sizeof source, "%s.%ld.s", path, (long)getpid());
    snprintf(target, sizeof target, "%s.%ld.o", path, (long)getpid());
    if (waitpid(child, &status, 0) != child || status != 0)
        return 0;
    unlink(source);
    return rename(target, path) == 0;
}

int flip_assemble(int count, char *const *text, void **image, size_t *bytes)
{
    char path[FLIP_MAX_KERNELS][PATH_BYTES];
    pid_t child[FLIP_MAX_KERNELS] = {0};
    int good = 1;

    for (int i = 0; i < count; i++) {
        image[i] = NULL;
        if (text[i] == NULL)
            continue;
        name_file("", text[i], ".cubin", path[i]);
        if (access(path[i], R_OK) != 0)
            child[i] = start(text[i], path[i]);
    }
    for (int i = 0; i < count; i++) {
        if (text[i] == NULL)
            continue;
        good &= child[i] == 0 || finish(child[i], path[i]);
        image[i] = read_file(path[i], &bytes[i]);
    }
    return good;
}

/* Assembles and loads a module for each used kernel that has a text, and frees
 * the text. */
static void load_all(char **text, stfi_gpu_kernel **kernel)
{
    void *image[FLIP_MAX_KERNELS];
    size_t bytes[FLIP_MAX_KERNELS];

    if (flip.kernels == 0)
        return;
    if (!flip_assemble(flip.kernels, text, image, bytes))
        ptx_die("ptxas", "it does not take a kernel with sites");
    for (int i = 0; i < flip.kernels; i++) {
        if (image[i] != NULL
            && flip_load(i, image[i], bytes[i], &kernel[i]) != STF_OK)
            ptx_die(flip.kernel[i].entry, stf_error_message());
        free(image[i]);
        free(text[i]);
    }
}

/* ------------------------------------------------------------------ modules */

void flip_make_counting(void)
{
    char *text[FLIP_MAX_KERNELS] = {NULL};
    stfi_gpu_kernel *kernel[FLIP_MAX_KERNELS] = {NULL};

    for (int i = 0; i < flip.kernels; i++) {
        flip_module *m = &flip_modules[i];
        char *ptx;

        if (!flip.kernel[i].used)
            continue;
        ptx = flip_ptx_of(&flip.kernel[i]);
        ptx_parse(ptx, &m->program);
        free(ptx);
        text[i] = ptx_counting(&m->program);
        m->passed = calloc((size_t)m->program.blocks + 1, sizeof *m->passed);
        m->chosen = calloc((size_t)m->program.sites + 1, 1);
        if (m->passed == NULL || m->chosen == NULL)
            ptx_die("no memory", "for the sites of a kernel");
    }
    load_all(text, kernel);
    for (int i = 0; i < flip.kernels; i++)
        flip_modules[i].counting = kernel[i];
}

/* Chooses each of `left` sites with the same probability, until `most` are. */
static void choose(flip_module *m, ptx_kind kind, int most, uint64_t *random)
{
    const ptx_program *p = &m->program;
    int left = 0;

    for (int s = 0; s < p->sites; s++)
        left += p->site[s].kind == kind && m->passed[p->site[s].block] > 0;
    for (int s = 0; s < p->sites && left > 0; s++)
        if (p->site[s].kind == kind && m->passed[p->site[s].block] > 0) {
            m->chosen[s] =
                stfi_random_u64(random) % (uint64_t)left < (uint64_t)most;
            most -= m->chosen[s];
            left--;
        }
}

void flip_make_struck(const int most[PTX_KINDS], uint64_t seed)
{
    char *text[FLIP_MAX_KERNELS] = {NULL};
    stfi_gpu_kernel *kernel[FLIP_MAX_KERNELS] = {NULL};

    for (int i = 0; i < flip.kernels; i++) {
        flip_module *m = &flip_modules[i];
        uint64_t random = seed ^ stfi_hash_text(flip.kernel[i].entry);

        if (!flip.kernel[i].used)
            continue;
        for (int kind = 0; kind < PTX_KINDS; kind++)
            choose(m, (ptx_kind)kind, most[kind], &random);
        text[i] = ptx_with_sites(&m->program, m->chosen);
    }
    load_all(text, kernel);
    for (int i = 0; i < flip.kernels; i++)
        flip_modules[i].struck = kernel[i];
}
