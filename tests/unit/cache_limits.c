/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernel cache under difficult conditions: disks that are full, calls that
 * fail, many processes at once; and how its size stays within its bound. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "support/problem/problem.h"
#include "tests/tap.h"
#include "tests/unit/disk.h"
#include "tests/unit/sandbox.h"

enum { PROCESSES = 8, KEYS = 5, DAY = 86400 };

static const stfi_gpu_key key = {"stfk_fft_f64_r16x16", "#define N 256\n",
                                 "sm_90"};

/* The key of kernel number i. */
static stfi_gpu_key numbered(int i)
{
    static char entry[32];
    stfi_gpu_key k = key;

    snprintf(entry, sizeof entry, "stfk_%d", i);
    k.entry = entry;
    return k;
}

static void test_full_disk(void)
{
    static const long spaces[] = {0, 1, 383, 384, 385, 4000, 5383};
    int fine = 1;

    sandbox_fresh();
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        disk.space = spaces[i];
        fine = sandbox_gets(&key, 0) && sandbox_count(0) == 0
               && sandbox_count(1) == 0 && fine;
    }
    disk.space = -1;
    tap_ok(fine, "a disk that is full anywhere: not cached, nothing is left");
    tap_ok(sandbox_gets(&key, 0) && sandbox_gets(&key, 1),
           "cached when there is room again");
    sandbox_fresh();
    disk.most = 100;
    disk.interrupts = 3;
    tap_ok(sandbox_gets(&key, 0) && disk.interrupts == 0
               && sandbox_gets(&key, 1),
           "short and interrupted writes");
    disk.most = 0;
    sandbox_fresh();
    disk.renames_fail = 1;
    tap_ok(sandbox_gets(&key, 0) && sandbox_count(0) == 0
               && sandbox_count(1) == 0,
           "a rename that fails");
    disk.renames_fail = 0;
}

/* Runs a check in a process of its own; returns its exit status, -1 if
 * killed. */
static int in_child(int (*check)(void))
{
    int status;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0)
        _exit(check());
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int below_file_limit(void)
{
    const struct rlimit limit = {2000, 2000};

    setrlimit(RLIMIT_FSIZE, &limit);
    return !(sandbox_gets(&key, 0) && sandbox_gets(&key, 0)
             && sandbox_count(0) == 0 && sandbox_count(1) == 0);
}

/* Uses a file system of 64 KB, which only this process sees. */
static int on_small_disk(void)
{
    enum { NO_MOUNT = 77, FILLING = 40 };
    int cached = 0;

    sandbox_fresh();
    if (unshare(CLONE_NEWNS) != 0
        || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0
        || mkdir(sandbox_path("user"), 0700) != 0
        || mount("tmpfs", sandbox_path("user"), "tmpfs", 0,
                 "size=64k,mode=0700")
               != 0)
        return NO_MOUNT;
    for (int i = 0; i < FILLING; i++) {
        stfi_gpu_key k = numbered(i);
        if (!sandbox_gets(&k, 0))
            return 1;
    }
    for (int i = 0; i < FILLING; i++) {
        stfi_gpu_key k = numbered(i);
        int before = sandbox_compiles, found;
        void *image = NULL;
        size_t bytes;

        stfi_gpu_image_get(&sandbox_rtc, &k, &image, &bytes, &found);
        stfi_dealloc(image);
        cached += sandbox_compiles == before;
    }
    return cached == 0 || cached == FILLING || sandbox_count(0) != cached
           || sandbox_count(1) != 0;
}

static void test_real_limits(void)
{
    int result;

    sandbox_fresh();
    tap_ok(in_child(below_file_limit) == 0,
           "a limit on file sizes: not cached, and the process lives");
    result = in_child(on_small_disk);
    if (result == 77)
        tap_skip("no file system can be mounted here", "a small full disk");
    else
        tap_ok(result == 0, "a small full disk");
}

/* -------------------------------------------------------------- processes */

/* The work of one of many processes: gets kernels and sometimes disturbs the
 * others, for example by damaging entries. Returns 0 if every kernel was
 * right. */
static int one_of_many(uint64_t state)
{
    for (int round = 0; round < 300; round++) {
        stfi_gpu_key k = numbered((int)(stfi_random_u64(&state) % KEYS));
        const char *path = sandbox_entry(sandbox_path("user"), &k);
        uint64_t chance = stfi_random_u64(&state);
        int fd;

        if (chance % 8 == 0)
            unlink(path);
        if (chance % 8 == 1 && (fd = open(path, O_WRONLY)) >= 0) {
            if (pwrite(fd, "?", 1, (off_t)(chance >> 8) % 5384) != 1)
                return 1;
            close(fd);
        }
        if (chance % 64 == 2) {
            stfi_cache_place place;
            int64_t files, bytes;

            stfi_cache_place_first(&place);
            stfi_cache_clear(&place, &files, &bytes);
        }
        if (!sandbox_gets(&k, -1))
            return 1;
    }
    return 0;
}

