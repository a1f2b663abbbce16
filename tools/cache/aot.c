/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compiles the kernels of aot.def at `make`:
 *
 *   aot DIRECTORY "sm_80 sm_90 gfx90a" [JOBS]
 *
 * fills DIRECTORY with the files of a site's cache, and lists them in
 * DIRECTORY/files. Valid files are kept, and files that are not needed any more
 * are removed. JOBS processes compile side by side; without it, as many as make
 * was started with (-j in MAKEFLAGS). */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/gpu/host/cache/cache.h"
#include "backends/gpu/host/kernels/kernel_set.h"
#include "base/alloc.h"
#include "base/status.h"
#include "support/compile/clang.h"
#include "support/problem/problem.h"
#include "tools/cache/compilers.h"

enum { MOST_JOBS = 64, STEPS = 10, PATH_BYTES = 4096 };

static const char *const problems[] = {
#define STFI_AOT(problem) problem,
#include "backends/gpu/aot.def"
#undef STFI_AOT
};

enum { PROBLEMS = sizeof problems / sizeof *problems };

/* The compiler for an architecture. Kernels for AMD's GPUs are compiled by
 * clang, which is there more often than hipRTC. */
static const stfi_gpu_rtc *rtc_of(const char *arch)
{
    if (strncmp(arch, "gfx", 3) == 0)
        return &stfi_clang_rtc;
    return stfi_compiler_of(arch);
}

static int fail(const char *what)
{
    fprintf(stderr, "aot: %s%s%s\n", what, what[0] != '\0' ? ": " : "",
            stf_error_message());
    return EXIT_FAILURE;
}

/* ---------------------------------------------------------------- kernels */

static stf_status add_arch(stfi_kernel_set *set, const char *arch)
{
    const stfi_caps *caps = stfi_gpu_arch_preset(arch);
    stf_status status = STF_OK;

    if (caps == NULL)
        return stfi_error(STF_ERR_ARGUMENT,
                          "no device of architecture %s is "
                          "in backends/gpu/archs.def to plan for; leave it "
                          "out of --with-cuda-arch or --with-hip-arch",
                          arch);
    for (int i = 0; i < PROBLEMS && status == STF_OK; i++) {
        stfi_problem p;

        status = stfi_problem_parse(problems[i], &p);
        if (status == STF_OK)
            status = stfi_kernel_set_add(set, &p.desc, caps, arch);
    }
    return status;
}

/* Adds the kernels for each architecture of a list with spaces between. */
static stf_status add_archs(stfi_kernel_set *set, const char *list)
{
    stf_status status = STF_OK;

    while (status == STF_OK) {
        char arch[32];
        size_t length;

        list += strspn(list, " ");
        length = strcspn(list, " ");
        if (length == 0)
            break;
        snprintf(arch, sizeof arch, "%.*s", (int)length, list);
        status = add_arch(set, arch);
        list += length;
    }
    return status;
}

/* -------------------------------------------------------------- compiling */

/* The state that all processes share. */
typedef struct shared {
    atomic_int next, done;
    int total;
} shared;

static void tell(shared *s)
{
    int done = atomic_fetch_add(&s->done, 1) + 1;

    if (done * STEPS / s->total != (done - 1) * STEPS / s->total) {
        printf("  GEN      kernels (%d of %d)\n", done, s->total);
        fflush(stdout);
    }
}

/* stfi_kernel_source.get: takes the image from the directory or compiles it. */
static stf_status get(void *directory, const stfi_gpu_key *key, void **image_p,
                      size_t *bytes_p)
{
    return stfi_gpu_image_build(rtc_of(key->arch), key, directory, image_p,
                                bytes_p, NULL);
}

