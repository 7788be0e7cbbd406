/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees of calls are the same whether stacks of domains that they sum up are
 * pruned or whole: of a made-up session of several files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxenoprof/session/session-writer.h"
#include "report/cells/pruned-domains.h"
#include "report/model/gather.h"
#include "report/text/layout.h"
#include "report/views.h"
#include "report/why/asked.h"
#include "tests/harness.h"

#define MS      1000000u
#define FILES   6u
#define SAMPLES 300u /* of a file */
#define PCPUS   2u
#define DEPTH   6u
#define XEN     0xffff82d040200000u
#define KERNEL  0xffffffff81000000u
#define PROCESS 0x401000u
#define LIMIT   4.0 /* percent */

/* Which part of a file's samples domains have, from 1 on: the last one has some
 * in some files only. */
static const unsigned int parts[] = {40, 20, 4, 3, 3};
#define DOMAINS 6u

#define CALLGRAPH view_table[VIEW_callgraph].view
#define CALLERS   view_table[VIEW_callers].view

static char folder[64];
static struct layout layout;
static uint64_t lots;

static unsigned int draw(unsigned int below)
{
    lots = lots * 6364136223846793005u + 1442695040888963407u;
    return (unsigned int)(lots >> 33) % below;
}

/* In a process addresses have no names; of a kernel each domain has its own
 * addresses for the same functions. */
static uint32_t put_place(struct xenoprof_writer *writer, uint16_t domain,
                          uint8_t mode)
{
    static const uint64_t begin[] = {XEN, KERNEL, PROCESS};
    static const char *const image[] = {"xen", "kernel", "user"};
    const unsigned int function = draw(mode == XENOPROF_MODE_USER ? 40 : 9);
    char symbol[32];
    struct xenoprof_place place = {
        .domain = mode == XENOPROF_MODE_XEN ? 0 : domain,
        .mode = mode,
        .image = image[mode],
        .symbol_start = begin[mode] + 0x1000u * domain + 0x100u * function};
    uint32_t number;

    if ( mode == XENOPROF_MODE_XEN )
        place.symbol_start = XEN + 0x100u * function;
    place.address = place.symbol_start + draw(3);
    snprintf(symbol, sizeof(symbol), "%s_%u",
             mode == XENOPROF_MODE_XEN ? "do" : "sys", function);
    if ( mode != XENOPROF_MODE_USER )
        place.symbol = symbol;
    CHECK(!xenoprof_writer_place(writer, &place, &number));
    return number;
}

static void put_sample(struct xenoprof_writer *writer, uint64_t time,
                       uint16_t domain)
{
    const uint8_t mode = (uint8_t)draw(3);
    const struct xenoprof_stored sample = {.time = time,
                                           .period = 10 * MS,
                                           .domain = domain,
                                           .vcpu = (uint16_t)draw(2),
                                           .pcpu = (uint16_t)draw(PCPUS),
                                           .mode = mode,
                                           .weight = 1};
    uint32_t places[3 * DEPTH];
    size_t count = 0;

    for ( uint8_t i = mode; i < 3; i++ )
        for ( unsigned int left = i == mode ? 1 + draw(DEPTH) : draw(DEPTH);
              left; left-- )
            places[count++] = put_place(writer, domain, i);
    CHECK(!xenoprof_writer_sample(writer, &sample, places, count));
}

static uint16_t draw_domain(unsigned int last)
{
    unsigned int at = draw(100);

    for ( uint16_t i = 0; i < DOMAINS - 1; i++ )
    {
        if ( at < parts[i] )
            return (uint16_t)(i + 1);
        at -= parts[i];
    }
    return last && at < last ? DOMAINS : 1;
}

static void put_idle(struct xenoprof_writer *writer, uint64_t time)
{
    for ( uint16_t i = 0; i < PCPUS; i++ )
        CHECK(!xenoprof_writer_idle(writer, time, i, time / 4));
}

static void put_domain(struct xenoprof_writer *writer, uint64_t time,
                       uint16_t domain)
{
    const uint8_t uuid[16] = {(uint8_t)domain};
    char name[16];

    snprintf(name, sizeof(name), "guest-%u", domain);
    CHECK(!xenoprof_writer_domain(writer, time, domain, uuid, name, "passive"));
}

/* last: by file, the part of the last domain.  Before the file born_in there is
 * none; in that one, from the middle on. */
static void write_session(const unsigned int last[FILES], unsigned int born_in)
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_writer *writer;
    uint64_t time = 100 * MS;

    strcpy(folder, "/tmp/xenoprof-pruned-XXXXXX");
    CHECK(mkdtemp(folder));
    CHECK(!xenoprof_writer_create(handle, folder, &writer));
    for ( uint16_t i = 1; i < DOMAINS + !born_in; i++ )
        put_domain(writer, time, i);
    put_idle(writer, time);
    for ( unsigned int file = 0; file < FILES; file++ )
    {
        for ( unsigned int i = 0; i < SAMPLES; i++, time += 5 * MS )
        {
            const bool born = file > born_in ||
                              (file == born_in && (i > SAMPLES / 2 || !file));

            if ( file == born_in && i == SAMPLES / 2 && file )
            {
                CHECK(!xenoprof_writer_flush(writer));
                put_domain(writer, time, DOMAINS);
            }
            put_sample(writer, time, draw_domain(born ? last[file] : 0));
        }
        put_idle(writer, time);
        CHECK(!xenoprof_writer_rotate(writer));
    }
    CHECK(!xenoprof_writer_close(writer, time));
    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
}

