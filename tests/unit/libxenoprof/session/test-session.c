/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions: what is written is what is read. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session-kit.h"

TEST(every_item_kind_comes_back)
{
    const uint8_t uuid[16] = {1, 2, 3, 255};
    struct xenoprof_counters counters = {.due = 10, .made = 9, .cost = 1};
    struct xenoprof_ring_info ring = kit_ring(3, 100);
    struct session_kit *kit = kit_create();
    uint32_t place = kit_place(kit, 5, XENOPROF_MODE_KERNEL, ~7ull, "schedule");
    struct xenoprof_stored sample = {.time = 77,
                                     .period = 9,
                                     .marks = 256,
                                     .domain = 5,
                                     .vcpu = 1,
                                     .pcpu = 2,
                                     .mode = XENOPROF_MODE_KERNEL,
                                     .weight = 8};

    counters.lost[XENOPROF_LOST_RING] = 4;
    KIT_OK(kit, xenoprof_writer_attribute(kit->writer, 11, "utc", "12345"));
    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 12, 5, uuid, "web", "passive"));
    KIT_OK(kit,
           xenoprof_writer_stack(kit->writer, (uint32_t[]){place, 0, place}, 3,
                                 &sample.stack));
    sample.place = place;
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample));
    KIT_OK(kit, xenoprof_writer_ring(kit->writer, &ring, 50, 2));
    KIT_OK(kit, xenoprof_writer_counters(kit->writer, 99, &counters));
    KIT_OK(kit, xenoprof_writer_idle(kit->writer, 98, 7, 1ull << 50));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 100));
    kit_text_is(
        kit,
        "attribute 11 utc=12345\n"
        "domain 12 5 010203ff000000000000000000000000 web passive\n"
        "place 1 who 5 1 at fffffffffffffff8 vmlinux schedule "
        "fffffffffffffff0\n"
        "stack 1: 1 0 1\n"
        "sample 77 place 1 stack 1 period 9 marks 256 who 5 1 2 mode 1 weight "
        "8\n"
        "ring 3.1 who 5 3 kind 2 state 1 size 4096 uuid "
        "05000000000000000000000000000000 100 120 90 60 55 50 2 lost 1 2 3 4\n"
        "counters 99 10 0 0 9 0 0 0 1 lost 0 4\n"
        "idle 98 7 1125899906842624\n"
        "closed 100\n"
        "end torn 0\n");
    kit_destroy(kit);
}

TEST(nothing_is_on_disk_before_a_flush)
{
    struct session_kit *kit = kit_create();

    kit_sample(kit, 1, 0);
    CHECK(xenoprof_writer_pending(kit->writer) > 0);
    kit_text_is(kit, "end torn 0\n");
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    CHECK_EQ(xenoprof_writer_pending(kit->writer), 0);
    kit_text_is(kit, "sample 1 place 0 stack 0 period 1000000 marks 0 who 1 0 "
                     "0 mode 1 weight 1\n"
                     "end torn 0\n");
    kit_destroy(kit);
}

TEST(a_reader_at_the_end_goes_on_when_the_session_grows)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_session *session;
    struct xenoprof_item item;

    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    for ( uint64_t i = 1; i <= 4; i++ )
    {
        CHECK_EQ(xenoprof_session_next(session, &item), XENOPROF_END);
        kit_sample(kit, i, 0);
        if ( i % 2 )
            KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
        else
            KIT_OK(kit, xenoprof_writer_flush(kit->writer));
        KIT_OK(kit, xenoprof_session_next(session, &item));
        CHECK_EQ(item.time, i);
    }
    xenoprof_session_close(session);
    kit_destroy(kit);
}

