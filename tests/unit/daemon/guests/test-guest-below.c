/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process below a kernel: its registers, and its part of a sample's chain,
 * from a kernel's walker and a process's. */
#include <string.h>

#include "agent-kit.h"
#include "daemon/guests/guest-below.h"
#include "guests-kit.h"
#include "tests/harness.h"
#include "tests/unit/daemon/parser/parser-stub.h"

#define LEAF   (KIT_CODE + 0x120)
#define MIDDLE (KIT_CODE + 0x250)
#define MAIN   (KIT_CODE + 0x310)
#define STACK  0x7080ull /* of the process */
#define SAVED  21u       /* words of what an entry saves, in this order: */
enum { R15, R14, R13, R12, BP, BX, R11, R10, R9, R8, AX, CX, DX, SI, DI };
enum { IP = 16, CS, FLAGS, SP, SS };

static const uint8_t uuid[16] = {0};

static struct {
    struct xenoprof_window head;
    uint64_t words[1 + SAVED + 2]; /* a caller, and what was saved */
} stack;
static struct {
    struct xenoprof_window head;
    uint64_t words[16 + 4]; /* from the red zone on */
} process;
static struct xenoprof_registers registers;
static uint64_t *saved;

/* A sample in a kernel, that a process in `leaf` has entered. */
static struct guest_sample sample_of(void)
{
    static uint64_t tag;

    memset(&stack, 0, sizeof(stack));
    memset(&process, 0, sizeof(process));
    saved = stack.words + 1;
    stack.head = (struct xenoprof_window){0xf50, (1 + SAVED) * 8, 0};
    stack.words[0] = KERNEL + 0x250;
    saved[R15] = STUB_ENTERED;
    saved[IP] = LEAF;
    saved[CS] = 0x33;
    saved[SP] = STACK;
    saved[SS] = 0x2b;
    process.head = (struct xenoprof_window){STACK - 128, sizeof(process.words),
                                            0};
    process.words[16] = MIDDLE;
    process.words[18] = MAIN;
    return (struct guest_sample){
        .uuid = uuid,
        .mode = XENOPROF_MODE_KERNEL,
        .ip = KERNEL + 0x110,
        .registers = &registers,
        .windows = {&stack.head},
        .user_window = &process.head,
        .no_process = XENOPROF_ENDED_PAGE,
        .thread = {.pid = 1, .tid = 1, .comm = "test"},
        .tag = ++tag,
    };
}

/* Registers ---------------------------------------------------------------- */

static struct guest_below below;

TEST(registers_are_those_that_an_entry_saved)
{
    struct guest_sample sample = sample_of();

    for ( unsigned int i = R14; i <= DI; i++ )
        saved[i] = 0x100 + i;
    CHECK(guest_below_get(&sample, &below));
    CHECK_EQ(below.sample.mode, XENOPROF_MODE_USER);
    CHECK_EQ(below.sample.ip, LEAF);
    CHECK_EQ(below.sample.tag, sample.tag);
    CHECK_EQ(below.sample.thread.pid, 1);
    CHECK(below.sample.windows[0] == &process.head);
    CHECK(below.sample.registers == &below.registers);
    CHECK_EQ(below.registers.rsp, STACK);
    CHECK_EQ(below.registers.rbp, 0x100 + BP);
    CHECK_EQ(below.registers.rbx, 0x100 + BX);
    CHECK_EQ(below.registers.rax, 0x100 + AX);
    CHECK_EQ(below.registers.rdi, 0x100 + DI);
    CHECK_EQ(below.registers.r8, 0x100 + R8);
    CHECK_EQ(below.registers.r14, 0x100 + R14);
    CHECK_EQ(below.registers.r15, STUB_ENTERED);
}

TEST(registers_lie_at_the_end_of_the_last_stack)
{
    static struct {
        struct xenoprof_window head;
        uint64_t words[4];
    } first = {.head = {0x2000, 32, 0}};
    struct guest_sample sample = sample_of();

    sample.windows[1] = sample.windows[0];
    sample.windows[0] = &first.head;
    CHECK(guest_below_get(&sample, &below));
    /* An exception came to the first, and the kernel that it interrupted was
     * entered by the process; its own frame is the kernel's. */
    sample.windows[0] = sample.windows[1];
    sample.windows[1] = &first.head;
    CHECK(!guest_below_get(&sample, &below));
}

