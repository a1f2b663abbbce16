/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* CuPy as a peer: a script that python3 runs beside this process, with arrays of
 * its own, and that times itself. cupy_peer.py says what is exchanged. */
#include "support/peers/peer_ops.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/status.h"
#include "fft/desc.h"

extern const char stfi_cupy_script[]; /* made of cupy_peer.py */
extern char **environ;

enum { LINE_BYTES = 512 };

typedef struct peer {
    stfi_peer base;
    pid_t child;
    int channel;
} peer;

typedef struct peer_plan {
    stfi_peer_plan base;
    peer *peer;
} peer_plan;

/* ---------------------------------------------------------------- messages */

/* What the script calls an error, and what it is here. */
static const struct {
    const char *word;
    stf_status status;
} errors[] = {
    {"io", STF_ERR_IO},
    {"device", STF_ERR_DEVICE},
    {"memory", STF_ERR_MEMORY},
    {"unsupported", STF_ERR_UNSUPPORTED},
};

static stf_status complain(const char *text)
{
    size_t length = strcspn(text, " ");

    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strlen(errors[i].word) == length
            && strncmp(errors[i].word, text, length) == 0)
            return stfi_error(errors[i].status, "peer cupy: %s",
                              text + length + (text[length] == ' '));
    return stfi_error(STF_ERR_DEVICE, "peer cupy: %s", text);
}

