/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast verify`: every kind, precision and size class of a device
 * against an oracle or another machine's digests, as TAP. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/oracle/naive.h"
#include "base/hash.h"
#include "base/status.h"
#include "fft/desc.h"
#include "run/device.h"
#include "run/fft/fft_plan.h"
#include "tools/verify/accuracy.h"
#include "tools/verify/agreement.h"
#include "tools/bench/arena.h"
#include "tools/command/command.h"
#include "tools/command/problems.h"
#include "tools/verify/digest.h"
#include "tools/verify/session.h"
#include "tools/verify/verified.h"
#include "tools/verify/verify_fft.h"
#include "tools/verify/verify_gemm.h"
#include "tools/file/outfile.h"
#include "tools/command/setup.h"

typedef enum layout { PACKED, IN_PLACE, INTERLEAVED } layout;

typedef struct size_class {
    const char *name;
    const char *shapes;
    int64_t batch;
    layout layout;
    int quick;
} size_class;

static const size_class classes[] = {
#define STFI_VERIFY(name, shapes, batch, layout, quick) \
    {name, shapes, batch, layout, quick},
#include "tools/verify/verify.def"
#undef STFI_VERIFY
};

static const stf_precision precisions[] = {STF_F16, STF_BF16, STF_F32, STF_F64,
                                           STF_F80};

/* Problems with arrays of more than 2^31 elements: in one axis, in the batch,
 * and with padded rows. */
static const char *const huge[] = {
    "c2c:f32:out:1024*2097153", "c2c:f32:in:65536*32769",
    "c2c:f64:out:1000*2147484", "c2c:f32:out:134217728*17",
    "c2c:f32:out:1021*2103300", "c2c:f32:out:1024x1024*2049",
    "r2c:f32:out:4096*1048577", "c2r:f64:out:4096*524289",
    "r2c:f32:in:1000*4294968",  "c2c:f32:out:3*715827883",
};

enum {
    HUGE_WORDS = sizeof huge / sizeof *huge,
    HUGE_CHECKED = 16,
    CLASSES = sizeof classes / sizeof *classes,
    PRECISIONS = sizeof precisions / sizeof *precisions
};

/* ----------------------------------------------------------- huge problems */

static int wanted(const stfi_verify_session *s, stfi_opt option, int64_t value)
{
    return stfi_args_integer(s->args, option, value) == value;
}

static stf_status execute(void *arg, void *stream)
{
    const stfi_arena *a = arg;

    return stf_execute_on(a->plan, a->direction, a->in, a->out, NULL, stream);
}

/* Bytes of both arrays, or of the one array in place. */
static double array_bytes(const stfi_problem *p)
{
    const stf_fft_desc *d = &p->desc;
    double all = 0.0, longer = 0.0;

    for (int output = 0; output < 2; output++) {
        double bytes =
            (double)stfi_problem_element_bytes(d, output) * (double)d->batch;
        for (int a = 0; a < d->rank; a++)
            bytes *= (double)stfi_desc_extent(d, a, output);
        all += bytes;
        longer = bytes > longer ? bytes : longer;
    }
    return p->in_place ? longer : all;
}

/* Compares some transforms of the batch, among them the last, with the
 * oracle. */
static void verify_huge(stfi_verify_session *s, const char *word)
{
    stfi_problem p;
    stfi_arena arena;
    char detail[160];
    double bound;
    stf_status status = stfi_problem_parse(word, &p);

    if (status != STF_OK || !wanted(s, STFI_OPT_KIND, p.desc.kind)
        || !wanted(s, STFI_OPT_PRECISION, p.desc.precision))
        return;
    p.desc.ft = s->ft;
    snprintf(detail, sizeof detail, "%.3g GB are needed",
             array_bytes(&p) * 1e-9);
    if (array_bytes(&p) * 1.1 > (double)s->info.memory_free_bytes) {
        stfi_verify_skip(s, word, detail);
        return;
    }
    stfi_arena_begin(&arena, s->dev);
    stfi_accuracy_reset(&s->accuracy);
    status = stfi_arena_set(&arena, &p,
                            p.desc.kind == STF_C2R ? STF_INVERSE : STF_FORWARD,
                            stfi_verify_seed(s, word));
    bound = status == STF_OK ? stfi_naive_bound(&arena.full) : 0.0;
    if (status == STF_OK)
        status = stfi_arena_check(&arena, execute, &arena, HUGE_CHECKED,
                                  s->seed, &s->accuracy);
    stfi_arena_end(&arena);
    if (status == STF_ERR_MEMORY) {
        stfi_verify_skip(s, word, stf_error_message());
    } else if (status != STF_OK) {
        stfi_verify_status(s, word, status);
    } else {
        stfi_verify_oracle(s, bound, word);
    }
}

/* ---------------------------------------------------------------- the run */

static int is_wanted(const stfi_verify_session *s, const stfi_verified *v)
{
    return wanted(s, STFI_OPT_KIND, v->kind)
           && (v->quick || stfi_args_given(s->args, STFI_OPT_KIND)
               || !stfi_args_given(s->args, STFI_OPT_QUICK));
}

/* Verifies a problem of a class, whose kind and lengths are set. */
static void verify_of_class(stfi_verify_session *s, const size_class *c,
                            stf_direction direction, stfi_problem *p)
{
    p->desc.batch = c->batch;
    p->desc.ft = s->ft;
    p->in_place = c->layout == IN_PLACE;
    if (c->layout == INTERLEAVED)
        stfi_problem_interleave(&p->desc);
    stfi_verify_fft(s, p, direction,
                    c->layout == INTERLEAVED ? ":interleaved" : "");
}

static void verify_class(stfi_verify_session *s, const size_class *c,
                         stf_precision precision)
{
    stf_fft_desc named;
    int by_axis = stfi_args_kind(s->args, STF_C2C, &named) > 0;
    const stfi_verified *v;

    for (int i = 0; (v = stfi_verified_at(i)) != NULL; i++) {
        const char *text = c->shapes;
        stfi_problem p = {.desc = stf_fft_desc_default()};

        if (!is_wanted(s, v))
            continue;
        p.desc.precision = precision;
        p.desc.threads =
            (int32_t)stfi_args_integer(s->args, STFI_OPT_THREADS, 0);
        stfi_args_effort(s->args, &p.desc.effort, &p.desc.effort_seconds);
        while ((p.desc.rank =
                    stfi_shape_parse(text, p.desc.n, STF_MAX_RANK, &text))
               > 0) {
            memset(&p.desc.in, 0, sizeof p.desc.in);
            memset(&p.desc.out, 0, sizeof p.desc.out);
            if (stfi_verified_set(v, by_axis ? &named : NULL, &p.desc))
                verify_of_class(s, c, v->direction, &p);
            if (*text == '\0')
                break;
            text++;
        }
    }
}

/* --------------------------------------------------------- named problems */

/* The problems that words and a file name, none if there are neither. A bad one is
 * refused before any is verified: completing it finds what is wrong with it. */
static stf_status take_named(const stfi_args *args, stfi_problems *list_p)
{
    stf_fft_desc full;
    stf_status status;

    if (args->nwords == 0 && !stfi_args_given(args, STFI_OPT_PROBLEMS))
        return STF_OK;
    if (stfi_args_given(args, STFI_OPT_QUICK)
        || stfi_args_given(args, STFI_OPT_HUGE))
        return stfi_error(STF_ERR_ARGUMENT,
                          "--quick and --huge choose among the built-in "
                          "problems; leave them out where problems are named");
    status = stfi_problems_of(args, list_p);
    for (int i = 0; i < list_p->count && status == STF_OK; i++)
        if (!list_p->item[i].is_product)
            status = stfi_setup_complete(&list_p->item[i].problem, &full);
    return status;
}

/* Verifies a transform in the directions that it has. */
static void verify_transform(stfi_verify_session *s, const stfi_problem *named)
{
    stfi_problem p = *named;
    stf_fft_desc full;

    if (stfi_setup_complete(&p, &full) != STF_OK)
        return; /* take_named() has refused it */
    p.desc.ft = s->ft;
    for (int inverse = 0; inverse < 2; inverse++)
        if (stfi_desc_has_direction(&full, inverse))
            stfi_verify_fft(s, &p, inverse ? STF_INVERSE : STF_FORWARD, "");
}

static void verify_named(stfi_verify_session *s, const stfi_problems *list)
{
    for (int i = 0; i < list->count; i++) {
        const stfi_listed *item = &list->item[i];
        char word[STFI_LABEL_BYTES];

        if (item->is_product) {
            stfi_listed_print(item, word, sizeof word);
            stfi_verify_gemm_word(s, word);
        } else {
            verify_transform(s, &item->problem);
        }
    }
}

static void verify_classes(stfi_verify_session *s)
{
    int quick = stfi_args_given(s->args, STFI_OPT_QUICK);

    for (int p = 0; p < PRECISIONS; p++) {
        if (!wanted(s, STFI_OPT_PRECISION, precisions[p]))
            continue;
        for (int c = 0; c < CLASSES; c++) {
            if (quick && !classes[c].quick)
                continue;
            if (!stfi_args_given(s->args, STFI_OPT_QUIET))
                printf("# %s, %s\n", stfi_type_get(precisions[p])->name,
                       classes[c].name);
            verify_class(s, &classes[c], precisions[p]);
        }
    }
    if (!stfi_args_given(s->args, STFI_OPT_KIND))
        stfi_verify_gemm(s);
    for (int i = 0; i < HUGE_WORDS; i++)
        if (stfi_args_given(s->args, STFI_OPT_HUGE))
            verify_huge(s, huge[i]);
}

static void verify_all(stfi_verify_session *s, const stfi_problems *named)
{
    if (named->count > 0)
        verify_named(s, named);
    else
        verify_classes(s);
    printf("1..%d\n", s->number);
    if (s->against_file)
        stfi_agreement_print(&s->agreement, s->known.machine, stdout);
    printf("# %d passed, %d failed, %d skipped\n",
           s->number - s->failures - s->skips, s->failures, s->skips);
}

/* Sets what --against names: a reference, or a file of digests. */
static stf_status set_against(stfi_verify_session *s)
{
    static const struct {
        const char *name;
        stfi_reference reference;
    } references[] = {
        {"cpu", STFI_REFERENCE_F80},
        {"fftw", STFI_REFERENCE_FFTW},
    };
    const char *text = stfi_args_text(s->args, STFI_OPT_AGAINST, NULL);

    stfi_accuracy_begin(&s->accuracy, STFI_REFERENCE_AUTO);
    if (text == NULL)
        return STF_OK;
    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        if (strcmp(text, references[i].name) == 0) {
            s->accuracy.which = references[i].reference;
            return STF_OK;
        }
    s->against_file = 1;
    return stfi_digests_read(text, &s->known);
}

/* Opens the device. A GPU takes the limits of a smaller one from the
 * environment variable STEADFAST_PRESET. */
static stf_status open_device(stfi_verify_session *s)
{
    const char *preset = stfi_args_text(s->args, STFI_OPT_PRESET, NULL);
    stf_status status;

    if (preset != NULL && setenv("STEADFAST_PRESET", preset, 1) != 0)
        return stfi_error(STF_ERR_MEMORY, "the environment is full");
    status = stf_device_open(stfi_args_text(s->args, STFI_OPT_DEVICE, NULL),
                             &s->dev);
    if (status == STF_OK)
        s->dev->unit_radix =
            (int)stfi_args_integer(s->args, STFI_OPT_UNIT_RADIX, 0);
    if (status == STF_OK)
        status = stf_device_query(s->dev, &s->info);
    if (status == STF_OK && preset != NULL
        && strcmp(s->info.backend, "cpu") == 0)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--preset is for GPUs here, and "
                          "the device is %s",
                          s->info.name);
    return status;
}

static stf_status open_session(stfi_verify_session *s)
{
    const char *record = stfi_args_text(s->args, STFI_OPT_RECORD, NULL);
    stf_status status = stfi_args_protection(s->args, STF_FT_DEFAULT, &s->ft);

    if (status == STF_OK)
        status = set_against(s);
    if (status == STF_OK)
        status = open_device(s);
    if (status == STF_OK && record != NULL)
        status = stfi_outfile_open(record, &s->record);
    if (status != STF_OK)
        return status;
    s->seed = (uint64_t)stfi_args_integer(s->args, STFI_OPT_SEED, 1);
    if (s->record.stream != NULL)
        stfi_digest_print_head(&s->info, s->record.stream);
    printf("TAP version 13\n# steadfast %s on %s (%s), --seed %" PRIu64 "\n",
           stf_version(), s->info.name, s->info.arch, s->seed);
    return STF_OK;
}

static int run(const stfi_args *args)
{
    stfi_verify_session s = {.args = args};
    stfi_problems named = {0, 0, NULL};
    stf_status status = take_named(args, &named);

    if (status == STF_OK)
        status = open_session(&s);

    if (status == STF_OK) {
        verify_all(&s, &named);
        if (s.number == 0)
            status = stfi_error(STF_ERR_ARGUMENT,
                                "there is nothing to "
                                "verify: --precision and --kind leave "
                                "nothing");
        else if (s.record.stream != NULL)
            status = stfi_outfile_commit(&s.record);
    }
    stfi_outfile_discard(&s.record);
    stfi_accuracy_end(&s.accuracy);
    stfi_digests_free(&s.known);
    stfi_problems_free(&named);
    stf_device_close(s.dev);
    if (status != STF_OK)
        return stfi_exit_of(status);
    return s.failures > 0 ? STFI_EXIT_FAILED : STFI_EXIT_OK;
}

static const stfi_opt options[] = {
    STFI_OPT_DEVICE,         STFI_OPT_PRESET,     STFI_OPT_PRECISION,
    STFI_OPT_KIND,           STFI_OPT_UNIT_RADIX, STFI_OPT_EFFORT,
    STFI_OPT_EFFORT_SECONDS, STFI_OPTS_FT,        STFI_OPT_AGAINST,
    STFI_OPT_RECORD,         STFI_OPT_VALUES,     STFI_OPT_PROBLEMS,
    STFI_OPT_QUICK,          STFI_OPT_HUGE,       STFI_OPT_THREADS,
    STFI_OPT_SEED,           STFI_OPT_QUIET,      STFI_OPT_HELP,
    STFI_OPT_COUNT};

const stfi_command stfi_cmd_verify = {
    .name = "verify",
    .words = "[PROBLEM]...",
    .summary = "Compare a device's transforms and matrix products with an "
               "oracle, as TAP",
    .notes = "Every kind, precision and class of sizes must meet its bound; "
             "without --kind,\nproducts of matrices, too. PROBLEMs, such as "
             "r2r=dct2+dst1:f64:in:12x35*3 or\ngemm:f32:nt:1000x777x3000, are "
             "verified instead of these, in each direction that\nthey have; "
             "--problems has them from a file. "
             "--record on one machine and --against FILE on another tell "
             "whether\nthe two agree. --preset lets a GPU plan as a lesser one "
             "would. With --ft, checks\nmust not complain either.",
    .max_words = 1 << 20,
    .options = options,
    .run = run,
};
