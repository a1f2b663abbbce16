/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Configurations of GPU kernels: a configuration that is printed and parsed is
 * the same, damaged text is refused, and the host computes the same sizes as
 * the kernels. */
#include <stdio.h>
#include <string.h>

#include "backends/gpu/host/fft/spec.h"
#include "backends/gpu/kernels/fft/args.h"
#include "device/tuning.h"
#include "fft/gpu/memory_map.h"
#include "tests/tap.h"
#include "tests/unit/golden.h"

enum { TEXT_BYTES = 4096, BLOCK = STFI_CONFIG_BLOCK, ALL = STFI_CONFIG_ALL };

/* ----------------------------------------------------------- there and back */

/* 1 if both have the same text and make the same kernel. */
static int is_same(const stfi_gpu_config *a, const stfi_gpu_config *b)
{
    static char text[2][TEXT_BYTES];
    static stfi_gpu_spec spec[2];

    stfi_gpu_config_print(a, ALL, text[0], TEXT_BYTES);
    stfi_gpu_config_print(b, ALL, text[1], TEXT_BYTES);
    return strcmp(text[0], text[1]) == 0
           && stfi_gpu_spec_of(a, &spec[0]) == STF_OK
           && stfi_gpu_spec_of(b, &spec[1]) == STF_OK
           && strcmp(spec[0].config, spec[1].config) == 0
           && strcmp(spec[0].entry, spec[1].entry) == 0
           && spec[0].launch.threads == spec[1].launch.threads
           && spec[0].launch.shared_bytes == spec[1].launch.shared_bytes
           && spec[0].stays == spec[1].stays && spec[0].draws == spec[1].draws
           && spec[0].tiles == spec[1].tiles
           && spec[0].ordered == spec[1].ordered
           && spec[0].spill_bytes == spec[1].spill_bytes
           && spec[0].resident == spec[1].resident;
}

/* 1 if the whole configuration can be printed and parsed, and also the part
 * that a record of tuning holds, on top of the part that the pass
 * determines. */
static int comes_back(const stfi_gpu_config *c)
{
    char text[TEXT_BYTES];
    stfi_gpu_config all = {.n = 0}, rest = {.n = 0}, none = *c;
    size_t length = stfi_gpu_config_print(c, ALL, text, sizeof text);

    if (length >= sizeof text || length != strlen(text)
        || stfi_gpu_config_parse(text, ALL, &all) != STF_OK
        || !is_same(&all, c))
        return 0;
    stfi_gpu_config_print(c, ALL & ~BLOCK, text, sizeof text);
    if (stfi_gpu_config_parse(text, ALL & ~BLOCK, &rest) != STF_OK)
        return 0;
    stfi_gpu_config_print(c, BLOCK, text, sizeof text);
    return stfi_gpu_config_parse("", BLOCK, &none) == STF_OK
           && stfi_gpu_config_parse(text, BLOCK, &rest) == STF_OK
           && is_same(&rest, c) && !is_same(&none, c);
}

/* 1 if the text is refused with any of its characters replaced, and then
 * nothing is written. */
static int is_refused(const stfi_gpu_config *c)
{
    char text[TEXT_BYTES];
    stfi_gpu_config read = *c;
    size_t length = stfi_gpu_config_print(c, ALL, text, sizeof text);

    for (size_t i = 0; i < length; i++) {
        char right = text[i];
        text[i] = '#';
        if (stfi_gpu_config_parse(text, ALL, &read) != STF_ERR_ARGUMENT)
            return 0;
        text[i] = right;
    }
    return is_same(&read, c);
}

