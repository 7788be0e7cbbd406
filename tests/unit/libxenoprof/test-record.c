/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every length and count of a record may lie; every byte is checked. */
#include <stdlib.h>
#include <string.h>

#include "tests/harness.h"
#include "tests/records/records.h"

/* A sample with all parts, whose bytes the cases then change. */
static uint64_t storage[XENOPROF_RECORD_MAX / 8 + 8];
static uint8_t *const bytes = (uint8_t *)storage;

static struct {
    struct xenoprof_chain head;
    uint64_t addresses[XENOPROF_CHAIN_MAX + 1];
} chain;
static struct {
    struct xenoprof_window head;
    uint8_t bytes[XENOPROF_RECORD_MAX];
} window;

static struct xenoprof_view whole(void)
{
    static const struct xenoprof_record head = {.kind = XENOPROF_RECORD_SAMPLE};
    static const struct xenoprof_sample sample = {.weight = 1, .time = 5};
    static const struct xenoprof_guest guest = {.mode = XENOPROF_MODE_USER};
    static const struct xenoprof_registers registers = {.r15 = 15};
    static const struct xenoprof_entry entry = {.kind = XENOPROF_ENTRY_SVM,
                                                .code = 0x7b};
    static const struct xenoprof_task task = {
        .list = 3,
        .stored = 48,
        .word = {~5ull, ~6ull, ~7ull, ~8ull, ~9ull, ~10ull}};
    static const struct xenoprof_event event = {.event = 3, .count = 100000};
    static const struct xenoprof_precise precise = {.ip = 5};

    chain.head.count = 2;
    window.head.length = 13;
    memset(window.bytes, 0xa5, sizeof(window.bytes));
    return (struct xenoprof_view){.head = &head,
                                  .sample = &sample,
                                  .guest = &guest,
                                  .registers = &registers,
                                  .entry = &entry,
                                  .task = &task,
                                  .event = &event,
                                  .precise = &precise,
                                  .xen_stack = &chain.head,
                                  .window = &window.head,
                                  .window2 = &window.head,
                                  .user_window = &window.head};
}

static size_t encode_whole(void)
{
    struct xenoprof_view view = whole();

    return record_encode(&view, bytes, sizeof(storage));
}

static enum xenoprof_status check(size_t size)
{
    struct xenoprof_view view;
    enum xenoprof_status status = xenoprof_record_check(bytes, size, &view);

    CHECK_EQ(!!view.head, status == XENOPROF_OK);
    return status;
}

TEST(a_sample_with_all_parts_is_valid)
{
    size_t size = encode_whole();
    struct xenoprof_view view;

    CHECK_EQ(size, 56 + 32 + 136 + 16 + 56 + 16 + 8 + 8 + 16 + 3 * (16 + 16));
    CHECK_EQ(xenoprof_record_check(bytes, size, &view), XENOPROF_OK);
    CHECK_EQ(view.head->parts, XENOPROF_PARTS_ALL);
    CHECK_EQ(view.sample->time, 5);
    CHECK_EQ(view.guest->mode, XENOPROF_MODE_USER);
    CHECK_EQ(view.registers->r15, 15);
    CHECK_EQ(view.entry->code, 0x7b);
    CHECK_EQ(view.task->word[5], ~10ull);
    CHECK_EQ(view.event->event, 3);
    CHECK_EQ(view.event->count, 100000);
    CHECK_EQ(view.xen_stack->count, 2);
    CHECK_EQ(view.window->length, 13);
    CHECK_EQ(view.window2->length, 13);
    CHECK_EQ(view.user_window->length, 13);
    CHECK(!view.lost);
}

