/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The items of a block, one by one. */
#include <stdlib.h>
#include <string.h>

#include "block-items.h"
#include "format-members.h"

/* What a row takes beyond what each item does (session-reader.h). */
#define STEPS_IDLE_ROW 14u
#define STEPS_ROW      42u
#define STEPS_LATENCY  110u /* it is counted for two domains */
#define STEPS_NOTE     90u  /* it may be the name of a domain */
#define STEPS_ORIGIN   300u /* two texts, of so many letters */
#define STEPS_NAMED    130u /* a name, which is rare */
#define STEPS_LINE     14u  /* beside what its item takes */
#define STEPS_CODE     90u  /* and more for its texts */

#define DOMAIN_NUMBERS  65536u
#define ACCOUNT_CAUSES  4u        /* that accounts have columns of */
#define SESSION_NUMBERS 0xffffffu /* of texts, places, nodes of a session */

bool block_items_init(struct block_items *items, struct reader_tables *read)
{
    *items = (struct block_items){.read = read, .phase = ITEMS_PHASES};
    defined_tables_init(&items->all);
    items->all.texts_max = items->all.places_max = SESSION_NUMBERS;
    items->all.nodes_max = SESSION_NUMBERS;
    table_init(&items->stacks, sizeof(((struct items_stack *)NULL)->key),
               sizeof(struct items_stack));
    triple_table_init(&items->calls);
    sample_columns_init(&items->columns);
    items->domain_now = calloc(DOMAIN_NUMBERS, sizeof(*items->domain_now));
    return items->domain_now;
}

void block_items_free(struct block_items *items)
{
    defined_tables_free(&items->all);
    table_free(&items->stacks);
    vector_free(&items->texts);
    vector_free(&items->domain_rows);
    vector_free(&items->spaces);
    vector_free(&items->symbols);
    vector_free(&items->functions);
    nameless_free(&items->nameless);
    vector_free(&items->places);
    vector_free(&items->nodes);
    for ( size_t i = 0; i < items->domains.count; i++ )
        free(items->domains.items[i].name);
    vector_free(&items->domains);
    vector_free(&items->lined);
    vector_free(&items->frames);
    vector_free(&items->first_vcpus);
    vector_free(&items->leaves);
    vector_free(&items->passing);
    vector_free(&items->dense);
    triple_table_clear(&items->calls);
    sample_columns_free(&items->columns);
    free(items->domain_now);
}

void block_items_begin_file(struct block_items *items)
{
    items->texts.count = items->domain_rows.count = 0;
    items->spaces.count = items->symbols.count = items->functions.count = 0;
    items->places.count = items->nodes.count = items->leaves.count = 0;
    items->lined.count = items->lines = 0;
    if ( items->wanted != ITEMS_ONES )
        sample_columns_begin_file(&items->columns);
    items->coded = items->coded_expected = items->types = 0;
    items->later = items->all.nodes.count > 0;
    triple_table_clear(&items->calls);
    items->phase = ITEMS_PHASES;
}

void block_items_begin(struct block_items *items, bool code)
{
    items->phase = ITEMS_NOTES;
    items->row = 0;
    items->turn++;
    items->code = code;
}

/* Numbers that the block defined are not in the session yet. */
static bool grow_map(struct items_map *map, size_t count)
{
    if ( count <= map->count )
        return true;
    if ( !vector_reserve(map, count - map->count) )
        return false;
    memset(map->items + map->count, 0,
           (count - map->count) * sizeof(*map->items));
    map->count = count;
    return true;
}

static void get_uuid(const struct reader_tables *read, uint64_t number,
                     uint8_t ret[16])
{
    const struct read_text *text = READ_FIND(read, texts, number);

    memset(ret, 0, 16);
    if ( text && text->bytes && text->size == 16 )
        memcpy(ret, text->bytes, 16);
}

