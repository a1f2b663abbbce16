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
#include <sys/stat.h>

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

/* Checks the length that a RIFF file says it has, as libsndfile reads a
 * truncated file without reporting an error. */
static stf_status check_length(const char *path)
{
    unsigned char head[8];
    struct stat st;
    FILE *file = fopen(path, "rb");
    size_t got;
    uint32_t said;

    if (file == NULL)
        return stfi_error(STF_ERR_IO, "%s cannot be read: %s", path,
                          strerror(errno));
    got = fread(head, 1, sizeof head, file);
    if (fstat(fileno(file), &st) != 0 || !S_ISREG(st.st_mode))
        got = 0;
    fclose(file);
    if (got < sizeof head || memcmp(head, "RIFF", 4) != 0)
        return STF_OK;
    said = head[4] | (uint32_t)head[5] << 8 | (uint32_t)head[6] << 16
           | (uint32_t)head[7] << 24;
    /* Programs that write to a pipe set the length to 0 or 2^32-1. */
    if (said == 0 || said == UINT32_MAX
        || (uint64_t)st.st_size >= (uint64_t)said + 8)
        return STF_OK;
    return stfi_error(STF_ERR_IO,
                      "%s is truncated: it has %" PRId64 " bytes of %" PRIu64,
                      path, (int64_t)st.st_size, (uint64_t)said + 8);
}

/* Reads interleaved frames and puts each channel into a row of its own. */
static stf_status read_frames(const char *path, SNDFILE *file, stfi_array *a)
{
    int64_t channels = a->n[0], frames = a->n[1], done = 0;
    double *chunk;
    void *memory;
    stf_status status = stfi_alloc_raw(
        (size_t)(CHUNK_FRAMES * channels) * sizeof *chunk, "sound", &memory);

    if (status != STF_OK)
        return status;
    chunk = memory;
    while (done < frames) {
        sf_count_t got = sf_readf_double(file, chunk, CHUNK_FRAMES);
        if (got <= 0)
            break;
        if (got > frames - done)
            got = frames - done;
        for (sf_count_t f = 0; f < got; f++)
            for (int64_t c = 0; c < channels; c++)
                stfi_type_write(a->precision, a->data, c * frames + done + f,
                                chunk[f * channels + c]);
        done += got;
    }
    stfi_dealloc(memory);
    return done == frames ? STF_OK
                          : stfi_error(STF_ERR_IO,
                                       "%s is truncated: %" PRId64
                                       " of %" PRId64 " samples could be read",
                                       path, done, frames);
}

stf_status stfi_wav_read(const char *path, stfi_array *a_p)
{
    SF_INFO info = {0};
    stfi_array a = {.precision = a_p->precision, .rank = 2};
    SNDFILE *file;
    stf_status status = check_length(path);

    if (status != STF_OK)
        return status;
    file = sf_open(path, SFM_READ, &info);
    if (file == NULL)
        return stfi_error(STF_ERR_IO,
                          "%s is not a sound file that can be "
                          "read: %s",
                          path, sf_strerror(NULL));
    if (info.frames < 1 || info.channels < 1) {
        sf_close(file);
        return stfi_error(STF_ERR_IO, "%s has no samples", path);
    }
    a.n[0] = info.channels;
    a.n[1] = info.frames;
    a.rate = info.samplerate;
    status = stfi_array_alloc(&a);
    if (status == STF_OK)
        status = read_frames(path, file, &a);
    sf_close(file);
    if (status == STF_OK)
        *a_p = a;
    else
        stfi_array_free(&a);
    return status;
}

#else /* !HAVE_SNDFILE */

stf_status stfi_wav_read(const char *path, stfi_array *a_p)
{
    (void)a_p;
    return stfi_error(STF_ERR_IO,
                      "%s is a sound file, and this build has no "
                      "libsndfile; install it and configure "
                      "--with-sndfile",
                      path);
}

#endif