static stf_status send_line(const peer *p, const char *line)
{
    size_t left = strlen(line);

    while (left > 0) {
        ssize_t sent = send(p->channel, line, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return stfi_error(STF_ERR_DEVICE, "peer cupy: python3 has ended");
        line += sent;
        left -= (size_t)sent;
    }
    return STF_OK;
}

/* Reads an answer, which begins with `want` and a blank or is an error; the rest
 * of the line is left in `rest`. */
static stf_status receive(const peer *p, const char *want,
                          char rest[LINE_BYTES])
{
    char line[LINE_BYTES];
    size_t used = 0, length = strlen(want);
    char byte = '\0';

    while (byte != '\n') {
        ssize_t got = recv(p->channel, &byte, 1, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return stfi_error(STF_ERR_IO,
                              "peer cupy: python3 ended without an answer");
        if (used < sizeof line - 1 && byte != '\n')
            line[used++] = byte;
    }
    line[used] = '\0';
    if (strncmp(line, "error ", 6) == 0)
        return complain(line + 6);
    if (strncmp(line, want, length) != 0)
        return stfi_error(STF_ERR_IO, "peer cupy: python3 answered \"%.80s\"",
                          line);
    snprintf(rest, LINE_BYTES, "%s", line + length);
    return STF_OK;
}

/* ----------------------------------------------------------------- process */

static stf_status spawn(peer *p, int theirs, const char *device)
{
    char name[] = "python3", command[] = "-c";
    char number[16];
    char *words[] = {name, command, (char *)(uintptr_t)stfi_cupy_script, number,
                     NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    snprintf(number, sizeof number, "%s", device);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, theirs, 0);
        if (error == 0)
            error = posix_spawn_file_actions_adddup2(&actions, theirs, 1);
        if (error == 0)
            error =
                posix_spawnp(&p->child, name, &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    return error == 0 ? STF_OK
                      : stfi_error(STF_ERR_IO,
                                   "peer cupy: python3 cannot be started: %s",
                                   strerror(error));
}

static void cupy_close(stfi_peer *base)
{
    peer *p = (peer *)base;

    close(p->channel);
    while (p->child > 0 && waitpid(p->child, NULL, 0) < 0 && errno == EINTR)
        ;
    free(p);
}

static stf_status cupy_open(int device, stfi_peer **peer_p)
{
    peer *p = calloc(1, sizeof *p);
    char number[16], version[LINE_BYTES];
    int ends[2];
    stf_status status;

    if (p == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of memory for a peer");
    p->base.ops = &stfi_peer_cupy;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        free(p);
        return stfi_error(STF_ERR_IO, "peer cupy: no socket: %s",
                          strerror(errno));
    }
    p->channel = ends[0];
    snprintf(number, sizeof number, "%d", device);
    status = spawn(p, ends[1], number);
    close(ends[1]);
    if (status == STF_OK)
        status = receive(p, "ready", version);
    if (status == STF_OK)
        *peer_p = &p->base;
    else
        cupy_close(&p->base);
    return status;
}

/* ------------------------------------------------------------------- plans */

/* 1 if all axes have the same kind, and arrays are packed. */
static stf_status check_problem(const stf_fft_desc *full,
                                stf_direction direction)
{
    int64_t in = 1, out = 1;
    int last = full->rank - 1, packed = 1;

    for (int a = 0; a < full->rank && stfi_kind_is_r2r(full->kind); a++)
        if (full->kinds[a] != full->kinds[0])
            return stfi_error(STF_ERR_UNSUPPORTED,
                              "peer cupy: all axes must have the same kind");
    if (full->kind == STF_C2C && direction == STF_INVERSE)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "peer cupy: inverse c2c is not wired up");
    for (int a = last; a >= 0; a--) {
        int half = a == last;
        packed =
            packed && full->in.stride[a] == in && full->out.stride[a] == out;
        in *= half && full->kind == STF_C2R ? full->n[a] / 2 + 1 : full->n[a];
        out *= half && full->kind == STF_R2C ? full->n[a] / 2 + 1 : full->n[a];
    }
    if (full->batch > 1)
        packed = packed && full->in.dist == in && full->out.dist == out;
    return packed ? STF_OK
                  : stfi_error(STF_ERR_UNSUPPORTED,
                               "peer cupy: its arrays are packed, and these "
                               "are not");
}

static stf_status request_plan(const peer *p, const stf_fft_desc *full,
                               int in_place)
{
    stf_kind kind = full->kind == STF_R2R ? full->kinds[0] : full->kind;
    char line[LINE_BYTES], rest[LINE_BYTES];
    int used = snprintf(
        line, sizeof line, "plan %s %s %d %lld", stfi_kind_get(kind)->name,
        stfi_type_get(full->precision)->name, in_place, (long long)full->batch);
    stf_status status;

    for (int a = 0; a < full->rank; a++)
        used += snprintf(line + used, sizeof line - (size_t)used, " %lld",
                         (long long)full->n[a]);
    snprintf(line + used, sizeof line - (size_t)used, "\n");
    status = send_line(p, line);
    return status == STF_OK ? receive(p, "ok", rest) : status;
}

static stf_status cupy_plan_fft(stfi_peer *base, const stf_fft_desc *full,
                                stf_direction direction, void *in, void *out,
                                int threads, int measure,
                                stfi_peer_plan **plan_p)
{
    peer_plan *plan;
    stf_status status = check_problem(full, direction);

    (void)threads, (void)measure;
    if (status == STF_OK)
        status = request_plan((const peer *)base, full, in == out);
    if (status != STF_OK)
        return status;
    plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of memory for a peer's plan");
    plan->base.ops = &stfi_peer_cupy;
    plan->peer = (peer *)base;
    *plan_p = &plan->base;
    return STF_OK;
}

static stf_status cupy_time(stfi_peer_plan *base, int count, double *seconds_p)
{
    const peer *p = ((peer_plan *)base)->peer;
    char line[LINE_BYTES], rest[LINE_BYTES];
    stf_status status;

    snprintf(line, sizeof line, "time %d\n", count);
    status = send_line(p, line);
    if (status == STF_OK)
        status = receive(p, "seconds", rest);
    if (status == STF_OK && !((*seconds_p = strtod(rest, NULL)) > 0.0))
        return stfi_error(STF_ERR_DEVICE, "peer cupy: a time of \"%.40s\"",
                          rest);
    return status;
}

static void cupy_plan_destroy(stfi_peer_plan *base)
{
    free(base);
}

const stfi_peer_ops stfi_peer_cupy = {
    .name = "cupy",
    .backend = "cuda",
    .open = cupy_open,
    .close = cupy_close,
    .plan_fft = cupy_plan_fft,
    .time = cupy_time,
    .plan_destroy = cupy_plan_destroy,
};