static enum xenoprof_status note_domain(struct block_items *items,
                                        const uint64_t *note,
                                        struct xenoprof_item *ret)
{
    const char *name = items_known_text(items, note[SESSION_NOTE_KEY]);
    uint64_t row = note[SESSION_NOTE_DOMAIN];
    bool done = true;
    uint32_t domain = items_domain(items, row, &done);
    struct items_domain *known;

    if ( !domain )
        return done ? XENOPROF_END : XENOPROF_NO_MEMORY;
    while ( items->domains.count < domain )
        if ( !vector_add(&items->domains) )
            return XENOPROF_NO_MEMORY;
    known = &items->domains.items[domain - 1];
    free(known->name);
    known->name = strdup(name);
    if ( !known->name )
        return XENOPROF_NO_MEMORY;
    items_say_domain(items, row, note[SESSION_NOTE_TIME], name, ret);
    return XENOPROF_OK;
}

static enum xenoprof_status next_note(struct block_items *items,
                                      const uint64_t *note,
                                      struct xenoprof_item *ret)
{
    if ( note[SESSION_NOTE_DOMAIN] )
        return note_domain(items, note, ret);
    ret->kind = XENOPROF_ITEM_ATTRIBUTE;
    ret->time = note[SESSION_NOTE_TIME];
    ret->u.attribute.key = items_known_text(items, note[SESSION_NOTE_KEY]);
    ret->u.attribute.value = items_known_text(items, note[SESSION_NOTE_VALUE]);
    return XENOPROF_OK;
}

static enum xenoprof_status next_named(struct block_items *items,
                                       const uint64_t *named,
                                       struct xenoprof_item *ret)
{
    bool done = true;

    if ( items_named(items, named[SESSION_NAMED_PLACE], ret, &done) )
        return done ? XENOPROF_OK : XENOPROF_NO_MEMORY;
    return done ? XENOPROF_END : XENOPROF_NO_MEMORY;
}

/* A place that is not an item yet brings its line with it. */
static enum xenoprof_status next_line(struct block_items *items,
                                      const uint64_t *row,
                                      struct xenoprof_item *ret)
{
    const uint64_t place = row[SESSION_LINE_PLACE];

    if ( !place || place > items->places.count ||
         !items->places.items[place - 1] )
        return XENOPROF_END;
    if ( !items_add_line(items, place) )
        return XENOPROF_NO_MEMORY;
    return items_next_line(items, ret) ? XENOPROF_OK : XENOPROF_END;
}

static enum xenoprof_status next_sum(struct block_items *items,
                                     const uint64_t *row,
                                     struct xenoprof_item *ret)
{
    struct xenoprof_ring_sum *sum = &ret->u.ring_sum.sum;

    ret->kind = XENOPROF_ITEM_RING_SUM;
    ret->u.ring_sum.first = items->row == 0;
    session_row_take(&items->table, row, sum);
    get_uuid(items->read, row[SESSION_SUM_UUID], sum->owner.uuid);
    return XENOPROF_OK;
}

static enum xenoprof_status next_account(struct block_items *items,
                                         const uint64_t *row,
                                         struct xenoprof_item *ret)
{
    const struct defined_ring *ring =
        &READ_FIND(items->read, rings, row[SESSION_ACCOUNT_RING])->ring;
    struct xenoprof_ring_info *info = &ret->u.ring.info;

    ret->kind = XENOPROF_ITEM_RING;
    *info = (struct xenoprof_ring_info){
        .ring = ring->ring,
        .generation = ring->generation,
        .domain = ring->domain,
        .vcpu = ring->vcpu,
        .kind = ring->kind,
        .state = (uint16_t)row[SESSION_ACCOUNT_STATE],
        .size = ring->size,
        .position = row[SESSION_ACCOUNT_POSITION],
        .producer = row[SESSION_ACCOUNT_POSITION] + row[SESSION_ACCOUNT_AHEAD],
        .released = row[SESSION_ACCOUNT_POSITION] -
                    row[SESSION_ACCOUNT_UNRELEASED],
        .made = row[SESSION_ACCOUNT_MADE],
        .committed = row[SESSION_ACCOUNT_MADE] -
                     row[SESSION_ACCOUNT_UNCOMMITTED],
    };
    get_uuid(items->read, ring->uuid, info->uuid);
    memcpy(info->lost, row + SESSION_ACCOUNT_LOST_0,
           ACCOUNT_CAUSES * sizeof(*info->lost));
    ret->u.ring.read = info->committed - row[SESSION_ACCOUNT_UNREAD];
    ret->u.ring.lost_daemon = row[SESSION_ACCOUNT_LOST_DAEMON];
    ret->u.ring.spooled = row[SESSION_ACCOUNT_SPOOLED];
    return XENOPROF_OK;
}

