/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as perf_event_open(2) describes them, each with its time at the
 * end. */
#include "perf-record.h"

#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

struct task_record {
    struct perf_event_header head;
    uint32_t pid, ppid, tid, ptid;
    uint64_t time;
};

struct comm_record {
    struct perf_event_header head;
    uint32_t pid, tid;
};

struct mmap_record {
    struct perf_event_header head;
    uint32_t pid, tid;
    uint64_t address, length, offset;
    uint32_t major, minor;
    uint64_t inode, generation;
    uint32_t rights, flags;
    char path[];
};

struct lost_record {
    struct perf_event_header head;
    uint64_t id, lost;
};

#define TIME_SIZE sizeof(uint64_t)

void perf_record_attribute(struct perf_event_attr *ret)
{
    *ret = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
                                    .size = sizeof(*ret),
                                    .config = PERF_COUNT_SW_DUMMY,
                                    .sample_type = PERF_SAMPLE_TIME,
                                    .sample_id_all = 1,
                                    .use_clockid = 1,
                                    .clockid = CLOCK_MONOTONIC_RAW,
                                    .mmap = 1,
                                    .mmap2 = 1,
                                    .comm = 1,
                                    .comm_exec = 1,
                                    .task = 1,
                                    .watermark = 1};
}

uint64_t perf_record_time(const void *record, size_t size)
{
    uint64_t time = 0;

    if ( size >= sizeof(struct perf_event_header) + TIME_SIZE )
        memcpy(&time, (const char *)record + size - TIME_SIZE, TIME_SIZE);
    return time;
}

static void add_fork(const struct task_record *record,
                     struct space_history *history)
{
    if ( record->pid == record->ppid )
        space_history_thread(history, (int32_t)record->pid, record->time);
    else
        space_history_fork(history, (int32_t)record->ppid, (int32_t)record->pid,
                           record->time);
}

static void add_mmap(const struct mmap_record *record, size_t size,
                     struct space_history *history)
{
    const size_t room = size - sizeof(*record) - TIME_SIZE;
    const struct past_mapping mapping = {
        .start = record->address,
        .end = record->address + record->length,
        .offset = record->offset,
        .since = perf_record_time(record, size),
        .inode = record->inode};

    if ( memchr(record->path, 0, room) )
        space_history_map(history, (int32_t)record->pid, &mapping,
                          record->path);
}

/* Whether a record has its fixed part and a time. */
static bool has_fixed_fields(size_t size, size_t fixed)
{
    return size >= fixed + TIME_SIZE;
}

uint64_t perf_record_add(const void *record, size_t size,
                         struct space_history *history)
{
    const struct perf_event_header *head = record;
    const struct task_record *task = record;
    const struct comm_record *comm = record;

    switch ( head->type )
    {
    case PERF_RECORD_FORK:
        if ( has_fixed_fields(size, sizeof(*task)) )
            add_fork(task, history);
        return 0;
    case PERF_RECORD_EXIT:
        if ( has_fixed_fields(size, sizeof(*task)) )
            space_history_exit(history, (int32_t)task->pid, task->time);
        return 0;
    case PERF_RECORD_COMM:
        if ( has_fixed_fields(size, sizeof(*comm)) &&
             head->misc & PERF_RECORD_MISC_COMM_EXEC )
            space_history_exec(history, (int32_t)comm->pid,
                               perf_record_time(record, size));
        return 0;
    case PERF_RECORD_MMAP2:
        if ( has_fixed_fields(size, sizeof(struct mmap_record)) )
            add_mmap(record, size, history);
        return 0;
    case PERF_RECORD_LOST:
        return has_fixed_fields(size, sizeof(struct lost_record))
                   ? ((const struct lost_record *)record)->lost
                   : 0;
    default: return 0;
    }
}
