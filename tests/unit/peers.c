/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Peers that need what a machine may lack: what they say then, and how the one
 * that is a process of its own is talked to, by a script in its place. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fft/desc.h"
#include "support/peers/peer.h"
#include "support/peers/vkfft/module.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

/* A process that can do DCT2 only, and ends when it is asked for 99. */
static const char script[] =
    "#!/bin/sh\n"
    "echo ready 1.0\n"
    "while read -r what rest; do\n"
    "    case \"$what $rest\" in\n"
    "    'plan dct2 f32 0 3 8 4') echo ok ;;\n"
    "    plan*) echo error unsupported \"no $rest\" ;;\n"
    "    'time 99') exit 0 ;;\n"
    "    'time 98') echo seconds never ;;\n"
    "    'time 97') echo error memory out of it ;;\n"
    "    time*) echo seconds 0.25 ;;\n"
    "    esac\n"
    "done\n";

static int says(const char *text)
{
    int right = strstr(stf_error_message(), text) != NULL;

    if (!right)
        printf("# %s\n", stf_error_message());
    return right;
}

/* Puts a python3 with these lines into a new folder, and nothing else on the
 * path but a shell's programs. */
static int install(const char *folder, const char *lines)
{
    char name[256];
    FILE *file;

    snprintf(name, sizeof name, "%s/python3", folder);
    file = fopen(name, "w");
    if (file == NULL)
        return 0;
    fputs(lines, file);
    return fclose(file) == 0 && chmod(name, 0700) == 0;
}

/* `gap`: reals between the transforms of the input. */
static stf_status plan(stfi_peer *peer, const char *word, int gap,
                       stfi_peer_plan **plan_p)
{
    float in, out;
    stfi_problem p;
    stf_fft_desc full;
    stf_status status = stfi_problem_parse(word, &p);

    if (status == STF_OK)
        status = stfi_desc_complete(&p.desc, &full);
    if (status == STF_OK)
        full.in.dist += gap;
    return status == STF_OK ? stfi_peer_plan_fft(peer, &full, STF_FORWARD, &in,
                                                 &out, 1, 1, plan_p)
                            : status;
}

static void test_times(stfi_peer_plan *p)
{
    double seconds = 0;

    tap_ok(stfi_peer_is_apart(p)
               && stfi_peer_execute(p, NULL) == STF_ERR_UNSUPPORTED,
           "its arrays are its own");
    tap_ok(stfi_peer_time(p, 5, &seconds) == STF_OK
               && fabs(seconds - 0.25) < 1e-9,
           "a time");
    tap_ok(stfi_peer_time(p, 98, &seconds) == STF_ERR_DEVICE && says("never"),
           "no time");
    tap_ok(stfi_peer_time(p, 97, &seconds) == STF_ERR_MEMORY
               && says("out of it"),
           "an error of the script");
    tap_ok(stfi_peer_time(p, 99, &seconds) == STF_ERR_IO
               && says("without an answer"),
           "a script that ends");
}

static void test_script(const char *folder)
{
    stfi_peer *peer = NULL;
    stfi_peer_plan *p = NULL;

    if (!tap_ok(install(folder, script)
                    && stfi_peer_open("cupy", "cuda:0", &peer) == STF_OK,
                "a script is started"))
        return;
    tap_ok(plan(peer, "dct2:f32:out:16*3", 0, &p) == STF_ERR_UNSUPPORTED
               && says("no dct2 f32 0 3 16"),
           "what it cannot do");
    tap_ok(plan(peer, "r2r=dct2+dst2:f32:out:8x4*3", 0, &p)
                   == STF_ERR_UNSUPPORTED
               && says("same kind"),
           "kinds that differ");
    tap_ok(plan(peer, "dct2:f32:out:8*3", 1, &p) == STF_ERR_UNSUPPORTED
               && says("packed"),
           "arrays with gaps");
    if (tap_ok(plan(peer, "dct2:f32:out:8x4*3", 0, &p) == STF_OK, "a plan")) {
        test_times(p);
        stfi_peer_plan_destroy(p);
    }
    stfi_peer_close(peer);
}