static enum xenoprof_status next_counters(struct block_items *items,
                                          const uint64_t *row,
                                          struct xenoprof_item *ret)
{
    ret->kind = XENOPROF_ITEM_COUNTERS;
    ret->time = row[SESSION_COUNTERS_TIME];
    session_row_take(&items->table, row, &ret->u.counters);
    return XENOPROF_OK;
}

static enum xenoprof_status next_cost(struct block_items *items,
                                      const uint64_t *row,
                                      struct xenoprof_item *ret)
{
    ret->kind = XENOPROF_ITEM_COST;
    ret->time = row[SESSION_COST_TIME];
    session_row_take(&items->table, row, &ret->u.cost);
    return XENOPROF_OK;
}

static enum xenoprof_status next_idle(struct block_items *items,
                                      const uint64_t *row,
                                      struct xenoprof_item *ret)
{
    (void)items;
    ret->kind = XENOPROF_ITEM_IDLE;
    ret->time = row[SESSION_IDLE_TIME];
    ret->u.idle.pcpu = (uint16_t)row[SESSION_IDLE_PCPU];
    ret->u.idle.idle = row[SESSION_IDLE_IDLE];
    return XENOPROF_OK;
}

/* The domain and number of the vCPU that the row's first column refers to.
 * Returns false if that is not known. */
static bool get_vcpu(const struct block_items *items, const uint64_t *row,
                     uint16_t *domain, uint8_t uuid[16], uint16_t *vcpu)
{
    const struct defined_domain *known = reader_vcpu(items->read, row[0], vcpu);

    if ( !known )
        return false;
    *domain = known->number;
    memcpy(uuid, known->uuid, 16);
    return true;
}

/* Times of a file are anything: what a vCPU did is less than the span, or
 * nothing; it was blocked else. */
static void divide_span(const struct session_table *table,
                        struct xenoprof_waited *waited)
{
    const struct format_member *members = format_members(table);

    waited->blocked = waited->span;
    for ( size_t i = SESSION_WAIT_SPAN + 1; i < table->count; i++ )
    {
        uint64_t *part = (void *)((char *)waited + members[i].at);

        if ( *part > waited->blocked )
            *part = waited->blocked;
        waited->blocked -= *part;
    }
}

static enum xenoprof_status next_wait(struct block_items *items,
                                      const uint64_t *row,
                                      struct xenoprof_item *ret)
{
    struct xenoprof_waited *waited = &ret->u.wait;

    if ( !get_vcpu(items, row, &waited->domain, waited->uuid, &waited->vcpu) ||
         row[SESSION_WAIT_TIME] > UINT64_MAX / XENOPROF_WAIT_UNIT ||
         row[SESSION_WAIT_SPAN] > row[SESSION_WAIT_TIME] )
        return XENOPROF_END;
    ret->kind = XENOPROF_ITEM_WAIT;
    ret->time = row[SESSION_WAIT_TIME] * XENOPROF_WAIT_UNIT;
    session_row_take(&items->table, row, waited);
    divide_span(&items->table, waited);
    return XENOPROF_OK;
}

static enum xenoprof_status next_latency(struct block_items *items,
                                         const uint64_t *row,
                                         struct xenoprof_item *ret)
{
    struct xenoprof_latency *latency = &ret->u.latency;
    const struct defined_domain *by = READ_FIND(items->read, domains,
                                                row[SESSION_LATENCY_BY]);

