/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each message is checked whole before anything is done for it.  What an answer
 * takes is bounded: a message has room for the longest texts of all questions
 * that one may have.
 */
#include "answers.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "proc-spaces.h"
#include "client-space.h"
#include "trampolines.h"

_Static_assert(sizeof(struct agent_head) == 16 &&
                   sizeof(struct agent_welcome) == 16 &&
                   sizeof(struct agent_question) == 24 &&
                   sizeof(struct agent_work) == 40 &&
                   sizeof(struct agent_answer) == 64 &&
                   sizeof(struct agent_mapping) == 32 &&
                   sizeof(struct agent_rows_question) == 32 &&
                   sizeof(struct agent_table) == 16 &&
                   sizeof(struct agent_inlined) == 208 &&
                   offsetof(struct agent_inlined, sources) == AGENT_INLINED_OLD,
               "both sides lay them out alike");
_Static_assert(sizeof(struct agent_head) + sizeof(struct agent_work) +
                       AGENT_QUESTIONS_MAX *
                           (sizeof(struct agent_answer) + 3 * AGENT_TEXT_MAX) +
                       1 <=
                   AGENT_MESSAGE_MAX,
               "all texts find room");
_Static_assert(AGENT_MAPPINGS_MAX == PAST_MAPPINGS_MAX &&
                   sizeof(struct agent_head) + sizeof(struct agent_table) +
                           AGENT_PIECE_MAX <=
                       AGENT_MESSAGE_MAX &&
                   AGENT_PIECE_MAX % 8 == 0,
               "so do all mappings, and a piece");

_Static_assert(AGENT_LEVELS_MAX == INLINED_MAX &&
                   AGENT_PIECE_MAX == FILE_PIECE_MAX &&
                   AGENT_TEXT_MAX == ELF_NAME_MAX &&
                   sizeof(struct agent_head) +
                           AGENT_INLINES_OLD *
                               (AGENT_INLINED_OLD +
                                AGENT_LEVELS_MAX * AGENT_TEXT_MAX) +
                           1 + AGENT_TEXT_MAX <=
                       AGENT_MESSAGE_MAX &&
                   sizeof(struct agent_head) +
                           AGENT_INLINES_MAX *
                               (sizeof(struct agent_inlined) +
                                (2 * AGENT_LEVELS_MAX + 1) * AGENT_TEXT_MAX) +
                           1 + AGENT_TEXT_MAX <=
                       AGENT_MESSAGE_MAX,
               "and all inlined functions, with their lines");

/* Steps that the answer to one message may take, and one unit beyond them
 * (inline-names.h): a fifth of a processor does both in some seconds. */
#define INLINES_STEPS 5000000u

/* An answer that is being made. */
struct answer_text {
    uint8_t *bytes;
    size_t texts; /* where they begin */
    size_t size;
    uint32_t count; /* of mappings */
    uint64_t began; /* the making: what was read since is good for it */
    uint16_t version;
    uint64_t image; /* of the last mapping */
};

void agent_facts_read(const struct agent_facts *facts)
{
    uint64_t missed;

    if ( facts->events )
        perf_events_read(facts->events, facts->history);
    if ( facts->sweep )
    {
        /* What was lost, or had no room: that of processes whose end nobody saw
         * would do, and without events nobody sees one. */
        missed = space_history_counts(facts->history).refused +
                 (facts->events ? perf_events_lost(facts->events) : 0);
        space_sweep_work(facts->sweep, facts->history, missed, perf_events_now);
    }
    space_history_expire(facts->history, perf_events_now());
    file_names_rest(facts->files);
}

/* Returns where a text is among those of the reply, cut to what one may have;
 * what is not printable is '?'. */
static uint32_t put_reply_text(struct answer_text *reply, const char *text)
{
    char *to = (char *)reply->bytes + reply->size;
    size_t length = strnlen(text, AGENT_TEXT_MAX - 1);
    char *known = (char *)reply->bytes + reply->texts;

    for ( size_t i = 0; i < length; i++ )
        to[i] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
    to[length] = 0;
    for ( ; strcmp(known, to); known += strlen(known) + 1 )
        ;
    if ( known == to )
        reply->size += length + 1;
    return (uint32_t)(known - (char *)reply->bytes - reply->texts);
}

