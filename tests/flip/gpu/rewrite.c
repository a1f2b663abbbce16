/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sites for faults in PTX: which ones are found in a text, what is written for
 * them, and that the assembler takes the kernels of campaigns with theirs. No
 * GPU is needed: plans are made on the fake driver. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/cuda_rtc.h"
#include "base/alloc.h"
#include "base/random.h"
#include "support/problem/gemm_problem.h"
#include "support/problem/problem.h"
#include "tests/fake/fake.h"
#include "tests/flip/gpu/modules.h"
#include "tests/flip/gpu/product.h"
#include "tests/tap.h"

/* ---------------------------------------------------------- a text of ours */

static const char sample[] =
    ".version 8.0\n"
    ".target sm_80\n"
    ".address_size 64\n"
    "\n"
    ".visible .entry sample(\n"
    "\t.param .u64 sample_param_0\n"
    ")\n"
    ".maxntid 64, 1, 1\n"
    "{\n"
    "\t.reg .pred \t%p<3>;\n"
    "\t.reg .f32 \t%f<4>;\n"
    "\t.reg .b32 \t%r<6>;\n"
    "\t.reg .b64 \t%rd<5>;\n"
    "\t.loc\t1 7 5\n"
    "\tld.param.u64 \t%rd1, [sample_param_0];\n"
    "\tcvta.to.global.u64 \t%rd2, %rd1;\n"
    "\tmov.u32 \t%r1, %tid.x;\n"
    "\tmul.wide.s32 \t%rd3, %r1, 8;\n"
    "\tadd.s64 \t%rd4, %rd2, %rd3;\n"
    "\tsetp.gt.s32 \t%p1, %r1, 31;\n"
    "\t@%p1 bra \t$L__BB0_2;\n"
    "\n"
    "\t.loc\t2 30 9, function_name $L__info_string0, inlined_at 1 7 5\n"
    "\t// begin inline asm\n"
    "\tld.global.v2.f32 {%f1, %f2}, [%rd4];\n"
    "\t// end inline asm\n"
    "\tmov.b32 \t%r2, %f1;\n"
    "\tshfl.sync.bfly.b32 \t%r3|%p2, %r2, 1, 31, -1;\n"
    "\tmov.b32 \t%f3, %r3;\n"
    "\t@!%p2 add.f32 \t%f3, %f3, %f2;\n"
    "\tst.global.f32 \t[%rd4], %f3;\n"
    "\n"
    "$L__BB0_2:\n"
    "\tret;\n"
    "}\n"
    "\t.file\t1 \"/somewhere/entry.h\"\n"
    "\t.file\t2 \"/somewhere/sums.h\"\n"
    "\t.section\t.debug_str\n"
    "\t{\n"
    "$L__info_string0:\n"
    ".b8 95,90,78,52,115,116,102,107,51,97,100,100,69,102,0\n"
    "\n"
    "\t}\n";

static const struct {
    ptx_kind kind;
    int bits, block;
    const char *target, *guard, *place;
} expected[] = {
    {PTX_ADDRESS, 64, 0, "%rd1", "", "entry entry.h:7"},
    {PTX_ADDRESS, 64, 0, "%rd2", "", "entry entry.h:7"},
    {PTX_ADDRESS, 32, 0, "%r1", "", "entry entry.h:7"},
    {PTX_ADDRESS, 64, 0, "%rd3", "", "entry entry.h:7"},
    {PTX_ADDRESS, 64, 0, "%rd4", "", "entry entry.h:7"},
    {PTX_PREDICATE, 1, 0, "%p1", "", "entry entry.h:7"},
    {PTX_DATA, 32, 1, "%f1", "", "add sums.h:30 < entry entry.h:7"},
    {PTX_DATA, 32, 1, "%f2", "", "add sums.h:30 < entry entry.h:7"},
    {PTX_DATA, 32, 1, "%r2", "", "add sums.h:30 < entry entry.h:7"},
    {PTX_DATA, 32, 1, "%r3", "", "add sums.h:30 < entry entry.h:7"},
    {PTX_PREDICATE, 1, 1, "%p2", "", "add sums.h:30 < entry entry.h:7"},
    {PTX_DATA, 32, 1, "%f3", "", "add sums.h:30 < entry entry.h:7"},
    {PTX_DATA, 32, 1, "%f3", "!%p2", "add sums.h:30 < entry entry.h:7"},
};

enum { EXPECTED = sizeof expected / sizeof *expected };

static void test_sites(const ptx_program *p)
{
    tap_ok(p->sites == EXPECTED && p->blocks == 3, "%d sites in %d blocks",
           p->sites, p->blocks);
    for (int i = 0; i < EXPECTED && i < p->sites; i++) {
        const ptx_site *s = &p->site[i];
        char place[256];

        ptx_tell_place(p, s, 4, place, sizeof place);
        if (!tap_ok(s->kind == expected[i].kind && s->bits == expected[i].bits
                        && s->block == expected[i].block
                        && strcmp(s->target, expected[i].target) == 0
                        && strcmp(s->guard, expected[i].guard) == 0
                        && strcmp(place, expected[i].place) == 0,
                    "site %d is %s", i, expected[i].target))
            tap_diag("%s %s, kind %d, %d bits, block %d: %s", s->guard,
                     s->target, (int)s->kind, s->bits, s->block, place);
    }
}