TEST(samples_of_every_shape_come_back)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_session *session;
    struct xenoprof_stored wanted[1000];
    struct xenoprof_item item;
    size_t seen = 0;
    uint32_t stack;

    srandom(1);
    for ( int i = 0; i < 20; i++ )
        kit_place(kit, i % 3, i % 4, random(), i % 2 ? "even" : NULL);
    for ( uint32_t i = 1; i < 20; i++ )
        KIT_OK(kit, xenoprof_writer_stack(
                        kit->writer, (uint32_t[]){i, i + 1, 1}, 3, &stack));
    for ( size_t i = 0; i < 1000; i++ )
    {
        wanted[i] = (struct xenoprof_stored){
            .time = random() * (uint64_t)random(),
            .place = random() % 21,
            .stack = random() % 3 ? random() % 20 : 0,
            .period = random() % 2 * random(),
            .marks = random() % 4 ? 0 : random(),
            .domain = random() % 3 * 20000,
            .vcpu = random() % 2,
            .pcpu = random() % 2,
            .mode = random() % 4,
            .weight = random() % 3 ? 1 : 255,
        };
        KIT_OK(kit, xenoprof_writer_sample(kit->writer, &wanted[i]));
        if ( i % 100 == 99 )
            KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    }
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    while ( !xenoprof_session_next(session, &item) )
        if ( item.kind == XENOPROF_ITEM_SAMPLE )
        {
            const struct xenoprof_stored *got = &item.u.sample;

            CHECK_EQ(got->time, wanted[seen].time);
            CHECK_EQ(got->place, wanted[seen].place);
            CHECK_EQ(got->stack, wanted[seen].stack);
            CHECK_EQ(got->period, wanted[seen].period);
            CHECK_EQ(got->marks, wanted[seen].marks);
            CHECK_EQ(got->domain, wanted[seen].domain);
            CHECK_EQ(got->vcpu, wanted[seen].vcpu);
            CHECK_EQ(got->pcpu, wanted[seen].pcpu);
            CHECK_EQ(got->mode, wanted[seen].mode);
            CHECK_EQ(got->weight, wanted[seen].weight);
            seen++;
        }
    CHECK_EQ(seen, 1000);
    xenoprof_session_close(session);
    kit_destroy(kit);
}

/* Stacks that share their callers are stored as their difference; what comes
 * back is whole, also in the next file. */
TEST(stacks_that_share_callers_come_back)
{
    struct session_kit *kit = kit_create();
    uint32_t places[6], number;
    char *text;

    for ( uint32_t i = 0; i < 6; i++ )
        kit_place(kit, 1, 1, 0x1000 + i, "f");
    for ( uint32_t leaf = 1; leaf <= 6; leaf++ )
    {
        for ( uint32_t i = 0; i < 6; i++ )
            places[i] = i < 2 ? leaf : i;
        KIT_OK(kit, xenoprof_writer_stack(kit->writer, places + leaf % 3,
                                          6 - leaf % 2 - leaf % 3, &number));
        KIT_OK(kit, xenoprof_writer_sample(
                        kit->writer, &(struct xenoprof_stored){.stack = number,
                                                               .weight = 1}));
        if ( leaf == 3 )
            KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    }
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    text = kit_read(kit, kit->folder);
    CHECK(strstr(text, "stack 1: 1 2 3 4\n"));
    CHECK(strstr(text, "stack 2: 2 3 4 5\n"));
    CHECK(strstr(text, "stack 3: 3 3 2 3 4\n"));
    CHECK(strstr(text, "stack 4: 4 2 3 4 5\n"));
    CHECK(strstr(text, "stack 5: 2 3 4\n"));
    CHECK(strstr(text, "stack 6: 6 6 2 3 4 5\n"));
    free(text);
    kit_destroy(kit);
}

TEST(equal_places_and_stacks_have_one_number)
{
    struct session_kit *kit = kit_create();
    uint32_t a = kit_place(kit, 1, 1, 0x100, "f"), found, first, second;

    CHECK_EQ(kit_place(kit, 1, 1, 0x100, "f"), a);
    CHECK(kit_place(kit, 2, 1, 0x100, "f") != a);
    CHECK(kit_place(kit, 1, 2, 0x100, "f") != a);
    CHECK(xenoprof_writer_known(kit->writer, 1, 1, 0x100, &found));
    CHECK_EQ(found, a);
    CHECK(!xenoprof_writer_known(kit->writer, 1, 1, 0x101, &found));
    KIT_OK(kit,
           xenoprof_writer_stack(kit->writer, (uint32_t[]){a, 2}, 2, &first));
    KIT_OK(kit,
           xenoprof_writer_stack(kit->writer, (uint32_t[]){a, 2}, 2, &second));
    CHECK_EQ(second, first);
    kit_destroy(kit);
}

TEST(an_address_that_gets_another_name_gets_a_number)
{
    struct session_kit *kit = kit_create();
    uint32_t before = kit_place(kit, 1, 1, 0x100, "f"), found;
    uint32_t after = kit_place(kit, 1, 1, 0x100, "g");

    CHECK(after != before);
    CHECK(xenoprof_writer_known(kit->writer, 1, 1, 0x100, &found));
    CHECK_EQ(found, after);
    kit_destroy(kit);
}

