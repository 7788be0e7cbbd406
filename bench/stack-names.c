/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack-names: how many stacks of a process xenoprofd has walked,
 * named and numbered in a second of processor time, once all that they need is
 * known: its own time and that of the walker in its sandbox, with the messages
 * between them.  Windows of the stack have 1 KiB, or 8, as xenopctl asks for
 * them.  Fails below 200,000.
 *
 * The agent, a stub, is asked in the first round alone.  The samples are those
 * of 16 processes that run one program, at 64 places in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/drain.h"
#include "daemon/guests/user-facts.h"
#include "tests/harness.h"
#include "tests/unit/daemon/guests/agent-kit.h"
#include "tests/unit/daemon/guests/guests-kit.h"

#define BATCH     64u
#define PROCESSES 16u
#define MIDDLE    (KIT_CODE + 0x250)
#define MAIN      (KIT_CODE + 0x310)
#define STACK     0x7000u
#define WORDS     1024u /* of the largest window */
#define WARM      50u   /* rounds */
#define BOUND     200000.0

static struct guests_kit kit;
static struct agent_kit agent;
static struct xenoprof_registers registers;
static struct {
    struct xenoprof_window head;
    uint64_t words[WORDS];
} stack;
static struct guest_sample samples[BATCH];
static uint32_t window; /* bytes */
static unsigned long whole, all;

/* In leaf, which middle called, which main did. */
static void make_samples(void)
{
    static const uint8_t uuid[16] = {0};
    static uint64_t tag;

    registers = (struct xenoprof_registers){.rsp = STACK};
    stack.head = (struct xenoprof_window){STACK, window, 0};
    stack.words[0] = MIDDLE;
    stack.words[2] = MAIN;
    for ( uint32_t i = 0; i < BATCH; i++ )
        samples[i] = (struct guest_sample){
            .time = kit.now,
            .uuid = uuid,
            .mode = XENOPROF_MODE_USER,
            .ip = KIT_CODE + 0x100 + 2 * i,
            .registers = &registers,
            .windows = {&stack.head},
            .thread = {.pid = 1 + i % PROCESSES,
                       .tid = 1 + i % PROCESSES,
                       .comm = "bench"},
            .tag = ++tag,
        };
}

static void exchange(void)
{
    if ( guests_exchange(kit.guests, kit.writer, true, SECOND / 50) )
        test_fail(__FILE__, __LINE__, "the session cannot be written");
}

static void store(const struct guest_sample *sample)
{
    static struct guest_chain chain;
    struct xenoprof_stored stored = {.time = sample->time,
                                     .period = 10000000,
                                     .mode = XENOPROF_MODE_USER,
                                     .weight = 1};

    if ( guests_chain(kit.guests, kit.writer, sample, &chain) )
        test_fail(__FILE__, __LINE__, "a chain cannot be taken");
    if ( xenoprof_writer_sample(kit.writer, &stored, chain.places,
                                chain.count) )
        test_fail(__FILE__, __LINE__, "a sample cannot be stored");
    all++;
    whole += chain.count == 3 && chain.ended == XENOPROF_ENDED_ROOT;
}

/* As the daemon writes blocks. */
static void write_block(void)
{
    if ( xenoprof_writer_pending(kit.writer) >= BLOCK_BYTES &&
         xenoprof_writer_flush(kit.writer) )
        test_fail(__FILE__, __LINE__, "a block cannot be written");
}

/* All are asked for, then each is taken. */
static void take_batch(void)
{
    make_samples();
    for ( uint32_t i = 0; i < BATCH; i++ )
        guests_ask(kit.guests, &samples[i]);
    for ( uint32_t i = 0; i < BATCH; i++ )
    {
        while ( guests_wait_for(kit.guests, &samples[i]) != GUEST_READY )
        {
            guests_ask(kit.guests, &samples[i]);
            exchange();
        }
        store(&samples[i]);
    }
    write_block();
}

/* Returns the seconds that a process has worked. */
static double cpu_of(pid_t pid)
{
    clockid_t id;

    if ( clock_getcpuclockid(pid, &id) )
        test_fail(__FILE__, __LINE__, "a process has ended");
    return (double)clock_read(id) * 1e-9;
}

/* Of the keeper and its children, of which the walker is one. */
static double others_cpu(void)
{
    double sum = cpu_of(kit.keeper.pid);
    char name[64];
    FILE *file;
    int pid;

    snprintf(name, sizeof(name), "/proc/%d/task/%d/children",
             (int)kit.keeper.pid, (int)kit.keeper.pid);
    file = fopen(name, "re");
    if ( !file )
        test_fail(__FILE__, __LINE__,
                  "/proc does not say which processes have which children");
    while ( fscanf(file, "%d", &pid) == 1 )
        sum += cpu_of(pid);
    fclose(file);
    return sum;
}

static double ns_each(double seconds)
{
    return seconds * 1e9 / (double)all;
}

/* Returns stacks in a second. */
static double measure(unsigned int rounds)
{
    double own = cpu_of(getpid()), others = others_cpu();
    double rate;

    whole = all = 0;
    for ( unsigned int i = 0; i < rounds; i++ )
        take_batch();
    own = cpu_of(getpid()) - own;
    others = others_cpu() - others;
    rate = (double)all / (own + others);
    printf("%6u  %13.0f  %13.0f  %9.0f  at least %.0f\n", window, ns_each(own),
           ns_each(others), rate, BOUND);
    return rate;
}

static unsigned int rounds_wanted(void)
{
    const char *given = getenv("ROUNDS");

    return given ? (unsigned int)atoi(given) : 2000;
}

TEST(stacks_walked_named_and_numbered)
{
    static const uint32_t windows[] = {1024, WORDS * 8};
    double least = 1e12;

    CHECK(rounds_wanted() > 0);
    agent_kit_begin(&agent, MANNER_STACKS);
    guests_kit_begin(&kit, 0);
    printf("window  xenoprofd, ns  the walker, ns  stacks a second\n");
    for ( size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++ )
    {
        double rate;

        window = windows[i];
        for ( unsigned int k = 0; k < WARM; k++ )
            take_batch();
        rate = measure(rounds_wanted());
        least = rate < least ? rate : least;
        CHECK_EQ(whole, all);
    }
    guests_kit_end(&kit);
    agent_kit_end(&agent);
    CHECK(least >= BOUND);
}
