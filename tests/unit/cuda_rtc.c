/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compiling with NVRTC: its results, its error messages, and the messages where
 * it is absent. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/cuda_rtc.h"
#include "backends/gpu/host/kernels/family.h"
#include "base/alloc.h"
#include "base/status.h"
#include "tests/tap.h"
#include "tests/unit/apart.h"

static const char helper[] = "#pragma once\n"
                             "__device__ inline float twice(float x)\n"
                             "{\n"
                             "    return FACTOR * x;\n"
                             "}\n";
static const char empty[] = "";
static const stfi_gpu_file files[] = {
    {"empty.h", empty, 0},
    {"helper.h", helper, sizeof helper - 1},
    {NULL, NULL, 0},
};

static const char program[] =
    "#include \"config.h\"\n"
    "#include \"empty.h\"\n"
    "#include \"helper.h\"\n"
    "#ifndef STFK_CUDA\n"
    "#error no vendor\n"
    "#endif\n"
    "template <typename T> struct holder { static constexpr T one = 1; };\n"
    "extern \"C\" __global__ void doubles(float *x)\n"
    "{\n"
    "    if constexpr (holder<int>::one == 1)\n"
    "        x[threadIdx.x] = twice(x[threadIdx.x]);\n"
    "}\n";

static stf_status compile(const char *text, const char *config,
                          const char *arch, void **image_p, size_t *bytes_p)
{
    const stfi_gpu_source source = {text, files, config};
    return stfi_cuda_compile(&source, arch, "doubles", image_p, bytes_p);
}

static int holds(const void *image, size_t bytes, const char *text)
{
    size_t length = strlen(text);

    for (size_t i = 0; i + length <= bytes; i++)
        if (!memcmp((const char *)image + i, text, length))
            return 1;
    return 0;
}

/* 1 if a call failed as it should, with a message that holds the texts. */
static int failed(stf_status got, const char *a, const char *b)
{
    const char *message = stf_error_message();
    int right =
        got == STF_ERR_COMPILE && strstr(message, a) && strstr(message, b);

    if (!right)
        tap_diag("got %s, \"%s\"; want \"%s\" and \"%s\"", stf_status_name(got),
                 message, a, b);
    return right;
}

/* ----------------------------------------------------------- no compiler */

typedef struct library {
    const char *file, *text; /* file name; text that the message must have */
} library;

static int is_absent(const void *arg)
{
    const library *l = arg;
    char version[32] = "untouched";
    void *image = &version;
    size_t bytes = 77;

    setenv("STEADFAST_NVRTC", l->file, 1);
    return failed(stfi_cuda_rtc.version(version, sizeof version),
                  "no run-time compiler", l->text)
           && failed(compile(program, "", "sm_90", &image, &bytes),
                     "no run-time compiler", l->text)
           && failed(stfi_cuda_rtc.compile("sm_90", "x", "", &image, &bytes),
                     "no run-time compiler", l->text)
           && image == (void *)&version && bytes == 77
           && !strcmp(version, "untouched");
}

static void test_absent(const char *file, const char *text)
{
    const library l = {file, text};

    tap_ok(apart_run(is_absent, &l), "compiler %s: %s", file, text);
}

/* A compiler that is older than the device makes PTX, which the driver
 * translates. */
static int is_of_old_compiler(const void *file)
{
    static const struct {
        const char *arch, *made;
    } rows[] = {
        {"sm_80", "\177ELF of sm_80"},
        {"sm_90", "// .entry of compute_86"},
        {"sm_100", "// .entry of compute_86"},
        {"sm_84", "// .entry of compute_80"},
        {"compute_75", "// .entry of compute_75"},
    };
    int right = 1;

    setenv("STEADFAST_NVRTC", file, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *image = NULL;
        size_t bytes = 0;
        stf_status status = compile(program, "", rows[i].arch, &image, &bytes);
        if (status != STF_OK || bytes != strlen(rows[i].made) + 1
            || memcmp(image, rows[i].made, bytes) != 0) {
            tap_diag("%s: %s", rows[i].arch,
                     status ? stf_error_message() : "not what was wanted");
            right = 0;
        }
        stfi_dealloc(image);
    }
    return right
           && failed(
               compile(program, "", "sm_70", &(void *){NULL}, &(size_t){0}),
               "cannot compile", "sm_70");
}

