/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which words of a stack may be addresses of code, where nothing is known of
 * the guest's kernel; from a process in its sandbox up to the session.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/guests/guests.h"
#include "cage/keeper.h"
#include "daemon/parser/process-run.h"
#include "daemon/sample-stack.h"
#include "control/session-folders.h"
#include "tests/harness.h"
#include "guest-kit.h"

#define KERNEL 0xffffffff81000000ul
#define STACK  0xffff888000010000ul
#define FRAME  40u
#define SECOND 1000000000ull

TEST(calls_are_known_by_their_bytes)
{
    static const struct {
        uint8_t bytes[CALL_BYTES_MAX];
        bool call;
    } cases[] = {
        {{0x90, 0x90, 0xe8, 1, 2, 3, 4}, true},
        {{0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0}, true},  /* *%rax */
        {{0x90, 0x90, 0x90, 0x90, 0x41, 0xff, 0xd3}, true},  /* *%r11 */
        {{0x90, 0x90, 0x90, 0x90, 0xff, 0x50, 0x10}, true},  /* *16(%rax) */
        {{0x90, 0x90, 0x90, 0xff, 0x54, 0x24, 0x08}, true},  /* *8(%rsp) */
        {{0x90, 0xff, 0x15, 1, 2, 3, 4}, true},              /* *(%rip) */
        {{0xff, 0x14, 0xc5, 1, 2, 3, 4}, true},              /* *(,%rax,8) */
        {{0xff, 0x94, 0x24, 1, 2, 3, 4}, true},              /* *(%rsp) */
        {{0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0}, false}, /* jmp *%rax */
        {{0x90, 0x90, 0xe9, 1, 2, 3, 4}, false},             /* jmp */
        {{0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90}, false},
        {{0xe8, 1, 2, 3, 4, 0x90, 0x90}, false},
    };

    for ( size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++ )
        if ( bytes_end_with_call(cases[i].bytes) != cases[i].call )
            test_fail(__FILE__, __LINE__, "case %zu", i);
}

TEST(words_that_are_no_addresses)
{
    CHECK(is_near_code(KERNEL + 0x1000, KERNEL));
    CHECK(is_near_code(KERNEL - 0x3fffffff, KERNEL));
    CHECK(!is_near_code(KERNEL - 0x40000001, KERNEL));
    CHECK(!is_near_code(0x00327265746e7568, KERNEL));
    CHECK(!is_near_code(0x1000, KERNEL));
    CHECK(!is_near_code(~0ul, 0x1000));
    CHECK(is_near_code(0x401000, 0x400000));
}

/* What was looked at once is known, and there is an end to it. */
TEST(calls_are_looked_at_once)
{
    static struct guest_kit kit;
    static struct guest_walk walk;
    struct guest_calls calls = {0};
    uint32_t left = 2;

    guest_kit_begin(&kit);
    kit.frames[FRAME][0x100 - 5] = 0xe8;
    kit.frames[FRAME][0x300 - 5] = 0xe8;
    CHECK(guest_walk_open(&walk, &kit.xen, 2,
                          guest_kit_map(&kit, KERNEL, FRAME), KERNEL));
    for ( int i = 0; i < 3; i++ )
    {
        CHECK(guest_calls_end_at(&calls, &walk, KERNEL + 0x100, KERNEL, &left));
        CHECK(
            !guest_calls_end_at(&calls, &walk, KERNEL + 0x200, KERNEL, &left));
    }
    CHECK_EQ(left, 0);
    CHECK(!guest_calls_end_at(&calls, &walk, KERNEL + 0x300, KERNEL, &left));
    guest_calls_free(&calls);
}

static struct guest_kit kit;
static struct keeper keeper;
static struct process_maker maker;
static struct guests *guests;
static struct xenoprof_handle *handle;
static struct xenoprof_writer *writer;
static char dir[64];

/* A kernel that nobody knows, whose functions make frames: 60 calls of
 * push %rbp; mov %rsp, %rbp. */
static void write_code(void)
{
    uint8_t *code = kit.frames[FRAME];

    memset(code, 0x90, GUEST_PAGE);
    for ( int i = 0; i < 60; i++ )
    {
        int at = 16 * i, function = 2048 + 16 * i, distance = function - at - 5;

        code[at] = 0xe8;
        memcpy(code + at + 1, &distance, sizeof(distance));
        memcpy(code + function, "\x55\x48\x89\xe5", 4);
    }
}

