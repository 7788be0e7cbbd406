/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be opened as a session, and a session that grows meanwhile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session-kit.h"

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

static void no_session(struct session_kit *kit, const char *path,
                       enum xenoprof_status status)
{
    struct kit_counts counts;

    kit_count(kit, path, &counts);
    CHECK_EQ(counts.open, status);
    CHECK(strstr(xenoprof_message(kit->handle), path));
}

TEST(what_is_no_session_is_refused)
{
    struct session_kit *kit = kit_create();

    no_session(kit, "/nowhere/at/all", XENOPROF_SYSTEM);
    no_session(kit, "/proc/self/exe", XENOPROF_INVALID);
    no_session(kit, "/proc/self", XENOPROF_INVALID);
    kit_destroy(kit);
}

TEST(one_file_can_be_read_alone)
{
    struct session_kit *kit = kit_create_files();
    struct kit_counts counts;

    kit_count(kit, kit_file(kit, 1), &counts);
    CHECK_EQ(counts.open, XENOPROF_OK);
    CHECK_EQ(counts.damages, 0);
    CHECK_EQ(counts.samples, 1);
    CHECK_EQ(counts.last_time, 2);
    kit_destroy(kit);
}

/* What a reader of single samples said of stacks. */
struct stored_stacks {
    uint32_t places[256][16];
    size_t counts[256];
};

static void note_stack(struct stored_stacks *said,
                       const struct xenoprof_item *item)
{
    CHECK(item->u.stack.number < 256 && item->u.stack.count <= 16);
    said->counts[item->u.stack.number] = item->u.stack.count;
    memcpy(said->places[item->u.stack.number], item->u.stack.places,
           item->u.stack.count * sizeof(uint32_t));
}

/* Items without stacks. */
static enum xenoprof_status next_but_stacks(struct xenoprof_session *session,
                                            struct stored_stacks *said,
                                            struct xenoprof_item *ret)
{
    enum xenoprof_status status = xenoprof_session_next(session, ret);

    while ( !status && ret->kind == XENOPROF_ITEM_STACK )
    {
        note_stack(said, ret);
        status = xenoprof_session_next(session, ret);
    }
    return status;
}

/* A chain of nodes is a stack; without a stack it is its place. */
static void same_chain(const struct stored_stacks *said,
                       const struct xenoprof_samples *samples,
                       const struct xenoprof_call *call, uint32_t stack)
{
    size_t at = 0;

    for ( unsigned int i = 0; i < XENOPROF_CHAINS; i++ )
        for ( uint32_t node = call->nodes[i]; node;
              node = samples->node[node - 1].parent )
        {
            CHECK(node <= samples->node_count && at < 16);
            CHECK_EQ(samples->node[node - 1].place,
                     stack ? said->places[stack][at] : call->place);
            at++;
        }
    CHECK_EQ(at, stack ? said->counts[stack] : at != 0);
}

/* The next item of a reader of single samples is this; leaves: stacks are only
 * said to be there, and times are not. */
static void same_sample(struct session_kit *kit,
                        struct xenoprof_session *session,
                        struct stored_stacks *said,
                        const struct xenoprof_samples *samples, size_t row,
                        bool leaves)
{
    const struct xenoprof_who *who = &samples->who[samples->whos[row]];
    const struct xenoprof_call *call = &samples->call[samples->calls[row]];
    struct xenoprof_item item;

    KIT_OK(kit, next_but_stacks(session, said, &item));
    CHECK_EQ(item.kind, XENOPROF_ITEM_SAMPLE);
    CHECK(item.u.sample.time >= samples->first);
    CHECK(item.u.sample.time <= samples->last);
    if ( leaves )
        CHECK(!samples->times);
    else
        CHECK_EQ(item.u.sample.time, samples->times[row]);
    CHECK_EQ(item.u.sample.place, call->place);
    CHECK_EQ(item.u.sample.stack != 0, call->stack);
    if ( !leaves )
        same_chain(said, samples, call, item.u.sample.stack);
    CHECK_EQ(item.u.sample.domain, who->domain);
    CHECK_EQ(item.u.sample.vcpu, who->vcpu);
    CHECK_EQ(item.u.sample.pcpu, who->pcpu);
    CHECK_EQ(item.u.sample.mode, who->mode);
    CHECK_EQ(item.u.sample.weight, who->weight);
    CHECK_EQ(item.u.sample.marks, who->marks);
    CHECK_EQ(item.u.sample.period, who->period);
    CHECK_EQ(item.u.sample.type, who->type);
    CHECK_EQ(item.u.sample.count, who->count);
}

