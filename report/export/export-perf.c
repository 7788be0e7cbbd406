/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --export=perf: perf.data, with names.  perf looks names up in files of the
 * host that it runs on, or knows them by records of symbols that a kernel made
 * at run time (PERF_RECORD_KSYMBOL).  So all functions, whoever's they are,
 * have a range of addresses of their own in the kernel's half, and such
 * records, and all samples are a kernel's.
 *
 * A header says how long all records are, so these are counted before they are
 * put: cell by cell, since all samples of one are of a length.
 */
#include "export-threads.h"
#include "perf-file-parts.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/text/folded-name.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define OUT_BYTES     65536u /* that go out together */
#define ROUND         2000u  /* samples; perf's, of a second */
#define RANGES_BEGIN  0xffff800000000000ull
#define RANGE         (1ull << 22) /* from one function to the next */
#define LENGTH        4096u        /* of the first */
#define KERNEL_BEGIN  0xffffffff81000000ull
#define FUNCTIONS_MAX (RANGE - LENGTH)
#define FRAMES_MAX    4096u /* of a sample; those of sessions have fewer */
#define SYMBOL_BYTES  256u  /* of a name, with its end */
#define COMM_BYTES    256u
#define RECORD_ALIGN  8u

/* Behind each record that is not a sample: sample_id_all. */
struct perf_tail {
    uint32_t pid, tid;
    uint64_t time;
    uint32_t cpu, unused;
    uint64_t id;
};

struct perf_comm_record {
    struct perf_event_header head;
    uint32_t pid, tid;
    char comm[COMM_BYTES];
    struct perf_tail tail;
};

struct perf_mmap_record {
    struct perf_event_header head;
    uint32_t pid, tid;
    uint64_t start, length, offset;
    char path[24];
    struct perf_tail tail;
};

struct perf_ksymbol_record {
    struct perf_event_header head;
    uint64_t address;
    uint32_t length;
    uint16_t type, flags;
    char name[SYMBOL_BYTES + sizeof(struct perf_tail)]; /* and the tail */
};

/* In the order that PERF_SAMPLE_* have. */
struct perf_sample_record {
    struct perf_event_header head;
    uint64_t id;
    uint64_t ip;
    uint32_t pid, tid;
    uint64_t time;
    uint32_t cpu, unused;
    uint64_t period;
    uint64_t count;
    uint64_t ips[1 + FRAMES_MAX]; /* count of them are there */
};

static const struct perf_event_header perf_round = {PERF_FINISHED_ROUND, 0,
                                                    sizeof(perf_round)};

struct perf_export {
    struct export_walk walk;
    struct export_threads threads;
    struct perf_types events;
    FILE *file; /* NULL: how much is put is found */
    struct buffer out;
    uint64_t put;     /* bytes of records */
    uint64_t samples; /* that were put */
    int32_t comms;    /* threads, of which the names were put */
    bool *known;      /* functions that were put */
    uint32_t *ran;    /* by cell: index and 1 of its thread; 0: not met yet */
    /* Names have its time: hotspot begins anew at a record that is older than
     * what it has read. */
    struct perf_sample_record record;
};

static void send_out(struct perf_export *perf)
{
    fwrite(perf->out.bytes, 1, perf->out.used, perf->file);
    perf->out.used = 0;
}

static void put_record(struct perf_export *perf, const void *record,
                       size_t size)
{
    perf->put += size;
    if ( !perf->file )
        return;
    must_do(buffer_append(&perf->out, record, size));
    if ( perf->out.used >= OUT_BYTES )
        send_out(perf);
}

static void put_comm(struct perf_export *perf,
                     const struct export_thread *thread)
{
    struct perf_comm_record record = {
        .head = {PERF_RECORD_COMM, 0, sizeof(record)},
        .pid = (uint32_t)thread->pid,
        .tid = (uint32_t)thread->tid,
        .tail = {.pid = (uint32_t)thread->pid,
                 .tid = (uint32_t)thread->tid,
                 .time = perf->record.time,
                 .id = perf->events.type[0] + 1},
    };

    snprintf(record.comm, sizeof(record.comm), "%s", thread->comm);
    put_record(perf, &record, sizeof(record));
}

/* Without a kernel perf warns of names that it lacks.  This one has no sample,
 * so that perf looks for no file of it. */
