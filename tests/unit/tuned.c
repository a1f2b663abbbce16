/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tables of measured shapes: what they say is what plans have, where there is work for
 * the whole device, and nowhere else. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fft/desc.h"
#include "fft/gpu_tuned.h"
#include "fft/lower.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

enum { LINE = 256 };

/* Lowers a problem for a preset; returns 0 and says why if that fails. */
static int lower(const char *word, stf_ft_mode mode, const char *preset,
                 stfi_schedule *s)
{
    stfi_problem p;
    stf_fft_desc full;

    if (stfi_problem_parse(word, &p) != STF_OK)
        return 0;
    p.desc.ft.mode = mode;
    if (stfi_desc_complete(&p.desc, &full) == STF_OK
        && stfi_lower(&full, stfi_preset_find(preset), 1, s) == STF_OK)
        return 1;
    tap_diag("%s: %s", word, stf_error_message());
    return 0;
}

/* 1 if some pass of the schedule has that row. */
static int has_row(const stfi_schedule *s, const char *row)
{
    char own[STFI_TUNED_TEXT];

    for (int i = 0; i < s->npasses; i++) {
        stfi_gpu_tuned_print(&s->pass[i], own);
        if (strcmp(own, row) == 0)
            return 1;
    }
    return 0;
}

/* 1 if the problem that a line of a table names is planned as its row says. */
static int holds(const char *line, const char *preset)
{
    char row[LINE], word[LINE], mode[LINE];
    stfi_schedule s;

    if (sscanf(line, "%255[^/]/* %255s --ft %255s */", row, word, mode) != 3)
        return 0;
    row[strcspn(row, ")") + 1] = '\0';
    if (!lower(word, strcmp(mode, "off") == 0 ? STF_FT_OFF : STF_FT_CORRECT,
               preset, &s))
        return 0;
    return has_row(&s, row);
}

/* What a row is ordered by: the elements of a lane, the text of its lengths, and its
 * traits. */
typedef struct key {
    int64_t n;
    char lengths[LINE];
    unsigned traits;
} key;

/* Reads the key of a line; returns 0 if it is no row. */
static int read_key(const char *line, key *key_p)
{
    key k = {.n = 1};

    if (sscanf(line, "STFI_TUNED(\"%255[0-9x]\", %x", k.lengths, &k.traits)
        != 2)
        return 0;
    for (char *at = k.lengths; *at != '\0'; at += *at == 'x')
        k.n *= strtoll(at, &at, 10);
    *key_p = k;
    return 1;
}

static int is_less(const key *a, const key *b)
{
    const int by_text = strcmp(a->lengths, b->lengths);

    return a->n != b->n   ? a->n < b->n
           : by_text != 0 ? by_text < 0
                          : a->traits < b->traits;
}

/* Every row, in the order of lengths, which no other one contradicts. */
static void test_table(const char *preset)
{
    char path[4096], line[LINE];
    key before = {.n = 0};
    int count = 0, held = 0, ordered = 1;
    FILE *file;

    snprintf(path, sizeof path, "%s/lib/fft/tuned/%s.def",
             getenv("top_srcdir") != NULL ? getenv("top_srcdir") : ".", preset);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        key now;

        if (!read_key(line, &now))
            continue;
        count++;
        if (holds(line, preset))
            held++;
        else
            tap_diag("not held: %s", line);
        ordered = ordered && is_less(&before, &now);
        before = now;
    }
    if (file != NULL)
        fclose(file);
    tap_ok(file != NULL && held == count, "%s: %d of %d rows hold", preset,
           held, count);
    tap_ok(ordered, "%s: they are in order, one for each tile", preset);
}

/* A tile of 280 elements of F32 as the tests below change it. */
static stfi_gpu_tile tile_of(int64_t lanes)
{
    return (stfi_gpu_tile){.n = 280,
                           .lanes = lanes,
                           .real_bytes = 4,
                           .stored_bytes = 4,
                           .run = 1,
                           .store_run = 1,
                           .grain = 1};
}

static void test_traits(void)
{
    const stfi_gpu_tile one = tile_of(1 << 20);
    stfi_gpu_tile other[] = {one, one, one, one, one, one};
    int fine = 1;

    other[0].real_bytes = 8;
    other[1].checked = 1;
    other[2].grain = 2;
    other[3].swaps = 2;
    other[4].width = 4;
    other[5].load_across = 1;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        for (size_t k = 0; k < i; k++)
            fine = fine
                   && stfi_gpu_tile_traits(&other[i])
                          != stfi_gpu_tile_traits(&other[k])
                   && stfi_gpu_tile_traits(&other[i])
                          != stfi_gpu_tile_traits(&one);
    tap_ok(fine, "tiles that differ have other traits");
    other[0] = tile_of(3);
    tap_ok(stfi_gpu_tile_traits(&other[0]) == stfi_gpu_tile_traits(&one)
               && stfi_gpu_tuned_find(&other[0], stfi_preset_find("h200"))
                      == NULL,
           "few lanes are no trait, and have no row");
    tap_ok(stfi_gpu_tuned_find(&one, stfi_preset_find("a100")) == NULL,
           "nor has another device");
}

static void test_order(void)
{
    const stfi_tuned_shape row = {"h200", "280", 0, 35, "8x5x7"};
    const stfi_gpu_shape list[] = {
        {.nstages = 3, .radix = {7, 5, 8}, .threads = 35},
        {.nstages = 3, .radix = {8, 5, 7}, .threads = 40},
        {.nstages = 2, .radix = {8, 5}, .threads = 35},
        {.nstages = 3, .radix = {8, 5, 7}, .threads = 35, .lanes = 9},
        {.nstages = 1, .radix = {2}, .threads = 1},
    };
    stfi_gpu_shape own[5];

    memcpy(own, list, sizeof own);
    stfi_gpu_tuned_put_first(NULL, own, 5);
    stfi_gpu_tuned_put_first(&row, own, 3);
    tap_ok(memcmp(own, list, sizeof own) == 0,
           "without its radices and threads the order stays");
    stfi_gpu_tuned_put_first(&row, own, 5);
    tap_ok(own[0].lanes == 9 && own[0].threads == 35
               && memcmp(&own[1], list, 3 * sizeof *list) == 0
               && memcmp(&own[4], &list[4], sizeof *list) == 0,
           "what a row names comes first, the others follow as they were");
}

/* Tiles that have a row are computed with its shape in other problems, too, and with
 * the model's if there is little to do. */
static void test_printed(void)
{
    stfi_schedule s;
    char row[STFI_TUNED_TEXT] = "";
    int fine = lower("c2c:f32:out:280*59918", STF_FT_OFF, "h200", &s);

    if (fine)
        stfi_gpu_tuned_print(&s.pass[0], row);
    tap_ok(fine && strncmp(row, "STFI_TUNED(\"280\", 0x", 20) == 0, "%s", row);
    tap_ok(fine && lower("c2c:f32:out:280*99999", STF_FT_OFF, "h200", &s)
               && has_row(&s, row),
           "another batch has the same row");
}

int main(void)
{
    tap_begin("tuned");
    test_table("h200");
    test_traits();
    test_order();
    test_printed();
    return tap_end();
}
