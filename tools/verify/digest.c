/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Digests of results; see digest.h. */
#include "tools/verify/digest.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "fft/desc.h"
#include "support/problem/component.h"
#include "support/problem/problem.h"
#include "tools/command/passes.h"
#include "tools/file/data.h"

static const char head[] = "steadfast digests 4";

static const char machine_head[] = "# machine ";

enum { LINE_BYTES = 1024 };

/* --------------------------------------------------------------- computing */

/* Adds the bytes of one packed transform to the hash. */
static void add_bits(stf_precision precision, const void *x, int64_t count,
                     stfi_hash *bits)
{
    size_t step = stfi_type_get(precision)->bytes;
    size_t own = stfi_values_bytes(precision);
    const char *at = x;

    for (int64_t i = 0; i < count; i++, at += step)
        *bits = stfi_hash_add(*bits, at, own);
}

/* Adds the components of one packed transform. A random number of 64 bits gives
 * the signs of 16 components for each of the four projections. */
static void add_components(stf_precision precision, const void *x,
                           int64_t count, uint64_t *state, stfi_digest *digest)
{
    uint64_t bits = 0;

    for (int64_t i = 0; i < count; i++) {
        long double value = stfi_type_read(precision, x, i);

        if (i % 16 == 0)
            bits = stfi_random_u64(state);
        digest->norm += value * value;
        for (int p = 0; p < STFI_PROJECTIONS; p++, bits >>= 1)
            digest->projection[p] += bits & 1 ? value : -value;
    }
}

static stfi_digest begin(const char *label, uint64_t seed)
{
    stfi_digest digest = {
        .seed = seed, .error = -1.0, .bits = stfi_hash_begin()};

    snprintf(digest.label, sizeof digest.label, "%s", label);
    snprintf(digest.passes, sizeof digest.passes, "-");
    return digest;
}

stf_status stfi_digest_compute(const stf_fft_desc *full, const void *out,
                               const char *label, uint64_t seed,
                               stfi_digest *digest_p)
{
    stfi_digest digest = begin(label, seed);
    int64_t count = stfi_values_components(full);
    uint64_t state = ~seed;
    void *packed;
    stf_status status =
        stfi_alloc((size_t)count * stfi_type_get(full->precision)->bytes,
                   "a digest", &packed);

    if (status != STF_OK)
        return status;
    for (int64_t t = 0; t < full->batch; t++) {
        stfi_data_gather(full, 1, out, t, packed);
        add_components(full->precision, packed, count, &state, &digest);
        add_bits(full->precision, packed, count, &digest.bits);
    }
    stfi_dealloc(packed);
    digest.norm = sqrtl(digest.norm);
    *digest_p = digest;
    return STF_OK;
}

void stfi_digest_of_array(stf_precision precision, const void *x, int64_t count,
                          const char *label, uint64_t seed,
                          stfi_digest *digest_p)
{
    stfi_digest digest = begin(label, seed);
    uint64_t state = ~seed;

    add_components(precision, x, count, &state, &digest);
    add_bits(precision, x, count, &digest.bits);
    digest.norm = sqrtl(digest.norm);
    *digest_p = digest;
}

void stfi_digest_set_passes(const stfi_schedule *s, const stfi_hash *bits,
                            stfi_digest *digest)
{
    const size_t capacity = sizeof digest->passes;
    size_t used = 0;
    char factors[64];

    for (int i = 0; i < s->npasses && used < capacity; i++) {
        stfi_pass_factors(&s->pass[i], factors, sizeof factors);
        used += (size_t)snprintf(digest->passes + used, capacity - used,
                                 "%s%s:%s", i > 0 ? ";" : "",
                                 stfi_pass_name(&s->pass[i]), factors);
        if (bits != NULL && used < capacity)
            used += (size_t)snprintf(digest->passes + used, capacity - used,
                                     "@%08" PRIx32, (uint32_t)bits[i].low);
    }
}

double stfi_digest_distance(const stfi_digest *a, const stfi_digest *b)
{
    long double most = fabsl(a->norm - b->norm);
    long double norm = fmaxl(a->norm, b->norm), sum = a->norm + b->norm;

    for (int p = 0; p < STFI_PROJECTIONS; p++) {
        most = fmaxl(most, fabsl(a->projection[p] - b->projection[p]));
        sum += a->projection[p] + b->projection[p];
    }
    if (!isfinite(sum)) /* fmaxl() drops NaNs, but a sum keeps them */
        return INFINITY;
    return norm > 0.0L ? (double)(most / norm) : most > 0.0L ? INFINITY : 0.0;
}

double stfi_digest_tolerance(double bound)
{
    /* Each of the two errors moves a product by a normally distributed amount,
     * whose standard deviation is at most bound * norm. Eight standard
     * deviations do not occur by chance. */
    return 2.0 * 8.0 * bound;
}

/* ------------------------------------------------------------------- files */

void stfi_digest_print_head(const stf_device_info *info, FILE *file)
{
    fprintf(file, "%s\n%s%s (%s, %s)\n", head, machine_head, info->name,
            info->arch, info->model);
    fputs("# problem seed bits norm projections error passes\n", file);
}

void stfi_digest_print(const stfi_digest *digest, FILE *file)
{
    char bits[STFI_HASH_TEXT_BYTES];

    stfi_hash_print(digest->bits, bits);
    fprintf(file, "%s %" PRIu64 " %s %La", digest->label, digest->seed, bits,
            digest->norm);
    for (int p = 0; p < STFI_PROJECTIONS; p++)
        fprintf(file, " %La", digest->projection[p]);
    fprintf(file, " %.3e %s\n", digest->error, digest->passes);
    if (digest->values.data != NULL)
        stfi_values_print(&digest->values, file);
}