TEST(each_set_of_parts_is_valid)
{
    for ( unsigned int parts = 0; parts <= XENOPROF_PARTS_ALL; parts++ )
    {
        struct xenoprof_view view = whole(), seen;
        size_t size;

        if ( !(parts & XENOPROF_PART_GUEST) )
            view.guest = NULL;
        if ( !(parts & XENOPROF_PART_REGISTERS) )
            view.registers = NULL;
        if ( !(parts & XENOPROF_PART_ENTRY) )
            view.entry = NULL;
        if ( !(parts & XENOPROF_PART_TASK) )
            view.task = NULL;
        if ( !(parts & XENOPROF_PART_EVENT) )
            view.event = NULL;
        if ( !(parts & XENOPROF_PART_PRECISE) )
            view.precise = NULL;
        if ( !(parts & XENOPROF_PART_XEN_STACK) )
            view.xen_stack = NULL;
        if ( !(parts & XENOPROF_PART_WINDOW) )
            view.window = NULL;
        if ( !(parts & XENOPROF_PART_WINDOW2) )
            view.window2 = NULL;
        if ( !(parts & XENOPROF_PART_USER_WINDOW) )
            view.user_window = NULL;
        size = record_encode(&view, bytes, sizeof(storage));
        CHECK_EQ(xenoprof_record_check(bytes, size, &seen), XENOPROF_OK);
        CHECK_EQ(seen.head->parts, parts);
    }
}

TEST(nothing_is_the_end)
{
    CHECK_EQ(check(0), XENOPROF_END);
}

TEST(a_record_cut_anywhere_is_invalid)
{
    size_t size = encode_whole();

    for ( size_t cut = 1; cut < size; cut++ )
    {
        /* Its own block, so that a sanitizer sees a read beyond it. */
        uint8_t *copy = malloc(cut);
        struct xenoprof_view view;

        memcpy(copy, bytes, cut);
        CHECK_EQ(xenoprof_record_check(copy, cut, &view), XENOPROF_INVALID);
        free(copy);
    }
}

TEST(a_length_that_lies_is_invalid)
{
    size_t size = encode_whole();
    struct xenoprof_record *head = (void *)bytes;
    const uint32_t lies[] = {0,        1,        4,          7,
                             size - 8, size - 1, size + 1,   size + 8,
                             32776,    1u << 31, 0xfffffff8u};

    for ( size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++ )
    {
        head->length = lies[i];
        CHECK_EQ(check(size), XENOPROF_INVALID);
    }
    head->length = size;
    CHECK_EQ(check(size), XENOPROF_OK);
}

/* Nothing else of such a record says where it ends. */
TEST(a_pad_that_is_longer_than_its_ring_has_bytes_is_invalid)
{
    struct xenoprof_record *head = (void *)bytes;

    *head = (struct xenoprof_record){.kind = XENOPROF_RECORD_PAD, .length = 64};
    CHECK_EQ(check(64), XENOPROF_OK);
    CHECK_EQ(check(56), XENOPROF_INVALID);
    CHECK_EQ(check(8), XENOPROF_INVALID);
}

TEST(parts_that_are_not_there_or_unknown_are_invalid)
{
    size_t size = encode_whole();
    struct xenoprof_record *head = (void *)bytes;

    for ( unsigned int parts = 0; parts < 0x10000; parts++ )
    {
        head->parts = parts;
        if ( parts != XENOPROF_PARTS_ALL )
            CHECK_EQ(check(size), XENOPROF_INVALID);
    }
}

TEST(a_chain_count_that_lies_is_invalid)
{
    size_t size = encode_whole();
    struct xenoprof_chain *found = (void *)(bytes + 56 + 32 + 136 + 16 + 56 +
                                            16 + 8);

    CHECK_EQ(found->count, 2);
    for ( uint32_t i = 0; i < 100; i++ )
    {
        found->count = i;
        if ( i != 2 )
            CHECK_EQ(check(size), XENOPROF_INVALID);
    }
    found->count = 0x20000002;
    CHECK_EQ(check(size), XENOPROF_INVALID);
    found->count = ~0u;
    CHECK_EQ(check(size), XENOPROF_INVALID);
}

