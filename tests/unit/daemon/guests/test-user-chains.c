/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of dom0's processes have callers with names, by rows of their agent's
 * and a walker in its sandbox; and go on whatever these do. */
#include <string.h>
#include <unistd.h>

#include "agent-kit.h"
#include "base/clock.h"
#include "clock-kit.h"
#include "daemon/guests/user-facts.h"
#include "cage/process-words.h"
#include "guests-kit.h"
#include "tests/harness.h"

#define LEAF   (KIT_CODE + 0x120)
#define MIDDLE (KIT_CODE + 0x250)
#define MAIN   (KIT_CODE + 0x300) /* what main calls may be its last */
#define STACK  0x7000u

static struct guests_kit kit;
static struct agent_kit agent;
static struct guest_chain chain;
static struct xenoprof_registers registers;
static struct {
    struct xenoprof_window head;
    uint64_t words[4];
} stack;

static void begin(enum agent_manner manner)
{
    agent_kit_begin(&agent, manner);
    guests_kit_begin(&kit, 0);
}

static void end(void)
{
    guests_kit_end(&kit);
    agent_kit_end(&agent);
}

/* A sample in leaf, which middle called, which main did. */
static struct guest_sample sample_of(uint32_t pid)
{
    static const uint8_t uuid[16] = {0};
    static uint64_t tag;

    registers = (struct xenoprof_registers){.rsp = STACK};
    stack.head = (struct xenoprof_window){STACK, sizeof(stack.words), 0};
    stack.words[0] = MIDDLE;
    stack.words[2] = MAIN + 0x10;
    return (struct guest_sample){
        .time = kit.now,
        .uuid = uuid,
        .mode = XENOPROF_MODE_USER,
        .ip = LEAF,
        .registers = &registers,
        .windows = {&stack.head},
        .thread = {.pid = pid, .tid = pid, .comm = "test"},
        .tag = ++tag,
    };
}

static uint64_t asked(void)
{
    return agent_link_figures(guests_kit_dom0(&kit)->link)->asked;
}

/* Of the clock, beside what a round takes, once all functions are asked for. */
static uint64_t round_skips;

/* As rounds do, until the sample need not wait any more, for ns at most. */
static void wait_for(const struct guest_sample *sample, uint64_t ns)
{
    uint64_t began = monotonic_now();

    while ( guests_wait_for(kit.guests, sample) != GUEST_READY &&
            monotonic_now() - began < ns )
    {
        guests_ask(kit.guests, sample);
        CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND / 50),
                 XENOPROF_OK);
        if ( asked() >= 3 )
            clock_kit_skip(round_skips);
    }
}

static void take(const struct guest_sample *sample)
{
    wait_for(sample, 20 * SECOND);
    CHECK_EQ(guests_wait_for(kit.guests, sample), GUEST_READY);
    CHECK_EQ(guests_chain(kit.guests, kit.writer, sample, &chain), XENOPROF_OK);
}

static void take_of(uint32_t pid)
{
    const struct guest_sample sample = sample_of(pid);

    take(&sample);
}

static void check_whole(void)
{
    CHECK_EQ(chain.count, 3);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_ROOT);
}

static void check_leaf(enum xenoprof_ended ended)
{
    CHECK_EQ(chain.count, 1);
    CHECK_EQ(chain.ended, ended);
}

TEST(callers_have_names)
{
    begin(MANNER_STACKS);
    take_of(1);
    check_whole();
    CHECK_EQ(asked(), 3);
    guests_kit_check_symbol(&kit, chain.places[0], "/bin/prog", "leaf");
    guests_kit_check_symbol(&kit, chain.places[1], "/bin/prog", "middle");
    guests_kit_check_symbol(&kit, chain.places[2], "/bin/prog", "main");
    /* What is known is not asked for again. */
    take_of(1);
    check_whole();
    CHECK_EQ(asked(), 3);
    end();
}

static void wait_until(enum agent_state state)
{
    uint64_t began = monotonic_now();

    while ( agent_link_state(guests_kit_dom0(&kit)->link) != state &&
            monotonic_now() - began < 20 * SECOND )
        CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND / 50),
                 XENOPROF_OK);
}

