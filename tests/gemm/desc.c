/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Descriptors of matrix products: what is refused and with which words, what is
 * filled in, and which matrices overlap, by comparing all pairs of elements. */
#include "gemm/gemm_desc.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/type.h"
#include "gemm/gemm.h"
#include "support/oracle/naive_gemm.h"
#include "tests/tap.h"

typedef void change(stf_gemm_desc *d);

#define CHANGE(name, what)             \
    static void name(stf_gemm_desc *d) \
    {                                  \
        what;                          \
    }

CHANGE(change_size_bytes, d->size_bytes--)
CHANGE(change_precision, d->precision = (stf_precision)9)
CHANGE(change_precision_c, d->precision_c = (stf_precision)-1)
CHANGE(change_mixed, d->precision_c = STF_F64)
CHANGE(change_half_to_double, d->precision = STF_F16; d->precision_c = STF_F64)
CHANGE(change_compute, d->compute = (stf_compute)3)
CHANGE(change_order, d->order = (stf_order)2)
CHANGE(change_transa, d->transa = (stf_transpose)3)
CHANGE(change_transb, d->transb = (stf_transpose)-1)
CHANGE(change_scalars, d->scalars = 2)
CHANGE(change_m, d->m = -1)
CHANGE(change_n, d->n = -3)
CHANGE(change_k, d->k = INT64_MIN)
CHANGE(change_batch, d->batch = 0)
CHANGE(change_threads, d->threads = -1)
CHANGE(change_effort, d->effort = (stf_effort)3)
CHANGE(change_effort_seconds, d->effort_seconds = -1)
CHANGE(change_lda, d->lda = 9)
CHANGE(change_lda_transposed, d->transa = STF_TRANS; d->lda = 29)
CHANGE(change_lda_rows, d->order = STF_ROW_MAJOR; d->lda = 29)
CHANGE(change_ldb, d->ldb = -1)
CHANGE(change_ldc, d->ldc = 9)
CHANGE(change_lda_overflow, d->lda = INT64_MAX / 4)
CHANGE(change_m_overflow, d->m = INT64_MAX)
CHANGE(change_dist_a, d->batch = 3; d->dist_a = INT64_MAX / 2)
CHANGE(change_dist_b, d->batch = 3; d->dist_b = INT64_MIN + 1)
CHANGE(change_batch_overflow, d->batch = INT64_MAX)
CHANGE(change_dist_c_shared, d->batch = 2; d->dist_c = STF_SHARED)
CHANGE(change_dist_c, d->batch = 2; d->dist_c = 199)
CHANGE(change_dist_c_down, d->batch = 2; d->dist_c = -199)
CHANGE(change_dist_c_between, d->batch = 3; d->ldc = 29; d->dist_c = 10)
CHANGE(change_dist_c_narrow, d->batch = 3; d->ldc = 30; d->dist_c = 9)
CHANGE(change_ft_mode, d->ft.mode = (stf_ft_mode)7)
CHANGE(change_ft_threshold, d->ft.threshold = -1)
CHANGE(change_ft_warp, d->ft.mode = STF_FT_CORRECT; d->ft.level = STF_FT_WARP;
       d->precision = d->precision_c = STF_F64)
CHANGE(change_ft_thread, d->ft.mode = STF_FT_CORRECT;
       d->ft.level = STF_FT_THREAD; d->precision = d->precision_c = STF_F64)
CHANGE(change_ft_thread_split, d->ft.mode = STF_FT_CORRECT;
       d->ft.level = STF_FT_THREAD; d->compute = STF_COMPUTE_SPLIT)
CHANGE(change_ft_signal, d->ft.mode = STF_FT_CORRECT;
       d->ft.scheme = STF_FT_SCHEME_SIGNAL)
CHANGE(change_ft_two_sided, d->ft.mode = STF_FT_CORRECT;
       d->ft.scheme = STF_FT_SCHEME_TWO_SIDED; d->ft.level = STF_FT_OFFLINE)
