/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page-code.h"

#include "base/json-writer.h"
#include "base/must.h"
#include "base/scope.h"
#include "page-again.h"
#include "report/code/code-rows.h"
#include "report/text/json-members.h"

#include <stdlib.h>
#include <string.h>

/* The page's number of a function that has a name. */
struct page_function {
    struct {
        uint32_t image; /* in the page's loaded.names; 0: not known */
        uint32_t symbol;
        uint32_t mode;
    } key;
    uint32_t frame;
};

/* Functions on their way into JSON. */
struct page_code {
    const struct loaded *page;
    const struct loaded *loaded; /* the other reading */
    struct table functions;      /* struct page_function */
    struct hits hits;
    const struct hit_part **parts; /* by function and address */
    struct code_shelf shelf;
    struct json json;
};

/* The rows of one function. */
struct put_rows {
    struct page_code *code;
    FILE *file;
    const struct function *function;
    size_t count, more;
    bool several; /* domains have it */
};

static void find_functions(struct page_code *code, const struct stacks *stacks,
                           const struct page_nodes *nodes)
{
    table_init(&code->functions, sizeof(((struct page_function *)0)->key),
               sizeof(struct page_function));
    for ( uint32_t i = 0; i < nodes->frame_count; i++ )
    {
        const struct frame_key *frame =
            &stacks_frame(stacks, nodes->frames[i])->key;
        const struct page_function key = {
            .key = {frame->image, frame->symbol, frame->mode}, .frame = i};
        const size_t before = code->functions.count;
        struct page_function *function;

        if ( frame->kind != FRAME_CODE || !frame->symbol )
            continue;
        function = must(table_put(&code->functions, &key.key));
        if ( code->functions.count > before )
            function->frame = i;
    }
}

/* Finds the page's number of a function of the other reading. */
static bool find_frame(const struct page_code *code,
                       const struct function *function, uint32_t *ret)
{
    const char *image = names_text(&code->loaded->names, function->key.image);
    struct page_function key = {.key = {.mode = function->key.mode}};
    const struct page_function *known;

    if ( (image && !names_find(&code->page->names, image, &key.key.image)) ||
         !names_find(&code->page->names,
                     function_symbol(code->loaded, function), &key.key.symbol) )
        return false;
    known = table_find(&code->functions, &key.key);
    if ( known )
        *ret = known->frame;
    return known;
}

static int compare_parts(const void *left, const void *right)
{
    const struct hit_part *a = *(const struct hit_part *const *)left;
    const struct hit_part *b = *(const struct hit_part *const *)right;

    if ( a->key.function != b->key.function )
        return a->key.function < b->key.function ? -1 : 1;
    if ( a->key.address != b->key.address )
        return a->key.address < b->key.address ? -1 : 1;
    return (a->key.domain > b->key.domain) - (a->key.domain < b->key.domain);
}