static void begin(void)
{
    struct failure failure;
    char folder[80];

    signal(SIGPIPE, SIG_IGN);
    guest_kit_begin(&kit);
    write_code();
    if ( keeper_start(&keeper, NULL, process_run, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    maker = keeper_maker(&keeper);
    kit.xen.maker = &maker;
    guests = guests_open(&kit.xen);
    handle = xenoprof_open();
    strcpy(dir, "/tmp/xenoprof-test-XXXXXX");
    CHECK(guests && handle && mkdtemp(dir));
    snprintf(folder, sizeof(folder), "%s/s", dir);
    CHECK_EQ(xenoprof_writer_create(handle, folder, &writer), XENOPROF_OK);
}

static void end(void)
{
    struct failure failure;

    guests_close(guests);
    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
    keeper_stop(&keeper);
    CHECK_EQ(session_delete(dir, "s", &failure), 0);
    CHECK_EQ(rmdir(dir), 0);
}

static struct {
    struct xenoprof_window head;
    uint64_t words[32];
} window;
static struct xenoprof_registers registers;

/* rbp leads from one frame to the next; what stands above each is what the walk
 * takes for a return address. */
static void write_stack(uint64_t first, uint64_t second, uint64_t third)
{
    window.head = (struct xenoprof_window){STACK, 256, 0};
    memset(window.words, 0, sizeof(window.words));
    window.words[2] = STACK + 48;
    window.words[3] = first;
    window.words[6] = STACK + 80;
    window.words[7] = second;
    window.words[11] = third;
    registers.rsp = STACK;
    registers.rbp = STACK + 16;
}

static uint64_t word_of(const char *text)
{
    uint64_t word = 0;

    memcpy(&word, text, strlen(text));
    return word;
}

/* A sample of the guest, which has its kernel looked for if it is the first. */
static struct guest_sample look(void)
{
    /* As the kit lists it. */
    static const uint8_t uuid[16] = {2, 2, 2, 2, 2, 2, 2, 2,
                                     2, 2, 2, 2, 2, 2, 2, 2};
    static uint64_t time = SECOND;
    struct guest_sample sample = {
        .time = time + 3 * SECOND,
        .domain = 2,
        .uuid = uuid,
        .mode = XENOPROF_MODE_KERNEL,
        .ip = KERNEL + 0x100,
        .registers = &registers,
        .windows = {&window.head},
        .tag = time,
    };

    time = sample.time;
    registers.cr3 = guest_kit_map(&kit, KERNEL, FRAME);
    CHECK_EQ(guests_look(guests, writer, &sample), XENOPROF_OK);
    for ( int i = 0; guests->searches; i++ )
    {
        CHECK(i < 300);
        CHECK_EQ(guests_work(guests, writer, SECOND / 10), XENOPROF_OK);
    }
    return sample;
}

static void ask(const struct guest_sample *sample)
{
    CHECK(guests_ask(guests, sample));
}

static void answer(const struct guest_sample *sample)
{
    do
        CHECK_EQ(guests_exchange(guests, writer, true, SECOND), XENOPROF_OK);
    while ( guests_wait_for(guests, sample) == GUEST_ASKED );
}

/* Returns how many frames its stack has. */
static size_t take(const struct guest_sample *sample)
{
    struct xenoprof_stored stored = {
        .domain = 2, .weight = 1, .time = sample->time};
    struct guest_chain chain;

    CHECK_EQ(guests_chain(guests, writer, sample, &chain), XENOPROF_OK);
    /* Its process does as it should, and is not ended for it. */
    CHECK_EQ(guests_find(guests, sample)->state, GUEST_STRANGE);
    CHECK_EQ(xenoprof_writer_sample(writer, &stored, chain.places, chain.count),
             XENOPROF_OK);
    return chain.count;
}

static size_t store(void)
{
    struct guest_sample sample = look();

    ask(&sample);
    answer(&sample);
    return take(&sample);
}

/* Returns how many places the session has; none may be of another page than
 * the code's. */
static unsigned int count_places(void)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    unsigned int count = 0;
    char folder[80];

    CHECK_EQ(xenoprof_writer_flush(writer), XENOPROF_OK);
    snprintf(folder, sizeof(folder), "%s/s", dir);
    CHECK_EQ(xenoprof_session_open(handle, folder, &session), XENOPROF_OK);
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
    {
        if ( item.kind != XENOPROF_ITEM_PLACE )
            continue;
        count++;
        if ( item.u.place.place.address - KERNEL >= GUEST_PAGE )
            test_fail(__FILE__, __LINE__,
                      "a stack's word is in the session: "
                      "%#llx",
                      (unsigned long long)item.u.place.place.address);
    }
    xenoprof_session_close(session);
    return count;
}

TEST(words_of_a_stack_stay_out_of_the_session)
{
    begin();
    write_stack(word_of("hunter"), word_of("s3cr3t"), word_of("PIN123"));
    for ( int i = 0; i < 4; i++ )
        store();
    CHECK(strstr(xenoprof_writer_past_attribute(writer, "guest_kernel_2"),
                 "frame pointers"));
    CHECK_EQ(count_places(), 1);
    end();
}

/* Not even words that look like addresses of its code. */
TEST(callers_are_after_calls)
{
    begin();
    write_stack(KERNEL + 0x105, KERNEL + 0x205, KERNEL + 0x20a);
    for ( int i = 0; i < 4; i++ )
        store();
    CHECK_EQ(count_places(), 3);
    end();
}

/* Its memory cannot be read once: what was not looked at is not known, and the
 * next samples have their callers. */
TEST(callers_come_back_with_the_memory)
{
    struct guest_sample samples[2];

    begin();
    write_stack(KERNEL + 0x105, KERNEL + 0x205, KERNEL + 0x20a);
    samples[0] = look();
    samples[1] = look();
    ask(&samples[0]);
    ask(&samples[1]);
    kit.missing[1] = true;
    answer(&samples[0]);
    CHECK_EQ(take(&samples[0]), 1);
    CHECK_EQ(take(&samples[1]), 1);
    kit.missing[1] = false;
    CHECK_EQ(store(), 3);
    end();
}

/* A sample that is stored before its answer comes leaves nothing behind. */
TEST(answers_that_nobody_waits_for)
{
    struct guest_sample samples[2];
    const struct walked_stacks *stacks;

    begin();
    write_stack(KERNEL + 0x105, KERNEL + 0x205, KERNEL + 0x20a);
    samples[0] = look();
    samples[1] = look();
    stacks = &guests_find(guests, &samples[0])->walker.stacks;
    ask(&samples[0]);
    ask(&samples[1]);
    CHECK_EQ(walked_stacks_open(stacks), 2);
    CHECK_EQ(take(&samples[0]), 1);
    CHECK_EQ(walked_stacks_open(stacks), 1);
    answer(&samples[1]);
    CHECK_EQ(walked_stacks_open(stacks), 1);
    CHECK_EQ(take(&samples[1]), 3);
    CHECK_EQ(walked_stacks_open(stacks), 0);
    end();
}
