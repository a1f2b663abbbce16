/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A list of guarded allocations; see memory.h. */
#include "tests/simt/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/simt/guarded.h"

void *stfi_simt_memory_add(stfi_simt_memory *m, size_t bytes)
{
    stfi_simt_block *b = malloc(sizeof *b);

    if (b == NULL)
        return NULL;
    b->data = stfi_guarded_alloc(bytes);
    b->bytes = bytes;
    b->next = m->first;
    if (b->data == NULL) {
        free(b);
        return NULL;
    }
    stfi_guarded_lock(b->data, bytes, 1);
    m->first = b;
    return b->data;
}

static void destroy(stfi_simt_block *b)
{
    stfi_guarded_free(b->data, b->bytes);
    free(b);
}

int stfi_simt_memory_remove(stfi_simt_memory *m, void *data)
{
    stfi_simt_block **at = &m->first, *b;

    while (*at != NULL && (*at)->data != data)
        at = &(*at)->next;
    if (*at == NULL)
        return 0;
    b = *at;
    *at = b->next;
    destroy(b);
    return 1;
}

void stfi_simt_memory_clear(stfi_simt_memory *m)
{
    while (m->first != NULL) {
        stfi_simt_block *b = m->first;
        m->first = b->next;
        destroy(b);
    }
}

int stfi_simt_memory_has(const stfi_simt_memory *m, const void *data,
                         size_t bytes)
{
    uintptr_t at = (uintptr_t)data;
    const stfi_simt_block *b;

    for (b = m->first; b != NULL; b = b->next) {
        uintptr_t first = (uintptr_t)b->data;
        if (at >= first && at - first <= b->bytes
            && bytes <= b->bytes - (at - first))
            return 1;
    }
    return 0;
}

void stfi_simt_memory_lock(const stfi_simt_memory *m, int locked)
{
    const stfi_simt_block *b;

    for (b = m->first; b != NULL; b = b->next)
        stfi_guarded_lock(b->data, b->bytes, locked);
}

int stfi_simt_memory_check(const stfi_simt_memory *m)
{
    const stfi_simt_block *b;
    int good = 1;

    for (b = m->first; b != NULL; b = b->next)
        good = stfi_guarded_check(b->data, b->bytes) && good;
    return good;
}

char *stfi_simt_memory_save(const stfi_simt_memory *m)
{
    const stfi_simt_block *b;
    size_t bytes = 1;
    char *saved, *at;

    for (b = m->first; b != NULL; b = b->next)
        bytes += b->bytes;
    at = saved = malloc(bytes);
    for (b = m->first; saved != NULL && b != NULL; b = b->next) {
        memcpy(at, b->data, b->bytes);
        at += b->bytes;
    }
    return saved;
}

void stfi_simt_memory_restore(const stfi_simt_memory *m, const char *saved)
{
    const stfi_simt_block *b;

    for (b = m->first; b != NULL; b = b->next) {
        memcpy(b->data, saved, b->bytes);
        saved += b->bytes;
    }
}

int stfi_simt_memory_equals(const stfi_simt_memory *m, const char *saved,
                            size_t *offset_p)
{
    const stfi_simt_block *b;
    size_t i;

    for (b = m->first; b != NULL; b = b->next) {
        if (memcmp(b->data, saved, b->bytes) != 0) {
            for (i = 0; ((char *)b->data)[i] == saved[i]; i++)
                continue;
            *offset_p = i;
            return 0;
        }
        saved += b->bytes;
    }
    return 1;
}
