/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A directory and a compiler for tests of the kernel cache; see sandbox.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "tests/unit/sandbox.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/gpu/host/kernels/files.h"
#include "base/alloc.h"
#include "base/status.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

char sandbox[SANDBOX_PATH_BYTES];
const char *sandbox_version = "13.0", *sandbox_options = "-O";
stf_status sandbox_failure = STF_OK;
size_t sandbox_bytes = 5000;
int sandbox_compiles;

/* These replace the library's kernel sources. Each family has a file of its
 * own, and includes files that others include too. */
static char fft_entry[] = "#include \"config.h\"\n#include \"fft.h\"\n";
static char protected_entry[] = "#include \"fft.h\"\n#include \"check.h\"\n";
static char end_to_end_entry[] = "#include \"weigh.h\"\n";
static char arch_text[] = "/* vendor */", fft[] = "#include \"arch.h\"\n";
static char check[] = "#include \"fft.h\"\n#include \"check.h\"\n";
static char weigh[] = "#if A\n#include \"arch.h\"\n#endif\n", other[] = "a";

#define FILE_OF(name, text)          \
    {                                \
        name, text, sizeof(text) - 1 \
    }
const stfi_gpu_file stfi_gpu_files[] = {
    FILE_OF("entry_fft.h", fft_entry),
    FILE_OF("entry_protected.h", protected_entry),
    FILE_OF("entry_end_to_end.h", end_to_end_entry),
    FILE_OF("arch.h", arch_text),
    FILE_OF("fft.h", fft),
    FILE_OF("check.h", check),
    FILE_OF("weigh.h", weigh),
    FILE_OF("other.h", other),
    {NULL, NULL, 0},
};

void sandbox_edit(const char *file)
{
    static const struct {
        const char *name;
        char *text;
    } texts[] = {
        {"entry_fft.h", fft_entry},
        {"entry_protected.h", protected_entry},
        {"entry_end_to_end.h", end_to_end_entry},
        {"arch.h", arch_text},
        {"fft.h", fft},
        {"check.h", check},
        {"weigh.h", weigh},
        {"other.h", other},
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].name, file) == 0)
            texts[i].text[strlen(texts[i].text) - 1] ^= 1;
}

/* --------------------------------------------------------------- compiler */

static void make_image(const stfi_gpu_key *key, unsigned char *image)
{
    stfi_hash h = stfi_hash_add_text(stfi_hash_begin(), sandbox_version);
    uint64_t state;

    h = stfi_hash_add_text(h, sandbox_options);
    h = stfi_hash_add_text(h, key->arch);
    h = stfi_hash_add_text(h, key->entry);
    h = stfi_hash_add_text(h, key->config);
    state = h.low ^ h.high;
    for (size_t i = 0; i < sandbox_bytes; i++)
        image[i] = (unsigned char)stfi_random_u64(&state);
}

static stf_status version(char *to, size_t capacity)
{
    if (sandbox_version == NULL)
        return stfi_error(STF_ERR_COMPILE, "the compiler is on holiday");
    snprintf(to, capacity, "%s", sandbox_version);
    return STF_OK;
}

static stf_status compile(const char *target, const char *entry,
                          const char *config, void **image_p, size_t *bytes_p)
{
    const stfi_gpu_key key = {entry, config, target};
    stf_status status;

    sandbox_compiles++;
    if (sandbox_failure != STF_OK)
        return stfi_error(sandbox_failure, "the compiler is in a bad mood");
    status = stfi_alloc_raw(sandbox_bytes, "an image", image_p);
    if (status == STF_OK) {
        make_image(&key, *image_p);
        *bytes_p = sandbox_bytes;
    }
    return status;
}

static const char *options(void)
{
    return sandbox_options;
}

const stfi_gpu_rtc sandbox_rtc = {
    .name = "fake", .version = version, .options = options, .compile = compile};

/* -------------------------------------------------------------- directory */

