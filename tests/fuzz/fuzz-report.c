/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports on sessions with any content: items in any order, missing places and
 * stacks, hostile names.  No view may fail, and all of them must add up.
 */
#include <stdlib.h>
#include <string.h>

#include "report/cells/kinds.h"
#include "report/model/account.h"
#include "report/model/areas.h"
#include "report/model/load-items.h"
#include "report/model/tree.h"
#include "report/text/layout.h"
#include "report/views.h"
#include "report/why/asked.h"
#include "fuzz.h"

#define DEPTH_MAX   24u
#define SAMPLES_MAX 65536u
#define NODES_MAX   4096u

struct report_input {
    const uint8_t *at, *end;
    struct loader *loader;
    bool annotates;
    uint32_t samples;
    uint32_t calls, node_count, file; /* of the file; it */
    uint32_t kinds[NODES_MAX];        /* of its nodes */
};

static const char *const texts[] = {
    NULL,
    "",
    "a",
    "main",
    "mm.c#get_page",
    "p.c#get_page",
    "a;b c\n",
    "\x1b[2J\xff",
    "[truncated]",
    "kernel",
    "xen",
    "\xd7\xa9\xe2\x80\xae",
    "/usr/bin/x",
    "#",
    ".c#",
};

static uint8_t next(struct report_input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

static const char *next_text(struct report_input *input)
{
    return texts[next(input) % (sizeof(texts) / sizeof(texts[0]))];
}

static uint64_t next_address(struct report_input *input)
{
    static const uint64_t bases[] = {0,
                                     0x1000,
                                     0xffffffff81000000u,
                                     0xffff82d040200000u,
                                     0xffff82d07ffff000u,
                                     UINT64_MAX - 255};

    return bases[next(input) % 6] + next(input) % 4;
}

static uint16_t next_domain(struct report_input *input)
{
    static const uint16_t domains[] = {0, 1, 2, DOMAIN_NUMBER_IDLE};

    return domains[next(input) % 4];
}

static void read_place(struct report_input *input, struct xenoprof_item *item)
{
    item->kind = XENOPROF_ITEM_PLACE;
    item->u.place.number = 1u + next(input) % 16;
    item->u.place.place = (struct xenoprof_place){
        .domain = next_domain(input),
        .mode = next(input) % XENOPROF_MODES,
        .address = next_address(input),
        .image = next_text(input),
        .symbol = next_text(input),
        .symbol_start = next_address(input),
    };
}

/* The kind of a node, or of none. */
static uint32_t next_kind(struct report_input *input)
{
    uint32_t node = (uint32_t)(next(input) % (input->node_count + 1));

    return node ? input->kinds[node - 1] : 0;
}

/* Some nodes more, or another file. */
static void read_nodes(struct report_input *input)
{
    size_t count = 1u + next(input) % DEPTH_MAX;

    if ( next(input) % 16 == 0 )
    {
        input->node_count = input->calls = 0;
        input->file++;
    }
    while ( count-- && input->node_count < NODES_MAX )
    {
        struct xenoprof_kind_node node = {.parent = next_kind(input)};

        node.place = next(input) % 18;
        node.domain = next(input) % 4;
        FUZZ_CHECK(load_kinds(input->loader, input->file, &node, 1,
                              &input->kinds[input->node_count++]));
    }
}

/* One sample, of the next who and call: readers look at these once. */
static void read_sample(struct report_input *input, struct xenoprof_item *item)
{
    static struct xenoprof_who whos[SAMPLES_MAX];
    static struct xenoprof_call calls[SAMPLES_MAX];
    static uint64_t time;
    static uint32_t who, call;
    uint32_t at = input->samples;

    if ( at == SAMPLES_MAX )
        return;
    input->samples++;
    time = item->time;
    item->time = 0;
    who = at;
    call = input->calls++;
    calls[call] = (struct xenoprof_call){
        .place = next(input) % 18,
        .stack = next(input) % 2,
        .nodes = {next_kind(input), next_kind(input), next_kind(input)}};
    whos[at] = (struct xenoprof_who){
        .period = 1000u * next(input),
        .marks = next(input) | (uint32_t)(next(input) & 1) << 8,
        .domain = next_domain(input),
        .vcpu = next(input) % 2,
        .pcpu = next(input) % 3,
        .mode = next(input) % XENOPROF_MODES,
        .weight = 1u + next(input) % 8,
    };
    whos[at].count = (uint64_t)whos[at].weight * whos[at].period;
    whos[at].type = input->samples % 7 ? 0 : next(input) % XENOPROF_TYPES_MAX;
    item->kind = XENOPROF_ITEM_SAMPLES;
    item->u.samples = (struct xenoprof_samples){.count = 1,
                                                .times = &time,
                                                .whos = &who,
                                                .calls = &call,
                                                .who = whos,
                                                .call = calls,
                                                .who_count = at + 1,
                                                .call_count = input->calls,
                                                .file = input->file};
}

static void read_domain(struct report_input *input, struct xenoprof_item *item)
{
    const char *name = next_text(input);

    item->kind = XENOPROF_ITEM_DOMAIN;
    item->u.domain.domain = next_domain(input);
    memset(item->u.domain.uuid, next(input), sizeof(item->u.domain.uuid));
    item->u.domain.name = name ? name : "";
    item->u.domain.kind = next(input) % 4 ? "passive" : "other";
}

static void read_ring(struct report_input *input, struct xenoprof_item *item)
{
    item->kind = XENOPROF_ITEM_RING;
    item->u.ring.info.ring = next(input) % 4;
    item->u.ring.read = next(input);
    item->u.ring.lost_daemon = next(input);
}

static void read_ring_sum(struct report_input *input,
                          struct xenoprof_item *item)
{
    struct xenoprof_ring_sum *sum = &item->u.ring_sum.sum;

    item->kind = XENOPROF_ITEM_RING_SUM;
    item->u.ring_sum.first = next(input) & 1;
    sum->owner.domain = next_domain(input);
    sum->read = next(input);
    sum->lost_daemon = next(input);
    sum->lost[next(input) % XENOPROF_LOST_SLOTS] = next(input);
}

static const char *next_known_text(struct report_input *input)
{
    const char *text = next_text(input);

    return text ? text : "";
}

/* Code of any bytes, an instruction of it, or a line. */
static void read_code(struct report_input *input, struct xenoprof_item *item)
{
    static uint8_t bytes[64];
    const struct xenoprof_function function = {.start = next_address(input),
                                               .image = next_known_text(input),
                                               .symbol = next_known_text(input),
                                               .domain = next_domain(input),
                                               .mode = next(input) %
                                                       XENOPROF_MODE_IDLE};

    item->time = 0;
    switch ( next(input) % 3 )
    {
    case 0:
        item->kind = XENOPROF_ITEM_CODE;
        item->u.code = (struct xenoprof_code){function,
                                              bytes,
                                              1u + next(input) % 64,
                                              next(input) % XENOPROF_CODE_FROMS,
                                              next_known_text(input),
                                              next(input)};
        item->u.code.length %= item->u.code.size + 1;
        for ( uint32_t i = 0; i < item->u.code.size; i++ )
            bytes[i] = next(input);
        break;
    case 1:
        item->kind = XENOPROF_ITEM_INSTRUCTION;
        item->u.instruction = (struct xenoprof_instruction){
            function,
            next(input) % 64,
            next(input) % 8,
            next_known_text(input),
            next_known_text(input),
            next(input)};
        break;
    default:
        item->kind = XENOPROF_ITEM_SOURCE;
        item->u.source = (struct xenoprof_source_line){
            function, 1u + next(input) % 8, next_known_text(input),
            next_known_text(input)};
    }
}

static void read_item(struct report_input *input, struct xenoprof_item *item)
{
    uint8_t kind = next(input);

    memset(item, 0, sizeof(*item));
    item->time = 1000000000u + 100000u * next(input);
    switch ( kind % 16 )
    {
    case 13: read_code(input, item); return;
    case 14: read_ring(input, item); return;
    case 15: read_ring_sum(input, item); return;
    default: break;
    }
    switch ( kind % 8 )
    {
    case 0:
    case 1: read_place(input, item); break;
    case 2: read_nodes(input); break;
    case 3: read_domain(input, item); break;
    case 4:
        item->kind = XENOPROF_ITEM_IDLE;
        item->u.idle.pcpu = next(input) % 3;
        item->u.idle.idle = 100000u * next(input);
        break;
    default: read_sample(input, item);
    }
}

static void load(struct report_input *input, struct loaded *loaded)
{
    static const struct time_range all = {.from = {.kind = TIME_OPEN}};
    struct failure failure;
    struct loader loader;
    struct xenoprof_item item;

    loader_init(
        &loader, loaded,
        &(struct load_wanted){
            .range = &all,
            .stacks = true,
            .addresses = input->annotates,
            .code = true,
            .domains = {.rules = next(input) % 2 ? &overview_asks : NULL,
                        .limit = 20,
                        .from = 8}});
    input->loader = &loader;
    while ( input->at < input->end )
    {
        read_item(input, &item);
        load_item(&loader, &item);
    }
    FUZZ_CHECK(load_settle_span(&loader));
    FUZZ_CHECK(!types_choose(loaded, "", &failure));
    types_keep(loaded);
    loader_free(&loader);
}

/* What a folded report's lines add up to. */
static uint64_t folded_sum(const char *text)
{
    uint64_t sum = 0;

    while ( *text )
    {
        const char *end = strchr(text, '\n');
        const char *blank;

        FUZZ_CHECK(end);
        blank = memrchr(text, ' ', (size_t)(end - text));
        FUZZ_CHECK(blank);
        sum += strtoull(blank, NULL, 10);
        text = end + 1;
    }
    return sum;
}

/* All but idle time. */
static uint64_t time_of_work(const struct loaded *loaded)
{
    uint64_t sum = 0;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        if ( cell->key.mode != XENOPROF_MODE_IDLE )
            sum += cell->time;
    }
    return sum;
}