/* Returns how many samples came in columns. */
static size_t same_in_columns(struct session_kit *kit, const char *path,
                              bool leaves)
{
    static struct stored_stacks said;
    struct xenoprof_session *one, *columns;
    struct xenoprof_item item, other;
    enum xenoprof_status status;
    size_t samples = 0;

    KIT_OK(kit, xenoprof_session_open(kit->handle, path, &one));
    KIT_OK(kit, xenoprof_session_open(kit->handle, path, &columns));
    if ( leaves )
    {
        xenoprof_session_leaves_only(columns);
        xenoprof_session_without_times(columns);
    }
    do
    {
        status = xenoprof_session_next_columns(columns, &item);
        CHECK(item.kind != XENOPROF_ITEM_SAMPLE || status);
        if ( !status && item.kind == XENOPROF_ITEM_SAMPLES )
        {
            for ( size_t i = 0; i < item.u.samples.count; i++ )
                same_sample(kit, one, &said, &item.u.samples, i, leaves);
            samples += item.u.samples.count;
            continue;
        }
        CHECK_EQ(next_but_stacks(one, &said, &other), status);
        if ( !status )
            CHECK_EQ(other.kind, item.kind);
    } while ( status == XENOPROF_OK || status == XENOPROF_DAMAGED );
    CHECK_EQ(status, XENOPROF_END);
    CHECK_EQ(xenoprof_session_torn(one), xenoprof_session_torn(columns));
    xenoprof_session_close(one);
    xenoprof_session_close(columns);
    return samples;
}

TEST(columns_say_what_single_samples_say)
{
    struct session_kit *kit = kit_create();
    uint32_t places[3];

    for ( uint32_t i = 0; i < 3; i++ )
        places[i] = kit_place(kit, 1, 1, 0x100 + i, NULL);
    for ( uint64_t i = 0; i < 1000; i++ )
    {
        const uint8_t uuid[16] = {(uint8_t)(i / 90)};
        const struct xenoprof_stored sample = {.time = 1000 + i,
                                               .place = places[i % 3],
                                               .domain = (uint16_t)(i % 2),
                                               .vcpu = (uint16_t)(i % 4),
                                               .mode = 1,
                                               .weight = 1,
                                               .period = 1000000};

        /* Numbers become other domains', also within a block. */
        KIT_OK(kit, xenoprof_writer_domain(kit->writer, 1000 + i, i % 2, uuid,
                                           "guest", "passive"));
        KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, places + i % 3,
                                           3 - i % 3));
        if ( i % 200 == 199 )
            KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    }
    CHECK_EQ(same_in_columns(kit, kit->folder, false), 1000);
    CHECK_EQ(same_in_columns(kit, kit->folder, true), 1000);
    kit_destroy(kit);
}

/* A table by number would be far larger than the block. */
TEST(whose_samples_are_is_found_where_numbers_are_far_apart)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_session *session;
    struct xenoprof_item item;
    uint32_t place = kit_place(kit, 1, 1, 0x100, NULL);

    kit_know(kit);
    for ( unsigned int i = 0; i < 100; i++ )
    {
        const struct xenoprof_stored sample = {
            .time = 1000 + i,
            .place = place,
            .vcpu = (uint16_t)(i % 7),
            .pcpu = (uint16_t)(i % 3 * 20000),
            .mode = 1,
            .weight = 1,
            .period = 1000000};

        KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, &place, 1));
    }
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    do
        KIT_OK(kit, xenoprof_session_next_columns(session, &item));
    while ( item.kind != XENOPROF_ITEM_SAMPLES );
    CHECK_EQ(item.u.samples.count, 100);
    for ( unsigned int i = 0; i < 100; i++ )
    {
        const struct xenoprof_who *who =
            &item.u.samples.who[item.u.samples.whos[i]];
        /* They come in an order of their own. */
        const uint64_t at = item.u.samples.times[i] - 1000;

        CHECK_EQ(who->vcpu, at % 7);
        CHECK_EQ(who->pcpu, at % 3 * 20000);
    }
    xenoprof_session_close(session);
    kit_destroy(kit);
}

