/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the samples of a block stand for, by vCPU and second. */
#include "session-writer.h"

struct block_ticks {
    struct {
        uint32_t vcpu;   /* row */
        uint32_t second; /* behind that of the block's first sample */
    } key;
    uint64_t ns;
};

/* Returns how many ns a sample stands for; 0: it is not of time in which a pCPU
 * worked. */
static uint64_t ticks_of(const struct xenoprof_writer *writer,
                         const struct block_sample *sample)
{
    const struct epoch_shape *shape = table_at(&writer->tables.shapes,
                                               sample->shape - 1);

    return shape->key.type == writer->types[XENOPROF_TYPE_TIME].row &&
                   (shape->key.has & SHAPE_HAS_MODE) != XENOPROF_MODE_IDLE
               ? shape->key.weight * shape->key.period
               : 0;
}

static bool sum_ticks(const struct xenoprof_writer *writer, uint64_t first,
                      struct table *sums)
{
    const struct writer_block *block = &writer->block;

    for ( size_t i = 0; i < block->samples.count; i++ )
    {
        const struct block_sample *sample = &block->samples.items[i];
        const struct block_ticks key = {
            .key = {sample->vcpu, (uint32_t)(sample->time / XENOPROF_SECOND -
                                             first / XENOPROF_SECOND)}};
        struct block_ticks *ticks = table_put(sums, &key);

        if ( !ticks )
            return false;
        ticks->ns += ticks_of(writer, sample);
    }
    return true;
}

/* Most stand for a small number of one and the same period. */
static uint64_t common_divisor(const struct table *sums)
{
    uint64_t divisor = 0;

    for ( size_t i = 0; i < sums->count; i++ )
    {
        uint64_t ns = ((struct block_ticks *)table_at(sums, i))->ns;

        while ( ns )
        {
            const uint64_t rest = divisor % ns;

            divisor = ns;
            ns = rest;
        }
    }
    return divisor ? divisor : 1;
}

bool block_ticks(const struct xenoprof_writer *writer, uint64_t first,
                 struct epoch_rows *ret)
{
    struct table sums;
    uint64_t scale;
    bool done;

    table_init(&sums, sizeof(((struct block_ticks *)0)->key),
               sizeof(struct block_ticks));
    done = sum_ticks(writer, first, &sums);
    scale = common_divisor(&sums);
    for ( size_t i = 0; done && i < sums.count; i++ )
    {
        const struct block_ticks *ticks = table_at(&sums, i);
        uint64_t *row = block_add_row(ret, EPOCH_TICKS);

        done = row;
        if ( !row )
            break;
        row[EPOCH_TICKS_VCPU] = ticks->key.vcpu;
        row[EPOCH_TICKS_SECOND] = ticks->key.second;
        row[EPOCH_TICKS_TIME] = ticks->ns / scale;
        row[EPOCH_TICKS_SCALE] = scale;
    }
    table_free(&sums);
    return done;
}