static void put_kernel(struct perf_export *perf)
{
    const struct perf_mmap_record record = {
        .head = {PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, sizeof(record)},
        .pid = UINT32_MAX,
        .start = KERNEL_BEGIN,
        .length = UINT64_MAX - KERNEL_BEGIN,
        .offset = KERNEL_BEGIN,
        .path = "[kernel.kallsyms]_text",
        .tail = {.id = perf->events.type[0] + 1},
    };

    put_record(perf, &record, sizeof(record));
}

static uint64_t function_address(uint32_t function)
{
    return RANGES_BEGIN + function * RANGE;
}

static void put_symbol(struct perf_export *perf, uint32_t function,
                       const char *name)
{
    const struct perf_tail tail = {.time = perf->record.time,
                                   .id = perf->events.type[0] + 1};
    struct perf_ksymbol_record record = {
        .head = {.type = PERF_RECORD_KSYMBOL},
        .address = function_address(function),
        .length = LENGTH + function,
        .type = PERF_RECORD_KSYMBOL_TYPE_UNKNOWN,
    };
    size_t bytes;

    snprintf(record.name, SYMBOL_BYTES, "%s", name);
    bytes = (strlen(record.name) / RECORD_ALIGN + 1) * RECORD_ALIGN;
    memcpy(record.name + bytes, &tail, sizeof(tail));
    record.head.size = (uint16_t)(offsetof(struct perf_ksymbol_record, name) +
                                  bytes + sizeof(tail));
    put_record(perf, &record, record.head.size);
}

/* perf calls the image of a range as the first symbol of it.  All symbols of a
 * range begin where it does; of three, perf looks at the second first (they are
 * in a balanced tree).  It takes symbols of images with one name for the same
 * if they begin at one offset and are of one length, so lengths differ. */
static void put_function(struct perf_export *perf, uint32_t number)
{
    const struct walk_function *function = walk_function(&perf->walk, number);
    char *image SCOPE_FREE = threads_image(function, "kernel.kallsyms");
    char *name SCOPE_FREE = folded_name(function->name, "");

    perf->known[number] = true;
    put_symbol(perf, number, image);
    put_symbol(perf, number, name);
    put_symbol(perf, number, name);
}

/* Puts the addresses of a stack's functions, the leaf first. */
static void take_stack(struct perf_export *perf, uint32_t stack)
{
    struct perf_sample_record *record = &perf->record;
    const struct walk_stack *stacks = perf->walk.stacks.items;

    record->ips[0] = (uint64_t)PERF_CONTEXT_KERNEL;
    record->count = 1;
    for ( ; stack != WALK_NONE && record->count <= FRAMES_MAX;
          stack = stacks[stack].caller )
    {
        const uint32_t function =
            perf->walk.frames.items[stacks[stack].frame].function;

        if ( !perf->known[function] )
            put_function(perf, function);
        /* Who called is found by an address behind the call. */
        record->ips[record->count] = function_address(function) +
                                     (record->count > 1);
        record->count++;
    }
    record->ip = record->ips[1];
}

/* How long the record of a sample of so many addresses is. */
static uint16_t sample_size(uint64_t count)
{
    return (uint16_t)(offsetof(struct perf_sample_record, ips) +
                      count * sizeof(((struct perf_sample_record *)0)->ips[0]));
}

/* Looked up once for each cell. */
static const struct export_thread *thread_of(struct perf_export *perf,
                                             const struct cell *cell)
{
    uint32_t *ran = &perf->ran[table_index(&perf->walk.loaded->cells, cell)];
    const struct export_thread *thread;

    if ( *ran )
        return table_at(&perf->threads.table, *ran - 1);
    thread = threads_of(&perf->threads, &perf->walk, cell);
    *ran = (uint32_t)table_index(&perf->threads.table, thread) + 1;
    return thread;
}

static void put_sample(struct perf_export *perf,
                       const struct walk_sample *sample)
{
    const struct export_thread *thread = thread_of(perf, sample->cell);
    const uint64_t pcpu = walk_label_value(&perf->walk, sample->cell,
                                           WALK_PCPU);
    struct perf_sample_record *record = &perf->record;

    record->time = sample->time;
    if ( thread->tid > perf->comms )
        put_comm(perf, thread);
    if ( thread->tid > perf->comms )
        perf->comms = thread->tid;
    take_stack(perf, sample->stack);
    record->id = sample->cell->key.type + 1u;
    record->pid = (uint32_t)thread->pid;
    record->tid = (uint32_t)thread->tid;
    record->cpu = pcpu == LABEL_NONE ? 0 : (uint32_t)pcpu;
    record->period = sample->amount;
    record->head = (struct perf_event_header){
        .type = PERF_RECORD_SAMPLE,
        .misc = PERF_RECORD_MISC_KERNEL,
        .size = sample_size(record->count),
    };
    put_record(perf, record, record->head.size);
    if ( ++perf->samples % ROUND == 0 )
        put_record(perf, &perf_round, sizeof(perf_round));
}

