/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many records a second go from Xen's end of the rings into a session?
 *
 * One thread, the producer, puts samples with registers into the rings of the
 * hypervisor core in this process.  The other thread reads, names and stores
 * them, and flushes a block for each MiB, as xenoprofd does: room is given back
 * only when the block is on disk.  A full ring makes the producer wait, so
 * nothing is lost.
 *
 *   ring-throughput [SECONDS [FOLDER]]
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "hypervisor/core.h"
#include "hypervisor/session.h"
#include "libxenoprof.h"
#include "tests/host/host.h"
#include "tests/unit/libxenoprof/source-kit.h"

#define VCPUS   60u /* all that the ceiling for rings allows */
#define PAGES   256u
#define PLACES  5000u
#define BURST   64u /* records for a ring before the next one's turn */
#define BLOCK   (1u << 20)
#define PERIOD  1003009u
#define RECORDS (sizeof(struct record))

/* As the second half writes it today: a sample and its registers. */
struct record {
    struct xenoprof_sample sample;
    struct xenoprof_registers registers;
};

static struct {
    struct ring *rings[VCPUS];
    uint64_t made;
    bool stop;
} producer;

static struct {
    struct xenoprof_handle *handle;
    struct xenoprof_source *source;
    struct xenoprof_writer *writer;
    uint64_t read[2 * VCPUS]; /* by index of the ring */
    uint64_t total;
    uint64_t blocks;
    double waited; /* seconds in which blocks went to disk */
} reader;

static void die(const char *what)
{
    fprintf(stderr, "ring-throughput: %s\n", what);
    exit(1);
}

static void ok(enum xenoprof_status code)
{
    if ( code )
        die(xenoprof_message(reader.handle));
}

