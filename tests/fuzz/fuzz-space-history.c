/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of events, as any processes could cause them: memory stays bounded,
 * mappings sorted, and a process that goes on is found. */
#include "agent/space-history.h"

#include <string.h>

#include "fuzz.h"

#define ROOM      16384u
#define PROCESSES 8

static struct space_history *history;
static uint64_t now;

static void check_space(int32_t tgid)
{
    const struct past_space *space = space_history_find(history, tgid, now);
    uint64_t at = 0;

    if ( !space )
        return;
    FUZZ_CHECK(space->tgid == tgid && space->from <= now);
    FUZZ_CHECK(space->count <= PAST_MAPPINGS_MAX);
    for ( uint32_t i = 0; i < space->count; i++ )
    {
        const struct past_mapping *mapping = &space->mappings[i];

        FUZZ_CHECK(mapping->start >= at && mapping->start < mapping->end);
        FUZZ_CHECK(strlen(space->text + mapping->path) < 4);
        at = mapping->end;
    }
}

static void map(int32_t tgid, uint8_t place, uint8_t length)
{
    const struct past_mapping mapping = {.start = place * 16u,
                                         .end = place * 16u + length,
                                         .offset = length,
                                         .since = now};
    const char path[] = {(char)('a' + place % 20), 0};

    space_history_map(history, tgid, &mapping, path);
}

static bool is_odd(int32_t tgid)
{
    return tgid % 2;
}

static void event(uint8_t what, uint8_t who, uint8_t place, uint8_t length)
{
    int32_t tgid = who % PROCESSES, other = who / PROCESSES % PROCESSES;

    now += length % 3;
    switch ( what % 16 )
    {
    case 0: space_history_fork(history, tgid, other, now - place % 4); break;
    case 1: space_history_exec(history, tgid, now); break;
    case 2: space_history_exit(history, tgid, now); break;
    case 3: space_history_thread(history, tgid, now); break;
    case 4: space_history_process(history, tgid, 1 + place % 2, now); break;
    case 5: space_history_expire(history, now); break;
    case 8: space_history_settle(history, tgid); break;
    case 9:
        space_history_end_gone(history, (unsigned int)tgid, is_odd, now);
        break;
    case 7: space_history_tell(history, tgid, now - place % 4); break;
    default: map(tgid, place, length);
    }
    FUZZ_CHECK(space_history_counts(history).bytes <= ROOM);
    check_space(tgid);
    check_space(other);
}

/* Four bytes an event. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct space_history_counts counts;

    history = space_history_open(ROOM, 100);
    FUZZ_CHECK(history);
    now = 1000;
    for ( ; size >= 4; size -= 4, data += 4 )
        event(data[0], data[1], data[2], data[3]);
    counts = space_history_counts(history);
    FUZZ_CHECK(counts.spaces || !counts.bytes);
    space_history_close(history);
    return 0;
}

/* Lives of some processes; and many mappings of one. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static const uint8_t life[] = {
        4, 1, 0, 0,  6, 1,  1, 200, 6, 1, 9, 50, 0, 17, 0, 1,  1, 2, 0, 1,
        6, 2, 3, 90, 3, 2,  0, 1,   2, 2, 0, 1,  2, 2,  0, 1,  5, 0, 0, 0,
        0, 9, 2, 1,  0, 25, 0, 1,   7, 3, 0, 1,  6, 3,  1, 90, 7, 3, 2, 0,
        4, 1, 0, 0,  6, 1,  1, 9,   4, 1, 0, 1,  6, 1,  1, 9,  8, 1, 0, 0,
        4, 1, 0, 1,  8, 1,  0, 0,   9, 1, 0, 0,  7, 5,  0, 0,  8, 5, 0, 0};

    if ( number > 1 )
        return 0;
    if ( !number )
    {
        memcpy(bytes, life, sizeof(life));
        return sizeof(life);
    }
    for ( unsigned int i = 0; i < 1000; i++ )
        memcpy(bytes + 4 * i,
               (const uint8_t[]){i ? 6 : 4, 1, (uint8_t)(i * 37),
                                 (uint8_t)(i * 11)},
               4);
    return 4000;
}