/* 1 if the library does not try the compiler that the variable names. */
static int is_ignored(const void *file)
{
    char version[32];

    setenv("STEADFAST_NVRTC", file, 1);
    return !stfi_cuda_rtc.version(version, sizeof version)
           || !strstr(stf_error_message(), file);
}

/* ------------------------------------------------------------- compiling */

static void test_images(void)
{
    void *image = NULL;
    size_t bytes = 0, plain = 0;
    stf_status status;

    status = compile(program, "#define FACTOR 2\n", "sm_90", &image, &plain);
    tap_ok(!status && plain > 64 && !memcmp(image, "\177ELF", 4)
               && holds(image, plain, "doubles"),
           "machine code for sm_90, %s",
           status ? stf_error_message() : "an ELF file");
    stfi_dealloc(image);
    image = NULL;
    status =
        compile(program, "#define FACTOR 2\n", "compute_80", &image, &bytes);
    tap_ok(!status && holds(image, bytes, ".entry doubles")
               && holds(image, bytes, ".target sm_80")
               && ((char *)image)[bytes - 1] == '\0',
           "PTX for compute_80, %s", status ? stf_error_message() : "text");
    stfi_dealloc(image);
    image = NULL;
    tap_ok(!strstr(stfi_cuda_rtc.options(), "-lineinfo"), "options: %s",
           stfi_cuda_rtc.options());
    setenv("STEADFAST_DEBUG", "1", 1);
    tap_ok(strstr(stfi_cuda_rtc.options(), "-lineinfo") != NULL,
           "with STEADFAST_DEBUG: %s", stfi_cuda_rtc.options());
    status = compile(program, "#define FACTOR 2\n", "sm_90", &image, &bytes);
    unsetenv("STEADFAST_DEBUG");
    tap_ok(!status && holds(image, bytes, ".debug_line") && bytes > plain,
           "line numbers with STEADFAST_DEBUG");
    stfi_dealloc(image);
}

static void test_complaints(void)
{
    static const struct {
        const char *text, *config, *arch, *a, *b;
    } rows[] = {
        {"#include \"config.h\"\nint f( { }\n", "", "sm_90",
         "kernel.cu(2): error", "cannot compile doubles for sm_90"},
        {program, "", "sm_90", "helper.h(4): error", "FACTOR"},
        {program, "#error of the configuration\n", "sm_90", "config.h(1)",
         "of the configuration"},
        {"#include \"entry.h\"\n", "", "sm_90", "error", "entry.h"},
        {program, "#define FACTOR 2\n", "sm_1", "error", "arch"},
        {program, "#define FACTOR 2\n", "", "error", "arch"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *image = (void *)&rows;
        size_t bytes = 77;
        stf_status status =
            compile(rows[i].text, rows[i].config, rows[i].arch, &image, &bytes);
        tap_ok(failed(status, rows[i].a, rows[i].b)
                   && strchr(stf_error_message(), '\n') == NULL
                   && image == (void *)&rows && bytes == 77,
               "%s", stf_error_message());
    }
}

static void test_memory(void)
{
    void *image = (void *)&files;
    size_t bytes = 77;
    stf_status status;

    stfi_alloc_fail_at(1);
    status = compile(program, "#define FACTOR 2\n", "sm_90", &image, &bytes);
    stfi_alloc_fail_at(0);
    tap_ok(status == STF_ERR_MEMORY && image == (void *)&files && bytes == 77,
           "no memory for the image");
    stfi_alloc_fail_at(1);
    status = compile("error", "", "sm_90", &image, &bytes);
    stfi_alloc_fail_at(0);
    tap_ok(failed(status, "left no log", ""), "no memory for the log");
}

static void *compile_some(void *arg)
{
    int *wrong = arg;

    for (int i = 0; i < 3; i++) {
        void *image = NULL;
        size_t bytes = 0;
        char config[64];

        snprintf(config, sizeof config, "#define FACTOR %d.5f\n", i + 1);
        if (compile(program, config, "sm_80", &image, &bytes) != STF_OK
            || memcmp(image, "\177ELF", 4) != 0)
            ++*wrong;
        stfi_dealloc(image);
    }
    return NULL;
}

static void test_threads(void)
{
    enum { THREADS = 3 };
    pthread_t thread[THREADS];
    int wrong[THREADS] = {0}, all = 0;

    for (int t = 0; t < THREADS; t++)
        if (pthread_create(&thread[t], NULL, compile_some, &wrong[t]))
            tap_diag("no thread");
    for (int t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        all += wrong[t];
    }
    tap_ok(all == 0, "%d threads at once", THREADS);
}

/* ------------------------------------------------------------ the sources */

/* Opens a source file of the kernels, or one that they share with the
 * library. */
static FILE *open_source(const char *name)
{
    static const char *const folders[] = {"backends/gpu/kernels", "lib"};
    const char *top = getenv("top_srcdir");
    char path[1024];
    FILE *file = NULL;

    for (int i = 0; i < 2 && file == NULL; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", top != NULL ? top : ".",
                 folders[i], name);
        file = fopen(path, "rb");
    }
    return file;
}

