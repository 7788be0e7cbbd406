/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Items as bytes: differences to what came before, and each file whole. */
#include <stdlib.h>
#include <string.h>

#include "session-kit.h"

#define SAMPLES 1000u

/* What was written, and what came back by number.  Place N is at address N. */
static struct xenoprof_stored wanted[SAMPLES];
static uint32_t chains[SAMPLES][3], stacks[SAMPLES][3];
static size_t counts[SAMPLES];
static uint64_t addresses[21];

/* Half of them have one; few, so that each guest may have them all. */
static struct xenoprof_entry any_entry(void)
{
    struct xenoprof_entry entry = {.kind = random() % 2 ? 1 + random() % 3
                                                        : XENOPROF_ENTRY_NONE};

    if ( entry.kind == XENOPROF_ENTRY_NONE )
        return entry;
    entry.flags = random() % 4;
    entry.code = random() % 3 ? random() % 5 : ~0u;
    entry.detail = random() % 2 ? ~0ull - random() % 5 : 0;
    return entry;
}

/* Half of them have one, some with the longest name. */
static struct xenoprof_thread any_thread(void)
{
    struct xenoprof_thread thread = {.start = 0};

    if ( random() % 2 )
        return thread;
    thread.start = random() % 2 ? ~0ull - random() % 3 : 7;
    thread.pid = random() % 3 ? ~0u : 0;
    thread.tid = (uint32_t)random() % 50;
    strcpy(thread.comm, random() % 2 ? "a" : "fifteen-letters");
    return thread;
}

static void write_sample(struct session_kit *kit, size_t i)
{
    wanted[i] = (struct xenoprof_stored){
        .time = i + random() * 1000ull,
        .place = random() % 21,
        .period = random() % 2 * random(),
        .marks = random() % 4 ? 0 : random(),
        .domain = random() % 3 * 20000,
        .vcpu = random() % 2,
        .pcpu = random() % 2,
        .mode = random() % 4,
        .weight = random() % 3 ? 1 : 255,
        .entry = any_entry(),
        .thread = any_thread(),
    };
    chains[i][0] = wanted[i].place;
    chains[i][1] = 1 + random() % 19;
    chains[i][2] = 1;
    counts[i] = random() % 3 ? 3 : 0;
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &wanted[i], chains[i],
                                       counts[i]));
    if ( i % 100 == 99 )
        KIT_OK(kit, xenoprof_writer_flush(kit->writer));
}

/* In a block, samples have no order. */
static void check_sample(const struct xenoprof_stored *got)
{
    size_t i = got->time % 1000;

    CHECK_EQ(got->time, wanted[i].time);
    CHECK_EQ(addresses[got->place], wanted[i].place);
    CHECK_EQ(got->stack != 0, counts[i] > 1);
    CHECK(!got->stack ||
          !memcmp(stacks[got->stack], chains[i], sizeof(chains[i])));
    CHECK_EQ(got->period, wanted[i].period);
    CHECK_EQ(got->marks, wanted[i].marks);
    CHECK_EQ(got->domain, wanted[i].domain);
    CHECK_EQ(got->vcpu, wanted[i].vcpu);
    CHECK_EQ(got->pcpu, wanted[i].pcpu);
    CHECK_EQ(got->mode, wanted[i].mode);
    CHECK_EQ(got->weight, wanted[i].weight);
    CHECK(!memcmp(&got->entry, &wanted[i].entry, sizeof(got->entry)));
    CHECK(!memcmp(&got->thread, &wanted[i].thread, sizeof(got->thread)));
}

static void see_stack(const struct xenoprof_item *item)
{
    CHECK_EQ(item->u.stack.count, 3);
    CHECK(item->u.stack.number < SAMPLES);
    for ( size_t i = 0; i < 3; i++ )
        stacks[item->u.stack.number][i] = (uint32_t)
            addresses[item->u.stack.places[i]];
}

