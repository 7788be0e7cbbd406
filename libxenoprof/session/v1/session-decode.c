/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes a block's bytes into items.  Each number is bounded before it is
 * used.  An item that refers to an unknown string, place or stack (its block
 * was damaged) is returned without that reference.
 */
#include <string.h>

#include "libxenoprof/session/session-reader.h"

#define ITEM_NONE  ((enum xenoprof_item_kind)0)
#define COUNTS_MAX 16u

static uint64_t get_time(struct xenoprof_session *session,
                         struct cursor *cursor)
{
    session->before.time += get_signed(cursor);
    return session->before.time;
}

/* Who takes the item looks at all of the text. */
static const char *get_text(struct xenoprof_session *session,
                            struct cursor *cursor)
{
    const struct string_entry *string = tables_string(
        &session->tables, get_bounded(cursor, NUMBER_MAX));

    if ( !string )
        return NULL;
    session->steps += string->length / STEP_BYTES;
    return string->text;
}

static const char *get_known_text(struct xenoprof_session *session,
                                  struct cursor *cursor)
{
    const char *text = get_text(session, cursor);

    return text ? text : "";
}

static void get_uuid(struct xenoprof_session *session, struct cursor *cursor,
                     uint8_t ret[16])
{
    const struct string_entry *string = tables_string(
        &session->tables, get_bounded(cursor, NUMBER_MAX));

    memset(ret, 0, 16);
    if ( string && string->length == 16 )
        memcpy(ret, string->text, 16);
}

/* A newer writer may have some more counts than we know, which are ignored. */
static void get_counts(struct cursor *cursor, uint64_t *counts, size_t known)
{
    uint64_t count = get_bounded(cursor, COUNTS_MAX);

    for ( uint64_t i = 0; i < count && !cursor->bad; i++ )
    {
        uint64_t number = get_number(cursor);

        if ( i < known )
            counts[i] = number;
    }
}

static enum xenoprof_status done(const struct cursor *cursor)
{
    return cursor->bad ? XENOPROF_INVALID : XENOPROF_OK;
}

static enum xenoprof_status decode_string(struct xenoprof_session *session,
                                          struct cursor *body,
                                          struct xenoprof_item *ret)
{
    uint32_t number = get_bounded(body, NUMBER_MAX);
    size_t length = cursor_left(body);

    (void)ret;
    if ( body->bad || !number || length > STRING_MAX )
        return XENOPROF_INVALID;
    return tables_set_string(&session->tables, number, body->at, length)
               ? XENOPROF_OK
               : XENOPROF_NO_MEMORY;
}

static enum xenoprof_status decode_attribute(struct xenoprof_session *session,
                                             struct cursor *body,
                                             struct xenoprof_item *ret)
{
    ret->kind = XENOPROF_ITEM_ATTRIBUTE;
    ret->time = get_time(session, body);
    ret->u.attribute.key = get_known_text(session, body);
    ret->u.attribute.value = get_known_text(session, body);
    return done(body);
}

static enum xenoprof_status decode_domain(struct xenoprof_session *session,
                                          struct cursor *body,
                                          struct xenoprof_item *ret)
{
    ret->kind = XENOPROF_ITEM_DOMAIN;
    ret->time = get_time(session, body);
    ret->u.domain.domain = get_bounded(body, UINT16_MAX);
    get_uuid(session, body, ret->u.domain.uuid);
    ret->u.domain.name = get_known_text(session, body);
    ret->u.domain.kind = get_known_text(session, body);
    return done(body);
}

static enum xenoprof_status decode_place(struct xenoprof_session *session,
                                         struct cursor *body,
                                         struct xenoprof_item *ret)
{
    struct xenoprof_place *place = &ret->u.place.place;
    struct place_entry entry = {0};
    uint32_t number = get_bounded(body, NUMBER_MAX);

    ret->kind = XENOPROF_ITEM_PLACE;
    ret->u.place.number = number;
    place->domain = get_bounded(body, UINT16_MAX);
    place->mode = get_bounded(body, XENOPROF_MODES - 1);
    place->address = session->before_address + get_signed(body);
    place->image = get_text(session, body);
    place->symbol = get_text(session, body);
    place->symbol_start = place->address - get_signed(body);
    session->before_address = place->address;
    if ( body->bad || !number )
        return XENOPROF_INVALID;
    return tables_set_place(&session->tables, number, &entry)
               ? XENOPROF_OK
               : XENOPROF_NO_MEMORY;
}