/* message_began: when the making of the answer did. */
static const struct past_space *find_past_space(
    const struct agent_facts *facts, const struct agent_question *question,
    uint64_t message_began)
{
    const int32_t tgid = (int32_t)question->tgid;
    uint64_t now, began;
    const struct past_space *space;

    if ( !question->tgid || question->tgid > INT32_MAX )
        return NULL;
    if ( facts->events || facts->follows_clients )
        return space_history_find(facts->history, tgid, question->time);
    /* Without events a process is looked at now, which is later than the
     * question's time: whoever began after that is another one.  All questions
     * of a message are answered by what it has when the first one is. */
    now = perf_events_now();
    if ( !proc_space_began(question->tgid, &began) || began > question->time )
        return NULL;
    space = space_history_find(facts->history, tgid, now);
    if ( space && space->known >= message_began )
        return space;
    return proc_space_add(facts->history, tgid, now)
               ? space_history_find(facts->history, tgid, now)
               : NULL;
}

static const struct past_mapping *find_past_mapping(
    const struct past_space *space, uint64_t address)
{
    for ( uint32_t i = 0; i < space->count; i++ )
        if ( space->mappings[i].start <= address &&
             address < space->mappings[i].end )
            return &space->mappings[i];
    return NULL;
}

static void name_in_file(struct answer_text *reply,
                         const struct file_function *function, const char *path,
                         struct agent_answer *answer)
{
    const char *name = strrchr(path, '/');
    char text[AGENT_TEXT_MAX];

    answer->build_id_size = (uint8_t)function->build_id_size;
    memcpy(answer->build_id, function->build_id, function->build_id_size);
    if ( !function->is_code )
    {
        answer->found = AGENT_NO_FILE; /* it says that this is not code */
        return;
    }
    answer->found = AGENT_NAMED;
    answer->address = function->address;
    answer->start = function->start;
    answer->symbol = put_reply_text(reply, function->name);
    if ( answer->symbol )
        return;
    /* A function without a name is called by where it begins in its file. */
    snprintf(text, sizeof(text), "%.200s+0x%lx", name ? name + 1 : path,
             answer->start);
    answer->symbol = put_reply_text(reply, text);
    answer->found = AGENT_NO_SYMBOL;
}

/* Returns the path of the process's dump, or NULL. */
static const char *find_dump(const struct past_space *space)
{
    for ( uint32_t i = 0; space && i < space->count; i++ )
        if ( jit_names_is_dump(space->text + space->mappings[i].path) )
            return space->text + space->mappings[i].path;
    return NULL;
}

/* What a process says of code that it compiled itself is what is there now.  Of
 * one that we are told of it says nothing to us. */
static bool process_still_runs(const struct agent_facts *facts,
                               const struct agent_question *question)
{
    uint64_t began;

    return facts->jits && proc_space_began(question->tgid, &began) &&
           began <= question->time;
}

static struct mapped_file mapped_at(const struct past_space *space,
                                    const struct past_mapping *mapping,
                                    uint64_t address)
{
    return (struct mapped_file){.tgid = space->tgid,
                                .path = space->text + mapping->path,
                                .inode = mapping->inode,
                                .offset = mapping->offset +
                                          (address - mapping->start)};
}

static void look_up_address(const struct agent_facts *facts,
                            struct answer_text *reply,
                            const struct agent_question *question,
                            const struct past_space *space,
                            struct agent_answer *answer)
{
    const struct past_mapping *mapping = find_past_mapping(space,
                                                           question->address);
    const struct file_answer *from_file;
    struct mapped_file mapped;
    uint64_t number;

