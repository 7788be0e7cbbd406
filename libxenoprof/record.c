/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks a record's bytes and splits them into a view.  No other code reads
 * records that are not checked. */
#include <string.h>

#include "record-parts.h"

/* The bytes of a record that are not taken yet. */
struct rest {
    const uint8_t *at;
    size_t size;
};

static const void *take_record_bytes(struct rest *rest, size_t size)
{
    const void *bytes = rest->at;

    if ( size > rest->size )
        return NULL;
    rest->at += size;
    rest->size -= size;
    return bytes;
}

static bool take_padded(struct rest *rest, size_t length)
{
    const uint8_t *bytes;

    if ( length > rest->size )
        return false;
    bytes = take_record_bytes(rest, record_padded(length));
    if ( !bytes )
        return false;
    for ( size_t i = length; i < record_padded(length); i++ )
        if ( bytes[i] )
            return false;
    return true;
}

static bool take_part(struct rest *rest, const struct record_part *part,
                      struct xenoprof_view *ret)
{
    const void *structure = take_record_bytes(rest, part->size);
    const struct xenoprof_chain *chain = structure;

    if ( !structure ||
         (part->tail == PART_TAIL_ADDRESSES &&
          chain->count > XENOPROF_CHAIN_MAX) ||
         !take_padded(rest, record_part_tail(part, structure)) )
        return false;
    record_part_put(part, ret, structure);
    return true;
}

static bool check_guest(const struct xenoprof_guest *guest)
{
    return guest->mode == XENOPROF_MODE_KERNEL ||
           guest->mode == XENOPROF_MODE_USER;
}

static bool check_entry(const struct xenoprof_entry *entry)
{
    return entry->kind != XENOPROF_ENTRY_NONE &&
           entry->kind < XENOPROF_ENTRY_KINDS &&
           !(entry->flags & ~XENOPROF_ENTRY_FLAGS);
}

static bool check_task(const struct xenoprof_task *task)
{
    return task->list && task->stored <= sizeof(task->word) &&
           task->stored % 8 == 0;
}

/* Values that others rely on. */
static bool check_event_record(const struct xenoprof_event *event)
{
    return event->event < XENOPROF_EVENTS_MAX && event->count && !event->flags;
}

static bool check_values(const struct xenoprof_view *view)
{
    return view->sample->mode < XENOPROF_MODES && view->sample->weight &&
           (!view->guest || check_guest(view->guest)) &&
           (!view->entry || check_entry(view->entry)) &&
           (!view->task || check_task(view->task)) &&
           (!view->event || check_event_record(view->event)) &&
           (!view->precise || view->precise->ip);
}

static bool check_sample(const struct xenoprof_record *head,
                         struct xenoprof_view *ret)
{
    struct rest rest = {(const uint8_t *)head, head->length};

    ret->sample = take_record_bytes(&rest, sizeof(*ret->sample));
    if ( !ret->sample || (head->parts & ~XENOPROF_PARTS_ALL) )
        return false;
    for ( unsigned int i = 0; i < RECORD_PARTS; i++ )
        if ( (head->parts & record_parts[i].bit) &&
             !take_part(&rest, &record_parts[i], ret) )
            return false;
    return !rest.size && check_values(ret);
}

static bool check_lost(const struct xenoprof_record *head,
                       struct xenoprof_view *ret)
{
    ret->lost = (const struct xenoprof_lost *)head;
    return head->length == sizeof(*ret->lost) && !head->parts &&
           ret->lost->cause < XENOPROF_CAUSES;
}

static bool check_wait(const struct xenoprof_record *head,
                       struct xenoprof_view *ret)
{
    ret->wait = (const struct xenoprof_wait *)head;
    return head->length == sizeof(*ret->wait) && !head->parts &&
           ret->wait->state < XENOPROF_RUNSTATES && !ret->wait->reserved;
}

static bool check_counted(const struct xenoprof_record *head,
                          struct xenoprof_view *ret)
{
    ret->counted = (const struct xenoprof_counted *)head;
    return head->length == sizeof(*ret->counted) && !head->parts &&
           ret->counted->event < XENOPROF_EVENTS_MAX &&
           ret->counted->running <= ret->counted->enabled &&
           !ret->counted->reserved;
}

static bool check_body(const struct xenoprof_record *head,
                       struct xenoprof_view *ret)
{
    switch ( head->kind )
    {
    case XENOPROF_RECORD_PAD: return !head->parts;
    case XENOPROF_RECORD_SAMPLE: return check_sample(head, ret);
    case XENOPROF_RECORD_LOST: return check_lost(head, ret);
    case XENOPROF_RECORD_WAIT: return check_wait(head, ret);
    case XENOPROF_RECORD_COUNTED: return check_counted(head, ret);
    default: return true;
    }
}

enum xenoprof_status xenoprof_record_check(const void *bytes, size_t size,
                                           struct xenoprof_view *ret)
{
    const struct xenoprof_record *head = bytes;

    *ret = (struct xenoprof_view){.head = NULL};
    if ( !size )
        return XENOPROF_END;
    if ( size < sizeof(*head) || head->length < sizeof(*head) ||
         head->length > size || head->length > XENOPROF_RECORD_MAX ||
         head->length % 8 || !check_body(head, ret) )
    {
        *ret = (struct xenoprof_view){.head = NULL};
        return XENOPROF_INVALID;
    }
    ret->head = head;
    return XENOPROF_OK;
}
