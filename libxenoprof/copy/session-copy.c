/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes what is read of a session into one file, block by block: a report of
 * the copy is that of the session.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/names.h"
#include "libxenoprof/session/session-reader.h"
#include "libxenoprof/session/session-writer.h"

#define SUM_BYTES  16u   /* about what one takes */
#define TIDY_FROM  4096u /* rows of what waits; fewer may all be over */
#define OVERRIDDEN 2u    /* domains that an item is of */

/* A place of the session. */
struct copied_place {
    uint64_t address, start;
    uint32_t image, symbol; /* names; 0: unknown */
    uint32_t path, line;    /* of source: a name; 0: unknown */
    uint32_t written;       /* the writer's number; 0: no sample had it yet */
    uint16_t domain;
    uint8_t mode;
    uint8_t uuid[16];
};

/* A stack of the session: frames[at] and so on, by numbers of places. */
struct copied_stack {
    size_t at, count;
};

/* Samples that wait for names, as the copy has said so far. */
struct copied_spooled {
    struct {
        uint64_t uuid[2];
        uint64_t second, period;
        uint16_t domain, vcpu;
        uint8_t mode;
        uint8_t unused[3];
    } key;
    int64_t samples;
};

struct xenoprof_copy {
    struct xenoprof_handle *handle;
    struct xenoprof_session *session;
    struct xenoprof_writer *writer;
    uint64_t position; /* behind the block that is copied; 0: none yet */
    uint64_t unit;     /* that divides all times of its samples; 0: none yet */
    bool absolute;     /* that block is */
    struct names names;
    struct {
        VECTOR(struct copied_place);
    } places; /* by number less 1 */
    struct {
        VECTOR(struct copied_stack);
    } stacks; /* the same */
    struct {
        VECTOR(uint32_t);
    } frames, chain; /* of all stacks; of the sample that is written */
    struct table spooled;
    size_t tidy_at;                  /* when there are so many of them */
    uint16_t overridden[OVERRIDDEN]; /* numbers of domains */
    unsigned int overrides;
};

enum xenoprof_status xenoprof_copy_create(struct xenoprof_handle *handle,
                                          struct xenoprof_session *session,
                                          const char *folder,
                                          struct xenoprof_copy **ret)
{
    struct xenoprof_copy *copy = calloc(1, sizeof(*copy));
    enum xenoprof_status status;

    if ( !copy )
        return handle_no_memory(handle);
    copy->handle = handle;
    copy->session = session;
    copy->tidy_at = TIDY_FROM;
    names_init(&copy->names);
    table_init(&copy->spooled, sizeof(((struct copied_spooled *)0)->key),
               sizeof(struct copied_spooled));
    status = xenoprof_writer_create(handle, folder, &copy->writer);
    if ( status )
    {
        xenoprof_copy_destroy(copy);
        return status;
    }
    xenoprof_writer_rotate_at(copy->writer, UINT64_MAX);
    copy->writer->copies = copy->writer->tables.copied = true;
    *ret = copy;
    return XENOPROF_OK;
}

void xenoprof_copy_destroy(struct xenoprof_copy *copy)
{
    if ( !copy )
        return;
    xenoprof_writer_destroy(copy->writer);
    names_free(&copy->names);
    vector_free(&copy->places);
    vector_free(&copy->stacks);
    vector_free(&copy->frames);
    vector_free(&copy->chain);
    table_free(&copy->spooled);
    free(copy);
}

/* What is about to be written is as the session's block was. */
static void settle_block(struct xenoprof_copy *copy)
{
    if ( copy->absolute )
        block_make_absolute(copy->writer);
    xenoprof_writer_time_unit(copy->writer, copy->unit ? copy->unit : 1);
    copy->unit = 0;
}

static enum xenoprof_status flush_copied(struct xenoprof_copy *copy)
{
    settle_block(copy);
    return xenoprof_writer_flush(copy->writer);
}

/* An item of the session's next block ends the copy's. */
static enum xenoprof_status begin_copied(struct xenoprof_copy *copy)
{
    const uint64_t position = xenoprof_session_position(copy->session);
    enum xenoprof_status status = XENOPROF_OK;