    if ( !mapping )
        return;
    mapped = mapped_at(space, mapping, question->address);
    answer->found = AGENT_NO_FILE;
    answer->path = put_reply_text(reply, mapped.path);
    answer->offset = mapped.offset;
    from_file = file_names_ask(facts->files, &mapped, FILE_FUNCTION, NULL,
                               &number);
    if ( !from_file )
        return;
    if ( from_file->found == FILE_FOUND )
        name_in_file(reply, &from_file->function, mapped.path, answer);
    /* Whoever speaks an older version takes it for a file that cannot be
     * read. */
    if ( reply->version < AGENT_VERSION_LATER )
        return;
    if ( from_file->found == FILE_LATER )
        answer->found = AGENT_LATER;
    if ( from_file->found == FILE_TOO_DEAR )
        answer->found = AGENT_TOO_DEAR;
}

static void answer_one(const struct agent_facts *facts,
                       struct answer_text *reply,
                       const struct agent_question *question,
                       struct agent_answer *answer)
{
    const struct past_space *space = find_past_space(facts, question,
                                                     reply->began);
    struct jit_found function;

    *answer = (struct agent_answer){.address = question->address,
                                    .start = question->address,
                                    .found = space ? AGENT_NO_MAPPING
                                                   : AGENT_NO_PROCESS};
    if ( space )
        look_up_address(facts, reply, question, space, answer);
    if ( answer->found != AGENT_NO_MAPPING && answer->found != AGENT_NO_FILE )
        return;
    /* Code of no file may be what the process compiled itself. */
    if ( !process_still_runs(facts, question) ||
         !jit_names_find(facts->jits, (int32_t)question->tgid, find_dump(space),
                         question->address, perf_events_now(), &function) )
        return;
    answer->found = AGENT_NAMED;
    answer->offset = 0;
    answer->address = question->address;
    answer->start = function.start;
    answer->path = put_reply_text(reply, function.path);
    answer->symbol = put_reply_text(reply, function.name);
}

static void put_work(const struct agent_facts *facts, void *to)
{
    struct space_history_counts counts = space_history_counts(facts->history);
    const struct agent_work work = {
        .cpu = clock_read(CLOCK_PROCESS_CPUTIME_ID) +
               file_names_cpu(facts->files),
        .bytes = counts.bytes + file_names_bytes(facts->files) +
                 (facts->jits ? jit_names_bytes(facts->jits) : 0),
        .dropped = counts.dropped,
        .refused = counts.refused + file_names_refused(facts->files) +
                   (facts->jits ? jit_names_refused(facts->jits) : 0),
        .lost = facts->events ? perf_events_lost(facts->events) : 0,
    };

    memcpy(to, &work, sizeof(work));
}

static size_t end_reply(struct answer_text *reply,
                        const struct agent_head *asked, enum agent_kind kind,
                        uint16_t version)
{
    const struct agent_head head = {
        .kind = (uint16_t)kind,
        .version = version,
        .length = (uint32_t)reply->size,
        .number = asked->number,
        .count = kind == AGENT_THERE || kind == AGENT_INLINED ? asked->count
                                                              : reply->count,
    };

    memcpy(reply->bytes, &head, sizeof(head));
    return reply->size;
}

static size_t welcome(const struct agent_facts *facts, struct agent_talk *talk,
                      const struct agent_head *head, uint8_t *bytes)
{
    struct answer_text reply = {.bytes = bytes, .size = sizeof(*head)};
    const struct agent_welcome text = {
        .now = perf_events_now(),
        .follows = facts->follows_clients ? AGENT_FOLLOWS_TOLD
                   : facts->events        ? AGENT_FOLLOWS_EVENTS
                                          : 0,
    };

    if ( !talk->version )
        file_names_begin_anew(facts->files);
    talk->version = head->version < AGENT_VERSION ? head->version
                                                  : AGENT_VERSION;
    memcpy(bytes + reply.size, &text, sizeof(text));
    reply.size += sizeof(text);
    return end_reply(&reply, head, AGENT_WELCOME, talk->version);
}

