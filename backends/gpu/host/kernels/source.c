/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sources for compilers, and their logs; see source.h. */
#include "backends/gpu/host/kernels/source.h"

#include <string.h>

stfi_gpu_source stfi_gpu_source_of(const char *config)
{
    return (stfi_gpu_source){
        .program = stfi_gpu_program(config),
        .files = stfi_gpu_files,
        .config = config,
    };
}

stf_status stfi_gpu_headers_of(const stfi_gpu_source *source,
                               stfi_gpu_headers *headers_p)
{
    int count = 1;

    headers_p->text[0] = source->config;
    headers_p->name[0] = "config.h";
    for (const stfi_gpu_file *f = source->files; f->name != NULL; f++) {
        if (count == STFI_GPU_MOST_HEADERS)
            return stfi_error(STF_ERR_INTERNAL, "more than %d kernel files",
                              STFI_GPU_MOST_HEADERS);
        headers_p->text[count] = f->data;
        headers_p->name[count++] = f->name;
    }
    headers_p->count = count;
    return STF_OK;
}

/* Cuts a text after its first `lines` lines and joins these to one line, with
 * one blank in place of any blanks and line ends. */
static void flatten(char *text, int lines)
{
    size_t length = 0;

    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\n' && --lines == 0)
            break;
        if (*c != '\n' && *c != ' ')
            text[length++] = *c;
        else if (length > 0 && text[length - 1] != ' ')
            text[length++] = ' ';
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
}

const char *stfi_gpu_log_line(char *log)
{
    char *error = strstr(log, "error");

    if (error != NULL)
        while (error > log && error[-1] != '\n')
            error--;
    else
        error = log;
    flatten(error, 2);
    return error;
}
