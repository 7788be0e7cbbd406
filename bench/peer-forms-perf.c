/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as `perf record -a -g -F 997 -e cpu-clock` stores them: a header,
 * one event's attributes, then records as the kernel makes them.  A domain is a
 * process, since a host without Xen has none.
 */
#include "bench/peer-forms.h"
#include "report/export/perf-file.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define ROUND      2000u /* samples; perf's, of a second */
#define FIRST_PID  1000u
#define KERNEL_MAP "[kernel.kallsyms]" PEERS_KERNEL_SYMBOL

/* Behind each record that is not a sample: sample_id_all. */
struct perf_record_id {
    uint32_t pid, tid;
    uint64_t time;
    uint32_t cpu, unused;
};

struct perf_comm {
    struct perf_event_header head;
    uint32_t pid, tid;
    char comm[16];
    struct perf_record_id id;
};

struct perf_map {
    struct perf_event_header head;
    uint32_t pid, tid;
    uint64_t start, length, offset;
    char path[24];
    struct perf_record_id id;
};

/* In the order that PERF_SAMPLE_* have. */
struct perf_sample {
    struct perf_event_header head;
    uint64_t ip;
    uint32_t pid, tid;
    uint64_t time;
    uint32_t cpu, unused;
    uint64_t period;
    uint64_t count;
    uint64_t ips[1 + 2 * GROWING_DEPTH]; /* count of them are there */
};

static struct {
    const char *path;
    FILE *file;
    uint64_t samples;
} perf;

static void put(const void *bytes, size_t size)
{
    if ( fwrite(bytes, 1, size, perf.file) != size )
        peers_die(perf.path, NULL);
}

static struct perf_event_attr attributes(void)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .size = PERF_ATTR_SIZE_VER5,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_freq = 997,
        .freq = 1,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CPU |
                       PERF_SAMPLE_PERIOD,
        .sample_id_all = 1,
        .comm = 1,
        .mmap = 1,
    };
}

/* The data's size is known when all of it is written. */
static void put_header(uint64_t data_size)
{
    const struct perf_event_attr attr = attributes();
    const uint64_t after = sizeof(struct perf_file_header) +
                           sizeof(struct perf_file_event);
    struct perf_file_event event = {.ids = {.offset = after}};
    const struct perf_file_header header = {
        .magic = PERF_FILE_MAGIC,
        .size = sizeof(header),
        .attr_size = sizeof(event),
        .attrs = {sizeof(header), sizeof(event)},
        .data = {after, data_size},
    };

    memcpy(event.attr, &attr, sizeof(event.attr));
    put(&header, sizeof(header));
    put(&event, sizeof(event));
}

static void put_comm(unsigned int domain)
{
    struct perf_comm record = {
        .head = {PERF_RECORD_COMM, 0, sizeof(record)},
        .pid = FIRST_PID + domain,
        .tid = FIRST_PID + domain,
        .id = {.pid = FIRST_PID + domain, .tid = FIRST_PID + domain},
    };

    snprintf(record.comm, sizeof(record.comm), "%s", peers_domains[domain]);
    put(&record, sizeof(record));
}

static void begin(const char *path)
{
    const struct perf_map map = {
        .head = {PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, sizeof(map)},
        .pid = (uint32_t)-1,
        .start = PEERS_KERNEL_BEGIN,
        .length = UINT64_MAX - PEERS_KERNEL_BEGIN,
        .offset = PEERS_KERNEL_BEGIN, /* where kallsyms has that symbol */
        .path = KERNEL_MAP,
    };

    perf.path = path;
    perf.file = fopen(path, "w");
    if ( !perf.file )
        peers_die(path, NULL);
    put_header(0);
    put(&map, sizeof(map));
    for ( unsigned int i = 0; i < PEERS_DOMAINS; i++ )
        put_comm(i);
}

static void sample(const struct xenoprof_stored *stored,
                   const struct growing_stack *stack)
{
    const struct perf_event_header round = {PERF_FINISHED_ROUND, 0,
                                            sizeof(round)};
    bool user = stored->mode == XENOPROF_MODE_USER;
    struct perf_sample record = {
        .head = {.type = PERF_RECORD_SAMPLE,
                 .misc = user ? PERF_RECORD_MISC_USER
                              : PERF_RECORD_MISC_KERNEL},
        .ip = stack->frames[stack->count - 1].address,
        .pid = FIRST_PID + stored->domain,
        .tid = FIRST_PID + stored->domain,
        .time = stored->time,
        .cpu = stored->pcpu,
        .period = stored->period,
        .count = 1 + stack->count,
    };

    record.ips[0] = (uint64_t)(user ? PERF_CONTEXT_USER : PERF_CONTEXT_KERNEL);
    for ( size_t i = 0; i < stack->count; i++ )
        record.ips[stack->count - i] = stack->frames[i].address;
    record.head.size = (uint16_t)(offsetof(struct perf_sample, ips) +
                                  record.count * sizeof(record.ips[0]));
    put(&record, record.head.size);
    if ( ++perf.samples % ROUND == 0 )
        put(&round, sizeof(round));
}

static void end(void)
{
    long size = ftell(perf.file);

    rewind(perf.file);
    put_header((uint64_t)size - sizeof(struct perf_file_header) -
               sizeof(struct perf_file_event));
    if ( size < 0 || fclose(perf.file) )
        peers_die(perf.path, NULL);
}

const struct peers_form peers_perf = {"perf", begin, sample, end};
