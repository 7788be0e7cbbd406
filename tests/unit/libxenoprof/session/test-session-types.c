/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples are of a type, which a session declares. */
#include <string.h>

#include "libxenoprof/session/reader-tables.h"
#include "session-kit.h"

static const struct xenoprof_type cycles = {.name = "cycles:k",
                                            .unit = "cycles",
                                            .select = 0x52003c,
                                            .period = 2000003,
                                            .turns = 3};
static const struct xenoprof_type misses = {.name = "misses", .unit = "events"};

static enum xenoprof_status put_sample(struct session_kit *kit, uint64_t time,
                                       uint16_t type, uint64_t count)
{
    const struct xenoprof_stored sample = {.time = time,
                                           .period = 7,
                                           .domain = 1,
                                           .mode = XENOPROF_MODE_KERNEL,
                                           .weight = 3,
                                           .count = count,
                                           .type = type};

    return xenoprof_writer_sample(kit->writer, &sample, NULL, 0);
}

static struct session_kit *create(void)
{
    struct session_kit *kit = kit_create();

    KIT_OK(kit, xenoprof_writer_type(kit->writer, 2, &cycles));
    KIT_OK(kit, xenoprof_writer_type(kit->writer, 63, &misses));
    return kit;
}

/* Reads the next sample, and the last type before it; false at the end. */
static bool next_sample(struct session_kit *kit,
                        struct xenoprof_session *session,
                        struct xenoprof_stored *ret)
{
    struct xenoprof_item item;
    enum xenoprof_status status;

    while ( !(status = xenoprof_session_next(session, &item)) )
        if ( item.kind == XENOPROF_ITEM_SAMPLE )
        {
            *ret = item.u.sample;
            return true;
        }
    KIT_OK(kit, status == XENOPROF_END ? XENOPROF_OK : status);
    return false;
}

TEST(samples_have_the_type_and_the_count_that_they_were_given)
{
    static const struct {
        uint16_t type;
        uint64_t given, count;
    } samples[] = {
        {XENOPROF_TYPE_TIME, 5, 21},  {XENOPROF_TYPE_WAITING, 0, 21},
        {2, 2000003, 2000003},        {2, 0, 0},
        {63, 1ull << 33, 1ull << 33}, {63, ~0ull, XENOPROF_COUNT_MAX},
        {XENOPROF_TYPE_TIME, 0, 21},
    };
    struct session_kit *kit = create();
    struct xenoprof_session *session;
    struct xenoprof_stored got;
    size_t at = 0;

    for ( size_t i = 0; i < 7; i++ )
        KIT_OK(kit, put_sample(kit, 10 + i, samples[i].type, samples[i].given));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 20));
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    for ( ; next_sample(kit, session, &got); at++ )
    {
        CHECK_EQ(got.time, 10 + at);
        CHECK_EQ(got.type, samples[at].type);
        CHECK_EQ(got.count, samples[at].count);
    }
    CHECK_EQ(at, 7);
    xenoprof_session_close(session);
    kit_destroy(kit);
}

TEST(types_come_before_their_samples_in_each_file)
{
    const struct xenoprof_measured measured = {
        .type = 63, .pcpu = 9, .enabled = 1000, .running = 400};
    struct session_kit *kit = create();

    KIT_OK(kit, put_sample(kit, 10, 2, 100));
    KIT_OK(kit, xenoprof_writer_measured(kit->writer, 11, &measured));
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    KIT_OK(kit, put_sample(kit, 12, XENOPROF_TYPE_WAITING, 0));
    KIT_OK(kit, put_sample(kit, 13, 63, 8));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 20));
    kit_text_is(
        kit,
        "type 2 cycles:k in cycles: select 52003c period 2000003 "
        "turns 3\n"
        "type 63 misses in events: select 0 period 0 turns 0\n"
        "sample 10 place 0 stack 0 period 0 marks 0 who 1 0 0 mode 1 weight 1\n"
        "measured 11 type 63 pcpu 9: 400 of 1000\n"
        "type 2 cycles:k in cycles: select 52003c period 2000003 "
        "turns 3\n"
        "type 63 misses in events: select 0 period 0 turns 0\n"
        "type 1 waiting in ns: select 0 period 0 turns 0\n"
        "sample 12 place 0 stack 0 period 7 marks 0 who 1 0 0 mode 1 weight 3\n"
        "sample 13 place 0 stack 0 period 0 marks 0 who 1 0 0 mode 1 weight 1\n"
        "closed 20\n"
        "end torn 0\n");
    kit_destroy(kit);
}

TEST(what_was_not_declared_is_refused)
{
    struct session_kit *kit = create();
    struct xenoprof_measured measured = {.type = 3};
    struct xenoprof_type long_name = misses;
    char name[65];

    memset(name, 'n', 64);
    name[64] = 0;
    CHECK_EQ(put_sample(kit, 10, 3, 1), XENOPROF_INVALID);
    CHECK_EQ(put_sample(kit, 10, XENOPROF_TYPES_MAX, 1), XENOPROF_INVALID);
    CHECK_EQ(put_sample(kit, 10, UINT16_MAX, 1), XENOPROF_INVALID);
    CHECK_EQ(xenoprof_writer_measured(kit->writer, 10, &measured),
             XENOPROF_INVALID);
    long_name.name = name;
    CHECK_EQ(xenoprof_writer_type(kit->writer, 4, &long_name),
             XENOPROF_INVALID);
    long_name.name = "";
    CHECK_EQ(xenoprof_writer_type(kit->writer, 4, &long_name),
             XENOPROF_INVALID);
    CHECK_EQ(xenoprof_writer_type(kit->writer, XENOPROF_TYPES_MAX, &misses),
             XENOPROF_INVALID);
    kit_destroy(kit);
}

TEST(a_type_stays_what_it_is)
{
    struct session_kit *kit = create();
    struct xenoprof_type other = cycles;

    KIT_OK(kit, xenoprof_writer_type(kit->writer, 2, &cycles));
    CHECK_EQ(xenoprof_writer_type(kit->writer, 2, &misses), XENOPROF_INVALID);
    other.period++;
    CHECK_EQ(xenoprof_writer_type(kit->writer, 2, &other), XENOPROF_INVALID);
    CHECK_EQ(xenoprof_writer_type(kit->writer, XENOPROF_TYPE_TIME, &misses),
             XENOPROF_INVALID);
    kit_destroy(kit);
}

TEST(what_a_file_does_not_say_of_a_type_is_not_known)
{
    struct defined_type types[] = {{.known = true, .number = 9}, {.number = 5}};
    struct reader_tables read = {.types = {.items = types, .count = 2}};
    uint16_t number;

    CHECK(reader_type(&read, 0, &number));
    CHECK_EQ(number, XENOPROF_TYPE_TIME);
    CHECK(reader_type(&read, 1, &number));
    CHECK_EQ(number, 9);
    CHECK(!reader_type(&read, 2, &number));
    CHECK(!reader_type(&read, 3, &number));
}