/* 1 if the embedded text is that of the file in the source tree. */
static int as_in_tree(const stfi_gpu_file *embedded)
{
    size_t i = 0;
    FILE *file = open_source(embedded->name);
    int c, same;

    if (file == NULL)
        return 0;
    while ((c = getc(file)) != EOF && i < embedded->size
           && (unsigned char)embedded->data[i] == c)
        i++;
    same = c == EOF && i == embedded->size && embedded->data[i] == '\0';
    fclose(file);
    return same;
}

static void test_embedded(void)
{
    int count = 0, args = 0, same = 1;

    for (; stfi_gpu_files[count].name != NULL; count++) {
        args |= !strcmp(stfi_gpu_files[count].name, "fft/args.h");
        if (!as_in_tree(&stfi_gpu_files[count])) {
            tap_diag("%s differs", stfi_gpu_files[count].name);
            same = 0;
        }
    }
    tap_ok(count > 0 && args && same,
           "%d kernel sources are embedded as they are", count);
    tap_ok(count <= STFI_GPU_MOST_FILES, "all of them are hashed");
}

int main(void)
{
    const char *folder = getenv("top_builddir");
    char wrong[1024], old[1024], fake[1024], version[32];

    tap_begin("cuda_rtc");
    snprintf(wrong, sizeof wrong, "%s/tests/fake/libcuda.so",
             folder != NULL ? folder : ".");
    test_absent("/nowhere/libnvrtc.so", "/nowhere/libnvrtc.so");
    apart_untrusted("the compiler of a program with another user's rights",
                    is_ignored, "/nowhere/libnvrtc.so");
    test_absent(wrong, "lacks nvrtcVersion; CUDA 11.7 or newer is needed");
    snprintf(old, sizeof old, "%s/tests/fake/libnvrtc-old.so",
             folder != NULL ? folder : ".");
    test_absent(old, "is of CUDA 11.6; 11.7 or newer is needed");
    snprintf(fake, sizeof fake, "%s/tests/fake/libnvrtc.so",
             folder != NULL ? folder : ".");
    tap_ok(apart_run(is_of_old_compiler, fake),
           "PTX for devices that are newer than the compiler");
    test_embedded();
    if (stfi_cuda_rtc.version(version, sizeof version) != STF_OK) {
        tap_skip(stf_error_message(), "compiling");
        return tap_end();
    }
    tap_ok(version[0] >= '1' && strchr(version, '.') != NULL, "version %s",
           version);
    test_images();
    test_complaints();
    test_memory();
    test_threads();
    return tap_end();
}
