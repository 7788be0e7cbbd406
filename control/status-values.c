/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of an answer to `status`, written and read. */
#include <string.h>

#include "protocol.h"
#include "status-values.h"

#define STATUS_LINE(line)                                                      \
    void status_put_##line(const struct status_##line *values,                 \
                           const char *word, FILE *file)                       \
    {                                                                          \
        line_begin(file, word);
#define STATUS_LIST(line, list)     STATUS_LINE(line)
#define STATUS_TEXT(line, key, ...) line_text(file, #key, values->key);
#define STATUS_NUMBER(line, key, bits, ...)                                    \
    line_number(file, #key, values->key);
#define STATUS_COUNT(line, key, ...) STATUS_NUMBER(line, key, 64)
#define STATUS_END(line)                                                       \
    line_end(file);                                                            \
    }
#include "status-values.def"

#define STATUS_LINE(line)                                                      \
    void status_take_##line(struct status_##line *ret, const char *text)       \
    {
#define STATUS_LIST(line, list) STATUS_LINE(line)
#define STATUS_TEXT(line, key, size, ...)                                      \
    line_get_text(text, #key, ret->key, size);
#define STATUS_NUMBER(line, key, bits, ...)                                    \
    ret->key = (uint##bits##_t)line_get_number(text, #key);
#define STATUS_COUNT(line, key, ...) STATUS_NUMBER(line, key, 64)
#define STATUS_END(line)             }
#include "status-values.def"

void status_counters_of(struct status_counters *ret,
                        const struct xenoprof_counters *counters)
{
    ret->due = counters->due;
    ret->missed = counters->missed;
    ret->idle = counters->idle;
    ret->switched = counters->switched;
    ret->moved = counters->moved;
    ret->cost = counters->cost;
}

/* Whose they are; pCPUs' are no domain's. */
static void set_owner(struct status_ring *ret, uint16_t kind, uint16_t domain,
                      const uint8_t *uuid)
{
    bool pcpu = kind == XENOPROF_RING_PCPU;

    STATUS_COPY(ret->kind, pcpu ? "pcpu" : "vcpu");
    ret->domain = pcpu ? DOMAIN_ID_IDLE : domain;
    STATUS_COPY(ret->name, pcpu ? DOMAIN_NAME_IDLE : "");
    uuid_format(uuid, ret->uuid);
}

void status_ring_of(struct status_ring *ret,
                    const struct xenoprof_ring_info *info, uint64_t read)
{
    set_owner(ret, info->kind, info->domain, info->uuid);
    ret->number = info->ring;
    ret->generation = info->generation;
    ret->unit = info->vcpu;
    ret->made = info->made;
    ret->read = read;
    ret->size = info->size;
}

void status_ring_of_sum(struct status_ring *ret,
                        const struct xenoprof_ring_sum *sum)
{
    set_owner(ret, sum->owner.kind, sum->owner.domain, sum->owner.uuid);
    if ( ret->domain == XENOPROF_OTHERS )
        STATUS_COPY(ret->name, ENDED_OTHERS);
    STATUS_COPY(ret->state, "gone");
    ret->ended = (uint32_t)sum->rings;
    ret->made = sum->made;
    ret->read = sum->read;
    ret->lost = sum->lost_daemon + xenoprof_lost_in_xen(sum->lost);
}
