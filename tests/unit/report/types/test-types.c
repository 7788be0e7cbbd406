/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of samples of several types one type is shown, and nothing of the others. */
#include <string.h>

#include "report/model/account.h"
#include "report/model/loaded.h"
#include "tests/harness.h"

#define EVENT XENOPROF_TYPE_EVENT

static const struct time_span all = {.from = 0, .to = UINT64_MAX};

static void name_event(struct loaded *loaded, uint16_t number, const char *name)
{
    const struct xenoprof_type type = {.name = name, .unit = "events"};

    types_name(&loaded->types, number, &type);
}

/* Returns its index. */
static uint32_t add_cell(struct loaded *loaded, uint8_t type, uint16_t pcpu,
                         uint32_t call, uint64_t samples, uint64_t ticks)
{
    const struct cell_key key = {
        .domain = 2, .call = call, .pcpu = pcpu, .type = type};
    struct cell *cell = call ? table_append(&loaded->cells, &key)
                             : table_put(&loaded->cells, &key);

    CHECK(cell);
    cell->samples = samples;
    cell->ticks = ticks;
    return (uint32_t)table_index(&loaded->cells, cell);
}

static void measure(struct loaded *loaded, uint16_t type, uint16_t pcpu,
                    uint64_t time, uint64_t enabled, uint64_t running)
{
    const struct time_span span = {.from = 10, .to = 20};
    const struct xenoprof_measured measured = {
        .type = type, .pcpu = pcpu, .enabled = enabled, .running = running};

    types_measured(&loaded->types, &span, time, &measured);
}

static enum exit_status choose(struct loaded *loaded, const char *wanted,
                               struct failure *failure)
{
    *failure = (struct failure){.status = STATUS_DONE};
    loaded->types.wanted = wanted;
    return types_choose(loaded, "here", failure);
}

TEST(time_is_shown_if_there_is_any_else_the_first_that_has_samples)
{
    struct failure failure;
    struct loaded loaded;

    loaded_init(&loaded);
    CHECK_EQ(choose(&loaded, NULL, &failure), STATUS_DONE);
    CHECK(types_is_time(&loaded.types));
    add_cell(&loaded, EVENT + 1, 0, 0, 0, 0);
    add_cell(&loaded, EVENT + 2, 0, 0, 1, 5);
    add_cell(&loaded, EVENT + 3, 0, 0, 9, 5);
    CHECK_EQ(choose(&loaded, NULL, &failure), STATUS_DONE);
    CHECK_EQ(loaded.types.shown, EVENT + 2);
    add_cell(&loaded, XENOPROF_TYPE_TIME, 0, 0, 1, 1);
    CHECK_EQ(choose(&loaded, NULL, &failure), STATUS_DONE);
    CHECK(types_is_time(&loaded.types));
    loaded_free(&loaded);
}

TEST(what_is_wanted_is_shown_or_it_is_said_what_there_is)
{
    struct failure failure;
    struct loaded loaded;

    loaded_init(&loaded);
    name_event(&loaded, EVENT, "cycles");
    name_event(&loaded, EVENT + 1, "never");
    CHECK_EQ(choose(&loaded, "time", &failure), STATUS_DONE);
    add_cell(&loaded, EVENT, 0, 0, 3, 3000);
    CHECK_EQ(choose(&loaded, "cycles", &failure), STATUS_DONE);
    CHECK_EQ(loaded.types.shown, EVENT);
    CHECK_EQ(types_shown(&loaded.types)->amount, 3000);
    CHECK_EQ(choose(&loaded, "never", &failure), STATUS_DONE);
    CHECK_EQ(loaded.types.shown, EVENT + 1);
    CHECK_EQ(choose(&loaded, "time", &failure), STATUS_USAGE);
    CHECK_TEXT(failure.text, "here has no samples of time: it has cycles");
    CHECK_EQ(choose(&loaded, "waiting", &failure), STATUS_USAGE);
    CHECK_EQ(choose(&loaded, "", &failure), STATUS_USAGE);
    loaded_free(&loaded);
}

