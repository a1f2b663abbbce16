/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Files of wisdom: those that cannot be trusted, read or written, and many
 * processes and threads that add to one. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tests/unit/disk.h"
#include "tests/unit/wisdom_rig.h"

enum { PROCESSES = 6, LEARNED = 12, BIG = 2 << 20 };

/* ---------------------------------------------------------- the user's file */

static void test_reading(void)
{
    wisdom_fresh();
    tap_ok(wisdom_in_child(wisdom_knows_none, "")
               && access(wisdom_path("user"), F_OK) != 0,
           "no file: nothing is known, nothing is made");
    wisdom_put_user("a 1\n");
    tap_ok(wisdom_in_child(wisdom_knows_a, ""), "a file is read");
    wisdom_put_user("a 1\nrubbish\n");
    tap_ok(wisdom_in_child(wisdom_knows_a,
                           "1 lines are ignored, the first is line 3"),
           "a damaged line is ignored with a remark");
    wisdom_put(wisdom_path("user/wisdom"), "rubbish\n", 8);
    tap_ok(
        wisdom_in_child(wisdom_knows_none, "is not used: this is not wisdom"),
        "a foreign file is ignored with a remark");
    wisdom_put_user("a 1\n");
    if (truncate(wisdom_path("user/wisdom"), BIG) != 0)
        tap_diag("truncate failed");
    tap_ok(wisdom_in_child(wisdom_knows_none, "at most"),
           "one that is too long, too");
    wisdom_put_user("a 1\n");
    chmod(wisdom_path("user/wisdom"), 0622);
    tap_ok(wisdom_in_child(wisdom_knows_none, "others may write"),
           "one that others may write to");
    wisdom_put_user("a 1\n");
    chmod(wisdom_path("user"), 0777);
    tap_ok(wisdom_in_child(wisdom_knows_none, "others may write")
               && wisdom_in_child(wisdom_learns_alone, "others may write")
               && wisdom_files() == 1,
           "a folder that others may write to, which is not written to");
    wisdom_fresh();
    mkdir(wisdom_path("user"), 0700);
    mkfifo(wisdom_path("user/wisdom"), 0600);
    tap_ok(wisdom_in_child(wisdom_knows_none, "no file"), "no file but a pipe");
    wisdom_fresh();
    wisdom_put_user("a 1\n");
    rename(wisdom_path("user/wisdom"), wisdom_path("user/other"));
    if (symlink(wisdom_path("user/other"), wisdom_path("user/wisdom")) != 0)
        tap_diag("symlink failed");
    tap_ok(wisdom_in_child(wisdom_knows_none, "is not used"),
           "a symbolic link");
}

static void test_variable(void)
{
    wisdom_fresh();
    wisdom_put_user("a 1\n");
    setenv("STEADFAST_WISDOM", "off", 1);
    tap_ok(wisdom_in_child(wisdom_knows_none, "")
               && wisdom_in_child(wisdom_learns_alone, "")
               && wisdom_files() == 1,
           "STEADFAST_WISDOM=off: neither read nor written");
    setenv("STEADFAST_WISDOM", wisdom_path("user/wisdom"), 1);
    setenv("STEADFAST_CACHE_DIR", "/dev/null", 1);
    tap_ok(wisdom_in_child(wisdom_knows_a, "")
               && wisdom_in_child(wisdom_learns, "")
               && wisdom_in_child(wisdom_knows_x, ""),
           "STEADFAST_WISDOM names a file");
    setenv("STEADFAST_WISDOM", wisdom_path("user/deeper/w"), 1);
    tap_ok(wisdom_in_child(wisdom_learns_alone, "")
               && wisdom_in_child(wisdom_knows_x, ""),
           "its folder is made");
    setenv("STEADFAST_WISDOM", wisdom_path("user/"), 1);
    tap_ok(wisdom_in_child(wisdom_knows_none, "no file's name")
               && wisdom_in_child(wisdom_learns_alone, "no file's name"),
           "a folder is no file");
    setenv("STEADFAST_WISDOM", "/dev/null/w", 1);
    tap_ok(wisdom_in_child(wisdom_knows_none, "is not used")
               && wisdom_in_child(wisdom_learns_alone, "is not used"),
           "a path that cannot be");
    wisdom_fresh();
}

static int below_file_limit(const void *arg)
{
    const struct rlimit limit = {10, 10};

    setrlimit(RLIMIT_FSIZE, &limit);
    return wisdom_learns_alone(arg);
}

/* The value is kept for the next try. */
static int learns_later(const void *arg)
{
    int fine;

    (void)arg;
    disk.renames_fail = 1;
    fine =
        stfi_wisdom_learn("y", "2") == STF_OK && wisdom_remarks("is not used");
    disk.renames_fail = 0;
    return fine && wisdom_learns("") && wisdom_remarks("");
}

static int knows_y(const void *arg)
{
    return wisdom_knows("y", "2") && wisdom_knows("a", "1")
           && wisdom_knows_x(arg);
}

static long wisdom_size(void)
{
    struct stat st;

    return stat(wisdom_path("user/wisdom"), &st) == 0 ? (long)st.st_size : -1;
}

static int exports_to_full_disk(const void *arg)
{
    (void)arg;
    disk.space = 3;
    return stf_wisdom_export_file(wisdom_path("user/full")) == STF_ERR_IO
           && access(wisdom_path("user/full"), F_OK) != 0;
}

