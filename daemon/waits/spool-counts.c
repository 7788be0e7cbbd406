/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spool-counts.h"

#include <string.h>

struct spool_count {
    struct {
        uint8_t uuid[16];
        uint64_t second, period;
        uint16_t domain, vcpu;
        uint32_t mode;
    } key;
    int64_t samples;  /* that wait */
    int64_t reported; /* ... as this file has it */
};

void spool_counts_init(struct spool_counts *reported)
{
    table_init(&reported->counts, sizeof(((struct spool_count *)0)->key),
               sizeof(struct spool_count));
}

void spool_counts_free(struct spool_counts *reported)
{
    table_free(&reported->counts);
}

static bool is_of_time(const struct xenoprof_view *view)
{
    return !(view->sample->marks & XENOPROF_MARK_WAITING) && !view->event &&
           view->sample->mode < XENOPROF_MODE_IDLE;
}

static struct spool_count count_key(const uint8_t uuid[16],
                                    const struct xenoprof_sample *sample)
{
    struct spool_count key = {
        .key = {.second = sample->time / XENOPROF_SECOND,
                .period = (uint64_t)sample->weight * sample->period,
                .domain = sample->domain,
                .vcpu = sample->vcpu,
                .mode = sample->mode}};

    memcpy(key.key.uuid, uuid, sizeof(key.key.uuid));
    return key;
}

void spool_counts_add(struct spool_counts *reported, const uint8_t uuid[16],
                      const struct xenoprof_view *view)
{
    const struct spool_count key = count_key(uuid, view->sample);
    struct spool_count *count = is_of_time(view)
                                    ? table_put(&reported->counts, &key.key)
                                    : NULL;

    if ( count )
        count->samples++;
}

void spool_counts_take(struct spool_counts *reported, const uint8_t uuid[16],
                       const struct xenoprof_view *view)
{
    const struct spool_count key = count_key(uuid, view->sample);
    struct spool_count *count = is_of_time(view)
                                    ? table_find(&reported->counts, &key.key)
                                    : NULL;

    /* It is not there if there was no memory for it. */
    if ( count && count->samples )
        count->samples--;
}

void spool_counts_clear(struct spool_counts *reported)
{
    for ( size_t i = 0; i < reported->counts.count; i++ )
        ((struct spool_count *)table_at(&reported->counts, i))->samples = 0;
}

void spool_counts_begin_file(struct spool_counts *reported)
{
    for ( size_t i = 0; i < reported->counts.count; i++ )
        ((struct spool_count *)table_at(&reported->counts, i))->reported = 0;
}

static enum xenoprof_status store_count(struct spool_count *count,
                                        struct domain_names *names,
                                        struct xenoprof_writer *writer,
                                        uint64_t time)
{
    const struct xenoprof_spooled spooled = {
        .domain = count->key.domain,
        .vcpu = count->key.vcpu,
        .mode = (uint8_t)count->key.mode,
        .second = count->key.second,
        .period = count->key.period,
        .samples = count->samples - count->reported,
    };
    enum xenoprof_status result;

    /* A number may be another domain's than that of the count before. */
    domain_names_next_ring(names);
    result = domain_names_store(names, writer, time, count->key.domain,
                                count->key.uuid);
    if ( !result )
        result = xenoprof_writer_spooled(writer, &spooled);
    if ( result )
        return result;
    count->reported = count->samples;
    return XENOPROF_OK;
}

static bool is_needed(const void *entry, const void *argument)
{
    const struct spool_count *count = entry;

    (void)argument;
    return count->samples || count->reported;
}

enum xenoprof_status spool_counts_write(struct spool_counts *reported,
                                        struct domain_names *names,
                                        struct xenoprof_writer *writer,
                                        uint64_t time)
{
    enum xenoprof_status result = XENOPROF_OK;
    size_t needed = 0;

    for ( size_t i = 0; !result && i < reported->counts.count; i++ )
    {
        struct spool_count *count = table_at(&reported->counts, i);

        if ( count->samples != count->reported )
            result = store_count(count, names, writer, time);
        needed += is_needed(count, NULL);
    }
    domain_names_next_ring(names);
    /* Without memory for that they stay for now. */
    if ( !result && needed < reported->counts.count )
        table_keep(&reported->counts, is_needed, NULL);
    return result;
}
