/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A domain that the user named as active has names from the agent in it, and no
 * other's. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent-kit.h"
#include "base/clock.h"
#include "clock-kit.h"
#include "control/guest-roots.h"
#include "cage/process-words.h"
#include "daemon/relay/relay-process.h"
#include "guests-kit.h"
#include "tests/harness.h"
#include "tests/unit/cage/process-kit.h"

#define DOMAIN_2 "02020202-0202-0202-0202-020202020202"
#define ROOT     "/tmp"

static struct guests_kit kit;
static struct agent_kit agents[2]; /* dom0's, domain 2's */
static struct asked_domains asked;
static struct domain_pairs roots;
static struct root_folders folders;
static struct forked_processes forked;
static struct process_maker relays;

static void be_ready(int socket)
{
    const uint64_t word = WORD_READY;

    CHECK_EQ(send(socket, &word, sizeof(word), 0), sizeof(word));
}

static bool pass(int from, int to)
{
    static char bytes[AGENT_MESSAGE_MAX];
    ssize_t got = recv(from, bytes, sizeof(bytes), 0);

    return got > 0 && send(to, bytes, (size_t)got, MSG_NOSIGNAL) == got;
}

/* Whether a process is told, or given, what its kind is. */
static bool is_known(const struct process_order *order, int socket_here)
{
    struct relay_order to;
    struct stat status, wanted;

    if ( order->kind == PROCESS_ROOT )
        return order->count == 1 && !fstat(order->files[0], &status) &&
               !stat(ROOT, &wanted) && status.st_ino == wanted.st_ino;
    return recv(socket_here, &to, sizeof(to), 0) == sizeof(to) &&
           (to.domain == 2 || to.domain == 3);
}

/* A relay whose guest's agent has a socket in this machine; or what stands for
 * the agent of a guest root. */
static void relay(const struct process_order *order, int socket_here)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int there = socket(AF_UNIX, SOCK_SEQPACKET, 0);

    strcpy(address.sun_path, agents[1].path);
    if ( !is_known(order, socket_here) ||
         connect(there, (struct sockaddr *)&address, sizeof(address)) )
        return;
    be_ready(socket_here);
    while ( pass(socket_here, there) && pass(there, socket_here) )
        ;
}

static void begin(enum agent_manner dom0, enum agent_manner guest,
                  enum domain_role role)
{
    struct failure failure;
    struct domain_list list;

    agent_kit_begin(&agents[1], guest);
    agent_kit_begin(&agents[0], dom0);
    guests_kit_begin(&kit, 0);
    kit.host.has_time = true;
    forked = (struct forked_processes){.act = relay};
    relays = forking_maker(&forked);
    kit.host.xen.relays = &relays;
    asked = (struct asked_domains){.all = false};
    CHECK_EQ(asked_domains_add(&asked, role, DOMAIN_2, &failure), 0);
    CHECK_EQ(kit.host.xen.calls->list_domains(&kit.host, &list), 0);
    CHECK_EQ(asked_domains_resolve(&asked, &list, &failure), 0);
    domain_list_free(&list);
    kit.guests->asked = &asked;
}

static void end(void)
{
    guests_kit_end(&kit);
    agent_kit_end(&agents[0]);
    agent_kit_end(&agents[1]);
    asked_domains_free(&asked);
}

/* A sample of process 1. */
static struct guest_sample sample_of(uint16_t domain, uint64_t ip)
{
    static const uint8_t uuids[2][16] = {
        {0}, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}};

    return (struct guest_sample){
        .time = clock_read(CLOCK_MONOTONIC),
        .domain = domain,
        .uuid = uuids[domain > 0],
        .mode = XENOPROF_MODE_USER,
        .ip = ip,
        .thread = {.pid = 1, .tid = 1, .comm = "test"},
    };
}

static struct user_names *names_of(uint16_t domain)
{
    const struct guest_sample sample = sample_of(domain, 0);

    return guests_find(kit.guests, &sample)->user;
}