TEST(samples_of_every_shape_come_back)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_session *session;
    struct xenoprof_item item;
    size_t seen = 0;

    srandom(1);
    for ( int i = 0; i < 20; i++ )
        kit_place(kit, i % 3, i % 4, 1 + i, i % 2 ? "even" : NULL);
    for ( size_t i = 0; i < SAMPLES; i++ )
        write_sample(kit, i);
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    while ( !xenoprof_session_next(session, &item) )
        if ( item.kind == XENOPROF_ITEM_PLACE )
            addresses[item.u.place.number] = item.u.place.place.address;
        else if ( item.kind == XENOPROF_ITEM_STACK )
            see_stack(&item);
        else if ( item.kind == XENOPROF_ITEM_SAMPLE )
        {
            check_sample(&item.u.sample);
            seen++;
        }
    CHECK_EQ(seen, SAMPLES);
    xenoprof_session_close(session);
    kit_destroy(kit);
}

/* On one vCPU and pCPU, and alike in all else. */
TEST(threads_that_take_turns_come_back)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_stored sample = {.domain = 1, .mode = 1, .weight = 1};
    struct xenoprof_session *session;
    struct xenoprof_item item;
    uint32_t seen = 0;

    strcpy(sample.thread.comm, "a");
    for ( uint32_t i = 0; i < 100; i++ )
    {
        sample.time = 1 + i;
        sample.thread.tid = i % 3;
        KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, NULL, 0));
    }
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    while ( !xenoprof_session_next_columns(session, &item) )
        for ( size_t i = 0;
              item.kind == XENOPROF_ITEM_SAMPLES && i < item.u.samples.count;
              i++ )
            CHECK_EQ(item.u.samples.who[item.u.samples.whos[i]].thread.tid,
                     seen++ % 3);
    CHECK_EQ(seen, 100);
    xenoprof_session_close(session);
    kit_destroy(kit);
}

/* A reader takes the unit of time that the file says. */
TEST(times_are_stored_in_the_unit_that_was_asked_for)
{
    struct session_kit *kit = kit_create();

    xenoprof_writer_time_unit(kit->writer, 1000);
    kit_sample(kit, 123456789, 0);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    xenoprof_writer_time_unit(kit->writer, 1);
    kit_sample(kit, 123456790, 0);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    kit_text_is(kit,
                "sample 123456000 place 0 stack 0 period 1000000 marks 0 who 1 "
                "0 0 mode 1 weight 1\n"
                "sample 123456790 place 0 stack 0 period 1000000 marks 0 who 1 "
                "0 0 mode 1 weight 1\n"
                "end torn 0\n");
    kit_destroy(kit);
}

/* Stacks that share their callers are stored as their difference; what comes
 * back is whole, also in the next block. */
TEST(stacks_that_share_callers_come_back)
{
    struct session_kit *kit = kit_create();
    uint32_t places[6];
    char *text;

    for ( uint32_t i = 0; i < 6; i++ )
        kit_place(kit, 1, 1, 0x1000 + i, "f");
    for ( uint32_t leaf = 1; leaf <= 6; leaf++ )
    {
        for ( uint32_t i = 0; i < 6; i++ )
            places[i] = i < 2 ? leaf : i;
        KIT_OK(kit, xenoprof_writer_sample(
                        kit->writer, &(struct xenoprof_stored){.weight = 1},
                        places + leaf % 3, 6 - leaf % 2 - leaf % 3));
        if ( leaf == 3 )
            KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    }
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    text = kit_read(kit, kit->folder);
    /* Places are numbered as the file defines the nodes that have them, roots
     * first. */
    CHECK(strstr(text, "stack 1: 5 4 3 1\n"));
    CHECK(strstr(text, "stack 2: 4 3 1 2\n"));
    CHECK(strstr(text, "stack 3: 3 3 4 3 1\n"));
    CHECK(strstr(text, "stack 4: 1 4 3 1 2\n"));
    CHECK(strstr(text, "stack 5: 4 3 1\n"));
    CHECK(strstr(text, "stack 6: 6 6 4 3 1 2\n"));
    free(text);
    kit_destroy(kit);
}

#define MANY_PLACES 28u
#define MANY_CHAINS (MANY_PLACES * MANY_PLACES * MANY_PLACES)

/* Returns the number of a chain whose places have these numbers, from 1 on. */
static uint32_t chain_number(const uint32_t places[3])
{
    return ((places[0] - 1) * MANY_PLACES + places[1] - 1) * MANY_PLACES +
           places[2] - 1;
}

