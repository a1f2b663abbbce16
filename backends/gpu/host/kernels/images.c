/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Gets compiled kernels from the caches or the compiler; see images.h. */
#include "backends/gpu/host/kernels/images.h"

#include <stdio.h>
#include <string.h>

#include "backends/gpu/host/cache/cache.h"
#include "backends/gpu/host/cache/compiler_note.h"
#include "base/alloc.h"
#include "base/status.h"

/* Gets the version of the compiler, which is loaded for that only if no note says
 * it. */
static stf_status get_version(const stfi_gpu_rtc *rtc, char *version,
                              size_t capacity)
{
    char noted[STFI_GPU_COMPILER_BYTES];
    int known = stfi_compiler_recall(rtc, noted, sizeof noted);
    stf_status status;

    if (known && rtc->library() == NULL) {
        snprintf(version, capacity, "%s", noted);
        return STF_OK;
    }
    status = rtc->version(version, capacity);
    if (status == STF_OK && (!known || strcmp(noted, version) != 0))
        stfi_compiler_note(rtc, version);
    return status;
}

stf_status stfi_gpu_compiler(const stfi_gpu_rtc *rtc,
                             char text[STFI_GPU_COMPILER_BYTES])
{
    char version[STFI_GPU_COMPILER_BYTES];
    stf_status status;

    if (rtc == NULL)
        return stfi_error(STF_ERR_COMPILE, "there is no run-time compiler in "
                                           "this build");
    status = get_version(rtc, version, sizeof version);
    if (status == STF_OK)
        snprintf(text, STFI_GPU_COMPILER_BYTES, "%.*s %.*s",
                 STFI_GPU_COMPILER_BYTES / 2 - 1, rtc->name,
                 STFI_GPU_COMPILER_BYTES / 2 - 1, version);
    return status;
}

static const char *options_of(const stfi_gpu_rtc *rtc)
{
    return rtc != NULL ? rtc->options() : "";
}

/* Records that a kernel cannot be had, with the reason why there is no
 * compiler, which was recorded before. */
static stf_status not_to_be_had(const stfi_gpu_key *key)
{
    char why[256];

    snprintf(why, sizeof why, "%s", stf_error_message());
    return stfi_error(STF_ERR_COMPILE,
                      "the kernel %s for %s is in no cache "
                      "and cannot be compiled: %s",
                      key->entry, key->arch, why);
}

stf_status stfi_gpu_image_get(const stfi_gpu_rtc *rtc, const stfi_gpu_key *key,
                              void **image_p, size_t *bytes_p, int *cached_p)
{
    char compiler[STFI_GPU_COMPILER_BYTES] = "";
    int can_compile = stfi_gpu_compiler(rtc, compiler) == STF_OK;
    stfi_cache_head head;
    int named = stfi_cache_head_make(key, compiler, options_of(rtc), &head);
    int found = 0;
    stf_status status = STF_OK;

    if (named)
        status = stfi_cache_read(&head, image_p, bytes_p, &found);
    if (status == STF_OK && !found) {
        if (!can_compile)
            return not_to_be_had(key);
        status =
            rtc->compile(key->arch, key->entry, key->config, image_p, bytes_p);
        /* Now that the compiler is loaded, its true version is known. */
        if (status == STF_OK && stfi_gpu_compiler(rtc, compiler) == STF_OK
            && stfi_cache_head_make(key, compiler, options_of(rtc), &head))
            stfi_cache_write(&head, *image_p, *bytes_p);
    }
    if (status == STF_OK && cached_p != NULL)
        *cached_p = found;
    return status;
}

/* Makes the head of a kernel that `make` builds. Errors: COMPILE,
 * UNSUPPORTED. */
static stf_status build_head(const stfi_gpu_rtc *rtc, const stfi_gpu_key *key,
                             stfi_cache_head *head_p)
{
    char compiler[STFI_GPU_COMPILER_BYTES];
    stf_status status = stfi_gpu_compiler(rtc, compiler);

    if (status == STF_OK
        && !stfi_cache_head_make(key, compiler, options_of(rtc), head_p))
        status = stfi_error(STF_ERR_UNSUPPORTED,
                            "the kernel's name %s is too "
                            "long for a cache",
                            key->entry);
    return status;
}

stf_status stfi_gpu_image_build(const stfi_gpu_rtc *rtc,
                                const stfi_gpu_key *key, const char *directory,
                                void **image_p, size_t *bytes_p, int *built_p)
{
    stfi_cache_head head;
    void *image = NULL;
    size_t bytes = 0;
    int built = 0;
    stf_status status = build_head(rtc, key, &head);

    if (status == STF_OK)
        status = stfi_cache_built(directory, &head, &image, &bytes, &built);
    if (status == STF_OK && !built) {
        status =
            rtc->compile(key->arch, key->entry, key->config, &image, &bytes);
        if (status == STF_OK)
            status = stfi_cache_build(directory, &head, image, bytes);
    }
    if (status != STF_OK) {
        stfi_dealloc(image);
        return status;
    }
    *image_p = image;
    *bytes_p = bytes;
    if (built_p != NULL)
        *built_p = built;
    return STF_OK;
}
