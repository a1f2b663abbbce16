/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A version of hipRTC for tests, which knows gfx90a only, and ends the process
 * for any other architecture, as that of ROCm 5 does. Its code is a text that
 * says for which architecture it is and in how many files the program was. With
 * FAKE_OLD it lacks hiprtcGetCode. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int hiprtcResult;
typedef struct _hiprtcProgram *hiprtcProgram;

enum { DONE = 0, OUT_OF_MEMORY = 1, COMPILATION = 6 };

#define EXPORT __attribute__((visibility("default")))
#define STFI_HIPRTC_CALL(name, parameters) EXPORT hiprtcResult name parameters;
#include "backends/hip/hiprtc_api.def"
#undef STFI_HIPRTC_CALL

struct _hiprtcProgram {
    int files, wrong;
    char code[64];
};

static const char log_text[] = "In file included from kernel.hip:1:\n"
                               "helper.h:3:1: error: wrong\nhere\n^\n";

hiprtcResult hiprtcVersion(int *major_p, int *minor_p)
{
    *major_p = 9;
    *minor_p = 0;
    return DONE;
}

hiprtcResult hiprtcCreateProgram(hiprtcProgram *program_p, const char *text,
                                 const char *name, int count,
                                 const char **headers, const char **names)
{
    (void)name, (void)headers, (void)names;
    *program_p = calloc(1, sizeof **program_p);
    if (*program_p == NULL)
        return OUT_OF_MEMORY;
    (*program_p)->files = count;
    (*program_p)->wrong = strstr(text, "wrong") != NULL;
    return DONE;
}

hiprtcResult hiprtcDestroyProgram(hiprtcProgram *program_p)
{
    free(*program_p);
    *program_p = NULL;
    return DONE;
}

hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count,
                                  const char **options)
{
    static const char known[] = "--offload-arch=gfx90a";

    if (count < 1 || strcmp(options[0], known) != 0)
        abort();
    snprintf(program->code, sizeof program->code, "\177ELF of %s, %d files",
             options[0] + 15, program->files);
    return program->wrong ? COMPILATION : DONE;
}

hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t *bytes_p)
{
    *bytes_p = program->wrong ? sizeof log_text : 1;
    return DONE;
}

hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char *log)
{
    memcpy(log, program->wrong ? log_text : "",
           program->wrong ? sizeof log_text : 1);
    return DONE;
}

hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t *bytes_p)
{
    *bytes_p = strlen(program->code) + 1;
    return DONE;
}

#ifndef FAKE_OLD
hiprtcResult hiprtcGetCode(hiprtcProgram program, char *image)
{
    memcpy(image, program->code, strlen(program->code) + 1);
    return DONE;
}
#endif
