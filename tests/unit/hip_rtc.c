/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compiling with hipRTC: its results, its error messages, and the messages where
 * it is absent. The compiler itself needs no device. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/gpu/host/kernels/kernel_set.h"
#include "backends/hip/codeobj.h"
#include "backends/hip/hip_rtc.h"
#include "base/alloc.h"
#include "base/status.h"
#include "support/problem/problem.h"
#include "tests/fake/fake_path.h"
#include "tests/tap.h"
#include "tests/unit/apart.h"

static const char helper[] = "#pragma once\n"
                             "__device__ inline float twice(float x)\n"
                             "{\n"
                             "    return FACTOR * x;\n"
                             "}\n";
static const stfi_gpu_file files[] = {
    {"folder/helper.h", helper, sizeof helper - 1},
    {NULL, NULL, 0},
};

static const char program[] =
    "#include \"config.h\"\n"
    "#include \"folder/helper.h\"\n"
    "#ifndef STFK_HIP\n"
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

    return stfi_hip_compile(&source, arch, "doubles", image_p, bytes_p);
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

    setenv("STEADFAST_HIPRTC", l->file, 1);
    return failed(stfi_hip_rtc.version(version, sizeof version),
                  "no run-time compiler", l->text)
           && failed(compile(program, "", "gfx90a", &image, &bytes),
                     "no run-time compiler", l->text)
           && failed(stfi_hip_rtc.compile("gfx90a", "x", "", &image, &bytes),
                     "no run-time compiler", l->text)
           && image == (void *)&version && bytes == 77
           && !strcmp(version, "untouched");
}

static void test_absent(const char *file, const char *text)
{
    const library l = {file, text};

    tap_ok(apart_run(is_absent, &l), "compiler %s: %s", file, text);
}

/* 1 if the library does not try the compiler that the variable names. */
static int is_ignored(const void *file)
{
    char version[32];

    setenv("STEADFAST_HIPRTC", file, 1);
    return !stfi_hip_rtc.version(version, sizeof version)
           || !strstr(stf_error_message(), file);
}

/* Compiles with the hipRTC of tests, which would end this process, and with the
 * comgr of tests, which is found since it is loaded. */
static int is_guarded(const void *arg)
{
    static const char *const unknown[] = {"gfx942", "gfx90", "gfx90a1", ""};
    static const char made[] = "\177ELF of gfx90a, 2 files";
    void *image = NULL;
    size_t bytes = 0;
    char version[32] = "";
    int right;

    (void)arg;
    setenv("STEADFAST_HIPRTC", fake_path("libhiprtc.so"), 1);
    if (dlopen(fake_path("libamd_comgr.so"), RTLD_NOW | RTLD_LOCAL) == NULL)
        return 0;
    right = !stfi_hip_rtc.version(version, sizeof version)
            && !strcmp(version, "9.0.3.1")
            && !compile(program, "", "gfx90a", &image, &bytes)
            && bytes == sizeof made && !memcmp(image, made, sizeof made);
    stfi_dealloc(image);
    if (!right)
        tap_diag("version %s: %s", version, stf_error_message());
    image = NULL;
    right &= failed(compile("wrong", "", "gfx90a", &image, &bytes),
                    "cannot compile doubles for gfx90a: helper.h:3:1: error",
                    "wrong here");
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        right &= failed(compile(program, "", unknown[i], &image, &bytes),
                        "does not know the arch", unknown[i]);
    return right && image == NULL;
}

/* ------------------------------------------------------------- compiling */

