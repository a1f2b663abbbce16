/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The input of commands that take files; see input.h. */
#include "tools/file/input.h"

#include <stdio.h>

#include "base/status.h"
#include "fft/desc.h"
#include "support/problem/problem.h"
#include "tools/file/infile.h"
#include "tools/file/npy.h"
#include "tools/file/wav.h"

/* Sets rank and lengths by a shape, which must be the only one in the text. */
static stf_status set_shape(const char *option, const char *text, stfi_array *a)
{
    const char *end;

    a->rank = stfi_shape_parse(text, a->n, STFI_ARRAY_RANK, &end);
    return a->rank > 0 && *end == '\0'
               ? STF_OK
               : stfi_error(STF_ERR_ARGUMENT,
                            "--%s is \"%s\"; it must be one "
                            "shape, such as 64x60x50",
                            option, text);
}

/* The array of raw or random data: complex F32 unless the options say
 * otherwise. */
static stf_status plain_array(const stfi_args *args, const char *option,
                              const char *shape, stfi_array *a)
{
    stf_kind kind = (stf_kind)stfi_args_integer(args, STFI_OPT_KIND, STF_C2C);
    int inverse = stfi_args_given(args, STFI_OPT_INVERSE);

    *a = (stfi_array){
        .precision =
            (stf_precision)stfi_args_integer(args, STFI_OPT_PRECISION, STF_F32),
        /* r2c --inverse means c2r, whose input is complex. */
        .complex = (inverse && !stfi_kind_is_r2r(kind))
                   || !stfi_kind_get(kind)->real_in,
    };
    return set_shape(option, shape, a);
}

static stf_status open_random(const stfi_args *args, stfi_input *in)
{
    uint64_t state = (uint64_t)stfi_args_integer(args, STFI_OPT_SEED, 1);
    stf_status status = plain_array(
        args, "random", stfi_args_text(args, STFI_OPT_RANDOM, ""), &in->array);

    in->name = "random numbers";
    if (status == STF_OK)
        status = stfi_array_alloc(&in->array);
    if (status == STF_OK)
        stfi_random_fill(
            in->array.precision, in->array.data,
            stfi_array_count(&in->array) * (in->array.complex ? 2 : 1), &state);
    return status;
}

static stf_status read_raw(const stfi_args *args, stfi_infile *file,
                           stfi_input *in)
{
    stf_status status = plain_array(
        args, "shape", stfi_args_text(args, STFI_OPT_SHAPE, ""), &in->array);

    return status == STF_OK ? stfi_raw_read(file, &in->array) : status;
}

static stf_status read_sound(const stfi_args *args, stfi_infile *file,
                             stfi_input *in)
{
    in->array.precision =
        (stf_precision)stfi_args_integer(args, STFI_OPT_PRECISION, STF_F32);
    in->axes = "-1";
    return stfi_wav_read(file, &in->array, &in->note);
}

/* Reads a file of the kind that its first bytes tell. */
static stf_status read_known(const stfi_args *args, stfi_infile *file,
                             stfi_input *in)
{
    stf_status status = stfi_infile_look(file);

    if (status != STF_OK)
        return status;
    if (stfi_npy_recognise(file->head, file->head_bytes))
        return stfi_npy_read(file, &in->array, &in->note);
    if (stfi_wav_recognise(file->head, file->head_bytes))
        return read_sound(args, file, in);
    return stfi_error(STF_ERR_IO,
                      "%s is neither a .npy nor a sound file; raw "
                      "numbers need --shape and --precision",
                      in->name);
}

static stf_status open_file(const stfi_args *args, stfi_input *in)
{
    stfi_infile file;
    stf_status status = stfi_infile_open(in->name, &file);

    if (status != STF_OK)
        return status;
    status = stfi_args_given(args, STFI_OPT_SHAPE)
                 ? read_raw(args, &file, in)
                 : read_known(args, &file, in);
    stfi_infile_close(&file);
    return status;
}

/* Halves that are to be transformed as such: files have complex ones as reals
 * with a last axis of 2. */
static void take_halves(const stfi_args *args, stfi_input *in)
{
    stf_kind kind = (stf_kind)stfi_args_integer(args, STFI_OPT_KIND, STF_C2C);
    int complex =
        !stfi_kind_get(kind)->real_in
        || (stfi_args_given(args, STFI_OPT_INVERSE) && !stfi_kind_is_r2r(kind));
    stfi_array *a = &in->array;

    if (complex && !a->complex && a->rank > 1 && a->n[a->rank - 1] == 2) {
        a->complex = 1;
        a->rank--;
        in->note = "a last axis of 2 was taken for complex numbers";
    }
}

stf_status stfi_input_read(const stfi_args *args, const char *path,
                           const stf_precision *wanted, stfi_input *input_p)
{
    stfi_input in = {.name = path};
    stf_status status = open_file(args, &in);

    if (status == STF_OK && wanted != NULL)
        status = stfi_array_convert(&in.array, *wanted, 0);
    if (status == STF_OK && in.array.precision == STF_F16)
        in.note = NULL; /* float16 came back to what it was */
    if (status == STF_OK)
        *input_p = in;
    else
        stfi_array_free(&in.array);
    return status;
}

stf_status stfi_input_open(const stfi_args *args, stfi_input *input_p)
{
    int random = stfi_args_given(args, STFI_OPT_RANDOM);
    int raw = stfi_args_given(args, STFI_OPT_SHAPE);
    stf_precision precision =
        (stf_precision)stfi_args_integer(args, STFI_OPT_PRECISION, STF_F32);
    const stf_precision *wanted =
        stfi_args_given(args, STFI_OPT_PRECISION) ? &precision : NULL;
    stfi_input in = {.name = args->nwords > 0 ? args->word[0] : NULL};
    stf_status status;

    if (random && (in.name != NULL || raw))
        return stfi_error(STF_ERR_ARGUMENT, "--random takes the place of IN "
                                            "and --shape");
    if (!random && in.name == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "there is no input; name a file, "
                                            "or use --random SHAPE");
    status = random ? open_random(args, &in)
                    : stfi_input_read(args, in.name, wanted, &in);
    if (status == STF_OK && !random && !raw
        && (in.array.precision == STF_F16 || in.array.precision == STF_BF16))
        take_halves(args, &in);
    if (status == STF_OK)
        *input_p = in;
    else
        stfi_array_free(&in.array);
    return status;
}
