/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drain-cost SAMPLES NEW-FOLDER [new]: samples of a guest's kernel as xenoprofd
 * stores them, Xen's frames above the guest's, guest stacks in batches through
 * a walker. Their chains are 64 that come again; with new, almost each is one
 * that was never there. Prints CPU time; bench/goals.sh counts
 * instructions.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/growing-model.h"
#include "daemon/parser/process-run.h"
#include "daemon/sample-stack.h"
#include "daemon/spool.h"
#include "tests/unit/daemon/guests/guest-kit.h"
#include "tests/unit/daemon/parser/parser-stub.h"

#define KERNEL       0xffffffff81000000ul
#define FRAME        40u
#define CHAINS       64u /* that come again */
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

struct drawn_chain {
    uint64_t guest[GUEST_FRAMES], xen[XEN_FRAMES + 1]; /* leaf first */
};

static struct drawn_chain *chains;
static unsigned int chain_count;

static void draw_part(uint8_t mode, unsigned int deep, uint64_t *ret)
{
    struct growing_stack stack;

    growing_draw_walk(mode, deep, &stack);
    for ( unsigned int i = 0; i < deep; i++ )
        ret[i] = stack.frames[deep - 1 - i].address;
}

/* Before anything is counted. */
static void draw_chains(unsigned int count)
{
    chains = calloc(count, sizeof(*chains));
    if ( !chains )
        exit(1);
    chain_count = count;
    for ( unsigned int i = 0; i < count; i++ )
    {
        draw_part(XENOPROF_MODE_KERNEL, GUEST_FRAMES, chains[i].guest);
        draw_part(XENOPROF_MODE_XEN, XEN_FRAMES + 1, chains[i].xen);
    }
}

static void prepare(unsigned int number)
{
    const struct drawn_chain *chain = &chains[number % chain_count];

    record.sample.head = (struct xenoprof_record){
        .kind = XENOPROF_RECORD_SAMPLE,
        .parts = XENOPROF_PART_GUEST | XENOPROF_PART_REGISTERS |
                 XENOPROF_PART_XEN_STACK | XENOPROF_PART_WINDOW,
        .length = sizeof(record)};
    record.sample.time = 1000000ul * number;
    record.sample.domain = 2;
    record.sample.mode = XENOPROF_MODE_XEN;
    record.sample.weight = 1;
    record.sample.ip = chain->xen[0];
    record.guest.mode = XENOPROF_MODE_KERNEL;
    record.guest.ip = chain->guest[0];
    record.registers.cr3 = guest_kit_map(&kit, KERNEL, FRAME);
    record.xen.head.count = XEN_FRAMES;
    memcpy(record.xen.addresses, chain->xen + 1, sizeof(record.xen.addresses));
    record.window.head.length = WINDOW;
    memcpy(record.window.words, chain->guest + 1,
           sizeof(chain->guest) - sizeof(*chain->guest));
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

/* As drain_check_file() does. */
static void flush(struct stack_last *last)
{
    static uint32_t files_ended;

    if ( xenoprof_writer_flush(writer) )
        exit(1);
    if ( files_ended == xenoprof_writer_epoch(writer) )
        return;
    files_ended = xenoprof_writer_epoch(writer);
    places_reset(&places);
    guests_forget_places(guests);
    *last = (struct stack_last){0};
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
        if ( i % 1000 == 999 )
            flush(&last);
    }
}

/* Its kernel is found, its walker is made. */
static void find_kernel(void)
{
    struct stack_sources sources = {
        .places = &places, .guests = guests, .below_xen = true};

    prepare(0);
    record.guest.ip = KERNEL; /* the page that the guest has */
    if ( sample_stack_look(&sources, writer, &view, uuid, 0) )
        exit(1);
    while ( sample_stack_wait(&sources, &view, uuid) == GUEST_UNKNOWN )
        if ( guests_work(guests, writer, 100000000) )
            exit(1);
}

static double cpu_us(int who)
{
    struct rusage usage;

    getrusage(who, &usage);
    return 1e6 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
    static const struct process_maker maker = {.make = make, .end = end};
    unsigned int count = argc > 2 ? (unsigned int)atoi(argv[1]) : 0;
    struct xenoprof_handle *handle = xenoprof_open();
    double before;

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
        fprintf(stderr, "usage: drain-cost SAMPLES NEW-FOLDER [new]\n");
        return 1;
    }
    draw_chains(argc > 3 && *argv[3] ? count : CHAINS);
    spool_open(&spool, 64u << 20);
    find_kernel();
    /* Names, once. */
    store_samples(CHAINS);
    before = cpu_us(RUSAGE_SELF);
    store_samples(count);
    printf("xenoprofd %.2f us", (cpu_us(RUSAGE_SELF) - before) / count);
    spool_close(&spool);
    guests_close(guests);
    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
    /* callgrind writes what a process did when it ends. */
    while ( wait(NULL) > 0 )
        ;
    printf(", its walker without the walk %.2f us of CPU a sample\n",
           cpu_us(RUSAGE_CHILDREN) / count);
    return 0;
}