CHANGE(change_ft_two_sided_half, d->ft.mode = STF_FT_CORRECT;
       d->ft.scheme = STF_FT_SCHEME_TWO_SIDED;
       d->precision = d->precision_c = STF_F16)
CHANGE(change_half_to_half, d->precision = STF_F16; d->precision_c = STF_BF16)
CHANGE(change_split, d->precision = d->precision_c = STF_F64;
       d->compute = STF_COMPUTE_SPLIT)
CHANGE(change_split_half, d->precision = STF_F16;
       d->compute = STF_COMPUTE_SPLIT)
CHANGE(change_tensor, d->compute = STF_COMPUTE_TENSOR)

/* What is refused, and with which words. */
static const struct {
    change *change;
    stf_status status;
    const char *text;
} refused[] = {
    {change_size_bytes, STF_ERR_ARGUMENT, "size_bytes"},
    {change_precision, STF_ERR_ARGUMENT, "precision is 9"},
    {change_precision_c, STF_ERR_ARGUMENT, "precision_c is -1"},
    {change_mixed, STF_ERR_ARGUMENT, "precision_c is f64"},
    {change_half_to_double, STF_ERR_ARGUMENT, "f16 or f32"},
    {change_compute, STF_ERR_ARGUMENT, "compute is 3"},
    {change_order, STF_ERR_ARGUMENT, "order is 2"},
    {change_transa, STF_ERR_ARGUMENT, "transa is 3"},
    {change_transb, STF_ERR_ARGUMENT, "transb is -1"},
    {change_scalars, STF_ERR_ARGUMENT, "scalars is 2"},
    {change_m, STF_ERR_ARGUMENT, "m is -1"},
    {change_n, STF_ERR_ARGUMENT, "n is -3"},
    {change_k, STF_ERR_ARGUMENT, "k is -9"},
    {change_batch, STF_ERR_ARGUMENT, "batch is 0"},
    {change_threads, STF_ERR_ARGUMENT, "threads is -1"},
    {change_effort, STF_ERR_ARGUMENT, "effort is 3"},
    {change_effort_seconds, STF_ERR_ARGUMENT, "effort_seconds is -1"},
    {change_lda, STF_ERR_ARGUMENT,
     "lda is 9; it must be 0 (packed) or at "
     "least 10"},
    {change_lda_transposed, STF_ERR_ARGUMENT, "at least 30"},
    {change_lda_rows, STF_ERR_ARGUMENT, "at least 30"},
    {change_ldb, STF_ERR_ARGUMENT, "ldb is -1"},
    {change_ldc, STF_ERR_ARGUMENT, "ldc is 9"},
    {change_lda_overflow, STF_ERR_ARGUMENT, "overflows 64 bits"},
    {change_m_overflow, STF_ERR_ARGUMENT, "overflows 64 bits"},
    {change_dist_a, STF_ERR_ARGUMENT, "dist_a is"},
    {change_dist_b, STF_ERR_ARGUMENT, "dist_b is"},
    {change_batch_overflow, STF_ERR_ARGUMENT, "overflows 64 bits"},
    {change_dist_c_shared, STF_ERR_ARGUMENT, "dist_c is STF_SHARED"},
    {change_dist_c, STF_ERR_ARGUMENT, "dist_c is 199"},
    {change_dist_c_down, STF_ERR_ARGUMENT, "share elements of C"},
    {change_dist_c_between, STF_ERR_ARGUMENT, "dist_c is 10"},
    {change_dist_c_narrow, STF_ERR_ARGUMENT, "dist_c is 9"},
    {change_ft_mode, STF_ERR_ARGUMENT, "ft.mode is 7"},
    {change_ft_threshold, STF_ERR_ARGUMENT, "ft.threshold is -1"},
    {change_ft_signal, STF_ERR_UNSUPPORTED, "STF_FT_SCHEME_SIGNAL"},
    {change_ft_two_sided, STF_ERR_UNSUPPORTED, "STF_FT_SCHEME_TWO_SIDED"},
    {change_ft_two_sided_half, STF_ERR_UNSUPPORTED, "f32 and f64"},
    {change_ft_warp, STF_ERR_UNSUPPORTED, "STF_FT_WARP, which is for f32"},
    {change_ft_thread, STF_ERR_UNSUPPORTED, "which is for f32"},
    {change_ft_thread_split, STF_ERR_UNSUPPORTED, "without matrix units"},
    {change_half_to_half, STF_ERR_ARGUMENT, "f16 or f32"},
    {change_split, STF_ERR_ARGUMENT, "precision is f64"},
    {change_split_half, STF_ERR_ARGUMENT, "use STF_COMPUTE_NATIVE"},
    {change_tensor, STF_ERR_ARGUMENT, "NATIVE or STF_COMPUTE_SPLIT"},
};

