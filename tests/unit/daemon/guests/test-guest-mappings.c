/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An agent that has a guest's files is told what processes of the guest have
 * mapped: when that is read, how long samples wait, and what it costs. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "agent-kit.h"
#include "base/clock.h"
#include "clock-kit.h"
#include "control/guest-roots.h"
#include "cage/process-words.h"
#include "guests-kit.h"
#include "tests/harness.h"
#include "tests/unit/daemon/parser/parser-stub.h"
#include "tests/unit/cage/process-kit.h"

static struct guests_kit kit;
static struct agent_kit agent;
static struct domain_pairs roots;
static struct root_folders folders;
static struct forked_processes forked;
static struct process_maker relays;
static uint8_t uuid[16];

static bool pass(int from, int to)
{
    static char bytes[AGENT_MESSAGE_MAX];
    ssize_t got = recv(from, bytes, sizeof(bytes), 0);

    return got > 0 && send(to, bytes, (size_t)got, MSG_NOSIGNAL) == got;
}

/* The way to the agent, whatever it is. */
static void relay(const struct process_order *order, int here)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int there = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    const uint64_t word = WORD_READY;

    (void)order;
    strcpy(address.sun_path, agent.path);
    if ( connect(there, (struct sockaddr *)&address, sizeof(address)) ||
         send(here, &word, sizeof(word), 0) != sizeof(word) )
        return;
    while ( pass(here, there) && pass(there, here) )
        ;
}

static struct guest *find(void)
{
    return guests_known(kit.guests, 2, uuid);
}

/* What is asked of it. */
static struct guest_question *question(void)
{
    return &find()->questions[QUESTION_mappings];
}

/* Works until the agent is there. */
static void meet(void)
{
    uint64_t began = monotonic_now();

    while ( agent_link_state(find()->user->link) != AGENT_PRESENT )
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND / 50),
                 XENOPROF_OK);
    }
}

/* A guest whose kernel, of that letter, is known, and a guest root. */
static void begin_with(char letter, enum agent_manner manner)
{
    struct failure failure;
    struct guest_sample sample;
    struct guest_chain chain;

    memset(uuid, 2, sizeof(uuid));
    agent_kit_begin(&agent, manner);
    guests_kit_begin(&kit, letter);
    kit.host.frames[FRAME][1] = 1;
    kit.host.has_time = true;
    forked = (struct forked_processes){.act = relay};
    relays = forking_maker(&forked);
    kit.host.xen.relays = &relays;
    CHECK_EQ(guest_roots_add(&roots, "guest-root", "2:/tmp", &failure), 0);
    CHECK_EQ(guest_roots_open(&roots, &folders, &failure), 0);
    kit.guests->roots = &roots;
    kit.guests->folders = &folders;
    sample = guests_kit_sample(&kit, KERNEL + 8, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    CHECK(find()->user);
    meet();
}

static void begin(void)
{
    begin_with('T', MANNER_TOLD);
}

static void end(void)
{
    guests_kit_end(&kit);
    agent_kit_end(&agent);
    root_folders_close(&folders);
    domain_pairs_free(&roots);
}

/* Of the process's own thread. */
static struct guest_sample sample_of(uint32_t pid, uint64_t ip)
{
    struct guest_sample sample = {
        .time = clock_read(CLOCK_MONOTONIC),
        .domain = 2,
        .uuid = uuid,
        .mode = XENOPROF_MODE_USER,
        .ip = ip,
        .thread = {.start = 1000, .pid = pid, .tid = pid},
    };

    snprintf(sample.thread.comm, sizeof(sample.thread.comm), "p%u", pid);
    return sample;
}

/* A round: asks for the sample, and works. */
static void work(const struct guest_sample *sample)
{
    if ( guests_wait_for(kit.guests, sample) == GUEST_NOT_ASKED )
        guests_ask(kit.guests, sample);
    CHECK_EQ(guests_work(kit.guests, kit.writer, SECOND / 50), XENOPROF_OK);
    CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND / 50),
             XENOPROF_OK);
}

