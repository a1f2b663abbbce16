/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The gate of refactorings: config.h and a digest of the machine code of every
 * kernel of kernel_list.h, for sm_75, sm_80 and sm_90, into a folder that can
 * be compared with another state's (build-aux/gate.sh).
 *
 *   dump FOLDER CACHE [STEP]
 *
 * FOLDER/config/ gets the configurations, FOLDER/code.txt a line a kernel.
 * What the compiler made of the same preprocessed text before is taken from
 * CACHE, so that steps which only rename macros or move text compile nothing.
 * STEP: only every so many-th problem. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <ctype.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/cuda/cubin.h"
#include "backends/cuda/cuda_rtc.h"
#include "backends/gpu/host/kernels/family.h"
#include "backends/gpu/host/kernels/files.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/status.h"
#include "tests/gate/kernel_list.h"

enum { MAX_JOBS = 8192, MAX_WORKERS = 64, PATH_BYTES = 1024, NAME_BYTES = 256 };

/* A kernel, and what became of it. */
typedef struct job {
    char name[NAME_BYTES]; /* architecture, problem, mode, pass */
    char arch[16];
    stfi_gpu_spec spec;
    char result[NAME_BYTES];
} job;

/* In memory that processes share. */
typedef struct table {
    int count;
    atomic_int next, compiled, failed;
    job job[MAX_JOBS];
} table;

static const char *folder, *cache;

static const struct target {
    const char *preset, *arch;
} targets[] = {{"h200", "sm_90"}, {"a100", "sm_80"}, {"t4", "sm_75"}};

static void die(const char *what, const char *why)
{
    fprintf(stderr, "dump: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

/* -------------------------------------------------------------- collecting */

static void take(void *arg, const stfi_listed *k)
{
    table *t = arg;
    job *j = &t->job[t->count];

    if (t->count == MAX_JOBS)
        die(k->problem, "too many kernels");
    snprintf(j->name, sizeof j->name, "%s_%s_%s_%d", k->arch, k->problem,
             k->mode, k->pass);
    snprintf(j->arch, sizeof j->arch, "%s", k->arch);
    j->spec = *k->spec;
    t->count++;
}

static void collect(table *t, int step)
{
    for (size_t d = 0; d < sizeof targets / sizeof *targets; d++) {
        const struct target *to = &targets[d];

        if (stfi_list_end_to_end(to->preset, to->arch, take, t) != STF_OK)
            die("end-to-end", stf_error_message());
        for (int i = 0; stfi_list_problem(i) != NULL; i += step)
            if (stfi_list_kernels(i, to->preset, to->arch, take, t) != STF_OK)
                die(stfi_list_problem(i), stf_error_message());
    }
}

/* ------------------------------------------------------------------ files */

static void write_file(const char *path, const char *text, size_t bytes)
{
    FILE *file = fopen(path, "w");

    if (file == NULL || fwrite(text, 1, bytes, file) != bytes
        || fclose(file) != 0)
        die(path, strerror(errno));
}

/* Makes the folders of a path, whose last part is a file. */
static void make_folders(char *path)
{
    for (char *at = strchr(path + 1, '/'); at != NULL;
         at = strchr(at + 1, '/')) {
        *at = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            die(path, strerror(errno));
        *at = '/';
    }
}

static void write_under(const char *below, const char *name, const char *text,
                        size_t bytes)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s/%s/%s", folder, below, name);
    make_folders(path);
    write_file(path, text, bytes);
}

/* The sources as the run-time compiler has them. */
static void write_sources(void)
{
    for (const stfi_gpu_file *f = stfi_gpu_files; f->name != NULL; f++)
        write_under("sources", f->name, f->data, f->size);
}

/* ----------------------------------------------------------- preprocessing */

/* The text without the spaces that no token needs, and with "kernel" for the
 * name of the entry point, which says nothing of its code. */
static char *squeeze(const char *text, const char *entry)
{
    size_t length = strlen(entry);
    char *squeezed = malloc(strlen(text) + 1), *to = squeezed;
    int spaced = 0;

    while (squeezed != NULL && *text != '\0') {
        if (isspace((unsigned char)*text)) {
            spaced = 1;
            text++;
            continue;
        }
        if (spaced && to > squeezed && (isalnum(to[-1]) || to[-1] == '_')
            && (isalnum(*text) || *text == '_'))
            *to++ = ' ';
        spaced = 0;
        if (strncmp(text, entry, length) == 0) {
            memcpy(to, "kernel", 6);
            to += 6;
            text += length;
        } else {
            *to++ = *text++;
        }
    }
    if (squeezed != NULL)
        *to = '\0';
    return squeezed;
}

static char *read_all(FILE *file)
{
    size_t capacity = 1 << 20, used = 0, got;
    char *text = malloc(capacity);

    while (text != NULL
           && (got = fread(text + used, 1, capacity - used - 1, file)) > 0) {
        used += got;
        if (capacity - used < 2)
            text = realloc(text, capacity *= 2);
    }
    if (text != NULL)
        text[used] = '\0';
    return text;
}

/* A digest of all that the compiler sees; "" if there is no preprocessor. */
static void digest_text(const job *j, char digest[STFI_HASH_TEXT_BYTES])
{
    char command[4 * PATH_BYTES], *text, *squeezed;
    FILE *pipe;

    *digest = '\0';

    snprintf(command, sizeof command,
             "${CXX:-c++} -E -P -undef -x c++ -std=c++17 -DSTFK_CUDA=1 "
             "-D__CUDA_ARCH__=%s0 -I'%s/sources' -I'%s/config/%s' "
             "'%s/config/%s/kernel.cu' 2>/dev/null",
             j->arch + 3, folder, folder, j->name, folder, j->name);
    pipe = popen(command, "r");
    if (pipe == NULL)
        return;
    text = read_all(pipe);
    if (pclose(pipe) == 0 && text != NULL && text[0] != '\0') {
        squeezed = squeeze(text, j->spec.entry);
        if (squeezed != NULL)
            stfi_hash_print(stfi_hash_add_text(stfi_hash_begin(), squeezed),
                            digest);
        free(squeezed);
    }
    free(text);
}

/* --------------------------------------------------------------- compiling */

static uint64_t field(const unsigned char *data, size_t at, int bytes)
{
    uint64_t value = 0;

    for (int i = bytes; i-- > 0;)
        value = value << 8 | data[at + (size_t)i];
    return value;
}

/* Of the sections with code and constants, whose names end in the kernel's. */
static void digest_code(const unsigned char *image,
                        char digest[STFI_HASH_TEXT_BYTES])
{
    size_t table = field(image, 40, 8);
    size_t count = field(image, 60, 2), names = field(image, 62, 2);
    const char *text =
        (const char *)image + field(image, table + names * 64 + 24, 8);
    stfi_hash hash = stfi_hash_begin();

    for (size_t i = 0; i < count; i++) {
        size_t at = table + i * 64;
        const char *name = text + field(image, at, 4);

        if (strncmp(name, ".text.", 6) == 0
            || strncmp(name, ".nv.constant", 12) == 0)
            hash = stfi_hash_add(hash, image + field(image, at + 24, 8),
                                 field(image, at + 32, 8));
    }
    stfi_hash_print(hash, digest);
}

static void compile(table *t, job *j)
{
    const char *entry = j->spec.entry;
    char digest[STFI_HASH_TEXT_BYTES];
    void *image = NULL;
    size_t bytes = 0;
    stfi_gpu_usage usage;
    stf_status status =
        stfi_cuda_rtc.compile(j->arch, entry, j->spec.config, &image, &bytes);

    atomic_fetch_add(&t->compiled, 1);
    if (status == STF_OK)
        status = stfi_cubin_usage(image, bytes, entry, &usage);
    if (status == STF_OK)
        digest_code(image, digest);
    if (status == STF_OK)
        snprintf(j->result, sizeof j->result,
                 "%s registers=%d local=%d shared=%d", digest, usage.registers,
                 usage.local_bytes, usage.shared_bytes);
    else
        snprintf(j->result, sizeof j->result, "failed: %.200s",
                 stf_error_message());
    stfi_dealloc(image);
}

static int recall(const char *path, job *j)
{
    FILE *file = fopen(path, "r");
    int found = file != NULL && fgets(j->result, NAME_BYTES, file) != NULL;

    if (file != NULL)
        fclose(file);
    return found;
}

static void run_job(table *t, job *j)
{
    char path[PATH_BYTES], version[32] = "", digest[STFI_HASH_TEXT_BYTES];

    digest_text(j, digest);
    stfi_cuda_rtc.version(version, sizeof version);
    snprintf(path, sizeof path, "%s/%s-%s-%s", cache, version, j->arch, digest);
    if (*digest != '\0' && recall(path, j))
        return;
    compile(t, j);
    if (strncmp(j->result, "failed", 6) == 0)
        atomic_fetch_add(&t->failed, 1);
    else if (*digest != '\0')
        write_file(path, j->result, strlen(j->result));
}

static void work(table *t)
{
    int i;

    while ((i = atomic_fetch_add(&t->next, 1)) < t->count)
        run_job(t, &t->job[i]);
}

/* The compiler runs on one core: one process a core. */
static void run_all(table *t)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);

    count = count < 1 ? 1 : count > MAX_WORKERS ? MAX_WORKERS : count;
    fflush(stdout);
    for (long i = 0; i < count; i++)
        if (fork() == 0) {
            work(t);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
}

