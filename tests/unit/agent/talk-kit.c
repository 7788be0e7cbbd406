/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "talk-kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST (sizeof(struct agent_head) + sizeof(struct agent_work))

static void put(struct kit_message *to, uint16_t kind, uint16_t version,
                uint32_t count, const void *body, size_t size)
{
    const struct agent_head head = {
        .kind = kind,
        .version = version,
        .length = (uint32_t)(sizeof(head) + size),
        .number = 7,
        .count = count,
    };

    memcpy(to->bytes, &head, sizeof(head));
    if ( size )
        memcpy((char *)to->bytes + sizeof(head), body, size);
    to->size = head.length;
}

void kit_hello(struct kit_message *to, uint16_t version)
{
    put(to, AGENT_HELLO, version, 0, NULL, 0);
}

void kit_where(struct kit_message *to, const struct agent_question *questions,
               uint32_t count)
{
    put(to, AGENT_WHERE, AGENT_VERSION, count, questions,
        count * sizeof(*questions));
}

void kit_space_question(struct kit_message *to,
                        const struct agent_question *question)
{
    put(to, AGENT_SPACE, AGENT_VERSION, 1, question, sizeof(*question));
}

void kit_rows_question(struct kit_message *to,
                       const struct agent_rows_question *question)
{
    put(to, AGENT_ROWS, AGENT_VERSION, 1, question, sizeof(*question));
}

void kit_inlines(struct kit_message *to, const struct agent_question *questions,
                 uint32_t count)
{
    put(to, AGENT_INLINES, AGENT_VERSION, count, questions,
        count * sizeof(*questions));
}

void kit_tell(struct kit_message *to, uint32_t tgid, uint64_t since,
              const struct agent_known_mapping *mappings, uint32_t count,
              const char *texts, size_t size)
{
    const struct agent_known known = {
        .since = since, .tgid = tgid, .texts = (uint32_t)size};
    char body[8192];
    size_t mapped = count * sizeof(*mappings);

    if ( sizeof(known) + mapped + size > sizeof(body) )
        abort();
    memcpy(body, &known, sizeof(known));
    if ( mapped )
        memcpy(body + sizeof(known), mappings, mapped);
    memcpy(body + sizeof(known) + mapped, texts, size);
    put(to, AGENT_KNOW, AGENT_VERSION, count, body,
        sizeof(known) + mapped + size);
}

struct agent_head kit_head(const struct kit_message *message)
{
    struct agent_head head;

    memcpy(&head, message->bytes, sizeof(head));
    return head;
}

struct agent_answer kit_answer(const struct kit_message *there, uint32_t index)
{
    struct agent_answer answer;

    memcpy(&answer, (const char *)there->bytes + FIRST + index * sizeof(answer),
           sizeof(answer));
    return answer;
}

const char *kit_text(const struct kit_message *there, uint32_t at)
{
    return (const char *)there->bytes + FIRST +
           kit_head(there).count * sizeof(struct agent_answer) + at;
}

struct agent_mapping kit_mapping(const struct kit_message *mapped,
                                 uint32_t index)
{
    struct agent_mapping mapping;

    memcpy(&mapping,
           (const char *)mapped->bytes + sizeof(struct agent_head) +
               index * sizeof(mapping),
           sizeof(mapping));
    return mapping;
}

struct agent_table kit_table(const struct kit_message *piece)
{
    struct agent_table table;

    memcpy(&table, (const char *)piece->bytes + sizeof(struct agent_head),
           sizeof(table));
    return table;
}

struct agent_inlined kit_inlined(const struct kit_message *said, uint32_t index)
{
    const uint32_t size = agent_inlined_size(kit_head(said).version);
    struct agent_inlined inlined = {.levels = 0};

    memcpy(&inlined,
           (const char *)said->bytes + sizeof(struct agent_head) + index * size,
           size);
    return inlined;
}

static const char *inlined_text(const struct kit_message *said, uint32_t at)
{
    return (const char *)said->bytes + sizeof(struct agent_head) +
           kit_head(said).count * agent_inlined_size(kit_head(said).version) +
           at;
}

const char *kit_inlined_name(const struct kit_message *said, uint32_t index,
                             uint32_t level)
{
    return inlined_text(said, kit_inlined(said, index).names[level]);
}