static uint32_t known_place(const struct xenoprof_session *session,
                            uint32_t number)
{
    const struct place_entry *place = tables_place(&session->tables, number);

    return place && place->file == session->tables.file ? number : 0;
}

/* The number of a stack, stored as the difference to another number. */
static uint32_t get_stack(struct cursor *cursor, uint32_t from)
{
    /* This may wrap; the result is bounded below. */
    uint64_t number = from + (uint64_t)get_signed(cursor);

    if ( number <= NUMBER_MAX )
        return number;
    cursor->bad = true;
    return 0;
}

/* Copy the last shared places of stack base; zeroes if it is not known. */
static void copy_base(const struct session_tables *tables, uint32_t base,
                      uint32_t *places, uint32_t shared)
{
    const struct stack_entry *stack = tables_stack(tables, base);

    if ( stack && stack->count >= shared )
        memcpy(places,
               tables->stack_places.items + stack->first + stack->count -
                   shared,
               shared * sizeof(*places));
    else
        memset(places, 0, shared * sizeof(*places));
}

static enum xenoprof_status decode_stack(struct xenoprof_session *session,
                                         struct cursor *body,
                                         struct xenoprof_item *ret)
{
    struct session_tables *tables = &session->tables;
    uint32_t places[STACK_MAX];
    uint32_t number = get_stack(body, session->before_stack);
    uint32_t count = get_bounded(body, STACK_MAX);
    uint32_t shared = get_bounded(body, count);

    if ( shared )
        copy_base(tables, get_stack(body, number), places + (count - shared),
                  shared);
    for ( uint32_t i = 0; i < count - shared && !body->bad; i++ )
        places[i] = known_place(session, get_bounded(body, NUMBER_MAX));
    /* A writer defines a stack once in a file. */
    if ( body->bad || !number || !count || tables_stack(tables, number) )
        return XENOPROF_INVALID;
    if ( !tables_set_stack(tables, number, places, count) )
        return XENOPROF_NO_MEMORY;
    session->steps += count;
    session->before_stack = number;
    ret->kind = XENOPROF_ITEM_STACK;
    ret->u.stack.number = number;
    ret->u.stack.places = tables->stack_places.items +
                          tables->stacks[number].first;
    ret->u.stack.count = count;
    return XENOPROF_OK;
}

static enum xenoprof_status decode_ring(struct xenoprof_session *session,
                                        struct cursor *body,
                                        struct xenoprof_item *ret)
{
    struct xenoprof_ring_info *info = &ret->u.ring.info;

    ret->kind = XENOPROF_ITEM_RING;
    info->ring = get_bounded(body, UINT32_MAX);
    info->generation = get_bounded(body, UINT32_MAX);
    info->domain = get_bounded(body, UINT16_MAX);
    info->vcpu = get_bounded(body, UINT16_MAX);
    info->kind = get_bounded(body, UINT16_MAX);
    info->state = get_bounded(body, UINT16_MAX);
    get_uuid(session, body, info->uuid);
    info->size = get_bounded(body, UINT32_MAX);
    info->position = get_number(body);
    info->producer = info->position + get_signed(body);
    info->released = info->position - get_signed(body);
    info->made = get_number(body);
    info->committed = get_number(body);
    ret->u.ring.read = get_number(body);
    ret->u.ring.lost_daemon = get_number(body);
    get_counts(body, info->lost, XENOPROF_CAUSES);
    /* Older writers had none. */
    if ( cursor_left(body) )
        ret->u.ring.spooled = get_number(body);
    return done(body);
}

static enum xenoprof_status decode_ring_sum(struct xenoprof_session *session,
                                            struct cursor *body,
                                            struct xenoprof_item *ret)
{
    struct xenoprof_ring_sum *sum = &ret->u.ring_sum.sum;

    ret->kind = XENOPROF_ITEM_RING_SUM;
    ret->u.ring_sum.first = get_number(body);
    sum->owner.domain = get_bounded(body, UINT16_MAX);
    sum->owner.kind = get_bounded(body, UINT16_MAX);
    get_uuid(session, body, sum->owner.uuid);
    sum->rings = get_number(body);
    sum->made = get_number(body);
    sum->read = get_number(body);
    sum->lost_daemon = get_number(body);
    get_counts(body, sum->lost, XENOPROF_CAUSES);
    return done(body);
}