static void test_processes(void)
{
    pid_t child[PROCESSES];
    int fine = 1;

    sandbox_fresh();
    fflush(stdout);
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i] == 0)
            _exit(one_of_many(tap_seed() + (uint64_t)i * 1000003));
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 1;
        fine = child[i] > 0 && waitpid(child[i], &status, 0) == child[i]
               && status == 0 && fine;
    }
    tap_ok(fine, "%d processes that read, write, damage and remove", PROCESSES);
    tap_ok(sandbox_count(1) == 0, "nothing is left behind");
    for (int i = 0; i < KEYS; i++) {
        stfi_gpu_key k = numbered(i);
        fine = sandbox_gets(&k, -1) && sandbox_gets(&k, 1) && fine;
    }
    tap_ok(fine && sandbox_count(0) == KEYS, "all is in order afterwards");
}

/* ------------------------------------------------------------------- size */

static void set_age(const char *path, time_t seconds)
{
    struct timespec times[2] = {{time(NULL) - seconds, 0},
                                {time(NULL) - seconds, 0}};

    if (utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) != 0)
        tap_diag("%s: %s", path, strerror(errno));
}

static time_t age_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? time(NULL) - st.st_mtime : -DAY;
}

static int exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void test_size(void)
{
    enum { WRITTEN = 100, ALLOWED = 1000000, SLACK = 17 };
    const char *user = sandbox_path("user");
    size_t usual = sandbox_bytes;
    stfi_gpu_key k;
    int kept;

    sandbox_fresh();
    sandbox_bytes = 40000;
    sandbox_env("STEADFAST_CACHE_MAX_MB", "1");
    for (int i = 0; i < WRITTEN; i++) {
        k = numbered(i);
        sandbox_gets(&k, 0);
        /* Kernel 0 is used all the time; the others were used days apart. */
        if (i > 0)
            set_age(sandbox_entry(user, &k), (WRITTEN - i) * 2 * DAY);
        k = numbered(0);
        sandbox_gets(&k, 1);
    }
    kept = sandbox_count(0);
    tap_ok(kept * 40384 <= ALLOWED + SLACK * 40384 && kept >= 15,
           "%d of %d kernels are kept in 1 MB", kept, WRITTEN);
    k = numbered(0);
    tap_ok(sandbox_gets(&k, 1), "the one in use among them");
    k = numbered(WRITTEN - 1);
    tap_ok(exists(sandbox_entry(user, &k)), "and the newest");
    k = numbered(1);
    tap_ok(!exists(sandbox_entry(user, &k)), "but not the oldest");
    sandbox_bytes = 1000001;
    k = numbered(WRITTEN);
    tap_ok(sandbox_gets(&k, 0) && sandbox_gets(&k, 0),
           "what alone is too large is not cached");
    sandbox_bytes = usual;
    sandbox_fresh();
    sandbox_env("STEADFAST_CACHE_MAX_MB", "0");
    tap_ok(sandbox_gets(&key, 0) && sandbox_count(0) == 0, "no room at all");
    sandbox_env("STEADFAST_CACHE_MAX_MB", "lots");
    tap_ok(sandbox_gets(&key, 0) && sandbox_count(0) == 0,
           "a bound that is no number is no error here");
    sandbox_env("STEADFAST_CACHE_MAX_MB", NULL);
}

/* 1 if every removed kernel was used earlier than every kernel that is left. */
static int oldest_went(const int *age, int count, int *gone_p)
{
    int oldest_kept = 0, youngest_gone = 1 << 30;

    *gone_p = 0;
    for (int i = 0; i < count; i++) {
        stfi_gpu_key k = numbered(i);

        if (exists(sandbox_entry(sandbox_path("user"), &k))) {
            if (age[i] > oldest_kept)
                oldest_kept = age[i];
        } else {
            ++*gone_p;
            if (age[i] < youngest_gone)
                youngest_gone = age[i];
        }
    }
    return oldest_kept < youngest_gone;
}

static void test_order(void)
{
    enum { WRITTEN = 24 }; /* 1 MB holds about as many */
    uint64_t state = tap_seed();
    size_t usual = sandbox_bytes;
    int age[WRITTEN], gone = 0;
    stfi_gpu_key k;

    sandbox_fresh();
    sandbox_bytes = 40000;
    sandbox_env("STEADFAST_CACHE_MAX_MB", "1");
    for (int i = 0; i < WRITTEN; i++) {
        age[i] = (int)(stfi_random_u64(&state) % 1000000) * 100 + i;
        k = numbered(i);
        sandbox_gets(&k, 0);
        set_age(sandbox_entry(sandbox_path("user"), &k), age[i]);
    }
    tap_ok(sandbox_count(0) == WRITTEN, "below the bound nothing goes");
    set_age(sandbox_path("user/.tidied"), 3600);
    sandbox_gets(&key, 0);
    tap_ok(oldest_went(age, WRITTEN, &gone) && gone == 4,
           "above it the oldest go");
    sandbox_env("STEADFAST_CACHE_MAX_MB", NULL);
    sandbox_bytes = usual;
}

