/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Left vectors kept between programs: found again bit by bit, and made again if
 * the file is damaged, of another key, or cannot be trusted. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ft/weights/left_vector.h"
#include "ft/weights/optimise.h"
#include "ft/weights/store.h"
#include "ft/weights/vector.h"
#include "tests/tap.h"
#include "tests/unit/disk.h"
#include "tests/unit/sandbox.h"

enum { N = 60, OTHERS = 5000 };

static float e[2 * N], found[2 * N];
static stfi_network_shape shape;

static stfi_network_shape shape_of(int64_t tile, int first, int second)
{
    const int radix[] = {first, second};

    return stfi_network_shape_make(STFI_OP_FFT, STFI_CONV_NONE, tile, 2, radix);
}

static int finds(const stfi_network_shape *of, int64_t points)
{
    int is_found = -1;

    memset(found, 0xff, sizeof found);
    return stfi_ft_store_find(of, points, N, found, &is_found) == STF_OK
               ? is_found
               : -1;
}

/* 1 if the vector is kept with all its bits. */
static int is_kept(void)
{
    return finds(&shape, N) == 1 && memcmp(found, e, sizeof e) == 0;
}

static int add(void)
{
    return stfi_ft_store_add(&shape, N, N, e) == STF_OK;
}

/* The path of a key's file. */
static const char *path_of(const stfi_network_shape *of, int64_t points)
{
    char name[STFI_FT_STORE_NAME_BYTES], below[64];

    stfi_ft_store_name(of, points, name);
    snprintf(below, sizeof below, "user/%s", name);
    return sandbox_path(below);
}

static void test_kept(void)
{
    stfi_network_shape other = shape_of(N, 6, 10);

    sandbox_fresh();
    tap_ok(finds(&shape, N) == 0, "nothing is kept at first");
    tap_ok(access(sandbox_path("user"), F_OK) != 0, "and no folder made");
    tap_ok(add() && is_kept(), "a vector is found again");
    tap_ok(sandbox_mode_is(path_of(&shape, N), 0600), "its file is private");
    tap_ok(finds(&other, N) == 0, "not that of other radices");
    tap_ok(finds(&shape, N / 2) == 0, "nor that of other points");
    e[1] = 1.0f + 0x1p-10f;
    sandbox_fresh();
    tap_ok(add() && finds(&shape, N) == 0,
           "numbers of more than eight bits are not kept");
    e[1] = 1;
}

/* A file whose bits change, or which is too short or too long, is not taken, and
 * replaced by the next vector. */
static void test_damage(void)
{
    unsigned char bytes[SANDBOX_FILE_BYTES];
    const char *path = path_of(&shape, N);
    size_t count;
    int taken = 0, mended = 1;

    sandbox_fresh();
    add();
    count = sandbox_read(path, bytes);
    for (size_t i = 0; i < count; i++) {
        bytes[i] ^= 1 << i % 8;
        sandbox_write(path, bytes, count);
        taken += finds(&shape, N) != 0;
        bytes[i] ^= 1 << i % 8;
    }
    tap_ok(count == 16 + 4 * N && taken == 0, "any flipped bit is noticed");
    for (size_t cut = 1; cut <= count; cut += 17) {
        sandbox_write(path, bytes, count - cut);
        taken += finds(&shape, N) != 0;
        mended = mended && add() && is_kept();
    }
    sandbox_write(path, bytes, count + 1);
    taken += finds(&shape, N) != 0;
    tap_ok(taken == 0, "so is a file that is too short or too long");
    tap_ok(mended && add() && is_kept(), "the next vector mends it");
}

/* Of two vectors with the same slot the later one is kept. */
static void test_slots(void)
{
    int64_t points = N + 1;
    char mine[STFI_FT_STORE_NAME_BYTES], other[STFI_FT_STORE_NAME_BYTES];

    stfi_ft_store_name(&shape, N, mine);
    do
        stfi_ft_store_name(&shape, ++points, other);
    while (strcmp(mine, other) != 0 && points < 100 * OTHERS);
    sandbox_fresh();
    add();
    tap_ok(stfi_ft_store_add(&shape, points, N, e) == STF_OK
               && finds(&shape, N) == 0 && finds(&shape, points) == 1,
           "a slot has one vector, the last one");
}