static void test_goldens(const stfi_caps *caps)
{
    static stfi_schedule s;
    stfi_gpu_config c;
    int failures = 0, accepted = 0, count = 0;

    for (int i = 0; i < GOLDENS; i++) {
        if (golden_lower(&goldens[i], caps, &s) != STF_OK)
            tap_ok(0, "%s: %s", goldens[i].problem, stf_error_message());
        for (int k = 0; k < s.npasses; k++, count++) {
            if (stfi_gpu_config_choose(&s.pass[k], s.precision, caps, &c)
                    != STF_OK
                || !comes_back(&c))
                failures++;
            else if (k == 0 && !is_refused(&c))
                accepted++;
        }
    }
    tap_ok(failures == 0 && count > GOLDENS, "%s: %d texts come back",
           caps->name, count);
    tap_ok(accepted == 0, "%s: damaged ones are refused", caps->name);
}

/* ------------------------------------------------------------ refused texts */

static void test_errors(void)
{
    static const struct {
        const char *text;
        unsigned parts;
        const char *says;
    } rows[] = {
        {"pitchfork=1", ALL, "pitchfork"},
        {"pitch", ALL, "pitch"},
        {"pitch=", ALL, "pitch"},
        {"pitch=-1", ALL, "pitch"},
        {"pitch=1e3", ALL, "pitch"},
        {"pitch=99999999999999999999", ALL, "pitch"},
        {"pitch=1 lanes=2 pitch=1", ALL, "\"pitch\" twice"},
        {"=1", ALL, "\"\""},
        {"lanes=0", ALL, "lanes"},
        {"split=2", ALL, "split"},
        {"shared_bytes=4294967296", ALL, "shared_bytes"},
        {"radices=", ALL, "radices"},
        {"radices=8x", ALL, "radices"},
        {"radices=8x0x2", ALL, "radices"},
        {"op=fff", ALL, "op"},
        {"op=0", ALL, "op"},
        {"real=f80", ALL, "real"},
        {"n=8", BLOCK, "\"n\""},
        {"lanes=2", ALL & ~BLOCK, "\"lanes\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stfi_gpu_config c = {.n = 77};
        stf_status status =
            stfi_gpu_config_parse(rows[i].text, rows[i].parts, &c);
        tap_ok(status == STF_ERR_ARGUMENT && c.n == 77
                   && strstr(stf_error_message(), rows[i].says) != NULL,
               "\"%s\" is refused", rows[i].text);
    }
}

static void test_parts(void)
{
    stfi_gpu_config c = {.n = 77, .lanes = 5, .gated = 1};

    tap_ok(stfi_gpu_config_parse(" threads=8\n radices=4x2", BLOCK, &c)
                   == STF_OK
               && c.n == 77 && c.gated == 1,
           "other parts stay");
    tap_ok(c.lanes == 1 && c.threads == 8 && c.radices.count == 2
               && c.radices.radix[1] == 2 && c.store_interleave == 8,
           "what is left out is what it is otherwise");
}

/* ---------------------------------------------------------- rows, constants */

static void test_rows(void)
{
    const stfi_config_row *a, *b;
    int fine = 1;

    for (int i = 0; (a = stfi_gpu_config_row(i)) != NULL; i++) {
        fine &= a->meaning[0] != '\0';
        for (int k = 0; k < i; k++) {
            b = stfi_gpu_config_row(k);
            fine &= strcmp(a->name, b->name) != 0
                    && (a->macro[0] == '\0' || strcmp(a->macro, b->macro) != 0);
        }
    }
    tap_ok(fine, "each row has a name and a macro of its own");
    tap_ok(stfi_gpu_config_row(-1) == NULL, "there is no row before the first");
}

/* Returns for how many interleaves host and kernels do not agree. */
static int count_wrong(int lanes, int threads, int wave, int most)
{
    int wrong = 0;

    for (int i = 1; i <= threads; i++) {
        int near = STFK_SUM_NEAR(i, most);
        int far = STFK_SUM_FAR(i, lanes, threads, wave, most);
        wrong += near * far > most
                 || (threads % i == 0
                     && stfi_gpu_partial_sums(i, lanes, threads, wave, most)
                            != threads / (near * far));
    }
    return wrong;
}

static void test_sums(void)
{
    int wrong = 0;

    for (int wave = 32; wave <= 64; wave *= 2)
        for (int most = 1; most <= wave; most *= 4)
            for (int threads = 1; threads <= 96; threads++)
                for (int lanes = 1; lanes <= 34; lanes++)
                    wrong += count_wrong(lanes, threads, wave, most);
    tap_ok(wrong == 0, "the kernels fold sums as the host expects");
}

static void test_tuning(void)
{
    const stfi_caps *caps, unknown = {.gpu = 1};
    int fine = 1;

    for (int i = 0; (caps = stfi_preset_at(i)) != NULL; i++)
        fine &= caps->tuning != NULL && stfi_tuning_of(caps) == caps->tuning;
    tap_ok(fine, "each preset has constants of a device");
    tap_ok(stfi_tuning_of(&unknown) == &stfi_tuning_h200,
           "others have those of an H200");
}

/* ------------------------------------------------------------- rows in packs */

/* 1 if the only pass of a problem moves its rows in packs of 16 bytes on both sides:
 * as one run, of lanes that are whole packs together. */
static int moves_packs(const char *problem, const stf_ft_desc *ft,
                       const stfi_caps *caps)
{
    static stfi_schedule s;
    stfi_gpu_config c;
    stfi_problem p;
    int64_t reals, spectra, bytes;

    if (stfi_problem_parse(problem, &p) != STF_OK
        || unit_lower(problem, ft, caps, &s) != STF_OK || s.npasses != 1
        || stfi_gpu_config_choose(s.pass, s.precision, caps, &c) != STF_OK)
        return 0;
    bytes = c.lanes * (int64_t)stfi_type_get(s.precision)->bytes;
    reals = p.desc.kind == STF_C2C ? 2 * c.n : c.n;
    spectra = p.desc.kind == STF_C2C ? reals : 2 * (c.n / 2 + 1);
    return c.load_packed && c.store_packed && reals * bytes % 16 == 0
           && spectra * bytes % 16 == 0;
}

static void test_packs(const stfi_caps *caps)
{
    static const stf_ft_desc modes[] = {{.mode = STF_FT_OFF},
                                        {.mode = STF_FT_CORRECT}};
    static const struct {
        const char *problem;
        int modes; /* bits */
    } rows[] = {
        {"c2r:f64:out:11*999999", 2}, {"c2r:f32:out:25*999999", 2},
        {"r2c:f32:out:15*999999", 2}, {"c2r:f64:out:25*999999", 2},
        {"c2c:f32:out:25*999999", 3}, {"c2c:f32:out:45*999999", 3},
    };

    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++)
        if (rows[i / 2].modes >> i % 2 & 1)
            tap_ok(moves_packs(rows[i / 2].problem, &modes[i % 2], caps),
                   "%s%s: rows move 16 bytes at a time", rows[i / 2].problem,
                   i % 2 ? ", protected" : "");
}