static size_t answer_all(const struct agent_facts *facts,
                         const struct agent_talk *talk,
                         const struct agent_head *head, const uint8_t *message,
                         uint8_t *bytes)
{
    const size_t first = sizeof(*head) + sizeof(struct agent_work);
    struct answer_text reply = {
        .bytes = bytes, .began = perf_events_now(), .version = talk->version};

    reply.texts = reply.size = first +
                               head->count * sizeof(struct agent_answer);
    bytes[reply.size++] = 0; /* the text "" */
    agent_facts_read(facts);
    for ( uint32_t i = 0; i < head->count; i++ )
    {
        struct agent_question question;
        struct agent_answer answer;

        memcpy(&question, message + sizeof(*head) + i * sizeof(question),
               sizeof(question));
        answer_one(facts, &reply, &question, &answer);
        memcpy(bytes + first + i * sizeof(answer), &answer, sizeof(answer));
    }
    put_work(facts, bytes + sizeof(*head));
    return end_reply(&reply, head, AGENT_THERE, talk->version);
}

/* Returns the number of code of no file that has rows all the same, or 0. */
static uint64_t find_compiled(const struct agent_facts *facts,
                              const struct past_space *space,
                              const struct past_mapping *mapping)
{
    return jit_names_image(facts->jits, space->tgid, find_dump(space),
                           mapping->start, mapping->end, perf_events_now());
}

/* now: what is told of the process is what it has now. */
static void put_reply_mapping(struct answer_text *reply,
                              const struct agent_facts *facts,
                              const struct past_space *space, uint32_t i,
                              bool now)
{
    const struct past_mapping *from = &space->mappings[i];
    const char *path = space->text + from->path;
    struct agent_mapping mapping = {
        .start = from->start, .end = from->end, .offset = from->offset};

    /* Of a file there are some in a row. */
    if ( i && from->inode && from[-1].inode == from->inode &&
         !strcmp(path, space->text + from[-1].path) )
        mapping.image = reply->image;
    else
        mapping.image = file_names_number(facts->files, space->tgid, path,
                                          from->inode);
    reply->image = mapping.image;
    if ( !mapping.image && !from->inode && now )
        mapping.image = find_compiled(facts, space, from);
    if ( mapping.image & AGENT_IMAGE_NO_FILE )
        mapping.offset = 0;
    memcpy(reply->bytes + reply->size, &mapping, sizeof(mapping));
    reply->size += sizeof(mapping);
    reply->count++;
}

static size_t answer_space(const struct agent_facts *facts,
                           const struct agent_talk *talk,
                           const struct agent_head *head,
                           const uint8_t *message, uint8_t *bytes)
{
    struct answer_text reply = {.bytes = bytes, .size = sizeof(*head)};
    struct agent_question question;
    const struct past_space *space;
    bool now;

    memcpy(&question, message + sizeof(*head), sizeof(question));
    agent_facts_read(facts);
    space = find_past_space(facts, &question, perf_events_now());
    now = space && process_still_runs(facts, &question);
    for ( uint32_t i = 0; space && i < space->count; i++ )
        put_reply_mapping(&reply, facts, space, i, now);
    return end_reply(&reply, head, AGENT_MAPPED, talk->version);
}

/* A piece of a table. */
static void put_piece(struct answer_text *reply, struct agent_table *table,
                      uint64_t size, const uint8_t *piece, size_t count)
{
    table->size = size;
    if ( count )
        memcpy(reply->bytes + reply->size, piece, count);
    reply->size += count;
}

/* Puts the rows of code of no file, if they are known. */
static void put_compiled(const struct agent_facts *facts,
                         struct answer_text *reply,
                         const struct past_space *space,
                         const struct past_mapping *mapping, uint64_t offset,
                         struct agent_table *table)
{
    struct buffer made = {0};

    table->image = find_compiled(facts, space, mapping);
    if ( table->image && trampolines_rows(table->image, &made) )
        put_piece(reply, table, made.used, made.bytes + offset,
                  file_piece(made.used, offset));
    else
        table->image = 0;
    buffer_free(&made);
}