static void test_refused(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        stf_gemm_desc d = stf_gemm_desc_default(), full;
        d.m = 10;
        d.n = 20;
        d.k = 30;
        refused[i].change(&d);
        memset(&full, 0x5a, sizeof full);
        if (!tap_ok(stfi_gemm_desc_complete(&d, &full) == refused[i].status
                        && strstr(stf_error_message(), refused[i].text)
                        && full.batch == 0x5a5a5a5a5a5a5a5a,
                    "refused: %s", refused[i].text))
            tap_diag("%s", stf_error_message());
    }
    tap_ok(stfi_gemm_desc_complete(NULL, NULL) == STF_ERR_ARGUMENT,
           "a descriptor that is NULL");
}

static void test_defaults(void)
{
    stf_gemm_desc d = stf_gemm_desc_default(), full;

    tap_ok(stfi_gemm_desc_complete(&d, &full) == STF_OK && full.m == 1
               && full.precision == STF_F32 && full.ft.mode == STF_FT_OFF,
           "the default descriptor is complete");
    d.m = 3;
    d.n = 4;
    d.k = 5;
    d.batch = 2;
    d.transb = STF_TRANS;
    tap_ok(stfi_gemm_desc_complete(&d, &full) == STF_OK && full.lda == 3
               && full.ldb == 4 && full.ldc == 3 && full.dist_a == 15
               && full.dist_b == 20 && full.dist_c == 12,
           "packed, column-major");
    d.order = STF_ROW_MAJOR;
    d.dist_a = STF_SHARED;
    tap_ok(stfi_gemm_desc_complete(&d, &full) == STF_OK && full.lda == 5
               && full.ldb == 5 && full.ldc == 4 && full.dist_a == 0
               && full.dist_b == 20 && full.dist_c == 12,
           "packed, row-major, A shared");
    d.batch = 3;
    d.ldc = 12;
    d.dist_c = 4;
    tap_ok(stfi_gemm_desc_complete(&d, &full) == STF_OK,
           "matrices C between the rows of each other");
    d.k = 0;
    d.m = INT64_MAX / 512;
    d.batch = 1;
    d.n = 1;
    d.ldc = 0;
    tap_ok(stfi_gemm_desc_complete(&d, &full) == STF_OK,
           "a matrix of 2^54 elements");
}

/* A program that was compiled when the struct had no such field passes one that ends
 * `at` bytes from its beginning, with padding in the place of the field. */
static void test_older(size_t at, const char *field)
{
    size_t bytes = (at + 7) / 8 * 8;
    void *old = malloc(bytes);
    stf_gemm_desc d = stf_gemm_desc_default(), full, want;

    if (old == NULL)
        exit(EXIT_FAILURE);
    d.m = 3;
    d.threads = 2;
    tap_ok(bytes < sizeof d && stfi_gemm_desc_complete(&d, &want) == STF_OK,
           "a descriptor with %s", field);
    d.size_bytes = bytes;
    memset((char *)&d + at, 0x5a, sizeof d - at);
    memcpy(old, &d, bytes);
    tap_ok(stfi_gemm_desc_complete(old, &full) == STF_OK
               && memcmp(&full, &want, sizeof full) == 0,
           "one without has the default");
    free(old);
}