/* Takes the sample as rounds do, until it need not wait any more.  Returns its
 * place. */
static uint32_t take(const struct guest_sample *sample)
{
    uint64_t began = monotonic_now();
    struct guest_chain chain;
    enum guest_wait wait;

    while ( (wait = guests_wait_for(kit.guests, sample)) != GUEST_READY )
    {
        CHECK(wait != GUEST_UNKNOWN);
        CHECK(monotonic_now() - began < 60 * SECOND);
        question()->next = 0;
        work(sample);
    }
    CHECK_EQ(guests_chain(kit.guests, kit.writer, sample, &chain), XENOPROF_OK);
    CHECK_EQ(chain.count, 1);
    return chain.places[0];
}

static uint32_t take_of(uint32_t pid, uint64_t ip)
{
    const struct guest_sample sample = sample_of(pid, ip);

    return take(&sample);
}

/* How often the agent was told something, as it says by a name. */
static void check_named(uint32_t place, const char *path, unsigned int tellings)
{
    char name[32];

    snprintf(name, sizeof(name), "told_%u", tellings);
    guests_kit_check_symbol(&kit, place, path, name);
}

/* Each is read once, and others of it do not wait. */
TEST(processes_are_read_and_told)
{
    begin();
    check_named(take_of(12, KIT_CODE + 0x10), "/bin/p12", 1);
    check_named(take_of(15, KIT_CODE + 0x20), "/bin/p15", 2);
    check_named(take_of(12, KIT_CODE + 0x30), "/bin/p12", 2);
    CHECK_EQ(kit.guests->questions[QUESTION_mappings].count, 0);
    CHECK(!question()->queue.count);
    end();
}

/* One search for all that wait. */
TEST(many_processes_at_a_time)
{
    struct guest_sample samples[SEARCH_PROCESSES_MAX + 3];
    unsigned int searches = 0;
    bool before = false;

    begin();
    question()->next = UINT64_MAX;
    for ( uint32_t i = 0; i < SEARCH_PROCESSES_MAX + 3; i++ )
    {
        samples[i] = sample_of(100 + i, KIT_CODE + 0x10);
        CHECK_EQ(guests_wait_for(kit.guests, &samples[i]), GUEST_NOT_ASKED);
        CHECK(guests_ask(kit.guests, &samples[i]));
        CHECK_EQ(guests_wait_for(kit.guests, &samples[i]), GUEST_ASKED);
    }
    CHECK_EQ(question()->queue.count, SEARCH_PROCESSES_MAX + 3);
    for ( int i = 0; question()->queue.count || question()->search; i++ )
    {
        CHECK(i < 3000);
        question()->next = 0;
        work(&samples[0]);
        searches += question()->search && !before;
        before = question()->search;
    }
    CHECK(searches <= 2);
    for ( uint32_t i = 0; i < SEARCH_PROCESSES_MAX + 3; i++ )
        take(&samples[i]);
    end();
}

/* It has ended, or runs another program: it goes without a name, and others of
 * it soon do not wait. */
TEST(processes_that_are_gone)
{
    struct guest_sample sample;

    begin();
    guests_kit_check_symbol(&kit, take_of(14, KIT_CODE + 0x10), "user", "");
    sample = sample_of(14, KIT_CODE + 0x20);
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_READY);
    /* It may be there later. */
    clock_kit_skip(MAPPINGS_AGE);
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_NOT_ASKED);
    end();
}

/* Samples do not wait for ever. */
TEST(a_guest_that_is_not_read_in_time)
{
    const struct guest_sample sample = sample_of(12, KIT_CODE + 0x10);

    begin();
    question()->next = UINT64_MAX;
    work(&sample);
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_ASKED);
    clock_kit_skip(MAPPINGS_PATIENCE);
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_READY);
    end();
}