/* ---------------------------------------------------------------- short rows */

/* Protected rows of single real signals belong to one thread each where its registers
 * hold them, and blocks of rows fill the waves that they have. */
static void test_short_rows(const stfi_caps *caps)
{
    static const stf_ft_desc ft = {.mode = STF_FT_CORRECT};
    static const struct {
        const char *problem;
        int alone; /* 1: one thread has it; else the most elements of a thread,
                      or 0 */
    } rows[] = {
        {"r2c:f32:out:15*999999", 1},   {"c2r:f32:out:25*999999", 1},
        {"r2c:f32:out:27*999999", 1},   {"c2r:f64:out:15*999999", 1},
        {"r2c:f64:out:52*999999", 0},   {"c2c:f64:out:24*999999", 0},
        {"r2c:f64:out:234*99999", 0},   {"r2c:f64:out:28*999999", 1},
        {"c2r:f32:out:300*999999", 12}, {"r2c:f32:out:420*999999", 12},
    };
    static stfi_schedule s;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *problem = rows[i].problem;
        const int planned = unit_lower(problem, &ft, caps, &s) == STF_OK;
        const stfi_block *b = &s.pass[0].block;
        const int waves = (b->threads + caps->wave - 1) / caps->wave;

        if (rows[i].alone == 1)
            tap_ok(planned && b->threads == b->lanes,
                   "%s: a thread has a row alone", problem);
        else if (rows[i].alone > 0)
            tap_ok(planned && b->elements <= rows[i].alone,
                   "%s: a thread has %d elements", problem, b->elements);
        tap_ok(planned && 8 * b->threads >= 7 * waves * caps->wave,
               "%s: %d threads in %d waves", problem, b->threads, waves);
    }
}

