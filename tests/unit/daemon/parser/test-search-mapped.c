/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches for what processes have mapped: an honest one with the stub's
 * kernel, and some that lie. */
#include <signal.h>
#include <string.h>

#include "cage/keeper.h"
#include "daemon/parser/search-link.h"
#include "daemon/parser/search-process.h"
#include "parser-stub.h"
#include "tests/unit/cage/process-kit.h"
#include "tests/harness.h"

#define BASE        0xffffffff81000000ul
#define MILLISECOND 1000000ul

static const struct mapped_process some_processes[] = {
    {{1000, 12, 12}, "one"}, {{2000, 14, 15}, "gone"}, {{3000, 16, 16}, ""}};

static struct table_store *store;
static struct walker_tables known = {.base = BASE};
static struct played_process played;

static struct search_order order_mapped(void)
{
    return (struct search_order){.kind = SEARCH_MAPPED,
                                 .budget = 1 << 20,
                                 .known = &known,
                                 .processes = some_processes,
                                 .count = 3};
}

/* The guest has a kernel with tasks, at each page. */
static size_t read_letter(void *self, uint64_t address, void *to, size_t size)
{
    (void)self;
    (void)address;
    memset(to, 0, size);
    *(char *)to = 'T';
    return size;
}

/* Tables of a kernel, as the stub's search leaves them. */
static void make_tables(void)
{
    const struct stub_image image = {.page = {.letter = 'T'}};
    const uint64_t head = 0x494b5058u; /* IMAGE_MAGIC, and finder 0 */
    struct table_draft *draft;

    store = table_store_open();
    CHECK(store);
    draft = table_draft_begin(store, TABLE_IMAGE_MAX);
    CHECK(table_draft_add(draft, &head, sizeof(head)));
    CHECK(table_draft_add(draft, &image, sizeof(image)));
    known.image = table_draft_end(draft);
    CHECK(known.image);
}

static void drop_tables(void)
{
    table_release(known.image);
    table_store_close(store);
}

TEST(what_processes_have_mapped)
{
    const struct search_order order = order_mapped();
    const struct search_result *result;
    struct keeper keeper = {0};
    struct failure failure;
    struct process_maker maker;
    struct search *search;
    enum link_status status;

    signal(SIGPIPE, SIG_IGN);
    CHECK_EQ(keeper_start(&keeper, NULL, search_process_run, &failure), 0);
    maker = keeper_maker(&keeper);
    make_tables();
    search = search_begin(&maker, store, &order, NULL);
    CHECK(search);
    do
        status = search_work(search, 50 * MILLISECOND, read_letter, NULL);
    while ( status == LINK_MORE );
    CHECK_EQ(status, LINK_OK);
    result = search_get_result(search);
    CHECK_EQ(result->status, KERNEL_OK);
    CHECK_EQ(result->count, 3);
    CHECK(result->spaces[0] && !result->spaces[1] && result->spaces[2]);
    CHECK_EQ(result->spaces[0]->count, 2);
    CHECK_EQ(result->spaces[0]->code[1].start, 0x401000);
    CHECK_TEXT(mapped_path(result->spaces[0], &result->spaces[0]->code[0]),
               "/bin/p12");
    CHECK_TEXT(mapped_path(result->spaces[2], &result->spaces[2]->code[0]),
               "/bin/p16");
    CHECK_TEXT(mapped_path(result->spaces[2], &result->spaces[2]->code[1]), "");
    search_end(search);
    drop_tables();
    keeper_stop(&keeper);
}

static struct search *play(void)
{
    const struct search_order order = order_mapped();
    struct process_maker players = played_maker(&played);
    struct search *search = search_begin(&players, store, &order, NULL);
    static struct search_message message;
    size_t size;

    CHECK(search);
    played_say_ready(&played);
    size = played_hear(&played, &message, sizeof(message));
    CHECK(message_is_whole(&message, size));
    CHECK_EQ(message.head.kind, MESSAGE_BEGIN);
    size = played_hear(&played, &message, sizeof(message));
    CHECK(message_is_whole(&message, size));
    CHECK_EQ(message.head.kind, MESSAGE_PROCESSES);
    CHECK_EQ(message.head.size, sizeof(some_processes));
    return search;
}

static void say(const struct search_message *message)
{
    played_say(&played, message, message_size(message));
}

static void say_mapped(uint64_t there, const struct mapped_space *space)
{
    static struct search_message message;

    message_make_mapped(&message, true, space);
    memcpy(message.payload, &there, sizeof(there));
    say(&message);
}

static void say_origin(void)
{
    static const struct message_origin origin = {1, {"/bin/sh", "/"}};
    static struct search_message message;

    message_make(&message, MESSAGE_ORIGIN, &origin, sizeof(origin));
    say(&message);
}

enum lie { EMPTY, ESCAPE, HALF_A_TEXT, ODD, ORIGIN, ONE_MORE, LIES };

static void tell(enum lie lie)
{
    static struct mapped_space space;
    const struct mapped_code piece = {.start = 4096, .end = 8192};

    mapped_space_init(&space);
    CHECK(mapped_space_add(&space, &piece, "/bin/sh"));
    for ( int i = 0; i < (lie == ONE_MORE ? 3 : 1); i++ )
        say_mapped(1, &space);
    if ( lie == EMPTY )
        space.code[0].end = 4096;
    else if ( lie == ESCAPE )
        space.texts[1] = '\033';
    else if ( lie == HALF_A_TEXT )
        space.code[0].path = 3;
    if ( lie == ORIGIN )
        say_origin();
    else
        say_mapped(lie == ODD ? 2 : 1, &space);
}

/* Of each process that it was asked for, once: pieces in a row, of files that
 * have a path. */
TEST(a_search_for_what_is_mapped_that_lies_is_killed)
{
    make_tables();
    for ( enum lie lie = 0; lie < LIES; lie++ )
    {
        struct search *search = play();
        enum link_status status;

        tell(lie);
        status = search_work(search, 1000 * MILLISECOND, read_letter, NULL);
        if ( status != LINK_DIED || played.ended != 1 )
            test_fail(__FILE__, __LINE__, "lie %d: status %d", lie, status);
        search_end(search);
    }
    drop_tables();
}