/* The work of one process: takes kernels until none is left. */
static int work(const stfi_kernel_set *set, shared *s, char *directory)
{
    int i;

    while ((i = atomic_fetch_add(&s->next, 1)) < set->count) {
        const stfi_kernel_source source = {
            get, directory, stfi_usage_reader_of(set->kernel[i]->arch)};

        if (stfi_kernel_get(set->kernel[i], &source) != STF_OK) {
            /* The other processes need not go on after a failure. */
            atomic_store(&s->next, set->count);
            return fail(set->kernel[i]->spec.entry);
        }
        tell(s);
    }
    return EXIT_SUCCESS;
}

/* Processes are used and not threads, since the compiler holds a lock that
 * would make its threads wait for each other. */
static int run_jobs(const stfi_kernel_set *set, int jobs, char *directory)
{
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int result = EXIT_SUCCESS, status, started = 0;

    if (s == MAP_FAILED) {
        stfi_error(STF_ERR_MEMORY, "%s", strerror(errno));
        return fail("no memory to share");
    }
    s->total = set->count;
    for (; started < jobs; started++) {
        pid_t child = fork();

        if (child == 0)
            exit(work(set, s, directory));
        if (child < 0)
            break;
    }
    if (started == 0)
        result = work(set, s, directory);
    while (wait(&status) > 0)
        if (status != 0)
            result = EXIT_FAILURE;
    if (result == EXIT_SUCCESS && atomic_load(&s->done) != set->count)
        result = EXIT_FAILURE;
    munmap(s, sizeof *s);
    return result;
}

/* ---------------------------------------------------------------- listing */

typedef char file_name[2 * STFI_CACHE_NAME_BYTES];

/* The files of the kernels that exist in the directory. */
typedef struct file_list {
    char *directory;
    int count, capacity;
    file_name *name;
} file_list;

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* stfi_kernel_source.get: takes the image from the directory only, and adds its
 * file to the list. */
static stf_status get_listed(void *arg, const stfi_gpu_key *key, void **image_p,
                             size_t *bytes_p)
{
    file_list *list = arg;
    char compiler[STFI_GPU_COMPILER_BYTES];
    char folder[STFI_CACHE_NAME_BYTES], name[STFI_CACHE_NAME_BYTES];
    stfi_cache_head head;
    const stfi_gpu_rtc *rtc = rtc_of(key->arch);
    int found = 0;
    stf_status status = stfi_gpu_compiler(rtc, compiler);

    if (status == STF_OK
        && !stfi_cache_head_make(key, compiler, rtc->options(), &head))
        status = stfi_error(STF_ERR_INTERNAL, "%s: too long", key->entry);
    if (status == STF_OK)
        status =
            stfi_cache_built(list->directory, &head, image_p, bytes_p, &found);
    if (status != STF_OK)
        return status;
    if (!found)
        return stfi_error(STF_ERR_IO, "kernel %s is not there", key->entry);
    if (list->count == list->capacity) {
        int capacity = 2 * list->capacity + 64;
        file_name *more = realloc(list->name, (size_t)capacity * sizeof *more);

        if (more == NULL) {
            stfi_dealloc(*image_p);
            return stfi_error(STF_ERR_MEMORY, "out of memory");
        }
        list->name = more;
        list->capacity = capacity;
    }
    stfi_cache_folder_name(&head, folder);
    stfi_cache_file_name(&head, name);
    snprintf(list->name[list->count++], sizeof *list->name, "%s/%s", folder,
             name);
    return STF_OK;
}

/* Lists the files of existing kernels. Kernels without a file are collected in
 * `missing`, which has room for all of them. */
static stf_status list_files(const stfi_kernel_set *set, file_list *list,
                             stfi_kernel_set *missing)
{
    stf_status status = STF_OK;

    list->count = missing->count = 0;
    for (int i = 0; i < set->count && status == STF_OK; i++) {
        const stfi_kernel_source source = {
            get_listed, list, stfi_usage_reader_of(set->kernel[i]->arch)};

        status = stfi_kernel_get(set->kernel[i], &source);
        if (status == STF_ERR_IO || status == STF_ERR_ARGUMENT) {
            missing->kernel[missing->count++] = set->kernel[i];
            status = STF_OK;
        }
    }
    if (list->count > 0)
        qsort(list->name, (size_t)list->count, sizeof *list->name, by_name);
    return status;
}