/* Reads 32 hexadecimal digits, and moves the text behind them. */
static int parse_bits(const char **text, stfi_hash *bits_p)
{
    uint64_t half[2];

    *text += strspn(*text, " ");
    if (strspn(*text, "0123456789abcdef") != STFI_HASH_TEXT_BYTES - 1)
        return 0;
    for (int i = 0; i < 2; i++, *text += 16) {
        char digits[17];

        memcpy(digits, *text, 16);
        digits[16] = '\0';
        half[i] = strtoull(digits, NULL, 16);
    }
    *bits_p = (stfi_hash){half[0], half[1]};
    return 1;
}

/* Reads the last word of a line, which ends there: the file may be cut. */
static int parse_passes(const char *text, char passes[STFI_PASSES_BYTES])
{
    size_t length;

    text += strspn(text, " ");
    length = strcspn(text, " \r\n");
    if (length == 0 || length >= STFI_PASSES_BYTES
        || strspn(text + length, "\r\n") == 0)
        return 0;
    memcpy(passes, text, length);
    passes[length] = '\0';
    return 1;
}

static int parse_line(const char *line, stfi_digest *digest)
{
    size_t length = strcspn(line, " ");
    const char *text = line + length;
    char *end;

    if (length == 0 || length >= sizeof digest->label)
        return 0;
    memcpy(digest->label, line, length);
    digest->label[length] = '\0';
    errno = 0;
    digest->seed = strtoull(text, &end, 10);
    if (end == text || errno != 0)
        return 0;
    text = end;
    if (!parse_bits(&text, &digest->bits))
        return 0;
    for (int p = -1; p <= STFI_PROJECTIONS; p++, text = end) {
        long double value = strtold(text, &end);
        if (end == text)
            return 0;
        if (p < 0)
            digest->norm = value;
        else if (p < STFI_PROJECTIONS)
            digest->projection[p] = value;
        else
            digest->error = (double)value;
    }
    return parse_passes(text, digest->passes);
}

static stf_status append(stfi_digests *list, const stfi_digest *digest)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity > 0 ? 2 * list->capacity : 256;
        stfi_digest *item =
            realloc(list->item, (size_t)capacity * sizeof *item);
        if (item == NULL)
            return stfi_error(STF_ERR_MEMORY, "out of memory for digests");
        list->item = item;
        list->capacity = capacity;
    }
    list->item[list->count++] = *digest;
    return STF_OK;
}

/* Reads a line of a result or of the values of the last one. */
static stf_status read_line(const char *path, int number, const char *line,
                            stfi_digests *list)
{
    stfi_digest digest = {.seed = 0};
    stfi_digest *last = list->count > 0 ? &list->item[list->count - 1] : NULL;
    int values = line[0] == '=' || line[0] == ':';

    if (values ? last != NULL && stfi_values_parse(line, &last->values)
               : (last == NULL || stfi_values_complete(&last->values))
                     && parse_line(line, &digest))
        return values ? STF_OK : append(list, &digest);
    return stfi_error(STF_ERR_IO, "%s: line %d is damaged", path, number);
}

static stf_status read_lines(const char *path, FILE *file, stfi_digests *list)
{
    char line[LINE_BYTES];
    stf_status status = STF_OK;

    for (int number = 1;
         status == STF_OK && fgets(line, sizeof line, file) != NULL; number++) {
        if (number == 1) {
            line[strcspn(line, "\r\n")] = '\0';
            if (strcmp(line, head) != 0)
                return stfi_error(STF_ERR_IO,
                                  "%s is not a file of digests "
                                  "that --record wrote",
                                  path);
        } else if (strncmp(line, machine_head, sizeof machine_head - 1) == 0) {
            line[strcspn(line, "\r\n")] = '\0';
            snprintf(list->machine, sizeof list->machine, "%.255s",
                     line + sizeof machine_head - 1);
        } else if (line[0] != '#' && line[0] != '\n') {
            status = read_line(path, number, line, list);
        }
    }
    if (status == STF_OK && ferror(file))
        status = stfi_error(STF_ERR_IO, "%s cannot be read: %s", path,
                            strerror(errno));
    if (status == STF_OK && list->count == 0)
        status = stfi_error(STF_ERR_IO, "%s holds no digests", path);
    if (status == STF_OK
        && !stfi_values_complete(&list->item[list->count - 1].values))
        status =
            stfi_error(STF_ERR_IO, "%s: the last values are missing", path);
    return status;
}

stf_status stfi_digests_read(const char *path, stfi_digests *list_p)
{
    stfi_digests list = {.count = 0};
    FILE *file = fopen(path, "r");
    stf_status status;

    if (file == NULL)
        return stfi_error(STF_ERR_IO, "%s cannot be read: %s", path,
                          strerror(errno));
    status = read_lines(path, file, &list);
    fclose(file);
    if (status == STF_OK)
        *list_p = list;
    else
        stfi_digests_free(&list);
    return status;
}

const stfi_digest *stfi_digests_find(const stfi_digests *list,
                                     const char *label)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->item[i].label, label) == 0)
            return &list->item[i];
    return NULL;
}

void stfi_digests_free(stfi_digests *list)
{
    for (int i = 0; i < list->count; i++)
        stfi_values_free(&list->item[i].values);
    free(list->item);
    *list = (stfi_digests){.count = 0};
}
