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
    struct code_shelf shelf;
    struct json json;
};

/* The rows of one function. */
struct put_rows {
    struct json *json;
    size_t count;
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

/* A line is its text, instructions that are left out are their number. */
static void put_page_row(void *context, const struct code_row *row)
{
    struct put_rows *rows = context;

    if ( rows->count++ >= PAGE_CODE_ROWS )
        return;
    switch ( row->kind )
    {
    case CODE_ROW_LINE: json_string(rows->json, row->text); break;
    case CODE_ROW_QUIET: json_u64(rows->json, row->quiet); break;
    case CODE_ROW_INSTRUCTION:
        json_array_begin(rows->json);
        json_u64(rows->json, row->offset);
        json_u64(rows->json, row->samples);
        json_u64(rows->json, row->time);
        json_u64(rows->json, row->inside);
        json_string(rows->json, row->text);
        json_array_end(rows->json);
        break;
    }
}

/* The page's numbers of the domains whose samples those are; of what is one
 * function for all, as Xen's, there is none. */
static void put_domains(struct page_code *code, const struct function *function)
{
    const size_t number = table_index(&code->hits.functions, function);

    json_key(&code->json, "domains");
    json_array_begin(&code->json);
    for ( size_t i = 0; i < code->hits.shares.count; i++ )
    {
        const struct hit_share *share = table_at(&code->hits.shares, i);

        if ( share->key.function == number &&
             function->key.mode != XENOPROF_MODE_XEN )
            json_u64(&code->json, page_again_domain(code->page, code->loaded,
                                                    share->key.domain));
    }
    json_array_end(&code->json);
}

static void put_code(struct page_code *code, const struct function *function,
                     uint32_t frame)
{
    struct put_rows put = {.json = &code->json};
    struct code_rows rows = {
        .put = put_page_row, .context = &put, .shared = true};
    struct failure failure = {.status = STATUS_DONE};
    char *words SCOPE_FREE = NULL;
    struct code found;

    code_find(&code->shelf, function, &found, &failure);
    words = code_words(&found, code->loaded, function, failure.text);
    json_object_begin_flat(&code->json);
    json_put_number(&code->json, "frame", frame);
    put_domains(code, function);
    json_put_number(&code->json, "samples", function->samples);
    json_put_number(&code->json, "time_ns", function->time);
    json_key(&code->json, "found");
    json_bool(&code->json, found.size > 0);
    json_put_text(&code->json, "code", words);
    json_key(&code->json, "rows");
    json_array_begin(&code->json);
    code_rows_put(&rows, function, &found);
    json_array_end(&code->json);
    json_put_number(&code->json, "rows_more",
                    put.count > PAGE_CODE_ROWS ? put.count - PAGE_CODE_ROWS
                                               : 0);
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
            put_code(code, code->hits.sorted[i], frame);
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

    hits_gather(&code->hits, code->loaded, "*");
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
