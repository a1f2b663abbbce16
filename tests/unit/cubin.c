/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tests of reading cubins: the numbers that the library reads are compared with
 * what ptxas prints for the same code, and damaged images are refused or read
 * without a fault. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cuda/cubin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/cuda/cuda_rtc.h"
#include "base/alloc.h"
#include "tests/tap.h"
#include "tests/unit/clean_path.h"

/* Kernels that use different resources. */
static const struct kernel {
    const char *entry;
    int local, shared; /* bytes; 0: none; -1: some; else exact */
    int spills;        /* 0: none; -1: some */
    int on_path;       /* the same for those of the main path alone */
    int least, most;   /* instructions, without those of functions */
    const char *text;
} kernels[] = {
    {"plain", 0, 0, 0, 0, 5, 64,
     "extern \"C\" __global__ void plain(float *x){ x[threadIdx.x] *= 2; }\n"},
    {"indexed", 160, 0, -1, -1, 40, 2000,
     "extern \"C\" __global__ void indexed(float *x, int n) { float a[40];"
     " for (int i = 0; i < 40; i++) a[i] = x[i * n];"
     " for (int i = 0; i < n; i++) a[(i * 7 + n) % 40] += a[(i * n) % 40];"
     " x[threadIdx.x] = a[n % 40]; }\n"},
    {"spilled", -1, 0, -1, -1, 128, 4000,
     "extern \"C\" __global__ void __launch_bounds__(1024, 2)"
     " spilled(double *x, int n) { double a[64];\n"
     "#pragma unroll\n"
     " for (int i = 0; i < 64; i++) a[i] = x[i * n];"
     " for (int k = 0; k < n; k++) {\n"
     "#pragma unroll\n"
     " for (int i = 0; i < 64; i++)"
     " a[i] = a[i] * a[(i + 1) % 64] + a[(i + 17) % 64]; }\n"
     "#pragma unroll\n"
     " for (int i = 0; i < 64; i++) x[i * n + threadIdx.x] = a[i]; }\n"},
    {"sharing", 0, 4000, 0, 0, 5, 64,
     "extern \"C\" __global__ void sharing(float *x)"
     "{ __shared__ float s[1000]; s[threadIdx.x] = x[threadIdx.x];"
     " __syncthreads(); x[threadIdx.x] = s[999 - threadIdx.x]; }\n"},
    {"dynamic", 0, 0, 0, 0, 5, 64,
     "extern \"C\" __global__ void dynamic(float *x)"
     "{ extern __shared__ float d[]; d[threadIdx.x] = x[threadIdx.x];"
     " __syncthreads(); x[threadIdx.x] = d[99 - threadIdx.x]; }\n"},
    /* The stack is that of a function which the kernel calls. */
    {"calling", -1, 0, 0, 0, 5, 64,
     "__device__ __noinline__ void rare(float *x, int n) { float a[40];"
     " for (int i = 0; i < 40; i++) a[i] = x[i * n];"
     " for (int i = 0; i < n; i++) a[(i * 7 + n) % 40] += a[(i * n) % 40];"
     " x[threadIdx.x] = a[n % 40]; }\n"
     "extern \"C\" __global__ void calling(float *x, int n) {"
     " if (x[n] > 0) rare(x, n); }\n"},
    /* Local memory is used for the call alone, in front of which and behind which is
     * a division that the compiler calls; or for the rest, too. */
    {"rescued", -1, 0, -1, 0, 40, 2000,
     "__device__ __noinline__ void rare(float *a, int n) {"
     " for (int i = 0; i < n; i++) a[(i * 7 + n) % 40] += a[(i * n) % 40]; }\n"
     "extern \"C\" __global__ void rescued(float *x, long long *y, int n) {"
     " y[0] /= y[1]; if (x[n] > 0) { float a[40];"
     " for (int i = 0; i < 40; i++) a[i] = x[i * n];"
     " rare(a, n); x[threadIdx.x] = a[n % 40]; } y[2] /= y[3]; }\n"},
    {"rescuing", -1, 0, -1, -1, 40, 2000,
     "__device__ __noinline__ void rare(float *a, int n) {"
     " for (int i = 0; i < n; i++) a[(i * 7 + n) % 40] += a[(i * n) % 40]; }\n"
     "extern \"C\" __global__ void rescuing(float *x, long long *y, int n) {"
     " y[0] /= y[1]; float a[40]; for (int i = 0; i < 40; i++) a[i] = x[i * n];"
     " if (x[n] > 0) rare(a, n); x[threadIdx.x] = a[n % 40]; }\n"},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static const stfi_gpu_file no_files[] = {{NULL, NULL, 0}};

static stf_status compile(const struct kernel *k, const char *arch,
                          void **image_p, size_t *bytes_p)
{
    const stfi_gpu_source source = {k->text, no_files, ""};
    return stfi_cuda_compile(&source, arch, k->entry, image_p, bytes_p);
}

static int as_wanted(int got, int want)
{
    return want < 0 ? got > 0 : got == want;
}

static void test_usage(const struct kernel *k, const char *arch)
{
    stfi_gpu_usage usage = {0, 0, 0, 0, 0};
    clean_path path = {0, 0};
    void *image = NULL;
    size_t bytes = 0;
    int count;
    stf_status status = compile(k, arch, &image, &bytes);

    if (status == STF_OK)
        status = stfi_cubin_usage(image, bytes, k->entry, &usage);
    tap_ok(!status && usage.registers >= 6 && usage.registers <= 255
               && as_wanted(usage.local_bytes, k->local)
               && as_wanted(usage.shared_bytes, k->shared)
               && as_wanted(usage.spills, k->spills) && usage.blocks == 0,
           "%s on %s: %s, %d registers, %d local, %d shared bytes, %d of 1000 "
           "instructions access local memory",
           k->entry, arch, status ? stf_error_message() : "read",
           usage.registers, usage.local_bytes, usage.shared_bytes,
           usage.spills);
    if (status == STF_OK)
        status = clean_path_read(image, bytes, k->entry, &path);
    tap_ok(!status && as_wanted(path.local, k->on_path)
               && path.instructions > 4,
           "%s on %s: %d of %d instructions of the main path access local "
           "memory",
           k->entry, arch, path.local, path.instructions);
    count = status ? 0 : stfi_cubin_instructions(image, bytes, k->entry);
    tap_ok(count >= k->least && count <= k->most
               && stfi_cubin_instructions(image, bytes, "absent") == 0,
           "%s on %s: %d instructions", k->entry, arch, count);
    stfi_dealloc(image);
}

/* ------------------------------------------------------------------ ptxas */

/* Finds ptxas in the toolkit or else in the PATH; returns 0 if there is
 * none. */
static int find_ptxas(char *path, size_t capacity)
{
    const char *const list[] = {STF_CUDA_LIBDIR "/../bin/ptxas", "ptxas"};
    char line[1100];

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        snprintf(path, capacity, "%s", list[i]);
        snprintf(line, sizeof line, "'%s' --version >/dev/null 2>&1", path);
        if (system(line) == 0)
            return 1;
    }
    return 0;
}

