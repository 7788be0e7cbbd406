/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches for names of code in files: an honest one with the stub's kernel,
 * and some that lie. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cage/keeper.h"
#include "daemon/parser/search-link.h"
#include "daemon/parser/search-process.h"
#include "parser-stub.h"
#include "tests/unit/cage/process-kit.h"
#include "tests/harness.h"

#define BASE        0xffffffff81000000ul
#define MILLISECOND 1000000ul

static struct leaf_question questions[LEAVES_MAX];
static struct table_store *store;
static struct walker_tables known = {.base = BASE};
static struct played_process played;

static struct search_order order_leaves(size_t count)
{
    return (struct search_order){.kind = SEARCH_LEAVES,
                                 .budget = 1 << 20,
                                 .known = &known,
                                 .leaves = questions,
                                 .count = count};
}

static size_t read_nothing(void *self, uint64_t address, void *to, size_t size)
{
    (void)self;
    (void)address;
    memset(to, 0, size);
    return size;
}

/* Tables of a kernel, as the stub's search leaves them; files by turns. */
static void make_tables(void)
{
    const struct stub_image image = {.page = {.letter = 'T', .cached = 1}};
    const uint64_t head = 0x494b5058u; /* IMAGE_MAGIC, and finder 0 */
    struct table_draft *draft;

    store = table_store_open();
    CHECK(store);
    draft = table_draft_begin(store, TABLE_IMAGE_MAX);
    CHECK(table_draft_add(draft, &head, sizeof(head)));
    CHECK(table_draft_add(draft, &image, sizeof(image)));
    known.image = table_draft_end(draft);
    CHECK(known.image);
    for ( uint64_t i = 0; i < LEAVES_MAX; i++ )
        questions[i] = (struct leaf_question){{STUB_WORDS, STUB_FILE + i % 3},
                                              0x100 + 0x20 * i};
}

static void drop_tables(void)
{
    table_release(known.image);
    table_store_close(store);
}

static void check_names(const struct search_result *result)
{
    char name[32];

    for ( uint64_t i = 0; i < LEAVES_MAX; i++ )
    {
        uint64_t offset = questions[i].offset;

        snprintf(name, sizeof(name), "leaf_%llx", (unsigned long long)offset);
        CHECK_EQ(result->leaves[i].address, offset + 0x1000);
        CHECK_TEXT(result->leaves[i].name, offset < 0x800 ? name : "");
    }
}

/* Answers are in the order of the questions, whatever files they are of. */
TEST(names_in_files)
{
    const struct search_order order = order_leaves(LEAVES_MAX);
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
        status = search_work(search, 50 * MILLISECOND, read_nothing, NULL);
    while ( status == LINK_MORE );
    CHECK_EQ(status, LINK_OK);
    CHECK_EQ(search_get_result(search)->status, KERNEL_OK);
    CHECK_EQ(search_get_result(search)->count, LEAVES_MAX);
    check_names(search_get_result(search));
    search_end(search);
    drop_tables();
    keeper_stop(&keeper);
}

static struct search *play(void)
{
    const struct search_order order = order_leaves(2);
    struct process_maker players = played_maker(&played);
    struct search *search = search_begin(&players, store, &order, NULL);
    static struct search_message message;
    struct leaf_question heard[LEAVES_MAX];
    size_t size;

    CHECK(search);
    played_say_ready(&played);
    size = played_hear(&played, &message, sizeof(message));
    CHECK(message_is_whole(&message, size));
    CHECK_EQ(message.head.kind, MESSAGE_BEGIN);
    size = played_hear(&played, &message, sizeof(message));
    CHECK(message_is_whole(&message, size));
    CHECK_EQ(message_get_leaves(&message, heard), 2);
    CHECK(!memcmp(heard, questions, 2 * sizeof(heard[0])));
    return search;
}

static void say_names(const struct leaf_name *names, size_t count)
{
    static struct search_message message;

    message_make(&message, MESSAGE_NAMES, names, count * sizeof(*names));
    played_say(&played, &message, message_size(&message));
}

enum name_lie { FEWER, MORE, ESCAPE, NO_NAME, NO_END, TWICE, LIES };

static void tell(enum name_lie lie)
{
    struct leaf_name names[3] = {{.found = LEAF_SYMBOL, .name = "main"}};

    if ( lie == ESCAPE )
        names[0].name[1] = '\033';
    else if ( lie == NO_NAME )
        names[1].found = LEAF_SYMBOL;
    else if ( lie == NO_END )
        memset(names[0].name, 'x', sizeof(names[0].name));
    else if ( lie == TWICE )
        say_names(names, 2);
    say_names(names, lie == FEWER ? 1 : lie == MORE ? 3 : 2);
}

TEST(a_search_for_names_that_lies_is_killed)
{
    make_tables();
    for ( enum name_lie lie = 0; lie < LIES; lie++ )
    {
        struct search *search = play();
        enum link_status status;

        tell(lie);
        status = search_work(search, 1000 * MILLISECOND, read_nothing, NULL);
        if ( status != LINK_DIED || played.ended != 1 )
            test_fail(__FILE__, __LINE__, "lie %d: status %d", lie, status);
        search_end(search);
    }
    drop_tables();
}
