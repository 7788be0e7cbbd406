/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks a record's bytes and splits them into a view, and joins a view's parts
 * into a record.  No other code reads records that are not checked. */
#include <string.h>

#include "libxenoprof.h"

/* The bytes of a record that are not taken yet. */
struct rest {
    const uint8_t *at;
    size_t size;
};

static const void *take(struct rest *rest, size_t size)
{
    const void *bytes = rest->at;

    if ( size > rest->size )
        return NULL;
    rest->at += size;
    rest->size -= size;
    return bytes;
}

static size_t padded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static bool take_guest(struct rest *rest, const struct xenoprof_guest **ret)
{
    *ret = take(rest, sizeof(**ret));
    return *ret && ((*ret)->mode == XENOPROF_MODE_KERNEL ||
                    (*ret)->mode == XENOPROF_MODE_USER);
}

static bool take_chain(struct rest *rest, const struct xenoprof_chain **ret)
{
    *ret = take(rest, sizeof(**ret));
    return *ret && (*ret)->count <= XENOPROF_CHAIN_MAX &&
           take(rest, (*ret)->count * sizeof(uint64_t));
}

static bool take_window(struct rest *rest, const struct xenoprof_window **ret)
{
    const uint8_t *bytes;
    size_t length;

    *ret = take(rest, sizeof(**ret));
    if ( !*ret || (*ret)->length > rest->size )
        return false;
    length = (*ret)->length;
    bytes = take(rest, padded(length));
    if ( !bytes )
        return false;
    for ( size_t i = length; i < padded(length); i++ )
        if ( bytes[i] )
            return false;
    return true;
}

static bool check_sample(const struct xenoprof_record *head,
                         struct xenoprof_view *ret)
{
    struct rest rest = {(const uint8_t *)head, head->length};
    unsigned int parts = head->parts;

    ret->sample = take(&rest, sizeof(*ret->sample));
    if ( !ret->sample || ret->sample->mode >= XENOPROF_MODES ||
         !ret->sample->weight || (parts & ~XENOPROF_PARTS_ALL) )
        return false;
    if ( (parts & XENOPROF_PART_GUEST) && !take_guest(&rest, &ret->guest) )
        return false;
    if ( (parts & XENOPROF_PART_REGISTERS) &&
         !(ret->registers = take(&rest, sizeof(*ret->registers))) )
        return false;
    if ( (parts & XENOPROF_PART_XEN_STACK) &&
         !take_chain(&rest, &ret->xen_stack) )
        return false;
    if ( (parts & XENOPROF_PART_WINDOW) && !take_window(&rest, &ret->window) )
        return false;
    if ( (parts & XENOPROF_PART_WINDOW2) && !take_window(&rest, &ret->window2) )
        return false;
    return !rest.size;
}

static bool check_lost(const struct xenoprof_record *head,
                       struct xenoprof_view *ret)
{
    ret->lost = (const struct xenoprof_lost *)head;
    return head->length == sizeof(*ret->lost) && !head->parts &&
           ret->lost->cause < XENOPROF_CAUSES;
}

static bool check_body(const struct xenoprof_record *head,
                       struct xenoprof_view *ret)
{
    switch ( head->kind )
    {
    case XENOPROF_RECORD_PAD: return !head->parts;
    case XENOPROF_RECORD_SAMPLE: return check_sample(head, ret);
    case XENOPROF_RECORD_LOST: return check_lost(head, ret);
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

/* A record in the making; used also counts what does not fit. */
struct target {
    uint8_t *bytes;
    size_t size;
    size_t used;
};

static void put(struct target *to, const void *bytes, size_t size)
{
    if ( to->used + padded(size) <= to->size && size )
    {
        memcpy(to->bytes + to->used, bytes, size);
        memset(to->bytes + to->used + size, 0, padded(size) - size);
    }
    to->used += padded(size);
}

/* Append a part and the tail bytes after its structure.  Returns all ones, or 0
 * if part is NULL. */
static unsigned int put_part(struct target *to, const void *part, size_t size,
                             size_t tail)
{
    if ( !part )
        return 0;
    put(to, part, size);
    put(to, (const uint8_t *)part + size, tail);
    return ~0u;
}

static unsigned int put_window(struct target *to,
                               const struct xenoprof_window *window)
{
    return put_part(to, window, sizeof(*window), window ? window->length : 0);
}

static unsigned int put_sample(struct target *to,
                               const struct xenoprof_view *view)
{
    const struct xenoprof_chain *chain = view->xen_stack;
    unsigned int parts = 0;

    put(to, view->sample, sizeof(*view->sample));
    parts |= put_part(to, view->guest, sizeof(*view->guest), 0) &
             XENOPROF_PART_GUEST;
    parts |= put_part(to, view->registers, sizeof(*view->registers), 0) &
             XENOPROF_PART_REGISTERS;
    parts |= put_part(to, chain, sizeof(*chain),
                      chain ? chain->count * sizeof(uint64_t) : 0) &
             XENOPROF_PART_XEN_STACK;
    parts |= put_window(to, view->window) & XENOPROF_PART_WINDOW;
    parts |= put_window(to, view->window2) & XENOPROF_PART_WINDOW2;
    return parts;
}

size_t xenoprof_record_encode(const struct xenoprof_view *view, void *bytes,
                              size_t size)
{
    struct target to = {bytes, size, 0};
    struct xenoprof_record head = {.kind = view->head->kind};

    if ( view->sample )
        head.parts = put_sample(&to, view);
    else if ( view->lost )
        put(&to, view->lost, sizeof(*view->lost));
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
