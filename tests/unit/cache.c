/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernel cache: which entries are used, and which are not since they are
 * damaged, belong to something else, or are not trusted. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "support/problem/problem.h"
#include "tests/tap.h"
#include "tests/unit/sandbox.h"

enum { RANDOM_FLIPS = 300 };

static const stfi_gpu_key key = {"stfk_fft_f32_r8x8", "#define N 64\n",
                                 "sm_90"};
static uint64_t random_state;

/* ------------------------------------------------------------ hit or miss */

static void test_hash(void)
{
    static const char *const rows[][2] = {
        {"", "6c62272e07bb014262b821756295c58d"},
        {"a", "d228cb696f1a8caf78912b704e4a8964"},
        {"foobar", "343e1662793c64bf6f0d3597ba446f18"},
    };
    char text[STFI_HASH_TEXT_BYTES];

    tap_ok(stfi_hash_text("") == UINT64_C(0xcbf29ce484222325)
               && stfi_hash_text("foobar") == UINT64_C(0x85944171f73967e8),
           "short hashes");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stfi_hash_print(
            stfi_hash_add(stfi_hash_begin(), rows[i][0], strlen(rows[i][0])),
            text);
        tap_ok(strcmp(text, rows[i][1]) == 0, "hash of \"%s\"", rows[i][0]);
    }
}

static void test_hits(void)
{
    stfi_gpu_key other;
    char folder[600];

    sandbox_fresh();
    tap_ok(sandbox_gets(&key, 0), "a kernel is compiled");
    tap_ok(sandbox_gets(&key, 1), "and then found");
    other = key;
    other.config = "#define N 65\n";
    tap_ok(sandbox_gets(&other, 0), "another config is another kernel");
    other = key;
    other.entry = "stfk_fft_f32_r8x4";
    tap_ok(sandbox_gets(&other, 0), "and so is another entry");
    other = key;
    other.arch = "sm_80";
    tap_ok(sandbox_gets(&other, 0), "and another architecture");
    other.arch = "sm_9";
    tap_ok(sandbox_gets(&other, 0), "of which none is taken for a prefix");
    tap_ok(sandbox_gets(&key, 1) && sandbox_count(0) == 5
               && sandbox_count(1) == 0,
           "all of them are kept, nothing else");
    snprintf(folder, sizeof folder, "%s",
             sandbox_entry(sandbox_path("user"), &key));
    tap_ok(sandbox_mode_is(folder, 0600), "an entry is private");
    *strrchr(folder, '/') = '\0';
    tap_ok(sandbox_mode_is(folder, 0700)
               && sandbox_mode_is(sandbox_path("user"), 0700),
           "and so are the directories");
}

static void test_compilers(void)
{
    char untouched;
    void *image = &untouched;
    size_t bytes = 7;
    int cached = -1;
    stfi_gpu_key other = key;

    sandbox_fresh();
    sandbox_gets(&key, 0);
    sandbox_version = "13.1";
    tap_ok(sandbox_gets(&key, 0), "another compiler compiles again");
    tap_ok(sandbox_gets(&key, 1), "and finds its own");
    sandbox_version = "13.0";
    tap_ok(sandbox_gets(&key, 1), "the first one's is still there");
    sandbox_options = "-O -g";
    tap_ok(sandbox_gets(&key, 0) && sandbox_gets(&key, 1),
           "other options are another kernel");
    sandbox_options = "-O";
    sandbox_version = NULL;
    tap_ok(sandbox_gets(&key, 1), "without a compiler, any will do");
    other.entry = "stfk_unheard_of";
    tap_ok(stfi_gpu_image_get(&sandbox_rtc, &other, &image, &bytes, &cached)
                   == STF_ERR_COMPILE
               && image == &untouched && bytes == 7 && cached == -1
               && strstr(stf_error_message(), "on holiday")
               && strstr(stf_error_message(), "stfk_unheard_of"),
           "but what is not there is an error that says all");
    tap_ok(stfi_gpu_image_get(NULL, &other, &image, &bytes, NULL)
               == STF_ERR_COMPILE,
           "no compiler at all");
    sandbox_version = "13.0";
    sandbox_failure = STF_ERR_COMPILE;
    tap_ok(stfi_gpu_image_get(&sandbox_rtc, &other, &image, &bytes, NULL)
                   == STF_ERR_COMPILE
               && image == &untouched && sandbox_count(0) == 3,
           "a failed compilation is not kept");
    sandbox_failure = STF_OK;
}