/* Protected rows whose threads are a whole part of a wave need no barrier, and are taken
 * where other shapes seem to cost a little less. Source of the first two:
 * bench/results/cuda-h200-random.md, "Rows within a wave". */
static void test_rows_of_waves(const stfi_caps *caps)
{
    static const stf_ft_desc ft = {.mode = STF_FT_CORRECT};
    static const char *const rows[] = {
        "c2r:f32:out:105*300000",
        "r2c:f32:out:105*300000",
        "r2c:f64:out:66*541200",
    };
    static stfi_schedule s;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int planned = unit_lower(rows[i], &ft, caps, &s) == STF_OK;
        const stfi_block *b = &s.pass[0].block;
        const int threads = planned ? b->threads / b->lanes : 0;

        tap_ok(planned && threads > 0 && caps->wave % threads == 0,
               "%s: %d threads have a row", rows[i], threads);
    }
}

/* ------------------------------------------------------------------ few tiles */

/* Plans a problem, and makes the configuration and the name of its first kernel;
 * returns 0 on failure. */
static int first_kernel(const char *problem, const stf_ft_desc *ft,
                        const stfi_caps *caps, stfi_gpu_config *c_p,
                        stfi_gpu_spec *spec_p)
{
    static stfi_schedule s;

    return unit_lower(problem, ft, caps, &s) == STF_OK
           && stfi_gpu_config_choose(&s.pass[0], s.precision, caps, c_p)
                  == STF_OK
           && stfi_gpu_spec_of(c_p, spec_p) == STF_OK;
}

/* Kernels of launches that do not fill a device may have the registers of blocks
 * that do not come, and ask for no later tile. They have names of their own: loaded
 * kernels are found by these. Numbers of tiles that differ a little have the same. */
