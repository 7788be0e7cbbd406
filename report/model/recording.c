/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording.h"

#include "chain-ends.h"

#include <stdlib.h>
#include <string.h>

static bool add_domain(struct recording *recording, struct domain_key key,
                       const char *name)
{
    struct domain *domain = table_put(&recording->domains, &key);

    return domain && names_add(&recording->names, name, &domain->name);
}

bool recording_init(struct recording *recording)
{
    memset(recording, 0, sizeof(*recording));
    names_init(&recording->names);
    table_init(&recording->domains, sizeof(struct domain_key),
               sizeof(struct domain));
    table_init(&recording->places, sizeof(uint64_t), sizeof(struct place));
    table_init(&recording->stacks, sizeof(uint64_t), sizeof(struct stack));
    table_init(&recording->cells, sizeof(struct cell_key), sizeof(struct cell));
    table_init(&recording->pcpus, sizeof(uint64_t), sizeof(struct pcpu));
    table_init(&recording->rings, sizeof(uint64_t), sizeof(struct ring));
    return add_domain(recording, (struct domain_key){.other = 1},
                      DOMAIN_OTHER_NAME) &&
           add_domain(recording,
                      (struct domain_key){.number = DOMAIN_NUMBER_IDLE},
                      DOMAIN_IDLE_NAME);
}

void recording_free(struct recording *recording)
{
    table_free(&recording->domains);
    table_free(&recording->places);
    table_free(&recording->stacks);
    table_free(&recording->cells);
    table_free(&recording->pcpus);
    table_free(&recording->rings);
    names_free(&recording->names);
    timeline_free(&recording->timeline);
    free(recording->frames);
    free(recording->attributes);
    for ( size_t i = 0; i < DAMAGES_KEPT; i++ )
        free(recording->damage[i]);
}

struct cell *recording_placeless(struct recording *recording, uint32_t domain,
                                 uint16_t pcpu, enum xenoprof_mode mode)
{
    struct cell_key key;

    memset(&key, 0, sizeof(key));
    key.domain = domain;
    key.vcpu = pcpu;
    key.pcpu = pcpu;
    key.mode = (uint8_t)mode;
    return table_put(&recording->cells, &key);
}

const char *recording_attribute(const struct recording *recording,
                                const char *key)
{
    for ( size_t i = recording->attribute_count; i-- > 0; )
    {
        const struct attribute *attribute = &recording->attributes[i];

        if ( !strcmp(names_text(&recording->names, attribute->key), key) )
            return names_text(&recording->names, attribute->value);
    }
    return NULL;
}

struct stack_counts recording_stacks(const struct recording *recording)
{
    struct stack_counts counts = {.samples = 0};

    for ( size_t i = 0; i < recording->cells.count; i++ )
    {
        const struct cell *cell = table_at(&recording->cells, i);

        if ( cell_placeless(cell) )
            continue;
        counts.samples += cell->samples;
        if ( cell->key.stack )
            counts.callers += cell->samples;
        if ( chain_is_truncated(cell->key.ended, cell->key.mode) )
            counts.truncated += cell->samples;
        else if ( cell->key.ended == XENOPROF_ENDED_MOVED )
            counts.moved += cell->samples;
        else if ( cell->key.ended == XENOPROF_ENDED_GUEST )
            counts.unknown += cell->samples;
    }
    return counts;
}

static uint64_t rings_read(const struct recording *recording)
{
    uint64_t sum = 0;

    for ( size_t i = 0; i < recording->rings.count; i++ )
        sum += ((struct ring *)table_at(&recording->rings, i))->read;
    return sum;
}

uint64_t recording_unreadable(const struct recording *recording)
{
    uint64_t written = rings_read(recording);

    return written > recording->read ? written - recording->read : 0;
}

uint64_t recording_lost(const struct recording *recording, unsigned int cause)
{
    uint64_t lost = recording->counted ? recording->counters.lost[cause] : 0;

    for ( size_t i = 0; i < recording->rings.count; i++ )
    {
        const struct ring *ring = table_at(&recording->rings, i);

        if ( !xenoprof_cause_is_xens(cause) )
            lost += ring->lost_daemon;
        else if ( !recording->counted )
            lost += ring->facts.lost[cause];
    }
    return lost;
}

uint64_t recording_lost_all(const struct recording *recording)
{
    uint64_t lost = 0;

    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
        lost += recording_lost(recording, cause);
    return lost;
}

uint64_t recording_made(const struct recording *recording)
{
    uint64_t known = recording->read + recording_unreadable(recording) +
                     recording_lost_all(recording);
    uint64_t made = recording->counters.made;

    /* The counters of a session that is still open may be older than its
     * samples. */
    return made > known ? made : known;
}
