/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reads any text as wisdom. What is read is valid, and printed, reads as the same
 * again. */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "tests/fuzz/fuzz.h"
#include "wisdom/list.h"

enum { MOST_BYTES = 4096, TEXT_BYTES = 2 * MOST_BYTES };

/* Compares a list with what its text reads as. */
static void read_again(const stfi_wisdom_list *list)
{
    char text[TEXT_BYTES];
    size_t bytes = stfi_wisdom_list_print(list, text, sizeof text);
    stfi_wisdom_list again = {0, 0, 0, NULL};
    stfi_wisdom_tally tally;

    if (bytes >= sizeof text)
        fuzz_fail("%zu bytes printed", bytes);
    if (stfi_wisdom_list_read(&again, text, bytes, &tally) != STF_OK
        || tally.ignored != 0 || again.count != list->count
        || again.bytes != list->bytes)
        fuzz_fail("printed, but not read: %s", stf_error_message());
    for (int i = 0; i < list->count; i++)
        if (strcmp(again.entry[i].key, list->entry[i].key) != 0
            || strcmp(again.entry[i].value, list->entry[i].value) != 0)
            fuzz_fail("%s is read as %s", list->entry[i].key,
                      again.entry[i].key);
    stfi_wisdom_list_clear(&again);
}

static void use(const stfi_wisdom_list *list, const stfi_wisdom_tally *tally)
{
    if (list->count > tally->taken
        || (tally->ignored > 0) != (tally->first_ignored > 1))
        fuzz_fail("%d entries of %lld lines", list->count,
                  (long long)tally->taken);
    for (int i = 0; i < list->count; i++)
        if (!stfi_wisdom_is_key(list->entry[i].key)
            || !stfi_wisdom_is_value(list->entry[i].value))
            fuzz_fail("an entry \"%s\"", list->entry[i].key);
    read_again(list);
}

/* The first byte says whether the first line is there already. */
static void run(const uint8_t *data, size_t size)
{
    const size_t head = sizeof STFI_WISDOM_HEAD - 1;
    fuzz_bytes b = {data, size};
    int whole = fuzz_byte(&b) % 4 == 0;
    stfi_wisdom_list list = {0, 0, 0, NULL};
    stfi_wisdom_tally tally;
    char *text = malloc(head + b.left + 1);

    if (text == NULL)
        return;
    memcpy(text, STFI_WISDOM_HEAD, head);
    if (b.left > 0)
        memcpy(text + (whole ? 0 : head), b.at, b.left);
    if (stfi_wisdom_list_read(&list, text, b.left + (whole ? 0 : head), &tally)
        == STF_OK)
        use(&list, &tally);
    else if (stf_error_message()[0] == '\0' || list.count > 0)
        fuzz_fail("refused without a message, or in part");
    stfi_wisdom_list_clear(&list);
    free(text);
}

const fuzz_target fuzz_wisdom = {"wisdom", MOST_BYTES, run};