TEST(registers_below_what_fred_pushes)
{
    struct guest_sample sample = sample_of();

    stack.head.length += 16;
    CHECK(guest_below_get(&sample, &below));
    CHECK_EQ(below.sample.ip, LEAF);
    /* FRED has more in these words. */
    saved[CS] |= 0x12340000;
    saved[SS] |= 0x5600000000;
    CHECK(guest_below_get(&sample, &below));
    stack.head.length -= 8;
    CHECK(!guest_below_get(&sample, &below));
}

/* The stack pointer that Xen followed may be in the first bytes of a page. */
TEST(a_window_begins_in_the_red_zone_or_with_the_page)
{
    struct guest_sample sample = sample_of();

    for ( uint64_t from = STACK - 128; from <= STACK; from += 8 )
    {
        process.head.address = from;
        CHECK(guest_below_get(&sample, &below));
    }
    process.head.address = STACK + 8;
    CHECK(!guest_below_get(&sample, &below));
    process.head.address = STACK - 136;
    CHECK(!guest_below_get(&sample, &below));
}

TEST(what_is_no_entry_of_a_process)
{
    static const struct {
        unsigned int word;
        uint64_t value;
    } wrong[] = {
        {CS, 0x10},   {CS, 0xe030},     {CS, 0},      {SS, 0x18},
        {SS, 0},      {IP, 0},          {IP, KERNEL}, {SP, 0},
        {SP, KERNEL}, {IP, 1ull << 56}, {SP, ~0ull},
    };
    struct guest_sample sample;

    for ( size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++ )
    {
        sample = sample_of();
        saved[wrong[i].word] = wrong[i].value;
        CHECK(!guest_below_get(&sample, &below));
    }
    /* The kernel's stack pointer lies in what is saved: not all of it is. */
    sample = sample_of();
    stack.head.length = SAVED * 8 - 8;
    memmove(stack.words, saved + 1, stack.head.length);
    CHECK(!guest_below_get(&sample, &below));
    stack.head.length = 0;
    CHECK(!guest_below_get(&sample, &below));
    sample = sample_of();
    sample.user_window = NULL;
    CHECK(!guest_below_get(&sample, &below));
    sample = sample_of();
    sample.windows[0] = NULL;
    CHECK(!guest_below_get(&sample, &below));
    sample = sample_of();
    sample.mode = XENOPROF_MODE_USER;
    CHECK(!guest_below_get(&sample, &below));
}

/* Chains ------------------------------------------------------------------- */

static struct guests_kit kit;
static struct agent_kit agent;
static struct guest_chain chain;

static void begin(enum agent_manner manner)
{
    agent_kit_begin(&agent, manner);
    guests_kit_begin(&kit, 'K');
    kit.guests->below_kernels = true;
    registers = (struct xenoprof_registers){
        .rsp = 0xf50, .cr3 = guest_kit_map(&kit.host, KERNEL, FRAME)};
}

static void end(void)
{
    /* Nothing is left that nobody will take. */
    CHECK_EQ(walked_stacks_open(&guests_kit_dom0(&kit)->stacks.stacks), 0);
    guests_kit_end(&kit);
    agent_kit_end(&agent);
}

static void exchange(void)
{
    CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND / 50),
             XENOPROF_OK);
}

/* Its kernel is known, and its agent has said what it can. */
static void make_ready(struct guest_sample *sample)
{
    sample->time = kit.now += SECOND;
    CHECK_EQ(guests_look(kit.guests, kit.writer, sample), XENOPROF_OK);
    guests_kit_search(&kit);
    while ( agent_link_state(guests_kit_dom0(&kit)->link) == AGENT_COMING )
        exchange();
}

static void take(struct guest_sample *sample)
{
    make_ready(sample);
    while ( guests_wait_for(kit.guests, sample) != GUEST_READY )
    {
        guests_ask(kit.guests, sample);
        exchange();
    }
    CHECK_EQ(guests_chain(kit.guests, kit.writer, sample, &chain), XENOPROF_OK);
    exchange();
}

static void check_kernel(enum xenoprof_ended ended)
{
    CHECK_EQ(chain.count, 2);
    CHECK_EQ(chain.ended, ended);
    CHECK_EQ(chain.below, ended != XENOPROF_ENDED_ROOT);
    guests_kit_check_symbol(&kit, chain.places[0], "kernel", "function_1");
    guests_kit_check_symbol(&kit, chain.places[1], "kernel", "function_2");
}