static int remove_unlisted(void *arg, const stfi_cache_file *file)
{
    const file_list *list = arg;
    file_name name;

    snprintf(name, sizeof name, "%.127s/%.127s", file->folder, file->name);
    if (bsearch(name, list->name, (size_t)list->count, sizeof *list->name,
                by_name)
        == NULL)
        unlinkat(file->folder_fd, file->name, 0);
    return 0;
}

static void prune(file_list *list)
{
    stfi_cache_place place = {.kind = STFI_CACHE_BUILD};
    int fd;

    snprintf(place.path, sizeof place.path, "%s", list->directory);
    fd = stfi_cache_place_open(&place, 0);
    if (fd < 0)
        return;
    stfi_cache_files(place.kind, fd, remove_unlisted, list);
    close(fd);
}

/* `make` depends on the list, so it is written last, and appears whole. */
static stf_status write_list(const file_list *list)
{
    char path[PATH_BYTES], temporary[PATH_BYTES + 8];
    FILE *file;
    int bad;

    snprintf(path, sizeof path, "%s/files", list->directory);
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    file = fopen(temporary, "w");
    bad = file == NULL;
    for (int i = 0; i < list->count && !bad; i++)
        bad = fprintf(file, "%s\n", list->name[i]) < 0;
    if (file != NULL)
        bad = fclose(file) != 0 || bad;
    if (!bad && rename(temporary, path) == 0)
        return STF_OK;
    return stfi_error(STF_ERR_IO, "%s cannot be written: %s", path,
                      strerror(errno));
}

/* ------------------------------------------------------------------- main */

/* The number N of -jN in MAKEFLAGS, where every GNU make puts it; a bare "-j"
 * means that there is no bound. */
static int jobs_of_make(void)
{
    const char *flags = getenv("MAKEFLAGS");
    const char *j = flags != NULL ? strstr(flags, "-j") : NULL;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (j == NULL)
        return 1;
    if (j[2] >= '1' && j[2] <= '9')
        return atoi(j + 2);
    return processors > 0 ? (int)processors : 1;
}

/* Compiles the missing kernels; afterwards none may be missing. */
static int build(const stfi_kernel_set *set, int jobs, file_list *list,
                 stfi_kernel_set *missing)
{
    if (list_files(set, list, missing) != STF_OK)
        return fail("kernels");
    if (missing->count > 0) {
        if (jobs > missing->count)
            jobs = missing->count;
        if (run_jobs(missing, jobs, list->directory) != EXIT_SUCCESS)
            return EXIT_FAILURE;
        if (list_files(set, list, missing) != STF_OK || missing->count > 0)
            return fail("kernels");
    }
    prune(list);
    return write_list(list) == STF_OK ? EXIT_SUCCESS : fail("kernels");
}

static int build_archs(const char *archs, int jobs, char *directory)
{
    stfi_kernel_set set = {0, 0, NULL}, missing = {0, 0, NULL};
    file_list list = {.directory = directory};
    int result;

    if (add_archs(&set, archs) != STF_OK) {
        result = fail("kernels");
    } else {
        missing.kernel = calloc((size_t)set.count + 1, sizeof *missing.kernel);
        result = missing.kernel != NULL ? build(&set, jobs, &list, &missing)
                                        : EXIT_FAILURE;
    }
    free(missing.kernel);
    free(list.name);
    stfi_kernel_set_free(&set);
    return result;
}

int main(int argc, char **argv)
{
    int jobs;

    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: aot DIRECTORY ARCHITECTURES [JOBS]\n");
        return EXIT_FAILURE;
    }
    jobs = argc > 3 ? atoi(argv[3]) : jobs_of_make();
    jobs = jobs < 1 ? 1 : jobs > MOST_JOBS ? MOST_JOBS : jobs;
    return build_archs(argv[2], jobs, argv[1]);
}