/* Also in a later file, and when its writer was killed since. */
TEST(an_address_that_gets_a_name_has_it_for_all_its_samples)
{
    struct session_kit *kit = kit_create();
    uint32_t number = kit_place(kit, 1, 1, 0x100, NULL), unnamed = 0;
    uint32_t other = kit_place(kit, 1, 1, 0x200, NULL);
    uint64_t address;
    char *text;

    kit_sample(kit, 5, number);
    kit_sample(kit, 6, other);
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    CHECK(xenoprof_writer_unnamed(kit->writer, 1, 1, &unnamed, &address));
    CHECK_EQ(unnamed, number);
    CHECK_EQ(address, 0x100);
    CHECK_EQ(kit_place(kit, 1, 1, 0x100, "f"), number);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    text = kit_read(kit, kit_file(kit, 1));
    if ( !strstr(text, "place 1 who 1 1 at 100 vmlinux f ") )
        test_fail(__FILE__, __LINE__, "the name is not in the file: %s", text);
    free(text);
    kit_stop(kit);
    kit_go_on(kit);
    CHECK_EQ(kit_place(kit, 1, 1, 0x100, "f"), number);
    unnamed = 0;
    CHECK(xenoprof_writer_unnamed(kit->writer, 1, 1, &unnamed, &address) ==
          false);
    kit_destroy(kit);
}

TEST(another_domain_under_the_number_has_other_places)
{
    const uint8_t old[16] = {1}, new[16] = {2};
    struct session_kit *kit = kit_create();
    uint32_t before, found;

    KIT_OK(kit, xenoprof_writer_domain(kit->writer, 1, 7, old, "a", "passive"));
    before = kit_place(kit, 7, 1, 0x100, "f");
    KIT_OK(kit, xenoprof_writer_domain(kit->writer, 2, 7, old, "b", "passive"));
    CHECK(xenoprof_writer_known(kit->writer, 7, 1, 0x100, &found));
    KIT_OK(kit, xenoprof_writer_domain(kit->writer, 3, 7, new, "a", "passive"));
    CHECK(!xenoprof_writer_known(kit->writer, 7, 1, 0x100, &found));
    CHECK(kit_place(kit, 7, 1, 0x100, "f") != before);
    kit_destroy(kit);
}

TEST(what_is_not_in_the_session_is_refused)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_stored sample = {.place = 1};
    struct xenoprof_place place = {.mode = XENOPROF_MODES};
    uint32_t number;

    CHECK_EQ(xenoprof_writer_sample(kit->writer, &sample), XENOPROF_INVALID);
    CHECK_EQ(xenoprof_writer_place(kit->writer, &place, &number),
             XENOPROF_INVALID);
    CHECK_EQ(xenoprof_writer_stack(kit->writer, &number, 0, &number),
             XENOPROF_INVALID);
    number = 9;
    CHECK_EQ(xenoprof_writer_stack(kit->writer, &number, 1, &number),
             XENOPROF_INVALID);
    kit_destroy(kit);
}

TEST(folder_and_files_are_private)
{
    struct session_kit *kit = kit_create();
    struct stat status;

    CHECK(!stat(kit->folder, &status));
    CHECK_EQ(status.st_mode & 0777, 0700);
    CHECK(!stat(kit_file(kit, 0), &status));
    CHECK_EQ(status.st_mode & 0777, 0600);
    kit_destroy(kit);
}

TEST(a_second_writer_is_refused)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_writer *second;

    CHECK_EQ(xenoprof_writer_reopen(kit->handle, kit->folder, &second),
             XENOPROF_SYSTEM);
    kit_stop(kit);
    CHECK_EQ(xenoprof_writer_create(kit->handle, kit->folder, &second),
             XENOPROF_INVALID);
    kit_destroy(kit);
}

TEST(session_samples_say_where_chains_ended)
{
    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
        for ( uint8_t mode = 0; mode < XENOPROF_MODES; mode++ )
        {
            struct xenoprof_stored sample = {.mode = mode};
            bool early = i != XENOPROF_ENDED_ROOT && i != XENOPROF_ENDED_MOVED;

            xenoprof_stored_set_ended(&sample, XENOPROF_ENDED_RULE);
            xenoprof_stored_set_ended(&sample, (enum xenoprof_ended)i);
            CHECK_EQ(xenoprof_stored_ended(&sample), i);
            if ( i == XENOPROF_ENDED_GUEST && mode == XENOPROF_MODE_XEN )
                early = false;
            CHECK_EQ(!!(sample.marks & XENOPROF_MARK_TRUNCATED), early);
            CHECK(xenoprof_ended_name((enum xenoprof_ended)i));
            CHECK(xenoprof_ended_text((enum xenoprof_ended)i));
        }
    CHECK(!xenoprof_ended_name(XENOPROF_ENDS));
}