const char *kit_source_path(const struct kit_message *said, uint32_t index,
                            uint32_t level)
{
    return inlined_text(said, kit_inlined(said, index).sources[level].path);
}

static void expect(int holds, const char *what)
{
    if ( holds )
        return;
    fprintf(stderr, "an agent's answer: %s\n", what);
    abort();
}

#define EXPECT(condition) expect((condition), #condition)

static void check_a_text(const struct kit_message *there, const char *text)
{
    const char *end = (const char *)there->bytes + there->size;

    EXPECT(text > (const char *)there->bytes && text < end &&
           memchr(text, 0, (size_t)(end - text)));
    EXPECT(strlen(text) < AGENT_TEXT_MAX);
    for ( ; *text; text++ )
        EXPECT(*text >= ' ' && *text <= '~');
}

static void check_text(const struct kit_message *there, uint32_t at)
{
    EXPECT(at < there->size);
    check_a_text(there, kit_text(there, at));
}

void kit_check_there(const struct kit_message *there, uint32_t count)
{
    struct agent_head head = kit_head(there);

    EXPECT(head.kind == AGENT_THERE && head.number == 7);
    EXPECT(head.count == count && head.length == there->size);
    EXPECT(head.length <= AGENT_MESSAGE_MAX);
    EXPECT(!*kit_text(there, 0));
    for ( uint32_t i = 0; i < count; i++ )
    {
        struct agent_answer answer = kit_answer(there, i);

        check_text(there, answer.path);
        check_text(there, answer.symbol);
        EXPECT(answer.found < AGENT_FOUNDS);
        EXPECT(answer.start <= answer.address);
        EXPECT(answer.build_id_size <= AGENT_BUILD_ID_MAX);
        EXPECT(answer.found > AGENT_NO_SYMBOL ||
               *kit_text(there, answer.symbol));
    }
}

void kit_check_mapped(const struct kit_message *mapped)
{
    uint32_t count = kit_head(mapped).count;
    uint64_t end = 0;

    EXPECT(count <= AGENT_MAPPINGS_MAX);
    EXPECT(mapped->size ==
           sizeof(struct agent_head) + count * sizeof(struct agent_mapping));
    for ( uint32_t i = 0; i < count; i++ )
    {
        struct agent_mapping mapping = kit_mapping(mapped, i);

        EXPECT(mapping.start >= end && mapping.start < mapping.end);
        end = mapping.end;
    }
}

void kit_check_table(const struct kit_message *piece, uint64_t offset)
{
    const size_t first = sizeof(struct agent_head) + sizeof(struct agent_table);
    struct agent_table table = kit_table(piece);
    uint64_t left = offset < table.size && table.size != AGENT_TABLE_LATER
                        ? table.size - offset
                        : 0;

    EXPECT(!kit_head(piece).count && (table.image || !table.size));
    EXPECT(piece->size - first ==
           (left < AGENT_PIECE_MAX ? left : AGENT_PIECE_MAX));
}

void kit_check_inlined(const struct kit_message *said, uint32_t count)
{
    EXPECT(kit_head(said).count == count && said->size <= AGENT_MESSAGE_MAX);
    EXPECT(!*inlined_text(said, 0));
    for ( uint32_t i = 0; i < count; i++ )
    {
        struct agent_inlined inlined = kit_inlined(said, i);

        EXPECT(inlined.later <= 1 && inlined.levels <= AGENT_LEVELS_MAX);
        EXPECT(!inlined.later || !inlined.levels);
        for ( uint32_t level = 0; level < inlined.levels; level++ )
        {
            EXPECT(inlined.names[level] && inlined.names[level] < said->size);
            check_a_text(said, kit_inlined_name(said, i, level));
            EXPECT(*kit_inlined_name(said, i, level));
        }
        for ( uint32_t level = 0; level <= AGENT_LEVELS_MAX; level++ )
        {
            EXPECT(inlined.sources[level].path < said->size);
            check_a_text(said, kit_source_path(said, i, level));
            EXPECT(!*kit_source_path(said, i, level) ==
                   !inlined.sources[level].line);
            EXPECT(level <= inlined.levels || !inlined.sources[level].line);
        }
    }
}
