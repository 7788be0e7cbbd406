/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a caller says of a session, types, places and samples apart. */
#include <string.h>

#include "session-writer.h"

#define ROW_BYTES 16u /* about what one takes */

static enum xenoprof_status check_text(struct xenoprof_writer *writer,
                                       const char *text)
{
    size_t length = strlen(text);

    if ( length > STRING_MAX )
        return handle_fail(writer->handle, XENOPROF_INVALID,
                           "%s: a text of %zu bytes is longer than the %u that "
                           "a session holds",
                           writer->folder, length, STRING_MAX);
    return writer_has_room(writer) ? XENOPROF_OK : XENOPROF_NO_MEMORY;
}

/* A row was added, unless there was no memory. */
static enum xenoprof_status added(struct xenoprof_writer *writer, bool done)
{
    if ( !done )
        return handle_no_memory(writer->handle);
    writer->block.pending += ROW_BYTES;
    return XENOPROF_OK;
}

enum xenoprof_status xenoprof_writer_attribute(struct xenoprof_writer *writer,
                                               uint64_t time, const char *key,
                                               const char *value)
{
    enum xenoprof_status status = check_text(writer, key);
    bool changed;

    if ( !status )
        status = check_text(writer, value);
    if ( status )
        return status;
    if ( !state_attribute(&writer->state, time, key, value, &changed) )
        return handle_no_memory(writer->handle);
    return changed || writer->copies
               ? added(writer, block_note(writer, time, 0, key, value))
               : XENOPROF_OK;
}

enum xenoprof_status xenoprof_writer_domain(struct xenoprof_writer *writer,
                                            uint64_t time, uint16_t domain,
                                            const uint8_t uuid[16],
                                            const char *name, const char *kind)
{
    struct domain_state state = {.time = time,
                                 .name = (char *)name,
                                 .kind = (char *)kind,
                                 .domain = domain};
    enum xenoprof_status status = check_text(writer, name);
    uint32_t row;
    bool changed;

    if ( !status )
        status = check_text(writer, kind);
    if ( status )
        return status;
    memcpy(state.uuid, uuid, sizeof(state.uuid));
    if ( !state_domain(&writer->state, &state, &changed) )
        return handle_no_memory(writer->handle);
    if ( !changed && !writer->copies )
        return XENOPROF_OK;
    writer->domain_rows[domain] = 0;
    row = writer_domain_row(writer, domain);
    return added(writer, row && block_note(writer, time, row, name, ""));
}

void xenoprof_writer_domain_ended(struct xenoprof_writer *writer,
                                  uint16_t domain, const uint8_t uuid[16])
{
    state_drop_domain(&writer->state, domain, uuid);
}

void xenoprof_writer_attribute_ended(struct xenoprof_writer *writer,
                                     const char *key)
{
    state_drop_attribute(&writer->state, key);
}

enum xenoprof_status xenoprof_writer_ring(struct xenoprof_writer *writer,
                                          const struct xenoprof_ring_info *info,
                                          uint64_t read, uint64_t lost_daemon,
                                          uint64_t spooled)
{
    struct xenoprof_ring_past ring;
    bool changed;

    if ( !writer_has_room(writer) )
        return XENOPROF_NO_MEMORY;
    memset(&ring, 0, sizeof(ring));
    ring.info = *info;
    ring.read = read;
    ring.lost_daemon = lost_daemon;
    ring.spooled = spooled;
    if ( !state_ring(&writer->state, &ring, &changed) )
        return handle_no_memory(writer->handle);
    return changed || writer->copies ? added(writer, block_ring(writer, &ring))
                                     : XENOPROF_OK;
}

enum xenoprof_status xenoprof_writer_ring_ended(
    struct xenoprof_writer *writer, const struct xenoprof_ring_info *info)
{
    return state_end_ring(&writer->state, info)
               ? XENOPROF_OK
               : handle_no_memory(writer->handle);
}

enum xenoprof_status xenoprof_writer_counters(
    struct xenoprof_writer *writer, uint64_t time,
    const struct xenoprof_counters *counters)
{
    if ( !writer_has_room(writer) )
        return XENOPROF_NO_MEMORY;
    writer->state.counters = *counters;
    writer->state.counters_time = time;
    writer->state.counted = true;
    writer->now = time;
    writer_note_time(writer, time);
    return added(writer, block_counters(writer, time, counters));
}

enum xenoprof_status xenoprof_writer_idle(struct xenoprof_writer *writer,
                                          uint64_t time, uint16_t pcpu,
                                          uint64_t idle)
{
    if ( !writer_has_room(writer) )
        return XENOPROF_NO_MEMORY;
    writer_note_time(writer, time);
    return added(writer, block_idle(writer, time, pcpu, idle));
}