/* Reads the number before a word in a line that ptxas printed. */
static void take_number(const char *line, const char *word, int *value_p)
{
    const char *at = strstr(line, word);

    if (at == NULL)
        return;
    while (at > line && (at[-1] == ' '))
        at--;
    while (at > line && at[-1] >= '0' && at[-1] <= '9')
        at--;
    *value_p = atoi(at);
}

static int write_file(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    int right = file != NULL && fwrite(data, 1, bytes, file) == bytes;

    return file != NULL && fclose(file) == 0 && right;
}

static size_t read_file(const char *path, unsigned char *data, size_t bytes)
{
    FILE *file = fopen(path, "rb");
    size_t got = file != NULL ? fread(data, 1, bytes, file) : 0;

    if (file != NULL)
        fclose(file);
    return got;
}

/* Assembles PTX, and compares what ptxas prints with what the library reads. */
static void test_against(const char *ptxas, const struct kernel *k,
                         const char *arch, const char *folder)
{
    static unsigned char cubin[1 << 20];
    char ptx[256], out[256], line[2048], virtual_arch[32];
    stfi_gpu_usage says = {0, 0, 0, 0, 0}, usage = {-1, -1, -1, -1, -1};
    void *image = NULL;
    size_t bytes = 0;
    FILE *pipe;
    int right;

    snprintf(virtual_arch, sizeof virtual_arch, "compute_%s", arch + 3);
    snprintf(ptx, sizeof ptx, "%s/%s.ptx", folder, k->entry);
    snprintf(out, sizeof out, "%s/%s.cubin", folder, k->entry);
    right = !compile(k, virtual_arch, &image, &bytes)
            && write_file(ptx, image, bytes - 1);
    stfi_dealloc(image);
    snprintf(line, sizeof line, "'%s' -v -arch=%s '%s' -o '%s' 2>&1", ptxas,
             arch, ptx, out);
    pipe = right ? popen(line, "r") : NULL;
    while (pipe != NULL && fgets(line, sizeof line, pipe) != NULL) {
        take_number(line, "registers", &says.registers);
        int local = 0; /* a function that is called is a function apart */

        take_number(line, "bytes stack frame", &local);
        if (local > says.local_bytes)
            says.local_bytes = local;
        take_number(line, "bytes smem", &says.shared_bytes);
    }
    right = pipe != NULL && pclose(pipe) == 0
            && !stfi_cubin_usage(cubin, read_file(out, cubin, sizeof cubin),
                                 k->entry, &usage);
    tap_ok(right && says.registers > 0 && usage.registers == says.registers
               && usage.local_bytes == says.local_bytes
               && usage.shared_bytes == says.shared_bytes,
           "%s on %s: ptxas says %d registers, %d local, %d shared bytes",
           k->entry, arch, says.registers, says.local_bytes, says.shared_bytes);
    remove(ptx);
    remove(out);
}

