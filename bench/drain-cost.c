/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drain-cost SAMPLES: samples of a guest's kernel as xenoprofd stores them,
 * Xen's frames above the guest's, guest stacks in batches through a walker. For
 * bench/drain-cost.sh, which counts instructions.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/parser/process-run.h"
#include "daemon/sample-stack.h"
#include "daemon/spool.h"
#include "tests/unit/daemon/guests/guest-kit.h"
#include "tests/unit/daemon/parser/parser-stub.h"

#define KERNEL       0xffffffff81000000ul
#define FRAME        40u
#define CHAINS       64u /* that are different */
#define GUEST_FRAMES 12u
#define XEN_FRAMES   6u
#define WINDOW       6144u
#define BATCH        50u /* samples in a round */

static struct guest_kit kit;
static struct guests *guests;
static struct places places;
static struct xenoprof_writer *writer;
static struct spool spool;
static struct spool_fifo fifo;

/* A sandbox would be the end of valgrind. */
int __wrap_sandbox_enter(int in, int out, size_t memory);

int __wrap_sandbox_enter(int in, int out, size_t memory)
{
    (void)memory;
    return dup2(in, 0) < 0 || dup2(out, 1) < 0 ? -1 : 0;
}

/* The daemon's ends of sockets, too: whoever holds one lets no process end. */
static void close_others(const struct process_order *order, int socket)
{
    for ( int fd = 3; fd < 1024; fd++ )
    {
        bool own = fd == socket;

        for ( unsigned int i = 0; i < order->count; i++ )
            own |= fd == order->files[i];
        if ( !own )
            close(fd);
    }
}

static bool make(void *self, const struct process_order *order, int socket,
                 uint32_t *number)
{
    pid_t pid = fork();

    (void)self;
    if ( pid == 0 )
    {
        close_others(order, socket);
        process_run(order, socket);
        _exit(0);
    }
    *number = 1;
    return pid > 0;
}

/* Processes end by themselves when their sockets do. */
static void end(void *self, uint32_t number)
{
    (void)self;
    (void)number;
}

static struct {
    struct xenoprof_sample sample;
    struct xenoprof_guest guest;
    struct xenoprof_registers registers;
    struct {
        struct xenoprof_chain head;
        uint64_t addresses[XEN_FRAMES];
    } xen;
    struct {
        struct xenoprof_window head;
        uint64_t words[WINDOW / 8];
    } window;
} record;

static const struct xenoprof_view view = {
    .sample = &record.sample,
    .guest = &record.guest,
    .registers = &record.registers,
    .xen_stack = &record.xen.head,
    .window = &record.window.head,
};

static void prepare(unsigned int number)
{
    unsigned int chain = number % CHAINS;

    record.sample.head = (struct xenoprof_record){
        .kind = XENOPROF_RECORD_SAMPLE,
        .parts = XENOPROF_PART_GUEST | XENOPROF_PART_REGISTERS |
                 XENOPROF_PART_XEN_STACK | XENOPROF_PART_WINDOW,
        .length = sizeof(record)};
    record.sample.time = 1000000ul * number;
    record.sample.domain = 2;
    record.sample.mode = XENOPROF_MODE_XEN;
    record.sample.weight = 1;
    record.sample.ip = 0xffff82d040200000ul + chain;
    record.guest.mode = XENOPROF_MODE_KERNEL;
    record.guest.ip = KERNEL + 0x100 * chain;
    record.registers.cr3 = guest_kit_map(&kit, KERNEL, FRAME);
    record.xen.head.count = XEN_FRAMES;
    for ( unsigned int i = 0; i < XEN_FRAMES; i++ )
        record.xen.addresses[i] = 0xffff82d040200000ul + 64 * i + chain;
    record.window.head.length = WINDOW;
    for ( unsigned int i = 0; i < GUEST_FRAMES - 1; i++ )
        record.window.words[i] = KERNEL + 0x1000 * (i + 1) + 64 * chain + 1;
}

/* What is counted. */
void store_samples(unsigned int count);

/* As guest-kit.c lists it. */
static uint8_t uuid[16];

static void ask(struct stack_sources *sources, unsigned int begin,
                unsigned int end)
{
    for ( unsigned int i = begin; i < end; i++ )
    {
        prepare(i);
        sources->tag = i + 1;
        if ( !spool_put(&spool, &fifo, uuid, &record.sample.head, i + 1, 0) ||
             !sample_stack_ask(sources, &view, uuid) )
            exit(1);
    }
    if ( guests_exchange(guests, writer, true, 1000000000) )
        exit(1);
}

__attribute__((noinline)) void store_samples(unsigned int count)
{
    struct stack_sources sources = {
        .places = &places, .guests = guests, .below_xen = true};
    struct stack_last last = {0};

    for ( unsigned int i = 0; i < count; i++ )
    {
        struct xenoprof_stored stored = {.domain = 2, .weight = 1};
        const struct spool_entry *head;
        struct xenoprof_view waited;

        if ( i % BATCH == 0 )
            ask(&sources, i, i + BATCH < count ? i + BATCH : count);
        head = spool_head(&fifo);
        waited = spool_view(head);
        sources.tag = head->tag;
        stored.time = waited.sample->time;
        if ( sample_stack_wait(&sources, &waited, uuid) != GUEST_READY ||
             sample_stack_store(&sources, writer, &waited, uuid, &last,
                                &stored) ||
             last.chain.count != GUEST_FRAMES )
            exit(1);
        spool_drop_head(&spool, &fifo);
        if ( i % 1000 == 999 && xenoprof_writer_flush(writer) )
            exit(1);
    }
}

/* Its kernel is found, its walker is made. */
static void find_kernel(void)
{
    struct stack_sources sources = {
        .places = &places, .guests = guests, .below_xen = true};

    prepare(0);
    if ( sample_stack_look(&sources, writer, &view, uuid, 0) )
        exit(1);
    while ( sample_stack_wait(&sources, &view, uuid) == GUEST_UNKNOWN )
        if ( guests_work(guests, writer, 100000000) )
            exit(1);
}

int main(int argc, char **argv)
{
    static const struct process_maker maker = {.make = make, .end = end};
    unsigned int count = argc > 2 ? (unsigned int)atoi(argv[1]) : 0;
    struct xenoprof_handle *handle = xenoprof_open();

    signal(SIGPIPE, SIG_IGN);
    memset(uuid, 2, sizeof(uuid));
    guest_kit_begin(&kit);
    kit.frames[FRAME][0] = 'K';
    kit.xen.maker = &maker;
    guests = guests_open(&kit.xen);
    places.xen = &kit.xen;
    places_reset(&places);
    if ( !count || !guests || !handle ||
         xenoprof_writer_create(handle, argv[2], &writer) )
    {
        fprintf(stderr, "usage: drain-cost SAMPLES NEW-FOLDER\n");
        return 1;
    }
    spool_open(&spool, 64u << 20);
    find_kernel();
    /* Names, once. */
    store_samples(CHAINS);
    store_samples(count);
    spool_close(&spool);
    guests_close(guests);
    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
    /* callgrind writes what a process did when it ends. */
    while ( wait(NULL) > 0 )
        ;
    return 0;
}