static enum xenoprof_status decode_counters(struct xenoprof_session *session,
                                            struct cursor *body,
                                            struct xenoprof_item *ret)
{
    struct xenoprof_counters *counters = &ret->u.counters;

    ret->kind = XENOPROF_ITEM_COUNTERS;
    ret->time = get_time(session, body);
    counters->due = get_number(body);
    counters->missed = get_number(body);
    counters->idle = get_number(body);
    counters->made = get_number(body);
    counters->committed = get_number(body);
    counters->switched = get_number(body);
    counters->moved = get_number(body);
    counters->cost = get_number(body);
    get_counts(body, counters->lost, XENOPROF_CAUSES);
    return done(body);
}

static enum xenoprof_status decode_idle(struct xenoprof_session *session,
                                        struct cursor *body,
                                        struct xenoprof_item *ret)
{
    ret->kind = XENOPROF_ITEM_IDLE;
    ret->time = get_time(session, body);
    ret->u.idle.pcpu = get_bounded(body, UINT16_MAX);
    ret->u.idle.idle = get_number(body);
    return done(body);
}

static enum xenoprof_status decode_closed(struct xenoprof_session *session,
                                          struct cursor *body,
                                          struct xenoprof_item *ret)
{
    ret->kind = XENOPROF_ITEM_CLOSED;
    ret->time = get_time(session, body);
    return done(body);
}

static enum xenoprof_status decode_numbers(struct xenoprof_session *session,
                                           struct cursor *body,
                                           struct xenoprof_item *ret)
{
    (void)ret;
    session->last_place = get_bounded(body, NUMBER_MAX);
    session->last_stack = get_bounded(body, NUMBER_MAX);
    session->numbers = true;
    return done(body);
}

/* What a sample needs of the tables is far from what the one before needed: ask
 * for it now, for look_up().  Out of line, gcc 12 takes it for a function that
 * does nothing. */
static inline __attribute__((always_inline)) void expect(
    const struct session_tables *tables, const struct sample_ahead *ahead)
{
    uint32_t number = ahead->sample.stack;

    if ( number && number <= tables->last_stack )
    {
        const struct stack_entry *stack = &tables->stacks[number];

        memory_expect(&stack->count);
        memory_expect(&stack->leaf); /* may be in the next line */
    }
    if ( ahead->news & SAMPLE_PLACE && ahead->sample.place &&
         ahead->sample.place <= tables->last_place )
        memory_expect(&tables->places[ahead->sample.place]);
}

/* Its place only if it is written with it. */
static void decode_sample(struct xenoprof_session *session,
                          struct sample_ahead *ret)
{
    struct cursor *cursor = &session->items;
    struct xenoprof_stored *sample = &session->before;
    unsigned int news = *cursor->at++;

    session->steps += STEPS_SAMPLE;
    get_time(session, cursor);
    sample->mode = news & SAMPLE_MODE;
    if ( news & SAMPLE_WHO )
    {
        sample->domain = get_bounded(cursor, UINT16_MAX);
        sample->vcpu = get_bounded(cursor, UINT16_MAX);
        sample->pcpu = get_bounded(cursor, UINT16_MAX);
    }
    sample->stack = news & SAMPLE_STACK
                        ? get_stack(cursor, session->before_stack)
                        : 0;
    if ( news & SAMPLE_PLACE )
        sample->place = get_bounded(cursor, NUMBER_MAX);
    if ( news & SAMPLE_PERIOD )
        sample->period = get_bounded(cursor, UINT32_MAX);
    if ( news & SAMPLE_MARKS )
    {
        sample->marks = get_bounded(cursor, UINT32_MAX);
        sample->weight = get_bounded(cursor, UINT8_MAX);
    }
    sample->count = (uint64_t)sample->weight * sample->period;
    ret->sample = *sample;
    ret->news = news;
}

