/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of passive guests' processes by files that the guests have in memory:
 * what is asked, how often, how long samples wait, and what it costs. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "clock-kit.h"
#include "daemon/guests/cached-files.h"
#include "guests-kit.h"
#include "tests/harness.h"
#include "tests/unit/daemon/parser/parser-stub.h"

static struct guests_kit kit;
static struct domain_pairs choices;
static uint8_t uuid[16];

static struct guest *find(void)
{
    return guests_known(kit.guests, 2, uuid);
}

/* What is asked of it. */
static struct guest_question *question(void)
{
    return &find()->questions[QUESTION_cached];
}

/* A guest whose kernel, of that letter, is known; its files are in memory. */
static void begin_with(char letter, const char *labels)
{
    struct failure failure = {0};
    struct guest_sample sample;
    struct guest_chain chain;

    memset(uuid, 2, sizeof(uuid));
    guests_kit_begin(&kit, letter);
    kit.host.frames[FRAME][1] = 1;
    kit.host.frames[FRAME][2] = 1;
    kit.host.has_time = true;
    if ( labels )
        CHECK_EQ(label_choices_add(&choices, "labels", labels, &failure), 0);
    kit.guests->labels = &choices;
    sample = guests_kit_sample(&kit, KERNEL + 8, 0);
    CHECK_EQ(
        xenoprof_writer_domain(kit.writer, 1, 2, sample.uuid, "web", "passive"),
        XENOPROF_OK);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    CHECK(!find()->user);
}

static void begin(void)
{
    begin_with('T', NULL);
}

static void end(void)
{
    guests_kit_end(&kit);
    domain_pairs_free(&choices);
}

static struct guest_sample sample_of(uint32_t pid, uint64_t offset)
{
    struct guest_sample sample = {
        .time = clock_read(CLOCK_MONOTONIC),
        .domain = 2,
        .uuid = uuid,
        .mode = XENOPROF_MODE_USER,
        .ip = 0x400000 + offset,
        .thread = {.start = 1000, .pid = pid, .tid = pid},
    };

    snprintf(sample.thread.comm, sizeof(sample.thread.comm), "p%u", pid);
    return sample;
}

/* A round: asks for the sample, and works.  Returns whether a search for names
 * began. */
static bool work(const struct guest_sample *sample)
{
    bool before = question()->search;

    if ( guests_wait_for(kit.guests, sample) == GUEST_NOT_ASKED )
        guests_ask(kit.guests, sample);
    find()->questions[QUESTION_mappings].next = question()->next = 0;
    CHECK_EQ(guests_work(kit.guests, kit.writer, SECOND / 50), XENOPROF_OK);
    CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, 0), XENOPROF_OK);
    return question()->search && !before;
}

static uint32_t place_of(const struct guest_sample *sample)
{
    struct guest_chain chain;

    CHECK_EQ(guests_chain(kit.guests, kit.writer, sample, &chain), XENOPROF_OK);
    CHECK_EQ(chain.count, 1);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_ROOT);
    return chain.places[0];
}

static unsigned int searches; /* for names, of the samples that were taken */

/* Takes the sample as rounds do, until it need not wait any more. */
static uint32_t take(const struct guest_sample *sample)
{
    uint64_t began = monotonic_now();
    enum guest_wait wait;

    while ( (wait = guests_wait_for(kit.guests, sample)) != GUEST_READY )
    {
        CHECK(wait != GUEST_UNKNOWN);
        CHECK(monotonic_now() - began < 60 * SECOND);
        searches += work(sample);
    }
    return place_of(sample);
}

static uint32_t take_of(uint32_t pid, uint64_t offset)
{
    const struct guest_sample sample = sample_of(pid, offset);

    return take(&sample);
}

static void check(uint32_t pid, uint64_t offset, const char *path,
                  const char *name)
{
    guests_kit_check_symbol(&kit, take_of(pid, offset), path, name);
}

