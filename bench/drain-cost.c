/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drain-cost SAMPLES: samples of a guest's kernel as xenoprofd stores them,
 * Xen's frames above the guest's, each guest stack through a parser.  For
 * bench/drain-cost.sh, which counts instructions.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/parser/parser.h"
#include "daemon/sample-stack.h"
#include "tests/unit/daemon/guests/guest-kit.h"
#include "tests/unit/daemon/parser/parser-stub.h"

#define KERNEL       0xffffffff81000000ul
#define FRAME        40u
#define CHAINS       64u /* that are different */
#define GUEST_FRAMES 12u
#define XEN_FRAMES   6u
#define WINDOW       6144u

static struct guest_kit kit;
static struct guests *guests;
static struct places places;
static struct xenoprof_writer *writer;

/* The parser, without its sandbox: valgrind would not survive that. */
static int to_child[2], from_child[2];

static bool read_all(void *self, void *to, size_t size)
{
    const int *fd = self;
    size_t at = 0;

    while ( at < size )
    {
        ssize_t got = read(fd[0], (char *)to + at, size - at);

        if ( got <= 0 )
            return false;
        at += (size_t)got;
    }
    return true;
}

static bool write_all(void *self, const void *from, size_t size)
{
    const int *fd = self;

    return write(fd[1], from, size) == (ssize_t)size;
}

static bool make(void *self, struct parser_process *ret)
{
    pid_t pid;

    (void)self;
    if ( pipe(to_child) || pipe(from_child) )
        return false;
    pid = fork();
    if ( pid == 0 )
    {
        int ends[2] = {to_child[0], from_child[1]};
        const struct wire wire = {read_all, write_all, ends};

        close(to_child[1]);
        close(from_child[0]);
        parser_serve(&wire);
        _exit(0);
    }
    close(to_child[0]);
    close(from_child[1]);
    *ret = (struct parser_process){to_child[1], from_child[0], pid};
    return pid > 0;
}

/* The parser ends by itself when its pipe does. */
static void end(void *self)
{
    (void)self;
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

__attribute__((noinline)) void store_samples(unsigned int count)
{
    const struct stack_sources sources = {&places, guests, true, false};
    const uint8_t uuid[16] = {2};
    struct stack_last last = {0};

    for ( unsigned int i = 0; i < count; i++ )
    {
        struct xenoprof_stored stored = {.domain = 2, .weight = 1};

        prepare(i);
        stored.time = record.sample.time;
        if ( sample_stack_store(&sources, writer, &view, uuid, &last,
                                &stored) ||
             xenoprof_writer_sample(writer, &stored) ||
             last.chain.count != GUEST_FRAMES )
            exit(1);
        if ( i % 1000 == 999 && xenoprof_writer_flush(writer) )
            exit(1);
    }
}

int main(int argc, char **argv)
{
    static const struct parser_maker maker = {make, end, NULL};
    unsigned int count = argc > 2 ? (unsigned int)atoi(argv[1]) : 0;
    struct xenoprof_handle *handle = xenoprof_open();

    signal(SIGPIPE, SIG_IGN);
    guest_kit_begin(&kit);
    kit.frames[FRAME][0] = 'K';
    guests = guests_open(&kit.xen, &maker);
    places.xen = &kit.xen;
    if ( !count || !guests || !handle ||
         xenoprof_writer_create(handle, argv[2], &writer) )
    {
        fprintf(stderr, "usage: drain-cost SAMPLES NEW-FOLDER\n");
        return 1;
    }
    /* Kernel and names, once. */
    store_samples(CHAINS);
    store_samples(count);
    guests_close(guests);
    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
    wait(NULL);
    return 0;
}