static double seconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static void run_on(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    /* On a machine with one CPU both share it; the table says so. */
    pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void command(const char *line)
{
    int error;

    do
        error = core_command(line);
    while ( error == -ERROR_AGAIN );
    if ( error )
        die(line);
}

static uint64_t open_core(void)
{
    struct xenoprof_door_state state;
    const struct domain *domain;

    process_reset(1);
    command("reserve sampler=nmi frequency=97 mask=3 pages=256 queue=0 "
            "lease=0 budget=0");
    command("domain id=5 vcpus=60 uuid=05050505050505050505050505050505 "
            "kind=passive");
    domain = domains_find(&session_current()->domains, 5);
    for ( unsigned int i = 0; i < VCPUS; i++ )
        if ( !(producer.rings[i] = domain->vcpu[i].ring) )
            die("a ring is missing");
    core_door_state(&state);
    return state.status_mfn;
}

/* Addresses and times that no compressor can predict. */
static uint64_t random_word(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static struct record next_record(unsigned int vcpu, uint64_t number)
{
    uint64_t random = random_word();
    uint64_t ip = 0xffffffff81000000 + random % PLACES * 16;
    struct record record = {
        .sample = {.head = {.kind = XENOPROF_RECORD_SAMPLE,
                            .parts = XENOPROF_PART_REGISTERS,
                            .length = sizeof(record)},
                   .time = number * PERIOD / VCPUS + random % 65536,
                   .ip = ip,
                   .sp = 0xffffc90000000000 + number % 4096 * 8,
                   .flags = 0x246,
                   .domain = 5,
                   .vcpu = vcpu,
                   .pcpu = vcpu,
                   .mode = XENOPROF_MODE_KERNEL,
                   .weight = 1,
                   .period = PERIOD},
        .registers = {.rax = number, .rsp = number, .cr3 = 0x1000},
    };

    return record;
}

/* The reader's index says when there is room; its thread needs no waking. */
static bool room(const struct ring *ring)
{
    uint64_t unread = ring->producer -
                      __atomic_load_n(ring->consumer, __ATOMIC_ACQUIRE);

    return unread + 2 * BURST * RECORDS < ring->size;
}

static void *produce(void *unused)
{
    run_on(0);
    for ( unsigned int vcpu = 0;
          !__atomic_load_n(&producer.stop, __ATOMIC_RELAXED);
          vcpu = (vcpu + 1) % VCPUS )
    {
        if ( !room(producer.rings[vcpu]) )
            continue;
        for ( unsigned int i = 0; i < BURST; i++ )
        {
            struct record record = next_record(vcpu, producer.made);
            struct ring_piece pieces[RING_PIECES] = {{&record, sizeof(record)}};

            if ( ring_put(producer.rings[vcpu], pieces, record.sample.time) >
                 RING_WRITTEN_MUCH )
                die("a record was lost");
            producer.made++;
        }
    }
    return unused;
}

static uint32_t place_of(const struct xenoprof_sample *sample)
{
    struct xenoprof_place place = {.domain = sample->domain,
                                   .mode = sample->mode,
                                   .address = sample->ip,
                                   .image = "kernel",
                                   .symbol = "symbol",
                                   .symbol_start = sample->ip & ~0xffull};
    uint32_t number;

    if ( !xenoprof_writer_known(reader.writer, sample->domain, sample->mode,
                                sample->ip, &number) )
        ok(xenoprof_writer_place(reader.writer, &place, &number));
    return number;
}

static void store(const struct xenoprof_sample *sample)
{
    struct xenoprof_stored stored = {.time = sample->time,
                                     .place = place_of(sample),
                                     .period = sample->period,
                                     .marks = sample->marks,
                                     .domain = sample->domain,
                                     .vcpu = sample->vcpu,
                                     .pcpu = sample->pcpu,
                                     .mode = sample->mode,
                                     .weight = sample->weight};

    ok(xenoprof_writer_sample(reader.writer, &stored, NULL, 0));
}

static uint64_t drain_ring(size_t index)
{
    struct xenoprof_view view;
    enum xenoprof_status code;
    uint64_t count = 0;

    while ( !(code = xenoprof_ring_next(reader.source, index, &view)) )
    {
        store(view.sample);
        count++;
    }
    if ( code != XENOPROF_END )
        ok(code);
    return count;
}

static void flush(void)
{
    struct xenoprof_ring_info facts;
    size_t rings = xenoprof_source_rings(reader.source);
    double before;

    for ( size_t i = 0; i < rings; i++ )
    {
        ok(xenoprof_ring_info(reader.source, i, &facts));
        ok(xenoprof_writer_ring(reader.writer, &facts, reader.read[i], 0, 0));
    }
    before = seconds(CLOCK_MONOTONIC);
    ok(xenoprof_writer_flush(reader.writer));
    reader.waited += seconds(CLOCK_MONOTONIC) - before;
    for ( size_t i = 0; i < rings; i++ )
        xenoprof_ring_release(reader.source, i);
    reader.blocks++;
}

/* Reads all rings once; writes a block when there is a MiB, or nothing is left
 * to read. */
static void drain(void)
{
    uint64_t before = reader.total;

    for ( size_t i = 0; i < xenoprof_source_rings(reader.source); i++ )
    {
        uint64_t count = drain_ring(i);

        reader.read[i] += count;
        reader.total += count;
        if ( xenoprof_writer_pending(reader.writer) >= BLOCK )
            flush();
    }
    if ( reader.total != before )
        flush();
}

static void open_session(const char *folder, uint64_t status_mfn)
{
    reader.handle = xenoprof_open();
    ok(source_process(reader.handle, status_mfn, &reader.source));
    ok(xenoprof_writer_create(reader.handle, folder, &reader.writer));
}

static uint64_t session_bytes(const char *folder)
{
    char path[4096];
    struct stat status;
    uint64_t bytes = 0;

    for ( unsigned int i = 0;; i++ )
    {
        snprintf(path, sizeof(path), "%s/DATA.%04u", folder, i);
        if ( stat(path, &status) )
            return bytes;
        bytes += status.st_size;
        unlink(path);
    }
}

static void print(const char *folder, double wall, double cpu, uint64_t bytes)
{
    printf("records stored      %12llu\n", (unsigned long long)reader.total);
    printf("records a second    %12.0f   %s\n", reader.total / wall,
           sysconf(_SC_NPROCESSORS_ONLN) > 1 ? "a CPU each"
                                             : "both on one CPU");
    printf("reader's ns/record  %12.0f   of its CPU\n",
           cpu * 1e9 / reader.total);
    printf("in flushes          %11.0f%%   of the time; the disk's share\n",
           reader.waited * 100 / wall);
    printf("bytes a record      %12.2f   on disk, of %zu in the ring\n",
           (double)bytes / reader.total, RECORDS);
    printf("blocks              %12llu   flushed to %s\n",
           (unsigned long long)reader.blocks, folder);
}

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 3, begin, wall, cpu;
    char temporary[] = "/tmp/xenoprof-throughput-XXXXXX";
    const char *folder = argc > 2 ? argv[2] : mkdtemp(temporary);
    pthread_t thread;
    uint64_t bytes;

    if ( !folder )
        die("cannot make a folder in /tmp");
    open_session(folder, open_core());
    if ( pthread_create(&thread, NULL, produce, NULL) )
        die("cannot start the producer");
    run_on(1);
    begin = seconds(CLOCK_MONOTONIC);
    cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
    while ( seconds(CLOCK_MONOTONIC) - begin < length )
        drain();
    __atomic_store_n(&producer.stop, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    drain();
    wall = seconds(CLOCK_MONOTONIC) - begin;
    cpu = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
    if ( reader.total != producer.made )
        die("made is not read");
    ok(xenoprof_writer_close(reader.writer, 1));
    xenoprof_writer_destroy(reader.writer);
    xenoprof_source_close(reader.source);
    xenoprof_close(reader.handle);
    bytes = session_bytes(folder);
    rmdir(folder);
    print(folder, wall, cpu, bytes);
    return 0;
}