static void trust_nobody(void)
{
    chmod(sandbox_path("user"), 0777);
}

static void trust_no_folder(void)
{
    chmod(sandbox_path("user/weights"), 0770);
}

static void trust_no_file(void)
{
    chmod(path_of(&shape, N), 0666);
}

static void lead_elsewhere(void)
{
    rename(path_of(&shape, N), sandbox_path("elsewhere"));
    if (symlink(sandbox_path("elsewhere"), path_of(&shape, N)) != 0)
        tap_diag("no link");
}

static void switch_off(void)
{
    sandbox_env("STEADFAST_CACHE", "off");
}

static void test_trust(void)
{
    static const struct {
        const char *name;
        void (*change)(void);
    } rows[] = {
        {"a folder to which all may write", trust_nobody},
        {"a folder below to which others may write", trust_no_folder},
        {"a file to which others may write", trust_no_file},
        {"a link", lead_elsewhere},
        {"STEADFAST_CACHE=off", switch_off},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sandbox_fresh();
        add();
        rows[i].change();
        tap_ok(finds(&shape, N) == 0, "not taken: %s", rows[i].name);
        sandbox_env("STEADFAST_CACHE", NULL);
    }
    sandbox_fresh();
    sandbox_env("STEADFAST_CACHE_MAX_MB", "0");
    tap_ok(add() && access(sandbox_path("user"), F_OK) != 0,
           "nothing is added to a cache of no size");
    sandbox_env("STEADFAST_CACHE_MAX_MB", NULL);
}

/* A disk without space keeps nothing, and loses nothing. */
static void test_disk(void)
{
    int right = 1;

    for (long space = 0; space < 16 + 4 * N; space += 50) {
        sandbox_fresh();
        disk = (disk_state){.space = space};
        right = right && add() && finds(&shape, N) == 0;
        disk = (disk_state){.space = -1};
        right = right && access(path_of(&shape, N), F_OK) != 0;
    }
    tap_ok(right, "a full disk: nothing is kept");
    add();
    disk = (disk_state){.space = -1, .renames_fail = 1};
    tap_ok(add() && is_kept(), "no quota: the file of before stays");
    disk = (disk_state){.space = -1};
    disk.most = 7, disk.interrupts = 3;
    sandbox_fresh();
    tap_ok(add() && is_kept(), "writes in pieces");
    disk = (disk_state){.space = -1};
}

/* A vector that plans ask for is that of the optimiser, made by this program or
 * by another one. */
static void test_plans(void)
{
    float made[2 * N];
    int right = 1;

    sandbox_fresh();
    stfi_ft_optimised_vector(&shape, N, made);
    for (int program = 0; program < 2; program++) {
        stfi_ft_key key = {.n = N, .precision = STF_F32, .shape = shape};
        stfi_ft_cache *cache = NULL;
        const stfi_ft_vector *v = NULL;
        right = right && stfi_ft_cache_create(&cache) == STF_OK
                && stfi_ft_vector_get(cache, key, &v) == STF_OK
                && memcmp(v->e, made, sizeof made) == 0;
        stfi_ft_vector_release(cache, v);
        stfi_ft_cache_destroy(cache);
        right = right && access(path_of(&shape, N), F_OK) == 0;
    }
    tap_ok(right, "plans get the vector of the optimiser, kept or not");
    tap_ok(finds(&shape, N) == 1 && memcmp(found, made, sizeof made) == 0,
           "and keep it");
}

static void test_clear(void)
{
    int64_t files, bytes;
    stfi_cache_place place;

    sandbox_fresh();
    add();
    stfi_cache_place_first(&place);
    tap_ok(stfi_cache_clear(&place, &files, &bytes) == STF_OK
               && access(sandbox_path("user/weights"), F_OK) != 0,
           "clearing the user's cache removes them");
}

int main(void)
{
    if (!sandbox_begin())
        return tap_end();
    shape = shape_of(N, 10, 6);
    stfi_ft_draw(N, 0, e);
    test_kept();
    test_damage();
    test_slots();
    test_trust();
    test_disk();
    test_plans();
    test_clear();
    sandbox_end();
    return tap_end();
}
