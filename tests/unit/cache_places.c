/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The directories in which the kernel cache looks, which of them it does not
 * trust, and the caches of sites. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/tap.h"
#include "tests/unit/sandbox.h"

static const stfi_gpu_key key = {"stfk_fft_f32_r8x8", "#define N 64\n",
                                 "sm_90"};

static int reason_holds(int i, const char *text)
{
    stfi_cache_place place;
    int there = 1, fd;

    stfi_cache_place_first(&place);
    for (int k = 0; k < i && there; k++)
        there = stfi_cache_place_next(&place);
    fd = there ? stfi_cache_place_open(&place, 0) : -1;
    if (fd >= 0)
        close(fd);
    if (there && strstr(place.reason, text) != NULL)
        return 1;
    tap_diag("place %d: %d, \"%s\", \"%s\"", i, there, there ? place.path : "",
             there ? place.reason : "");
    return 0;
}

static int user_is(const char *path)
{
    stfi_cache_place place;

    stfi_cache_place_first(&place);
    return strcmp(place.path, path) == 0;
}

static void test_places(void)
{
    static char longer[STFI_CACHE_PATH_BYTES + 10];
    char *home = getenv("HOME") != NULL ? strdup(getenv("HOME")) : NULL;

    sandbox_env("STEADFAST_CACHE_DIR", NULL);
    sandbox_env("HOME", "/a/home");
    sandbox_env("XDG_CACHE_HOME", "/a/cache");
    tap_ok(user_is("/a/cache/steadfast"), "XDG_CACHE_HOME");
    sandbox_env("XDG_CACHE_HOME", "relative");
    tap_ok(user_is("/a/home/.cache/steadfast"), "a relative one is ignored");
    sandbox_env("XDG_CACHE_HOME", "");
    tap_ok(user_is("/a/home/.cache/steadfast"), "HOME");
    sandbox_env("HOME", NULL);
    tap_ok(reason_holds(0, "not set") && sandbox_gets(&key, 0)
               && sandbox_gets(&key, 0),
           "no HOME: nothing is cached");
    memset(longer, 'x', sizeof longer - 1);
    sandbox_env("STEADFAST_CACHE_DIR", longer);
    tap_ok(reason_holds(0, "too long") && sandbox_gets(&key, 0),
           "a path that is too long");
    sandbox_env("STEADFAST_CACHE_DIR", "/dev/null/cache");
    tap_ok(reason_holds(0, "ot a directory") && sandbox_gets(&key, 0)
               && sandbox_gets(&key, 0),
           "a path that cannot be made");
    sandbox_env("STEADFAST_CACHE_DIR", sandbox_path("deep/er/user"));
    tap_ok(sandbox_gets(&key, 0) && sandbox_gets(&key, 1)
               && sandbox_mode_is(sandbox_path("deep"), 0700),
           "missing parents are made");
    sandbox_env("STEADFAST_CACHE_DIR", sandbox_path("user"));
    sandbox_env("HOME", home);
    free(home);
}

static void test_distrust(void)
{
    sandbox_fresh();
    sandbox_gets(&key, 0);
    chmod(sandbox_path("user"), 0777);
    tap_ok(reason_holds(0, "others may write") && sandbox_gets(&key, 0)
               && sandbox_gets(&key, 0),
           "a directory that others may write to");
    chmod(sandbox_path("user"), 0700);
    tap_ok(sandbox_gets(&key, 1), "as before when they may not");
    chmod(sandbox_path("user/sm_90-fake_13.0"), 0770);
    tap_ok(sandbox_gets(&key, 0) && sandbox_gets(&key, 0),
           "a folder that others may write to");
    chmod(sandbox_path("user/sm_90-fake_13.0"), 0500);
    if (geteuid() != 0) {
        tap_ok(sandbox_gets(&key, 1), "a folder that is read-only");
        tap_skip("only root can give files away", "another user's directory");
    } else {
        tap_skip("root may write everywhere", "a folder that is read-only");
        if (chown(sandbox_path("user"), 65534, 65534) != 0)
            tap_diag("chown failed");
        tap_ok(reason_holds(0, "another user") && sandbox_gets(&key, 0)
                   && sandbox_gets(&key, 0),
               "another user's directory");
    }
    chmod(sandbox_path("user/sm_90-fake_13.0"), 0700);
    sandbox_fresh();
    sandbox_env("STEADFAST_CACHE", "off");
    tap_ok(reason_holds(0, "=off") && sandbox_gets(&key, 0)
               && sandbox_gets(&key, 0)
               && access(sandbox_path("user"), F_OK) != 0,
           "switched off, nothing is made");
    sandbox_env("STEADFAST_CACHE", NULL);
    sandbox_gets(&key, 0);
    sandbox_env("STEADFAST_CACHE", "off");
    tap_ok(sandbox_gets(&key, 0), "nor found");
    sandbox_env("STEADFAST_CACHE", NULL);
}