/* --------------------------------------------------------------- families */

enum { PLAIN = 1, CHECKED = 2, END_TO_END = 4, ALL = 7 };

/* Runs in a process of its own, in which no kernel was asked for yet: edits a
 * file (NULL: none), and returns the set of families whose kernels are not in
 * the cache. */
static int missing_after(const char *edited)
{
    static const stfi_gpu_key kernels[] = {
        {"stfk_plain", "#define STFK_CHECK 0\n#define STFK_GATED 0\n", "sm_90"},
        {"stfk_checked", "#define STFK_CHECK 1\n", "sm_90"},
        {"stfk_twice", "#define STFK_TWICE 1\n", "sm_90"},
        {"stfk_gated", "#define STFK_GATED 1\n", "sm_90"},
        {"stfk_e2e", "#define STFK_CHECK 0\n#define STFK_E2E SUM\n", "sm_90"},
    };
    static const int family[] = {PLAIN, CHECKED, CHECKED, CHECKED, END_TO_END};
    int missing[ALL + 1] = {0}, result = 0, status;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        if (edited != NULL)
            sandbox_edit(edited);
        for (int i = 0; i < 5; i++) {
            int before = sandbox_compiles;
            if (!sandbox_gets(&kernels[i], -1))
                _exit(ALL + 1);
            missing[family[i]] += sandbox_compiles - before;
        }
        result |= missing[PLAIN] == 1 ? PLAIN : 0;
        result |= missing[CHECKED] == 3 ? CHECKED : 0;
        result |= missing[END_TO_END] == 1 ? END_TO_END : 0;
        _exit(missing[CHECKED] % 3 == 0 ? result : ALL + 1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

/* An edit evicts exactly the kernels of the families that include the file. */
static void test_families(void)
{
    static const struct {
        const char *file;
        int evicted;
    } rows[] = {
        {"entry_fft.h", PLAIN},
        {"fft.h", PLAIN | CHECKED},
        {"entry_protected.h", CHECKED},
        {"check.h", CHECKED},
        {"entry_end_to_end.h", END_TO_END},
        {"weigh.h", END_TO_END},
        {"arch.h", ALL},
        {"other.h", 0},
    };

    sandbox_fresh();
    tap_ok(missing_after(NULL) == ALL && missing_after(NULL) == 0,
           "kernels of three families are kept");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tap_ok(missing_after(rows[i].file) == rows[i].evicted
                   && missing_after(NULL) == 0,
               "an edit of %s", rows[i].file);
}

/* ----------------------------------------------------------------- damage */

/* 1 if the entry with these bytes is not used but replaced. */
static int refused(const char *path, const unsigned char *bytes, size_t count)
{
    sandbox_write(path, bytes, count);
    return sandbox_gets(&key, 0) && sandbox_gets(&key, 1);
}

static void test_flips(const char *path, const unsigned char *good,
                       size_t count)
{
    static const struct {
        const char *name;
        size_t first, bytes;
    } fields[] = {
        {"magic", 0, 8},
        {"format", 8, 4},
        {"size of the head", 12, 4},
        {"size of the image", 16, 8},
        {"sources", 24, 16},
        {"config", 40, 16},
        {"checksum of the image", 56, 16},
        {"library", 72, 16},
        {"compiler", 88, 32},
        {"arch", 120, 32},
        {"entry", 152, 192},
        {"what is not used", 344, 24},
        {"checksum of the head", 368, 16},
        {"image", 384, 5000},
    };
    unsigned char bad[SANDBOX_FILE_BYTES];
    int fine = 1;

    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        size_t last = fields[f].first + fields[f].bytes - 1;

        memcpy(bad, good, count);
        bad[fields[f].first] ^= 1;
        fine = refused(path, bad, count);
        memcpy(bad, good, count);
        bad[last] ^= 0x80;
        tap_ok(refused(path, bad, count) && fine, "bits of %s", fields[f].name);
    }
    fine = 1;
    for (int i = 0; i < RANDOM_FLIPS && fine; i++) {
        size_t at = stfi_random_u64(&random_state) % count;
        int bit = (int)(stfi_random_u64(&random_state) % 8);

        memcpy(bad, good, count);
        bad[at] ^= (unsigned char)(1 << bit);
        fine = refused(path, bad, count);
        if (!fine)
            tap_diag("byte %zu, bit %d", at, bit);
    }
    tap_ok(fine, "%d random bits", RANDOM_FLIPS);
}

static void test_lengths(const char *path, const unsigned char *good,
                         size_t count)
{
    static const size_t cuts[] = {0,   1,   7,   8,   12,  16,  24,
                                  40,  56,  72,  88,  120, 152, 344,
                                  368, 383, 384, 385, 5383};
    unsigned char bad[SANDBOX_FILE_BYTES] = {0};
    int fine = 1;

    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        fine = refused(path, good, cuts[i]) && fine;
    tap_ok(fine, "truncated at every boundary");
    fine = 1;
    for (int i = 0; i < 50; i++)
        fine =
            refused(path, good, stfi_random_u64(&random_state) % count) && fine;
    tap_ok(fine, "truncated anywhere");
    tap_ok(refused(path, bad, count), "nothing but zeros");
    memcpy(bad, good, count);
    tap_ok(refused(path, bad, count + 1), "a byte too many");
    for (size_t i = 0; i < count; i++)
        bad[i] = (unsigned char)stfi_random_u64(&random_state);
    tap_ok(refused(path, bad, count), "random bytes");
    memcpy(bad, good, count);
    for (size_t at = 0; at + 8 <= STFI_CACHE_HEAD_BYTES; at += 8)
        for (size_t i = 0; i < 8; i++)
            bad[at + i] = good[at + 7 - i];
    tap_ok(refused(path, bad, count), "the other byte order");
}

static void test_damage(void)
{
    unsigned char good[SANDBOX_FILE_BYTES];
    const char *path;
    size_t count;

    sandbox_fresh();
    sandbox_gets(&key, 0);
    path = sandbox_entry(sandbox_path("user"), &key);
    count = sandbox_read(path, good);
    tap_ok(count == STFI_CACHE_HEAD_BYTES + sandbox_bytes,
           "an entry is a head and an image");
    test_flips(path, good, count);
    test_lengths(path, good, count);
    tap_ok(sandbox_count(0) == 1 && sandbox_count(1) == 0,
           "nothing is left behind");
}

/* Heads that are valid but belong to another kernel; each differs in one
 * field. */
static void other_size(stfi_cache_head *h)
{
    h->image_bytes--;
}

static void other_sources(stfi_cache_head *h)
{
    h->sources.low ^= 1;
}

static void other_config(stfi_cache_head *h)
{
    h->config.high ^= 1;
}

static void other_image(stfi_cache_head *h)
{
    h->image.low++;
}

static void other_library(stfi_cache_head *h)
{
    h->library[0]++;
}

static void other_compiler(stfi_cache_head *h)
{
    h->compiler[0]++;
}

static void other_arch(stfi_cache_head *h)
{
    h->arch[0]++;
}

static void other_entry(stfi_cache_head *h)
{
    h->entry[0]++;
}

static void endless(stfi_cache_head *h)
{
    memset(h->arch, 'x', 32);
}

static void test_foreign(void)
{
    static const struct {
        const char *name;
        void (*change)(stfi_cache_head *h);
    } rows[] = {
        {"size", other_size},         {"sources", other_sources},
        {"config", other_config},     {"image", other_image},
        {"library", other_library},   {"compiler", other_compiler},
        {"architecture", other_arch}, {"entry", other_entry},
        {"endless text", endless},
    };
    unsigned char good[SANDBOX_FILE_BYTES], bad[SANDBOX_FILE_BYTES];
    const char *path = sandbox_entry(sandbox_path("user"), &key);
    size_t count = sandbox_read(path, good);
    stfi_cache_head head;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(bad, good, count);
        if (!stfi_cache_head_decode(bad, &head))
            tap_diag("the entry cannot be decoded");
        rows[i].change(&head);
        stfi_cache_head_encode(&head, bad);
        tap_ok(refused(path, bad, count), "a sound head of another %s",
               rows[i].name);
    }
}

