/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reading sound files; see wav.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "support/problem/component.h"
#include "tools/file/wav.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

int stfi_wav_recognise(const unsigned char *head, size_t bytes)
{
    static const char *const starts[] = {"RIFF", "RIFX", "RF64", "FORM",
                                         "fLaC", "OggS", ".snd", "caff"};

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (bytes >= 4 && memcmp(head, starts[i], 4) == 0)
            return 1;
    return 0;
}

#ifdef HAVE_SNDFILE

#include <sndfile.h>

enum { CHUNK_FRAMES = 4096 };

/* What libsndfile takes as the number of frames if the file does not tell. */
static const int64_t UNKNOWN = SF_COUNT_MAX;

/* A sound file that can be read from any place, as libsndfile has to. */
typedef struct sound {
    FILE *stream;
    int64_t bytes;
    void *memory; /* what the stream reads if the file is a pipe, or NULL */
} sound;

static void close_sound(sound *s, const stfi_infile *in)
{
    if (s->stream != NULL && s->stream != in->stream)
        fclose(s->stream);
    stfi_dealloc(s->memory);
}

/* Sets the sound to the file itself, or to a copy of all that a pipe has. */
static stf_status open_sound(stfi_infile *in, sound *s)
{
    size_t got;
    stf_status status;

    *s = (sound){in->stream, in->bytes, NULL};
    if (in->bytes >= 0)
        return fseeko(in->stream, 0, SEEK_SET) == 0
                   ? STF_OK
                   : stfi_error(STF_ERR_IO, "%s cannot be read: %s", in->path,
                                strerror(errno));
    s->stream = NULL;
    status = stfi_infile_take(in, SIZE_MAX / 2, SIZE_MAX / 2, &s->memory, &got);
    if (status != STF_OK)
        return status;
    s->bytes = (int64_t)got;
    s->stream = fmemopen(s->memory, got, "rb");
    return s->stream != NULL
               ? STF_OK
               : stfi_error(STF_ERR_MEMORY, "out of memory for %s", in->path);
}

/* ------------------------------------------------- what libsndfile reads by */

static sf_count_t sound_length(void *user)
{
    const sound *s = user;

    return s->bytes;
}

static sf_count_t sound_tell(void *user)
{
    const sound *s = user;

    return ftello(s->stream);
}

static sf_count_t sound_seek(sf_count_t offset, int whence, void *user)
{
    const sound *s = user;

    return fseeko(s->stream, offset, whence) == 0 ? ftello(s->stream) : -1;
}

static sf_count_t sound_read(void *to, sf_count_t count, void *user)
{
    const sound *s = user;

    return count > 0 ? (sf_count_t)fread(to, 1, (size_t)count, s->stream) : 0;
}

/* ------------------------------------------------------------------ reading */

/* Checks the length that a RIFF file says it has, as libsndfile reads a
 * truncated file without reporting an error. */
static stf_status check_length(const stfi_infile *in, int64_t bytes)
{
    const unsigned char *head = in->head;
    uint32_t said;

    if (in->head_bytes < sizeof in->head || memcmp(head, "RIFF", 4) != 0)
        return STF_OK;
    said = head[4] | (uint32_t)head[5] << 8 | (uint32_t)head[6] << 16
           | (uint32_t)head[7] << 24;
    /* Programs that write to a pipe set the length to 0 or 2^32-1. */
    if (said == 0 || said == UINT32_MAX
        || (uint64_t)bytes >= (uint64_t)said + 8)
        return STF_OK;
    return stfi_error(STF_ERR_IO,
                      "%s is truncated: it has %" PRId64 " bytes of %" PRIu64,
                      in->path, bytes, (uint64_t)said + 8);
}

/* Gives each channel's row another length, and keeps its first frames. */
static stf_status resize_rows(stfi_array *a, int64_t frames, int64_t kept)
{
    size_t bytes = stfi_array_element_bytes(a);
    stfi_array to = *a;
    stf_status status;

    if (frames == a->n[1])
        return STF_OK;
    to.n[1] = frames;
    status = stfi_array_alloc(&to);
    if (status != STF_OK)
        return status;
    for (int64_t c = 0; c < a->n[0]; c++)
        memcpy((char *)to.data + (size_t)(c * frames) * bytes,
               (const char *)a->data + (size_t)(c * a->n[1]) * bytes,
               (size_t)kept * bytes);
    stfi_array_free(a);
    *a = to;
    return STF_OK;
}