TEST(a_window_length_that_lies_is_invalid)
{
    size_t size = encode_whole();
    struct xenoprof_window *found = (void *)(bytes + 56 + 32 + 136 + 16 + 56 +
                                             16 + 8 + 24);
    const uint32_t lies[] = {0, 8, 17, 48, 1u << 20, 0xfffffff9u, ~0u};

    CHECK_EQ(found->length, 13);
    for ( size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++ )
    {
        found->length = lies[i];
        CHECK_EQ(check(size), XENOPROF_INVALID);
    }
}

TEST(a_window_is_filled_up_with_zeroes)
{
    size_t size = encode_whole();

    bytes[size - 1] = 1;
    CHECK_EQ(check(size), XENOPROF_INVALID);
}

TEST(values_that_others_index_by_are_bounded)
{
    size_t size = encode_whole();
    struct xenoprof_sample *sample = (void *)bytes;
    struct xenoprof_guest *guest = (void *)(sample + 1);
    struct xenoprof_lost lost = {
        .head = {.kind = XENOPROF_RECORD_LOST, .length = sizeof(lost)}};

    sample->mode = XENOPROF_MODES;
    CHECK_EQ(check(size), XENOPROF_INVALID);
    sample->mode = 0;
    sample->weight = 0;
    CHECK_EQ(check(size), XENOPROF_INVALID);
    sample->weight = 1;
    guest->mode = XENOPROF_MODE_XEN;
    CHECK_EQ(check(size), XENOPROF_INVALID);
    lost.cause = XENOPROF_CAUSES;
    memcpy(bytes, &lost, sizeof(lost));
    CHECK_EQ(check(sizeof(lost)), XENOPROF_INVALID);
    lost.cause = XENOPROF_CAUSES - 1;
    memcpy(bytes, &lost, sizeof(lost));
    CHECK_EQ(check(sizeof(lost)), XENOPROF_OK);
}

TEST(an_entry_is_of_a_kind_that_is_known)
{
    size_t size = encode_whole();
    struct xenoprof_entry *entry = (void *)(bytes + 56 + 32 + 136);

    CHECK_EQ(entry->code, 0x7b);
    for ( unsigned int kind = 0; kind < 256; kind++ )
    {
        entry->kind = kind;
        CHECK_EQ(check(size) == XENOPROF_OK,
                 kind && kind < XENOPROF_ENTRY_KINDS);
    }
    entry->kind = XENOPROF_ENTRY_VMX;
    for ( unsigned int flags = 0; flags < 256; flags++ )
    {
        entry->flags = flags;
        CHECK_EQ(check(size) == XENOPROF_OK, flags <= XENOPROF_ENTRY_FLAGS);
    }
    entry->flags = XENOPROF_ENTRY_FLAGS;
    entry->code = ~0u;
    entry->detail = ~0ull;
    CHECK_EQ(check(size), XENOPROF_OK);
}

TEST(a_wait_has_a_state_that_there_is)
{
    struct xenoprof_wait *wait = (void *)bytes;
    struct xenoprof_view view;

    *wait = (struct xenoprof_wait){
        .head = {.kind = XENOPROF_RECORD_WAIT, .length = sizeof(*wait)},
        .state = XENOPROF_OFFLINE,
        .times = {1, 2, 3, 4},
    };
    CHECK_EQ(xenoprof_record_check(bytes, sizeof(*wait), &view), XENOPROF_OK);
    CHECK(view.wait == wait && !view.sample && !view.lost);
    wait->state = XENOPROF_RUNSTATES;
    CHECK_EQ(check(sizeof(*wait)), XENOPROF_INVALID);
    wait->state = 0;
    wait->reserved = 1;
    CHECK_EQ(check(sizeof(*wait)), XENOPROF_INVALID);
    wait->reserved = 0;
    wait->head.parts = 1;
    CHECK_EQ(check(sizeof(*wait)), XENOPROF_INVALID);
    wait->head.parts = 0;
    wait->head.length += 8;
    CHECK_EQ(check(sizeof(*wait) + 8), XENOPROF_INVALID);
}