/* ------------------------------------------------------------------- main */

static void write_configs(const table *t)
{
    for (int i = 0; i < t->count; i++) {
        const job *j = &t->job[i];
        const char *program = stfi_gpu_program(j->spec.config);
        char name[NAME_BYTES + 16];

        snprintf(name, sizeof name, "%s/config.h", j->name);
        write_under("config", name, j->spec.config, strlen(j->spec.config));
        snprintf(name, sizeof name, "%s/kernel.cu", j->name);
        write_under("config", name, program, strlen(program));
    }
}

static void write_results(const table *t)
{
    char path[PATH_BYTES];
    FILE *file;

    snprintf(path, sizeof path, "%s/code.txt", folder);
    file = fopen(path, "w");
    if (file == NULL)
        die(path, strerror(errno));
    for (int i = 0; i < t->count; i++) {
        const job *j = &t->job[i];

        fprintf(file, "%s threads=%u dynamic=%u resident=%d spill=%d %s\n",
                j->name, (unsigned)j->spec.launch.threads,
                (unsigned)j->spec.launch.shared_bytes, j->spec.resident,
                j->spec.spill_bytes, j->result);
    }
    if (fclose(file) != 0)
        die(path, strerror(errno));
}

int main(int argc, char **argv)
{
    table *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: dump FOLDER CACHE [STEP]\n");
        return EXIT_FAILURE;
    }
    if (t == MAP_FAILED)
        die("kernels", strerror(errno));
    folder = argv[1];
    cache = argv[2];
    collect(t, argc > 3 && atoi(argv[3]) > 0 ? atoi(argv[3]) : 1);
    write_sources();
    write_configs(t);
    if (mkdir(cache, 0777) != 0 && errno != EEXIST)
        die(cache, strerror(errno));
    run_all(t);
    write_results(t);
    printf("%d kernels, %d compiled, %d failed\n", t->count,
           atomic_load(&t->compiled), atomic_load(&t->failed));
    return atomic_load(&t->failed) > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
