/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Public calls on wisdom: arguments are checked here, work is done in
 * wisdom/. */
#include <string.h>

#include "base/status.h"
#include "wisdom/user_file.h"
#include "wisdom/wisdom.h"

static stf_status print(const stfi_wisdom_list *list, char *text,
                        size_t capacity, size_t *bytes_p)
{
    size_t bytes = stfi_wisdom_list_print(list, text, capacity) + 1;

    if (capacity > 0 && bytes > capacity)
        return stfi_error(STF_ERR_ARGUMENT,
                          "capacity is %zu; the whole text needs %zu bytes",
                          capacity, bytes);
    if (bytes_p != NULL)
        *bytes_p = bytes;
    return STF_OK;
}

stf_status stf_wisdom_export(char *text, size_t capacity, size_t *bytes_p)
{
    stfi_wisdom_list list = {0, 0, 0, NULL};
    stf_status status;

    if (text == NULL && capacity > 0)
        return stfi_error(STF_ERR_ARGUMENT, "text is NULL and capacity is %zu",
                          capacity);
    if (capacity == 0 && bytes_p == NULL)
        return stfi_error(STF_ERR_ARGUMENT,
                          "capacity is 0 and bytes_p is NULL");
    status = stfi_wisdom_copy(&list);
    if (status == STF_OK)
        status = print(&list, text, capacity, bytes_p);
    stfi_wisdom_list_clear(&list);
    return status;
}

stf_status stf_wisdom_export_file(const char *path)
{
    stfi_wisdom_list list = {0, 0, 0, NULL};
    stf_status status;

    if (path == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "path is NULL");
    status = stfi_wisdom_copy(&list);
    if (status == STF_OK)
        status = stfi_wisdom_write_file(path, &list);
    stfi_wisdom_list_clear(&list);
    return status;
}

/* Adds a list that was read with some status, and frees it. */
static stf_status take(stf_status status, stfi_wisdom_list *list,
                       const stfi_wisdom_tally *tally, int64_t *taken_p,
                       int64_t *ignored_p)
{
    if (status == STF_OK)
        status = stfi_wisdom_add(list);
    stfi_wisdom_list_clear(list);
    if (status == STF_OK && taken_p != NULL)
        *taken_p = tally->taken;
    if (status == STF_OK && ignored_p != NULL)
        *ignored_p = tally->ignored;
    return status;
}

stf_status stf_wisdom_import(const char *text, int64_t *taken_p,
                             int64_t *ignored_p)
{
    stfi_wisdom_list list = {0, 0, 0, NULL};
    stfi_wisdom_tally tally;
    stf_status status;

    if (text == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "text is NULL");
    status = stfi_wisdom_list_read(&list, text, strlen(text), &tally);
    return take(status, &list, &tally, taken_p, ignored_p);
}

stf_status stf_wisdom_import_file(const char *path, int64_t *taken_p,
                                  int64_t *ignored_p)
{
    stfi_wisdom_list list = {0, 0, 0, NULL};
    stfi_wisdom_tally tally;
    stf_status status;

    if (path == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "path is NULL");
    status = stfi_wisdom_read_file(path, &list, &tally);
    return take(status, &list, &tally, taken_p, ignored_p);
}

void stf_wisdom_forget(void)
{
    stfi_wisdom_drop();
}