/* ---------------------------------------------------------------- overlaps */

enum { ROOM = 800, UNIT = 2 }; /* places are units of so many bytes */

static int64_t size_of(const stf_gemm_desc *d, char name)
{
    const stf_precision type = name == 'c' ? d->precision_c : d->precision;

    return (int64_t)stfi_type_get(type)->bytes / UNIT;
}

/* Marks the elements of a matrix that begins at place `at`. */
static void mark(const stf_gemm_desc *d, char name, int64_t at, char *marks)
{
    const int64_t size = size_of(d, name);

    for (int64_t b = 0; b < d->batch; b++)
        for (int64_t i = 0; i < (name == 'b' ? d->k : d->m); i++)
            for (int64_t j = 0; j < (name == 'a' ? d->k : d->n); j++)
                memset(marks + at
                           + stfi_naive_gemm_place(d, name, b, i, j) * size,
                       1, (size_t)size);
}

static int overlap(const stf_gemm_desc *d, char name, int64_t at, int64_t c)
{
    char one[ROOM] = {0}, other[ROOM] = {0};

    mark(d, name, at, one);
    mark(d, 'c', c, other);
    for (int i = 0; i < ROOM; i++)
        if (one[i] && other[i])
            return 1;
    return 0;
}

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(stfi_random_u64(state) % (uint64_t)n);
}

static stf_gemm_desc draw(uint64_t *state)
{
    stf_gemm_desc d = stf_gemm_desc_default();

    d.precision = below(state, 2) ? STF_F32 : STF_F16;
    d.precision_c = below(state, 2) ? STF_F32 : d.precision;
    d.order = (stf_order)below(state, 2);
    d.transa = (stf_transpose)below(state, 2);
    d.transb = (stf_transpose)below(state, 2);
    d.m = below(state, 5);
    d.n = below(state, 5);
    d.k = below(state, 5);
    d.lda = 5 + below(state, 5);
    d.ldb = 5 + below(state, 5);
    d.ldc = 5 + below(state, 5);
    d.batch = 1 + below(state, 3);
    d.dist_a = below(state, 3) == 0 ? STF_SHARED : 30 + below(state, 12);
    d.dist_b = -30 - below(state, 12);
    d.dist_c = below(state, 2) ? 31 : -40;
    return d;
}

static void test_overlaps(void)
{
    static const int counts[] = {2000, 20000, 200000};
    uint64_t state = tap_seed();
    const char *memory = (const char *)0x100000;
    int right = 1, meeting = 0;

    for (int i = 0; i < counts[tap_level()] && right; i++) {
        stf_gemm_desc d = draw(&state), full;
        char name = below(&state, 2) ? 'a' : 'b';
        int64_t at = (120 + below(&state, 120)) * size_of(&d, name);
        int64_t c = (120 + below(&state, 120)) * size_of(&d, 'c');
        stfi_gemm g;
        int first, want;
        if (stfi_gemm_desc_complete(&d, &full) != STF_OK) {
            tap_diag("%s", stf_error_message());
            right = 0;
            break;
        }
        g = stfi_gemm_lower(&full);
        first = (name == 'a') != g.swapped;
        want = overlap(&full, name, at, c);
        meeting += want;
        right = stfi_gemm_overlaps(&g, memory + UNIT * c, first ? &g.a : &g.b,
                                   first ? g.m : g.k, first ? g.k : g.n,
                                   memory + UNIT * at)
                == want;
    }
    tap_ok(right && meeting > 100,
           "overlaps are found, and no others (%d of %d)", meeting,
           counts[tap_level()]);
}

int main(void)
{
    tap_begin("gemm/desc");
    test_refused();
    test_defaults();
    test_older(offsetof(stf_gemm_desc, effort), "an effort");
    test_older(offsetof(stf_gemm_desc, progress), "a callback");
    test_overlaps();
    return tap_end();
}