    if ( !copy->position )
        copy->writer->samples = copy->session->samples_before;
    if ( copy->position && copy->position != position )
        status = flush_copied(copy);
    else if ( !writer_has_room(copy->writer) )
        status = flush_copied(copy);
    copy->position = position;
    copy->absolute = copy->session->absolute_now;
    return status;
}

/* Finds the domain that has, or had, this number; 0: the copy has none. */
static uint32_t find_domain(const struct xenoprof_writer *writer,
                            uint16_t number, const uint8_t uuid[16])
{
    for ( size_t i = 0; i < writer->tables.domains.count; i++ )
    {
        const struct defined_domain *domain = table_at(&writer->tables.domains,
                                                       i);

        if ( domain->number == number &&
             !memcmp(domain->uuid, uuid, sizeof(domain->uuid)) )
            return (uint32_t)i + 1;
    }
    return 0;
}

/* Until end_domains() the number is this domain's, which another one may have
 * by now. */
static void use_domain(struct xenoprof_copy *copy, uint16_t number,
                       const uint8_t uuid[16])
{
    const struct domain_state *now = state_domain_now(&copy->writer->state,
                                                      number);
    uint32_t row;

    if ( now && !memcmp(now->uuid, uuid, sizeof(now->uuid)) )
        return;
    row = find_domain(copy->writer, number, uuid);
    if ( !row )
        return;
    copy->writer->domain_rows[number] = row;
    copy->overridden[copy->overrides++] = number;
}

static void end_domains(struct xenoprof_copy *copy)
{
    while ( copy->overrides )
        copy->writer->domain_rows[copy->overridden[--copy->overrides]] = 0;
}

/* What was said before is not written again: who reads the copy is told of it
 * where samples need it. */
static enum xenoprof_status put_domain(struct xenoprof_copy *copy,
                                       const struct xenoprof_item *item)
{
    struct xenoprof_writer *writer = copy->writer;
    struct domain_state state = {.time = item->time,
                                 .name = (char *)item->u.domain.name,
                                 .kind = (char *)item->u.domain.kind,
                                 .domain = item->u.domain.domain};
    bool changed;

    if ( !item->u.domain.again )
        return xenoprof_writer_domain(writer, item->time, item->u.domain.domain,
                                      item->u.domain.uuid, item->u.domain.name,
                                      item->u.domain.kind);
    memcpy(state.uuid, item->u.domain.uuid, sizeof(state.uuid));
    if ( !state_domain(&writer->state, &state, &changed) )
        return handle_no_memory(copy->handle);
    writer->domain_rows[state.domain] = 0;
    return XENOPROF_OK;
}

static enum xenoprof_status write_line(const struct xenoprof_copy *copy,
                                       const struct copied_place *place)
{
    const struct xenoprof_line line = {
        .place = place->written,
        .line = place->line,
        .path = names_text(&copy->names, place->path),
    };

    return line.path ? xenoprof_writer_line(copy->writer, &line) : XENOPROF_OK;
}

/* Sets the writer's number of a place. */
static enum xenoprof_status write_place(struct xenoprof_copy *copy,
                                        struct copied_place *place)
{
    const struct xenoprof_place to = {
        .domain = place->domain,
        .mode = place->mode,
        .address = place->address,
        .image = names_text(&copy->names, place->image),
        .symbol = names_text(&copy->names, place->symbol),
        .symbol_start = place->start,
    };
    enum xenoprof_status status;

    use_domain(copy, place->domain, place->uuid);
    status = xenoprof_writer_place(copy->writer, &to, &place->written);
    end_domains(copy);
    return status ? status : write_line(copy, place);
}

/* Returns what there is of a number, made if it is not there yet, or NULL if
 * there is no memory. */
#define NUMBERED(things, number)                                               \
    ({                                                                         \
        bool room_ = true;                                                     \
                                                                               \
        while ( room_ && (things)->count < (number) )                          \
            room_ = vector_add(things);                                        \
        room_ ? &(things)->items[(number)-1] : NULL;                           \
    })

