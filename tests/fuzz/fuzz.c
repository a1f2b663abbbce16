/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Runs each target on its corpus, and on changed copies of what is in it, in a
 * process of its own. What libFuzzer finds in hours is kept in the corpus, so
 * that it stays found. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "tests/fuzz/fuzz.h"
#include "tests/tap.h"

enum { MOST_SEEDS = 256, MOST_BYTES = 32768, PATH_BYTES = 1024 };

static const fuzz_target *const targets[] = {
#define FUZZ_TARGET(name) &fuzz_##name,
#include "tests/fuzz/targets.def"
#undef FUZZ_TARGET
};

/* What a process that fails was doing. */
static struct progress {
    char input[PATH_BYTES];
    long runs;
    size_t size;
    uint8_t bytes[MOST_BYTES];
} * progress;

/* ------------------------------------------------------------------ corpus */

static struct seed {
    char *name;
    size_t size;
    uint8_t bytes[MOST_BYTES];
} seeds[MOST_SEEDS];
static int seed_count;

static void read_seed(const char *folder, const char *name)
{
    struct seed *s = &seeds[seed_count];
    char path[2 * PATH_BYTES];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (file == NULL)
        return;
    s->size = fread(s->bytes, 1, sizeof s->bytes, file);
    s->name = strdup(name);
    seed_count += s->name != NULL;
    fclose(file);
}

static void read_corpus(const fuzz_target *t)
{
    const char *top = getenv("top_srcdir");
    char folder[PATH_BYTES];
    struct dirent **list = NULL;
    int count;

    snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/%s", top ? top : ".",
             t->name);
    count = scandir(folder, &list, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (list[i]->d_name[0] != '.' && seed_count < MOST_SEEDS)
            read_seed(folder, list[i]->d_name);
        free(list[i]);
    }
    free(list);
}

/* ------------------------------------------------------------------ inputs */

static size_t below(uint64_t *state, size_t count)
{
    return (size_t)(stfi_random_u64(state) % count);
}

/* Changes, inserts or removes bytes, or appends some of another seed. */
static size_t change(uint8_t *bytes, size_t size, size_t most, uint64_t *state)
{
    size_t at = size > 0 ? below(state, size) : 0, count;
    const struct seed *other = &seeds[below(state, (size_t)seed_count)];

    switch (size > 0 ? below(state, 5) : 3) {
    case 0: bytes[at] = (uint8_t)below(state, 256); return size;
    case 1: bytes[at] ^= (uint8_t)(1 << below(state, 8)); return size;
    case 2: memmove(bytes + at, bytes + at + 1, size - at - 1); return size - 1;
    case 3:
        if (size == most)
            return size;
        memmove(bytes + at + 1, bytes + at, size - at);
        bytes[at] = (uint8_t)below(state, 256);
        return size + 1;
    default:
        count = other->size < most - at ? other->size : most - at;
        memcpy(bytes + at, other->bytes, count);
        return at + count > size ? at + count : size;
    }
}

static size_t make_input(const fuzz_target *t, uint64_t seed, uint8_t *bytes)
{
    const struct seed *s = &seeds[below(&seed, (size_t)seed_count)];
    size_t size = s->size < t->most_bytes ? s->size : t->most_bytes;

    memcpy(bytes, s->bytes, size);
    for (size_t i = 1 + below(&seed, 8); i > 0; i--)
        size = change(bytes, size, t->most_bytes, &seed);
    return size;
}

/* -------------------------------------------------------------------- runs */

/* Ends when there were so many changed inputs, or after so many seconds. */
static void run_all(const fuzz_target *t, long inputs, long seconds)
{
    uint8_t *bytes = progress->bytes;
    uint64_t state = tap_seed();
    time_t begin = time(NULL);

    for (int i = 0; i < seed_count; i++, progress->runs++) {
        snprintf(progress->input, PATH_BYTES, "seed %s", seeds[i].name);
        progress->size = seeds[i].size;
        memcpy(bytes, seeds[i].bytes, seeds[i].size);
        t->run(bytes, progress->size);
    }
    for (long i = 0; i < inputs && time(NULL) - begin < seconds;
         i++, progress->runs++) {
        uint64_t seed = stfi_random_u64(&state);
        progress->size = make_input(t, seed, bytes);
        snprintf(progress->input, PATH_BYTES, "changed input %ld", i);
        t->run(bytes, progress->size);
    }
}

/* Keeps the input that made a target fail. */
static void keep_input(const fuzz_target *t)
{
    char name[PATH_BYTES];
    FILE *file;

    snprintf(name, sizeof name, "fuzz-%s.input", t->name);
    file = fopen(name, "wb");
    if (file == NULL)
        return;
    fwrite(progress->bytes, 1, progress->size, file);
    fclose(file);
    tap_diag("%s, kept in %s", progress->input, name);
}

static void check_target(const fuzz_target *t, long inputs, long seconds)
{
    int status = -1;
    pid_t child;

    while (seed_count > 0)
        free(seeds[--seed_count].name);
    read_corpus(t);
    progress->runs = 0;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        if (seed_count > 0)
            run_all(t, inputs, seconds);
        exit(0);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    tap_ok(seed_count > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0,
           "%s: %d seeds, %ld inputs", t->name, seed_count, progress->runs);
    if (status != 0)
        keep_input(t);
}

/* The number that an environment variable has, or `otherwise`. */
static long wish(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text && *text ? strtol(text, NULL, 10) : otherwise;
}

/* 1 if STF_TEST_ONLY, a part of a name, leaves the target to be run. */
static int is_wanted(const fuzz_target *t)
{
    const char *only = getenv("STF_TEST_ONLY");

    return !only || strstr(t->name, only) != NULL;
}

int main(void)
{
    static const long of_level[] = {
        [TAP_QUICK] = 300, [TAP_NORMAL] = 2000, [TAP_LONG] = 100000};
    long inputs, seconds = wish("STF_FUZZ_SECONDS", LONG_MAX);

    tap_begin("fuzz");
    inputs = wish("STF_FUZZ_INPUTS", of_level[tap_level()]);
    progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED)
        return 1;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (is_wanted(targets[i]))
            check_target(targets[i], inputs, seconds);
    return tap_end();
}