/* Puts the rows of what is mapped at an address. */
static void put_reply_rows(const struct agent_facts *facts,
                           struct answer_text *reply,
                           const struct agent_rows_question *question,
                           struct agent_table *table)
{
    const struct past_space *space = find_past_space(facts, &question->where,
                                                     perf_events_now());
    const struct past_mapping *mapping =
        space ? find_past_mapping(space, question->where.address) : NULL;
    const struct file_answer *from_file;
    struct mapped_file mapped;

    if ( !mapping )
        return;
    mapped = mapped_at(space, mapping, mapping->start);
    mapped.offset = question->offset;
    from_file = file_names_ask(facts->files, &mapped, FILE_ROWS, NULL,
                               &table->image);
    if ( from_file && from_file->found == FILE_FOUND )
        put_piece(reply, table, from_file->table, from_file->rows,
                  from_file->piece);
    else if ( from_file && from_file->found == FILE_LATER &&
              reply->version >= AGENT_VERSION_LATER )
        table->size = AGENT_TABLE_LATER;
    else if ( !from_file && !mapping->inode &&
              process_still_runs(facts, &question->where) )
        put_compiled(facts, reply, space, mapping, question->offset, table);
}

static size_t answer_rows(const struct agent_facts *facts,
                          const struct agent_talk *talk,
                          const struct agent_head *head, const uint8_t *message,
                          uint8_t *bytes)
{
    struct answer_text reply = {.bytes = bytes,
                                .size = sizeof(*head) +
                                        sizeof(struct agent_table),
                                .version = talk->version};
    struct agent_rows_question question;
    struct agent_table table = {.image = 0};

    memcpy(&question, message + sizeof(*head), sizeof(question));
    agent_facts_read(facts);
    put_reply_rows(facts, &reply, &question, &table);
    memcpy(bytes + sizeof(*head), &table, sizeof(table));
    return end_reply(&reply, head, AGENT_TABLE, talk->version);
}

/* No line is said of a file that is not known, and no file without a line. */
static struct agent_source put_source(struct answer_text *reply,
                                      const struct file_frame *frame)
{
    if ( reply->version < AGENT_VERSION_LINES || !*frame->path ||
         !frame->line || frame->line > INT32_MAX )
        return (struct agent_source){.line = 0};
    return (struct agent_source){put_reply_text(reply, frame->path),
                                 frame->line};
}

static void put_frames(struct answer_text *reply,
                       const struct file_answer *from_file,
                       struct agent_inlined *ret)
{
    for ( uint32_t i = 0; i < from_file->frames; i++ )
    {
        const struct file_frame *frame = &from_file->frame[i];

        ret->sources[i] = put_source(reply, frame);
        if ( i + 1 == from_file->frames )
            return;
        ret->names[i] = put_reply_text(reply, *frame->name ? frame->name : "?");
        ret->levels = i + 1;
    }
}

static struct agent_inlined answer_inlined(
    const struct agent_facts *facts, struct answer_text *reply,
    const struct agent_question *question, uint64_t *steps)
{
    const struct past_space *space = find_past_space(facts, question,
                                                     reply->began);
    const struct past_mapping *mapping = space ? find_past_mapping(
                                                     space, question->address)
                                               : NULL;
    struct agent_inlined inlined = {.levels = 0};
    const struct file_answer *from_file;
    struct mapped_file mapped;
    uint64_t number;

    if ( !mapping )
        return inlined;
    mapped = mapped_at(space, mapping, question->address);
    from_file = file_names_ask(facts->files, &mapped, FILE_INLINED, steps,
                               &number);
    inlined.later = from_file && from_file->found == FILE_LATER;
    if ( from_file && from_file->found == FILE_FOUND )
        put_frames(reply, from_file, &inlined);
    return inlined;
}

