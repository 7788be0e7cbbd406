/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "archive-code.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/code/instructions.h"
#include "report/model/gather.h"

#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_TRIED  1000u /* for most there may be no file */
#define INSTRUCTIONS_MAX (1u << 18)
#define LINES_AROUND     2u /* of source, before and after one that has code */

/* What is written, and what it takes. */
struct code_archive {
    struct cut *cut;
    enum xenoprof_status status; /* of what was put last */
    struct gathered_session session;
    struct hits hits;
    struct code_shelf shelf;
    struct source_text source; /* the file that was read last, */
    char *source_path;         /* ... and one that was asked about: */
    bool source_public;
    size_t bytes, instructions; /* so far */
};

/* One of its functions. */
struct code_part {
    struct code_archive *archive;
    const struct code *code;
    struct xenoprof_function function;
    struct instructions instructions;
    bool lines;
    struct table sources; /* struct archived_line, those that were put */
    struct names paths;   /* of these */
};

struct archived_line {
    struct {
        uint32_t path, line;
    } key;
};

static void put_code_item(struct code_archive *archive,
                          const struct xenoprof_item *item)
{
    if ( !archive->status )
        archive->status = cut_add(archive->cut, item);
}

static struct xenoprof_function function_item(const struct loaded *loaded,
                                              const struct function *function)
{
    const struct loaded_domain *domain = loaded_domain(loaded,
                                                       function->key.domain);
    const char *image = names_text(&loaded->names, function->key.image);
    struct xenoprof_function ret = {
        .start = function->key.start,
        .mode = (uint8_t)function->key.mode,
        .image = image ? image : "",
        .symbol = function_symbol(loaded, function)};

    if ( function->key.mode == XENOPROF_MODE_XEN )
        return ret;
    ret.domain = (uint16_t)domain->key.number;
    memcpy(ret.uuid, domain->key.uuid, sizeof(ret.uuid));
    return ret;
}

/* Its loader decides where some of the code leads to. */
static void load_bytes(const struct code_part *part, uint8_t *bytes)
{
    const struct code *code = part->code;

    memcpy(bytes, code->bytes, code->size);
    for ( size_t i = 0; i < part->instructions.count; i++ )
    {
        const struct instruction *at = &part->instructions.items[i];
        const uint64_t end = at->address + at->size;
        const uint32_t distance = (uint32_t)(at->target.address - end);

        if ( at->leads && at->target.moved && !at->target.name )
            memcpy(bytes + (end - code->start) - sizeof(distance), &distance,
                   sizeof(distance));
    }
}

static void put_bytes(const struct code_part *part)
{
    const struct code *code = part->code;
    uint8_t *bytes SCOPE_FREE = must(malloc(code->size));
    struct xenoprof_item item = {.kind = XENOPROF_ITEM_CODE,
                                 .u.code = {.function = part->function,
                                            .bytes = bytes,
                                            .size = (uint32_t)code->size,
                                            .length = (uint32_t)code->length}};

    item.u.code.file = code_origin(code, &item.u.code.from);
    load_bytes(part, bytes);
    put_code_item(part->archive, &item);
    part->archive->bytes += code->size;
}

/* A file that only some users may read is not for all who get the archive. */
static bool may_have_source(struct code_archive *archive, const char *path)
{
    if ( !archive->source_path || strcmp(archive->source_path, path) )
    {
        free(archive->source_path);
        archive->source_path = must(strdup(path));
        archive->source_public = source_is_public(path);
    }
    return archive->source_public;
}

static void put_source(struct code_part *part, const char *path, int number)
{
    struct code_archive *archive = part->archive;
    const struct code_line line = {(char *)path, number};
    const char *text = code_source(part->code, &archive->source, &line);
    struct archived_line key = {.key = {0, (uint32_t)number}};
    const size_t before = part->sources.count;
    const struct xenoprof_item item = {
        .kind = XENOPROF_ITEM_SOURCE,
        .u.source = {part->function, (uint32_t)number, path, text}};

    if ( !text || !*text || archive->bytes >= ARCHIVED_BYTES )
        return;
    must_do(names_add(&part->paths, path, &key.key.path));
    must(table_put(&part->sources, &key.key));
    if ( part->sources.count == before )
        return;
    archive->bytes += strnlen(text, XENOPROF_CODE_TEXT_MAX);
    put_code_item(archive, &item);
}

static void put_sources(struct code_part *part, const struct code_line *line)
{
    const int around = (int)LINES_AROUND;

    if ( !part->code->kept && !may_have_source(part->archive, line->path) )
        return;
    for ( int i = -around; i <= around; i++ )
        if ( line->number > -i && line->number <= INT32_MAX - around )
            put_source(part, line->path, line->number + i);
}