/* A new row of a table whose first column is the vCPU, with members of *from;
 * or NULL. */
static uint64_t *vcpu_row(struct xenoprof_writer *writer, uint32_t table,
                          uint16_t domain, uint16_t number, const void *from)
{
    uint32_t domain_row = writer_domain_row(writer, domain);
    uint32_t vcpu = domain_row
                        ? define_vcpu(&writer->tables, domain_row, number)
                        : 0;
    uint64_t *row = vcpu ? block_add_row(writer, table, from) : NULL;

    if ( row )
        row[0] = vcpu;
    return row;
}

enum xenoprof_status xenoprof_writer_wait(struct xenoprof_writer *writer,
                                          uint64_t time,
                                          const struct xenoprof_waited *waited)
{
    uint64_t *row;

    if ( !writer_has_room(writer) )
        return XENOPROF_NO_MEMORY;
    writer_note_time(writer, time);
    /* What is not on disk was blocked. */
    row = vcpu_row(writer, SESSION_TABLE_WAIT, waited->domain, waited->vcpu,
                   waited);
    if ( row )
        row[SESSION_WAIT_TIME] = time / XENOPROF_WAIT_UNIT;
    return added(writer, row);
}

enum xenoprof_status xenoprof_writer_latency(
    struct xenoprof_writer *writer, uint64_t time,
    const struct xenoprof_latency *latency)
{
    uint64_t *row;

    if ( !writer_has_room(writer) )
        return XENOPROF_NO_MEMORY;
    writer_note_time(writer, time);
    row = vcpu_row(writer, SESSION_TABLE_LATENCY, latency->domain,
                   latency->vcpu, latency);
    if ( row )
        row[SESSION_LATENCY_TIME] = time;
    if ( row && latency->by != XENOPROF_NOBODY )
        row[SESSION_LATENCY_BY] = writer_domain_row(writer, latency->by);
    return added(writer, row);
}

enum xenoprof_status xenoprof_writer_exits(struct xenoprof_writer *writer,
                                           uint64_t time,
                                           const struct xenoprof_exits *exits)
{
    const struct xenoprof_entry entry = {.code = exits->entry.code,
                                         .kind = exits->entry.kind,
                                         .flags = exits->entry.flags};
    static const uint64_t nobody[2];
    uint64_t *row;

    if ( !writer_has_room(writer) )
        return XENOPROF_NO_MEMORY;
    writer_note_time(writer, time);
    row = vcpu_row(writer, SESSION_TABLE_EXIT, exits->domain, exits->vcpu,
                   exits);
    if ( !row )
        return added(writer, false);
    row[SESSION_EXIT_TIME] = time;
    row[SESSION_EXIT_ENTRY] = define_entry(&writer->tables, nobody, &entry);
    return added(writer, row[SESSION_EXIT_ENTRY]);
}

/* Returns the number of a text, 0 for "" and for what is not taken. */
static uint32_t origin_text(struct xenoprof_writer *writer,
                            const uint64_t uuid[2], const char *text)
{
    return *text && strnlen(text, XENOPROF_ORIGIN_PATH_MAX + 1) <=
                        XENOPROF_ORIGIN_PATH_MAX
               ? define_origin_text(&writer->tables, uuid, text)
               : 0;
}

/* Returns the row of a thread, 0 if its guest has brought in too many. */
static uint32_t origin_thread(struct xenoprof_writer *writer,
                              const uint64_t uuid[2],
                              const struct xenoprof_thread *thread)
{
    uint32_t row = define_thread(&writer->tables, uuid, thread);

    return row && !memcmp(table_at(&writer->tables.threads, row - 1), thread,
                          sizeof(*thread))
               ? row
               : 0;
}

static bool add_origin(struct xenoprof_writer *writer,
                       const struct xenoprof_origin *origin)
{
    uint32_t domain = writer_domain_row(writer, origin->domain);
    uint32_t thread, exe, cgroup;
    uint64_t uuid[2], *row;

    if ( !domain )
        return false;
    memcpy(
        uuid,
        ((struct defined_domain *)table_at(&writer->tables.domains, domain - 1))
            ->uuid,
        sizeof(uuid));
    thread = origin_thread(writer, uuid, &origin->thread);
    exe = thread ? origin_text(writer, uuid, origin->exe) : 0;
    cgroup = thread ? origin_text(writer, uuid, origin->cgroup) : 0;
    if ( !exe && !cgroup )
        return true;
    row = block_add_row(writer, SESSION_TABLE_ORIGIN, NULL);
    if ( !row )
        return false;
    row[SESSION_ORIGIN_DOMAIN] = domain;
    row[SESSION_ORIGIN_THREAD] = thread;
    row[SESSION_ORIGIN_EXE] = exe;
    row[SESSION_ORIGIN_CGROUP] = cgroup;
    return true;
}