    if ( !get_vcpu(items, row, &latency->domain, latency->uuid,
                   &latency->vcpu) ||
         row[SESSION_LATENCY_WHY] > XENOPROF_PREEMPTED ||
         row[SESSION_LATENCY_BUCKET] >= XENOPROF_LATENCY_BUCKETS )
        return XENOPROF_END;
    ret->kind = XENOPROF_ITEM_LATENCY;
    ret->time = row[SESSION_LATENCY_TIME];
    latency->by = XENOPROF_NOBODY;
    memset(latency->by_uuid, 0, sizeof(latency->by_uuid));
    if ( by && by->known )
    {
        latency->by = by->number;
        memcpy(latency->by_uuid, by->uuid, sizeof(latency->by_uuid));
    }
    session_row_take(&items->table, row, latency);
    return XENOPROF_OK;
}

static enum xenoprof_status next_exits(struct block_items *items,
                                       const uint64_t *row,
                                       struct xenoprof_item *ret)
{
    struct xenoprof_exits *exits = &ret->u.exits;
    const struct xenoprof_entry *entry = READ_FIND(items->read, entries,
                                                   row[SESSION_EXIT_ENTRY]);

    if ( !get_vcpu(items, row, &exits->domain, exits->uuid, &exits->vcpu) ||
         !entry || !entry->kind )
        return XENOPROF_END;
    ret->kind = XENOPROF_ITEM_EXITS;
    ret->time = row[SESSION_EXIT_TIME];
    exits->entry = *entry;
    session_row_take(&items->table, row, exits);
    return XENOPROF_OK;
}

/* What is told of types is what rows say of them: the last counts. */
static enum xenoprof_status next_type(struct block_items *items,
                                      struct xenoprof_item *ret)
{
    const struct reader_tables *read = items->read;

    while ( items->types < read->types.count )
    {
        const struct defined_type *type = &read->types.items[items->types++];

        items->steps += STEPS_ROW;
        if ( !type->known || type->number == XENOPROF_TYPE_TIME )
            continue;
        ret->kind = XENOPROF_ITEM_TYPE;
        ret->u.type.number = type->number;
        ret->u.type.type = (struct xenoprof_type){
            .name = items_known_text(items, type->name),
            .unit = items_known_text(items, type->unit),
            .select = type->select,
            .period = type->period,
            .turns = type->turns,
        };
        return XENOPROF_OK;
    }
    return XENOPROF_END;
}

static enum xenoprof_status next_measured(struct block_items *items,
                                          const uint64_t *row,
                                          struct xenoprof_item *ret)
{
    struct xenoprof_measured *measured = &ret->u.measured;

    if ( !row[SESSION_MEASURED_TYPE] ||
         !reader_type(items->read, row[SESSION_MEASURED_TYPE],
                      &measured->type) )
        return XENOPROF_END;
    ret->kind = XENOPROF_ITEM_MEASURED;
    ret->time = row[SESSION_MEASURED_TIME];
    session_row_take(&items->table, row, measured);
    return XENOPROF_OK;
}

/* A path that no writer would write is not one. */
static const char *known_path(const struct block_items *items, uint64_t number)
{
    const struct read_text *text = READ_FIND(items->read, texts, number);

    return text && text->bytes && text->size <= XENOPROF_ORIGIN_PATH_MAX
               ? text->bytes
               : "";
}

static enum xenoprof_status next_origin(struct block_items *items,
                                        const uint64_t *row,
                                        struct xenoprof_item *ret)
{
    struct xenoprof_origin *origin = &ret->u.origin;
    const struct defined_domain *domain = READ_FIND(items->read, domains,
                                                    row[SESSION_ORIGIN_DOMAIN]);
    const struct xenoprof_thread *thread = READ_FIND(
        items->read, threads, row[SESSION_ORIGIN_THREAD]);