/* What was called from three places is one call, and another one where nobody
 * called it. */
TEST(leaves_are_told_apart_by_place_and_by_having_a_caller)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_session *session;
    struct xenoprof_item item;
    uint32_t places[4];

    for ( uint32_t i = 0; i < 4; i++ )
        places[i] = kit_place(kit, 1, 1, 0x100 + i, NULL);
    for ( uint32_t i = 0; i < 8; i++ )
    {
        const uint32_t chain[2] = {places[0], places[1 + i % 3]};
        const struct xenoprof_stored sample = {.time = 1000 + i,
                                               .place = places[0],
                                               .domain = 1,
                                               .mode = 1,
                                               .weight = 1,
                                               .period = 1000000};

        KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, chain,
                                           i < 6 ? 2 : 1));
    }
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    xenoprof_session_leaves_only(session);
    do
        KIT_OK(kit, xenoprof_session_next_columns(session, &item));
    while ( item.kind != XENOPROF_ITEM_SAMPLES );
    CHECK_EQ(item.u.samples.count, 8);
    CHECK_EQ(item.u.samples.call_count, 2);
    for ( uint32_t i = 0; i < 8; i++ )
        CHECK_EQ(item.u.samples.call[item.u.samples.calls[i]].stack, i < 6);
    CHECK_EQ(xenoprof_session_next(session, &item), XENOPROF_INVALID);
    CHECK_EQ(xenoprof_session_next_columns(session, &item), XENOPROF_END);
    xenoprof_session_close(session);
    kit_destroy(kit);
}

/* Of place 2 all pass, but to place 0, which is of another mode. */
TEST(leaves_that_pass_count_for_their_callers)
{
    /* What ran, who called it (4: nobody), and what that counts for. */
    static const uint32_t wanted[][3] = {
        {0, 4, 0}, {2, 1, 1}, {2, 4, 2}, {2, 0, 2}, {1, 2, 1}};
    struct session_kit *kit = kit_create();
    struct xenoprof_session *session;
    const struct xenoprof_call *call;
    struct xenoprof_item item;
    uint32_t places[3];

    for ( uint8_t i = 0; i < 3; i++ )
        places[i] = kit_place(kit, 1, i ? 1 : 2, 0x100u + i, NULL);
    for ( uint32_t i = 0; i < 5; i++ )
    {
        const uint32_t *of = wanted[i];
        const uint32_t chain[2] = {places[of[0]], places[of[1] % 4]};
        const struct xenoprof_stored sample = {.time = 1000 + i,
                                               .place = chain[0],
                                               .domain = 1,
                                               .mode = of[0] ? 1 : 2,
                                               .weight = 1,
                                               .period = 1000000};

        KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, chain,
                                           of[1] == 4 ? 1 : 2));
    }
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    xenoprof_session_leaves_only(session);
    do
    {
        KIT_OK(kit, xenoprof_session_next_columns(session, &item));
        if ( item.kind == XENOPROF_ITEM_PLACE &&
             item.u.place.place.address == 0x102 )
            KIT_OK(kit,
                   xenoprof_session_leaf_passes(session, item.u.place.number));
        if ( item.kind == XENOPROF_ITEM_PLACE )
            places[item.u.place.place.address - 0x100] = item.u.place.number;
    } while ( item.kind != XENOPROF_ITEM_SAMPLES );
    CHECK_EQ(item.u.samples.count, 5);
    for ( uint32_t i = 0; i < 5; i++ )
    {
        const uint64_t of = item.u.samples.times[i] - 1000;

        call = &item.u.samples.call[item.u.samples.calls[i]];
        CHECK_EQ(call->place, places[wanted[of][2]]);
        CHECK_EQ(call->stack, wanted[of][1] != 4);
    }
    xenoprof_session_close(session);
    kit_destroy(kit);
}

