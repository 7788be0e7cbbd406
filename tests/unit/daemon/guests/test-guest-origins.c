/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where threads come from: who is asked, how often, and what the session has of
 * it. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "guests-kit.h"
#include "tests/harness.h"
#include "tests/unit/daemon/parser/parser-stub.h"

static struct guests_kit kit;
static struct domain_pairs choices;
static struct guest_sample sample;

static struct guest *find(void)
{
    return guests_find(kit.guests, &sample);
}

/* What is asked of it. */
static struct guest_question *question(void)
{
    return &find()->questions[QUESTION_origins];
}

/* A guest whose kernel is known, with that --labels; NULL: without. */
static void begin(const char *labels)
{
    struct guest_chain chain;
    struct failure failure = {0};

    guests_kit_begin(&kit, 'T');
    kit.host.frames[FRAME][1] = 1;
    if ( labels )
        CHECK_EQ(label_choices_add(&choices, "labels", labels, &failure), 0);
    kit.guests->labels = &choices;
    sample = guests_kit_sample(&kit, KERNEL + 8, 0);
    CHECK_EQ(
        xenoprof_writer_domain(kit.writer, 1, 2, sample.uuid, "web", "passive"),
        XENOPROF_OK);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
}

static void end(void)
{
    guests_kit_end(&kit);
    domain_pairs_free(&choices);
}

static struct xenoprof_thread thread(uint32_t pid, uint32_t tid)
{
    return (struct xenoprof_thread){
        .start = 1000, .pid = pid, .tid = tid, .comm = "x"};
}

static void note_of(uint32_t pid, uint32_t tid, uint64_t start)
{
    struct xenoprof_thread noted = thread(pid, tid);

    noted.start = start;
    guests_note_thread(kit.guests, 2, sample.uuid, &noted);
}

static void note(uint32_t pid, uint32_t tid)
{
    note_of(pid, tid, 1000);
}

/* Works until no thread waits.  Returns how many searches that took. */
static unsigned int work(void)
{
    unsigned int searches = 0;
    bool before = false;

    for ( unsigned int i = 0; question()->queue.count || question()->search;
          i++ )
    {
        CHECK(i < 300);
        question()->next = 0;
        CHECK_EQ(guests_work(kit.guests, kit.writer, SECOND / 10), XENOPROF_OK);
        searches += !before && question()->search;
        before = question()->search;
    }
    return searches;
}

/* How many origins the session has, and one of those of that thread. */
static unsigned int read_origins(uint32_t tid, char exe[64], char cgroup[64])
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    unsigned int count = 0;
    char folder[80];

    *exe = *cgroup = 0;
    snprintf(folder, sizeof(folder), "%s/s", kit.dir);
    CHECK_EQ(xenoprof_writer_flush(kit.writer), XENOPROF_OK);
    CHECK_EQ(xenoprof_session_open(kit.handle, folder, &session), XENOPROF_OK);
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
    {
        count += item.kind == XENOPROF_ITEM_ORIGIN;
        if ( item.kind != XENOPROF_ITEM_ORIGIN ||
             item.u.origin.thread.tid != tid )
            continue;
        snprintf(exe, 64, "%s", item.u.origin.exe);
        snprintf(cgroup, 64, "%s", item.u.origin.cgroup);
    }
    xenoprof_session_close(session);
    return count;
}

TEST(threads_are_asked_for_once)
{
    char exe[64], cgroup[64];

    begin("all");
    for ( uint32_t i = 0; i < 3; i++ )
        note(12, 13);
    note(12, 14);
    work();
    CHECK_EQ(kit.guests->questions[QUESTION_origins].count, 0);
    note(12, 13);
    CHECK_EQ(work(), 0);
    CHECK_EQ(read_origins(13, exe, cgroup), 2);
    CHECK_TEXT(exe, "/bin/p12");
    CHECK_TEXT(cgroup, "/t13.service");
    end();
}

TEST(many_threads_are_asked_for_some_at_a_time)
{
    char exe[64], cgroup[64];

    begin("all");
    for ( uint32_t i = 1; i <= 2 * SEARCH_THREADS_MAX + 2; i++ )
        note(1000 + i, i);
    CHECK_EQ(work(), 3);
    CHECK_EQ(read_origins(1, exe, cgroup), 2 * SEARCH_THREADS_MAX + 2);
    end();
}

