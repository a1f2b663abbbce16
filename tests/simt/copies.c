/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Damage to what blocks copy from a plan's tables to their memory: the factors of a
 * tile's twiddles, and the vectors of checks that persistent blocks keep. It stays until
 * the copy is made again; so attempts after the first repair a tile only if they use
 * the tables. A copy is damaged whenever the threads of a block meet, in one execution
 * after the other. */
#include <stdlib.h>
#include <string.h>

#include "backends/gpu/host/fft/spec.h"
#include "device/caps.h"
#include "fft/gpu/config.h"
#include "run/fft/fft_plan.h"
#include "support/harness/trial.h"
#include "tests/simt/machine.h"
#include "tests/simt/simt.h"
#include "tests/tap.h"

/* Plans of several passes: their device, bytes of block memory, multiprocessors (0: as
 * in the preset), and whether a pass has persistent blocks. These have rows of
 * PROTECTED.def, too, and share their kernels. */
static const struct row {
    const char *preset;
    int64_t block_bytes;
    int32_t units;
    const char *word;
    stf_direction direction;
    int persistent;
} rows[] = {
    {"t4", 6144, 0, "c2c:f32:out:4096*2", STF_FORWARD, 0},
    {"t4", 6144, 0, "c2c:f64:out:1800*2", STF_FORWARD, 0},
    {"t4", 16384, 1, "c2c:f32:out:8192*4", STF_FORWARD, 1},
    {"t4", 32768, 1, "c2c:f64:out:4096*8", STF_FORWARD, 1},
    {"h200", 12288, 1, "c2r:f32:out:8192*4", STF_INVERSE, 1},
    {"h200", 16384, 0, "r2c:f64:out:4096*1", STF_FORWARD, 0},
};

/* The meetings at which copies are damaged: those of the first tiles. */
enum { MEETINGS = 16 };

/* Passes of all rows whose twiddles belong to the store, and to the load. */
static int sides[2];

static const stfi_simt_damage none = {.launches = -1};

typedef struct run {
    const struct row *row;
    stfi_trial trial;
    stfi_remote remote;
    char *want;
    size_t bytes;
    int damaged, repaired; /* numbers of executions */
    int twiddled, keeping; /* numbers of passes: with twiddles, persistent */
} run;

static int execute(run *r, stf_ft_report *report_p)
{
    const stfi_remote *remote = &r->remote;

    stfi_trial_reset(&r->trial);
    return !stf_plan_ft_reset(remote->plan)
           && !stfi_remote_load(&r->trial, remote)
           && !stf_execute(remote->plan, r->row->direction,
                           stfi_remote_element(&r->trial, remote, 0),
                           stfi_remote_element(&r->trial, remote, 1))
           && !stfi_remote_fetch(&r->trial, remote)
           && !stf_plan_ft_report(remote->plan, report_p);
}

static int open_run(const struct row *row, stf_device *dev, run *r)
{
    stfi_problem p;
    stf_ft_report report;

    r->row = row;
    if (stfi_problem_parse(row->word, &p)
        || stfi_trial_open(&r->trial, &p, 0, tap_seed()))
        return 0;
    r->trial.problem.desc.ft.mode = STF_FT_CORRECT;
    r->bytes = (size_t)r->trial.array[1].components * r->trial.component_bytes;
    r->want = malloc(r->bytes);
    if (r->want == NULL || stfi_remote_open(&r->trial, dev, &r->remote)
        || !execute(r, &report) || report.detected != 0)
        return 0;
    memcpy(r->want, r->trial.array[1].block, r->bytes);
    return 1;
}

/* Executes with some damage. Returns 1 if the results are right and repaired, or
 * were never wrong; 0 if not; -1 if the threads do not meet so often. */
