/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products with an effort: choices and their text, candidates for GPUs, and
 * plans of the cpu device, where what is measured is kept and used again, wisdom is
 * not trusted, and results have the same bits for each choice. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/type.h"
#include "gemm/gemm_candidates.h"
#include "gemm/gemm_desc.h"
#include "run/gemm/gemm_measure.h"
#include "tests/gemm/rig.h"
#include "tests/tap.h"
#include "tests/unit/told.h"
#include "wisdom/list.h"

enum { TEXT_BYTES = 16384, M = 40, N = 30, K = 420 };

static stf_device *dev;
static char text[TEXT_BYTES];

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(stfi_random_u64(state) % (uint64_t)n);
}

/* ------------------------------------------------------------------ choices */

/* Texts of choices, which are printed as they are read. */
static const char *const texts[] = {
    "model",
    "tile=0:128x64:8x8",
    "tile=5:192x128:48x2 parts=7",
    "parts=65536 apart=1",
    "beside=1",
    "rows=480 cols=512 block=240 depth=128",
};

static const char *const no_texts[] = {
    "",
    " ",
    "modell",
    "model parts=2",
    "parts=0",
    "parts=-1",
    "parts=2 ",
    "parts=2  rows=3",
    "parts=2 parts=2",
    "parts=65537",
    "parts=99999999999999999999999",
    "apart=2",
    "apart=1 beside=1",
    "tile=",
    "tile=0",
    "tile=0:128x64",
    "tile=0:128x64:8",
    "tile=0:128x64:8x0",
    "tile=x:128x64:8x8",
    "tile=0:128x64:8x8 tile=0:128x64:8x8",
    "rows=480;rm",
    "chunk=1",
};

static void test_texts(void)
{
    stfi_gemm_choice choice;
    char printed[STFI_GEMM_CHOICE_TEXT];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int read = stfi_gemm_choice_parse(texts[i], &choice);
        if (read)
            stfi_gemm_choice_print(&choice, printed);
        tap_ok(read && strcmp(printed, texts[i]) == 0, "\"%s\" is a choice",
               texts[i]);
    }
    for (size_t i = 0; i < sizeof no_texts / sizeof *no_texts; i++) {
        memset(&choice, 0x5a, sizeof choice);
        tap_ok(!stfi_gemm_choice_parse(no_texts[i], &choice)
                   && choice.parts == 0x5a5a5a5a5a5a5a5a,
               "\"%s\" is none", no_texts[i]);
    }
}

/* --------------------------------------------------------------- candidates */

static stfi_gemm draw_product(uint64_t *state)
{
    static const stf_precision precisions[] = {STF_F32, STF_F64, STF_F16};
    stf_gemm_desc d = stf_gemm_desc_default(), full;

    d.precision = d.precision_c = precisions[below(state, 3)];
    d.transa = (stf_transpose)below(state, 2);
    d.m = 1 + (below(state, 4096) >> below(state, 10));
    d.n = 1 + (below(state, 4096) >> below(state, 10));
    d.k = 1 + (below(state, 65536) >> below(state, 14));
    d.batch = 1 + below(state, 3);
    if (d.precision == STF_F32 && below(state, 2))
        d.compute = STF_COMPUTE_SPLIT;
    d.ft.mode = below(state, 2) ? STF_FT_CORRECT : STF_FT_OFF;
    return stfi_gemm_desc_complete(&d, &full) == STF_OK ? stfi_gemm_lower(&full)
                                                        : (stfi_gemm){.m = 0};
}

/* Returns what is wrong with a candidate, or NULL. */
static const char *wrong(const stfi_gemm *g, const stfi_caps *caps,
                         const stfi_gemm_tiling *base,
                         const stfi_gemm_choice *choice)
{
    char printed[STFI_GEMM_CHOICE_TEXT];
    stfi_gemm other = *g;
    stfi_gemm_choice read;
    stfi_gemm_tiling t;

    stfi_gemm_choice_print(choice, printed);
    if (!stfi_gemm_choice_parse(printed, &read)
        || memcmp(&read, choice, sizeof read) != 0)
        return "its text";
    other.choice = *choice;
    if (!stfi_gemm_tiling_choose(&other, caps, base->async, SIZE_MAX, &t))
        return "it is not possible";
    if (t.tile.m != choice->m || t.tile.n != choice->n
        || t.tile.unit != choice->unit
        || (choice->parts > 0 && t.parts != choice->parts))
        return "the tiling is another one";
    if (memcmp(&t.tile, &base->tile, sizeof t.tile) == 0
        && t.parts == base->parts)
        return "it is the model's";
    if (choice->parts == 0 && t.seconds < base->seconds)
        return "the model would have taken it";
    return NULL;
}

