/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reads code objects; see object.h. They come from the tests' own compiler, so
 * that damaged ones are refused only as far as nothing outside of them is
 * read. */
#include "tests/isa/object.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

typedef struct object {
    const unsigned char *data;
    size_t bytes;
    Elf64_Ehdr head;
} object;

static int is_inside(const object *o, uint64_t at, uint64_t bytes)
{
    return at <= o->bytes && bytes <= o->bytes - at;
}

static int open_object(const void *image, size_t bytes, object *o)
{
    *o = (object){.data = image, .bytes = bytes};
    if (bytes < sizeof o->head)
        return 0;
    memcpy(&o->head, image, sizeof o->head);
    return memcmp(o->head.e_ident, ELFMAG, SELFMAG) == 0
           && o->head.e_machine == 224 /* AMDGPU */
           && is_inside(o, o->head.e_shoff,
                        (uint64_t)o->head.e_shnum * sizeof(Elf64_Shdr))
           && is_inside(o, o->head.e_phoff,
                        (uint64_t)o->head.e_phnum * sizeof(Elf64_Phdr));
}

static Elf64_Phdr segment(const object *o, int i)
{
    Elf64_Phdr p;

    memcpy(&p, o->data + o->head.e_phoff + (size_t)i * sizeof p, sizeof p);
    return p;
}

static Elf64_Shdr section(const object *o, int i)
{
    Elf64_Shdr s;

    memcpy(&s, o->data + o->head.e_shoff + (size_t)i * sizeof s, sizeof s);
    return s;
}

/* ----------------------------------------------------------------- loading */

uint64_t isa_object_size(const void *image, size_t bytes)
{
    uint64_t size = 0;
    object o;

    if (!open_object(image, bytes, &o))
        return 0;
    for (int i = 0; i < o.head.e_phnum; i++) {
        Elf64_Phdr p = segment(&o, i);
        if (p.p_type == PT_LOAD && p.p_vaddr + p.p_memsz > size)
            size = p.p_vaddr + p.p_memsz;
    }
    return size;
}

void isa_object_load(const void *image, size_t bytes, void *to)
{
    object o;

    if (!open_object(image, bytes, &o))
        return;
    for (int i = 0; i < o.head.e_phnum; i++) {
        Elf64_Phdr p = segment(&o, i);
        if (p.p_type == PT_LOAD && is_inside(&o, p.p_offset, p.p_filesz))
            memcpy((char *)to + p.p_vaddr, o.data + p.p_offset, p.p_filesz);
    }
}

/* ----------------------------------------------------------------- symbols */

/* Finds the address of a symbol; 0 if there is none. */
static uint64_t find_symbol(const object *o, const char *name)
{
    for (int i = 0; i < o->head.e_shnum; i++) {
        Elf64_Shdr s = section(o, i), names;

        if (s.sh_type != SHT_DYNSYM || s.sh_link >= o->head.e_shnum
            || !is_inside(o, s.sh_offset, s.sh_size))
            continue;
        names = section(o, (int)s.sh_link);
        for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= s.sh_size;
             at += sizeof(Elf64_Sym)) {
            Elf64_Sym y;
            memcpy(&y, o->data + s.sh_offset + at, sizeof y);
            if (is_inside(o, names.sh_offset + y.st_name, strlen(name) + 1)
                && strcmp((const char *)o->data + names.sh_offset + y.st_name,
                          name)
                       == 0)
                return y.st_value;
        }
    }
    return 0;
}

/* Copies bytes of the loaded object; 0 if they are not there. */
static int copy_loaded(const object *o, uint64_t at, void *to, uint64_t bytes)
{
    for (int i = 0; i < o->head.e_phnum; i++) {
        Elf64_Phdr p = segment(o, i);
        if (p.p_type == PT_LOAD && at >= p.p_vaddr
            && at + bytes <= p.p_vaddr + p.p_filesz
            && is_inside(o, p.p_offset, p.p_filesz)) {
            memcpy(to, o->data + p.p_offset + (at - p.p_vaddr), bytes);
            return 1;
        }
    }
    return 0;
}

stf_status isa_object_start(const void *image, size_t bytes, const char *entry,
                            isa_start *start_p)
{
    unsigned char kd[64];
    char name[320];
    object o;
    int64_t offset;
    uint64_t at;

    snprintf(name, sizeof name, "%s.kd", entry);
    if (!open_object(image, bytes, &o) || (at = find_symbol(&o, name)) == 0
        || !copy_loaded(&o, at, kd, sizeof kd))
        return stfi_error(STF_ERR_ARGUMENT, "the code object has no kernel %s",
                          entry);
    memset(start_p, 0, sizeof *start_p);
    memcpy(&offset, kd + 16, 8);
    start_p->entry = at + (uint64_t)offset;
    memcpy(&start_p->resources, kd + 52, 4);
    memcpy(&start_p->properties, kd + 56, 2);
    memcpy(&start_p->preload, kd + 58, 2);
    return STF_OK;
}