static char *print(const struct report *report, const struct view *view)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    FUZZ_CHECK(file);
    view->print(report, file);
    fclose(file);
    return text;
}

static void check_views(const struct report *report)
{
    for ( size_t i = 0; i < VIEWS; i++ )
    {
        const struct view *view = view_table[i].view;
        char *text;

        /* Not the views that need an argument or a file to write. */
        if ( view->argument || view->to_file )
            continue;
        text = print(report, view);
        if ( view->option && !strcmp(view->option, "folded") )
            FUZZ_CHECK(folded_sum(text) == time_of_work(report->loaded));
        free(text);
    }
}

/* No file of this host is looked at: the session has no build-id or boot. */
static void check_annotate(const struct report *report)
{
    struct view_options options = {.argument = (char *)"*"};
    struct report all = *report;

    all.options = &options;
    free(print(&all, view_table[VIEW_annotate].view));
}

static void check_tree(const struct report *report, enum tree_order order)
{
    const struct tree_plan plan = {
        .order = order,
        .groups = query_groups(report->query),
    };
    const struct node *root;
    struct tree tree;

    tree_build(&tree, report->loaded, report->stacks, &plan);
    root = tree_node(&tree, NODE_ROOT);
    FUZZ_CHECK(root->total.samples ==
               types_shown(&report->loaded->types)->samples);
    FUZZ_CHECK(root->total.time == tree.time_all);
    tree_free(&tree);
}