static enum xenoprof_status put_place(struct xenoprof_copy *copy,
                                      const struct xenoprof_item *item)
{
    const struct xenoprof_place *from = &item->u.place.place;
    struct copied_place *place = NUMBERED(&copy->places, item->u.place.number);

    if ( !place || !names_add(&copy->names, from->image, &place->image) ||
         !names_add(&copy->names, from->symbol, &place->symbol) )
        return handle_no_memory(copy->handle);
    place->domain = from->domain;
    place->mode = from->mode;
    place->address = from->address;
    place->start = from->symbol_start;
    memcpy(place->uuid, item->u.place.uuid, sizeof(place->uuid));
    /* It got its name after samples had it. */
    return place->written ? write_place(copy, place) : XENOPROF_OK;
}

static enum xenoprof_status put_line(struct xenoprof_copy *copy,
                                     const struct xenoprof_item *item)
{
    const struct xenoprof_line *from = &item->u.line;
    struct copied_place *place = NUMBERED(&copy->places, from->place);

    if ( !place || !names_add(&copy->names, from->path, &place->path) )
        return handle_no_memory(copy->handle);
    place->line = from->line;
    return place->written ? write_line(copy, place) : XENOPROF_OK;
}

static enum xenoprof_status put_stack(struct xenoprof_copy *copy,
                                      const struct xenoprof_item *item)
{
    const size_t count = item->u.stack.count;
    struct copied_stack *stack = NUMBERED(&copy->stacks, item->u.stack.number);

    if ( !stack || !vector_reserve(&copy->frames, count) )
        return handle_no_memory(copy->handle);
    *stack = (struct copied_stack){.at = copy->frames.count, .count = count};
    memcpy(copy->frames.items + copy->frames.count, item->u.stack.places,
           count * sizeof(*copy->frames.items));
    copy->frames.count += count;
    return XENOPROF_OK;
}

/* Adds the writer's number of a place to the chain; 0 for what is not known. */
static enum xenoprof_status add_frame(struct xenoprof_copy *copy,
                                      uint32_t number)
{
    uint32_t *frame = vector_add(&copy->chain);
    struct copied_place *place;
    enum xenoprof_status status = XENOPROF_OK;

    if ( !frame )
        return handle_no_memory(copy->handle);
    if ( !number || number > copy->places.count )
        return XENOPROF_OK;
    place = &copy->places.items[number - 1];
    if ( !place->written )
        status = write_place(copy, place);
    *frame = place->written;
    return status;
}

static enum xenoprof_status make_chain(struct xenoprof_copy *copy,
                                       const struct xenoprof_stored *sample)
{
    const struct copied_stack *stack = NULL;
    enum xenoprof_status status = XENOPROF_OK;

    copy->chain.count = 0;
    if ( sample->stack && sample->stack <= copy->stacks.count )
        stack = &copy->stacks.items[sample->stack - 1];
    for ( size_t i = 0; stack && !status && i < stack->count; i++ )
        status = add_frame(copy, copy->frames.items[stack->at + i]);
    if ( !stack && sample->place )
        status = add_frame(copy, sample->place);
    return status;
}

static uint64_t greatest_divisor(uint64_t left, uint64_t right)
{
    while ( right )
    {
        const uint64_t rest = left % right;

        left = right;
        right = rest;
    }
    return left;
}

static enum xenoprof_status put_sample(struct xenoprof_copy *copy,
                                       const struct xenoprof_item *item)
{
    struct xenoprof_stored sample = item->u.sample;
    enum xenoprof_status status = make_chain(copy, &sample);

    if ( status )
        return status;
    copy->unit = greatest_divisor(sample.time, copy->unit);
    sample.place = 0;
    return xenoprof_writer_sample(copy->writer, &sample, copy->chain.items,
                                  copy->chain.count);
}

/* A file of the session begins with what it knows of rings: those that had
 * ended before are in sums from here on. */
static enum xenoprof_status put_ring_sum(struct xenoprof_copy *copy,
                                         const struct xenoprof_item *item)
{
    struct xenoprof_writer *writer = copy->writer;

    for ( size_t i = 0; item->u.ring_sum.first && i < writer->rings.count; i++ )
        writer->rings.items[i].ended = true;
    if ( !block_sum(writer, &item->u.ring_sum.sum) )
        return handle_no_memory(copy->handle);
    writer->block.pending += SUM_BYTES;
    return XENOPROF_OK;
}