/* The model's tiling is no candidate, and as many candidates as there are for large
 * products are asked for. */
static void test_candidates(const char *preset, int async, int each)
{
    const stfi_caps *caps = stfi_preset_find(preset);
    uint64_t state = tap_seed();
    int count = 0, most = 0, bad = 0;

    for (int i = 0; i < 500; i++) {
        const stfi_gemm g = draw_product(&state);
        stfi_gemm_choice list[STFI_GEMM_CANDIDATES];
        stfi_gemm_tiling base;
        int found;

        if (g.m == 0
            || !stfi_gemm_tiling_choose(&g, caps, async, SIZE_MAX, &base))
            continue;
        found = stfi_gemm_candidates(&g, caps, &base, each, list);
        for (int k = 0; k < found; k++) {
            const char *what = wrong(&g, caps, &base, &list[k]);
            for (int l = 0; l < k && what == NULL; l++)
                if (memcmp(&list[k], &list[l], sizeof *list) == 0)
                    what = "it is there twice";
            if (what != NULL && bad++ < 5)
                tap_diag("%dx%dx%d: %s", (int)g.m, (int)g.n, (int)g.k, what);
        }
        count += found;
        most = found > most ? found : most;
    }
    tap_ok(bad == 0 && count > 500 && most == 3 * each,
           "%s: %d candidates, %d of one product at most", preset, count, most);
}

/* What is not possible is refused, but where memory is short the model chooses. */
static void test_impossible(void)
{
    const stfi_caps *caps = stfi_preset_find("h200");
    stf_gemm_desc d = stf_gemm_desc_default(), full;
    stfi_gemm g;
    stfi_gemm_tiling t;

    d.m = d.n = 64;
    d.k = 65536;
    stfi_gemm_desc_complete(&d, &full);
    g = stfi_gemm_lower(&full);
    stfi_gemm_choice_parse("tile=0:64x64:8x8 parts=8", &g.choice);
    tap_ok(stfi_gemm_tiling_choose(&g, caps, 1, SIZE_MAX, &t) && t.parts == 8
               && t.tile.thread_m == 8,
           "a tile and its parts");
    tap_ok(stfi_gemm_tiling_choose(&g, caps, 1, 1000, &t) && t.parts == 1,
           "one part where memory is short");
    g.choice.parts = 300;
    tap_ok(!stfi_gemm_tiling_choose(&g, caps, 1, SIZE_MAX, &t),
           "more parts than there are pieces");
    stfi_gemm_choice_parse("tile=0:64x65:8x8", &g.choice);
    tap_ok(!stfi_gemm_tiling_choose(&g, caps, 1, SIZE_MAX, &t),
           "a tile that is in no table");
    stfi_gemm_choice_parse("tile=1:64x64:8x4", &g.choice);
    tap_ok(!stfi_gemm_tiling_choose(&g, caps, 1, SIZE_MAX, &t),
           "one of another precision");
}

/* -------------------------------------------------------------------- plans */

static stf_gemm_desc desc_of(stf_effort effort)
{
    stf_gemm_desc d = stf_gemm_desc_default();

    d.m = M;
    d.n = N;
    d.k = K;
    d.threads = 1;
    d.effort = effort;
    d.effort_seconds = 5.0; /* of which little is used */
    return d;
}

/* Makes a plan and its description, "" if that fails. */
static stf_plan *plan_of(const stf_gemm_desc *d)
{
    stf_plan *plan = NULL;

    text[0] = '\0';
    if (stf_plan_gemm(dev, d, &plan) != STF_OK
        || stf_plan_describe(plan, text, sizeof text) != STF_OK)
        tap_diag("%s", stf_error_message());
    return plan;
}

/* 1 if a plan is made whose description has that part. */
static int plans(const stf_gemm_desc *d, const char *part)
{
    stf_plan *plan = plan_of(d);
    int fine = plan != NULL && strstr(text, part) != NULL;

    if (!fine)
        tap_diag("not \"%s\" but: %s", part, text);
    stf_plan_destroy(plan);
    return fine;
}

/* Lets the process know another value of every problem of a text of wisdom. */
static int teach(const char *known, const char *value)
{
    static char all[TEXT_BYTES];
    int64_t taken = 0;

    snprintf(all, sizeof all, "%s", STFI_WISDOM_HEAD);
    for (const char *line = strchr(known, '\n') + 1; *line != '\0';
         line = strchr(line, '\n') + 1)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%.*s %s\n",
                 (int)strcspn(line, " "), line, value);
    return stf_wisdom_import(all, &taken, NULL) == STF_OK && taken > 0;
}