/* What was said of a file's address is good for each process that has mapped
 * it, and for longer than an answer about a process. */
TEST(processes_share_the_names_of_files)
{
    uint32_t first[3];

    begin(MANNER_STACKS);
    take_of(1);
    memcpy(first, chain.places, sizeof(first));
    for ( uint32_t pid = 2; pid < 20; pid++ )
    {
        take_of(pid);
        check_whole();
        CHECK(!memcmp(first, chain.places, sizeof(first)));
    }
    clock_kit_skip(11 * SECOND);
    take_of(1);
    check_whole();
    CHECK_EQ(asked(), 3);
    /* Another agent may number files otherwise. */
    agent_kit_restart(&agent, MANNER_STACKS);
    wait_until(AGENT_ABSENT);
    clock_kit_skip(31 * SECOND);
    wait_until(AGENT_PRESENT);
    take_of(2);
    check_whole();
    CHECK_EQ(asked(), 6);
    end();
}

/* An agent that does not know one process says nothing of others. */
TEST(what_is_not_known_is_the_process_s)
{
    struct guest_sample sample;

    begin(MANNER_STACKS);
    take_of(1);
    for ( uint32_t i = 0; i < 2; i++ )
    {
        sample = sample_of(1 + i);
        sample.ip = KIT_CODE + 0x10;
        take(&sample);
        guests_kit_check_symbol(&kit, chain.places[0], "user", "");
        CHECK_EQ(asked(), 4 + i);
    }
    sample = sample_of(1);
    sample.ip = KIT_CODE + 0x10;
    take(&sample);
    CHECK_EQ(asked(), 5);
    clock_kit_skip(11 * SECOND);
    sample = sample_of(1);
    sample.ip = KIT_CODE + 0x10;
    take(&sample);
    CHECK_EQ(asked(), 6);
    end();
}

static bool is_known(uint32_t pid)
{
    const struct user_address of = {.pid = pid, .comm = "test"};

    return known_space_is_fresh(
        known_space_find(&guests_kit_dom0(&kit)->stacks, &of));
}

/* Asked once, a process becomes known though others were asked for before it;
 * as many as there is room for. */
TEST(processes_are_asked_for_in_turn)
{
    uint64_t began;
    uint32_t last = 10;

    begin(MANNER_STACKS);
    take_of(1);
    for ( uint32_t pid = 2; pid < 200; pid++ )
    {
        const struct guest_sample sample = sample_of(pid);

        if ( !guests_can_ask(kit.guests, &sample) )
            break;
        CHECK(guests_ask(kit.guests, &sample));
        /* Another round has nothing to ask. */
        CHECK(!guests_can_ask(kit.guests, &sample));
        last = pid;
    }
    CHECK_EQ(last, 2 + USER_WANTED_MAX);
    began = monotonic_now();
    while ( !is_known(last) && monotonic_now() - began < 20 * SECOND )
        CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND / 50),
                 XENOPROF_OK);
    for ( uint32_t pid = 2; pid <= last; pid++ )
        CHECK(is_known(pid));
    take_of(last);
    check_whole();
    end();
}

/* Each is the caller of the one that was inlined into it. */
static void check_inlined(void)
{
    take_of(1);
    CHECK_EQ(chain.count, 5);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_ROOT);
    guests_kit_check_symbol(&kit, chain.places[0], "/bin/prog", "leaf");
    guests_kit_check_symbol(&kit, chain.places[1], "/bin/prog",
                            "inner (inlined)");
    guests_kit_check_symbol(&kit, chain.places[2], "/bin/prog",
                            "outer (inlined)");
    guests_kit_check_symbol(&kit, chain.places[3], "/bin/prog", "middle");
    guests_kit_check_symbol(&kit, chain.places[4], "/bin/prog", "main");
}