static void test_ages(void)
{
    const char *path;
    stfi_gpu_key k = numbered(1);

    sandbox_fresh();
    sandbox_gets(&key, 0);
    path = sandbox_entry(sandbox_path("user"), &key);
    set_age(path, 3600);
    tap_ok(sandbox_gets(&key, 1) && age_of(path) >= 3600,
           "used twice a day: not written to");
    set_age(path, 3 * DAY);
    tap_ok(sandbox_gets(&key, 1) && age_of(path) < 3600,
           "used once a day: noted");
    set_age(path, -3 * DAY);
    /* time() may lag behind the clock of files by a tick. */
    tap_ok(sandbox_gets(&key, 1) && age_of(path) >= -1,
           "a time to come is put right");
    fclose(fopen(sandbox_path("user/sm_90-fake_13.0/.stfk-1-0-a"), "w"));
    fclose(fopen(sandbox_path("user/sm_90-fake_13.0/.stfk-2-0-b"), "w"));
    set_age(sandbox_path("user/sm_90-fake_13.0/.stfk-1-0-a"), 2 * DAY);
    set_age(sandbox_path("user/.tidied"), 2 * DAY);
    sandbox_gets(&k, 0);
    tap_ok(!exists(sandbox_path("user/sm_90-fake_13.0/.stfk-1-0-a"))
               && exists(sandbox_path("user/sm_90-fake_13.0/.stfk-2-0-b")),
           "what a killed writer left is removed after a day");
}

/* --------------------------------------------------- inspecting, clearing */

typedef struct states {
    int of[STFI_CACHE_PARTIAL + 1];
} states;

static int note_state(void *arg, const stfi_cache_file *file)
{
    states *s = arg;
    stfi_cache_head head;

    s->of[stfi_cache_inspect(STFI_CACHE_USER, file, &head)]++;
    return 0;
}

/* Replaces the entry of this kernel by one of another version of the
 * library. */
static void make_stale(stfi_gpu_key k)
{
    unsigned char image[4] = {1, 2, 3, 4};
    stfi_cache_head head;

    stfi_cache_head_make(&k, "fake 13.0", sandbox_options, &head);
    head.library[0]++;
    stfi_cache_write(&head, image, sizeof image);
}

/* Two good entries, a stale one, three damaged ones, what is left of an entry
 * that was being written, and a file that is not the cache's. */
static void make_states(void)
{
    const char *user = sandbox_path("user");
    stfi_gpu_key k;

    sandbox_fresh();
    for (int i = 0; i < 5; i++) {
        k = numbered(i);
        sandbox_gets(&k, 0);
    }
    k = numbered(0);
    make_stale(k);
    if (truncate(sandbox_entry(user, &k), 5000) != 0)
        tap_diag("truncate failed");
    k = numbered(1);
    chmod(sandbox_entry(user, &k), 0666);
    k = numbered(2);
    rename(sandbox_entry(user, &k),
           sandbox_path(
               "user/sm_90-fake_13.0/0123456789abcdef0123456789abcdef.stfk"));
    fclose(fopen(sandbox_path("user/sm_90-fake_13.0/.stfk-1-0-a"), "w"));
    fclose(fopen(sandbox_path("user/sm_90-fake_13.0/notes.txt"), "w"));
}

static void test_states(void)
{
    stfi_cache_place place;
    states s = {{0}};
    int64_t files = 0, bytes = 0;
    int fd;

    make_states();
    stfi_cache_place_first(&place);
    fd = stfi_cache_place_open(&place, 0);
    stfi_cache_files(STFI_CACHE_USER, fd, note_state, &s);
    close(fd);
    tap_ok(s.of[STFI_CACHE_OK] == 2 && s.of[STFI_CACHE_STALE] == 1
               && s.of[STFI_CACHE_DAMAGED] == 3
               && s.of[STFI_CACHE_PARTIAL] == 1,
           "states: %d good, %d stale, %d damaged, %d partial", s.of[0],
           s.of[1], s.of[2], s.of[3]);
    tap_ok(stfi_cache_clear(&place, &files, &bytes) == STF_OK && files == 7
               && bytes > 0 && sandbox_count(0) + sandbox_count(1) == 0,
           "cleared");
    tap_ok(exists(sandbox_path("user/sm_90-fake_13.0/notes.txt"))
               && !exists(sandbox_path("user/.tidied")),
           "what is not ours is still there");
}

static void test_clear(void)
{
    stfi_cache_place place;
    int64_t files = 0, bytes = 0;

    sandbox_fresh();
    sandbox_gets(&key, 0);
    stfi_cache_place_first(&place);
    tap_ok(stfi_cache_clear(&place, &files, &bytes) == STF_OK
               && rmdir(sandbox_path("user")) == 0,
           "nothing else is left");
    stfi_cache_place_first(&place);
    tap_ok(stfi_cache_clear(&place, &files, &bytes) == STF_ERR_IO
               && strstr(stf_error_message(), "not there"),
           "no cache, nothing to clear");
}

int main(void)
{
    tap_begin("cache_limits");
    if (!tap_ok(sandbox_begin(), "a directory of its own"))
        return tap_end();
    test_full_disk();
    test_real_limits();
    test_processes();
    test_size();
    test_order();
    test_ages();
    test_states();
    test_clear();
    sandbox_end();
    return tap_end();
}
