/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of the page, read back as the page reads them. */
#include "report/page/page-events.h"
#include "tests/unit/report/model/report-kit.h"

#include <stdio.h>

struct page_kit {
    struct report_kit kit;
    struct tree tree;
    struct page_nodes nodes;
};

static uint64_t next_number(const struct bytes *bytes, size_t *at)
{
    uint64_t number = 0;
    unsigned int shift = 0;
    unsigned char byte;

    do
    {
        CHECK(*at < bytes->buffer.used);
        byte = bytes->buffer.bytes[(*at)++];
        number |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while ( byte & 0x80 );
    return number;
}

/* The number at a place of a column. */
static uint64_t number_at(const struct planes *planes, size_t at)
{
    uint64_t number = 0;

    CHECK(at < planes->count);
    for ( size_t i = planes->used; i-- > 0; )
        number = number << 8 | planes->place[i].buffer.bytes[at];
    return number;
}

static struct cell *samples(struct page_kit *page, uint32_t domain,
                            uint16_t vcpu, const char *names, uint64_t count)
{
    struct cell *cell = kit_samples(&page->kit, domain, names, count);

    cell->key.vcpu = vcpu;
    cell->time = 1000 * count; /* 1 us each */
    return cell;
}

static void begin(struct page_kit *page)
{
    kit_begin(&page->kit);
    samples(page, KIT_WEB, 0, "1abX", 3);
    samples(page, KIT_WEB, 1, "1ab", 2);
    samples(page, KIT_WEB, 0, "1ac", 4);
    samples(page, KIT_DB, 0, "1ab", 1);
}

static void build(struct page_kit *page)
{
    struct tree_plan plan = tree_by_domain;

    plan.ends = true;
    kit_build(&page->kit);
    tree_build(&page->tree, &page->kit.loaded, &page->kit.stacks, &plan);
    page_nodes_build(&page->nodes, &page->tree, &page->kit.stacks,
                     page->kit.loaded.cells.count);
}

static void end(struct page_kit *page)
{
    page_nodes_free(&page->nodes);
    tree_free(&page->tree);
    kit_end(&page->kit);
}

/* "2web0 3`1'0": depth, domain or frame, own time, node after node. */
static char *nodes_text(const struct page_kit *page)
{
    struct node_columns columns = {.ups = {.used = 0}};
    struct bytes packed = {.buffer = {NULL, 0, 0}};
    size_t size, depth = 0, marked = 0;
    char *text = NULL;
    FILE *file = open_memstream(&text, &size);

    CHECK(file);
    page_nodes_put(&page->nodes, 1000, &columns);
    for ( size_t i = 0; i < columns.ups.count; i++ )
    {
        uint64_t value = number_at(&columns.values, i);
        bool leaf = i + 1 == columns.ups.count ||
                    number_at(&columns.ups, i + 1) > 0;
        bool mark = number_at(&columns.marks, i) != leaf;

        depth = depth + 1 - number_at(&columns.ups, i);
        fprintf(file, "%s%zu", i ? " " : "", depth);
        if ( depth == 1 )
            fprintf(file, "%s", value == KIT_WEB ? "web" : "db");
        else
            fputc(
                kit_letter(&page->kit, stacks_frame(&page->kit.stacks,
                                                    page->nodes.frames[value])),
                file);
        fprintf(file, ":%d",
                mark ? (int)number_at(&columns.times, marked++) : 0);
    }
    CHECK_EQ(marked, columns.times.count);
    page_columns_put(&columns, &packed);
    CHECK_EQ(columns.ups.count + columns.times.count, 0);
    fclose(file);
    bytes_free(&packed);
    return text;
}

TEST(page_has_nodes_in_the_order_of_a_walk)
{
    struct page_kit page;
    char *text;

    begin(&page);
    build(&page);
    text = nodes_text(&page);
    CHECK_TEXT(text, "1web:0 21:0 3a:0 4b:2 5X:3 4c:4 1db:0 21:0 3a:0 4b:1");
    free(text);
    end(&page);
}

TEST(page_numbers_common_frames_first)
{
    struct page_kit page;
    struct page_nodes *nodes = &page.nodes;

    begin(&page);
    build(&page);
    CHECK_EQ(nodes->frame_count, 5);
    for ( size_t i = 0; i < nodes->frame_count; i++ )
        CHECK_EQ(nodes->frame[nodes->frames[i]], i);
    /* 1, a and b are twice in the tree, c and X once. */
    for ( size_t i = 0; i < nodes->frame_count; i++ )
    {
        char letter = kit_letter(
            &page.kit, stacks_frame(&page.kit.stacks, nodes->frames[i]));

        CHECK_EQ(letter == 'c' || letter == 'X', i >= 3);
    }
    end(&page);
}

static void add_moment(struct page_kit *page, uint32_t bin, uint32_t cell,
                       uint32_t count)
{
    struct timeline *timeline = &page->kit.loaded.timeline;

    timeline->moments = reallocarray(timeline->moments, timeline->count + 1,
                                     sizeof(*timeline->moments));
    CHECK(timeline->moments);
    timeline->moments[timeline->count++] = (struct moment){
        .cell = cell, .bin = bin & 0xff, .count = count & 0xff};
    if ( bin >= timeline->bins )
        timeline->bins = bin + 1;
}

/* The node that so many with marks are before. */
static uint32_t marked_node(const struct page_nodes *nodes, uint64_t mark)
{
    uint32_t node = 0;

    while ( nodes->marks[node + 1] <= mark )
        node++;
    return node;
}

/* "7 web.0: 5x2 6x1;": bin, lane, nodes and their samples, run after run. */
static char *events_text(const struct page_events *events,
                         const struct page_nodes *nodes)
{
    size_t at = 0, entry = 0, size;
    uint64_t bin = 0;
    char *text = NULL;
    FILE *file = open_memstream(&text, &size);

    CHECK(file);
    while ( at < events->runs.buffer.used )
    {
        const struct lane *lane;
        uint64_t length, mark = 0;

        bin += next_number(&events->runs, &at);
        lane = table_at(&events->lanes, next_number(&events->runs, &at));
        fprintf(file, "%d %s.%u:", (int)bin,
                lane->key.domain == KIT_WEB ? "web" : "db", lane->key.vcpu);
        for ( length = next_number(&events->runs, &at); length; length-- )
        {
            mark += number_at(&events->nodes, entry);
            fprintf(file, " %dx%d", (int)marked_node(nodes, mark),
                    (int)number_at(&events->counts, entry++) + 1);
        }
        fputc(';', file);
    }
    CHECK_EQ(entry, events->nodes.count);
    CHECK_EQ(entry, events->counts.count);
    fclose(file);
    return text;
}

static void check_events(struct page_kit *page, const char *wanted)
{
    struct page_events events;
    char *text;

    timeline_finish(&page->kit.loaded.timeline);
    page_events_build(&events, &page->kit.loaded, &page->kit.stacks,
                      &page->nodes);
    text = events_text(&events, &page->nodes);
    CHECK_TEXT(text, wanted);
    free(text);
    page_events_free(&events);
}

TEST(page_has_samples_by_bin_and_lane)
{
    struct page_kit page;

    begin(&page);
    build(&page);
    add_moment(&page, 9, 3, 1);
    add_moment(&page, 2, 2, 1);
    add_moment(&page, 2, 0, 2);
    add_moment(&page, 2, 1, 1);
    add_moment(&page, 2, 2, 3);
    check_events(&page, "2 web.0: 5x2;2 web.1: 4x1;2 web.0: 6x4;"
                        "9 db.0: 10x1;");
    end(&page);
}

TEST(page_leaves_out_samples_that_are_dropped)
{
    struct page_kit page;

    begin(&page);
    ((struct cell *)table_at(&page.kit.loaded.cells, 3))->dropped = true;
    build(&page);
    add_moment(&page, 1, 3, 1);
    add_moment(&page, 1, 1, 2);
    check_events(&page, "1 web.1: 4x2;");
    end(&page);
}

/* Others of their vCPU have only a part of its time; db has none. */
TEST(page_has_dropped_samples_of_its_vcpus_at_the_root)
{
    struct page_kit page;

    begin(&page);
    ((struct cell *)table_at(&page.kit.loaded.cells, 0))->dropped = true;
    ((struct cell *)table_at(&page.kit.loaded.cells, 3))->dropped = true;
    build(&page);
    page.kit.loaded.timeline.begun = true;
    page.kit.loaded.timeline.width = 1;
    add_moment(&page, 1, 3, 1);
    add_moment(&page, 1, 0, 3);
    add_moment(&page, 1, 2, 2);
    check_events(&page, "1 web.0: 0x3 4x2;");
    end(&page);
}

/* The timeline begins with a second, the page in that second's third bin. */
TEST(page_has_no_bins_before_it_begins)
{
    struct page_kit page;

    begin(&page);
    build(&page);
    page.kit.loaded.timeline.begun = true;
    page.kit.loaded.timeline.width = 10;
    page.kit.loaded.timeline.begin = 25;
    add_moment(&page, 2, 1, 1);
    add_moment(&page, 9, 1, 1);
    check_events(&page, "0 web.1: 4x1;7 web.1: 4x1;");
    end(&page);
}

TEST(page_without_samples_has_no_runs)
{
    struct page_kit page;

    kit_begin(&page.kit);
    build(&page);
    check_events(&page, "");
    end(&page);
}