static int count(const char *text, const char *word)
{
    int n = 0;

    while ((text = strstr(text, word)) != NULL) {
        text += strlen(word);
        n++;
    }
    return n;
}

/* Whether `line` stands in the text behind what `after` says. */
static int follows(const char *text, const char *after, const char *line)
{
    const char *at = strstr(text, after);

    return at != NULL && strstr(at, line) != NULL;
}

static void test_texts(const ptx_program *p)
{
    unsigned char chosen[EXPECTED] = {[5] = 1, [12] = 1};
    char *all = ptx_with_sites(p, NULL), *two = ptx_with_sites(p, chosen);
    char *counting = ptx_counting(p);

    tap_ok(count(all, "st.global.u32 [%stf_to]") == EXPECTED
               && count(all, ".loc") == 0 && count(all, "debug_str") == 0,
           "all sites are written, and nothing for debuggers");
    tap_ok(count(two, "st.global.u32 [%stf_to]") == 2
               && follows(two, "setp.gt.s32 \t%p1",
                          "setp.eq.s32 %stf_hit, %stf_want, 5;\n")
               && follows(two, "%stf_want, 5;\n",
                          "\txor.pred %p1, %p1, %stf_hit;\n"),
           "a predicate is flipped after it is made");
    tap_ok(follows(two, "add.f32",
                   "setp.eq.and.s32 %stf_hit, %stf_want, 12, !%p2;\n")
               && follows(two, "%stf_want, 12",
                          "@%stf_hit\txor.b32 %f3, %f3, %stf_w;\n"),
           "a guarded instruction is struck where it is executed");
    tap_ok(count(counting, "red.global.add.u32") == 3
               && follows(counting, "$L__BB0_2:",
                          "red.global.add.u32 [%stf_to+8], 1;\n\tret;"),
           "all basic blocks are counted");
    free(all);
    free(two);
    free(counting);
}

/* ------------------------------------------------- the kernels of campaigns */

static const char *const problems[] = {
#define STFI_FLIP_PROBLEM(kind, problem) problem,
#include "tests/flip/gpu/problems.def"
#undef STFI_FLIP_PROBLEM
};

enum { PROBLEMS = sizeof problems / sizeof *problems, MOST_SITES = 60 };

/* Plans and executes on the fake device, which leaves the list of kernels. */
static stf_status execute(const char *word, stf_ft_desc ft)
{
    stf_device *dev = NULL;
    stf_plan *plan = NULL;
    const int multiplies = stfi_gemm_word(word);
    stfi_problem p;
    flip_product product;
    void *in = NULL, *out = NULL;
    stf_status status = multiplies ? flip_product_parse(word, &product)
                                   : stfi_problem_parse(word, &p);
    size_t bytes = 1 << 24;
    char *host = calloc(1, bytes);

    if (host == NULL)
        ptx_die("no memory", "for an input");
    if (multiplies)
        flip_product_protect(&product, &ft);
    p.desc.ft = ft;
    if (status >= 0)
        status = stf_device_open("cuda:0", &dev);
    if (status >= 0)
        status = multiplies ? stf_plan_gemm(dev, &product.desc, &plan)
                            : stf_plan_fft(dev, &p.desc, &plan);
    if (status >= 0)
        status = stf_malloc(dev, bytes, &in);
    if (status >= 0)
        status = stf_malloc(dev, bytes, &out);
    flip_record_begin();
    if (status >= 0)
        status = multiplies
                     ? flip_product_run(&product, dev, plan, host, in, out)
                     : stf_execute(plan,
                                   p.desc.kind == STF_C2R ? STF_INVERSE
                                                          : STF_FORWARD,
                                   in, out);
    flip_record_end();
    free(host);
    stf_free(dev, in);
    stf_free(dev, out);
    stf_plan_destroy(plan);
    stf_device_close(dev);
    return status;
}

/* Chooses every so-many-th site. */
static char *with_some(const ptx_program *p, uint64_t seed)
{
    unsigned char *chosen = calloc((size_t)p->sites + 1, 1);
    char *text;

    if (chosen == NULL)
        ptx_die("no memory", "for the sites of a kernel");
    for (int i = 0; i < MOST_SITES; i++)
        chosen[stfi_random_u64(&seed) % (uint64_t)p->sites] = 1;
    text = ptx_with_sites(p, chosen);
    free(chosen);
    return text;
}

/* Compiles the kernels of the last execution, and assembles those with sites
 * and those that count. */
