/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The run-time compiler of the emulated device: it runs the C++ compiler that
 * configure found, in a private folder that is removed afterwards. With
 * STF_SIMT_KEEP set the folder stays, for a debugger; without it debugging
 * information is limited to line numbers, as full information would take most
 * of the time to compile a sanitized kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/gpu/host/kernels/family.h"
#include "base/alloc.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/status.h"
#include "support/compile/folder.h"
#include "tests/simt/simt.h"

#ifndef STF_SIMT_CXX
#define STF_SIMT_CXX ""
#endif
#ifndef STF_SIMT_CXXFLAGS
#define STF_SIMT_CXXFLAGS ""
#endif
#ifndef STF_SIMT_SOURCE
#define STF_SIMT_SOURCE "."
#endif

/* What every kernel is compiled with. */
#define SIMT_FLAGS                     \
    "-std=c++17 -O1 -w -fPIC -shared " \
    "-fno-exceptions -fno-rtti -ffp-contract=off -DSTFK_HOST=1"

enum { COMMAND_BYTES = 8192 };

const char *stfi_simt_missing(void)
{
    return STF_SIMT_CXX[0] != '\0' ? NULL : "no C++ compiler was found";
}

/* ------------------------------------------------------------ the cache */

/* A cache that stfi_simt_cache_open() has made, "" without one. */
static char own_cache[STFI_FOLDER_BYTES];

int stfi_simt_cache_open(void)
{
    const char *shared = stfi_env_get("STF_TEST_CACHE");

    unsetenv("STEADFAST_CACHE");
    if (shared != NULL)
        return setenv("STEADFAST_CACHE_DIR", shared, 1) == 0;
    if (stfi_env_get("STEADFAST_CACHE_DIR") != NULL)
        return 1;
    if (stfi_folder_make(own_cache) == STF_OK)
        return setenv("STEADFAST_CACHE_DIR", own_cache, 1) == 0;
    own_cache[0] = '\0';
    return 0;
}

void stfi_simt_cache_close(void)
{
    if (own_cache[0] != '\0')
        stfi_folder_remove(own_cache);
    own_cache[0] = '\0';
}

/* ------------------------------------------------------------ compiling */

static stf_status write_text(const char *folder, const char *name,
                             const char *text)
{
    return stfi_folder_write(folder, name, text, strlen(text));
}

static stf_status run_compiler(const char *arch, const char *name,
                               const char *folder)
{
    char command[COMMAND_BYTES];

    snprintf(
        command, sizeof command,
        "cd '%s' && %s " SIMT_FLAGS " %s %s -DSTFK_WAVE=%s -I. "
        "-I'%s/backends/gpu/kernels' -I'%s/lib' -I'%s' -iquote '%s/tests/simt' "
        "kernel.cpp -o kernel.so >log 2>&1 </dev/null",
        folder, STF_SIMT_CXX, stfi_env_get("STF_SIMT_KEEP") ? "-g" : "-g1",
        STF_SIMT_CXXFLAGS, arch + strlen("simt"), STF_SIMT_SOURCE,
        STF_SIMT_SOURCE, STF_SIMT_SOURCE, STF_SIMT_SOURCE);
    stfi_simt_count_compile();
    return system(command) == 0 ? STF_OK : stfi_folder_complain(folder, name);
}

static const char *refused;

void stfi_simt_refuse(const char *text)
{
    refused = text;
}

stf_status stfi_simt_compile(const char *arch, const char *name,
                             const char *config, const char *source,
                             void **image_p, size_t *bytes_p)
{
    char folder[STFI_FOLDER_BYTES];
    stf_status status;

    if (stfi_simt_missing() != NULL)
        return stfi_error(STF_ERR_COMPILE, "%s", stfi_simt_missing());
    if (strcmp(arch, "simt32") != 0 && strcmp(arch, "simt64") != 0)
        return stfi_error(STF_ERR_COMPILE, "architecture %s is not emulated",
                          arch);
    if (refused != NULL && strstr(config, refused) != NULL)
        return stfi_error(STF_ERR_COMPILE, "%s is refused", name);
    if ((status = stfi_folder_make(folder)) != STF_OK)
        return status;
    if ((status = write_text(folder, "config.h", config)) == STF_OK
        && (status = write_text(folder, "kernel.cpp", source)) == STF_OK
        && (status = run_compiler(arch, name, folder)) == STF_OK)
        status = stfi_folder_read(folder, "kernel.so", image_p, bytes_p);
    if (stfi_env_get("STF_SIMT_KEEP") == NULL)
        stfi_folder_remove(folder);
    return status;
}

/* The files behind every kernel that its hash does not cover. */
static const char *const files[] = {"calls.h", "simt_device.h", "simt_units.h",
                                    "../../lib/base/half.h",
                                    "../../lib/base/half_bits.h"};

/* They are part of the version, so that a cache has no kernels of older ones.
 */
static stf_status version(char *text, size_t capacity)
{
    stfi_hash hash = stfi_hash_begin();

    if (stfi_simt_missing() != NULL)
        return stfi_error(STF_ERR_COMPILE, "%s", stfi_simt_missing());
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        void *data;
        size_t bytes;
        stf_status status = stfi_folder_read(STF_SIMT_SOURCE "/tests/simt",
                                             files[i], &data, &bytes);
        if (status != STF_OK)
            return status;
        hash = stfi_hash_add(hash, data, bytes);
        stfi_dealloc(data);
    }
    snprintf(text, capacity, "1.0-%08x", (unsigned)(hash.low & 0xffffffffu));
    return STF_OK;
}

static stf_status compile(const char *arch, const char *entry,
                          const char *config, void **image_p, size_t *bytes_p)
{
    return stfi_simt_compile(arch, entry, config, stfi_gpu_program(config),
                             image_p, bytes_p);
}

static const char *options(void)
{
    return STF_SIMT_CXX " " SIMT_FLAGS " " STF_SIMT_CXXFLAGS;
}

const stfi_gpu_rtc stfi_simt_rtc = {
    .name = "simt",
    .version = version,
    .options = options,
    .compile = compile,
};