/* Those of a process that began before one that was found cost no look at the
 * guest's memory, be they sampled before that or after it. */
TEST(threads_of_a_process_are_found_together)
{
    char exe[64], cgroup[64];

    begin("all");
    for ( uint32_t i = 1; i <= 1000; i++ )
        note_of(5000, i, 1000 + i);
    CHECK_EQ(work(), 1);
    CHECK_EQ(read_origins(7, exe, cgroup), 1000);
    CHECK_TEXT(exe, "/bin/p5000");
    CHECK_TEXT(cgroup, "/t1000.service"); /* the newest one's */
    note_of(5000, 1001, 1999);
    CHECK_EQ(work(), 0);
    CHECK_EQ(read_origins(1001, exe, cgroup), 1001);
    CHECK_TEXT(exe, "/bin/p5000");
    note_of(5000, 1002, 2001); /* who knows what it was since */
    CHECK_EQ(work(), 1);
    CHECK_EQ(read_origins(1002, exe, cgroup), 1002);
    CHECK_TEXT(cgroup, "/t1002.service");
    note_of(5001, 1003, 1000);
    CHECK_EQ(work(), 1);
    CHECK_EQ(read_origins(1003, exe, cgroup), 1003);
    CHECK_TEXT(exe, "/bin/p5001");
    end();
}

/* It may run another program, which the others do not survive. */
TEST(a_process_s_first_thread_speaks_for_itself)
{
    char exe[64], cgroup[64];

    begin("all");
    note_of(5000, 5000, 1000);
    work();
    note_of(5000, 5001, 900);
    CHECK_EQ(work(), 1);
    CHECK_EQ(read_origins(5001, exe, cgroup), 2);
    CHECK_TEXT(cgroup, "/t5001.service");
    note_of(5000, 5000, 800);
    CHECK_EQ(work(), 1);
    CHECK_EQ(read_origins(5000, exe, cgroup), 3);
    guests_forget_places(kit.guests); /* another file */
    note_of(5000, 5001, 900);
    CHECK_EQ(work(), 1);
    end();
}

/* More processes than are kept: those that were found last. */
TEST(threads_of_many_processes)
{
    char exe[64], cgroup[64];

    begin("all");
    for ( uint32_t i = 0; i < 200; i++ )
        note_of(5000 + i, 1, 1000);
    work();
    note_of(5199, 2, 900);
    CHECK_EQ(work(), 0);
    note_of(5000, 2, 900);
    CHECK_EQ(work(), 1);
    CHECK_EQ(read_origins(2, exe, cgroup), 202);
    end();
}

/* Their number is another's, or the tables by which memory was walked are
 * gone: some samples more may show it. */
TEST(what_is_not_found_is_asked_for_some_times)
{
    char exe[64], cgroup[64];

    begin("all");
    for ( uint32_t i = 0; i < ORIGINS_TRIES_MAX; i++ )
    {
        note(14, 9);
        CHECK(question()->queue.count);
        work();
    }
    note(14, 9);
    CHECK_EQ(question()->queue.count, 0);
    CHECK_EQ(read_origins(9, exe, cgroup), 0);
    end();
}

/* A file ends while a thread is looked for, and a sample of the next one has
 * it: it waits once, whatever the search says. */
TEST(a_thread_that_is_noted_again_meanwhile)
{
    begin("all");
    note(14, 9);
    CHECK_EQ(guests_work(kit.guests, kit.writer, 0), XENOPROF_OK);
    CHECK(question()->search);
    guests_forget_places(kit.guests);
    note(14, 9);
    for ( unsigned int i = 0; question()->search; i++ )
    {
        CHECK(i < 300);
        CHECK_EQ(guests_work(kit.guests, kit.writer, SECOND / 10), XENOPROF_OK);
    }
    note(14, 9);
    CHECK_EQ(question()->queue.count, 1);
    CHECK_EQ(work(), 1);
    end();
}