enum xenoprof_status xenoprof_writer_origin(
    struct xenoprof_writer *writer, const struct xenoprof_origin *origin)
{
    if ( !writer_has_room(writer) )
        return XENOPROF_NO_MEMORY;
    return added(writer, add_origin(writer, origin));
}

static enum xenoprof_status check_line(struct xenoprof_writer *writer,
                                       const struct xenoprof_line *line)
{
    if ( !writer_place_of(writer, line->place) )
        return handle_fail(writer->handle, XENOPROF_INVALID,
                           "%s: a line of a place with number %u, which the "
                           "file does not have",
                           writer->folder, line->place);
    if ( !line->line || line->line > INT32_MAX || !*line->path )
        return handle_fail(writer->handle, XENOPROF_INVALID,
                           "%s: a line with number %u of '%s' is none",
                           writer->folder, line->line, line->path);
    return writer_has_room(writer) ? XENOPROF_OK : XENOPROF_NO_MEMORY;
}

enum xenoprof_status xenoprof_writer_line(struct xenoprof_writer *writer,
                                          const struct xenoprof_line *line)
{
    const bool fits = strnlen(line->path, XENOPROF_LINE_PATH_MAX + 1) <=
                      XENOPROF_LINE_PATH_MAX;
    enum xenoprof_status status = check_line(writer, line);
    uint64_t *row = NULL;
    uint32_t path;

    if ( status || !fits )
        return status;
    path = writer_text(writer, line->path);
    if ( path )
        row = block_add_row(writer, SESSION_TABLE_LINE, NULL);
    if ( !row )
        return added(writer, false);
    row[SESSION_LINE_PLACE] = writer_place_of(writer, line->place);
    row[SESSION_LINE_PATH] = path;
    row[SESSION_LINE_LINE] = line->line;
    return added(writer, true);
}

static bool fits(const char *text)
{
    return strnlen(text, XENOPROF_CODE_TEXT_MAX + 1) <= XENOPROF_CODE_TEXT_MAX;
}

/* Adds a row whose first two columns are the function, or returns NULL; texts
 * that come with it have numbers by then. */
static uint64_t *function_row(struct xenoprof_writer *writer, uint32_t table,
                              const struct xenoprof_function *function)
{
    uint32_t space = writer_space(writer, function->domain, function->mode);
    bool done = space;
    uint32_t image = writer_text_row(writer, function->image, &done);
    uint32_t name = writer_text_row(writer, function->symbol, &done);
    uint32_t symbol = done ? define_symbol(&writer->tables, image, name,
                                           function->start)
                           : 0;
    uint64_t *row = symbol ? block_add_row(writer, table, NULL) : NULL;

    if ( !row )
        return NULL;
    row[0] = space;
    row[1] = symbol;
    return row;
}

/* Returns false if nothing is written of it, with *ret. */
static bool may_write(struct xenoprof_writer *writer,
                      const struct xenoprof_function *function, bool sound,
                      bool small, enum xenoprof_status *ret)
{
    *ret = XENOPROF_OK;
    if ( !sound || function->mode >= XENOPROF_MODE_IDLE )
        *ret = handle_fail(writer->handle, XENOPROF_INVALID,
                           "%s: what is said of the code of %s is not code",
                           writer->folder, function->symbol);
    else if ( !writer_has_room(writer) )
        *ret = XENOPROF_NO_MEMORY;
    return !*ret && small && fits(function->image) && fits(function->symbol);
}

enum xenoprof_status xenoprof_writer_code(struct xenoprof_writer *writer,
                                          const struct xenoprof_code *code)
{
    enum xenoprof_status status;
    bool done = true;
    uint32_t bytes, file;
    uint64_t *row;

    if ( !may_write(writer, &code->function,
                    code->size && code->length <= code->size &&
                        code->from < XENOPROF_CODE_FROMS,
                    code->size <= XENOPROF_CODE_MAX && fits(code->file),
                    &status) )
        return status;
    bytes = define_text(&writer->tables, code->bytes, code->size);
    writer->block.pending += code->size;
    file = writer_text_row(writer, code->file, &done);
    row = bytes && done
              ? function_row(writer, SESSION_TABLE_CODE, &code->function)
              : NULL;
    if ( !row )
        return added(writer, false);
    row[SESSION_CODE_BYTES] = bytes;
    row[SESSION_CODE_FILE] = file;
    row[SESSION_CODE_FROM] = code->from;
    row[SESSION_CODE_LENGTH] = code->length;
    return added(writer, true);
}