/* `make` fills a directory, which can then be used as a site's cache. */
static void test_build(void)
{
    const char *site = sandbox_path("site");
    stfi_gpu_key other = key;
    void *image = NULL;
    size_t count;

    sandbox_fresh();
    tap_ok(sandbox_builds(&key, site, 0) && sandbox_builds(&key, site, 1),
           "make fills a site's cache, once");
    other.arch = "sm_80";
    sandbox_env("STEADFAST_CACHE", "off");
    tap_ok(sandbox_builds(&other, site, 0) && sandbox_builds(&other, site, 1),
           "also when caches are switched off");
    sandbox_env("STEADFAST_CACHE", NULL);
    tap_ok(stfi_gpu_image_build(&sandbox_rtc, &key, "/dev/null/x", &image,
                                &count, NULL)
                   == STF_ERR_IO
               && image == NULL && strstr(stf_error_message(), "/dev/null/x"),
           "and says what it cannot write");
    sandbox_failure = STF_ERR_COMPILE;
    other.entry = "stfk_impossible";
    tap_ok(
        stfi_gpu_image_build(&sandbox_rtc, &other, site, &image, &count, NULL)
                == STF_ERR_COMPILE
            && image == NULL,
        "or compile");
    sandbox_failure = STF_OK;
}

static void test_site(void)
{
    char list[4 * SANDBOX_PATH_BYTES], path[4 * SANDBOX_PATH_BYTES];
    const char *site = sandbox_path("site");
    unsigned char bytes[SANDBOX_FILE_BYTES];
    struct stat before, after;
    void *image = NULL;
    size_t count;

    snprintf(list, sizeof list, ":%s::%s:", sandbox_path("none"), site);
    sandbox_env("STEADFAST_SITE_CACHE", list);
    snprintf(path, sizeof path, "%s", sandbox_entry(site, &key));
    stat(path, &before);
    tap_ok(sandbox_gets(&key, 1) && sandbox_count(0) == 0,
           "a site's entry is found, and not copied");
    sandbox_version = NULL;
    tap_ok(sandbox_gets(&key, 1), "without a compiler too");
    sandbox_version = "99.9";
    sandbox_compiles = 0;
    stfi_gpu_image_get(&sandbox_rtc, &key, &image, &count, NULL);
    tap_ok(image != NULL && sandbox_compiles == 0,
           "whichever compiler made it");
    stfi_dealloc(image);
    sandbox_version = "13.0";
    count = sandbox_read(path, bytes);
    bytes[count - 1] ^= 1;
    sandbox_write(path, bytes, count);
    tap_ok(sandbox_gets(&key, 0) && sandbox_gets(&key, 1)
               && sandbox_count(0) == 1,
           "a damaged one is made up for");
    stat(path, &after);
    tap_ok(after.st_ino == before.st_ino && sandbox_read(path, bytes) == count,
           "and left alone");
    tap_ok(sandbox_builds(&key, site, 0) && sandbox_builds(&key, site, 1),
           "until make builds it again");
    sandbox_fresh();
    chmod(site, 0777);
    tap_ok(sandbox_gets(&key, 0) && reason_holds(2, "others may write"),
           "a site that everybody may write to is refused");
    chmod(site, 0775);
    tap_ok(sandbox_builds(&key, site, 1) && sandbox_gets(&key, 1),
           "one that a group keeps is not");
    chmod(site, 0755);
    sandbox_env("STEADFAST_SITE_CACHE", NULL);
}

static double processor_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The time of a search is proportional to the number of folders in the list. */
static void test_many_sites(void)
{
    enum { PARTS = 50000, PART_BYTES = 20 };
    char *list = malloc(PARTS * PART_BYTES + SANDBOX_PATH_BYTES), *end = list;
    double before;
    int found;

    if (!tap_ok(list != NULL, "memory for a list"))
        return;
    for (int i = 0; i < PARTS; i++)
        end += snprintf(end, PART_BYTES, "/nowhere%05d:", i);
    snprintf(end, SANDBOX_PATH_BYTES, "%s", sandbox_path("site"));
    sandbox_fresh();
    sandbox_env("STEADFAST_SITE_CACHE", list);
    before = processor_seconds();
    found = sandbox_gets(&key, 1);
    before = processor_seconds() - before;
    tap_ok(found && before < 5.0, "the last of %d sites is found in time",
           PARTS + 1);
    tap_diag("%.2f s", before);
    sandbox_env("STEADFAST_SITE_CACHE", NULL);
    free(list);
}

int main(void)
{
    tap_begin("cache_places");
    if (!tap_ok(sandbox_begin(), "a directory of its own"))
        return tap_end();
    test_places();
    test_distrust();
    test_build();
    test_site();
    test_many_sites();
    sandbox_end();
    return tap_end();
}