static enum xenoprof_status put_latency(struct xenoprof_copy *copy,
                                        const struct xenoprof_item *item)
{
    const struct xenoprof_latency *latency = &item->u.latency;

    use_domain(copy, latency->domain, latency->uuid);
    if ( latency->by != XENOPROF_NOBODY && latency->by != latency->domain )
        use_domain(copy, latency->by, latency->by_uuid);
    return xenoprof_writer_latency(copy->writer, item->time, latency);
}

static bool still_waits(const void *entry, const void *argument)
{
    (void)argument;
    return ((const struct copied_spooled *)entry)->samples;
}

/* Notes what waits, to take it back when that is said. */
static bool note_spooled(struct xenoprof_copy *copy,
                         const struct xenoprof_spooled *spooled)
{
    struct copied_spooled key = {.key = {.second = spooled->second,
                                         .period = spooled->period,
                                         .domain = spooled->domain,
                                         .vcpu = spooled->vcpu,
                                         .mode = spooled->mode}};
    struct copied_spooled *known;

    memcpy(key.key.uuid, spooled->uuid, sizeof(key.key.uuid));
    if ( copy->spooled.count >= copy->tidy_at )
    {
        if ( !table_keep(&copy->spooled, still_waits, NULL) )
            return false;
        copy->tidy_at = 2 * copy->spooled.count + TIDY_FROM;
    }
    known = table_put(&copy->spooled, &key.key);
    if ( known )
        known->samples = (int64_t)((uint64_t)known->samples +
                                   (uint64_t)spooled->samples);
    return known;
}

static enum xenoprof_status write_spooled(
    struct xenoprof_copy *copy, const struct xenoprof_spooled *spooled)
{
    enum xenoprof_status status;

    use_domain(copy, spooled->domain, spooled->uuid);
    status = xenoprof_writer_spooled(copy->writer, spooled);
    end_domains(copy);
    return status;
}

/* Another file of the session says anew what waits: what was said is taken
 * back. */
static enum xenoprof_status forget_spooled(struct xenoprof_copy *copy)
{
    enum xenoprof_status status = XENOPROF_OK;

    for ( size_t i = 0; !status && i < copy->spooled.count; i++ )
    {
        const struct copied_spooled *known = table_at(&copy->spooled, i);
        struct xenoprof_spooled back = {
            .domain = known->key.domain,
            .vcpu = known->key.vcpu,
            .mode = known->key.mode,
            .second = known->key.second,
            .period = known->key.period,
            .samples = (int64_t)(0 - (uint64_t)known->samples),
        };

        memcpy(back.uuid, known->key.uuid, sizeof(back.uuid));
        if ( back.samples )
            status = write_spooled(copy, &back);
    }
    table_free(&copy->spooled);
    return status;
}

static enum xenoprof_status put_spooled(struct xenoprof_copy *copy,
                                        const struct xenoprof_item *item)
{
    if ( item->u.spooled.anew )
        return forget_spooled(copy);
    if ( !note_spooled(copy, &item->u.spooled) )
        return handle_no_memory(copy->handle);
    return write_spooled(copy, &item->u.spooled);
}

/* The domain of a function's, for what is said of it next. */
static void use_function(struct xenoprof_copy *copy,
                         const struct xenoprof_function *function)
{
    if ( function->mode != XENOPROF_MODE_XEN )
        use_domain(copy, function->domain, function->uuid);
}

