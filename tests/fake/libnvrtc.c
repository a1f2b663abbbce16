/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A version of NVRTC for tests, which claims to be of CUDA 11.8 and knows few
 * architectures. Its machine code and PTX are only texts that say for which
 * architecture they are. With FAKE_OLD it claims to be of CUDA 11.6. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;

enum { DONE = 0, OUT_OF_MEMORY = 1, INVALID_OPTION = 5 };

#define EXPORT __attribute__((visibility("default")))
#define STFI_NVRTC_CALL(name, parameters) EXPORT nvrtcResult name parameters;
#include "backends/cuda/nvrtc_api.def"
#undef STFI_NVRTC_CALL

struct _nvrtcProgram {
    char arch[32]; /* "sm_80" */
};

static const int known[] = {75, 80, 86};

enum { KNOWN = sizeof known / sizeof *known };

nvrtcResult nvrtcVersion(int *major_p, int *minor_p)
{
    *major_p = 11;
#ifdef FAKE_OLD
    *minor_p = 6;
#else
    *minor_p = 8;
#endif
    return DONE;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count_p)
{
    *count_p = KNOWN;
    return DONE;
}

nvrtcResult nvrtcGetSupportedArchs(int *archs)
{
    memcpy(archs, known, sizeof known);
    return DONE;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program_p, const char *text,
                               const char *name, int count,
                               const char *const *headers,
                               const char *const *names)
{
    (void)text, (void)name, (void)count, (void)headers, (void)names;
    *program_p = calloc(1, sizeof **program_p);
    return *program_p != NULL ? DONE : OUT_OF_MEMORY;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program_p)
{
    free(*program_p);
    *program_p = NULL;
    return DONE;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count,
                                const char *const *options)
{
    const char *arch = count > 0 ? strchr(options[0], '=') : NULL;
    const char *number = arch != NULL ? strchr(arch, '_') : NULL;

    for (int i = 0; number != NULL && i < KNOWN; i++)
        if (atoi(number + 1) == known[i]) {
            snprintf(program->arch, sizeof program->arch, "%s", arch + 1);
            return DONE;
        }
    return INVALID_OPTION;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes_p)
{
    (void)program;
    *bytes_p = 1;
    return DONE;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    (void)program;
    log[0] = '\0';
    return DONE;
}

static const char cubin[] = "\177ELF of ";
static const char ptx[] = "// .entry of ";

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes_p)
{
    *bytes_p = sizeof cubin + strlen(program->arch);
    return strncmp(program->arch, "sm_", 3) == 0 ? DONE : INVALID_OPTION;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *image)
{
    memcpy(image, cubin, sizeof cubin - 1);
    memcpy(image + sizeof cubin - 1, program->arch, strlen(program->arch) + 1);
    return DONE;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes_p)
{
    *bytes_p = sizeof ptx + strlen(program->arch);
    return DONE;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *image)
{
    memcpy(image, ptx, sizeof ptx - 1);
    memcpy(image + sizeof ptx - 1, program->arch, strlen(program->arch) + 1);
    return DONE;
}