/* Samples of some functions, in two domains' kernels and in Xen; a file
 * each turn. */
static void write_functions(struct session_kit *kit, unsigned int turns)
{
    static const uint8_t modes[] = {XENOPROF_MODE_KERNEL, XENOPROF_MODE_XEN};

    for ( uint32_t i = 0; i < 24 * turns; i++ )
    {
        /* Places 0x100 to 0x10f are one function's, and so on. */
        const uint64_t address = 0x100 + 16 * (i / 4 % 2) + i % 3;
        const uint32_t place = kit_place(kit, i % 2, modes[i / 8 % 2], address,
                                         address & 16 ? "two" : "one");
        const struct xenoprof_stored sample = {.time = 1000 + i,
                                               .domain = i % 2,
                                               .mode = modes[i / 8 % 2],
                                               .weight = 1,
                                               .period = 1000000};

        KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, &place, 1));
        if ( i % 24 == 23 )
            KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    }
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
}

TEST(places_of_one_function_are_one_in_all_files)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_place places[5] = {{.domain = 0}};
    struct xenoprof_session *session;
    struct xenoprof_item item;
    size_t count = 0, samples = 0;

    write_functions(kit, 3);
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    xenoprof_session_leaves_only(session);
    xenoprof_session_functions_only(session);
    while ( !xenoprof_session_next_columns(session, &item) )
        if ( item.kind == XENOPROF_ITEM_PLACE )
        {
            CHECK_EQ(item.u.place.number, ++count);
            CHECK(count <= 4); /* two functions in two modes */
            places[count] = item.u.place.place;
            CHECK_TEXT(places[count].symbol,
                       places[count].address & 16 ? "two" : "one");
            places[count].symbol = NULL;
        }
        else if ( item.kind == XENOPROF_ITEM_SAMPLES )
        {
            CHECK(item.u.samples.call_count <= 4);
            for ( size_t i = 0; i < item.u.samples.count; i++ )
            {
                const struct xenoprof_who *who =
                    &item.u.samples.who[item.u.samples.whos[i]];
                const uint64_t at = item.u.samples.times[i] - 1000;
                const struct xenoprof_place *place =
                    &places[item.u.samples.call[item.u.samples.calls[i]].place];

                CHECK_EQ(place->mode, who->mode);
                CHECK_EQ(place->symbol_start, 0x100 + 16 * (at / 4 % 2));
                samples++;
            }
        }
    CHECK_EQ(count, 4);
    CHECK_EQ(samples, 72);
    xenoprof_session_close(session);
    kit_destroy(kit);
}

/* Which places were items, and how often it was asked. */
struct kinds {
    uint32_t named, asked;
    uint32_t file;
    uint32_t of_domain, of_none; /* whose places these were */
};

/* The kind of a node is how many called it, and 1; of none more than 2. */
static bool kinds_of(void *argument, uint32_t file,
                     const struct xenoprof_kind_node *nodes, size_t count,
                     uint32_t *ret)
{
    struct kinds *kinds = argument;

    CHECK(file >= kinds->file);
    kinds->file = file;
    for ( size_t i = 0; i < count; i++ )
    {
        CHECK(nodes[i].place && nodes[i].place <= kinds->named);
        kinds->of_domain += nodes[i].domain == 1;
        kinds->of_none += nodes[i].domain == XENOPROF_NOBODY;
        CHECK(nodes[i].parent <= 3);
        ret[i] = nodes[i].parent < 3 ? nodes[i].parent + 1 : 3;
    }
    kinds->asked += (uint32_t)count;
    return true;
}

static bool no_kinds(void *argument, uint32_t file,
                     const struct xenoprof_kind_node *nodes, size_t count,
                     uint32_t *ret)
{
    kinds_of(argument, file, nodes, count, ret);
    return false;
}