/* Opens a peer that cannot be there: the message says what is missing. */
static void test_missing(const char *name, const char *device,
                         stf_status status, const char *text)
{
    stfi_peer *peer = NULL;

    tap_ok(stfi_peer_open(name, device, &peer) == status && says(text)
               && peer == NULL,
           "%s on %s: %s", name, device, text);
}

/* Descriptors as problems of VkFFT's, of versions with and without halves; or what
 * is refused, and why. */
static void test_vkfft(void)
{
    static const stfi_vkfft_module modern = {1, 1, NULL, NULL, NULL};
    static const stfi_vkfft_module old = {0, 0, NULL, NULL, NULL};
    static const struct {
        const char *word;
        const stfi_vkfft_module *module;
        int bytes; /* of a component; 0: refused */
        const char *reason;
    } rows[] = {
        {"c2c:f16:out:8x4*3", &modern, 2, ""},
        {"dct2:f16:in:8*3", &modern, 2, ""},
        {"c2c:f32:out:8x4*3", &old, 4, ""},
        {"c2c:f64:out:8x4*3", &old, 8, ""},
        {"c2c:f16:out:8x4*3", &old, 0, "VkFFT 1.3.0"},
        {"c2c:bf16:out:8x4*3", &modern, 0, "f16, f32 and f64"},
        {"c2c:f80:out:8x4*3", &modern, 0, "f16, f32 and f64"},
        {"r2c:f16:out:8x4*3", &modern, 0, "r2c"},
        {"dst2:f32:out:8*3", &old, 0, "sine"},
        {"c2c:f16:out:2x2x2x2", &modern, 0, "3 axes"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stfi_vkfft_problem q = {.component_bytes = -1};
        stfi_problem p;
        stf_fft_desc full;
        stf_status status = stfi_problem_parse(rows[i].word, &p);

        if (status == STF_OK)
            status = stfi_desc_complete(&p.desc, &full);
        if (status == STF_OK)
            status =
                stfi_vkfft_set_problem(rows[i].module, &full, STF_FORWARD, &q);
        if (rows[i].bytes > 0)
            tap_ok(status == STF_OK && q.component_bytes == rows[i].bytes
                       && q.batch == 3 && q.n[0] == full.n[full.rank - 1]
                       && q.dct == 2 * (full.kind == STF_DCT2) && q.dst == 0,
                   "%s: components of %d bytes", rows[i].word, rows[i].bytes);
        else
            tap_ok(status == STF_ERR_UNSUPPORTED && says(rows[i].reason)
                       && q.component_bytes == -1,
                   "%s is refused: %s", rows[i].word, rows[i].reason);
    }
}

int main(void)
{
    char folder[] = "peers-XXXXXX", path[64], file[64];

    tap_begin("peers");
    if (!tap_ok(mkdtemp(folder) != NULL, "a folder"))
        return tap_end();
    snprintf(path, sizeof path, "%s:/bin:/usr/bin", folder);
    snprintf(file, sizeof file, "%s/python3", folder);
    test_missing("cupy", "cpu", STF_ERR_ARGUMENT, "runs on cuda");
    test_missing("vkfft", "cpu", STF_ERR_ARGUMENT, "runs on cuda");
    setenv("STEADFAST_VKFFT", "/nowhere/vkfft.so", 1);
    test_missing("vkfft", "cuda:0", STF_ERR_IO, "peer vkfft: ");
    setenv("PATH", folder, 1);
    test_missing("cupy", "cuda:0", STF_ERR_IO, "python3");
    setenv("PATH", path, 1);
    install(folder, "#!/bin/sh\nexit 0\n");
    test_missing("cupy", "cuda:0", STF_ERR_IO, "without an answer");
    install(folder, "#!/bin/sh\necho error device no GPU here\n");
    test_missing("cupy", "cuda:0", STF_ERR_DEVICE, "peer cupy: no GPU here");
    test_script(folder);
    test_vkfft();
    remove(file);
    rmdir(folder);
    return tap_end();
}
