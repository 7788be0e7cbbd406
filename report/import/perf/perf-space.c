/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf-space.h"

#include "base/must.h"
#include "base/sorted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAPS_MAX 65536u /* as many as Linux lets a process have */

struct perf_process {
    uint32_t pid; /* the key */
    uint32_t threads;
    struct perf_space *space; /* NULL: nothing is mapped */
};

void perf_spaces_init(struct perf_spaces *spaces)
{
    *spaces = (struct perf_spaces){.numbers = 0};
    table_init(&spaces->threads, sizeof(uint32_t), sizeof(struct perf_thread));
    table_init(&spaces->processes, sizeof(uint32_t),
               sizeof(struct perf_process));
}

static void drop_space(struct perf_process *process)
{
    struct perf_space *space = process->space;

    process->space = NULL;
    if ( !space || --space->users )
        return;
    vector_free(&space->maps);
    free(space);
}

void perf_spaces_free(struct perf_spaces *spaces)
{
    for ( size_t i = 0; i < spaces->processes.count; i++ )
        drop_space(table_at(&spaces->processes, i));
    table_free(&spaces->threads);
    table_free(&spaces->processes);
}

static struct perf_process *process_of(struct perf_spaces *spaces, uint32_t pid)
{
    return must(table_put(&spaces->processes, &pid));
}

/* A number that was another process's thread, or that of one which ended, is a
 * new thread. */
static struct perf_thread *thread_of(struct perf_spaces *spaces, uint32_t pid,
                                     uint32_t tid)
{
    const size_t before = spaces->threads.count;
    struct perf_thread *thread = must(table_put(&spaces->threads, &tid));

    if ( spaces->threads.count == before && thread->pid == pid &&
         !thread->ended )
        return thread;
    *thread = (struct perf_thread){.tid = tid, .pid = pid};
    process_of(spaces, pid)->threads++;
    return thread;
}

const struct perf_thread *perf_thread_known(const struct perf_spaces *spaces,
                                            uint32_t pid, uint32_t tid)
{
    const struct perf_thread *thread = table_find(&spaces->threads, &tid);

    return thread && thread->pid == pid ? thread : NULL;
}

/* The last samples of a thread come behind its end. */
const struct perf_thread *perf_thread(struct perf_spaces *spaces, uint32_t pid,
                                      uint32_t tid)
{
    const struct perf_thread *thread = perf_thread_known(spaces, pid, tid);

    return thread ? thread : thread_of(spaces, pid, tid);
}

void perf_thread_call(struct perf_spaces *spaces, uint32_t pid, uint32_t tid,
                      const char *comm, bool exec)
{
    struct perf_thread *thread = thread_of(spaces, pid, tid);

    snprintf(thread->comm, sizeof(thread->comm), "%s", comm);
    if ( exec )
        drop_space(process_of(spaces, pid));
}

void perf_thread_fork(struct perf_spaces *spaces, uint32_t pid, uint32_t tid,
                      uint32_t parent, uint32_t parent_tid)
{
    const struct perf_thread *from = table_find(&spaces->threads, &parent_tid);
    char comm[PERF_COMM] = "";
    struct perf_process *process;
    struct perf_space *space;

    if ( from )
        memcpy(comm, from->comm, sizeof(comm));
    memcpy(thread_of(spaces, pid, tid)->comm, comm, sizeof(comm));
    if ( pid == parent )
        return;
    space = process_of(spaces, parent)->space;
    process = process_of(spaces, pid);
    drop_space(process);
    process->space = space;
    if ( space )
        space->users++;
}

/* Linux gives back what is mapped with the last thread. */
void perf_thread_end(struct perf_spaces *spaces, uint32_t pid, uint32_t tid)
{
    struct perf_thread *thread = thread_of(spaces, pid, tid);
    struct perf_process *process = process_of(spaces, pid);

    thread->ended = true;
    if ( !--process->threads )
        drop_space(process);
}

/* A space that is this process's alone, to be changed. */
static struct perf_space *own_space(struct perf_spaces *spaces,
                                    struct perf_process *process)
{
    struct perf_space *from = process->space, *space = from;

    if ( !from || from->users > 1 )
    {
        space = must(calloc(1, sizeof(*space)));
        if ( from && from->maps.count )
        {
            must_do(vector_reserve(&space->maps, from->maps.count));
            memcpy(space->maps.items, from->maps.items,
                   from->maps.count * sizeof(*from->maps.items));
            space->maps.count = from->maps.count;
        }
        drop_space(process);
        process->space = space;
        space->users = 1;
    }
    space->number = ++spaces->numbers;
    return space;
}

static void insert_map(struct perf_space *space, size_t at,
                       const struct perf_data_map *map)
{
    must(vector_add(&space->maps));
    memmove(&space->maps.items[at + 1], &space->maps.items[at],
            (space->maps.count - 1 - at) * sizeof(*map));
    space->maps.items[at] = *map;
}

static void remove_maps(struct perf_space *space, size_t first, size_t end)
{
    if ( first == end )
        return;
    memmove(&space->maps.items[first], &space->maps.items[end],
            (space->maps.count - end) * sizeof(*space->maps.items));
    space->maps.count -= end - first;
}

/* Makes room.  Returns where a mapping from start on is to be. */
static size_t clear_range(struct perf_space *space, uint64_t start,
                          uint64_t end)
{
    size_t first = sorted_below(space->maps.items, space->maps.count, start,
                                start);
    size_t last;

    if ( first && space->maps.items[first - 1].end > start )
    {
        struct perf_data_map rest = space->maps.items[first - 1];

        space->maps.items[first - 1].end = start;
        if ( rest.end > end )
        {
            rest.offset += end - rest.start;
            rest.start = end;
            insert_map(space, first, &rest);
        }
    }
    last = sorted_below(space->maps.items, space->maps.count, start, end);
    if ( last > first && space->maps.items[last - 1].end > end )
    {
        struct perf_data_map *rest = &space->maps.items[--last];

        rest->offset += end - rest->start;
        rest->start = end;
    }
    remove_maps(space, first, last);
    return first;
}

void perf_space_map(struct perf_spaces *spaces, uint32_t pid,
                    const struct perf_data_map *map)
{
    struct perf_space *space;

    if ( map->start >= map->end )
        return;
    space = own_space(spaces, process_of(spaces, pid));
    if ( space->maps.count + 2 <= MAPS_MAX )
        insert_map(space, clear_range(space, map->start, map->end), map);
}

const struct perf_space *perf_space_of(const struct perf_spaces *spaces,
                                       uint32_t pid)
{
    const struct perf_process *process = table_find(&spaces->processes, &pid);

    return process ? process->space : NULL;
}

const struct perf_data_map *perf_space_find(const struct perf_space *space,
                                            uint64_t address)
{
    size_t count = space ? sorted_until(space->maps.items, space->maps.count,
                                        start, address)
                         : 0;

    return count && address < space->maps.items[count - 1].end
               ? &space->maps.items[count - 1]
               : NULL;
}