    if ( !domain || !domain->known || !thread || !*thread->comm )
        return XENOPROF_END;
    ret->kind = XENOPROF_ITEM_ORIGIN;
    origin->domain = domain->number;
    memcpy(origin->uuid, domain->uuid, sizeof(origin->uuid));
    origin->thread = *thread;
    origin->exe = known_path(items, row[SESSION_ORIGIN_EXE]);
    origin->cgroup = known_path(items, row[SESSION_ORIGIN_CGROUP]);
    return XENOPROF_OK;
}

static enum xenoprof_status next_spooled(struct block_items *items,
                                         const uint64_t *row,
                                         struct xenoprof_item *ret)
{
    struct xenoprof_spooled *spooled = &ret->u.spooled;

    if ( !get_vcpu(items, row, &spooled->domain, spooled->uuid,
                   &spooled->vcpu) ||
         row[SESSION_SPOOLED_MODE] >= XENOPROF_MODE_IDLE ||
         row[SESSION_SPOOLED_SECOND] >= UINT64_MAX / XENOPROF_SECOND )
        return XENOPROF_END;
    ret->kind = XENOPROF_ITEM_SPOOLED;
    session_row_take(&items->table, row, spooled);
    items->spooled = true;
    return XENOPROF_OK;
}

/* Another file, or what follows a block that was lost, knows nothing of what
 * was said before.  Returns true if that is an item. */
static bool spooled_anew(struct block_items *items, struct xenoprof_item *ret)
{
    const bool anew = items->read->anew && items->spooled;

    items->read->anew = false;
    if ( !anew )
        return false;
    items->spooled = false;
    ret->kind = XENOPROF_ITEM_SPOOLED;
    ret->u.spooled.anew = true;
    return true;
}

/* A text that a program looks at, whatever it has.  Returns false if it is
 * longer than a writer's. */
static bool get_code_text(struct block_items *items, uint64_t number,
                          const char **ret)
{
    const struct read_text *text = READ_FIND(items->read, texts, number);

    *ret = text && text->bytes ? text->bytes : "";
    items->steps += text ? text->size : 0;
    return !text || text->size <= XENOPROF_CODE_TEXT_MAX;
}

/* What a row begins with; false: that is not known. */
static bool get_function(struct block_items *items, const uint64_t *row,
                         struct xenoprof_function *ret)
{
    const struct reader_tables *read = items->read;
    const struct defined_space *space = READ_FIND(read, spaces, row[0]);
    const struct defined_symbol *symbol = READ_FIND(read, symbols, row[1]);
    const struct defined_domain *domain = space ? READ_FIND(read, domains,
                                                            space->domain)
                                                : NULL;

    if ( !space || !symbol || space->mode >= XENOPROF_MODE_IDLE )
        return false;
    if ( space->mode != XENOPROF_MODE_XEN && !(domain && domain->known) )
        return false;
    ret->start = symbol->start;
    ret->mode = space->mode;
    if ( space->mode != XENOPROF_MODE_XEN )
    {
        ret->domain = domain->number;
        memcpy(ret->uuid, domain->uuid, sizeof(ret->uuid));
    }
    return get_code_text(items, symbol->image, &ret->image) &&
           get_code_text(items, symbol->name, &ret->symbol);
}

static enum xenoprof_status next_code(struct block_items *items,
                                      const uint64_t *row,
                                      struct xenoprof_item *ret)
{
    const struct read_text *bytes = READ_FIND(items->read, texts,
                                              row[SESSION_CODE_BYTES]);
    struct xenoprof_code *code = &ret->u.code;