/* Takes the sample as a round does.  Returns its place. */
static uint32_t take(uint16_t domain, uint64_t ip)
{
    const struct guest_sample sample = sample_of(domain, ip);
    uint64_t began = monotonic_now();
    struct guest_chain chain;

    while ( guests_wait_for(kit.guests, &sample) != GUEST_READY )
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        guests_ask(kit.guests, &sample);
        CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND / 50),
                 XENOPROF_OK);
    }
    CHECK_EQ(guests_chain(kit.guests, kit.writer, &sample, &chain),
             XENOPROF_OK);
    CHECK_EQ(chain.count, 1);
    return chain.places[0];
}

/* Works until the guest's agent has greeted so often, and owes no answer. */
static void wait_for_greetings(uint32_t count)
{
    uint64_t began = monotonic_now();

    while ( agent_link_clock(names_of(2)->link)->number < count ||
            agent_link_is_away(names_of(2)->link) )
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND / 50),
                 XENOPROF_OK);
    }
    guests_exchange(kit.guests, kit.writer, true, 0);
}

TEST(each_domain_has_its_own_agent)
{
    uint32_t first, other;

    begin(MANNER_GOOD, MANNER_STACKS, ROLE_ACTIVE);
    CHECK(names_of(2));
    wait_for_greetings(1);
    first = take(0, KIT_CODE + 0x180);
    other = take(2, KIT_CODE + 0x180);
    guests_kit_check_symbol(&kit, first, "/bin/first", "first");
    guests_kit_check_symbol(&kit, other, "/bin/prog", "leaf");
    end();
}

/* Another one is active. */
TEST(a_passive_domain_is_not_asked)
{
    struct failure failure;

    begin(MANNER_GOOD, MANNER_STACKS, ROLE_PASSIVE);
    CHECK_EQ(asked_domains_add(&asked, ROLE_ACTIVE, "another", &failure), 0);
    CHECK(guests_may_have_agents(kit.guests));
    CHECK(!names_of(2));
    guests_kit_check_symbol(&kit, take(2, KIT_CODE + 0x180), "user", "");
    CHECK_EQ(forked.made, 0);
    end();
}

static void begin_with_root(enum domain_role role)
{
    struct failure failure;

    begin(MANNER_GOOD, MANNER_STACKS, role);
    CHECK_EQ(guest_roots_add(&roots, "guest-root", "2:" ROOT, &failure), 0);
    CHECK_EQ(guest_roots_open(&roots, &folders, &failure), 0);
    kit.guests->roots = &roots;
    kit.guests->folders = &folders;
    CHECK(names_of(2));
    CHECK(!agent_link_clock(names_of(2)->link)); /* it is this machine's */
    while ( !agent_link_conversation(names_of(2)->link) )
        CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND / 50),
                 XENOPROF_OK);
}

/* A file system that is mounted in dom0 stands for an agent, also where there
 * is one. */
TEST(a_domain_with_a_guest_root)
{
    static const enum domain_role roles[] = {ROLE_PASSIVE, ROLE_ACTIVE};

    for ( unsigned int i = 0; i < 2; i++ )
    {
        begin_with_root(roles[i]);
        guests_kit_check_symbol(&kit, take(2, KIT_CODE + 0x180), "/bin/prog",
                                "leaf");
        guests_kit_check_symbol(&kit, take(0, KIT_CODE), "/bin/first", "first");
        end();
        root_folders_close(&folders);
        domain_pairs_free(&roots);
    }
}

/* The guest's clock is not this machine's. */
TEST(times_are_the_guests)
{
    uint64_t wanted, found;

    begin(MANNER_GOOD, MANNER_STACKS, ROLE_ACTIVE);
    CHECK(names_of(2));
    wait_for_greetings(1);
    wanted = clock_read(CLOCK_MONOTONIC_RAW) + KIT_CLOCK_LEAD -
             clock_read(CLOCK_MONOTONIC);
    found = guest_user_time(names_of(2), &kit.host.xen, 0);
    CHECK(found - wanted + SECOND / 2 < SECOND);
    /* It is looked at again. */
    clock_kit_skip(61 * SECOND);
    wait_for_greetings(2);
    CHECK_EQ(agent_link_conversation(names_of(2)->link), 1);
    end();
}

/* A look at its clock that took long is done again; the better one counts. */
TEST(a_clock_that_came_late)
{
    begin(MANNER_LATE_HELLO, MANNER_LATE_HELLO, ROLE_ACTIVE);
    CHECK(names_of(2));
    wait_for_greetings(2);
    CHECK(agent_link_clock(names_of(2)->link)->tries >= 2);
    CHECK(agent_link_clock(names_of(2)->link)->error < 25000000);
    end();
}

