/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/model/load-items.h"
#include "tests/harness.h"

static struct queued_sample sample_at(uint32_t place)
{
    return (struct queued_sample){
        .key = {.domain = 2, .place = place}, .time = place, .ticks = 10};
}

TEST(samples_reach_their_cells_in_turn)
{
    const uint32_t samples = 10 * CELL_QUEUE_LENGTH + 3, places = 100;
    struct cell_queue queue = {.count = 0};
    struct loaded loaded;

    CHECK(loaded_init(&loaded));
    for ( uint32_t i = 0; i < samples; i++ )
    {
        struct queued_sample sample = sample_at(i % places);

        CHECK(cell_queue_add(&queue, &loaded, &sample));
        CHECK(queue.count < CELL_QUEUE_LENGTH);
    }
    CHECK(cell_queue_end(&queue, &loaded));
    CHECK_EQ(queue.count, 0);
    CHECK_EQ(queue.cell, (samples - 1) % places);
    CHECK_EQ(loaded.cells.count, places);
    for ( uint32_t i = 0; i < places; i++ )
    {
        const struct cell *cell = table_at(&loaded.cells, i);
        uint64_t wanted = samples / places + (i < samples % places);

        CHECK_EQ(cell->key.place, i);
        CHECK_EQ(cell->samples, wanted);
        CHECK_EQ(cell->ticks, 10 * wanted);
    }
    loaded_free(&loaded);
}