    if ( !bytes || !bytes->size || bytes->size > XENOPROF_CODE_MAX ||
         row[SESSION_CODE_FROM] >= XENOPROF_CODE_FROMS ||
         row[SESSION_CODE_LENGTH] > bytes->size ||
         !get_function(items, row, &code->function) ||
         !get_code_text(items, row[SESSION_CODE_FILE], &code->file) )
        return XENOPROF_END;
    ret->kind = XENOPROF_ITEM_CODE;
    code->bytes = (const uint8_t *)bytes->bytes;
    code->size = bytes->size;
    code->from = (uint8_t)row[SESSION_CODE_FROM];
    code->length = (uint32_t)row[SESSION_CODE_LENGTH];
    items->steps += code->size;
    return XENOPROF_OK;
}

static enum xenoprof_status next_instruction(struct block_items *items,
                                             const uint64_t *row,
                                             struct xenoprof_item *ret)
{
    struct xenoprof_instruction *instruction = &ret->u.instruction;

    if ( row[SESSION_INSTRUCTION_OFFSET] >= XENOPROF_CODE_MAX ||
         row[SESSION_INSTRUCTION_LINE] > INT32_MAX ||
         !get_function(items, row, &instruction->function) ||
         !get_code_text(items, row[SESSION_INSTRUCTION_PATH],
                        &instruction->path) ||
         !get_code_text(items, row[SESSION_INSTRUCTION_NAME],
                        &instruction->name) )
        return XENOPROF_END;
    ret->kind = XENOPROF_ITEM_INSTRUCTION;
    instruction->offset = (uint32_t)row[SESSION_INSTRUCTION_OFFSET];
    instruction->line = *instruction->path
                            ? (uint32_t)row[SESSION_INSTRUCTION_LINE]
                            : 0;
    instruction->plus = row[SESSION_INSTRUCTION_PLUS];
    return XENOPROF_OK;
}

static enum xenoprof_status next_source(struct block_items *items,
                                        const uint64_t *row,
                                        struct xenoprof_item *ret)
{
    struct xenoprof_source_line *source = &ret->u.source;

    if ( !row[SESSION_SOURCE_LINE] || row[SESSION_SOURCE_LINE] > INT32_MAX ||
         !get_function(items, row, &source->function) ||
         !get_code_text(items, row[SESSION_SOURCE_PATH], &source->path) ||
         !get_code_text(items, row[SESSION_SOURCE_TEXT], &source->text) ||
         !*source->path )
        return XENOPROF_END;
    ret->kind = XENOPROF_ITEM_SOURCE;
    source->line = (uint32_t)row[SESSION_SOURCE_LINE];
    return XENOPROF_OK;
}

static enum xenoprof_status next_closed(struct block_items *items,
                                        const uint64_t *row,
                                        struct xenoprof_item *ret)
{
    (void)items;
    ret->kind = XENOPROF_ITEM_CLOSED;
    ret->time = row[SESSION_CLOSED_TIME];
    return XENOPROF_OK;
}

typedef enum xenoprof_status row_fn(struct block_items *items,
                                    const uint64_t *row,
                                    struct xenoprof_item *ret);

static const struct phase {
    uint32_t table;
    row_fn *next;
    unsigned int steps; /* of a row */
} phases[ITEMS_PHASES] = {
    [ITEMS_NOTES] = {SESSION_TABLE_NOTE, next_note, STEPS_NOTE},
    [ITEMS_NAMED] = {SESSION_TABLE_NAMED, next_named, STEPS_NAMED},
    [ITEMS_LINES] = {SESSION_TABLE_LINE, next_line, STEPS_LINE},
    [ITEMS_SUMS] = {SESSION_TABLE_SUM, next_sum, STEPS_ROW},
    [ITEMS_ACCOUNTS] = {SESSION_TABLE_ACCOUNT, next_account, STEPS_ROW},
    [ITEMS_COUNTERS] = {SESSION_TABLE_COUNTERS, next_counters, STEPS_ROW},
    [ITEMS_IDLE] = {SESSION_TABLE_IDLE, next_idle, STEPS_IDLE_ROW},
    [ITEMS_COSTS] = {SESSION_TABLE_COST, next_cost, STEPS_ROW},
    [ITEMS_WAITS] = {SESSION_TABLE_WAIT, next_wait, STEPS_ROW},
    [ITEMS_LATENCIES] = {SESSION_TABLE_LATENCY, next_latency, STEPS_LATENCY},
    [ITEMS_EXITS] = {SESSION_TABLE_EXIT, next_exits, STEPS_ROW},
    [ITEMS_MEASURED] = {SESSION_TABLE_MEASURED, next_measured, STEPS_ROW},
    [ITEMS_ORIGINS] = {SESSION_TABLE_ORIGIN, next_origin, STEPS_ORIGIN},
    [ITEMS_SPOOLED] = {SESSION_TABLE_SPOOLED, next_spooled, STEPS_ROW},
    [ITEMS_BYTES] = {SESSION_TABLE_CODE, next_code, STEPS_CODE},
    [ITEMS_INSTRUCTIONS] = {SESSION_TABLE_INSTRUCTION, next_instruction,
                            STEPS_CODE},
    [ITEMS_SOURCES] = {SESSION_TABLE_SOURCE, next_source, STEPS_CODE},
    [ITEMS_CLOSED] = {SESSION_TABLE_CLOSED, next_closed, STEPS_ROW},
};