TEST(inlined_functions_are_callers)
{
    uint32_t first[5];

    begin(MANNER_INLINES);
    check_inlined();
    memcpy(first, chain.places, sizeof(first));
    check_inlined();
    CHECK(!memcmp(first, chain.places, sizeof(first)));
    CHECK_EQ(asked(), 3);
    /* In the session's next file as well. */
    guests_forget_places(kit.guests);
    check_inlined();
    end();
}

static void check_symbol_and_line(unsigned int frame, const char *symbol,
                                  const char *line)
{
    guests_kit_check_symbol(&kit, chain.places[frame], "/bin/prog", symbol);
    guests_kit_check_line(&kit, line);
}

/* In each of the session's files. */
TEST(lines_of_source)
{
    begin(MANNER_INLINES);
    for ( unsigned int i = 0; i < 2; i++ )
    {
        take_of(1);
        CHECK_EQ(chain.count, 5);
        check_symbol_and_line(0, "leaf", "/src/prog.c:33");
        check_symbol_and_line(1, "inner (inlined)", "/src/prog.c:11");
        check_symbol_and_line(2, "outer (inlined)", "");
        check_symbol_and_line(3, "middle", "/src/prog.c:22");
        check_symbol_and_line(4, "main", "");
        CHECK_EQ(xenoprof_writer_rotate(kit.writer), XENOPROF_OK);
        guests_forget_places(kit.guests);
    }
    end();
}

/* An agent of an older version. */
TEST(no_lines_of_source)
{
    begin(MANNER_NO_LINES);
    check_inlined();
    check_symbol_and_line(0, "leaf", "");
    check_symbol_and_line(1, "inner (inlined)", "");
    check_symbol_and_line(3, "middle", "");
    end();
}

TEST(an_agent_that_takes_longer)
{
    begin(MANNER_SLOW_INLINES);
    check_inlined();
    end();
}

/* Nobody waits for ever. */
TEST(an_agent_that_takes_longer_for_ever)
{
    begin(MANNER_NEVER_INLINES);
    round_skips = SECOND / 20; /* 200 rounds, and not as many as can be */
    take_of(1);
    round_skips = 0;
    check_whole();
    end();
}

TEST(an_agent_that_ends_over_inlined_functions)
{
    begin(MANNER_ENDS_INLINES);
    take_of(1);
    CHECK(chain.count >= 1);
    guests_kit_check_symbol(&kit, chain.places[0], "/bin/prog", "leaf");
    end();
}

TEST(an_agent_that_lies_about_inlined_functions)
{
    begin(MANNER_LIES_INLINES);
    take_of(1);
    for ( size_t i = 0; i < chain.count; i++ )
        CHECK(chain.places[i]);
    CHECK_TEXT(agent_link_trouble(guests_kit_dom0(&kit)->link),
               "opagent said what no agent says, and is called again later");
    end();
}

TEST(the_deepest_inlined_functions)
{
    begin(MANNER_DEEP_INLINES);
    take_of(1);
    CHECK_EQ(chain.count, 3 * (AGENT_LEVELS_MAX + 1));
    CHECK_EQ(chain.ended, XENOPROF_ENDED_ROOT);
    guests_kit_check_symbol(&kit, chain.places[AGENT_LEVELS_MAX], "/bin/prog",
                            "leaf");
    guests_kit_check_symbol(&kit, chain.places[3 * AGENT_LEVELS_MAX + 2],
                            "/bin/prog", "main");
    end();
}

/* Many samples of many processes, before any is answered. */
TEST(samples_wait_together)
{
    static struct guest_sample samples[40];
    static uint32_t first[3];

    begin(MANNER_STACKS);
    for ( uint32_t i = 0; i < 40; i++ )
    {
        samples[i] = sample_of(1 + i / 4);
        guests_ask(kit.guests, &samples[i]);
    }
    for ( uint32_t i = 0; i < 40; i++ )
    {
        take(&samples[i]);
        check_whole();
        if ( !i )
            memcpy(first, chain.places, sizeof(first));
        CHECK(!memcmp(chain.places, first, sizeof(first)));
    }
    CHECK_EQ(guests_kit_dom0(&kit)->stacks.images.count, 1);
    end();
}