/* Things under the name of an entry that are not files of ours. */
static void test_traps(void)
{
    const char *path = sandbox_entry(sandbox_path("user"), &key);

    chmod(path, 0620);
    tap_ok(sandbox_gets(&key, 0) && sandbox_gets(&key, 1),
           "a file that others may write to is not taken");
    rename(path, sandbox_path("moved"));
    if (symlink(sandbox_path("moved"), path) != 0)
        tap_diag("no link could be made");
    tap_ok(sandbox_gets(&key, 0) && sandbox_gets(&key, 1), "nor is a link");
    unlink(path);
    mkfifo(path, 0600);
    tap_ok(sandbox_gets(&key, 0) && sandbox_gets(&key, 1),
           "nor a FIFO, which holds nobody up");
    unlink(path);
    mkdir(path, 0700);
    tap_ok(sandbox_gets(&key, 0) && sandbox_gets(&key, 0)
               && sandbox_count(1) == 0,
           "a directory stays, and does no harm");
    rmdir(path);
    if (geteuid() != 0) {
        tap_skip("only root can give files away", "another user's file");
        return;
    }
    sandbox_gets(&key, 0);
    if (chown(path, 65534, 65534) != 0)
        tap_diag("chown failed");
    tap_ok(sandbox_gets(&key, 0) && sandbox_gets(&key, 1),
           "another user's file is not taken");
}