TEST(a_guest_has_so_many_threads)
{
    begin("all");
    question()->next = UINT64_MAX;
    for ( uint32_t i = 1; i <= 2 * ORIGINS_NOTED_MAX; i++ )
        note(7, i);
    CHECK_EQ(question()->queue.count, ORIGINS_NOTED_MAX);
    guests_forget_places(kit.guests);
    CHECK_EQ(question()->queue.count, 0);
    note(7, 1);
    CHECK_EQ(question()->queue.count, 1);
    end();
}

/* Nothing is read that nobody asked for: of a passive domain only with all. */
TEST(nothing_is_read_without_labels_all)
{
    static const char *const labels[] = {NULL, "comm", "pid", "web:pid"};

    for ( unsigned int i = 0; i < sizeof(labels) / sizeof(labels[0]); i++ )
    {
        begin(labels[i]);
        note(12, 13);
        CHECK_EQ(question()->queue.count, 0);
        end();
    }
    begin("all");
    note(0, 0); /* idle */
    CHECK_EQ(question()->queue.count, 0);
    end();
}

/* That of dom0 and of active domains; of the others if it is asked for. */
TEST(what_is_usual_for_each_domain)
{
    struct asked_domains asked = {0};
    struct failure failure = {0};

    for ( int active = 0; active < 2; active++ )
    {
        struct guest_chain chain;

        guests_kit_begin(&kit, 'T');
        kit.host.frames[FRAME][1] = 1;
        CHECK_EQ(asked_domains_add(&asked, active ? ROLE_ACTIVE : ROLE_PASSIVE,
                                   "2", &failure),
                 0);
        kit.guests->asked = &asked;
        sample = guests_kit_sample(&kit, KERNEL + 8, 0);
        CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
        note(12, 13);
        CHECK_EQ(question()->queue.count, (size_t)active);
        kit.guests->asked = NULL;
        asked_domains_free(&asked);
        asked = (struct asked_domains){0};
        end();
    }
}

/* It is struck as for any other process, and is looked at no more. */
TEST(a_guest_that_kills_who_looks)
{
    begin("all");
    note(13, 1);
    work();
    CHECK_EQ(find()->state, GUEST_KNOWN);
    note(13, 2);
    for ( int i = 0; find()->state != GUEST_BANNED; i++ )
    {
        CHECK(i < 300);
        question()->next = 0;
        CHECK_EQ(guests_work(kit.guests, kit.writer, SECOND / 10), XENOPROF_OK);
    }
    CHECK_EQ(kit.guests->questions[QUESTION_origins].count, 0);
    CHECK(strstr(guests_kit_fact(&kit), "none: what is in its memory"));
    end();
}

TEST(a_guest_that_has_used_up_its_time_waits)
{
    begin("all");
    guests_account(kit.guests, find())->cpu = 1000 * SECOND;
    note(12, 13);
    question()->next = 0;
    CHECK_EQ(guests_work(kit.guests, kit.writer, 0), XENOPROF_OK);
    CHECK(!question()->search);
    CHECK_EQ(question()->queue.count, 1);
    end();
}

/* The daemon's own work on a guest's tables is in its account. */
TEST(searches_cost_their_guest)
{
    uint64_t before;

    begin("all");
    before = guests_account(kit.guests, find())->cpu;
    note(12, 13);
    work();
    CHECK(guests_account(kit.guests, find())->cpu > before);
    end();
}

/* All of them are at most 5 % of a processor. */
TEST(the_next_search_waits_for_its_share)
{
    uint64_t began = monotonic_now(), cpu;

    begin("all");
    cpu = guests_account(kit.guests, find())->cpu;
    note(12, 13);
    work();
    cpu = guests_account(kit.guests, find())->cpu - cpu;
    CHECK(question()->next >= began + ORIGINS_PAUSE + 19 * cpu);
    end();
}

TEST(a_guest_that_is_gone_is_not_looked_at)
{
    struct domain_list none = {0};

    begin("all");
    note(12, 13);
    CHECK_EQ(guests_work(kit.guests, kit.writer, 0), XENOPROF_OK);
    guests_keep(kit.guests, &none);
    CHECK(!question()->search);
    CHECK_EQ(kit.guests->questions[QUESTION_origins].count, 0);
    question()->next = 0;
    note(12, 14);
    CHECK_EQ(guests_work(kit.guests, kit.writer, 0), XENOPROF_OK);
    CHECK(!question()->search);
    end();
}
