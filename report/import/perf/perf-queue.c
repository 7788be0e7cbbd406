/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf-queue.h"

#include "base/must.h"

#include <stdlib.h>

#define WAITING_BYTES (16u << 20)
#define ROUND_BYTES   (256u << 10)

void perf_queue_free(struct perf_queue *queue)
{
    vector_free(&queue->waiting);
    buffer_free(&queue->bytes);
}

/* What came first is first among equals: later bytes came later. */
static int compare_times(const void *left, const void *right)
{
    const struct perf_waiting *one = left, *other = right;

    if ( one->time != other->time )
        return one->time < other->time ? -1 : 1;
    return one->offset < other->offset ? -1 : one->offset > other->offset;
}

static void sort_waiting(struct perf_queue *queue)
{
    const struct perf_waiting *items = queue->waiting.items;
    size_t sorted = 1;

    while ( sorted < queue->waiting.count &&
            compare_times(&items[sorted - 1], &items[sorted]) < 0 )
        sorted++;
    if ( sorted < queue->waiting.count )
        qsort(queue->waiting.items, queue->waiting.count,
              sizeof(queue->waiting.items[0]), compare_times);
}

/* Keeps those from first on, which are sorted. */
static void keep_rest(struct perf_queue *queue, size_t first)
{
    struct buffer kept = {0};
    size_t count = 0;

    for ( size_t i = first; i < queue->waiting.count; i++ )
    {
        struct perf_waiting waiting = queue->waiting.items[i];
        const size_t offset = kept.used;

        must_do(buffer_append(&kept, queue->bytes.bytes + waiting.offset,
                              waiting.size));
        waiting.offset = offset;
        queue->waiting.items[count++] = waiting;
    }
    queue->waiting.count = count;
    if ( !count )
    {
        queue->bytes.used = 0;
        buffer_free(&kept);
        return;
    }
    buffer_free(&queue->bytes);
    queue->bytes = kept;
}

/* Gives out the first of them, as many as are not younger, and count at
 * most. */
static void give_out(struct perf_queue *queue, uint64_t until, size_t count)
{
    size_t given = 0;

    sort_waiting(queue);
    while ( given < count && queue->waiting.items[given].time <= until )
    {
        const struct perf_waiting *waiting = &queue->waiting.items[given++];
        const uint8_t *body = queue->bytes.bytes + waiting->offset;
        const struct perf_record record = {
            .type = waiting->type,
            .misc = waiting->misc,
            .body = {body, body + waiting->size, false}};

        queue->take(queue->argument, waiting->time, &record);
    }
    keep_rest(queue, given);
}

void perf_queue_put(struct perf_queue *queue, uint64_t time,
                    const struct perf_record *record)
{
    struct perf_waiting *waiting = must(vector_add(&queue->waiting));
    const size_t size = cursor_left(&record->body);

    *waiting = (struct perf_waiting){.time = time,
                                     .offset = queue->bytes.used,
                                     .type = record->type,
                                     .size = (uint32_t)size,
                                     .misc = record->misc};
    must_do(buffer_append(&queue->bytes, record->body.at, size));
    if ( time > queue->newest )
        queue->newest = time;
    if ( queue->bytes.used > WAITING_BYTES )
        give_out(queue, UINT64_MAX, (queue->waiting.count + 1) / 2);
}

/* What waits is not looked at again before there is as much more of it. */
void perf_queue_round(struct perf_queue *queue)
{
    if ( queue->bytes.used >= 2 * queue->kept + ROUND_BYTES )
    {
        give_out(queue, queue->before, queue->waiting.count);
        queue->kept = queue->bytes.used;
    }
    queue->before = queue->newest;
}

void perf_queue_end(struct perf_queue *queue)
{
    give_out(queue, UINT64_MAX, queue->waiting.count);
}