static void test_ptxas(const char *const *arch, int count)
{
    char folder[] = "/tmp/stf-cubin.XXXXXX", ptxas[1024];

    if (!find_ptxas(ptxas, sizeof ptxas)) {
        tap_skip("no ptxas", "what ptxas says");
        return;
    }
    if (!tap_ok(mkdtemp(folder) != NULL, "a folder for ptxas"))
        return;
    for (int a = 0; a < count; a++)
        for (int i = 0; i < KERNELS; i++)
            test_against(ptxas, &kernels[i], arch[a], folder);
    rmdir(folder);
}

/* ----------------------------------------------------------------- damage */

/* Reads a copy that ends where its memory ends, so that a sanitizer reports any
 * access beyond its end. */
static stf_status read_copy(const unsigned char *image, size_t bytes,
                            const char *entry, stfi_gpu_usage *usage)
{
    unsigned char *copy = malloc(bytes > 0 ? bytes : 1);
    stf_status status = STF_ERR_MEMORY;
    stfi_cubin_code code;

    if (copy != NULL) {
        memcpy(copy, image, bytes);
        status = stfi_cubin_usage(copy, bytes, entry, usage);
        if (stfi_cubin_instructions(copy, bytes, entry) < 0
            || (!stfi_cubin_code_of(copy, bytes, entry, &code)
                && (code.begin >= code.end
                    || code.end > bytes - (size_t)(code.section - copy))))
            status = STF_ERR_INTERNAL;
    }
    free(copy);
    return status;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* The resources of PTX are unknown, since the driver compiles it later. */
static void test_text(void)
{
    stfi_gpu_usage usage = {-7, -7, -7, -7, -7};
    void *mem = NULL;
    size_t bytes = 0;

    tap_ok(!compile(&kernels[3], "compute_80", &mem, &bytes)
               && !stfi_cuda_image_usage(mem, bytes, "sharing", &usage)
               && usage.registers == 0 && usage.local_bytes == 0,
           "nothing is known of PTX");
    tap_ok(stfi_cubin_usage(mem, bytes, "sharing", &usage) == STF_ERR_ARGUMENT,
           "which is no cubin");
    stfi_dealloc(mem);
}

/* Reads the first n bytes of an image, for all n. Without the section headers,
 * which begin at `header`, it must be refused. */
static void test_short(const unsigned char *image, size_t bytes, size_t header)
{
    stfi_gpu_usage usage;
    int refused = 0, other = 0;

    for (size_t n = 0; n < bytes; n++) {
        stf_status s = read_copy(image, n, "sharing", &usage);
        refused += s == STF_ERR_ARGUMENT;
        other += s != STF_ERR_ARGUMENT && n <= header;
    }
    tap_ok(other == 0 && refused > 0, "%d of %zu lengths are refused", refused,
           bytes);
}

/* Replaces one byte of the image at random. It must be read or refused. */
static void test_bytes(unsigned char *image, size_t bytes, size_t header)
{
    stfi_gpu_usage usage;
    uint64_t random = tap_seed();
    int survived = 0, other = 0;

    for (int i = 0; i < 20000; i++) {
        size_t at = next_random(&random) % bytes;
        unsigned char old;
        stf_status s;
        /* Three times out of four the byte is in the file header or in the
         * section headers, where damage matters most. */
        if (i % 4 != 0)
            at = i % 4 == 1 ? at % 64 : header + at % (bytes - header);
        old = image[at];
        image[at] = (unsigned char)next_random(&random);
        s = read_copy(image, bytes, "sharing", &usage);
        survived += s == STF_OK;
        other += s != STF_OK && s != STF_ERR_ARGUMENT;
        image[at] = old;
    }
    tap_ok(other == 0 && survived > 0 && survived < 20000,
           "random bytes: %d of 20000 images are still read", survived);
}

static void test_damage(void)
{
    stfi_gpu_usage usage = {-7, -7, -7, -7, -7};
    unsigned char *image;
    void *mem = NULL;
    size_t bytes = 0, header;

    if (!tap_ok(!compile(&kernels[3], "sm_90", &mem, &bytes), "an image"))
        return;
    image = mem;
    tap_ok(stfi_cubin_usage("PTX", 3, "x", &usage) == STF_ERR_ARGUMENT
               && stfi_cubin_usage(image, 0, "x", &usage) == STF_ERR_ARGUMENT
               && stfi_cubin_usage(image, bytes, "sharin", &usage)
                      == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "no kernel sharin")
               && usage.registers == -7,
           "no cubin, an empty one, a name that is not there: %s",
           stf_error_message());
    tap_ok(!stfi_cuda_image_usage(image, bytes, "sharing", &usage)
               && usage.registers > 0,
           "an image of machine code is a cubin");
    test_text();
    /* The section headers follow the sections that they describe. Their offset
     * is at byte 40 of the file header. */
    header =
        (size_t)image[40] | (size_t)image[41] << 8 | (size_t)image[42] << 16;
    test_short(image, bytes, header);
    test_bytes(image, bytes, header);
    stfi_dealloc(mem);
}

int main(void)
{
    static const char *const arch[] = {"sm_75", "sm_80", "sm_90", "sm_100"};
    enum { ARCHS = sizeof arch / sizeof *arch };
    char version[32];
    int archs;

    tap_begin("cubin");
    if (stfi_cuda_rtc.version(version, sizeof version) != STF_OK) {
        tap_skip(stf_error_message(), "reading what NVRTC makes");
        return tap_end();
    }
    /* Compilers before 12.8 do not know the last architecture. */
    archs = atof(version) >= 12.8 ? ARCHS : ARCHS - 1;
    for (int a = 0; a < archs; a++)
        for (int i = 0; i < KERNELS; i++)
            test_usage(&kernels[i], arch[a]);
    test_ptxas(arch, archs);
    test_damage();
    return tap_end();
}
