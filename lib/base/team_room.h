/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Whether the system has threads for a team: GNU's OpenMP run-time library ends
 * the program if it can make none. */
#ifndef STFI_BASE_TEAM_ROOM_H
#define STFI_BASE_TEAM_ROOM_H

/* Returns the size, at most `size`, of a team that the calling thread can
 * open. OpenMP keeps the threads of a thread's last team; for a larger one than
 * that, as many threads are started for a moment. */
int stfi_team_room(int size);

#endif
