/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded text: a stack a line, "main;work;write_[k] 12".  What xenopreport
 * --folded writes is known by Xen's functions, or by dom0: its first frame is
 * the domain, and the number is ns.  Of any other the number is samples, and
 * the domain is called as the file.
 */
#include "import-formats.h"

#include "base/must.h"
#include "base/scope.h"
#include "base/vector.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_MAX  60 /* bytes of a line in a sentence */
#define SUFFIX     4u /* "_[k]" */
#define FIRST_DOM0 "Domain-0;"

struct folded_reader {
    const struct import_file *file;
    struct sink *sink;
    struct failure *failure;
    bool ours;
    uint64_t line;
    uint16_t domain, type;
    struct {
        VECTOR(uint32_t);
    } places; /* root first */
};

/* Returns where the number begins that ends a line of this length, or NULL;
 * what is before it ends at *end. */
static const char *find_number(const char *line, size_t length, size_t *end)
{
    size_t at = length;

    while ( at && isdigit((unsigned char)line[at - 1]) )
        at--;
    if ( at == length || !at || (line[at - 1] != ' ' && line[at - 1] != '\t') )
        return NULL;
    *end = at;
    while ( *end && (line[*end - 1] == ' ' || line[*end - 1] == '\t') )
        --*end;
    return *end ? line + at : NULL;
}

static size_t without_end(const char *line, size_t length)
{
    while ( length && (line[length - 1] == '\n' || line[length - 1] == '\r') )
        length--;
    return length;
}

/* A line that is empty, or a comment. */
static bool says_nothing(const char *line, size_t length)
{
    return !length || line[0] == '#';
}

static bool is_text(const struct import_head *head)
{
    for ( size_t i = 0; i < head->size; i++ )
        if ( head->bytes[i] < ' ' && !strchr("\t\r\n", head->bytes[i]) )
            return false;
    return head->size && !memchr(head->bytes, '\0', head->size);
}

/* The first line that says something has a number at its end; of one that is
 * longer than the head that is not known yet. */
bool is_folded(const struct import_head *head)
{
    const char *at = (const char *)head->bytes, *end = at + head->size;
    size_t stack;

    if ( !is_text(head) )
        return false;
    while ( at < end )
    {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        const size_t length = without_end(at,
                                          (size_t)((next ? next : end) - at));

        if ( !next && head->size == IMPORT_HEAD_MAX )
            return memchr(at, ';', length);
        if ( !says_nothing(at, length) )
            return find_number(at, length, &stack);
        at = next ? next + 1 : end;
    }
    return false;
}

/* The mode of a frame, whose suffix *length loses. */
static uint8_t take_suffix(const char *frame, size_t *length)
{
    const char *suffix = frame + *length - SUFFIX;

    if ( *length <= SUFFIX )
        return XENOPROF_MODE_USER;
    if ( memcmp(suffix, "_[k]", SUFFIX) && memcmp(suffix, "_[x]", SUFFIX) )
        return XENOPROF_MODE_USER;
    *length -= SUFFIX;
    return suffix[2] == 'k' ? XENOPROF_MODE_KERNEL : XENOPROF_MODE_XEN;
}

static void add_frame(struct folded_reader *reader, const char *frame,
                      size_t length, uint8_t *mode)
{
    static const char *const images[XENOPROF_MODES] = {
        [XENOPROF_MODE_XEN] = "xen",
        [XENOPROF_MODE_KERNEL] = "kernel",
    };
    struct xenoprof_place place = {.domain = reader->domain};
    char *name SCOPE_FREE = NULL;

    *mode = place.mode = take_suffix(frame, &length);
    place.image = images[place.mode];
    name = must(strndup(frame, length));
    place.symbol = name;
    *(uint32_t *)must(vector_add(&reader->places)) = sink_place(reader->sink,
                                                                &place);
}

static void turn_round(uint32_t *places, size_t count)
{
    for ( size_t i = 0; i < count / 2; i++ )
    {
        const uint32_t other = places[count - 1 - i];

        places[count - 1 - i] = places[i];
        places[i] = other;
    }
}