/* Reads interleaved frames and puts each channel into a row of its own. Rows
 * become longer as frames are there, at most `claimed`. */
static stf_status read_rows(SNDFILE *file, double *chunk, int64_t claimed,
                            stfi_array *a)
{
    int64_t channels = a->n[0], done = 0;
    stf_status status = STF_OK;

    while (done < claimed && status == STF_OK) {
        sf_count_t got = sf_readf_double(file, chunk, CHUNK_FRAMES);
        int64_t longer = done < claimed / 2 ? 2 * done : claimed;

        if (got <= 0)
            break;
        if (got > claimed - done)
            got = claimed - done;
        if (done + got > a->n[1])
            status =
                resize_rows(a, longer > done + got ? longer : done + got, done);
        for (sf_count_t f = 0; f < got && status == STF_OK; f++)
            for (int64_t c = 0; c < channels; c++)
                stfi_type_write(a->precision, a->data, c * a->n[1] + done + f,
                                chunk[f * channels + c]);
        done += got;
    }
    return status == STF_OK ? resize_rows(a, done, done) : status;
}

/* Reads all frames. */
static stf_status read_frames(const char *path, SNDFILE *file, int64_t claimed,
                              stfi_array *a)
{
    void *chunk;
    stf_status status = stfi_alloc_raw(
        (size_t)(CHUNK_FRAMES * a->n[0]) * sizeof(double), "sound", &chunk);

    if (status != STF_OK)
        return status;
    status = read_rows(file, chunk, claimed, a);
    stfi_dealloc(chunk);
    if (status != STF_OK)
        return status;
    if (a->n[1] < claimed && claimed != UNKNOWN)
        return stfi_error(STF_ERR_IO,
                          "%s is truncated: %" PRId64 " of %" PRId64
                          " samples could be read",
                          path, a->n[1], claimed);
    if (sf_error(file) != SF_ERR_NO_ERROR || a->n[1] == 0)
        return stfi_error(STF_ERR_IO, "%s is damaged: %s", path,
                          sf_strerror(file));
    return STF_OK;
}

/* Makes an array for as many frames as there may be without compression: it
 * has at most as many samples as the file has bytes. */
static stf_status begin_rows(const SF_INFO *info, int64_t bytes, stfi_array *a)
{
    int64_t likely = bytes / info->channels + 1;

    a->rank = 2;
    a->n[0] = info->channels;
    a->n[1] = info->frames < likely ? info->frames : likely;
    a->rate = info->samplerate;
    return stfi_array_alloc(a);
}

static stf_status read_sound(const char *path, sound *s, stfi_array *a,
                             const char **note_p)
{
    SF_VIRTUAL_IO io = {.get_filelen = sound_length,
                        .seek = sound_seek,
                        .read = sound_read,
                        .tell = sound_tell};
    SF_INFO info = {0};
    SNDFILE *file = sf_open_virtual(&io, SFM_READ, &info, s);
    stf_status status;

    if (file == NULL)
        return stfi_error(STF_ERR_IO,
                          "%s is not a sound file that can be "
                          "read: %s",
                          path, sf_strerror(NULL));
    if (info.frames < 1 || info.channels < 1)
        status = stfi_error(STF_ERR_IO, "%s has no samples", path);
    else if ((status = begin_rows(&info, s->bytes, a)) == STF_OK)
        status = read_frames(path, file, info.frames, a);
    sf_close(file);
    if (status == STF_OK && info.frames == UNKNOWN)
        *note_p = "the file does not tell its length: it was read to its end";
    return status;
}

stf_status stfi_wav_read(stfi_infile *in, stfi_array *a_p, const char **note_p)
{
    stfi_array a = {.precision = a_p->precision};
    sound s;
    stf_status status = open_sound(in, &s);

    if (status == STF_OK)
        status = check_length(in, s.bytes);
    if (status == STF_OK)
        status = read_sound(in->path, &s, &a, note_p);
    close_sound(&s, in);
    if (status == STF_OK)
        *a_p = a;
    else
        stfi_array_free(&a);
    return status;
}

#else /* !HAVE_SNDFILE */

stf_status stfi_wav_read(stfi_infile *in, stfi_array *a_p, const char **note_p)
{
    (void)a_p;
    (void)note_p;
    return stfi_error(STF_ERR_IO,
                      "%s is a sound file, and this build has no "
                      "libsndfile; install it and configure "
                      "--with-sndfile",
                      in->path);
}

#endif
