/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cell-queue.h"

static bool count_sample(struct cell_queue *queue, struct loaded *loaded,
                         const struct queued_sample *sample)
{
    struct cell *cell = table_put(&loaded->cells, &sample->key);

    if ( !cell )
        return false;
    queue->cell = table_index(&loaded->cells, cell);
    cell->samples++;
    cell->ticks += sample->ticks;
    return timeline_add(&loaded->timeline, sample->time, (uint32_t)queue->cell);
}

bool cell_queue_end(struct cell_queue *queue, struct loaded *loaded)
{
    bool done = true;

    for ( size_t i = 0; i < queue->count; i++ )
        table_expect_entry(&loaded->cells, &queue->samples[i].key);
    for ( size_t i = 0; i < queue->count && done; i++ )
        done = count_sample(queue, loaded, &queue->samples[i]);
    queue->count = 0;
    return done;
}

bool cell_queue_add(struct cell_queue *queue, struct loaded *loaded,
                    const struct queued_sample *sample)
{
    table_expect(&loaded->cells, &sample->key);
    queue->samples[queue->count++] = *sample;
    return queue->count < CELL_QUEUE_LENGTH || cell_queue_end(queue, loaded);
}