TEST(nothing_is_left_of_other_types)
{
    struct failure failure;
    struct loaded loaded;
    uint32_t cells[4];

    loaded_init(&loaded);
    loaded.timeline.wanted = true;
    cells[0] = add_cell(&loaded, EVENT, 0, 0, 3, 30);
    cells[1] = add_cell(&loaded, XENOPROF_TYPE_TIME, 0, 1, 4, 40);
    cells[2] = add_cell(&loaded, XENOPROF_TYPE_WAITING, 0, 1, 5, 50);
    cells[3] = add_cell(&loaded, XENOPROF_TYPE_TIME, 0, 0, 6, 60);
    for ( uint32_t i = 0; i < 4; i++ )
        timeline_add(&loaded.timeline, 100 + i, cells[i]);
    CHECK_EQ(choose(&loaded, NULL, &failure), STATUS_DONE);
    types_keep(&loaded);
    CHECK_EQ(loaded.cells.count, 2);
    CHECK_EQ(loaded.timeline.count, 2);
    for ( uint32_t i = 0; i < 2; i++ )
    {
        const struct cell *cell = table_at(&loaded.cells, i);

        CHECK_EQ(cell->key.type, XENOPROF_TYPE_TIME);
        CHECK_EQ(cell->samples, 4 + 2 * i);
        CHECK_EQ(loaded.timeline.moments[i].cell, i);
    }
    /* Cells without a place are found again. */
    CHECK_EQ(add_cell(&loaded, XENOPROF_TYPE_TIME, 0, 0, 6, 60), 1);
    CHECK_EQ(loaded.types.type[EVENT].amount, 30);
    CHECK_EQ(loaded.types.type[XENOPROF_TYPE_WAITING].samples, 5);
    loaded_free(&loaded);
}

TEST(events_that_took_turns_are_scaled_on_each_pcpu)
{
    struct failure failure;
    struct loaded loaded;
    uint32_t cells[3];

    loaded_init(&loaded);
    for ( uint16_t pcpu = 0; pcpu < 3; pcpu++ )
        cells[pcpu] = add_cell(&loaded, EVENT, pcpu, 0, 1, 1000);
    measure(&loaded, EVENT, 0, 12, 100, 100);
    measure(&loaded, EVENT, 1, 12, 100, 50);
    measure(&loaded, EVENT, 1, 19, 100, 30);
    /* Out of the span, of another event, and never counted at all. */
    measure(&loaded, EVENT, 1, 9, 1000, 1);
    measure(&loaded, EVENT, 1, 20, 1000, 1);
    measure(&loaded, EVENT + 1, 0, 12, 1000, 1);
    measure(&loaded, EVENT, 2, 12, 100, 0);
    CHECK_EQ(choose(&loaded, NULL, &failure), STATUS_DONE);
    account_time(&loaded, &(struct join_rule){.any_vcpu = false});
    CHECK_EQ(((struct cell *)table_at(&loaded.cells, cells[0]))->time, 1000);
    CHECK_EQ(((struct cell *)table_at(&loaded.cells, cells[1]))->time, 2500);
    CHECK_EQ(((struct cell *)table_at(&loaded.cells, cells[2]))->time, 1000);
    CHECK_EQ(loaded.types.type[EVENT].amount, 4500);
    CHECK_EQ(loaded.cells.count, 3); /* nothing is idle */
    /* Whatever a session says, it is a number. */
    types_measured(
        &loaded.types, &all, 1,
        &(struct xenoprof_measured){
            .type = EVENT, .pcpu = 7, .enabled = UINT64_MAX, .running = 1});
    CHECK_EQ(types_scaled(&loaded.types, EVENT, 7, UINT64_MAX), UINT64_MAX / 2);
    loaded_free(&loaded);
}

TEST(where_no_times_are_known_turns_are_equal)
{
    struct failure failure;
    struct loaded loaded;
    const struct xenoprof_type type = {
        .name = "cycles", .unit = "cycles", .turns = 3};

    loaded_init(&loaded);
    types_name(&loaded.types, EVENT, &type);
    add_cell(&loaded, EVENT, 0, 0, 1, 1000);
    add_cell(&loaded, EVENT, 1, 0, 1, 1000);
    CHECK_EQ(choose(&loaded, NULL, &failure), STATUS_DONE);
    CHECK_EQ(loaded.types.type[EVENT].amount, 6000);
    /* Of one pCPU they are known. */
    measure(&loaded, EVENT, 1, 12, 100, 50);
    CHECK_EQ(choose(&loaded, NULL, &failure), STATUS_DONE);
    CHECK_EQ(loaded.types.type[EVENT].amount, 5000);
    loaded_free(&loaded);
}

TEST(names_are_words_that_a_terminal_can_show)
{
    struct loaded loaded;
    char long_name[200];

    loaded_init(&loaded);
    name_event(&loaded, EVENT, "a b\x1b[31m\xc2\x9b");
    CHECK_TEXT(loaded.types.type[EVENT].name, "a?b?[31m??");
    name_event(&loaded, EVENT + 1, "");
    CHECK_TEXT(loaded.types.type[EVENT + 1].name, "event-1");
    memset(long_name, 'n', sizeof(long_name));
    long_name[sizeof(long_name) - 1] = 0;
    name_event(&loaded, EVENT + 2, long_name);
    CHECK_EQ(strlen(loaded.types.type[EVENT + 2].name), TYPE_TEXT - 1);
    /* Time is what it is. */
    name_event(&loaded, XENOPROF_TYPE_TIME, "cycles");
    CHECK_TEXT(loaded.types.type[XENOPROF_TYPE_TIME].name, "time");
    loaded_free(&loaded);
}