TEST(an_event_is_counted_no_longer_than_its_pcpu_works)
{
    struct xenoprof_counted *counted = (void *)bytes;
    struct xenoprof_view view;

    *counted = (struct xenoprof_counted){
        .head = {.kind = XENOPROF_RECORD_COUNTED, .length = sizeof(*counted)},
        .event = XENOPROF_EVENTS_MAX - 1,
        .enabled = 5,
        .running = 5,
    };
    CHECK_EQ(xenoprof_record_check(bytes, sizeof(*counted), &view),
             XENOPROF_OK);
    CHECK(view.counted == counted && !view.sample && !view.wait);
    counted->running++;
    CHECK_EQ(check(sizeof(*counted)), XENOPROF_INVALID);
    counted->running = 0;
    counted->event++;
    CHECK_EQ(check(sizeof(*counted)), XENOPROF_INVALID);
    counted->event = 0;
    counted->reserved = 1;
    CHECK_EQ(check(sizeof(*counted)), XENOPROF_INVALID);
    counted->reserved = 0;
    counted->head.parts = 1;
    CHECK_EQ(check(sizeof(*counted)), XENOPROF_INVALID);
    counted->head.parts = 0;
    counted->head.length += 8;
    CHECK_EQ(check(sizeof(*counted) + 8), XENOPROF_INVALID);
}

TEST(an_event_has_a_number_and_a_count)
{
    size_t size = encode_whole();
    struct xenoprof_event *event = (void *)(bytes + 56 + 32 + 136 + 16 + 56);

    CHECK_EQ(event->event, 3);
    for ( unsigned int number = 0; number < 0x10000; number++ )
    {
        event->event = number;
        CHECK_EQ(check(size) == XENOPROF_OK, number < XENOPROF_EVENTS_MAX);
    }
    event->event = 3;
    event->count = 0;
    CHECK_EQ(check(size), XENOPROF_INVALID);
    event->count = ~0ull;
    CHECK_EQ(check(size), XENOPROF_OK);
    event->flags = 1;
    CHECK_EQ(check(size), XENOPROF_INVALID);
}

TEST(a_task_is_of_a_list_and_stores_what_it_has_room_for)
{
    size_t size = encode_whole();
    struct xenoprof_task *task = (void *)(bytes + 56 + 32 + 136 + 16);

    CHECK_EQ(task->list, 3);
    for ( unsigned int stored = 0; stored < 256; stored++ )
    {
        task->stored = stored;
        CHECK_EQ(check(size) == XENOPROF_OK, stored <= 48 && stored % 8 == 0);
    }
    task->stored = 32;
    task->failed = 0xff;
    CHECK_EQ(check(size), XENOPROF_OK);
    task->list = 0;
    CHECK_EQ(check(size), XENOPROF_INVALID);
}

TEST(an_unknown_kind_is_valid_and_says_nothing)
{
    struct xenoprof_record *head = (void *)bytes;
    struct xenoprof_view view;

    *head = (struct xenoprof_record){.kind = 999, .parts = 7, .length = 24};
    CHECK_EQ(xenoprof_record_check(bytes, 64, &view), XENOPROF_OK);
    CHECK_EQ(view.head->length, 24);
    CHECK(!view.sample && !view.lost && !view.window);
}

TEST(what_does_not_fit_is_not_encoded)
{
    struct xenoprof_view view = whole();
    size_t size = encode_whole();

    CHECK_EQ(record_encode(&view, bytes, size - 1), 0);
    CHECK_EQ(record_encode(&view, bytes, 0), 0);
    window.head.length = XENOPROF_RECORD_MAX;
    CHECK_EQ(record_encode(&view, bytes, sizeof(storage)), 0);
}
