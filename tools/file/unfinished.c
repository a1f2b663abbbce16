/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Removes a temporary file when a signal ends the process; see
 * unfinished.h. */
#include "tools/file/unfinished.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static const int deadly[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1, SIGUSR2,
                             SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ};

/* Any thread may get the signal, so that this is atomic. */
static const char *_Atomic unfinished;

/* The kernel has reset the signal to its default action, and blocks it until
 * this function returns: what is raised here ends the process then. */
static void remove_and_die(int number)
{
    const char *path = atomic_load(&unfinished);

    if (path != NULL)
        unlink(path);
    raise(number);
}

/* A signal that whoever started the process lets it ignore stays ignored. */
static void catch_signals(void)
{
    struct sigaction ours = {.sa_flags = (int)SA_RESETHAND}, before;

    ours.sa_handler = remove_and_die;
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        if (sigaction(deadly[i], NULL, &before) == 0
            && before.sa_handler == SIG_DFL)
            sigaction(deadly[i], &ours, NULL);
}

void stfi_unfinished_set(const char *path)
{
    static int caught;

    if (!caught)
        catch_signals();
    caught = 1;
    atomic_store(&unfinished, path);
}
