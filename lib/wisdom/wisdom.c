/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The wisdom of this process; see wisdom.h. */
#include "wisdom/wisdom.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "wisdom/user_file.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Behind the lock. */
static struct {
    stfi_wisdom_list known;
    stfi_wisdom_list unsaved; /* what is not yet in the user's file */
    int read; /* 1: the user's file was read, or is not wanted */
    char remark[STFI_WISDOM_PATH_BYTES + 512];
} state;

/* Notes why the user's file is not used. */
static void note_place(const stfi_wisdom_place *place)
{
    snprintf(state.remark, sizeof state.remark, "%s%s%s is not used: %s",
             place->folder, place->name[0] != '\0' ? "/" : "a wisdom file",
             place->name, place->reason);
}

/* Reads the user's file in the first call. */
static void read_once(void)
{
    stfi_wisdom_tally tally;
    stfi_wisdom_place place;

    if (state.read)
        return;
    state.read = 1;
    stfi_wisdom_place_find(&place);
    if (stfi_wisdom_place_read(&place, &state.known, &tally) != STF_OK)
        snprintf(state.remark, sizeof state.remark, "%s", stf_error_message());
    else if (place.reason[0] != '\0' && !place.absent && !place.off)
        note_place(&place);
    else if (tally.ignored > 0)
        snprintf(state.remark, sizeof state.remark,
                 "%s/%s: %" PRId64 " lines are ignored, the first is line "
                 "%" PRId64,
                 place.folder, place.name, tally.ignored, tally.first_ignored);
}

int stfi_wisdom_find(const char *key, char value[STFI_WISDOM_TEXT_BYTES])
{
    const char *found;

    pthread_mutex_lock(&lock);
    read_once();
    found = stfi_wisdom_list_find(&state.known, key);
    if (found != NULL)
        snprintf(value, STFI_WISDOM_TEXT_BYTES, "%s", found);
    pthread_mutex_unlock(&lock);
    return found != NULL;
}

/* Writes what is not yet in the user's file. */
static void save(void)
{
    stfi_wisdom_place place;

    stfi_wisdom_place_find(&place);
    if (place.off)
        return;
    if (stfi_wisdom_place_merge(&place, &state.unsaved) == STF_OK) {
        stfi_wisdom_list_clear(&state.unsaved);
        state.remark[0] = '\0';
    } else {
        note_place(&place);
    }
}

stf_status stfi_wisdom_learn(const char *key, const char *value)
{
    stf_status status;

    pthread_mutex_lock(&lock);
    read_once();
    status = stfi_wisdom_list_put(&state.known, key, value);
    if (status == STF_OK)
        status = stfi_wisdom_list_put(&state.unsaved, key, value);
    if (status == STF_OK)
        save();
    pthread_mutex_unlock(&lock);
    return status;
}

stf_status stfi_wisdom_add(const stfi_wisdom_list *list)
{
    stf_status status;

    pthread_mutex_lock(&lock);
    read_once();
    status = stfi_wisdom_list_merge(&state.known, list);
    pthread_mutex_unlock(&lock);
    return status;
}

stf_status stfi_wisdom_copy(stfi_wisdom_list *list)
{
    stf_status status;

    pthread_mutex_lock(&lock);
    read_once();
    status = stfi_wisdom_list_merge(list, &state.known);
    pthread_mutex_unlock(&lock);
    return status;
}

void stfi_wisdom_drop(void)
{
    pthread_mutex_lock(&lock);
    stfi_wisdom_list_clear(&state.known);
    stfi_wisdom_list_clear(&state.unsaved);
    state.read = 1;
    state.remark[0] = '\0';
    pthread_mutex_unlock(&lock);
}

void stfi_wisdom_remark(char *text, size_t capacity)
{
    pthread_mutex_lock(&lock);
    snprintf(text, capacity, "%s", state.remark);
    pthread_mutex_unlock(&lock);
}