static int is_right(run *r, const stfi_simt_damage *d)
{
    stf_ft_report report;
    int done, runs;

    stfi_simt_set_damage(d);
    done = execute(r, &report);
    runs = stfi_simt_set_damage(&none);
    if (done && runs == 0)
        return -1;
    r->damaged++;
    if (!done || report.uncorrectable != 0
        || report.detected != report.recomputed
        || memcmp(r->want, r->trial.array[1].block, r->bytes) != 0) {
        tap_diag("pass %d, bytes %u to %u, meeting %d: %s", d->launches, d->at,
                 d->at + d->bytes, d->meetings, stf_error_message());
        return 0;
    }
    r->repaired += report.detected > 0;
    return 1;
}

/* Damages a part of block memory when the threads of a block meet. Returns 1 if the
 * results are right each time, and sometimes had to be repaired. */
static int try_part(run *r, int pass, int64_t at, int64_t bytes)
{
    stfi_simt_damage d = {pass, 0, 0, (uint32_t)at, (uint32_t)bytes};
    const int before = r->repaired;
    int found = 1;

    for (; d.meetings < MEETINGS && found > 0; d.meetings++)
        found = is_right(r, &d);
    return found != 0 && r->repaired > before;
}

/* Damages what a pass copies. A persistent block is alone in its launch: which tiles
 * others leave to it depends on the order of blocks. */
static int try_pass(run *r, int pass)
{
    const stfi_schedule *s = stfi_fft_plan_of(r->remote.plan)->schedule;
    static stfi_gpu_spec spec;
    stfi_gpu_config c;
    int right = 1;

    if (stfi_gpu_config_choose(&s->pass[pass], s->precision, &s->caps, &c)
        || stfi_gpu_spec_of(&c, &spec))
        return 0;
    if (c.persistent)
        stfi_simt_limit_blocks(spec.entry, 1);
    if (c.twiddle != STFI_TWIDDLE_NONE) {
        r->twiddled++;
        sides[c.twiddle == STFI_TWIDDLE_LOAD]++;
        right = try_part(r, pass, c.steps_at,
                         c.steps * c.lanes * 2 * stfi_gpu_config_real(&c));
    }
    if (c.persistent) {
        r->keeping++;
        right = try_part(r, pass, c.vectors_at, c.shared_bytes - c.vectors_at)
                && right;
    }
    stfi_simt_limit_blocks("", 0);
    return right;
}

static int try_passes(run *r)
{
    const int passes = stfi_fft_plan_of(r->remote.plan)->schedule->npasses;
    int right = 1;

    for (int i = 0; i < passes; i++)
        right &= try_pass(r, i);
    return right && r->twiddled > 0 && (r->keeping > 0) == r->row->persistent;
}

static void test_row(const struct row *row)
{
    stfi_caps caps = *stfi_preset_find(row->preset);
    stf_device *dev = NULL;
    static run r;
    int right;

    memset(&r, 0, sizeof r);
    caps.block_bytes = row->block_bytes;
    caps.units = row->units > 0 ? row->units : caps.units;
    right = stfi_simt_device_open_caps(&caps, &dev) == STF_OK
            && open_run(row, dev, &r) && try_passes(&r);
    if (!tap_ok(right,
                "%s: of %d executions with damaged copies, %d are repaired, "
                "and the others are right",
                row->word, r.damaged, r.repaired))
        tap_diag("%d passes have twiddles, %d persistent blocks: %s",
                 r.twiddled, r.keeping, stf_error_message());
    stfi_remote_close(&r.remote);
    stfi_trial_close(&r.trial);
    free(r.want);
    stf_device_close(dev);
}

int main(void)
{
    tap_begin("simt/copies");
    unsetenv("STEADFAST_PRESET");
    if (stfi_simt_missing()) {
        tap_skip(stfi_simt_missing(), "damaged copies of an emulated GPU");
        return tap_end();
    }
    if (!tap_ok(stfi_simt_cache_open(), "a cache of kernels"))
        return tap_end();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_row(&rows[i]);
    tap_ok(sides[0] > 0 && sides[1] > 0, "%d stores and %d loads have twiddles",
           sides[0], sides[1]);
    stfi_simt_cache_close();
    return tap_end();
}