/* Some sessions to begin with, of different bytes. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    uint32_t state = 12345 + number;

    for ( size_t i = 0; i < 3000; i++ )
    {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(state >> 24);
    }
    return number < 2 ? 3000 : 0;
}

/* As counting samples does, where each has what it stands for. */
static void give_time(struct loaded *loaded)
{
    slots_init(&loaded->slots, false);
    loaded->slots.accounted = loaded->pcpus.count > 0;
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);

        cell->exact = (double)cell->ticks;
        cell->square = cell->exact * cell->exact;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const sorts[] = {"domain,mode,image,symbol",
                                        "vcpu,image", "pcpu,address", "mode"};
    struct report_input input = {.at = data, .end = data + size};
    struct query query = {.sort_given = true, .percent_limit_given = true};
    struct view_options options = {.stacks_in_rows = true};
    struct layout layout = {.width = 0};
    struct failure failure = {.status = STATUS_DONE};
    struct kernels kernels = {.count = 0};
    struct loaded loaded;
    struct stacks stacks;
    struct report report = {.query = &query,
                            .layout = &layout,
                            .options = &options,
                            .loaded = &loaded,
                            .stacks = &stacks,
                            .name = "fuzz"};

    FUZZ_CHECK(
        !label_list_parse(sorts[next(&input) % 4], &query.sort, &failure));
    input.annotates = next(&input) % 2;
    layout.width = next(&input) % 2 ? 40u + next(&input) : 0;
    FUZZ_CHECK(!screen_init(&layout.screen, "auto", &failure));
    loaded_init(&loaded);
    load(&input, &loaded);
    FUZZ_CHECK(!name_cells(&loaded, &kernels, &failure));
    areas_find(&loaded);
    stacks_build(&stacks, &loaded, &kernels, query_detail(&query));
    give_time(&loaded);
    account_time(&loaded, &(struct join_rule){.any_vcpu = false});
    check_views(&report);
    check_annotate(&report);
    check_tree(&report, TREE_CALLEES);
    check_tree(&report, TREE_CALLERS);
    stacks_free(&stacks);
    loaded_free(&loaded);
    return 0;
}