/* Mappings are asked for anew after a while, and when a chain leaves them. */
TEST(processes_map_code)
{
    begin(MANNER_GROWS);
    take_of(1);
    check_whole();
    end();
    begin(MANNER_STACKS);
    take_of(1);
    clock_kit_skip(11 * SECOND);
    take_of(1);
    check_whole();
    end();
}

TEST(a_chain_that_leaves_the_window)
{
    struct guest_sample sample;

    begin(MANNER_STACKS);
    sample = sample_of(1);
    stack.head.length = 16;
    take(&sample);
    CHECK_EQ(chain.count, 2);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_WINDOW_16);
    end();
}

/* A chain's end says which window has what it needed: as a frame of middle's
 * that begins so far up. */
TEST(what_window_would_do)
{
    static const struct {
        uint64_t up; /* of the stack pointer in the window's page */
        enum xenoprof_ended ended;
    } cases[] = {{9 * 1024, XENOPROF_ENDED_WINDOW_16},
                 {16 * 1024 - 8, XENOPROF_ENDED_WINDOW_16},
                 {16 * 1024, XENOPROF_ENDED_WINDOW_32},
                 {32 * 1024 - 8, XENOPROF_ENDED_WINDOW_32},
                 {32 * 1024, XENOPROF_ENDED_WINDOW_MORE}};

    begin(MANNER_STACKS);
    for ( size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++ )
    {
        struct guest_sample sample = sample_of(1);

        registers.rsp += cases[i].up;
        take(&sample);
        CHECK_EQ(chain.count, 1);
        CHECK_EQ(chain.ended, cases[i].ended);
    }
    end();
}

static void say_root(int socket, const struct user_asked *asked)
{
    struct {
        struct user_head head;
        struct user_answered answered;
        uint64_t frames[2];
    } answer = {.head = {USER_CHAINS, 1, 0},
                .answered = {.count = 2, .end = USER_ROOT, .exact = {1}},
                .frames = {asked->ip, 0x1234}};

    if ( write(socket, &answer, sizeof(answer)) != sizeof(answer) )
        _exit(1);
}

/* A walker that has gone mad: each stack has a caller that is nowhere, which
 * nobody called. */
static void find_nonsense(const struct process_order *order, int socket)
{
    static uint64_t bytes[USER_MESSAGE_MAX / 8];
    const uint64_t ready = WORD_READY;
    struct user_asked asked;
    struct user_head head;

    (void)order;
    if ( write(socket, &ready, sizeof(ready)) != sizeof(ready) )
        return;
    while ( read(socket, bytes, sizeof(bytes)) > 0 )
    {
        memcpy(&head, bytes, sizeof(head));
        memcpy(&asked, (char *)bytes + sizeof(head), sizeof(asked));
        if ( head.kind == USER_STACKS )
            say_root(socket, &asked);
    }
}

/* What is cut off was not the root. */
TEST(callers_outside_of_the_process)
{
    begin(MANNER_STACKS);
    guests_kit_restart(&kit, find_nonsense);
    take_of(1);
    check_leaf(XENOPROF_ENDED_RULE);
    CHECK_EQ(guests_kit_dom0(&kit)->stacks.deaths, 0);
    end();
}

TEST(files_without_rows)
{
    begin(MANNER_NO_ROWS);
    take_of(1);
    check_leaf(XENOPROF_ENDED_RULE);
    guests_kit_check_symbol(&kit, chain.places[0], "/bin/prog", "leaf");
    end();
    begin(MANNER_BAD_ROWS);
    take_of(1);
    check_leaf(XENOPROF_ENDED_RULE);
    CHECK_EQ(guests_kit_dom0(&kit)->stacks.deaths, 0);
    end();
}

/* Another process has the same file. */
TEST(a_process_that_ends_before_its_rows_come)
{
    begin(MANNER_GONE_ROWS);
    take_of(1);
    check_leaf(XENOPROF_ENDED_RULE);
    take_of(3);
    check_whole();
    end();
}

/* Leaves have names all the same. */
TEST(agents_without_rows)
{
    begin(MANNER_FIRST_VERSION);
    take_of(1);
    check_leaf(XENOPROF_ENDED_AGENT);
    guests_kit_check_symbol(&kit, chain.places[0], "/bin/first", "first");
    end();
}