static void remove_session(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    CHECK(!system(command));
}

/* Sets *ret to how many domains had pruned stacks. */
static char *print(const struct view *view, bool whole, unsigned int *ret)
{
    const struct view_options options = {.argument = NULL};
    const struct query query = {.session_dir = folder,
                                .percent_limit = LIMIT,
                                .percent_limit_given = true,
                                .needs_stacks = true,
                                .silent = true,
                                .small = whole ? NULL : view->small,
                                .small_from = 1};
    struct failure failure = {.status = STATUS_DONE};
    struct gathered_session gathered = {.whole = false};
    struct report report = {.query = &query,
                            .layout = &layout,
                            .options = &options,
                            .loaded = &gathered.loaded,
                            .stacks = &gathered.stacks,
                            .name = "test",
                            .path = folder};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    *ret = 0;
    if ( gather(&gathered, &query, folder, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    view->print(&report, file);
    fclose(file);
    for ( uint32_t i = 0; i < gathered.loaded.domains.count; i++ )
        *ret += loaded_domain(&gathered.loaded, i)->pruned;
    gathered_free(&gathered);
    return text;
}

/* Returns how many domains were pruned. */
static unsigned int compare(const struct view *view)
{
    unsigned int whole, pruned;
    char *wanted = print(view, true, &whole);
    char *found = print(view, false, &pruned);

    CHECK_TEXT(found, wanted);
    CHECK_EQ(whole, 0);
    free(wanted);
    free(found);
    return pruned;
}

static void begin(const unsigned int last[FILES], unsigned int born_in,
                  uint64_t seed)
{
    struct failure failure = {.status = STATUS_DONE};

    layout = (struct layout){.width = 100};
    CHECK(!screen_init(&layout.screen, "never", &failure));
    lots = seed;
    write_session(last, born_in);
}

TEST(small_domains_have_pruned_stacks)
{
    static const unsigned int never[FILES] = {0};

    for ( uint64_t seed = 1; seed <= 5; seed++ )
    {
        begin(never, 0, seed);
        CHECK_EQ(compare(CALLGRAPH), 3);
        CHECK_EQ(compare(CALLERS), 3);
        remove_session();
    }
}

/* It was pruned while it had no sample, and when it had some: what is shown of
 * it is whole. */
TEST(domain_that_becomes_large_is_read_again)
{
    static const unsigned int late[FILES] = {0, 0, 30, 30, 30, 30};
    static const unsigned int burst[FILES] = {0, 30, 0, 0, 0, 0};

    begin(late, 0, 6);
    CHECK_EQ(compare(CALLGRAPH), 3);
    remove_session();
    begin(burst, 0, 7);
    CHECK_EQ(compare(CALLGRAPH), 4);
    CHECK_EQ(compare(CALLERS), 4);
    remove_session();
}

/* When the second reading comes to the file in which it was born, the domain
 * has no number yet: stacks of all others stay pruned. */
TEST(domain_that_is_born_large_is_read_again_once)
{
    static const unsigned int large[FILES] = {0, 0, 0, 40, 40, 40};

    begin(large, 3, 8);
    CHECK_EQ(compare(CALLGRAPH), 3);
    CHECK_EQ(compare(CALLERS), 3);
    remove_session();
}

TEST(domains_that_reach_the_limit_are_known_at_the_end)
{
    struct loaded loaded;
    struct shown_domains shown = {.items = NULL};
    bool again;

    loaded_init(&loaded);
    for ( uint32_t i = 2; i < 5; i++ )
    {
        struct domain_key domain = {.number = i};
        struct cell_key cell = {.domain = i};

        CHECK(table_put(&loaded.domains, &domain));
        ((struct cell *)table_put(&loaded.cells, &cell))->time = 1 + (i == 4);
    }
    pruned_domains_check(&loaded, 50, &shown, &again);
    CHECK(!again);
    CHECK_EQ(shown.count, 1);
    CHECK_EQ(shown.items[0].number, 4);
    shown.count = 0;
    loaded_domain(&loaded, 2)->pruned = true;
    pruned_domains_check(&loaded, 50, &shown, &again);
    CHECK(!again);
    shown.count = 0;
    loaded_domain(&loaded, 4)->pruned = true;
    pruned_domains_check(&loaded, 50, &shown, &again);
    CHECK(again);
    vector_free(&shown);
    loaded_free(&loaded);
}