static void test_few_tiles(const stfi_caps *caps)
{
    static const stf_ft_desc ft = {.mode = STF_FT_CORRECT};
    static const struct {
        const char *tiles[3];
        int prefetch; /* of the last */
    } rows[] = {
        {{"c2r:f64:out:308*40", "c2r:f64:out:308*60", "c2r:f64:out:308*54000"},
         0},
        {{"c2c:f32:out:3645", "c2c:f32:out:3645*132", "c2c:f32:out:3645*9205"},
         1},
        {{"c2c:f64:out:1014*300", "c2c:f64:out:1014*400",
          "c2c:f64:out:1014*9999"},
         0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static stfi_gpu_config c[3];
        static stfi_gpu_spec spec[3];
        int planned = 1;

        for (int k = 0; k < 3; k++)
            planned &=
                first_kernel(rows[i].tiles[k], &ft, caps, &c[k], &spec[k]);
        tap_ok(planned && c[0].resident < c[2].resident
                   && c[0].resident == c[1].resident && c[0].prefetch == 0
                   && c[2].prefetch == rows[i].prefetch
                   && c[0].hoped == c[0].resident
                   && strcmp(spec[0].entry, spec[1].entry) == 0
                   && strcmp(spec[0].entry, spec[2].entry) != 0,
               "%s: %d blocks of %d get the registers of all", rows[i].tiles[0],
               (int)c[0].resident, (int)c[2].resident);
    }
}

/* A row that is alone has a block of one lane, whose waves make the verdict each for
 * itself if it has a sum over several; where a barrier may follow, one does for all. */
static void test_alone(const stfi_caps *caps)
{
    static const stf_ft_desc ft = {.mode = STF_FT_CORRECT};
    static const stf_ft_desc grouped = {.mode = STF_FT_CORRECT,
                                        .scheme = STF_FT_SCHEME_TWO_SIDED};
    static const struct {
        const char *problem;
        const stf_ft_desc *ft;
        int each_wave;
    } rows[] = {
        {"c2r:f64:out:308", &ft, 1},       {"c2c:f32:out:1024", &ft, 1},
        {"r2c:f64:out:364", &ft, 1},       {"c2c:f32:out:2", &ft, 0},
        {"c2c:f32:out:1024*9999", &ft, 0}, {"c2c:f32:out:101", &ft, 0},
        {"c2c:f32:out:16384", &ft, 0},     {"c2c:f32:out:1024*4", &grouped, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static stfi_gpu_config c;
        static stfi_gpu_spec spec;
        const int planned =
            first_kernel(rows[i].problem, rows[i].ft, caps, &c, &spec);

        tap_ok(planned && c.each_wave == rows[i].each_wave
                   && (!c.each_wave || c.lanes == 1),
               "%s: %s", rows[i].problem,
               rows[i].each_wave ? "each wave judges" : "a block judges");
    }
}

/* ------------------------------------------------------------ block memory */

/* What one problem's kernels take of block memory, at most, with what those
 * that check have of their own; -1 if it cannot be planned. */
static int64_t most_bytes(const char *problem, const stf_ft_desc *ft,
                          const stfi_caps *caps)
{
    static stfi_schedule s;
    int64_t most = 0, bytes;
    stfi_gpu_config c;

    if (unit_lower(problem, ft, caps, &s) != STF_OK)
        return -1;
    for (int i = 0; i < s.npasses; i++) {
        if (stfi_gpu_config_choose(&s.pass[i], s.precision, caps, &c) != STF_OK)
            return -1;
        bytes = c.shared_bytes + (c.check || c.twice ? caps->static_bytes : 0);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Blocks with checks have a part of block memory of their own on some devices,
 * and a launch may give them the rest only. As much of it as there is, and any
 * less, is filled by some length. */
static void test_memory(const stfi_caps *preset)
{
    static const char *const problems[] = {
        "c2c:f32:out:16128*999", "c2c:f32:out:1000*999", "c2c:f64:out:360*999",
        "r2c:f64:out:720*999",   "c2c:f32:out:127*999",
    };
    static const stf_ft_desc modes[] = {
        {.mode = STF_FT_CORRECT},
        {.mode = STF_FT_CORRECT, .scheme = STF_FT_SCHEME_TWO_SIDED},
        {.mode = STF_FT_CORRECT, .level = STF_FT_THREAD},
    };
    enum { PROBLEMS = sizeof problems / sizeof *problems };
    stfi_caps caps = *preset;
    int64_t least = INT64_MAX, bytes;
    int failures = 0, count = 0;

    for (; caps.block_bytes > 4096; caps.block_bytes -= 624)
        for (int i = 0; i < 3 * PROBLEMS; i++, count++) {
            bytes = most_bytes(problems[i / 3], &modes[i % 3], &caps);
            failures += bytes < 0 || bytes > caps.block_bytes;
            if (caps.block_bytes - bytes < least)
                least = caps.block_bytes - bytes;
        }
    tap_ok(failures == 0 && count > 0,
           "%s: %d problems leave %d bytes of block memory, at least",
           caps.name, count, (int)least);
}

int main(void)
{
    const stfi_caps *caps;

    tap_begin("gpu_config");
    test_rows();
    test_parts();
    test_errors();
    test_sums();
    test_tuning();
    test_packs(stfi_preset_find("h200"));
    test_short_rows(stfi_preset_find("h200"));
    test_rows_of_waves(stfi_preset_find("h200"));
    test_few_tiles(stfi_preset_find("h200"));
    test_alone(stfi_preset_find("h200"));
    for (int i = 0; (caps = stfi_preset_at(i)) != NULL; i++)
        if (caps->gpu && caps->static_bytes) {
            test_goldens(caps);
            test_memory(caps);
        }
    return tap_end();
}