static void assemble(const char *word, const char *mode, const char *arch)
{
    char *text[FLIP_MAX_KERNELS] = {NULL};
    void *image[FLIP_MAX_KERNELS];
    size_t bytes[FLIP_MAX_KERNELS];
    int kernels = 0, sites[PTX_KINDS] = {0}, good;

    for (int i = 0; i < flip.kernels && kernels + 2 <= FLIP_MAX_KERNELS; i++) {
        ptx_program p;
        char *ptx;

        if (!flip.kernel[i].used)
            continue;
        ptx = flip_ptx_of(&flip.kernel[i]);
        ptx_parse(ptx, &p);
        for (int s = 0; s < p.sites; s++)
            sites[p.site[s].kind]++;
        text[kernels++] = with_some(&p, tap_seed() + (uint64_t)i);
        text[kernels++] = ptx_counting(&p);
        ptx_free(&p);
        free(ptx);
    }
    good = flip_assemble(kernels, text, image, bytes);
    tap_ok(good && kernels > 0 && sites[PTX_DATA] > 50
               && sites[PTX_ADDRESS] > 20 && sites[PTX_PREDICATE] > 2,
           "%s, %s, for %s: %d kernels; %d, %d, %d sites", word, mode, arch,
           kernels / 2, sites[0], sites[1], sites[2]);
    for (int i = 0; i < kernels; i++) {
        free(text[i]);
        free(image[i]);
    }
}

/* The assembler takes some seconds for most problems: only at the long level
 * all are taken, in all modes and for both architectures. Products are not that
 * many; test_products() takes those that are protected. */
static int takes(int i)
{
    if (i % 3 == 2 && strstr(problems[i / 6], ":f16") != NULL)
        return 0; /* halves are not checked as a whole */
    switch (tap_level()) {
    case TAP_QUICK: return i == 31 || i == 40;
    case TAP_NORMAL: return i % 13 == 5;
    default: return 1;
    }
}

/* Every launch of a protected product has a kernel with sites: its sums beforehand,
 * the product, the second look, and where there are such, the sum of the parts of k
 * and halves. */
static void test_products(void)
{
    static const struct {
        const char *word;
        int kernels;
    } rows[] = {
        {"gemm:f32:nn:256x192x128", 3},
        {"gemm:f32:nn:256x192x128+c", 3},
        {"gemm:f32:nn:64x64x4096", 4},
        {"gemm:f32:nn:64x64x4096+c", 4},
        {"gemm:f32:nt:203x157x96+c", 3},
        {"gemm:f64:nn:256x192x128+c", 3},
        {"gemm:f16-f32:nn:256x192x128", 3},
        {"gemm:f32-split:nn:256x192x128+c", 4},
    };
    const stf_ft_desc ft = {.mode = STF_FT_CORRECT};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int kernels = 0;

        if (tap_level() == TAP_QUICK && i % 4 != 2)
            continue;
        fake_reset();
        fake->major = 9;
        if (execute(rows[i].word, ft) < 0) {
            tap_ok(0, "%s: %s", rows[i].word, stf_error_message());
            continue;
        }
        for (int k = 0; k < flip.kernels; k++)
            kernels += flip.kernel[k].used;
        tap_ok(kernels == rows[i].kernels, "%s: %d kernels, of %d",
               rows[i].word, kernels, rows[i].kernels);
        assemble(rows[i].word, "correct", "sm_90");
    }
}

static void test_kernels(void)
{
    static const struct {
        const char *name;
        stf_ft_desc ft;
    } modes[] = {
        {"off", {.mode = STF_FT_OFF}},
        {"correct", {.mode = STF_FT_CORRECT}},
        {"correct+e2e", {.mode = STF_FT_CORRECT, .end_to_end = 1}},
    };

    for (int i = 0; i < 6 * PROBLEMS; i++) {
        const char *word = problems[i / 6];
        const int newer = i / 3 % 2 == 0;
        stf_status status;

        if (!takes(i))
            continue;
        fake_reset();
        fake->major = newer ? 9 : 8;
        status = execute(word, modes[i % 3].ft);
        if (status < 0)
            tap_ok(0, "%s: %s", word, stf_error_message());
        else
            assemble(word, modes[i % 3].name, newer ? "sm_90" : "sm_80");
    }
}

/* The folder of the tests' kernels. */
static const char *make_folder(void)
{
    static char folder[] = "/tmp/stf-flips.XXXXXX";

    return mkdtemp(folder);
}

static void remove_folder(const char *folder)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        tap_diag("%s is left", folder);
}

int main(void)
{
    ptx_program p;
    char version[32];

    tap_begin("rewrite");
    ptx_parse(sample, &p);
    test_sites(&p);
    test_texts(&p);
    ptx_free(&p);
    if (stfi_cuda_rtc.version(version, sizeof version) != STF_OK)
        tap_skip("there is no run-time compiler", "kernels of campaigns");
    else if (!flip_can_assemble())
        tap_skip("there is no ptxas", "kernels of campaigns");
    else if (fake_load()) {
        flip_no_images = 1;
        flip_folder = make_folder();
        test_kernels();
        test_products();
        remove_folder(flip_folder);
    }
    return tap_end();
}