/* To the keeper, so that nobody begins meanwhile, and to its processes. */
static void signal_searches(int number)
{
    char path[64];
    FILE *file;
    int pid;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/children",
             (int)kit.keeper.pid, (int)kit.keeper.pid);
    file = fopen(path, "re");
    CHECK(file && !kill(kit.keeper.pid, number));
    while ( fscanf(file, "%d", &pid) == 1 )
        CHECK(!kill(pid, number));
    fclose(file);
}

/* Rings wait meanwhile, small ones too. */
TEST(searches_of_all_sorts_share_a_round)
{
    static const uint8_t other[16] = {3, 3, 3, 3, 3, 3, 3, 3,
                                      3, 3, 3, 3, 3, 3, 3, 3};
    const struct guest_sample sample = sample_of(12, KIT_CODE + 0x10);
    struct guest_sample strange;
    uint64_t took;

    begin();
    kit.host.frames[FRAME][0] = 'L'; /* a search without end */
    strange = guests_kit_sample(&kit, KERNEL + 8, 0);
    strange.domain = 3;
    strange.uuid = other;
    CHECK_EQ(guests_look(kit.guests, kit.writer, &strange), XENOPROF_OK);
    CHECK(guests_is_searched(kit.guests, 3, other));
    signal_searches(SIGSTOP);
    guests_ask(kit.guests, &sample);
    while ( !question()->search )
        CHECK_EQ(guests_work(kit.guests, kit.writer, 0), XENOPROF_OK);
    CHECK(guests_is_searched(kit.guests, 3, other));
    took = monotonic_now();
    guests_work(kit.guests, kit.writer, SECOND / 2);
    took = monotonic_now() - took;
    signal_searches(SIGCONT);
    CHECK(guests_is_searched(kit.guests, 3, other) && question()->search);
    CHECK(took >= SECOND / 2);
    CHECK(took < SECOND / 2 * 3 / 2);
    end();
}

/* The number is given to another process. */
TEST(a_process_of_the_same_number)
{
    struct guest_sample sample = sample_of(12, KIT_CODE + 0x10);

    begin();
    take(&sample);
    sample = sample_of(12, KIT_CODE + 0x20);
    sample.thread.start++;
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_NOT_ASKED);
    CHECK(guests_ask(kit.guests, &sample));
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_ASKED);
    check_named(take(&sample), "/bin/p12", 2);
    end();
}

/* It is read again after a while; samples do not wait for that, and the agent
 * hears of it only if something is new. */
TEST(what_is_known_grows_old)
{
    struct guest_sample sample;

    begin();
    take_of(12, KIT_CODE + 0x10);
    clock_kit_skip(MAPPINGS_AGE);
    sample = sample_of(12, KIT_CODE + 0x40);
    question()->next = UINT64_MAX;
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_NOT_ASKED);
    guests_ask(kit.guests, &sample);
    CHECK_EQ(question()->queue.count, 1);
    for ( int i = 0; question()->queue.count || question()->search; i++ )
    {
        CHECK(i < 3000);
        question()->next = 0;
        work(&sample);
    }
    check_named(take_of(12, KIT_CODE + 0x50), "/bin/p12", 1);
    end();
}

/* It has mapped something since, perhaps; but it is read once a second. */
TEST(code_beyond_what_is_known)
{
    struct guest_sample sample;

    begin();
    take_of(12, KIT_CODE + 0x10);
    sample = sample_of(12, KIT_CODE + 0x100000);
    CHECK(!guest_mappings_note(kit.guests, find(), &sample));
    clock_kit_skip(MAPPINGS_RENEW);
    sample = sample_of(12, KIT_CODE + 0x100010);
    CHECK(guest_mappings_note(kit.guests, find(), &sample));
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_ASKED);
    guests_kit_check_symbol(&kit, take(&sample), "user", "");
    end();
}

