/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The note of the run-time compiler's version: the compiler is loaded only if a
 * kernel has to be compiled, or if anything has changed that decides which
 * compiler that would be. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/gpu/host/cache/compiler_note.h"
#include "base/alloc.h"
#include "base/library.h"
#include "base/status.h"
#include "tests/tap.h"
#include "tests/unit/sandbox.h"

static const stfi_gpu_key key = {"stfk_fft_f32_r8x8", "#define N 64\n",
                                 "sm_90"};

/* A compiler whose library is a file of the sandbox. */
static char library_file[SANDBOX_PATH_BYTES];
static const char *named_file;
static int loads; /* how often a process loaded it */
static int is_loaded;

static void load(void)
{
    loads += !is_loaded;
    is_loaded = 1;
}

static stf_status version(char *text, size_t capacity)
{
    if (access(library_file, R_OK) != 0)
        return stfi_error(STF_ERR_COMPILE, "the library is gone");
    load();
    return sandbox_rtc.version(text, capacity);
}

static stf_status compile(const char *arch, const char *entry,
                          const char *config, void **image_p, size_t *bytes_p)
{
    load();
    return sandbox_rtc.compile(arch, entry, config, image_p, bytes_p);
}

static const char *options(void)
{
    return sandbox_options;
}

static const char *named(void)
{
    return named_file;
}

static const char *library(void)
{
    return is_loaded ? library_file : NULL;
}

static const stfi_gpu_rtc rtc = {.name = "nvrtc",
                                 .version = version,
                                 .options = options,
                                 .compile = compile,
                                 .named = named,
                                 .library = library};

/* Gets a kernel in what is a new process to the compiler. Returns how often it
 * was loaded, or -1 if the kernel was not had as expected. */
static int loads_of(const stfi_gpu_key *wanted, int cached)
{
    void *image = NULL;
    size_t bytes;
    int from_cache = -1;
    stf_status status;

    loads = is_loaded = 0;
    status = stfi_gpu_image_get(&rtc, wanted, &image, &bytes, &from_cache);
    stfi_dealloc(image);
    return status == STF_OK && from_cache == cached ? loads : -1;
}

static void write_text(const char *path, const char *text)
{
    sandbox_write(path, (const unsigned char *)text, strlen(text));
}

/* A library, a cache with one kernel and a note. */
static void begin(void)
{
    sandbox_fresh();
    write_text(library_file, "library");
    loads_of(&key, 0);
}

static void test_loading(void)
{
    stfi_gpu_key other = key;
    char text[STFI_GPU_COMPILER_BYTES];

    sandbox_fresh();
    write_text(library_file, "library");
    tap_ok(loads_of(&key, 0) == 1, "compiling loads the compiler");
    tap_ok(loads_of(&key, 1) == 0, "a cached kernel does not");
    tap_ok(sandbox_mode_is(sandbox_path("user/nvrtc.note"), 0600),
           "the note is private");
    loads = is_loaded = 0;
    tap_ok(stfi_gpu_compiler(&rtc, text) == STF_OK
               && strcmp(text, "nvrtc 13.0") == 0 && loads == 0,
           "nor does its name");
    other.entry = "stfk_other";
    tap_ok(loads_of(&other, 0) == 1 && loads_of(&other, 1) == 0,
           "another kernel does, once");
}

/* What changes the library that would be loaded. */
static void replace_library(void)
{
    sandbox_remove(library_file);
    write_text(library_file, "another one");
}

static void name_library(void)
{
    named_file = library_file;
}

static void search_elsewhere(void)
{
    sandbox_env("LD_LIBRARY_PATH", sandbox_path("libraries"));
}

static void add_library(void)
{
    write_text(sandbox_path("libraries/new.so"), "new");
}

static void test_changes(void)
{
    static const struct {
        const char *name;
        void (*change)(void);
    } rows[] = {
        {"another file", replace_library},
        {"one that the user names", name_library},
        {"another list of folders", search_elsewhere},
        {"a new file in one of them", add_library},
    };

    begin();
    mkdir(sandbox_path("libraries"), 0700);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int before = loads_of(&key, 1);

        rows[i].change();
        tap_ok(before == 0 && loads_of(&key, 1) == 1 && loads_of(&key, 1) == 0,
               "the note is made anew: %s", rows[i].name);
    }
    sandbox_env("LD_LIBRARY_PATH", NULL);
    named_file = NULL;
}

/* A note may be wrong, if the library is replaced unnoticed. */
static void test_wrong(void)
{
    stfi_gpu_key other = key;

    begin();
    other.entry = "stfk_other";
    sandbox_version = "13.1";
    tap_ok(loads_of(&key, 1) == 0, "an unnoticed compiler is not loaded");
    tap_ok(loads_of(&other, 0) == 1 && loads_of(&other, 1) == 0,
           "until it has to compile; then its own version is noted");
    tap_ok(loads_of(&key, 0) == 1, "and kernels are its own");
    sandbox_version = "13.0";
    begin();
    sandbox_remove(library_file);
    tap_ok(loads_of(&key, 1) == 0, "without the library, any kernel will do");
    tap_ok(loads_of(&other, 0) == -1
               && strstr(stf_error_message(), "the library is gone"),
           "and what is in no cache cannot be had");
}

/* Damages each byte of the note in turn, and cuts it there. */
static void test_damage(void)
{
    unsigned char bytes[SANDBOX_FILE_BYTES];
    const char *note = sandbox_path("user/nvrtc.note");
    size_t count, wrong = 0;

    begin();
    count = sandbox_read(note, bytes);
    for (size_t i = 0; i < count; i++) {
        bytes[i] ^= 1;
        sandbox_write(note, bytes, count);
        bytes[i] ^= 1;
        wrong += loads_of(&key, 1) != 1;
        sandbox_write(note, bytes, i);
        wrong += loads_of(&key, 1) != 1;
    }
    tap_ok(count > 40 && wrong == 0,
           "a note of %zu bytes, damaged or cut short, is not believed", count);
    sandbox_write(note, bytes, count);
    chmod(note, 0666);
    tap_ok(loads_of(&key, 1) == 1, "nor is one that others may write");
    sandbox_env("STEADFAST_CACHE", "off");
    tap_ok(loads_of(&key, 0) == 1, "without a cache there is none");
    sandbox_env("STEADFAST_CACHE", NULL);
}

static void test_clear(void)
{
    stfi_cache_place place;
    int64_t files, bytes;

    begin();
    stfi_cache_place_first(&place);
    tap_ok(stfi_cache_clear(&place, &files, &bytes) == STF_OK && files == 1
               && access(sandbox_path("user/nvrtc.note"), F_OK) != 0,
           "it goes with the kernels");
}

static void test_path(void)
{
    char path[4096];

    tap_ok(stfi_library_path((void (*)(void))tap_begin, path, sizeof path)
               && path[0] == '/' && access(path, R_OK) == 0,
           "a function's library is found");
    tap_ok(!stfi_library_path((void (*)(void))tap_begin, path, 2),
           "or not, where there is no room for its path");
}

int main(void)
{
    tap_begin("compiler_note");
    if (!tap_ok(sandbox_begin(), "a sandbox"))
        return tap_end();
    sandbox_env("LD_LIBRARY_PATH", NULL);
    snprintf(library_file, sizeof library_file, "%s",
             sandbox_path("compiler.so"));
    test_loading();
    test_changes();
    test_wrong();
    test_damage();
    test_clear();
    test_path();
    sandbox_end();
    return tap_end();
}
