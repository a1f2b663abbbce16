/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast tune`: measures plans of problems, which makes them wisdom. Each is
 * in the user's file as soon as it is known, so that an interrupt loses nothing. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <signal.h>
#include <string.h>

#include "fft/gpu_tuned.h"
#include "run/fft/fft_plan.h"
#include "run/gemm/gemm_plan.h"
#include "tools/command/command.h"
#include "tools/command/problems.h"
#include "tools/command/progress.h"
#include "tools/command/protections.h"
#include "wisdom/user_file.h"
#include "wisdom/wisdom.h"

static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* The first signal ends the present measurement, of which stays what it found, and
 * the second one the command. An interrupt that the caller has ignored, as shells do
 * for commands in the background, stays so. */
static void catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM};
    struct sigaction action, before;

    memset(&action, 0, sizeof action);
    action.sa_handler = note_interrupt;
    action.sa_flags = (int)SA_RESETHAND;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &before) == 0
            && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

/* What is measured now, as the bar has it. */
typedef struct present {
    stfi_progress *bar;
    int before; /* problems that are done */
    const char *word;
} present;

static int32_t show(void *data, double done)
{
    const present *p = data;

    stfi_progress_update(p->bar, p->before + done, p->word);
    return interrupted != 0;
}

/* Returns what a plan says of how it was chosen, without its effort. */
static const char *without_effort(const char *how)
{
    return strncmp(how, "effort ", 7) == 0 ? strchr(how, ':') + 2 : how;
}

/* Prints how a plan was chosen. */
static void print_way(const stfi_fft_plan *plan, const stfi_problem *p)
{
    char word[256];

    stfi_problem_print(p, word, sizeof word);
    printf("%s: %s\n", word, without_effort(plan->how));
}

/* Prints rows for the table of the device's shapes: of tiles for which another shape
 * than the first one was found to be faster. */
static void print_shapes(const stfi_fft_plan *plan, const stfi_problem *p)
{
    const stfi_schedule *s = plan->schedule;
    stfi_problem plain = *p;
    char row[STFI_TUNED_TEXT], word[256];

    plain.desc.effort = STF_EFFORT_ESTIMATE;
    stfi_problem_print(&plain, word, sizeof word);
    for (int i = 0; i < s->npasses; i++) {
        stfi_gpu_tuned_print(&s->pass[i], row);
        if (stfi_choice_rank(&plan->choice, s->pass[i].n) > 0 && row[0] != '\0')
            printf("%s /* %s --ft %s */\n", row, word,
                   stfi_ft_mode_name(plan->desc.ft.mode));
    }
}

/* What the command prints of a plan. */
typedef void print_plan(const stfi_fft_plan *plan, const stfi_problem *p);

/* Measures one problem and prints what was found. Without an effort, tuning is
 * measuring. */
static stf_status tune(stf_device *dev, const stfi_problem *problem,
                       const stf_ft_desc *ft, print_plan *print, present *now)
{
    stfi_progress *bar = now->bar;
    stfi_problem p = *problem;
    stf_plan *plan = NULL;
    char word[256];
    stf_status status;

    p.desc.ft = *ft;
    if (p.desc.effort == STF_EFFORT_ESTIMATE)
        p.desc.effort = STF_EFFORT_MEASURE;
    p.desc.progress = show;
    p.desc.progress_data = now;
    stfi_problem_print(&p, word, sizeof word);
    status = stf_plan_fft(dev, &p.desc, &plan);
    stfi_progress_clear(bar);
    if (status == STF_OK)
        print(stfi_fft_plan_of(plan), &p);
    else
        stfi_complain("%s: %s", word, stf_error_message());
    fflush(stdout);
    stf_plan_destroy(plan);
    return status;
}

/* The same for a matrix product, whose word does not say the effort, and which has no
 * rows of shapes. */
static stf_status tune_product(stf_device *dev, const stfi_listed *item,
                               const stf_ft_desc *ft, int rows, present *now)
{
    stf_gemm_desc d = item->product;
    stf_plan *plan = NULL;
    char word[256];
    stf_status status;

    d.ft = *ft;
    if (d.effort == STF_EFFORT_ESTIMATE)
        d.effort = STF_EFFORT_MEASURE;
    d.progress = show;
    d.progress_data = now;
    stfi_listed_print(item, word, sizeof word);
    status = stf_plan_gemm(dev, &d, &plan);
    stfi_progress_clear(now->bar);
    if (status == STF_OK && !rows)
        printf("%s: %s\n", word, without_effort(stfi_gemm_plan_of(plan)->how));
    if (status != STF_OK)
        stfi_complain("%s: %s", word, stf_error_message());
    fflush(stdout);
    stf_plan_destroy(plan);
    return status;
}

/* Returns the exit status. */
static int tune_all(stf_device *dev, const stfi_problems *list,
                    const stf_ft_desc *ft, print_plan *print, int quiet)
{
    stfi_progress bar;
    int failed = 0, done = 0;

    catch_signals();
    stfi_progress_begin(&bar, "tune", list->count, quiet);
    for (; done < list->count && !interrupted; done++) {
        const stfi_listed *item = &list->item[done];
        char word[64];
        present now = {&bar, done, word};

        stfi_listed_print(item, word, sizeof word);
        stfi_progress_update(&bar, done, word);
        if (item->is_product)
            failed += tune_product(dev, item, ft, print == print_shapes, &now)
                      != STF_OK;
        else
            failed += tune(dev, &item->problem, ft, print, &now) != STF_OK;
    }
    stfi_progress_clear(&bar);
    if (done < list->count)
        stfi_complain("interrupted: %d of %d problems are done", done,
                      list->count);
    return failed > 0 || done < list->count ? STFI_EXIT_FAILED : STFI_EXIT_OK;
}

/* Tuning is for the user's file: says so if it cannot be used. */
static int check_file(void)
{
    static char remark[STFI_WISDOM_PATH_BYTES + 512];
    static stfi_wisdom_place place;

    stfi_wisdom_place_find(&place);
    stfi_wisdom_remark(remark, sizeof remark);
    if (!place.off && remark[0] == '\0')
        return STFI_EXIT_OK;
    stfi_complain("what was measured is not kept: %s",
                  place.off ? place.reason : remark);
    return STFI_EXIT_FAILED;
}

static int run(const stfi_args *args)
{
    stfi_problems list = {0, 0, NULL};
    stf_device *dev = NULL;
    stf_ft_desc ft;
    stf_status status = stfi_args_protection(args, STF_FT_DEFAULT, &ft);
    int result;

    if (status == STF_OK)
        status = stfi_problems_of(args, &list);
    if (status == STF_OK)
        status =
            stf_device_open(stfi_args_text(args, STFI_OPT_DEVICE, NULL), &dev);
    if (status != STF_OK) {
        result = stfi_exit_of(status);
    } else {
        int kept;
        result = tune_all(dev, &list, &ft,
                          stfi_args_given(args, STFI_OPT_SHAPES) ? print_shapes
                                                                 : print_way,
                          stfi_args_given(args, STFI_OPT_QUIET));
        kept = check_file();
        result = result != STFI_EXIT_OK ? result : kept;
    }
    stfi_problems_free(&list);
    stf_device_close(dev);
    return result;
}

static const stfi_opt options[] = {
    STFI_OPTS_PROBLEM, STFI_OPT_PROBLEMS, STFI_OPT_SUITE,  STFI_OPT_DRAWS,
    STFI_OPT_SEED,     STFI_OPT_ELEMENTS, STFI_OPT_BYTES,  STFI_OPTS_FT,
    STFI_OPT_DEVICE,   STFI_OPT_THREADS,  STFI_OPT_SHAPES, STFI_OPT_QUIET,
    STFI_OPT_HELP,     STFI_OPT_COUNT};

const stfi_command stfi_cmd_tune = {
    .name = "tune",
    .words = "[PROBLEM]...",
    .summary = "Measure plans, and keep what was found for other programs",
    .notes = "Plans with an effort of measure or exhaustive use what is kept; "
             "see `steadfast\nwisdom`. Problems that are known are not "
             "measured again. Protected plans are\nmeasured apart, with --ft. "
             "An interrupt keeps what is done.",
    .max_words = 1 << 20,
    .options = options,
    .run = run,
};