static void test_kept(void)
{
    stf_gemm_desc d = desc_of(STF_EFFORT_MEASURE), other;

    stf_wisdom_forget();
    tap_ok(plans(&d, "effort measure: ") && strstr(text, " ways in ") != NULL,
           "a product that is not known is measured");
    tap_ok(plans(&d, "effort measure: by wisdom, "), "and known then");
    other = d;
    other.ft.mode = STF_FT_CORRECT;
    tap_ok(plans(&other, " ways in ") && plans(&other, "by wisdom"),
           "a protected plan is another problem");
    other = d;
    other.batch++;
    tap_ok(plans(&other, " ways in ") && plans(&other, "by wisdom"),
           "so is a batch");
    other.dist_a = STF_SHARED;
    tap_ok(plans(&other, " ways in ") && plans(&other, "by wisdom"),
           "and one with one matrix A");
    other = d;
    other.lda = M + 1;
    tap_ok(plans(&other, " ways in ") && plans(&other, "by wisdom"),
           "and another layout");
    other = d;
    other.order = STF_ROW_MAJOR;
    other.m = N;
    other.n = M;
    tap_ok(plans(&other, "by wisdom"), "the product of the transposes is not");
    other = d;
    other.effort = STF_EFFORT_EXHAUSTIVE;
    tap_ok(plans(&other, "effort exhaustive: ")
               && strstr(text, " ways in ") != NULL,
           "more effort measures more");
    other.effort = STF_EFFORT_ESTIMATE;
    tap_ok(plans(&other, "") && strstr(text, "effort") == NULL,
           "and none nothing");
    stf_wisdom_forget();
    tap_ok(plans(&d, " ways in "), "what is forgotten is measured again");
}

/* Values for all problems that are known, what the plan says then, and in which mode
 * it is used. */
static const struct {
    const char *value, *says;
    int plain, checked;
} lessons[] = {
    {"model", "by wisdom, model", 1, 1},
    {"rows=32", "tiles ", 1, 1},
    {"rows=32 cols=16", "by wisdom, rows=32 cols=16", 1, 1},
    {"depth=420", "depth 420", 1, 1},
    {"depth=37", "depth 37", 1, 1},
    {"block=1", "by wisdom, block=1", 1, 1},
    {"rows=65536 cols=1024 block=65536 depth=65536", "by wisdom", 1, 1},
    {"cols=1025", "by wisdom, cols=1025", 1, 0},
    {"parts=2", "wisdom of this problem is not possible here", 0, 0},
    {"tile=0:128x64:8x8", "wisdom of this problem is not possible", 0, 0},
    {"apart=1", "wisdom of this problem is not possible here", 0, 0},
    {"rows=0", "wisdom of this problem is not possible here", 0, 0},
    {"fast", "wisdom of this problem is not possible here", 0, 0},
};

/* The first ones are usable, the last one of them in plain products alone. */
enum { LESSONS = sizeof lessons / sizeof *lessons, USABLE = 8 };

static int is_used(const char *says, int used)
{
    return used
               ? strstr(text, says) != NULL && strstr(text, " ways in ") == NULL
               : strstr(text, "wisdom of this problem is not possible here")
                         != NULL
                     && strstr(text, " ways in ") != NULL;
}

/* A product in one mode: what the model's plan makes of it, and the wisdom that is
 * known of it. */
typedef struct school {
    stf_gemm_desc d;
    rig r;
    void *bits;
    char known[TEXT_BYTES];
} school;

static int open_school(school *s, const stf_gemm_desc *d, stf_ft_mode mode)
{
    stf_plan *model = NULL;
    int fine;

    memset(s, 0, sizeof *s);
    s->d = *d;
    s->d.ft.mode = mode;
    s->d.effort = STF_EFFORT_ESTIMATE;
    fine = rig_make(&s->r, &s->d, 0, -1, tap_seed())
           && (s->bits = malloc(s->r.size[RIG_C])) != NULL;
    rig_scalars(&s->r, 1.5, -0.5);
    fine = fine && stf_plan_gemm(dev, &s->d, &model) == STF_OK
           && rig_execute(&s->r, model) == STF_OK;
    if (fine)
        memcpy(s->bits, s->r.memory[RIG_C], s->r.size[RIG_C]);
    stf_plan_destroy(model);
    s->d.effort = STF_EFFORT_MEASURE;
    stf_wisdom_forget();
    return fine && plans(&s->d, " ways in ")
           && stf_wisdom_export(s->known, sizeof s->known, NULL) == STF_OK;
}

static void close_school(school *s)
{
    rig_free(&s->r);
    free(s->bits);
}