/* What the guest's clock says at the first look, and at each later one. */
static const uint64_t *hostile_clock;

static size_t say_clock(struct agent_head *head, void *body, size_t size)
{
    static unsigned int looks;

    if ( head->kind == AGENT_WELCOME )
        memcpy(body, &hostile_clock[looks++ > 0], sizeof(*hostile_clock));
    return size;
}

/* Names come whatever it says, and times of others are theirs. */
static void check_names_by_any_clock(uint64_t address)
{
    guests_kit_check_symbol(&kit, take(2, KIT_CODE + address), "/bin/prog",
                            "leaf");
    guests_kit_check_symbol(&kit, take(0, KIT_CODE + address), "/bin/first",
                            "first");
    CHECK(guest_user_time(names_of(0), &kit.host.xen, 0) -
              (clock_read(CLOCK_MONOTONIC_RAW) - clock_read(CLOCK_MONOTONIC)) +
              SECOND / 2 <
          SECOND);
}

TEST(clocks_that_nobody_has)
{
    static const uint64_t clocks[][2] = {{0, UINT64_MAX},
                                         {UINT64_MAX, 0},
                                         {1ull << 63, (1ull << 63) - 1},
                                         {UINT64_MAX - SECOND, 1}};

    for ( unsigned int i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++ )
    {
        hostile_clock = clocks[i];
        agent_kit_change_answers(say_clock);
        begin(MANNER_GOOD, MANNER_STACKS, ROLE_ACTIVE);
        CHECK(names_of(2));
        wait_for_greetings(1);
        check_names_by_any_clock(0x180);
        clock_kit_skip(61 * SECOND);
        wait_for_greetings(agent_link_clock(names_of(2)->link)->number + 1);
        CHECK(agent_link_clock(names_of(2)->link)->theirs == clocks[i][1]);
        check_names_by_any_clock(0x181);
        CHECK_EQ(agent_link_lies(names_of(2)->link), 0);
        agent_kit_change_answers(NULL);
        end();
    }
}

/* Whoever maps a dying guest's memory keeps it from ending. */
TEST(a_dying_domain_is_let_go)
{
    struct domain_list list;

    begin(MANNER_GOOD, MANNER_STACKS, ROLE_ACTIVE);
    CHECK(names_of(2));
    wait_for_greetings(1);
    kit.host.dying = 2;
    CHECK_EQ(kit.host.xen.calls->list_domains(&kit.host, &list), 0);
    guests_keep(kit.guests, &list);
    domain_list_free(&list);
    CHECK(!names_of(2));
    CHECK(!forked.pids[0]);
    CHECK(names_of(0));
    guests_kit_check_symbol(&kit, take(2, KIT_CODE + 0x180), "user", "");
    end();
}

/* One that lies, again and again, costs others nothing. */
TEST(an_agent_that_lies_is_alone)
{
    begin(MANNER_GOOD, MANNER_LIES, ROLE_ACTIVE);
    for ( unsigned int i = 0; i < AGENT_LIES_MAX; i++ )
    {
        CHECK(names_of(2));
        wait_for_greetings(i + 1);
        guests_kit_check_symbol(&kit, take(2, KIT_CODE + i), "user", "");
        guests_kit_check_symbol(&kit, take(0, KIT_CODE + i), "/bin/first",
                                "first");
        clock_kit_skip(31 * SECOND);
    }
    CHECK_EQ(agent_link_state(names_of(2)->link), AGENT_BANNED);
    CHECK_EQ(agent_link_state(names_of(0)->link), AGENT_PRESENT);
    end();
}

/* Only that of a guest root may say that it is to be told what processes have
 * mapped: the daemon would read that in the guest's memory. */
TEST(an_agent_that_wants_to_be_told)
{
    uint64_t began = monotonic_now();
    const struct agent_link *link;

    begin(MANNER_TOLD, MANNER_TOLD, ROLE_ACTIVE);
    CHECK(names_of(2));
    for ( uint16_t domain = 0; domain <= 2; domain += 2 )
    {
        link = names_of(domain)->link;
        while ( !agent_link_lies(link) )
        {
            CHECK(monotonic_now() - began < 60 * SECOND);
            CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND / 50),
                     XENOPROF_OK);
        }
        CHECK(!agent_link_wants_known(link));
        CHECK(!agent_link_figures(link)->follows_us);
        CHECK(!agent_link_conversation(link));
    }
    end();
}

