/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lists of wisdom and their text; see list.h. */
#include "wisdom/list.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"

/* Returns 1 if all characters are printable, of which there are some. */
static int is_printable(const char *text, int least)
{
    size_t length = 0;

    for (; text[length] != '\0'; length++)
        if (text[length] < least || text[length] > '~')
            return 0;
    return length > 0 && length < STFI_WISDOM_TEXT_BYTES;
}

int stfi_wisdom_is_key(const char *text)
{
    return is_printable(text, '!') && text[0] != '#';
}

int stfi_wisdom_is_value(const char *text)
{
    return is_printable(text, ' ') && text[0] != ' '
           && text[strlen(text) - 1] != ' ';
}

static size_t entry_bytes(const stfi_wisdom_entry *e)
{
    return strlen(e->key) + strlen(e->value) + 2;
}

static void drop(stfi_wisdom_list *list, int i)
{
    list->bytes -= entry_bytes(&list->entry[i]);
    stfi_dealloc(list->entry[i].key);
    list->count--;
    memmove(&list->entry[i], &list->entry[i + 1],
            (size_t)(list->count - i) * sizeof *list->entry);
}

void stfi_wisdom_list_clear(stfi_wisdom_list *list)
{
    for (int i = 0; i < list->count; i++)
        stfi_dealloc(list->entry[i].key);
    stfi_dealloc(list->entry);
    *list = (stfi_wisdom_list){0, 0, 0, NULL};
}

static int find(const stfi_wisdom_list *list, const char *key)
{
    uint64_t hash = stfi_hash_text(key);
    int i = list->count - 1;

    while (i >= 0
           && (list->entry[i].hash != hash
               || strcmp(list->entry[i].key, key) != 0))
        i--;
    return i;
}

const char *stfi_wisdom_list_find(const stfi_wisdom_list *list, const char *key)
{
    int i = find(list, key);

    return i >= 0 ? list->entry[i].value : NULL;
}

/* Makes room for one more entry. */
static stf_status grow(stfi_wisdom_list *list)
{
    int capacity = list->capacity > 0 ? 2 * list->capacity : 16;
    void *mem;
    stf_status status;

    if (list->count < list->capacity)
        return STF_OK;
    status = stfi_alloc((size_t)capacity * sizeof *list->entry, "wisdom", &mem);
    if (status != STF_OK)
        return status;
    if (list->count > 0)
        memcpy(mem, list->entry, (size_t)list->count * sizeof *list->entry);
    stfi_dealloc(list->entry);
    list->entry = mem;
    list->capacity = capacity;
    return STF_OK;
}

static stf_status make_entry(const char *key, const char *value,
                             stfi_wisdom_entry *e_p)
{
    size_t key_bytes = strlen(key) + 1, value_bytes = strlen(value) + 1;
    void *mem;
    stf_status status = stfi_alloc(key_bytes + value_bytes, "wisdom", &mem);

    if (status != STF_OK)
        return status;
    e_p->hash = stfi_hash_text(key);
    e_p->key = mem;
    memcpy(e_p->key, key, key_bytes);
    memcpy(e_p->key + key_bytes, value, value_bytes);
    e_p->value = e_p->key + key_bytes;
    return STF_OK;
}

stf_status stfi_wisdom_list_put(stfi_wisdom_list *list, const char *key,
                                const char *value)
{
    const size_t most = STFI_WISDOM_MOST_BYTES - sizeof STFI_WISDOM_HEAD;
    stfi_wisdom_entry e;
    stf_status status;
    int old;

    if (!stfi_wisdom_is_key(key) || !stfi_wisdom_is_value(value))
        return stfi_error(STF_ERR_ARGUMENT,
                          "wisdom: a key is a word and a value is a line, of "
                          "fewer than %d printable characters each",
                          STFI_WISDOM_TEXT_BYTES);
    if ((status = grow(list)) != STF_OK
        || (status = make_entry(key, value, &e)) != STF_OK)
        return status;
    old = find(list, key);
    if (old >= 0)
        drop(list, old);
    list->entry[list->count++] = e;
    list->bytes += entry_bytes(&e);
    while (list->bytes > most)
        drop(list, 0);
    return STF_OK;
}

stf_status stfi_wisdom_list_merge(stfi_wisdom_list *list,
                                  const stfi_wisdom_list *other)
{
    stf_status status = STF_OK;

    for (int i = 0; i < other->count && status == STF_OK; i++)
        status = stfi_wisdom_list_put(list, other->entry[i].key,
                                      other->entry[i].value);
    return status;
}

/* ------------------------------------------------------------------- text */

/* Adds the entry of a line. Returns ARGUMENT if it is none. */
static stf_status read_line(stfi_wisdom_list *list, const char *line,
                            size_t length)
{
    char copy[2 * STFI_WISDOM_TEXT_BYTES];
    char *space;

    if (length >= sizeof copy || memchr(line, '\0', length) != NULL)
        return STF_ERR_ARGUMENT;
    memcpy(copy, line, length);
    copy[length] = '\0';
    space = strchr(copy, ' ');
    if (space == NULL)
        return STF_ERR_ARGUMENT;
    *space = '\0';
    return stfi_wisdom_list_put(list, copy, space + 1);
}

stf_status stfi_wisdom_list_read(stfi_wisdom_list *list, const char *text,
                                 size_t bytes, stfi_wisdom_tally *tally_p)
{
    const size_t head = sizeof STFI_WISDOM_HEAD - 1;
    const char *end = text + bytes;
    stfi_wisdom_tally tally = {0, 0, 0};

    if (bytes > STFI_WISDOM_MOST_BYTES)
        return stfi_error(STF_ERR_ARGUMENT,
                          "wisdom of %zu bytes is too long; there may be %d",
                          bytes, STFI_WISDOM_MOST_BYTES);
    if (bytes < head || memcmp(text, STFI_WISDOM_HEAD, head) != 0)
        return stfi_error(STF_ERR_ARGUMENT,
                          "this is not wisdom of this version, which begins "
                          "with the line \"%.*s\"",
                          (int)head - 1, STFI_WISDOM_HEAD);
    text += head;
    for (int64_t number = 2; text < end; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop != NULL ? stop : end) - text);
        stf_status status = STF_OK;

        if (length > 0 && text[0] != '#') {
            status = read_line(list, text, length);
            tally.taken += status == STF_OK;
        }
        if (status == STF_ERR_MEMORY)
            return status;
        if (status != STF_OK && tally.ignored++ == 0)
            tally.first_ignored = number;
        text += length + (stop != NULL);
    }
    *tally_p = tally;
    return STF_OK;
}

size_t stfi_wisdom_list_print(const stfi_wisdom_list *list, char *text,
                              size_t capacity)
{
    stfi_text w = {text, capacity, 0};

    stfi_text_put(&w, "%s", STFI_WISDOM_HEAD);
    for (int i = 0; i < list->count; i++)
        stfi_text_put(&w, "%s %s\n", list->entry[i].key, list->entry[i].value);
    return w.length;
}