TEST(functions_have_names)
{
    begin();
    check(12, 0x110, "/bin/p12", "leaf_110");
    check(12, 0x220, "/bin/p12", "leaf_220");
    /* No symbol covers it. */
    check(12, 0x810, "/bin/p12", "");
    /* Code of no file. */
    check(12, 0x1010, "user", "");
    CHECK_EQ(kit.guests->questions[QUESTION_cached].count, 0);
    CHECK_EQ(kit.guests->questions[QUESTION_mappings].count, 0);
    end();
}

/* Short-lived processes of one program cost what they have mapped, and no name
 * again. */
TEST(a_file_is_asked_about_once)
{
    uint32_t place;

    begin();
    place = take_of(12, 0x110);
    searches = 0;
    for ( uint32_t pid = 16; pid < 40; pid += 2 )
        CHECK_EQ(take_of(pid, 0x110), place);
    CHECK_EQ(searches, 0);
    /* Another file. */
    check(17, 0x110, "/bin/p17", "leaf_110");
    CHECK_EQ(searches, 1);
    end();
}

/* One search for all that waits. */
TEST(many_addresses_at_a_time)
{
    struct guest_sample samples[40];

    begin();
    take_of(12, 0x110);
    searches = 0;
    question()->next = UINT64_MAX;
    for ( uint32_t i = 0; i < 40; i++ )
    {
        samples[i] = sample_of(12, 0x200 + 16 * i);
        CHECK_EQ(guests_wait_for(kit.guests, &samples[i]), GUEST_NOT_ASKED);
        CHECK(guests_can_ask(kit.guests, &samples[i]));
        CHECK(guests_ask(kit.guests, &samples[i]));
        CHECK_EQ(guests_wait_for(kit.guests, &samples[i]), GUEST_ASKED);
    }
    for ( uint32_t i = 0; i < 40; i++ )
        take(&samples[i]);
    CHECK_EQ(searches, 1);
    end();
}

/* Pages that are missing may come: it is looked again, once a minute. */
TEST(what_was_missing_is_looked_for_again)
{
    begin();
    take_of(12, 0x110);
    take_of(12, 0x810);
    searches = 0;
    take_of(12, 0x810);
    CHECK_EQ(searches, 0);
    clock_kit_skip(CACHED_AGE);
    take_of(12, 0x810);
    CHECK_EQ(searches, 1);
    take_of(12, 0x110); /* which is known for good */
    CHECK_EQ(searches, 1);
    end();
}

/* Nobody agreed to it: no byte is read for it, and nobody waits. */
TEST(guests_whose_labels_are_not_wanted)
{
    static const char *const labels[] = {"none", "pid", "web:pid"};

    for ( unsigned int i = 0; i < sizeof(labels) / sizeof(labels[0]); i++ )
    {
        const struct guest_sample sample = sample_of(12, 0x110);

        begin_with('T', labels[i]);
        CHECK(!find()->cached.wanted);
        CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_READY);
        CHECK(guests_ask(kit.guests, &sample));
        CHECK_EQ(find()->questions[QUESTION_mappings].noted.count, 0);
        guests_kit_check_symbol(&kit, place_of(&sample), "user", "");
        end();
    }
}

/* A kernel that does not say it, or says it without that. */
TEST(kernels_that_say_nothing)
{
    const struct guest_sample sample = sample_of(12, 0x110);

    begin_with('K', NULL);
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_READY);
    guests_kit_check_symbol(&kit, place_of(&sample), "user", "");
    end();
}

/* Without a thread's number nothing is known of it. */
TEST(samples_of_nobody)
{
    struct guest_sample sample = sample_of(12, 0x110);

    begin();
    sample.thread = (struct xenoprof_thread){.start = 0};
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_READY);
    guests_kit_check_symbol(&kit, place_of(&sample), "user", "");
    end();
}

TEST(processes_that_are_gone)
{
    begin();
    check(14, 0x110, "user", "");
    end();
}