/* Computes the product with a value of wisdom. */
static void test_lesson(school *s, size_t lesson)
{
    const int used = s->d.ft.mode == STF_FT_OFF ? lessons[lesson].plain
                                                : lessons[lesson].checked;
    stf_plan *plan = NULL;
    rig_result found = {0};
    int fine;

    stf_wisdom_forget();
    rig_restore(&s->r);
    fine = teach(s->known, lessons[lesson].value)
           && (plan = plan_of(&s->d)) != NULL
           && is_used(lessons[lesson].says, used)
           && rig_execute(&s->r, plan) == STF_OK;
    if (fine)
        found = rig_compare(&s->r);
    fine = fine && found.bound <= 1 && !found.touched;
    if (!tap_ok(
            fine && memcmp(s->bits, s->r.memory[RIG_C], s->r.size[RIG_C]) == 0,
            "%s, mode %d: \"%s\" is %s, with the same bits",
            stfi_type_get(s->d.precision)->name, (int)s->d.ft.mode,
            lessons[lesson].value, used ? "used" : "not trusted"))
        tap_diag("%s: %s", stf_error_message(), text);
    stf_plan_destroy(plan);
}

static void test_lessons(const stf_gemm_desc *d, stf_ft_mode mode, size_t count)
{
    static school s;

    if (tap_ok(open_school(&s, d, mode), "%s, mode %d: a product",
               stfi_type_get(d->precision)->name, (int)mode))
        for (size_t i = 0; i < count; i++)
            test_lesson(&s, i);
    close_school(&s);
}

/* The sums of a product that is checked as a whole (OFFLINE) have their places by the
 * sizes of tiles and blocks, too. */
static void test_taught(stf_precision precision, stf_ft_level level,
                        size_t count)
{
    stf_gemm_desc d = desc_of(STF_EFFORT_MEASURE);

    d.ft.level = level;
    d.precision = precision;
    d.precision_c = precision;
    d.batch = 2;
    test_lessons(&d, STF_FT_OFF, count);
    if (stfi_type_get(precision)->checked)
        test_lessons(&d, STF_FT_CORRECT, count);
}

static void test_limits(void)
{
    stf_gemm_desc d = desc_of(STF_EFFORT_MEASURE);

    stf_wisdom_forget();
    d.effort_seconds = 1e-9;
    tap_ok(plans(&d, "no time to measure, model")
               && plans(&d, "no time to measure"),
           "no time: the model's plan, which is not kept as measured");
    d.effort_seconds = 0.0;
    d.m = d.n = d.k = 1;
    tap_ok(plans(&d, "effort measure: there is no other way, model"),
           "one element");
    d.k = 0;
    tap_ok(plans(&d, "") && strstr(text, "effort") == NULL, "no terms");
    d.k = 1;
    d.m = 0;
    tap_ok(plans(&d, "") && strstr(text, "effort") == NULL, "no elements");
}

static int plans_telling(told *t, const char *what)
{
    stf_gemm_desc d = desc_of(STF_EFFORT_MEASURE);

    d.progress = told_note;
    d.progress_data = t;
    return plans(&d, what);
}

/* Some of the many allocations fail: there is a plan, or a message. */
static void test_memory(void)
{
    stf_gemm_desc d = desc_of(STF_EFFORT_MEASURE);
    int fine = 1, failed = 0;

    d.m = 20;
    d.n = 9;
    d.k = 80;
    d.ft.mode = STF_FT_CORRECT;
    for (long at = 1; at < 60; at++) {
        stf_plan *plan = NULL;
        stf_status status;

        stf_wisdom_forget();
        stfi_alloc_fail_at(at);
        status = stf_plan_gemm(dev, &d, &plan);
        stfi_alloc_fail_at(0);
        failed += status != STF_OK;
        fine = fine && (status == STF_ERR_MEMORY || status == STF_OK)
               && (status == STF_OK) == (plan != NULL);
        stf_plan_destroy(plan);
    }
    tap_ok(fine && failed > 0, "memory that runs out, %d times without a plan",
           failed);
}

int main(void)
{
    tap_begin("gemm_effort");
    setenv("STEADFAST_WISDOM", "off", 1);
    test_texts();
    for (int each = 2; each <= 4; each += 2) {
        test_candidates("h200", 1, each);
        test_candidates("a100", 1, each);
        test_candidates("mi300x", 0, each);
    }
    test_impossible();
    if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "a device"))
        return tap_end();
    test_kept();
    test_taught(STF_F32, STF_FT_AUTO, LESSONS);
    test_taught(STF_F64, STF_FT_AUTO, USABLE);
    test_taught(STF_BF16, STF_FT_AUTO, USABLE);
    test_taught(STF_F80, STF_FT_AUTO, USABLE);
    test_taught(STF_F32, STF_FT_OFFLINE, USABLE);
    test_limits();
    told_test(plans_telling, 3);
    test_memory();
    stf_device_close(dev);
    return tap_end();
}
