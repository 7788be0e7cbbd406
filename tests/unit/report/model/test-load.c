/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions that are made to take all memory: few bytes of a file that stand for
 * more stacks, names or cells than fit.  The load ends with one sentence.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory-limit.h"
#include "base/must.h"
#include "libxenoprof/session/session-block.h"
#include "report/model/load.h"
#include "tests/harness.h"
#include "tests/unit/libxenoprof/session/session-kit.h"

#define LIMIT (64u << 20)
#define SLACK (32u << 20) /* code, and what was there before */
#define BLOCK (16u << 20) /* the most that a part of a block has */

/* A sanitizer's own memory counts too, and ends the process. */
extern void __asan_init(void) __attribute__((weak));

typedef void bomb_fn(struct session_kit *kit);

static void put_sample(struct session_kit *kit, uint32_t i,
                       const uint32_t *places, size_t count)
{
    const struct xenoprof_stored sample = {
        .time = 1000 + i,
        .place = places[0],
        .domain = (uint16_t)(1 + (i >> 10)),
        .vcpu = (uint16_t)(i & 1023),
        .pcpu = (uint16_t)(i & 63),
        .mode = XENOPROF_MODE_KERNEL,
        .weight = 1,
        .period = 1000000,
    };

    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, places, count));
}

/* Each has another outermost caller, so no two have a node in common. */
static void put_stacks(struct session_kit *kit)
{
    static uint32_t places[STACK_MAX];

    for ( uint32_t i = 0; i < 6000; i++ )
    {
        /* With a block a file may end, and its places. */
        if ( i % 100 == 0 )
            KIT_OK(kit, xenoprof_writer_flush(kit->writer));
        for ( uint32_t j = i % 100 ? STACK_MAX - 1 : 0; j < STACK_MAX; j++ )
            places[j] = kit_place(kit, 1, XENOPROF_MODE_KERNEL,
                                  0x1000 + (j < STACK_MAX - 1 ? j : j + i),
                                  "f");
        put_sample(kit, i & 1023, places, STACK_MAX);
    }
}

/* Each name is of 64 KiB, and nearly the one before. */
static void put_strings(struct session_kit *kit)
{
    static char text[STRING_MAX + 1];

    for ( uint32_t i = 0; i < 2000; i++ )
    {
        uint32_t place;

        if ( i % 100 == 0 )
            KIT_OK(kit, xenoprof_writer_flush(kit->writer));
        memset(text, 'a', STRING_MAX);
        text[snprintf(text, 16, "%u", i)] = 'a';
        place = kit_place(kit, 1, XENOPROF_MODE_KERNEL, 0x1000 + i, text);
        put_sample(kit, 0, &place, 1);
    }
}

/* Each is of another vCPU than all before it. */
static void put_cells(struct session_kit *kit)
{
    uint32_t place;

    for ( uint32_t i = 0; i < 1u << 20; i++ )
    {
        if ( i % 10000 == 0 )
        {
            KIT_OK(kit, xenoprof_writer_flush(kit->writer));
            place = kit_place(kit, 1, XENOPROF_MODE_KERNEL, 1, "f");
        }
        put_sample(kit, i, &place, 1);
    }
}

static void end(const char *sentence)
{
    _exit(strstr(sentence, "more than the 64 MiB") ? 0 : 4);
}

/* In a process of its own: 0 if the load ends as it should. */
static int load(const char *path, bool fits)
{
    static const struct time_range all = {.from = {.kind = TIME_OPEN}};
    const struct load_wanted wanted = {.range = &all, .stacks = true};
    struct failure failure = {.status = 0};
    struct loaded loaded;

    if ( !memory_limit(LIMIT) )
        return 2;
    no_memory_ends(end);
    loaded_init(&loaded);
    load_session(&loaded, path, &wanted, &failure);
    return fits ? 0 : 3;
}

static void check_bomb(bomb_fn *put, bool fits)
{
    struct session_kit *kit;
    struct rusage used;
    int status;
    pid_t child;

    if ( __asan_init )
        return;
    kit = kit_create();
    put(kit);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    kit_stop(kit);
    fflush(NULL);
    child = fork();
    if ( !child )
        _exit(load(kit->folder, fits));
    CHECK_EQ(wait4(child, &status, 0, &used), child);
    CHECK_EQ(status, 0);
    CHECK((uint64_t)used.ru_maxrss << 10 <= LIMIT + SLACK + 2u * BLOCK);
    kit_destroy(kit);
}

TEST(stacks)
{
    check_bomb(put_stacks, true); /* rare ones are pruned */
}

TEST(strings)
{
    check_bomb(put_strings, false);
}

TEST(cells)
{
    check_bomb(put_cells, false);
}