enum xenoprof_status xenoprof_writer_instruction(
    struct xenoprof_writer *writer,
    const struct xenoprof_instruction *instruction)
{
    enum xenoprof_status status;
    bool done = true;
    uint32_t path, name;
    uint64_t *row;

    if ( !may_write(
             writer, &instruction->function, instruction->line <= INT32_MAX,
             fits(instruction->path) && fits(instruction->name), &status) )
        return status;
    path = writer_text_row(writer, instruction->path, &done);
    name = writer_text_row(writer, instruction->name, &done);
    row = done ? function_row(writer, SESSION_TABLE_INSTRUCTION,
                              &instruction->function)
               : NULL;
    if ( !row )
        return added(writer, false);
    row[SESSION_INSTRUCTION_OFFSET] = instruction->offset;
    row[SESSION_INSTRUCTION_PATH] = path;
    row[SESSION_INSTRUCTION_LINE] = instruction->line;
    row[SESSION_INSTRUCTION_NAME] = name;
    row[SESSION_INSTRUCTION_PLUS] = instruction->plus;
    return added(writer, true);
}

enum xenoprof_status xenoprof_writer_source(
    struct xenoprof_writer *writer, const struct xenoprof_source_line *source)
{
    enum xenoprof_status status;
    bool done = true;
    uint32_t path, text;
    uint64_t *row;

    if ( !may_write(writer, &source->function,
                    source->line && source->line <= INT32_MAX && *source->path,
                    fits(source->path) && fits(source->text), &status) )
        return status;
    path = writer_text_row(writer, source->path, &done);
    text = writer_text_row(writer, source->text, &done);
    row = done ? function_row(writer, SESSION_TABLE_SOURCE, &source->function)
               : NULL;
    if ( !row )
        return added(writer, false);
    row[SESSION_SOURCE_PATH] = path;
    row[SESSION_SOURCE_LINE] = source->line;
    row[SESSION_SOURCE_TEXT] = text;
    return added(writer, true);
}

enum xenoprof_status xenoprof_writer_spooled(
    struct xenoprof_writer *writer, const struct xenoprof_spooled *spooled)
{
    if ( !writer_has_room(writer) )
        return XENOPROF_NO_MEMORY;
    return added(writer, vcpu_row(writer, SESSION_TABLE_SPOOLED,
                                  spooled->domain, spooled->vcpu, spooled));
}

enum xenoprof_status xenoprof_writer_cost(struct xenoprof_writer *writer,
                                          uint64_t time,
                                          const struct xenoprof_cost *cost)
{
    uint64_t *row;

    if ( !writer_has_room(writer) )
        return XENOPROF_NO_MEMORY;
    writer_note_time(writer, time);
    row = block_add_row(writer, SESSION_TABLE_COST, cost);
    if ( row )
        row[SESSION_COST_TIME] = time;
    return added(writer, row);
}

enum xenoprof_status xenoprof_writer_measured(
    struct xenoprof_writer *writer, uint64_t time,
    const struct xenoprof_measured *measured)
{
    uint64_t *row = NULL;
    uint32_t type;

    if ( !writer_types_has(writer, measured->type) )
        return handle_fail(writer->handle, XENOPROF_INVALID,
                           "%s: time of type %u, which was not declared",
                           writer->folder, measured->type);
    if ( !writer_has_room(writer) )
        return XENOPROF_NO_MEMORY;
    writer_note_time(writer, time);
    type = writer_type_row(writer, measured->type);
    if ( type )
        row = block_add_row(writer, SESSION_TABLE_MEASURED, measured);
    if ( !row )
        return added(writer, false);
    row[SESSION_MEASURED_TYPE] = type;
    row[SESSION_MEASURED_TIME] = time;
    return added(writer, true);
}

size_t xenoprof_writer_past_rings(const struct xenoprof_writer *writer)
{
    return writer->state.rings.count;
}

void xenoprof_writer_past_ring(const struct xenoprof_writer *writer,
                               size_t index, struct xenoprof_ring_past *ret)
{
    *ret = writer->state.rings.items[index];
}

size_t xenoprof_writer_past_sums(const struct xenoprof_writer *writer)
{
    return writer->state.ring_sums.count;
}

void xenoprof_writer_past_sum(const struct xenoprof_writer *writer,
                              size_t index, struct xenoprof_ring_sum *ret)
{
    *ret = *(const struct xenoprof_ring_sum *)table_at(&writer->state.ring_sums,
                                                       index);
}

const char *xenoprof_writer_past_attribute(const struct xenoprof_writer *writer,
                                           const char *key)
{
    return state_attribute_now(&writer->state, key);
}