/* A sample of another processor's ring comes later, and is older. */
TEST(an_older_sample_of_a_process_that_is_read)
{
    struct guest_sample late = sample_of(12, KIT_CODE + 0x10), early = late;

    begin();
    early.ip += 0x10;
    early.time -= SECOND;
    question()->next = UINT64_MAX;
    work(&late);
    CHECK_EQ(guests_wait_for(kit.guests, &early), GUEST_ASKED);
    check_named(take(&early), "/bin/p12", 1);
    check_named(take(&late), "/bin/p12", 1);
    end();
}

/* Of another conversation it knows nothing any more. */
TEST(an_agent_that_ends)
{
    struct guest_sample sample;

    begin();
    take_of(12, KIT_CODE + 0x10);
    agent_kit_restart(&agent, MANNER_TOLD);
    sample = sample_of(12, KIT_CODE + 0x20);
    take(&sample); /* it may be without a name */
    clock_kit_skip(31 * SECOND);
    guests_exchange(kit.guests, kit.writer, true, SECOND / 50);
    meet();
    check_named(take_of(12, KIT_CODE + 0x30), "/bin/p12", 1);
    end();
}

/* An agent that knows processes itself is told nothing. */
TEST(other_agents_are_told_nothing)
{
    const struct guest_sample sample = sample_of(12, KIT_CODE + 0x110);

    begin_with('T', MANNER_STACKS);
    guests_kit_check_symbol(&kit, take(&sample), "/bin/prog", "leaf");
    CHECK_EQ(question()->noted.count, 0);
    end();
}

/* A kernel that does not say it: nobody waits. */
TEST(a_kernel_that_says_nothing)
{
    begin_with('K', MANNER_TOLD);
    CHECK(!find()->tasks.mapped);
    guests_kit_check_symbol(&kit, take_of(12, KIT_CODE + 0x10), "user", "");
    CHECK_EQ(question()->noted.count, 0);
    end();
}

/* It is struck as for any other process. */
TEST(a_guest_that_kills_who_looks)
{
    begin();
    guests_kit_check_symbol(&kit, take_of(13, KIT_CODE + 0x10), "user", "");
    CHECK_EQ(kit.guests->questions[QUESTION_mappings].count, 0);
    CHECK_EQ(find()->state, GUEST_BANNED);
    end();
}

TEST(a_guest_that_has_used_up_its_time)
{
    const struct guest_sample sample = sample_of(12, KIT_CODE + 0x10);

    begin();
    guests_account(kit.guests, find())->cpu = 1000 * SECOND;
    work(&sample);
    CHECK(!question()->search);
    CHECK_EQ(question()->queue.count, 1);
    end();
}

/* All searches are at most 5 % of a processor, and their guest's to spend. */
TEST(the_next_search_waits_for_its_share)
{
    uint64_t began = monotonic_now(), cpu;
    const struct guest_sample sample = sample_of(12, KIT_CODE + 0x10);

    begin();
    cpu = guests_account(kit.guests, find())->cpu;
    do
        work(&sample);
    while ( question()->queue.count || question()->search );
    CHECK(question()->next > began + MAPPINGS_PAUSE);
    CHECK(guests_account(kit.guests, find())->cpu > cpu);
    end();
}

TEST(a_guest_that_is_gone)
{
    const struct guest_sample sample = sample_of(12, KIT_CODE + 0x10);
    struct domain_list none = {0};

    begin();
    work(&sample);
    guests_keep(kit.guests, &none);
    CHECK(!question()->search);
    CHECK_EQ(kit.guests->questions[QUESTION_mappings].count, 0);
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_READY);
    end();
}

/* A guest that makes processes all the time: what is noted is bounded. */
TEST(a_guest_has_so_many_processes)
{
    begin();
    question()->next = UINT64_MAX;
    for ( uint32_t i = 1; i <= 2 * MAPPINGS_NOTED_MAX; i++ )
    {
        const struct guest_sample sample = sample_of(i, KIT_CODE + 0x10);

        guests_ask(kit.guests, &sample);
        CHECK(question()->noted.count <= MAPPINGS_NOTED_MAX);
        CHECK(question()->queue.count <= MAPPINGS_NOTED_MAX);
    }
    end();
}