/* As its time, a sample has the number of its chain. */
static void check_many(struct session_kit *kit, unsigned int turns)
{
    static uint32_t chain_of[MANY_CHAINS + 1], place_at[MANY_PLACES + 1];
    struct xenoprof_session *session;
    struct xenoprof_item item;
    uint32_t samples = 0;

    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
        if ( item.kind == XENOPROF_ITEM_PLACE )
            place_at[item.u.place.number] = (uint32_t)
                                                item.u.place.place.address;
        else if ( item.kind == XENOPROF_ITEM_STACK )
        {
            const uint32_t *places = item.u.stack.places;

            CHECK_EQ(item.u.stack.count, 3);
            CHECK(item.u.stack.number <= MANY_CHAINS);
            chain_of[item.u.stack.number] = chain_number((uint32_t[3]){
                place_at[places[0]], place_at[places[1]], place_at[places[2]]});
        }
        else if ( item.kind == XENOPROF_ITEM_SAMPLE )
        {
            CHECK_EQ(chain_of[item.u.sample.stack], item.u.sample.time - 1);
            samples++;
        }
    CHECK_EQ(samples, turns * MANY_CHAINS);
    xenoprof_session_close(session);
}

/* More than a writer remembers at first, so that some make room for others, and
 * it remembers more. */
TEST(many_chains_come_back_each_time)
{
    struct session_kit *kit = kit_create();

    for ( uint32_t i = 1; i <= MANY_PLACES; i++ )
        CHECK_EQ(kit_place(kit, 1, 1, i, "f"), i);
    for ( uint32_t i = 0; i < 3 * MANY_CHAINS; i++ )
    {
        const uint32_t chain = i % MANY_CHAINS;
        const struct xenoprof_stored sample = {.time = chain + 1, .weight = 1};

        KIT_OK(kit, xenoprof_writer_sample(
                        kit->writer, &sample,
                        (uint32_t[3]){1 + chain / (MANY_PLACES * MANY_PLACES),
                                      1 + chain / MANY_PLACES % MANY_PLACES,
                                      1 + chain % MANY_PLACES},
                        3));
        if ( i % 30000 == 29999 )
            KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    }
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    check_many(kit, 3);
    kit_destroy(kit);
}

TEST(every_file_begins_with_what_is_known)
{
    struct session_kit *kit = kit_create();
    uint32_t place = kit_place(kit, 5, 1, 0x100, "f");
    struct xenoprof_stored sample = {.time = 7, .mode = 1, .weight = 1};

    kit_know(kit);
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    /* Its number was that of the file before. */
    CHECK_EQ(xenoprof_writer_sample(kit->writer, &sample, &place, 1),
             XENOPROF_INVALID);
    place = kit_place(kit, 5, 1, 0x100, "f");
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample,
                                       (uint32_t[]){place, place}, 2));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    kit_file_is(
        kit, 0,
        "attribute 1 sampler=nmi\nattribute 2 sampler=timer\n"
        "domain 3 5 09000000000000000000000000000000 web passive\n" KIT_KNOWN_RING
        "counters 4 0 0 0 5 0 0 0 0 lost\nend torn 0\n");
    kit_file_is(kit, 1,
                "domain 3 5 09000000000000000000000000000000 web passive\n"
                "attribute 2 sampler=timer\n"
                "place 1 who 5 1 at 100 vmlinux f 100\n"
                "stack 1: 1 1\n"
                "sample 7 place 1 stack 1 period 0 marks 0 who 0 0 0 mode 1 "
                "weight 1\n" KIT_KNOWN_RING
                "counters 4 0 0 0 5 0 0 0 0 lost\nend torn 0\n");
    kit_destroy(kit);
}

TEST(counters_at_time_zero_are_known_too)
{
    struct xenoprof_counters counters = {.made = 5};
    struct session_kit *kit = kit_create();

    KIT_OK(kit, xenoprof_writer_counters(kit->writer, 0, &counters));
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 0));
    kit_file_is(kit, 1,
                "counters 0 0 0 0 5 0 0 0 0 lost\nclosed 0\nend torn 0\n");
    kit_destroy(kit);
}