void sandbox_env(const char *name, const char *value)
{
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

const char *sandbox_path(const char *name)
{
    static char path[16][2 * SANDBOX_PATH_BYTES];
    static int next;

    next = (next + 1) % 16;
    snprintf(path[next], sizeof path[next], "%s/%s", sandbox, name);
    return path[next];
}

int sandbox_begin(void)
{
    const char *base = getenv("TMPDIR");

    snprintf(sandbox, sizeof sandbox, "%s/stf-cache.XXXXXX",
             base != NULL ? base : "/tmp");
    if (mkdtemp(sandbox) == NULL)
        return 0;
    sandbox_env("STEADFAST_CACHE", NULL);
    sandbox_env("STEADFAST_SITE_CACHE", NULL);
    sandbox_env("STEADFAST_CACHE_MAX_MB", NULL);
    sandbox_env("STEADFAST_CACHE_DIR", sandbox_path("user"));
    return 1;
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

int sandbox_remove(const char *path)
{
    return nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0;
}

void sandbox_end(void)
{
    sandbox_remove(sandbox);
}

size_t sandbox_read(const char *path, unsigned char *bytes)
{
    FILE *file = fopen(path, "rb");
    size_t got = file != NULL ? fread(bytes, 1, SANDBOX_FILE_BYTES, file) : 0;

    if (file != NULL)
        fclose(file);
    return got;
}

void sandbox_write(const char *path, const unsigned char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");

    if (file == NULL || fwrite(bytes, 1, count, file) != count)
        tap_diag("%s cannot be written", path);
    if (file != NULL)
        fclose(file);
}

int sandbox_mode_is(const char *path, mode_t mode)
{
    struct stat st;
    return stat(path, &st) == 0 && (st.st_mode & 07777) == mode;
}

void sandbox_fresh(void)
{
    if (access(sandbox_path("user"), F_OK) == 0)
        sandbox_remove(sandbox_path("user"));
}

/* ---------------------------------------------------------------- entries */

int sandbox_gets(const stfi_gpu_key *key, int cached)
{
    void *image = NULL;
    unsigned char *right = malloc(sandbox_bytes);
    size_t bytes = 0;
    int before = sandbox_compiles, was = -1, same;
    stf_status status =
        stfi_gpu_image_get(&sandbox_rtc, key, &image, &bytes, &was);

    if (right != NULL && sandbox_version != NULL)
        make_image(key, right);
    same = status == STF_OK && right != NULL && bytes == sandbox_bytes
           && (sandbox_version == NULL || memcmp(image, right, bytes) == 0)
           && (cached < 0 || was == cached)
           && sandbox_compiles == before + !was;
    if (!same)
        tap_diag("%s, \"%s\": %zu bytes, cached %d, %d compiled",
                 stf_status_name(status), stf_error_message(), bytes, was,
                 sandbox_compiles - before);
    free(right);
    stfi_dealloc(image);
    return same;
}

int sandbox_builds(const stfi_gpu_key *key, const char *directory, int built)
{
    void *image = NULL;
    unsigned char *right = malloc(sandbox_bytes);
    size_t bytes = 0;
    int before = sandbox_compiles, was = -1, same;
    stf_status status = stfi_gpu_image_build(&sandbox_rtc, key, directory,
                                             &image, &bytes, &was);

    if (right != NULL)
        make_image(key, right);
    same = status == STF_OK && right != NULL && bytes == sandbox_bytes
           && memcmp(image, right, bytes) == 0 && was == built
           && sandbox_compiles == before + !built;
    free(right);
    stfi_dealloc(image);
    return same;
}

const char *sandbox_entry(const char *directory, const stfi_gpu_key *key)
{
    static char path[4 * SANDBOX_PATH_BYTES];
    char compiler[STFI_GPU_COMPILER_BYTES] = "";
    char folder[STFI_CACHE_NAME_BYTES], name[STFI_CACHE_NAME_BYTES];
    stfi_cache_head head;

    stfi_gpu_compiler(&sandbox_rtc, compiler);
    stfi_cache_head_make(key, compiler, sandbox_options, &head);
    stfi_cache_folder_name(&head, folder);
    stfi_cache_file_name(&head, name);
    snprintf(path, sizeof path, "%s/%s/%s", directory, folder, name);
    return path;
}

typedef struct counts {
    int of[2]; /* [0]: entries, [1]: temporary files */
} counts;

static int count_file(void *arg, const stfi_cache_file *file)
{
    counts *c = arg;

    c->of[file->temporary]++;
    return 0;
}

int sandbox_count(int temporary)
{
    counts c = {{0, 0}};
    stfi_cache_place place;
    int fd;

    stfi_cache_place_first(&place);
    fd = stfi_cache_place_open(&place, 0);
    if (fd < 0)
        return 0;
    stfi_cache_files(STFI_CACHE_USER, fd, count_file, &c);
    close(fd);
    return c.of[temporary];
}