static void test_writing(void)
{
    wisdom_fresh();
    for (long room = 0; room < 30; room += 10) {
        wisdom_put_user("a 1\n");
        disk.space = room;
        tap_ok(
            wisdom_in_child(wisdom_learns_alone, "No space")
                && wisdom_in_child(wisdom_knows_a, "") && wisdom_files() == 2,
            "a disk that is full after %ld bytes: the file is as before", room);
        disk.space = -1;
    }
    tap_ok(wisdom_in_child(below_file_limit, "too large"),
           "a limit on file sizes");
    tap_ok(wisdom_in_child(learns_later, "") && wisdom_in_child(knows_y, ""),
           "what could not be written is written later");
    wisdom_put_user("a 1\nrubbish\n");
    tap_ok(wisdom_in_child(wisdom_learns, "")
               && wisdom_in_child(wisdom_knows_x, ""),
           "a damaged line goes when the file is written");
    wisdom_put(wisdom_path("user/wisdom"), "rubbish\n", 8);
    tap_ok(wisdom_in_child(wisdom_learns_alone, "this is not wisdom")
               && wisdom_in_child(wisdom_knows_none, "this is not wisdom")
               && wisdom_size() == 8,
           "but a foreign file is not written to");
    wisdom_put(wisdom_path("user/wisdom"), "", 0);
    tap_ok(wisdom_in_child(wisdom_learns, "")
               && wisdom_in_child(wisdom_knows_x, ""),
           "an empty one is");
    tap_ok(wisdom_in_child(exports_to_full_disk, NULL),
           "an export to a full disk leaves nothing");
    wisdom_put_user("a 1\n");
    chmod(wisdom_path("user"), 0500);
    if (geteuid() == 0)
        tap_skip("root may write everywhere", "a folder that is read-only");
    else
        tap_ok(wisdom_in_child(wisdom_knows_a, "")
                   && wisdom_in_child(wisdom_learns_alone, "denied"),
               "a folder that is read-only");
    chmod(wisdom_path("user"), 0700);
}

static void test_lock(void)
{
    int fd;

    wisdom_fresh();
    wisdom_put_user("a 1\n");
    fd = open(wisdom_path("user/.wisdom.lock"), O_RDWR | O_CREAT, 0600);
    if (fd < 0 || flock(fd, LOCK_EX) != 0)
        tap_diag("no lock");
    tap_ok(
        wisdom_in_child(wisdom_learns_alone, "another process holds its lock")
            && wisdom_in_child(wisdom_knows_a, ""),
        "a process that never gives the lock back");
    close(fd);
    tap_ok(wisdom_in_child(wisdom_learns, ""), "when it has gone");
}

/* --------------------------------------------------- processes and threads */

/* Learns entries of its own, and one that all have. */
static int learn_many(const void *arg)
{
    const int *who = arg;
    char key[32], value[32];
    int fine = 1;

    for (int i = 0; i < LEARNED; i++) {
        snprintf(key, sizeof key, "p%d/%d", *who, i);
        snprintf(value, sizeof value, "%d", i * i);
        fine = stfi_wisdom_learn(key, value) == STF_OK
               && stfi_wisdom_learn("all", value) == STF_OK && fine;
    }
    return fine && wisdom_remarks("");
}

static int knows_all(const void *arg)
{
    char key[32], value[32];
    int fine = wisdom_knows("all", "121");

    (void)arg;
    for (int p = 0; p < PROCESSES; p++)
        for (int i = 0; i < LEARNED; i++) {
            snprintf(key, sizeof key, "p%d/%d", p, i);
            snprintf(value, sizeof value, "%d", i * i);
            fine = wisdom_knows(key, value) && fine;
        }
    return fine && wisdom_remarks("");
}

static void test_processes(void)
{
    pid_t child[PROCESSES];
    int fine = 1;

    wisdom_fresh();
    fflush(stdout);
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i] == 0)
            _exit(learn_many(&i) ? 0 : 1);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 1;
        fine = child[i] > 0 && waitpid(child[i], &status, 0) == child[i]
               && status == 0 && fine;
    }
    tap_ok(fine && wisdom_in_child(knows_all, NULL) && wisdom_files() == 2,
           "%d processes add to one file, and nothing is lost", PROCESSES);
}

static void *learn_as(void *arg)
{
    return learn_many(arg) ? arg : NULL;
}

static int threads_learn(const void *arg)
{
    pthread_t thread[PROCESSES];
    int who[PROCESSES], fine = 1;
    void *result;

    for (int i = 0; i < PROCESSES; i++) {
        who[i] = i;
        fine = pthread_create(&thread[i], NULL, learn_as, &who[i]) == 0 && fine;
    }
    for (int i = 0; i < PROCESSES; i++)
        fine = pthread_join(thread[i], &result) == 0 && result != NULL && fine;
    return fine && knows_all(arg);
}

int main(void)
{
    tap_begin("wisdom_file");
    if (!tap_ok(wisdom_begin(), "a directory of its own"))
        return tap_end();
    test_reading();
    test_variable();
    test_writing();
    test_lock();
    test_processes();
    wisdom_fresh();
    tap_ok(wisdom_in_child(threads_learn, NULL), "%d threads", PROCESSES);
    wisdom_end();
    return tap_end();
}