/* Stacks of a kernel of one to eight frames, and of Xen on that; a file each
 * turn. */
static void write_deep(struct session_kit *kit, unsigned int turns)
{
    uint32_t chain[9];

    for ( uint32_t i = 0; i < 16 * turns; i++ )
    {
        const uint32_t depth = 1 + i % 8, xen = i / 8 % 2;
        const struct xenoprof_stored sample = {
            .time = 1000 + i,
            .domain = 1,
            .mode = xen ? XENOPROF_MODE_XEN : XENOPROF_MODE_KERNEL,
            .weight = 1,
            .period = 1000000};

        for ( uint32_t j = 0; j < xen + depth; j++ )
            chain[j] = kit_place(
                kit, 1, j < xen ? XENOPROF_MODE_XEN : XENOPROF_MODE_KERNEL,
                0x100 + j, NULL);
        KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, chain,
                                           xen + depth));
        if ( i % 16 == 15 )
            KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    }
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
}

TEST(nodes_of_a_kind_are_one)
{
    struct session_kit *kit = kit_create();
    struct kinds kinds = {.named = 0};
    struct xenoprof_session *session;
    struct xenoprof_item item;
    size_t samples = 0;

    write_deep(kit, 2);
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    xenoprof_session_kinds_only(session, kinds_of, &kinds);
    while ( !xenoprof_session_next_columns(session, &item) )
    {
        if ( item.kind == XENOPROF_ITEM_PLACE )
            CHECK_EQ(item.u.place.number, ++kinds.named);
        if ( item.kind != XENOPROF_ITEM_SAMPLES )
            continue;
        CHECK_EQ(item.u.samples.node_count, 0);
        CHECK_EQ(item.u.samples.call_count, 6);
        for ( size_t i = 0; i < item.u.samples.count; i++, samples++ )
        {
            const struct xenoprof_call *call =
                &item.u.samples.call[item.u.samples.calls[i]];
            const uint64_t at = item.u.samples.times[i] - 1000;

            CHECK_EQ(call->nodes[0], at / 8 % 2);
            CHECK_EQ(call->nodes[1], at % 8 < 2 ? 1 + at % 8 : 3);
            CHECK_EQ(call->nodes[2], 0);
            CHECK_EQ(call->stack, at / 8 % 2);
        }
    }
    CHECK_EQ(samples, 32);
    CHECK(kinds.asked >= 2 * 9); /* of each file anew */
    CHECK_EQ(kinds.of_none, 2);  /* Xen's */
    CHECK_EQ(kinds.of_domain, kinds.asked - 2);
    CHECK(kinds.file);
    xenoprof_session_close(session);
    kit_destroy(kit);
}

TEST(who_says_no_kind_has_no_memory)
{
    struct session_kit *kit = kit_create();
    struct kinds kinds = {.named = UINT32_MAX};
    struct xenoprof_session *session;
    enum xenoprof_status status;
    struct xenoprof_item item;

    write_deep(kit, 1);
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    xenoprof_session_kinds_only(session, no_kinds, &kinds);
    do
        status = xenoprof_session_next_columns(session, &item);
    while ( !status );
    CHECK_EQ(status, XENOPROF_NO_MEMORY);
    CHECK_EQ(kinds.asked, 1);
    xenoprof_session_close(session);
    kit_destroy(kit);
}

/* What was met before it had its name gets it; other addresses of the function
 * are a place of their own, of the same name, and so is all of it in files that
 * come after that. */