static void begin_records(struct perf_export *perf, FILE *file)
{
    perf->file = file;
    perf->samples = 0;
    memset(perf->known, 0, perf->walk.functions.count * sizeof(*perf->known));
    threads_init(&perf->threads);
    put_kernel(perf);
}

/* Returns how many frames a stack has, and puts their functions.  counts has
 * what was counted so far, by stack; 0: nothing. */
static uint32_t count_frames(struct perf_export *perf, uint16_t *counts,
                             uint32_t stack)
{
    const struct walk_stack *stacks = perf->walk.stacks.items;
    uint32_t at = stack, count = 0;

    for ( ; at != WALK_NONE && !counts[at]; at = stacks[at].caller )
    {
        const uint32_t function =
            perf->walk.frames.items[stacks[at].frame].function;

        if ( !perf->known[function] )
            put_function(perf, function);
        count++;
    }
    count += at == WALK_NONE ? 0 : counts[at];
    for ( at = stack; at != WALK_NONE && !counts[at]; at = stacks[at].caller )
        counts[at] = (uint16_t)count--;
    return counts[stack];
}

/* Returns how many bytes they take. */
static uint64_t count_records(struct perf_export *perf)
{
    const struct table *cells = &perf->walk.loaded->cells;
    uint16_t *counts SCOPE_FREE = must(
        calloc(perf->walk.stacks.count, sizeof(*counts)));

    begin_records(perf, NULL);
    for ( size_t i = 0; i < cells->count; i++ )
    {
        const size_t samples = walk_of_cell(&perf->walk, i);

        if ( !samples )
            continue;
        threads_of(&perf->threads, &perf->walk, table_at(cells, i));
        perf->put += samples *
                     sample_size(1 + count_frames(perf, counts,
                                                  perf->walk.cells[i].stack));
        perf->samples += samples;
    }
    perf->put += perf->samples / ROUND * sizeof(perf_round) +
                 perf->threads.table.count * sizeof(struct perf_comm_record);
    threads_free(&perf->threads);
    return perf->put;
}

static void put_records(struct perf_export *perf, FILE *file)
{
    struct walk_sample sample;

    begin_records(perf, file);
    while ( walk_next(&perf->walk, &sample) )
        put_sample(perf, &sample);
    threads_free(&perf->threads);
}

static void print_perf(const struct report *report, FILE *file)
{
    struct perf_export *perf = must(calloc(1, sizeof(*perf)));
    uint64_t size;

    walk_init(&perf->walk, report);
    perf_types_find(&perf->events, &report->loaded->types);
    perf->known = must(
        calloc(perf->walk.functions.count + 1, sizeof(*perf->known)));
    perf->ran = must(
        calloc(report->loaded->cells.count + 1, sizeof(*perf->ran)));
    size = count_records(perf);
    perf_put_header(&perf->out, &perf->walk, &perf->events, size);
    put_records(perf, file);
    perf_put_features(&perf->out, &perf->walk, &perf->events,
                      perf_header_size(&perf->events) + size);
    send_out(perf);
    free(perf->known);
    free(perf->ran);
    walk_free(&perf->walk);
    buffer_free(&perf->out);
    free(perf);
}

/* Each function has a range. */
static enum exit_status expect_perf(const struct report *report,
                                    struct failure *failure)
{
    if ( report->stacks->frames.count < FUNCTIONS_MAX )
        return STATUS_DONE;
    return fail(failure, STATUS_RANGE,
                "--export=perf has room for %llu functions, and the session "
                "has more: pick some of its samples with --filter",
                FUNCTIONS_MAX);
}

const struct view export_perf = {
    .print = print_perf,
    .option = "export",
    .expect = expect_perf,
    .stacks = true,
    .who = true,
    .log = true,
    .labels = true,
    .bytes = true,
    .opens = "open it with perf report --input=FILE",
};