/* Samples do not wait for ever. */
TEST(a_guest_that_is_not_read_in_time)
{
    const struct guest_sample sample = sample_of(12, 0x220);

    begin();
    take_of(12, 0x110);
    question()->next = UINT64_MAX;
    CHECK(guests_ask(kit.guests, &sample));
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_ASKED);
    clock_kit_skip(CACHED_PATIENCE);
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_READY);
    end();
}

/* It is struck as for any other process. */
TEST(a_guest_that_kills_who_looks)
{
    begin();
    check(12, 0x10, "user", "");
    CHECK_EQ(guests_account(kit.guests, find())->strikes, 1);
    check(12, 0x20, "user", "");
    CHECK_EQ(find()->state, GUEST_BANNED);
    CHECK_EQ(kit.guests->questions[QUESTION_cached].count, 0);
    check(12, 0x330, "user", "");
    end();
}

TEST(a_guest_that_has_used_up_its_time)
{
    const struct guest_sample sample = sample_of(12, 0x220);

    begin();
    take_of(12, 0x110);
    guests_account(kit.guests, find())->cpu = 1000 * SECOND;
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_READY);
    work(&sample);
    CHECK(!question()->search);
    end();
}

/* All searches are at most 5 % of a processor, and their guest's to spend. */
TEST(the_next_search_waits_for_its_share)
{
    const struct guest_sample sample = sample_of(12, 0x220);
    uint64_t cpu, began;

    begin();
    take_of(12, 0x110);
    cpu = guests_account(kit.guests, find())->cpu;
    began = monotonic_now();
    while ( !work(&sample) )
        continue;
    while ( question()->search )
        CHECK_EQ(guests_work(kit.guests, kit.writer, SECOND / 50), XENOPROF_OK);
    CHECK(question()->next > began + CACHED_PAUSE);
    CHECK(guests_account(kit.guests, find())->cpu > cpu);
    end();
}

TEST(a_guest_that_is_gone)
{
    const struct guest_sample sample = sample_of(12, 0x220);
    struct domain_list none = {0};

    begin();
    take_of(12, 0x110);
    while ( !work(&sample) )
        continue;
    guests_keep(kit.guests, &none);
    CHECK(!question()->search);
    CHECK_EQ(kit.guests->questions[QUESTION_cached].count, 0);
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_READY);
    end();
}

/* The session's next file has no places yet. */
TEST(another_file_of_the_session)
{
    const struct guest_sample sample = sample_of(12, 0x110);

    begin();
    take(&sample);
    guests_forget_places(kit.guests);
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_NOT_ASKED);
    check(12, 0x110, "/bin/p12", "leaf_110");
    end();
}

/* A guest whose processes are in ever new code. */
TEST(so_many_addresses_are_known)
{
    begin();
    take_of(12, 0x110);
    question()->next = UINT64_MAX;
    for ( uint64_t i = 0; i < 2 * CACHED_CODE_MAX; i++ )
    {
        const struct guest_sample sample = sample_of(12, i % 4096);

        guests_ask(kit.guests, &sample);
        CHECK(question()->noted.count <= CACHED_CODE_MAX);
        CHECK(question()->queue.count <= CACHED_CODE_MAX);
    }
    end();
}

/* ... or have ever new files. */
TEST(so_many_files_are_known)
{
    static struct mapped_space space;
    const struct mapped_code piece = {.start = 4096, .end = 8192, .file = 1};
    struct guest_file file = {STUB_WORDS, 0};

    begin();
    while ( file.id++ < 3 * CACHED_FILES_MAX )
    {
        mapped_space_init(&space);
        mapped_space_file(&space, &file);
        CHECK(mapped_space_add(&space, &piece, "/bin/x"));
        cached_files_know(find(), &space);
        CHECK(find()->cached.files.count <= CACHED_FILES_MAX);
    }
    CHECK(table_find(&find()->cached.files, &(uint64_t){file.id - 1}));
    end();
}