/* One that ends while it is asked, and another that comes. */
TEST(an_agent_that_ends)
{
    begin(MANNER_MUTE_ROWS);
    take_of(1);
    check_leaf(XENOPROF_ENDED_AGENT);
    CHECK_EQ(agent_link_state(guests_kit_dom0(&kit)->link), AGENT_ABSENT);
    CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, 0), XENOPROF_OK);
    CHECK(!user_stacks_are_away(&guests_kit_dom0(&kit)->stacks));
    agent_kit_restart(&agent, MANNER_STACKS);
    clock_kit_skip(31 * SECOND);
    CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, 0), XENOPROF_OK);
    take_of(1);
    check_whole();
    end();
}

/* The walker ended while the agent was asked for a table, and another process
 * is asked for when the answer comes. */
TEST(an_answer_that_comes_too_late)
{
    struct user_stacks *stacks;
    struct guest_sample sample;
    unsigned int turns = 0;

    begin(MANNER_STACKS);
    stacks = &guests_kit_dom0(&kit)->stacks;
    sample = sample_of(1);
    while ( !stacks->fetch.asked || stacks->fetch.mapping == UINT32_MAX )
    {
        CHECK(++turns < 1000000);
        guests_ask(kit.guests, &sample);
        CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, 0), XENOPROF_OK);
    }
    user_stacks_close(stacks);
    user_stacks_open(stacks);
    stacks->conversation = agent_link_conversation(guests_kit_dom0(&kit)->link);
    take_of(2);
    check_whole();
    end();
}

static void end_at_once(const struct process_order *order, int socket)
{
    (void)order;
    (void)socket;
}

/* After some that died there is none any more. */
TEST(walkers_that_end)
{
    begin(MANNER_STACKS);
    guests_kit_restart(&kit, end_at_once);
    for ( uint32_t i = 0; i < USER_DEATHS_MAX; i++ )
    {
        struct guest_sample sample = sample_of(1);

        wait_for(&sample, SECOND / 2);
        clock_kit_skip(SECOND);
    }
    take_of(1);
    check_leaf(XENOPROF_ENDED_WALKER);
    CHECK_EQ(guests_kit_dom0(&kit)->stacks.deaths, USER_DEATHS_MAX);
    guests_kit_check_symbol(&kit, chain.places[0], "/bin/prog", "leaf");
    end();
}

/* Numbers of places are those of the session's file. */
TEST(the_session_s_next_file)
{
    struct guest_sample sample;

    begin(MANNER_STACKS);
    sample = sample_of(1);
    wait_for(&sample, 20 * SECOND);
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_READY);
    guests_forget_places(kit.guests);
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_NOT_ASKED);
    take(&sample);
    check_whole();
    end();
}

/* Nobody comes for the answer any more. */
TEST(a_sample_that_waits_no_more)
{
    struct guest_sample sample;

    begin(MANNER_STACKS);
    sample = sample_of(1);
    guests_ask(kit.guests, &sample);
    sample.cut = XENOPROF_ENDED_SPOOL;
    CHECK_EQ(guests_chain(kit.guests, kit.writer, &sample, &chain),
             XENOPROF_OK);
    check_leaf(XENOPROF_ENDED_SPOOL);
    take_of(1);
    check_whole();
    CHECK_EQ(walked_stacks_open(&guests_kit_dom0(&kit)->stacks.stacks), 0);
    end();
}

/* What has to end now, as a stop, has no callers: it is the agent that has not
 * said what the process has mapped. */
TEST(a_sample_that_is_stored_before_its_agent_answers)
{
    const struct guest_sample sample = sample_of(1);

    begin(MANNER_STACKS);
    guests_ask(kit.guests, &sample);
    CHECK_EQ(guests_chain(kit.guests, kit.writer, &sample, &chain),
             XENOPROF_OK);
    check_leaf(XENOPROF_ENDED_AGENT);
    take_of(1);
    check_whole();
    end();
}
