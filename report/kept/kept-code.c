/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kept-code.h"

#include "base/must.h"
#include "base/sorted.h"

#include <stdlib.h>
#include <string.h>

void kept_init(struct kept_code *kept)
{
    *kept = (struct kept_code){.bytes = 0};
    table_init(&kept->functions, sizeof(struct kept_key),
               sizeof(struct kept_function));
    table_init(&kept->sources, sizeof(((struct kept_source *)0)->key),
               sizeof(struct kept_source));
}

void kept_free(struct kept_code *kept)
{
    for ( size_t i = 0; i < kept->functions.count; i++ )
    {
        struct kept_function *function = table_at(&kept->functions, i);

        free(function->bytes);
        vector_free(&function->instructions);
    }
    table_free(&kept->functions);
    table_free(&kept->sources);
}

/* "" is not a name. */
static uint32_t name_of(struct names *names, const char *text)
{
    uint32_t number;

    must_do(names_add(names, *text ? text : NULL, &number));
    return number;
}

static struct kept_key key_of(struct names *names, uint32_t domain,
                              const struct xenoprof_function *function)
{
    return (struct kept_key){
        .start = function->start,
        .image = name_of(names, function->image),
        .symbol = name_of(names, function->symbol),
        .domain = function->mode == XENOPROF_MODE_XEN ? 0 : domain,
        .mode = function->mode};
}

/* What was said first counts. */
static void add_bytes(struct kept_code *kept, struct names *names,
                      const struct kept_key *key,
                      const struct xenoprof_code *code)
{
    struct kept_function *function;

    if ( kept->functions.count >= KEPT_FUNCTIONS_MAX ||
         code->size > KEPT_BYTES_MAX - kept->bytes )
        return;
    function = must(table_put(&kept->functions, key));
    if ( function->bytes )
        return;
    function->bytes = must(malloc(code->size));
    memcpy(function->bytes, code->bytes, code->size);
    function->size = code->size;
    function->length = code->length;
    function->file = name_of(names, code->file);
    function->from = code->from;
    kept->bytes += code->size;
}

static void add_instruction(struct kept_code *kept, struct names *names,
                            const struct kept_key *key,
                            const struct xenoprof_instruction *from)
{
    struct kept_function *function = table_find(&kept->functions, key);
    const size_t count = function ? function->instructions.count : 0;

    if ( !function || from->offset >= function->size ||
         kept->instructions >= KEPT_INSTRUCTIONS_MAX ||
         (count &&
          from->offset <= function->instructions.items[count - 1].offset) )
        return;
    *must(vector_add(&function->instructions)) = (struct kept_instruction){
        .offset = from->offset,
        .path = name_of(names, from->path),
        .line = from->line,
        .name = name_of(names, from->name),
        .plus = from->plus};
    kept->instructions++;
}

static void add_source(struct kept_code *kept, struct names *names,
                       const struct xenoprof_source_line *from)
{
    struct kept_source key = {.key = {name_of(names, from->path), from->line}};
    struct kept_source *source;

    if ( kept->sources.count >= KEPT_SOURCES_MAX )
        return;
    source = must(table_put(&kept->sources, &key.key));
    if ( !source->text )
        source->text = name_of(names, from->text);
}

void kept_add(struct kept_code *kept, struct names *names, uint32_t domain,
              const struct xenoprof_item *item)
{
    struct kept_key key;

    switch ( item->kind )
    {
    case XENOPROF_ITEM_CODE:
        key = key_of(names, domain, &item->u.code.function);
        add_bytes(kept, names, &key, &item->u.code);
        break;
    case XENOPROF_ITEM_INSTRUCTION:
        key = key_of(names, domain, &item->u.instruction.function);
        add_instruction(kept, names, &key, &item->u.instruction);
        break;
    default: add_source(kept, names, &item->u.source);
    }
}

const struct kept_function *kept_find(const struct kept_code *kept,
                                      const struct kept_key *key)
{
    return table_find(&kept->functions, key);
}

const struct kept_instruction *kept_instruction_at(
    const struct kept_function *function, uint64_t offset)
{
    const size_t count = sorted_until(function->instructions.items,
                                      function->instructions.count, offset,
                                      offset);

    return count ? &function->instructions.items[count - 1] : NULL;
}

const char *kept_source_line(const struct kept_code *kept,
                             const struct names *names, const char *path,
                             uint32_t line)
{
    struct kept_source key = {.key = {0, line}};
    const struct kept_source *source;

    if ( !names_find(names, path, &key.key.path) )
        return NULL;
    source = table_find(&kept->sources, &key.key);
    return source ? names_text(names, source->text) : NULL;
}