TEST(callers_of_a_kernel_are_the_processs)
{
    struct guest_sample sample;

    begin(MANNER_STACKS);
    sample = sample_of();
    take(&sample);
    CHECK_EQ(chain.count, 5);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_ROOT);
    CHECK(chain.below);
    guests_kit_check_symbol(&kit, chain.places[0], "kernel", "function_1");
    guests_kit_check_symbol(&kit, chain.places[1], "kernel", "function_2");
    guests_kit_check_symbol(&kit, chain.places[2], "/bin/prog", "leaf");
    guests_kit_check_symbol(&kit, chain.places[3], "/bin/prog", "middle");
    guests_kit_check_symbol(&kit, chain.places[4], "/bin/prog", "main");
    end();
}

/* The kernel's part is whole, whatever becomes of the other. */
TEST(a_kernel_whose_process_has_no_callers)
{
    struct guest_sample sample;

    begin(MANNER_STACKS);
    sample = sample_of();
    sample.user_window = NULL;
    take(&sample);
    check_kernel(XENOPROF_ENDED_PAGE);
    sample = sample_of();
    sample.user_window = NULL;
    sample.no_process = XENOPROF_ENDED_ROOT;
    take(&sample);
    check_kernel(XENOPROF_ENDED_ROOT);
    sample = sample_of();
    saved[CS] = 0x10;
    take(&sample);
    check_kernel(XENOPROF_ENDED_GUEST);
    sample = sample_of();
    memset(&sample.thread, 0, sizeof(sample.thread));
    take(&sample);
    check_kernel(XENOPROF_ENDED_AGENT);
    sample = sample_of();
    kit.guests->below_kernels = false;
    take(&sample);
    check_kernel(XENOPROF_ENDED_ROOT);
    end();
    /* Nobody expects what no agent can say. */
    begin(MANNER_FIRST_VERSION);
    sample = sample_of();
    take(&sample);
    check_kernel(XENOPROF_ENDED_ROOT);
    end();
}

TEST(a_chain_says_how_its_process_ended)
{
    struct guest_sample sample;

    begin(MANNER_STACKS);
    sample = sample_of();
    process.head.length = 136;
    take(&sample);
    CHECK_EQ(chain.count, 4);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_WINDOW_16);
    CHECK(chain.below);
    end();
}

/* A kernel's thread has what another process left on its stack. */
TEST(a_kernel_that_no_process_has_entered)
{
    struct guest_sample sample;

    begin(MANNER_STACKS);
    sample = sample_of();
    saved[R15] = 0;
    take(&sample);
    CHECK_EQ(chain.count, 2);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_PAGE);
    CHECK(!chain.below);
    end();
}

/* It was asked for, and then its kernel's walker went. */
TEST(a_process_whose_kernel_is_not_walked)
{
    struct guest_sample sample;
    struct walked_stacks *walked;

    begin(MANNER_STACKS);
    sample = sample_of();
    make_ready(&sample);
    while ( guests_wait_for(kit.guests, &sample) != GUEST_READY )
    {
        guests_ask(kit.guests, &sample);
        exchange();
    }
    sample.cut = XENOPROF_ENDED_SPOOL;
    walked = &guests_find(kit.guests, &sample)->walker.stacks;
    walked_stacks_drop(walked, walked_stacks_find(walked, sample.tag));
    CHECK_EQ(guests_chain(kit.guests, kit.writer, &sample, &chain),
             XENOPROF_OK);
    CHECK_EQ(chain.count, 1);
    CHECK(!chain.below);
    end();
}

/* Others do not wait behind it until the agent has said something of each
 * process that comes and goes. */
TEST(a_process_that_is_not_known_in_time)
{
    struct guest_sample sample, late;

    begin(MANNER_STACKS);
    sample = sample_of();
    make_ready(&sample);
    late = sample_of();
    late.time = sample.time - SECOND - 1;
    late.thread.pid = late.thread.tid = 77;
    while ( guests_wait_for(kit.guests, &late) != GUEST_READY )
    {
        guests_ask(kit.guests, &late);
        exchange();
    }
    CHECK_EQ(guests_chain(kit.guests, kit.writer, &late, &chain), XENOPROF_OK);
    exchange();
    check_kernel(XENOPROF_ENDED_AGENT);
    /* Once it is, it has callers, however late. */
    sample = sample_of();
    take(&sample);
    CHECK_EQ(chain.count, 5);
    late = sample_of();
    late.time = sample.time - 2 * SECOND;
    while ( guests_wait_for(kit.guests, &late) != GUEST_READY )
    {
        guests_ask(kit.guests, &late);
        exchange();
    }
    CHECK_EQ(guests_chain(kit.guests, kit.writer, &late, &chain), XENOPROF_OK);
    CHECK_EQ(chain.count, 5);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_ROOT);
    end();
}
