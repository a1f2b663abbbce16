/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A folder for tests of wisdom; see wisdom_rig.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "tests/unit/wisdom_rig.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

char wisdom_folder[256];

const char *wisdom_path(const char *name)
{
    static char path[8][512];
    static int next;

    next = (next + 1) % 8;
    snprintf(path[next], sizeof path[next], "%s/%s", wisdom_folder, name);
    return path[next];
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void wisdom_fresh(void)
{
    if (access(wisdom_path("user"), F_OK) == 0)
        nftw(wisdom_path("user"), remove_one, 8, FTW_DEPTH | FTW_PHYS);
    unsetenv("STEADFAST_WISDOM");
    setenv("STEADFAST_CACHE_DIR", wisdom_path("user"), 1);
}

void wisdom_put(const char *path, const char *data, size_t bytes)
{
    FILE *file = fopen(path, "w");

    if (file == NULL || fwrite(data, 1, bytes, file) != bytes)
        tap_diag("%s cannot be written", path);
    if (file != NULL)
        fclose(file);
}

/* Makes the user's file with a text after the first line. */
void wisdom_put_user(const char *lines)
{
    char all[4096];

    mkdir(wisdom_path("user"), 0700);
    snprintf(all, sizeof all, "%s%s", STFI_WISDOM_HEAD, lines);
    wisdom_put(wisdom_path("user/wisdom"), all, strlen(all));
    chmod(wisdom_path("user/wisdom"), 0600);
}

/* Counts what is in the user's folder. */
int wisdom_files(void)
{
    char command[600];
    int count = -1;
    FILE *pipe;

    snprintf(command, sizeof command, "ls -A '%s' | wc -l",
             wisdom_path("user"));
    pipe = popen(command, "r");
    if (pipe == NULL || fscanf(pipe, "%d", &count) != 1)
        tap_diag("ls failed");
    if (pipe != NULL)
        pclose(pipe);
    return count;
}

/* Runs a check in a process of its own, which knows nothing yet; returns 1 if it
 * does. */
int wisdom_in_child(int (*check)(const void *arg), const void *arg)
{
    int status = 1;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0)
        _exit(check(arg) ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
           && WEXITSTATUS(status) == 0;
}

int wisdom_knows(const char *key, const char *value)
{
    char found[STFI_WISDOM_TEXT_BYTES] = "";
    int there = stfi_wisdom_find(key, found);

    return value != NULL ? there && strcmp(found, value) == 0 : !there;
}

int wisdom_remarks(const char *what)
{
    char remark[STFI_WISDOM_PATH_BYTES + 512];

    stfi_wisdom_remark(remark, sizeof remark);
    if (what[0] == '\0' ? remark[0] == '\0' : strstr(remark, what) != NULL)
        return 1;
    printf("# remark: \"%s\"\n", remark);
    fflush(stdout);
    return 0;
}

int wisdom_knows_a(const void *remark)
{
    return wisdom_knows("a", "1") && wisdom_knows("b", NULL)
           && wisdom_remarks(remark);
}

int wisdom_knows_none(const void *remark)
{
    return wisdom_knows("a", NULL) && wisdom_remarks(remark);
}

/* A process that can keep nothing in the file works on with what it knows. */
int wisdom_learns_alone(const void *remark)
{
    return stfi_wisdom_learn("x", "1") == STF_OK && wisdom_knows("x", "1")
           && wisdom_remarks(remark);
}

int wisdom_learns(const void *remark)
{
    return wisdom_learns_alone(remark)
           && access(wisdom_path("user/wisdom"), F_OK) == 0;
}

int wisdom_knows_x(const void *remark)
{
    return wisdom_knows("x", "1") && wisdom_remarks(remark);
}

int wisdom_begin(void)
{
    const char *base = getenv("TMPDIR");

    snprintf(wisdom_folder, sizeof wisdom_folder, "%s/stf-wisdom.XXXXXX",
             base != NULL ? base : "/tmp");
    return mkdtemp(wisdom_folder) != NULL;
}

void wisdom_end(void)
{
    nftw(wisdom_folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