/* Domain 2 ends, and is domain 3. */
static void reboot(void)
{
    struct domain_list list;

    kit.host.dying = 2;
    kit.host.reborn = true;
    CHECK_EQ(kit.host.xen.calls->list_domains(&kit.host, &list), 0);
    guests_keep(kit.guests, &list);
    domain_list_free(&list);
}

/* Not even one whose guest reboots. */
TEST(a_guest_that_reboots_is_remembered)
{
    begin(MANNER_GOOD, MANNER_LIES, ROLE_ACTIVE);
    CHECK(names_of(2));
    for ( unsigned int i = 1; i < AGENT_LIES_MAX; i++ )
    {
        wait_for_greetings(i);
        take(2, KIT_CODE + i);
        clock_kit_skip(31 * SECOND);
    }
    names_of(2)->stacks.deaths = 2;
    reboot();
    CHECK(names_of(3));
    CHECK_EQ(names_of(3)->stacks.deaths, 2);
    while ( agent_link_state(names_of(3)->link) != AGENT_BANNED )
        take(3, KIT_CODE);
    CHECK_EQ(agent_link_lies(names_of(3)->link), AGENT_LIES_MAX);
    end();
}

/* Of a guest root names are dom0's work, and the guest's to pay. */
TEST(a_guest_root_has_a_budget)
{
    struct guest *guest;
    struct guest_sample sample;

    begin_with_root(ROLE_PASSIVE);
    sample = sample_of(2, 0);
    guest = guests_find(kit.guests, &sample);
    guests_kit_check_symbol(&kit, take(2, KIT_CODE + 0x180), "/bin/prog",
                            "leaf");
    guests_account(kit.guests, guest)->cpu = 1000 * GUEST_CPU_FREE;
    CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, 0), XENOPROF_OK);
    /* What is known is known; nothing else is asked, and nobody waits. */
    guests_kit_check_symbol(&kit, take(2, KIT_CODE + 0x180), "/bin/prog",
                            "leaf");
    sample = sample_of(2, KIT_CODE + 0x280);
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_READY);
    guests_kit_check_symbol(&kit, take(2, KIT_CODE + 0x280), "user", "");
    CHECK_EQ(agent_link_figures(names_of(2)->link)->asked, 1);
    /* It may again some time. */
    guests_account(kit.guests, guest)->cpu = 0;
    CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, 0), XENOPROF_OK);
    guests_kit_check_symbol(&kit, take(2, KIT_CODE + 0x280), "/bin/prog",
                            "middle");
    end();
    root_folders_close(&folders);
    domain_pairs_free(&roots);
}

/* Its processor time is up: names still come, callers do not. */
TEST(walkers_of_a_guest_have_a_budget)
{
    struct guest *guest;
    struct guest_sample sample;

    begin(MANNER_GOOD, MANNER_STACKS, ROLE_ACTIVE);
    CHECK(names_of(2));
    wait_for_greetings(1);
    sample = sample_of(2, KIT_CODE + 0x180);
    guest = guests_find(kit.guests, &sample);
    CHECK(!guest_user_is_spent(kit.guests, guest));
    guests_account(kit.guests, guest)->cpu = 1000 * GUEST_CPU_FREE;
    CHECK(guest_user_is_spent(kit.guests, guest));
    CHECK(guest_account_is_spent(guests_account(kit.guests, guest)));
    /* Its kernel's come for a while longer. */
    guests_account(kit.guests, guest)->cpu = GUEST_CPU_FREE / 10 * 9;
    CHECK(guest_user_is_spent(kit.guests, guest));
    CHECK(!guest_account_is_spent(guests_account(kit.guests, guest)));
    CHECK_EQ(user_stacks_lack(kit.guests, guest), XENOPROF_ENDED_SPENT);
    guests_kit_check_symbol(&kit, take(2, KIT_CODE + 0x180), "/bin/prog",
                            "leaf");
    end();
}