static enum xenoprof_status put_item(struct xenoprof_copy *copy,
                                     const struct xenoprof_item *item)
{
    struct xenoprof_writer *writer = copy->writer;
    const uint64_t time = item->time;

    switch ( item->kind )
    {
    case XENOPROF_ITEM_ATTRIBUTE:
        return xenoprof_writer_attribute(writer, time, item->u.attribute.key,
                                         item->u.attribute.value);
    case XENOPROF_ITEM_DOMAIN: return put_domain(copy, item);
    case XENOPROF_ITEM_PLACE: return put_place(copy, item);
    case XENOPROF_ITEM_LINE: return put_line(copy, item);
    case XENOPROF_ITEM_STACK: return put_stack(copy, item);
    case XENOPROF_ITEM_SAMPLE: return put_sample(copy, item);
    case XENOPROF_ITEM_RING:
        return xenoprof_writer_ring(writer, &item->u.ring.info,
                                    item->u.ring.read, item->u.ring.lost_daemon,
                                    item->u.ring.spooled);
    case XENOPROF_ITEM_COUNTERS:
        return xenoprof_writer_counters(writer, time, &item->u.counters);
    case XENOPROF_ITEM_IDLE:
        return xenoprof_writer_idle(writer, time, item->u.idle.pcpu,
                                    item->u.idle.idle);
    case XENOPROF_ITEM_CLOSED:
        settle_block(copy);
        return xenoprof_writer_close(writer, time);
    case XENOPROF_ITEM_RING_SUM: return put_ring_sum(copy, item);
    case XENOPROF_ITEM_WAIT:
        use_domain(copy, item->u.wait.domain, item->u.wait.uuid);
        return xenoprof_writer_wait(writer, time, &item->u.wait);
    case XENOPROF_ITEM_COST:
        return xenoprof_writer_cost(writer, time, &item->u.cost);
    case XENOPROF_ITEM_LATENCY: return put_latency(copy, item);
    case XENOPROF_ITEM_EXITS:
        use_domain(copy, item->u.exits.domain, item->u.exits.uuid);
        return xenoprof_writer_exits(writer, time, &item->u.exits);
    case XENOPROF_ITEM_TYPE:
        return xenoprof_writer_type(writer, item->u.type.number,
                                    &item->u.type.type);
    case XENOPROF_ITEM_MEASURED:
        return xenoprof_writer_measured(writer, time, &item->u.measured);
    case XENOPROF_ITEM_ORIGIN:
        use_domain(copy, item->u.origin.domain, item->u.origin.uuid);
        return xenoprof_writer_origin(writer, &item->u.origin);
    case XENOPROF_ITEM_SPOOLED: return put_spooled(copy, item);
    case XENOPROF_ITEM_CODE:
        use_function(copy, &item->u.code.function);
        return xenoprof_writer_code(writer, &item->u.code);
    case XENOPROF_ITEM_INSTRUCTION:
        use_function(copy, &item->u.instruction.function);
        return xenoprof_writer_instruction(writer, &item->u.instruction);
    case XENOPROF_ITEM_SOURCE:
        use_function(copy, &item->u.source.function);
        return xenoprof_writer_source(writer, &item->u.source);
    case XENOPROF_ITEM_SAMPLES: break;
    }
    return handle_fail(copy->handle, XENOPROF_INVALID,
                       "%s: an item of kind %u is not copied",
                       copy->writer->folder, item->kind);
}

static bool is_full(const struct defined_tables *tables)
{
    return tables->places.count >= tables->places_max ||
           tables->nodes.count >= tables->nodes_max ||
           tables->texts.count >= tables->texts_max;
}

enum xenoprof_status xenoprof_copy_put(struct xenoprof_copy *copy,
                                       const struct xenoprof_item *item)
{
    enum xenoprof_status status = begin_copied(copy);

    if ( status )
        return status;
    status = put_item(copy, item);
    end_domains(copy);
    if ( status == XENOPROF_NO_MEMORY && is_full(&copy->writer->tables) )
        return handle_fail(copy->handle, XENOPROF_INVALID,
                           "the session has more functions, stacks or names "
                           "than one file holds: copy a part of its time");
    return status;
}

enum xenoprof_status xenoprof_copy_block(struct xenoprof_copy *copy)
{
    return flush_copied(copy);
}

enum xenoprof_status xenoprof_copy_end(struct xenoprof_copy *copy)
{
    enum xenoprof_status status = flush_copied(copy);

    if ( !status && fsync(copy->writer->fd) )
        status = handle_fail_system(copy->handle, "%s: syncing failed",
                                    copy->writer->folder);
    return status;
}