/* Whether what is said of an instruction is another thing than of the one
 * before: a line, or what it leads to. */
static bool says_more(const struct code_line *line,
                      const struct code_line *before,
                      const struct code_target *target)
{
    return target->name || line->number != before->number ||
           (line->path && before->path && strcmp(line->path, before->path));
}

static void put_instruction(struct code_part *part,
                            const struct instruction *at,
                            struct code_line *before)
{
    struct code_line line = {NULL, 0};
    struct xenoprof_item item = {
        .kind = XENOPROF_ITEM_INSTRUCTION,
        .u.instruction = {.function = part->function,
                          .offset = (uint32_t)(at->address - part->code->start),
                          .path = "",
                          .name = ""}};

    if ( part->lines && !code_find_line(part->code, at->address, &line) )
        line = (struct code_line){NULL, 0};
    if ( line.path )
    {
        item.u.instruction.path = line.path;
        item.u.instruction.line = (uint32_t)line.number;
    }
    if ( at->leads && at->target.name )
    {
        item.u.instruction.name = at->target.name;
        item.u.instruction.plus = at->target.offset;
    }
    if ( says_more(&line, before, &at->target) )
    {
        put_code_item(part->archive, &item);
        part->archive->instructions++;
    }
    if ( line.path && (line.number != before->number || !before->path ||
                       strcmp(line.path, before->path)) )
        put_sources(part, &line);
    free(before->path);
    *before = line;
}

static void put_function(struct code_archive *archive,
                         const struct function *function,
                         const struct code *code)
{
    struct code_part part = {
        .archive = archive,
        .code = code,
        .function = function_item(archive->shelf.loaded, function),
        .lines = code_has_lines(code)};
    struct code_line before = {NULL, 0};

    table_init(&part.sources, sizeof(((struct archived_line *)0)->key),
               sizeof(struct archived_line));
    names_init(&part.paths);
    instructions_read(&part.instructions, code, function);
    put_bytes(&part);
    for ( size_t i = 0; i < part.instructions.count && !archive->status; i++ )
        put_instruction(&part, &part.instructions.items[i], &before);
    instructions_free(&part.instructions);
    names_free(&part.paths);
    table_free(&part.sources);
    free(before.path);
}

/* A function is in the archive as a whole, or not at all. */
static bool fits_archive(const struct code_archive *archive,
                         const struct code *code)
{
    return code->size && code->size <= XENOPROF_CODE_MAX &&
           code->size <= ARCHIVED_BYTES - archive->bytes &&
           archive->instructions + code->size <= INSTRUCTIONS_MAX;
}

static enum exit_status put_functions(struct code_archive *archive,
                                      struct failure *failure)
{
    const struct hits *hits = &archive->hits;
    size_t put = 0;

    for ( size_t i = 0; i < hits->functions.count && i < FUNCTIONS_TRIED &&
                        put < ARCHIVED_FUNCTIONS && !archive->status;
          i++ )
    {
        struct failure refused = {.status = STATUS_DONE};
        struct code code;

        code_find(&archive->shelf, hits->sorted[i], &code, &refused);
        if ( refused.status && !code.absent )
            *failure = refused;
        else if ( !refused.status && fits_archive(archive, &code) )
        {
            put_function(archive, hits->sorted[i], &code);
            put++;
        }
        code_free(&code);
        if ( failure->status )
            break;
    }
    return failure->status;
}

static void read_session(struct code_archive *archive,
                         const struct code_wanted *wanted,
                         struct failure *failure)
{
    struct query query = {
        .session_dir = ".", .needs_addresses = true, .needs_code = true};
    char *path SCOPE_FREE = must_text(
        strchr(wanted->session, '/') ? "%s" : "./%s", wanted->session);

    query.selection.range = *wanted->range;
    gather(&archive->session, &query, path, failure);
}

enum exit_status archive_code(const struct code_wanted *wanted, struct cut *cut,
                              enum xenoprof_status *code,
                              struct failure *failure)
{
    struct code_archive archive = {.cut = cut};
    struct failure silent = {.status = STATUS_DONE};

    read_session(&archive, wanted, &silent);
    if ( !silent.status )
    {
        hits_gather(&archive.hits, &archive.session.loaded, "*");
        archive.shelf = (struct code_shelf){.loaded = &archive.session.loaded,
                                            .hits = &archive.hits,
                                            .given = wanted->given,
                                            .root = ""};
        put_functions(&archive, failure);
        hits_free(&archive.hits);
        code_shelf_free(&archive.shelf);
    }
    gathered_free(&archive.session);
    source_free(&archive.source);
    free(archive.source_path);
    *code = archive.status;
    return failure->status;
}
