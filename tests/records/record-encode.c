/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins a view's parts into a record, as the hypervisor does. */
#include <string.h>

#include "libxenoprof/record-parts.h"
#include "records.h"

/* A record in the making; used also counts what does not fit. */
struct target {
    uint8_t *bytes;
    size_t size;
    size_t used;
};

static void put(struct target *to, const void *bytes, size_t size)
{
    if ( to->used + record_padded(size) <= to->size && size )
    {
        memcpy(to->bytes + to->used, bytes, size);
        memset(to->bytes + to->used + size, 0, record_padded(size) - size);
    }
    to->used += record_padded(size);
}

/* Append a sample and its parts.  Returns which parts those are. */
static unsigned int put_sample(struct target *to,
                               const struct xenoprof_view *view)
{
    unsigned int parts = 0;

    put(to, view->sample, sizeof(*view->sample));
    for ( const struct record_part *part = record_parts;
          part < record_parts + RECORD_PARTS; part++ )
    {
        const uint8_t *structure = record_part_get(part, view);

        if ( !structure )
            continue;
        put(to, structure, part->size);
        put(to, structure + part->size, record_part_tail(part, structure));
        parts |= part->bit;
    }
    return parts;
}

size_t record_encode(const struct xenoprof_view *view, void *bytes, size_t size)
{
    struct target to = {bytes, size, 0};
    struct xenoprof_record head = {.kind = view->head->kind};

    if ( view->sample )
        head.parts = put_sample(&to, view);
    else if ( view->lost )
        put(&to, view->lost, sizeof(*view->lost));
    else if ( view->wait )
        put(&to, view->wait, sizeof(*view->wait));
    else if ( view->counted )
        put(&to, view->counted, sizeof(*view->counted));
    else
    {
        put(&to, view->head, view->head->length);
        head.parts = view->head->parts;
    }
    head.length = to.used;
    if ( to.used > size || to.used > XENOPROF_RECORD_MAX ||
         to.used < sizeof(head) )
        return 0;
    memcpy(bytes, &head, sizeof(head));
    return to.used;
}