/* XENOPROF_END after the phase's last item; a row may be none. */
static enum xenoprof_status next_phase_row(struct block_items *items,
                                           struct xenoprof_item *ret)
{
    const struct phase *phase = &phases[items->phase];
    const struct session_rows *rows = &items->read->rows[phase->table];
    enum xenoprof_status status = XENOPROF_END;

    if ( items->row == 0 )
        session_table_find(phase->table, &items->table);
    while ( status == XENOPROF_END &&
            (items->row + 1) * items->table.count <= rows->count )
    {
        status = phase->next(
            items, rows->items + items->row * items->table.count, ret);
        items->row++;
        items->steps += phase->steps;
    }
    return status;
}

static enum xenoprof_status next_of_phase(struct block_items *items,
                                          struct xenoprof_item *ret)
{
    if ( items->phase == ITEMS_TYPES )
        return next_type(items, ret);
    if ( items->phase == ITEMS_CODE )
        return items->code ? items_code(items, ret) : XENOPROF_END;
    if ( items->phase == ITEMS_CALLS )
        return samples_take(items, ret);
    if ( items->phase == ITEMS_SPOOLED && spooled_anew(items, ret) )
        return XENOPROF_OK;
    if ( items->phase != ITEMS_SAMPLES )
        return next_phase_row(items, ret);
    return items->wanted == ITEMS_ONES ? samples_next(items, ret)
                                       : samples_next_columns(items, ret);
}

/* Returns false if there is no memory. */
static bool grow_maps(struct block_items *items)
{
    const struct reader_tables *read = items->read;

    return grow_map(&items->texts, read->texts.count) &&
           grow_map(&items->domain_rows, read->domains.count) &&
           grow_map(&items->spaces, read->spaces.count) &&
           grow_map(&items->symbols, read->symbols.count) &&
           (!items->by_function ||
            grow_map(&items->functions,
                     read->symbols.count * XENOPROF_MODES)) &&
           grow_map(&items->places, read->places.count) &&
           (items->wanted == ITEMS_CHAINS ||
            grow_map(&items->nodes, read->nodes.count));
}

enum xenoprof_status block_items_next(struct block_items *items,
                                      struct xenoprof_item *ret)
{
    enum xenoprof_status status = XENOPROF_END;

    memset(ret, 0, sizeof(*ret));
    if ( items->phase == ITEMS_NOTES && !items->row && !grow_maps(items) )
        return XENOPROF_NO_MEMORY;
    if ( items_next_line(items, ret) )
        return XENOPROF_OK;
    while ( status == XENOPROF_END && items->phase < ITEMS_PHASES )
    {
        status = next_of_phase(items, ret);
        if ( status != XENOPROF_END )
            return status;
        if ( items_next_line(items, ret) )
            return XENOPROF_OK;
        items->phase++;
        items->row = 0;
    }
    return status;
}