/* The samples that come next, as far as they can be decoded. */
static void decode_samples(struct xenoprof_session *session)
{
    struct cursor *items = &session->items;

    session->ahead_at = session->ahead_count = 0;
    while ( session->ahead_count < SAMPLES_AHEAD && cursor_left(items) &&
            *items->at & KIND_SAMPLE )
    {
        struct sample_ahead *ahead = &session->ahead[session->ahead_count];

        decode_sample(session, ahead);
        if ( items->bad )
            return;
        expect(&session->tables, ahead);
        session->ahead_count++;
    }
}

static void look_up(struct xenoprof_session *session, struct xenoprof_item *ret)
{
    const struct sample_ahead *ahead = &session->ahead[session->ahead_at++];
    struct xenoprof_stored *sample = &ret->u.sample;
    const struct stack_entry *stack = tables_stack(&session->tables,
                                                   ahead->sample.stack);

    *sample = ahead->sample;
    if ( !(ahead->news & SAMPLE_PLACE) )
        sample->place = !sample->stack ? session->place_before
                        : stack        ? stack->leaf
                                       : 0;
    session->place_before = sample->place;
    /* Places of stacks were looked up when these were defined. */
    if ( !stack || ahead->news & SAMPLE_PLACE )
        sample->place = known_place(session, sample->place);
    if ( !stack )
        sample->stack = 0;
    ret->kind = XENOPROF_ITEM_SAMPLE;
    ret->time = sample->time;
}

static enum xenoprof_status (*const decoders[])(
    struct xenoprof_session *session, struct cursor *body,
    struct xenoprof_item *ret) = {
    [KIND_STRING] = decode_string,     [KIND_ATTRIBUTE] = decode_attribute,
    [KIND_DOMAIN] = decode_domain,     [KIND_PLACE] = decode_place,
    [KIND_STACK] = decode_stack,       [KIND_RING] = decode_ring,
    [KIND_COUNTERS] = decode_counters, [KIND_IDLE] = decode_idle,
    [KIND_CLOSED] = decode_closed,     [KIND_NUMBERS] = decode_numbers,
    [KIND_RING_SUM] = decode_ring_sum,
};

static enum xenoprof_status decode_other(struct xenoprof_session *session,
                                         struct xenoprof_item *ret)
{
    struct cursor *items = &session->items;
    struct cursor body = {.at = NULL};
    unsigned int kind = *items->at++;
    uint64_t length = get_number(items);

    session->steps += kind == KIND_IDLE ? STEPS_IDLE : STEPS_OTHER;
    body.at = get_bytes(items, length);
    if ( items->bad )
        return XENOPROF_INVALID;
    body.end = body.at + length;
    if ( kind >= sizeof(decoders) / sizeof(decoders[0]) || !decoders[kind] )
        return XENOPROF_OK;
    memset(&ret->u, 0, sizeof(ret->u));
    return decoders[kind](session, &body, ret);
}

/* Returns false if no sample comes next. */
static bool next_sample(struct xenoprof_session *session,
                        struct xenoprof_item *ret)
{
    if ( session->ahead_at == session->ahead_count && !session->items.bad )
        decode_samples(session);
    if ( session->ahead_at == session->ahead_count )
        return false;
    look_up(session, ret);
    return true;
}

enum xenoprof_status decode_item(struct xenoprof_session *session,
                                 struct xenoprof_item *ret)
{
    enum xenoprof_status status = XENOPROF_OK;

    ret->kind = ITEM_NONE;
    ret->time = 0;
    /* Strings and numbers are not handed out. */
    while ( !status && ret->kind == ITEM_NONE && !next_sample(session, ret) )
    {
        if ( session->items.bad )
            return XENOPROF_INVALID;
        if ( !cursor_left(&session->items) )
            return XENOPROF_END;
        status = decode_other(session, ret);
    }
    return status;
}

void decode_begin(struct xenoprof_session *session, bool file)
{
    session->before = (struct xenoprof_stored){0};
    session->before_address = 0;
    session->before_stack = 0;
    session->place_before = 0;
    session->ahead_at = session->ahead_count = 0;
    if ( !file )
        return;
    session->epoch = false;
    epoch_read_begin(&session->read);
    epoch_items_begin_file(&session->epoch_items, session->tables.last_place,
                           session->tables.last_stack);
    tables_begin_file(&session->tables);
    session->numbers = false;
    session->last_place = session->last_stack = 0;
}
