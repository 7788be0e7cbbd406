/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each processor has a ring of its own, and a process leaves records in many of
 * them, so records are sorted by their time.  One that is written while the
 * rings are read may be missed in a ring that was read before, though a later
 * one is seen in another: what is not older than the reading waits for the next
 * one.
 */
#include "perf-events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/vector.h"
#include "perf-record.h"

#define RING_PAGES 32u /* of data, a power of 2: seconds of a busy machine */

struct ring_of_cpu {
    int fd;
    struct perf_event_mmap_page *page; /* the data follow */
};

struct waiting_record {
    uint64_t time, order;
    uint8_t *bytes;
    size_t size;
};

struct perf_events {
    struct {
        VECTOR(struct ring_of_cpu);
    } rings;
    struct {
        VECTOR(struct waiting_record);
    } waiting;
    uint64_t lost, order;
    size_t page_size, data_size;
    bool no_memory;
};

uint64_t perf_events_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns false, and errno; a processor that is not online has no ring. */
static bool open_ring(struct perf_events *events, int cpu)
{
    struct perf_event_attr attribute;
    struct ring_of_cpu *ring;
    void *page;
    int fd;

    perf_record_attribute(&attribute);
    fd = (int)syscall(SYS_perf_event_open, &attribute, -1, cpu, -1,
                      PERF_FLAG_FD_CLOEXEC);
    if ( fd < 0 )
        return errno == ENODEV;
    page = mmap(NULL, events->data_size + events->page_size,
                PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ring = page == MAP_FAILED ? NULL : vector_add(&events->rings);
    if ( !ring )
    {
        close(fd);
        return false;
    }
    *ring = (struct ring_of_cpu){.fd = fd, .page = page};
    return true;
}

struct perf_events *perf_events_open(void)
{
    struct perf_events *events = calloc(1, sizeof(*events));
    long cpus = sysconf(_SC_NPROCESSORS_CONF);

    if ( !events )
        return NULL;
    events->page_size = (size_t)sysconf(_SC_PAGESIZE);
    events->data_size = RING_PAGES * events->page_size;
    for ( int cpu = 0; cpu < cpus; cpu++ )
        if ( !open_ring(events, cpu) )
        {
            int error = errno;

            perf_events_close(events);
            errno = error;
            return NULL;
        }
    return events;
}

void perf_events_close(struct perf_events *events)
{
    if ( !events )
        return;
    for ( size_t i = 0; i < events->rings.count; i++ )
    {
        munmap(events->rings.items[i].page,
               events->data_size + events->page_size);
        close(events->rings.items[i].fd);
    }
    for ( size_t i = 0; i < events->waiting.count; i++ )
        free(events->waiting.items[i].bytes);
    vector_free(&events->rings);
    vector_free(&events->waiting);
    free(events);
}

/* Copies from the ring, in which a record may go on at the start. */
static void copy_out(const struct perf_events *events,
                     const struct ring_of_cpu *ring, uint64_t from, void *to,
                     size_t size)
{
    const uint8_t *data = (const uint8_t *)ring->page + events->page_size;
    size_t at = from % events->data_size;
    size_t first = events->data_size - at < size ? events->data_size - at
                                                 : size;

    memcpy(to, data + at, first);
    memcpy((uint8_t *)to + first, data, size - first);
}

static void keep_record(struct perf_events *events,
                        const struct ring_of_cpu *ring, uint64_t from,
                        size_t size)
{
    uint8_t *bytes = malloc(size);
    struct waiting_record *record = bytes ? vector_add(&events->waiting) : NULL;

    if ( !record )
    {
        free(bytes);
        events->no_memory = true;
        events->lost++;
        return;
    }
    copy_out(events, ring, from, bytes, size);
    *record = (struct waiting_record){.time = perf_record_time(bytes, size),
                                      .order = events->order++,
                                      .bytes = bytes,
                                      .size = size};
}

static void read_perf_ring(struct perf_events *events, struct ring_of_cpu *ring)
{
    uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = ring->page->data_tail;

    while ( tail < head )
    {
        struct perf_event_header record;

        copy_out(events, ring, tail, &record, sizeof(record));
        if ( record.size < sizeof(record) || record.size > head - tail )
            break; /* a kernel does not write that */
        keep_record(events, ring, tail, record.size);
        tail += record.size;
    }
    /* The kernel may write there once it sees this. */
    __atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

static int compare_times(const void *left, const void *right)
{
    const struct waiting_record *a = left, *b = right;

    if ( a->time != b->time )
        return a->time < b->time ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Adds what is older than `before`, in order; the rest waits. */
static void add_waiting(struct perf_events *events, uint64_t before,
                        struct space_history *history)
{
    struct waiting_record *records = events->waiting.items;
    size_t done = 0;

    if ( events->waiting.count )
        qsort(records, events->waiting.count, sizeof(*records), compare_times);
    while ( done < events->waiting.count && records[done].time < before )
    {
        events->lost += perf_record_add(records[done].bytes, records[done].size,
                                        history);
        free(records[done++].bytes);
    }
    if ( done )
        memmove(records, records + done,
                (events->waiting.count - done) * sizeof(*records));
    events->waiting.count -= done;
}

bool perf_events_read(struct perf_events *events, struct space_history *history)
{
    uint64_t before = perf_events_now();

    events->no_memory = false;
    for ( size_t i = 0; i < events->rings.count; i++ )
        read_perf_ring(events, &events->rings.items[i]);
    add_waiting(events, before, history);
    return !events->no_memory;
}

bool perf_events_watch(const struct perf_events *events, int epoll)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};

    for ( size_t i = 0; i < events->rings.count; i++ )
        if ( epoll_ctl(epoll, EPOLL_CTL_ADD, events->rings.items[i].fd,
                       &event) )
            return false;
    return true;
}

uint64_t perf_events_lost(const struct perf_events *events)
{
    return events->lost;
}