/* ----------------------------------------------------------- false claims */

/* Gives the key's entry another length, in its head and in fact, and a head
 * that is sound; the image becomes zeros, whose hash is `image`. Returns
 * 0 where there can be no file of this length. */
static int lengthen(uint64_t bytes, stfi_hash image)
{
    const char *path = sandbox_entry(sandbox_path("user"), &key);
    unsigned char encoded[SANDBOX_FILE_BYTES];
    stfi_cache_head head;

    if (sandbox_read(path, encoded) < STFI_CACHE_HEAD_BYTES
        || !stfi_cache_head_decode(encoded, &head))
        return 0;
    head.image_bytes = bytes;
    head.image = image;
    stfi_cache_head_encode(&head, encoded);
    sandbox_write(path, encoded, STFI_CACHE_HEAD_BYTES);
    return truncate(path, (off_t)(STFI_CACHE_HEAD_BYTES + bytes)) == 0;
}

static stfi_hash hash_of_zeros(uint64_t bytes)
{
    static const char zeros[4096];
    stfi_hash h = stfi_hash_begin();

    for (; bytes >= sizeof zeros; bytes -= sizeof zeros)
        h = stfi_hash_add(h, zeros, sizeof zeros);
    return stfi_hash_add(h, zeros, bytes);
}

/* What is longer than any kernel is not read. */
static void test_claims(void)
{
    const uint64_t more = STFI_CACHE_IMAGE_BYTES + 1, tera = (uint64_t)1 << 40;
    size_t usual = sandbox_bytes;

    sandbox_fresh();
    sandbox_gets(&key, 0);
    if (lengthen(tera, stfi_hash_begin()))
        tap_ok(sandbox_gets(&key, 0) && sandbox_gets(&key, 1),
               "an entry of 1 TB is replaced");
    else
        tap_skip("no file can be as large", "an entry of 1 TB");
    tap_ok(lengthen(more, hash_of_zeros(more)) && sandbox_gets(&key, 0)
               && sandbox_gets(&key, 1),
           "so is one of a byte too many, though its hash is right");
    sandbox_fresh();
    sandbox_bytes = more;
    tap_ok(sandbox_gets(&key, 0) && sandbox_count(0) == 0,
           "and none is written");
    sandbox_bytes = usual;
}

/* ----------------------------------------------------------------- memory */

static void test_memory(int cached)
{
    int fine = 1, k;

    for (k = 1; k < 100 && fine; k++) {
        void *image = NULL;
        size_t bytes;
        stf_status status;

        sandbox_fresh();
        if (cached)
            sandbox_gets(&key, 0);
        stfi_alloc_fail_at(k);
        status = stfi_gpu_image_get(&sandbox_rtc, &key, &image, &bytes, NULL);
        stfi_dealloc(image);
        if (stfi_alloc_fail_at(0) < k)
            break;
        fine = status == (image != NULL ? STF_OK : STF_ERR_MEMORY)
               && sandbox_count(1) == 0;
    }
    tap_ok(fine && k > 1 && k < 100, "every allocation of %s fails",
           cached ? "a hit" : "a miss");
}

int main(void)
{
    tap_begin("cache");
    random_state = tap_seed();
    if (!tap_ok(sandbox_begin(), "a directory of its own"))
        return tap_end();
    test_families();
    test_hash();
    test_hits();
    test_compilers();
    test_damage();
    test_foreign();
    test_traps();
    test_claims();
    test_memory(0);
    test_memory(1);
    sandbox_end();
    return tap_end();
}