static size_t answer_inlines(const struct agent_facts *facts,
                             const struct agent_talk *talk,
                             const struct agent_head *head,
                             const uint8_t *message, uint8_t *bytes)
{
    struct answer_text reply = {
        .bytes = bytes, .began = perf_events_now(), .version = talk->version};
    const size_t each = agent_inlined_size(talk->version);
    uint64_t steps = INLINES_STEPS;

    agent_facts_read(facts);
    reply.texts = sizeof(*head) + head->count * each;
    reply.size = reply.texts + 1;
    bytes[reply.texts] = 0;
    for ( uint32_t i = 0; i < head->count; i++ )
    {
        struct agent_question question;
        struct agent_inlined inlined;

        memcpy(&question, message + sizeof(*head) + i * sizeof(question),
               sizeof(question));
        inlined = answer_inlined(facts, &reply, &question, &steps);
        memcpy(bytes + sizeof(*head) + i * each, &inlined, each);
    }
    return end_reply(&reply, head, AGENT_INLINED, talk->version);
}

/* Returns 0 if the message is not whole. */
static size_t answer_known(const struct agent_facts *facts,
                           const struct agent_talk *talk,
                           const struct agent_head *head, const void *message,
                           uint8_t *bytes)
{
    struct answer_text reply = {.bytes = bytes, .size = sizeof(*head)};

    return client_space_take(facts->history, message, head->length)
               ? end_reply(&reply, head, AGENT_KNOWN, talk->version)
               : 0;
}

static bool is_hello(const struct agent_head *head, size_t size)
{
    return head->kind == AGENT_HELLO && head->version && !head->count &&
           size == sizeof(*head);
}

static bool is_where(const struct agent_head *head,
                     const struct agent_talk *talk, size_t size)
{
    return head->kind == AGENT_WHERE && talk->version &&
           head->version == talk->version && head->count &&
           head->count <= AGENT_QUESTIONS_MAX &&
           size == sizeof(*head) + head->count * sizeof(struct agent_question);
}

static bool is_inlines(const struct agent_head *head,
                       const struct agent_talk *talk, size_t size)
{
    return head->kind == AGENT_INLINES &&
           talk->version >= AGENT_VERSION_INLINES &&
           head->version == talk->version && head->count &&
           head->count <= agent_inlines_max(talk->version) &&
           size == sizeof(*head) + head->count * sizeof(struct agent_question);
}

static bool is_know(const struct agent_facts *facts,
                    const struct agent_head *head,
                    const struct agent_talk *talk)
{
    return head->kind == AGENT_KNOW && facts->follows_clients &&
           talk->version >= AGENT_VERSION_KNOW &&
           head->version == talk->version;
}

/* One question of that kind, which is of so many bytes. */
static bool is_one(const struct agent_head *head, enum agent_kind kind,
                   size_t question, const struct agent_talk *talk, size_t size)
{
    return head->kind == kind && talk->version >= AGENT_VERSION_ROWS &&
           head->version == talk->version && head->count == 1 &&
           size == sizeof(*head) + question;
}

size_t answer_message(const struct agent_facts *facts, struct agent_talk *talk,
                      const void *message, size_t size, void *reply, bool *over)
{
    struct agent_head head = {.number = 0};
    struct answer_text refusal = {.bytes = reply, .size = sizeof(head)};
    size_t known = 0;

    if ( size >= sizeof(head) )
        memcpy(&head, message, sizeof(head));
    *over = false;
    if ( head.length == size && is_hello(&head, size) )
        return welcome(facts, talk, &head, reply);
    if ( head.length == size && is_where(&head, talk, size) )
        return answer_all(facts, talk, &head, message, reply);
    if ( head.length == size &&
         is_one(&head, AGENT_SPACE, sizeof(struct agent_question), talk, size) )
        return answer_space(facts, talk, &head, message, reply);
    if ( head.length == size &&
         is_one(&head, AGENT_ROWS, sizeof(struct agent_rows_question), talk,
                size) )
        return answer_rows(facts, talk, &head, message, reply);
    if ( head.length == size && is_inlines(&head, talk, size) )
        return answer_inlines(facts, talk, &head, message, reply);
    if ( head.length == size && is_know(facts, &head, talk) )
        known = answer_known(facts, talk, &head, message, reply);
    if ( known )
        return known;
    *over = true;
    return end_reply(&refusal, &head, AGENT_REFUSED, AGENT_VERSION);
}
