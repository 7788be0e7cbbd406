/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walkers: honest ones with the stub's kernels, and ones that burn time, sleep,
 * or die. */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cage/keeper.h"
#include "daemon/parser/process-run.h"
#include "cage/process-words.h"
#include "daemon/parser/walker-link.h"
#include "parser-stub.h"
#include "tests/unit/cage/process-kit.h"
#include "tests/harness.h"

#define BASE        0xffffffff81000000ul
#define MILLISECOND 1000000ul

static const struct walker_limits patient = {600000 * MILLISECOND, 0,
                                             600000 * MILLISECOND};

/* A stack of so many return addresses in the stub's kernel, one a function. */
#define WORDS_MAX 200u

static uint64_t words[WORDS_MAX];
static const struct xenoprof_registers registers = {.rsp = 0x1000};

static struct unwind_start stack_of(uint64_t base, unsigned int count)
{
    for ( unsigned int i = 0; i < count; i++ )
        words[i] = base + 0x310 + 0x100 * i;
    return (struct unwind_start){
        .ip = base + 5,
        .registers = &registers,
        .windows = {{0x1000, (const uint8_t *)words, count * sizeof(*words)}},
        .kernel = true,
    };
}

static enum link_status await(struct walker *walker)
{
    struct pollfd ready = {.events = POLLIN};
    enum link_status status = walker_receive(walker);

    while ( status == LINK_MORE )
    {
        ready.fd = walker_fd(walker);
        poll(&ready, 1, 20);
        status = walker_receive(walker);
    }
    return status;
}

/* Real processes --------------------------------------------------------- */

static struct keeper keeper;
static struct process_maker maker;
static struct table_store *store;

static const struct sealed_table *table_of(const void *bytes, size_t size)
{
    struct table_draft *draft = table_draft_begin(store, size);

    CHECK(draft && table_draft_add(draft, bytes, size));
    return table_draft_end(draft);
}

/* The table of a kernel that the stub finds. */
static const struct sealed_table *image_of(char letter)
{
    /* As kernel_put_image() and the stub write it. */
    const struct {
        uint32_t magic, finder;
        struct stub_image stub;
    } image = {
        0x494b5058u, 0, {4096, {.letter = letter, .prefix = "function"}}};

    return table_of(&image, sizeof(image));
}