/* stack: frames, root first. */
static void put_line(struct folded_reader *reader, const char *stack,
                     size_t length, uint64_t value)
{
    const struct sink_amount amount = {value, reader->ours ? 1 : value};
    struct xenoprof_stored sample = {
        .time = SINK_START, .type = reader->type, .mode = XENOPROF_MODE_USER};
    size_t at = 0;

    if ( reader->ours )
    {
        const char *end = memchr(stack, ';', length);
        char *name SCOPE_FREE = NULL;

        at = end ? (size_t)(end - stack) : length;
        name = must(strndup(stack, at));
        reader->domain = sink_domain_called(reader->sink, name);
        at += end ? 1 : 0;
    }
    reader->places.count = 0;
    while ( at < length )
    {
        const char *end = memchr(stack + at, ';', length - at);
        const size_t frame = end ? (size_t)(end - stack) - at : length - at;

        if ( frame )
            add_frame(reader, stack + at, frame, &sample.mode);
        at += frame + 1;
    }
    sample.domain = reader->domain;
    turn_round(reader->places.items, reader->places.count);
    if ( value )
        sink_samples(reader->sink, &sample, reader->places.items,
                     reader->places.count, &amount);
}

static enum exit_status refuse_line(struct folded_reader *reader,
                                    const char *line, size_t length)
{
    return fail(reader->failure, STATUS_BAD_SESSION,
                "%s: line %llu, \"%.*s%s\", is not a folded stack: frames with "
                "';' between them, a blank, and a whole number",
                reader->file->path, (unsigned long long)reader->line,
                (int)(length < SHOWN_MAX ? length : SHOWN_MAX), line,
                length > SHOWN_MAX ? "..." : "");
}

static enum exit_status read_line(struct folded_reader *reader,
                                  const char *line, size_t length)
{
    const char *number;
    uint64_t value;
    size_t stack;
    char *end;

    length = without_end(line, length);
    reader->line++;
    if ( says_nothing(line, length) )
        return STATUS_DONE;
    number = memchr(line, '\0', length) ? NULL
                                        : find_number(line, length, &stack);
    errno = 0;
    value = number ? strtoull(number, &end, 10) : 0;
    if ( !number || errno )
        return refuse_line(reader, line, length);
    put_line(reader, line, stack, value);
    return reader->failure->status;
}

/* Whether a line is one that only xenopreport writes. */
static bool is_ours(const char *line, size_t length)
{
    static const char *const has[] = {"_[x];",    "_[x] ",     ";[truncated]",
                                      ";[guest ", ";[not sam", ";[user of ",
                                      ";[user] ", ";[user];"};

    for ( size_t i = 0; i < sizeof(has) / sizeof(has[0]); i++ )
        if ( memmem(line, length, has[i], strlen(has[i])) )
            return true;
    return !strncmp(line, FIRST_DOM0, strlen(FIRST_DOM0));
}

/* Does something with each line, as long as that returns true. */
static enum exit_status each_line(struct folded_reader *reader, FILE *lines)
{
    char *line SCOPE_FREE = NULL;
    size_t room = 0;
    ssize_t length;

    while ( !reader->ours && (length = getline(&line, &room, lines)) >= 0 )
        reader->ours = is_ours(line, (size_t)length);
    rewind(lines);
    if ( reader->ours )
        reader->type = sink_event(reader->sink, "time", "ns", 0, 0);
    else
    {
        reader->type = sink_event(reader->sink, "samples", "samples", 0, 0);
        reader->domain = sink_domain_called(reader->sink, reader->file->name);
    }
    while ( !reader->failure->status &&
            (length = getline(&line, &room, lines)) >= 0 )
        read_line(reader, line, (size_t)length);
    if ( !reader->failure->status && !feof(lines) )
        fail(reader->failure, STATUS_BAD_SESSION, "%s cannot be read: %m",
             reader->file->path);
    return reader->failure->status;
}

enum exit_status read_folded(const struct import_file *file, struct sink *sink,
                             uint64_t *end, struct failure *failure)
{
    struct folded_reader reader = {
        .file = file, .sink = sink, .failure = failure};
    FILE *lines SCOPE_FCLOSE = fdopen(dup(file->fd), "r");

    if ( !lines )
        return fail(failure, STATUS_FAILED, "%s cannot be read: %m",
                    file->path);
    *end = SINK_START;
    each_line(&reader, lines);
    vector_free(&reader.places);
    return failure->status;
}