TEST(a_place_that_gets_its_name_late_is_its_function_from_then_on)
{
    static const size_t calls[] = {1, 2, 1};
    struct session_kit *kit = kit_create();
    struct xenoprof_session *session;
    struct xenoprof_item item;
    uint32_t first = 0, named = 0;
    unsigned int files = 0;

    kit_sample(kit, 1000, kit_place(kit, 1, XENOPROF_MODE_KERNEL, 0x105, NULL));
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    kit_sample(kit, 1001, kit_place(kit, 1, XENOPROF_MODE_KERNEL, 0x105, "f"));
    kit_sample(kit, 1002, kit_place(kit, 1, XENOPROF_MODE_KERNEL, 0x106, "f"));
    kit_sample(kit, 1003, kit_place(kit, 1, XENOPROF_MODE_KERNEL, 0x107, "f"));
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    kit_sample(kit, 1004, kit_place(kit, 1, XENOPROF_MODE_KERNEL, 0x105, "f"));
    kit_sample(kit, 1005, kit_place(kit, 1, XENOPROF_MODE_KERNEL, 0x106, "f"));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    xenoprof_session_leaves_only(session);
    xenoprof_session_functions_only(session);
    while ( !xenoprof_session_next_columns(session, &item) )
        if ( item.kind == XENOPROF_ITEM_PLACE && !first )
            first = item.u.place.number;
        else if ( item.kind == XENOPROF_ITEM_PLACE &&
                  item.u.place.number == first )
        {
            CHECK_TEXT(item.u.place.place.symbol, "f");
            named++;
        }
        else if ( item.kind == XENOPROF_ITEM_SAMPLES )
        {
            CHECK(files < 3);
            CHECK_EQ(item.u.samples.call_count, calls[files]);
            files++;
        }
    CHECK_EQ(files, 3);
    CHECK_EQ(named, 1);
    xenoprof_session_close(session);
    kit_destroy(kit);
}

/* Samples of two domains' vCPUs on many pCPUs. */
static void write_everywhere(struct session_kit *kit, uint16_t type)
{
    uint32_t place = kit_place(kit, 1, 1, 0x100, NULL);

    for ( unsigned int i = 0; i < 100; i++ )
    {
        const struct xenoprof_stored sample = {.time = 1000 + i,
                                               .place = place,
                                               .domain = (uint16_t)(i % 2),
                                               .vcpu = (uint16_t)(1 + i % 7),
                                               .pcpu = (uint16_t)(i % 23),
                                               .mode = 1,
                                               .weight = 1,
                                               .period = 1000000,
                                               .type = i % 10 ? 0 : type};

        KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, &place, 1));
        if ( i % 50 == 49 )
            KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    }
}

/* From the second block on where samples ran is apart, if they are of time. */
static void read_everywhere(struct session_kit *kit, bool apart, bool leaves)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    size_t blocks = 0;

    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    if ( leaves )
        xenoprof_session_leaves_only(session);
    while ( !xenoprof_session_next_columns(session, &item) )
    {
        const struct xenoprof_samples *samples = &item.u.samples;

        if ( item.kind != XENOPROF_ITEM_SAMPLES )
            continue;
        CHECK_EQ(samples->vcpus && samples->pcpus, apart && blocks);
        for ( size_t i = 0; i < samples->count; i++ )
        {
            const struct xenoprof_who *who = &samples->who[samples->whos[i]];
            const uint64_t at = samples->times[i] - 1000;

            CHECK_EQ(samples->vcpus ? samples->vcpus[i] : who->vcpu,
                     1 + at % 7);
            CHECK_EQ(samples->pcpus ? samples->pcpus[i] : who->pcpu, at % 23);
            CHECK(!samples->vcpus || (!who->vcpu && !who->pcpu));
            CHECK_EQ(who->domain, at % 2);
            /* One for each domain, and those of the block before. */
            CHECK(!samples->vcpus ||
                  samples->whos[i] + 2 >= samples->who_count);
        }
        xenoprof_session_pcpus_apart(session);
        blocks++;
    }
    CHECK_EQ(blocks, 2);
    xenoprof_session_close(session);
}

TEST(where_samples_ran_comes_apart)
{
    struct session_kit *kit = kit_create();

    write_everywhere(kit, XENOPROF_TYPE_TIME);
    read_everywhere(kit, true, false);
    read_everywhere(kit, true, true);
    kit_destroy(kit);
}

TEST(where_samples_of_other_types_ran_does_not_come_apart)
{
    struct session_kit *kit = kit_create();

    write_everywhere(kit, XENOPROF_TYPE_WAITING);
    read_everywhere(kit, false, false);
    kit_destroy(kit);
}
