/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/cells/join-cells.h"
#include "report/model/tree.h"
#include "tests/harness.h"

#include <stdlib.h>

#define CELLS 6u

/* Reports of long sessions have millions of each: doc/engine.md. */
TEST(what_there_are_millions_of_is_small)
{
    CHECK(CELL_COUNTED <= 64);
    CHECK(CELL_CHAINED <= 72);
    CHECK(sizeof(struct cell) <= 88);
    CHECK(sizeof(struct moment) <= 8);
    CHECK(sizeof(struct node) <= 32);
    CHECK(sizeof(struct chain) <= 12);
}

/* Of two calls, each on three pCPUs and as many vCPUs; times are powers of two.
 */
static void begin(struct loaded *loaded)
{
    loaded_init(loaded);
    cells_begin(loaded);
    for ( uint32_t i = 0; i < CELLS; i++ )
    {
        const struct loaded_call call = {.key = {.place = 1 + i % 2}};
        const struct cell_key key = {.domain = 2,
                                     .call = loaded_call(loaded, &call),
                                     .vcpu = (uint16_t)(i / 2),
                                     .pcpu = (uint16_t)(i / 2)};
        struct cell *cell = table_put(&loaded->cells, &key);

        CHECK(cell);
        cell->samples = i + 1;
        cell->ticks = 10 * cell->samples;
        cell->time = 1u << i;
    }
}

static const struct cell *cell_at(const struct loaded *loaded, size_t index)
{
    return table_at(&loaded->cells, index);
}

TEST(in_the_end_all_become_one)
{
    const struct join_rule rule = {true, true, false};
    struct loaded loaded;

    begin(&loaded);
    join_cells_last(&loaded, &rule);
    CHECK_EQ(loaded.cells.count, 2);
    CHECK_EQ(cell_at(&loaded, 0)->time, 1 + 4 + 16);
    CHECK_EQ(cell_at(&loaded, 1)->time, 2 + 8 + 32);
    CHECK_EQ(loaded.cells.entry_size, CELL_CHAINED);
    cells_make_whole(&loaded);
    CHECK_EQ(loaded.cells.entry_size, sizeof(struct cell));
    CHECK_EQ(cell_at(&loaded, 1)->time, 2 + 8 + 32);
    CHECK(!cell_at(&loaded, 1)->name && !cell_at(&loaded, 1)->ran);
    loaded_free(&loaded);
}

TEST(what_is_asked_for_stays)
{
    const struct join_rule none = {false, false, false},
                           pcpu = {false, true, false};
    struct loaded loaded;

    begin(&loaded);
    join_cells_last(&loaded, &none);
    CHECK_EQ(loaded.cells.count, CELLS);
    loaded_free(&loaded);
    begin(&loaded);
    join_cells_last(&loaded, &pcpu);
    CHECK_EQ(loaded.cells.count, CELLS);
    CHECK_EQ(cell_at(&loaded, CELLS - 1)->key.pcpu, CELL_SEVERAL);
    CHECK_EQ(cell_at(&loaded, CELLS - 1)->key.vcpu, 2);
    loaded_free(&loaded);
}

/* Of two threads: what has a name, and what has none. */
TEST(threads_are_told_apart_only_where_a_frame_has_their_names)
{
    const struct join_rule rule = {true, true, true};
    struct loaded_place places[] = {
        {.key = {1}, .mode = XENOPROF_MODE_USER},
        {.key = {2}, .mode = XENOPROF_MODE_KERNEL},
    };
    struct loaded loaded;

    loaded_init(&loaded);
    cells_begin(&loaded);
    for ( uint32_t i = 1; i < 3; i++ )
        CHECK(table_put(&loaded.threads,
                        &(struct xenoprof_thread){.comm = "t", .pid = i}));
    for ( uint32_t i = 0; i < 4; i++ )
    {
        struct loaded_call call = {.key = {.called = 0}};
        struct cell_key key = {.domain = 2, .thread = 1 + i / 2};

        call.key.nodes[i % 2] = loaded_node(
            &loaded, 0, loaded_spot(&loaded, &places[i % 2], false));
        key.call = loaded_call(&loaded, &call);
        CHECK(table_put(&loaded.cells, &key));
    }
    join_cells_last(&loaded, &rule);
    CHECK_EQ(loaded.cells.count, 3);
    CHECK_EQ(cell_at(&loaded, 0)->key.thread, 1);
    CHECK_EQ(cell_at(&loaded, 1)->key.thread, 0);
    CHECK_EQ(cell_at(&loaded, 2)->key.thread, 2);
    loaded_free(&loaded);
}

TEST(moments_follow_their_cells)
{
    const struct join_rule rule = {true, true, false};
    struct loaded loaded;

    begin(&loaded);
    loaded.timeline.wanted = true;
    for ( uint32_t i = 0; i < CELLS; i++ )
        timeline_add(&loaded.timeline, 1000 + i, i);
    join_cells_last(&loaded, &rule);
    CHECK_EQ(loaded.timeline.count, CELLS);
    for ( uint32_t i = 0; i < CELLS; i++ )
        CHECK_EQ(loaded.timeline.moments[i].cell, i % 2);
    loaded_free(&loaded);
}