static void test_images(void)
{
    stfi_codeobj object = {.vgprs = -1};
    void *image = NULL;
    size_t bytes = 0, plain = 0;
    stf_status status;

    status = compile(program, "#define FACTOR 2\n", "gfx90a", &image, &plain);
    tap_ok(!status && !stfi_codeobj_read(image, plain, "doubles", &object)
               && object.wave == 64 && object.scratch_bytes == 0
               && object.vgprs > 0 && object.vgprs < 32,
           "code for gfx90a, %s",
           status ? stf_error_message() : "a code object");
    stfi_dealloc(image);
    image = NULL;
    tap_ok(!strstr(stfi_hip_rtc.options(), "-gline"), "options: %s",
           stfi_hip_rtc.options());
    setenv("STEADFAST_DEBUG", "1", 1);
    tap_ok(strstr(stfi_hip_rtc.options(), "-gline") != NULL,
           "with STEADFAST_DEBUG: %s", stfi_hip_rtc.options());
    status = compile(program, "#define FACTOR 2\n", "gfx90a", &image, &bytes);
    unsetenv("STEADFAST_DEBUG");
    tap_ok(!status && bytes > plain, "line numbers with STEADFAST_DEBUG");
    stfi_dealloc(image);
}

static void test_complaints(void)
{
    static const struct {
        const char *text, *config, *arch, *a, *b;
    } rows[] = {
        {"#include \"config.h\"\nint f( { }\n", "", "gfx90a", "error: expected",
         "cannot compile doubles for gfx90a"},
        {program, "", "gfx90a", "helper.h:4:12: error", "FACTOR"},
        {program, "#error of the configuration\n", "gfx90a", "config.h:1",
         "of the configuration"},
        {"#include \"entry.h\"\n", "", "gfx90a", "error", "entry.h"},
        {program, "#define FACTOR 2\n", "gfx1", "arch", "gfx1"},
        {program, "#define FACTOR 2\n", "sm_90", "arch", "sm_90"},
        {program, "#define FACTOR 2\n", "", "arch", ""},
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
    status = compile(program, "#define FACTOR 2\n", "gfx90a", &image, &bytes);
    stfi_alloc_fail_at(0);
    tap_ok(status == STF_ERR_MEMORY && image == (void *)&files && bytes == 77,
           "no memory for the image");
    stfi_alloc_fail_at(1);
    status = compile("error", "", "gfx90a", &image, &bytes);
    stfi_alloc_fail_at(0);
    tap_ok(failed(status, "left no log", ""), "no memory for the log");
}

/* A kernel of the library. */
static void test_kernel(void)
{
    stfi_kernel_set set = {0, 0, NULL};
    stfi_codeobj object = {.vgprs = -1};
    void *image = NULL;
    size_t bytes = 0;
    stfi_problem p;
    stf_status status = stfi_problem_parse("c2c:f32:out:64*4096", &p);

    if (status == STF_OK)
        status = stfi_kernel_set_add(&set, &p.desc,
                                     stfi_gpu_arch_preset("gfx90a"), "gfx90a");
    if (tap_ok(!status && set.count > 0, "kernels of a problem")) {
        const stfi_gpu_spec *spec = &set.kernel[0]->spec;
        char config[STFI_GPU_VARIANT_BYTES];

        stfi_gpu_spec_variant(spec, spec->resident, config);
        status =
            stfi_hip_rtc.compile("gfx90a", spec->entry, config, &image, &bytes);
        if (status == STF_OK)
            status = stfi_codeobj_read(image, bytes, spec->entry, &object);
        tap_ok(!status && object.scratch_bytes == 0
                   && object.threads >= (int)spec->launch.threads,
               "%s: %s, %d registers", spec->entry,
               status ? stf_error_message() : "compiled", object.vgprs);
    }
    stfi_dealloc(image);
    stfi_kernel_set_free(&set);
}

int main(void)
{
    char version[32];

    tap_begin("hip_rtc");
    test_absent("/nowhere/libhiprtc.so", "/nowhere/libhiprtc.so");
    apart_untrusted("the compiler of a program with another user's rights",
                    is_ignored, "/nowhere/libhiprtc.so");
    test_absent(fake_path("libhiprtc-old.so"), "lacks hiprtcGetCode; ROCm 5.2");
    tap_ok(apart_run(is_guarded, NULL),
           "architectures that would end the process");
    if (stfi_hip_rtc.version(version, sizeof version) != STF_OK) {
        tap_skip(stf_error_message(), "compiling");
        return tap_end();
    }
    tap_ok(version[0] >= '1' && strchr(version, '.') != NULL, "version %s",
           version);
    test_images();
    test_complaints();
    test_memory();
    test_kernel();
    return tap_end();
}
