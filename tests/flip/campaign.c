/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Campaigns of flips in registers, with a table of what became of them:
 *
 *     campaign PROBLEM MODE COUNTS SEED [--csv FILE]
 *     campaign c2c:f32:out:1024*4 correct 3000,3000,1000,1000 1 --csv flips.csv
 *     campaign list
 *
 * PROBLEM and MODE are those of subject.h, "all" stands for all problems of
 * problems.def; COUNTS are the trials of each campaign: written, rest,
 * general, jump (trial.h). STEADFAST_ISA chooses the instruction set. FILE gets
 * a line for each trial; windows.sh makes a table of its silent errors by line
 * of source. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/flip/inject.h"

#ifdef FLIP_SUPPORTED

#include <dlfcn.h>

static int fail(const char *what)
{
    fprintf(stderr, "campaign: %s\n", what);
    return 1;
}

static void print_csv_head(FILE *csv)
{
    fputs("isa,problem,mode,campaign,module,offset,register,bit,class,ratio,"
          "status,detected,corrected,recomputed,uncorrectable,rechecked,"
          "non_finite_input,overflowed,max_residual,input_damaged\n",
          csv);
}

static const char *register_of(const flip_trial *t)
{
    switch (t->campaign) {
    case FLIP_WRITTEN:
    case FLIP_AT_REST: return flip_simd_name(t->reg);
    case FLIP_GENERAL_WRITTEN: return flip_general_name(t->reg);
    default: return "flags";
    }
}

/* The module that an instruction belongs to, and its offset there, which
 * addr2line understands. */
static void print_trial(const flip_trial *t, const flip_subject *s, void *arg)
{
    const stf_ft_report *r = &t->report;
    Dl_info where = {0};
    const char *module = NULL;

    if (dladdr((const void *)t->pc, &where) && where.dli_fname)
        module = strrchr(where.dli_fname, '/');
    fprintf(arg, "%s,%s,%s,%s,%s,0x%zx,%s,%d,%s,%.3g,%s", s->info.arch, s->word,
            s->mode, flip_campaign_name[t->campaign], module ? module + 1 : "?",
            (size_t)(t->pc - (uintptr_t)where.dli_fbase), register_of(t),
            t->bit, flip_class_name[t->result], t->ratio,
            stf_status_name(t->status));
    fprintf(arg,
            ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
            ",%" PRId64 ",%" PRId64 ",%.3g,%d\n",
            r->detected, r->corrected, r->recomputed, r->uncorrectable,
            r->rechecked, r->non_finite_input, r->overflowed, r->max_residual,
            t->input_damaged);
}

static void print_head(void)
{
    printf("isa,problem,mode,campaign,trials");
    for (int k = 0; k < FLIP_CLASSES; k++)
        printf(",%s", flip_class_name[k]);
    printf(",silent_percent,clean_error,disturbed\n");
}

static void print_tally(const flip_tally *t, const flip_subject *s)
{
    for (int c = 0; c < FLIP_CAMPAIGNS; c++) {
        if (t->trials[c] == 0)
            continue;
        printf("%s,%s,%s,%s,%" PRId64, s->info.arch, s->word, s->mode,
               flip_campaign_name[c], t->trials[c]);
        for (int k = 0; k < FLIP_CLASSES; k++)
            printf(",%" PRId64, t->count[c][k]);
        printf(",%.2f,%.2e,%" PRId64 "\n",
               100.0 * (double)flip_tally_silent(t, (flip_campaign)c)
                   / (double)t->trials[c],
               s->clean_error[0], t->disturbed);
    }
}

static int run(const char *word, const char *mode, const flip_request *request)
{
    flip_subject subject;
    flip_tally tally = {{0}, {{0}}, 0};
    const char *wrong = flip_subject_open(word, mode, &subject);

    if (!wrong)
        wrong = flip_inject(&subject, request, &tally);
    if (wrong)
        fail(wrong);
    else
        print_tally(&tally, &subject);
    flip_subject_close(&subject);
    return wrong != NULL;
}

static int run_all(char **argv, const flip_request *request)
{
    int failures = 0;

    print_head();
    if (strcmp(argv[1], "all") != 0)
        return run(argv[1], argv[2], request);
    for (int i = 0; flip_problems[i]; i++)
        failures += run(flip_problems[i], argv[2], request);
    return failures != 0;
}

static int list(void)
{
    for (int i = 0; flip_problems[i]; i++)
        puts(flip_problems[i]);
    return 0;
}

int main(int argc, char **argv)
{
    flip_request request = {.observer = NULL};
    FILE *csv = NULL;
    int failed;

    if (argc == 2 && !strcmp(argv[1], "list"))
        return list();
    if ((argc != 5 && argc != 7) || (argc == 7 && strcmp(argv[5], "--csv")))
        return fail("usage: campaign PROBLEM MODE COUNTS SEED [--csv FILE]");
    if (sscanf(argv[3], "%" SCNd64 ",%" SCNd64 ",%" SCNd64 ",%" SCNd64,
               &request.trials[0], &request.trials[1], &request.trials[2],
               &request.trials[3])
        != FLIP_CAMPAIGNS)
        return fail("COUNTS are four numbers with commas");
    if (flip_refusal())
        return fail(flip_refusal());
    request.seed = strtoull(argv[4], NULL, 0);
    /* By lines: a child that runs wild has nothing of theirs to write. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (argc == 7) {
        csv = fopen(argv[6], "w");
        if (!csv)
            return fail("cannot write FILE");
        setvbuf(csv, NULL, _IOLBF, BUFSIZ);
        print_csv_head(csv);
        request.observer = print_trial;
        request.arg = csv;
    }
    failed = run_all(argv, &request);
    if (csv)
        fclose(csv);
    return failed;
}

#else

int main(void)
{
    fprintf(stderr, "campaign: %s\n", flip_refusal());
    return 77;
}

#endif
