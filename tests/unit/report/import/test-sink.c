/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/import/sink.h"

#include "report/import/import-folder.h"

#include <stdlib.h>
#include <string.h>

#include "tests/harness.h"

static struct import_folder folder;
static struct failure failure;

static struct sink *begin(void)
{
    failure = (struct failure){.status = STATUS_DONE};
    CHECK_EQ(import_folder_make(&folder, &failure), STATUS_DONE);
    return sink_open(folder.path, "file", &failure);
}

/* What a session has of one type. */
struct sink_sums {
    uint64_t samples, amount, most;
};

static struct sink_sums sums_of(uint16_t type)
{
    struct sink_sums sums = {0};
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_session *session;
    struct xenoprof_item item;

    CHECK(!xenoprof_session_open(handle, folder.path, &session));
    while ( !xenoprof_session_next(session, &item) )
    {
        if ( item.kind != XENOPROF_ITEM_SAMPLE || item.u.sample.type != type )
            continue;
        sums.samples++;
        sums.amount += item.u.sample.count;
        if ( item.u.sample.count > sums.most )
            sums.most = item.u.sample.count;
    }
    xenoprof_session_close(session);
    xenoprof_close(handle);
    import_folder_remove(&folder);
    return sums;
}

static struct sink_sums put_amount(uint64_t amount, uint64_t samples)
{
    struct sink *sink = begin();
    const struct sink_amount all = {amount, samples};
    struct xenoprof_stored sample = {
        .time = SINK_START, .weight = 1, .mode = XENOPROF_MODE_USER};
    const struct xenoprof_place place = {.mode = XENOPROF_MODE_USER,
                                         .symbol = "main"};
    uint32_t number;

    sample.domain = sink_domain_called(sink, "web");
    sample.type = sink_event(sink, "bytes", "bytes", 0, 0);
    number = sink_place(sink, &place);
    CHECK_EQ(sink_place(sink, &place), number);
    sink_samples(sink, &sample, &number, 1, &all);
    sink_close(sink, SINK_START);
    return sums_of(XENOPROF_TYPE_EVENT);
}

TEST(an_amount_stays_whole)
{
    struct sink_sums sums = put_amount(10, 3);

    CHECK_EQ(failure.status, STATUS_DONE);
    CHECK_EQ(sums.samples, 3);
    CHECK_EQ(sums.amount, 10);
    CHECK_EQ(sums.most, 4);
    sums = put_amount(2, 100);
    CHECK_EQ(sums.samples, 2);
    sums = put_amount(1000000, 1000000);
    CHECK_EQ(sums.samples, SINK_SPLIT_MAX);
    CHECK_EQ(sums.amount, 1000000);
    sums = put_amount(3 * XENOPROF_COUNT_MAX + 1, 0);
    CHECK_EQ(sums.samples, 4);
    CHECK_EQ(sums.amount, 3 * XENOPROF_COUNT_MAX + 1);
    sums = put_amount(0, 5);
    CHECK_EQ(sums.samples, 0);
}

TEST(what_no_session_holds_is_a_failure)
{
    put_amount(UINT64_MAX, 1);
    CHECK_EQ(failure.status, STATUS_BAD_SESSION);
    CHECK(strstr(failure.text, "18446744073709551615"));
}

TEST(too_many_events_are_a_failure)
{
    struct sink *sink = begin();
    char name[2] = "A";

    for ( unsigned int i = 0; i < XENOPROF_TYPES_MAX - XENOPROF_TYPE_EVENT;
          i++, name[0]++ )
        CHECK_EQ(sink_event(sink, name, "x", 0, 0), XENOPROF_TYPE_EVENT + i);
    CHECK_EQ(sink_event(sink, "A", "x", 0, 0), XENOPROF_TYPE_EVENT);
    CHECK_EQ(failure.status, STATUS_DONE);
    sink_event(sink, "one more", "x", 0, 0);
    CHECK_EQ(failure.status, STATUS_BAD_SESSION);
    sink_close(sink, SINK_START);
    import_folder_remove(&folder);
}

/* Returns how many samples a session says were made. */
static uint64_t made_of(void)
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_session *session;
    struct xenoprof_item item;
    uint64_t made = 0;

    CHECK(!xenoprof_session_open(handle, folder.path, &session));
    while ( !xenoprof_session_next(session, &item) )
        if ( item.kind == XENOPROF_ITEM_RING )
            made += item.u.ring.info.made;
    xenoprof_session_close(session);
    xenoprof_close(handle);
    import_folder_remove(&folder);
    return made;
}

TEST(losses_are_in_the_account)
{
    struct sink *sink = begin();
    struct xenoprof_stored sample = {
        .time = SINK_START, .weight = 1, .count = 1};

    sample.domain = sink_domain_called(sink, "web");
    sample.type = sink_event(sink, "cycles", "cycles", 0, 0);
    sink_sample(sink, &sample, NULL, 0);
    sink_sample(sink, &sample, NULL, 0);
    sink_lost(sink, 3);
    sink_lost(sink, 4);
    sink_close(sink, SINK_START);
    CHECK_EQ(failure.status, STATUS_DONE);
    CHECK_EQ(made_of(), 9);
}

TEST(domains_keep_their_numbers_if_they_can)
{
    struct sink *sink = begin();
    const struct sink_domain web = {"web", true, 7, {1}};
    const struct sink_domain other = {"web", true, 7, {2}};

    CHECK_EQ(sink_domain(sink, &web), 7);
    CHECK_EQ(sink_domain(sink, &other), 8);
    CHECK_EQ(sink_domain(sink, &web), 7);
    CHECK_EQ(sink_domain_called(sink, "db"), 0);
    CHECK_EQ(sink_domain_called(sink, "idle"), 32767);
    sink_close(sink, SINK_START);
    CHECK_EQ(failure.status, STATUS_DONE);
    import_folder_remove(&folder);
}

TEST(long_chains_and_names_are_cut)
{
    struct sink *sink = begin();
    char name[3000];
    uint32_t places[2000];
    struct xenoprof_place place = {.mode = XENOPROF_MODE_KERNEL,
                                   .symbol = name};
    struct xenoprof_stored sample = {.time = SINK_START,
                                     .weight = 1,
                                     .count = 1,
                                     .mode = XENOPROF_MODE_KERNEL};

    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    sample.domain = sink_domain_called(sink, name);
    sample.type = sink_event(sink, name, name, 0, 0);
    for ( size_t i = 0; i < 2000; i++ )
        places[i] = sink_place(sink, &place);
    sink_sample(sink, &sample, places, 2000);
    sink_close(sink, SINK_START);
    CHECK_EQ(failure.status, STATUS_DONE);
    CHECK_EQ(sums_of(XENOPROF_TYPE_EVENT).amount, 1);
}