static void start(void)
{
    struct failure failure;

    signal(SIGPIPE, SIG_IGN);
    keeper_stop(&keeper);
    if ( keeper_start(&keeper, NULL, process_run, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    maker = keeper_maker(&keeper);
    table_store_close(store);
    store = table_store_open();
    CHECK(store);
}

static struct walker *walk(char letter, uint64_t base,
                           const struct walker_limits *limits)
{
    struct walker_tables tables = {.base = base};
    struct walker *walker;

    if ( letter )
        tables.image = image_of(letter);
    walker = walker_begin(&maker, &tables, limits);
    CHECK(walker);
    table_release(tables.image);
    return walker;
}

TEST(a_batch_comes_back_with_frames_and_names)
{
    struct unwind_start one = stack_of(BASE, 2), other;
    struct unwind_result frames;
    struct kernel_symbol name;
    struct walker *walker;
    uint64_t tag, address;

    start();
    walker = walk('K', BASE, &patient);
    CHECK_EQ(walker_send(walker), LINK_OK); /* nothing to send */
    CHECK_EQ(walker_receive(walker), LINK_MORE);
    CHECK(walker_add(walker, 7, &one));
    other = one;
    other.ip = BASE + 0x999;
    CHECK(walker_add(walker, 8, &other));
    CHECK(walker_add_name(walker, 5));
    CHECK(!walker_is_away(walker));
    CHECK_EQ(walker_send(walker), LINK_MORE);
    CHECK(walker_is_away(walker));
    CHECK(!walker_add(walker, 9, &one)); /* away */
    CHECK_EQ(await(walker), LINK_OK);
    CHECK(!walker_is_away(walker));
    CHECK(walker_cpu(walker) > 0);

    CHECK(walker_next_name(walker, &address, &name));
    CHECK_EQ(address, 5);
    CHECK(!name.name);
    CHECK(walker_next_name(walker, &address, &name));
    CHECK_EQ(address, BASE + 5);
    CHECK_TEXT(name.name, "function_0");
    CHECK(!name.module);
    CHECK(walker_next_name(walker, &address, &name));
    CHECK_EQ(address, BASE + 0x30f); /* where the call is */
    CHECK_TEXT(name.name, "function_3");
    CHECK_EQ(name.start, BASE + 0x300);
    CHECK(walker_next_name(walker, &address, &name));
    CHECK(walker_next_name(walker, &address, &name));
    CHECK_EQ(address, BASE + 0x999);
    CHECK(!walker_next_name(walker, &address, &name));

    CHECK(walker_next_stack(walker, &tag, &frames));
    CHECK_EQ(tag, 7);
    CHECK_EQ(frames.count, 3);
    CHECK_EQ(frames.frames[0], BASE + 5);
    CHECK_EQ(frames.frames[2], BASE + 0x410);
    CHECK_EQ(frames.exact[0], true);
    CHECK_EQ(frames.exact[1], false);
    CHECK_EQ(frames.end, UNWIND_ROOT);
    CHECK(walker_next_stack(walker, &tag, &frames));
    CHECK_EQ(tag, 8);
    CHECK(!walker_next_stack(walker, &tag, &frames));
    walker_end(walker);
    walker_end(NULL);
}

/* An address is named once, and again if it is asked for. */
TEST(names_come_once)
{
    struct unwind_start stack = stack_of(BASE, 2);
    struct kernel_symbol name;
    struct walker *walker;
    uint64_t address;

    start();
    walker = walk('K', BASE, &patient);
    for ( unsigned int round = 0; round < 3; round++ )
    {
        CHECK(walker_add(walker, 0, &stack));
        if ( round == 2 )
            CHECK(walker_add_name(walker, BASE + 0x30f));
        CHECK_EQ(walker_send(walker), LINK_MORE);
        CHECK_EQ(await(walker), LINK_OK);
        for ( unsigned int i = 0; i < (round == 0   ? 3u
                                       : round == 2 ? 1u
                                                    : 0u);
              i++ )
            CHECK(walker_next_name(walker, &address, &name));
        CHECK(!walker_next_name(walker, &address, &name));
    }
    CHECK_EQ(address, BASE + 0x30f);
    walker_end(walker);
}

/* Those of the next batch, once. */
TEST(names_that_are_forgotten_come_again)
{
    static const unsigned int wanted[] = {3, 0, 3, 0};
    struct unwind_start stack = stack_of(BASE, 2);
    struct kernel_symbol name;
    struct walker *walker;
    uint64_t address;

    start();
    walker = walk('K', BASE, &patient);
    for ( unsigned int round = 0; round < 4; round++ )
    {
        unsigned int count = 0;

        if ( round == 2 )
            walker_forget_names(walker);
        CHECK(walker_add(walker, 0, &stack));
        CHECK_EQ(walker_send(walker), LINK_MORE);
        CHECK_EQ(await(walker), LINK_OK);
        while ( walker_next_name(walker, &address, &name) )
            count++;
        CHECK_EQ(count, wanted[round]);
    }
    walker_end(walker);
}

/* Without a kernel: only frame pointers, and no names. */
TEST(a_guest_without_a_kernel_may_have_a_walker)
{
    struct walker_tables tables = {.frame_pointers = true};
    struct unwind_start stack = stack_of(BASE, 2);
    struct unwind_result frames;
    struct kernel_symbol name;
    struct walker *walker;
    uint64_t tag, address;

    start();
    words[1] = 0x00327265746e7567; /* "gunter2": no address */
    walker = walker_begin(&maker, &tables, &patient);
    CHECK(walker_add(walker, 1, &stack));
    CHECK_EQ(walker_send(walker), LINK_MORE);
    CHECK_EQ(await(walker), LINK_OK);
    CHECK(!walker_next_name(walker, &address, &name));
    CHECK(walker_next_stack(walker, &tag, &frames));
    CHECK_EQ(frames.count, 2);
    CHECK_EQ(frames.end, UNWIND_NO_RULE);
    walker_end(walker);
}

static size_t count_stacks(struct walker *walker, unsigned int wanted)
{
    struct unwind_result frames;
    uint64_t tag;
    size_t count = 0;

    while ( walker_next_stack(walker, &tag, &frames) )
    {
        CHECK_EQ(tag, count);
        CHECK_EQ(frames.count, wanted);
        count++;
    }
    return count;
}

/* Few stacks wait for more, but not for long. */
TEST(a_batch_is_gathered)
{
    struct unwind_start stack = stack_of(BASE, 2);
    struct walker *walker;
    unsigned int added = 0;

    start();
    walker = walk('K', BASE, &patient);
    CHECK(!walker_is_due(walker, 5000 * MILLISECOND));
    CHECK(walker_add(walker, 0, &stack));
    CHECK(!walker_is_due(walker, 6000 * MILLISECOND));
    CHECK(!walker_is_due(walker, 6999 * MILLISECOND));
    CHECK(walker_is_due(walker, 7000 * MILLISECOND));
    CHECK_EQ(walker_send(walker), LINK_MORE);
    CHECK(!walker_is_due(walker, 9000 * MILLISECOND)); /* away */
    CHECK_EQ(await(walker), LINK_OK);
    while ( !walker_is_due(walker, 9000 * MILLISECOND) )
        CHECK(walker_add(walker, added++, &stack));
    CHECK_EQ(added, 32);
    walker_end(walker);
}

/* As many as fit, the deepest that there are; each has its answer. */
TEST(a_full_batch_has_all_its_answers)
{
    struct unwind_start stack = stack_of(BASE, WORDS_MAX);
    struct walker *walker;
    size_t added = 0;

    start();
    walker = walk('K', BASE, &patient);
    for ( unsigned int round = 0; round < 2; round++ )
    {
        for ( added = 0; walker_add(walker, added, &stack); added++ )
            continue;
        CHECK(added > 300);
        CHECK(!walker_add_name(walker, 1) || !walker_add_name(walker, 1) ||
              !walker_add_name(walker, 1) || !walker_add_name(walker, 1) ||
              !walker_add_name(walker, 1) || !walker_add_name(walker, 1) ||
              !walker_add_name(walker, 1) || !walker_add_name(walker, 1));
        CHECK_EQ(walker_send(walker), LINK_MORE);
        CHECK_EQ(await(walker), LINK_OK);
        CHECK_EQ(count_stacks(walker, GUEST_FRAMES_MAX), added);
    }
    walker_end(walker);
}

/* The harness program "blame" of the audit: what one guest's process does was
 * laid at the door of the guest that was asked about next. */
TEST(a_death_is_one_guest_s_alone)
{
    struct unwind_start stack = stack_of(BASE, 2);
    struct walker *bad, *good;

    start();
    bad = walk('S', BASE, &patient); /* its stacks crash the walk */
    good = walk('K', BASE, &patient);
    for ( unsigned int round = 0; round < 2; round++ )
    {
        CHECK(walker_add(good, 0, &stack));
        CHECK_EQ(walker_send(good), LINK_MORE);
        if ( round == 0 )
        {
            CHECK(walker_add(bad, 0, &stack));
            CHECK_EQ(walker_send(bad), LINK_MORE);
            CHECK_EQ(await(bad), LINK_DIED);
        }
        CHECK_EQ(await(good), LINK_OK);
        CHECK_EQ(count_stacks(good, 3), 1);
    }
    CHECK(!walker_add(bad, 1, &stack));
    CHECK_EQ(walker_send(bad), LINK_DIED);
    CHECK_EQ(walker_receive(bad), LINK_DIED);
    walker_end(bad);
    walker_end(good);
}

/* A table that is not one. */
TEST(a_lie_in_a_table_ends_its_walker)
{
    static const char lie[4096] = "this is not a table";
    struct unwind_start stack = stack_of(BASE, 2);
    struct walker_tables tables = {.base = BASE};
    struct walker *walker;

    start();
    tables.image = table_of(lie, sizeof(lie));
    walker = walker_begin(&maker, &tables, &patient);
    table_release(tables.image);
    CHECK(walker_add(walker, 0, &stack));
    if ( walker_send(walker) == LINK_MORE )
        CHECK_EQ(await(walker), LINK_DIED);
    walker_end(walker);
}

TEST(no_keeper_no_walker)
{
    struct walker_tables tables = {.base = BASE};

    start();
    keeper_stop(&keeper);
    CHECK(!walker_begin(&maker, &tables, NULL));
}

/* Processes that behave badly -------------------------------------------- */

static void serve_badly(int socket, void (*then)(void))
{
    const uint64_t ready = WORD_READY;
    struct batch_word word;

    if ( write(socket, &ready, sizeof(ready)) > 0 &&
         read(socket, &word, sizeof(word)) > 0 )
        then();
}

static void burn(const struct process_order *order, int socket)
{
    (void)order;
    serve_badly(socket, process_burn);
}

static void idle(const struct process_order *order, int socket)
{
    (void)order;
    serve_badly(socket, process_idle);
}

static struct walker *bad_walker(struct forked_processes *forked,
                                 const struct walker_limits *limits)
{
    const struct walker_tables tables = {.base = BASE};
    struct process_maker forking = forking_maker(forked);
    struct unwind_start stack = stack_of(BASE, 2);
    struct walker *walker = walker_begin(&forking, &tables, limits);

    CHECK(walker && walker_add(walker, 0, &stack));
    CHECK_EQ(walker_send(walker), LINK_MORE);
    return walker;
}

/* The program "slow": a process that burns its time held all guests up. */
TEST(a_batch_may_take_so_much_time)
{
    /* It would end of itself at 20 s. */
    static const struct walker_limits strict = {
        10 * MILLISECOND, 10 * MILLISECOND, 20000 * MILLISECOND};
    struct forked_processes forked = {.act = burn};
    struct unwind_start stack = stack_of(BASE, 2);
    struct walker *good, *bad;

    start();
    good = walk('K', BASE, &patient);
    bad = bad_walker(&forked, &strict);
    CHECK(walker_add(good, 0, &stack));
    CHECK_EQ(walker_send(good), LINK_MORE);
    CHECK_EQ(await(good), LINK_OK); /* while the other burns */
    CHECK_EQ(await(bad), LINK_DIED);
    CHECK(walker_cpu(bad) >= 20 * MILLISECOND);
    CHECK(walker_cpu(bad) < 5000 * MILLISECOND);
    CHECK_EQ(forked.pids[0], 0);
    walker_end(bad);
    walker_end(good);
}

/* Where a process says that it has its batch. */
static int has_batch[2];

static void say_and_idle(void)
{
    if ( write(has_batch[1], "", 1) == 1 )
        process_idle();
}

static void idle_aloud(const struct process_order *order, int socket)
{
    (void)order;
    serve_badly(socket, say_and_idle);
}

/* A process that is kept from running has done nothing wrong.  On a busy
 * machine it takes more than a millisecond to begin and to read one word. */
TEST(time_that_others_take_is_not_counted)
{
    /* To begin takes it some milliseconds where the processor is shared. */
    static const struct walker_limits strict = {20 * MILLISECOND, 0,
                                                600000 * MILLISECOND};
    struct forked_processes forked = {.act = idle_aloud};
    struct walker *walker;
    uint64_t until;
    char byte;

    CHECK_EQ(pipe(has_batch), 0);
    walker = bad_walker(&forked, &strict);
    CHECK_EQ(read(has_batch[0], &byte, 1), 1);
    until = monotonic_now() + 60 * MILLISECOND;
    while ( monotonic_now() < until )
        CHECK_EQ(walker_receive(walker), LINK_MORE);
    kill(forked.pids[0], SIGKILL);
    CHECK_EQ(await(walker), LINK_DIED);
    walker_end(walker);
    close(has_batch[0]);
    close(has_batch[1]);
}

/* ... but it has to answer one day. */
TEST(silence_is_bounded)
{
    static const struct walker_limits strict = {600000 * MILLISECOND, 0,
                                                20 * MILLISECOND};
    struct forked_processes forked = {.act = idle};
    uint64_t began = monotonic_now();
    struct walker *walker = bad_walker(&forked, &strict);
    enum link_status status = await(walker);

    /* NONE where it was kept from even beginning. */
    CHECK(status == LINK_DIED || status == LINK_NONE);
    CHECK(monotonic_now() - began < 20000 * MILLISECOND);
    walker_end(walker);
}