/* The first part of a function at that address or behind it. */
static size_t part_at(const struct page_code *code, uint32_t function,
                      uint64_t address)
{
    const struct hit_part key = {.key = {address, function, 0}}, *wanted = &key;
    size_t low = 0, high = code->hits.parts.count;

    while ( low < high )
    {
        const size_t middle = low + (high - low) / 2;

        if ( compare_parts(&code->parts[middle], &wanted) < 0 )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t page_domain(const struct page_code *code, uint32_t domain)
{
    return page_again_domain(code->page, code->loaded, domain);
}

/* What each domain had of an instruction: domain, samples and ns, of each of
 * its bytes. */
static void put_parts(const struct put_rows *rows, const struct code_row *row)
{
    struct page_code *code = rows->code;
    const uint32_t number = (uint32_t)table_index(&code->hits.functions,
                                                  rows->function);
    const uint64_t from = rows->function->key.start + row->offset;

    json_array_begin(&code->json);
    for ( size_t i = part_at(code, number, from); i < code->hits.parts.count;
          i++ )
    {
        const struct hit_part *part = code->parts[i];

        if ( part->key.function != number ||
             part->key.address - from >= row->size )
            break;
        json_u64(&code->json, page_domain(code, part->key.domain));
        json_u64(&code->json, part->samples);
        json_u64(&code->json, part->time);
    }
    json_array_end(&code->json);
}

static void put_instruction(const struct put_rows *rows,
                            const struct code_row *row)
{
    struct json *json = &rows->code->json;

    json_array_begin(json);
    json_u64(json, row->offset);
    json_u64(json, row->samples);
    json_u64(json, row->time);
    json_u64(json, row->inside);
    json_string(json, row->text);
    if ( rows->several && row->samples )
        put_parts(rows, row);
    json_array_end(json);
}

/* A line is its text, instructions that are left out are their number. */
static void put_page_row(void *context, const struct code_row *row)
{
    struct put_rows *rows = context;
    struct json *json = &rows->code->json;

    if ( rows->count >= PAGE_CODE_ROWS ||
         ftello(rows->file) >= (off_t)PAGE_CODE_BYTES )
    {
        rows->more++;
        return;
    }
    rows->count++;
    switch ( row->kind )
    {
    case CODE_ROW_LINE: json_string(json, row->text); break;
    case CODE_ROW_QUIET: json_u64(json, row->quiet); break;
    case CODE_ROW_INSTRUCTION: put_instruction(rows, row); break;
    }
}

/* The page's numbers of the domains whose samples those are.  Returns how many
 * these are. */
static size_t put_domains(struct page_code *code,
                          const struct function *function)
{
    const size_t number = table_index(&code->hits.functions, function);
    size_t count = 0;

    json_key(&code->json, "domains");
    json_array_begin(&code->json);
    for ( size_t i = 0; i < code->hits.shares.count; i++ )
    {
        const struct hit_share *share = table_at(&code->hits.shares, i);

        if ( share->key.function != number )
            continue;
        json_u64(&code->json, page_domain(code, share->key.domain));
        count++;
    }
    json_array_end(&code->json);
    return count;
}

static void put_code(struct page_code *code, const struct function *function,
                     uint32_t frame, FILE *file)
{
    struct put_rows put = {.code = code, .file = file, .function = function};
    struct code_rows rows = {
        .put = put_page_row, .context = &put, .shared = true};
    struct failure failure = {.status = STATUS_DONE};
    char *words SCOPE_FREE = NULL;
    struct code found;

    code_find(&code->shelf, function, &found, &failure);
    words = code_words(&found, code->loaded, function, failure.text);
    json_object_begin_flat(&code->json);
    json_put_number(&code->json, "frame", frame);
    put.several = put_domains(code, function) > 1;
    json_put_number(&code->json, "samples", function->samples);
    json_put_number(&code->json, "time_ns", function->time);
    json_key(&code->json, "found");
    json_bool(&code->json, found.size > 0);
    json_put_text(&code->json, "code", words);
    json_key(&code->json, "rows");
    json_array_begin(&code->json);
    code_rows_put(&rows, function, &found);
    json_array_end(&code->json);
    json_put_number(&code->json, "rows_more", put.more);
    json_put_number(&code->json, "inside", rows.inside);
    json_put_number(&code->json, "outside", rows.outside);
    json_object_end(&code->json);
    code_free(&found);
}

/* Puts the hottest ones.  Returns how many the page has. */
static size_t put_hottest(struct page_code *code, FILE *file)
{
    const size_t all = code->hits.functions.count;
    size_t put = 0;

    for ( size_t i = 0; i < all && put < PAGE_CODE_FUNCTIONS &&
                        ftello(file) < (off_t)PAGE_CODE_BYTES;
          i++ )
    {
        uint32_t frame;

        if ( find_frame(code, code->hits.sorted[i], &frame) )
        {
            put_code(code, code->hits.sorted[i], frame, file);
            put++;
        }
    }
    return put;
}

static void put_functions(struct page_code *code, struct bytes *ret)
{
    char *text SCOPE_FREE = NULL;
    size_t size = 0, put;
    FILE *file = must(open_memstream(&text, &size));

    hits_gather_parts(&code->hits, code->loaded);
    code->parts = must(table_sorted(&code->hits.parts, compare_parts));
    code->shelf = (struct code_shelf){
        .loaded = code->loaded, .hits = &code->hits, .root = ""};
    json_init(&code->json, file);
    json_object_begin(&code->json);
    json_key(&code->json, "functions");
    json_array_begin(&code->json);
    put = put_hottest(code, file);
    json_array_end(&code->json);
    json_put_number(&code->json, "more", code->hits.functions.count - put);
    json_object_end(&code->json);
    json_finish(&code->json);
    must_do(!fclose(file));
    bytes_put(ret, text, size);
    code_shelf_free(&code->shelf);
    hits_free(&code->hits);
    free(code->parts);
}

void page_code_put(const struct report *report, const struct page_nodes *nodes,
                   struct bytes *ret)
{
    struct query query = *report->query;
    struct page_code code = {.page = report->loaded};
    struct gathered_session gathered;

    if ( session_bytes(report->path) > PAGE_AGAIN_BYTES )
        return;
    query.needs_addresses = query.needs_code = true;
    query.needs_who = query.needs_times = false;
    query.needs_stacks = query.focus.count;
    query.silent = true;
    if ( page_again(report, &query, &gathered) )
    {
        code.loaded = &gathered.loaded;
        find_functions(&code, report->stacks, nodes);
        put_functions(&code, ret);
        table_free(&code.functions);
    }
    gathered_free(&gathered);
}
