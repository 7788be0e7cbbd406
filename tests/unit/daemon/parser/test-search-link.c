/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches: honest ones with the stub's kernels, and ones that lie. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "cage/keeper.h"
#include "daemon/parser/search-process.h"
#include "cage/process-words.h"
#include "daemon/parser/search-link.h"
#include "parser-stub.h"
#include "tests/unit/cage/process-kit.h"
#include "tests/harness.h"

#define BASE        0xffffffff81000000ul
#define OTHER_BASE  0xffffffff9a000000ul
#define MILLISECOND 1000000ul

/* A guest: one letter at each page. */
struct lettered {
    char letter;
    unsigned int reads;
    uint64_t last; /* address */
};

static size_t read_letter(void *self, uint64_t address, void *to, size_t size)
{
    struct lettered *guest = self;

    guest->reads++;
    guest->last = address;
    memset(to, 0, size);
    *(char *)to = guest->letter;
    return size;
}

static struct table_store *store;
static struct keeper keeper;
static struct process_maker maker;

static void start(void)
{
    struct failure failure;

    signal(SIGPIPE, SIG_IGN);
    keeper_stop(&keeper);
    if ( keeper_start(&keeper, NULL, search_process_run, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    maker = keeper_maker(&keeper);
    table_store_close(store);
    store = table_store_open();
    CHECK(store);
}

static struct search *look(uint64_t address)
{
    const struct search_order order = {
        .kind = SEARCH_MEMORY, .address = address, .budget = 1 << 20};
    struct search *search = search_begin(&maker, store, &order, NULL);

    CHECK(search);
    return search;
}

static enum link_status finish(struct search *search, struct lettered *guest)
{
    enum link_status status;

    do
        status = search_work(search, 50 * MILLISECOND, read_letter, guest);
    while ( status == LINK_MORE );
    return status;
}

TEST(a_search_ends_with_a_table)
{
    struct lettered guest = {.letter = 'K'};
    struct search *search;
    const struct search_result *result;

    start();
    search = look(BASE);
    CHECK(search_fd(search) >= 0);
    CHECK_EQ(finish(search, &guest), LINK_OK);
    CHECK_EQ(finish(search, &guest), LINK_OK);
    result = search_get_result(search);
    CHECK_EQ(result->status, KERNEL_OK);
    CHECK_TEXT(result->info.release, "6.1.0-stub");
    CHECK_EQ(result->info.bytes_read, 100000); /* in two pieces */
    CHECK_EQ(guest.reads, 2);
    CHECK_EQ(result->base, BASE);
    CHECK(result->image && result->modules);
    CHECK(search_cpu(search) > 0);
    search_end(search);
    search_end(NULL);
    CHECK_EQ(table_store_count(store), 0);
}

/* Two guests that run the same kernel, at addresses of their own. */
TEST(equal_kernels_are_one_table)
{
    struct lettered guests[3] = {{'K', 0, 0}, {'K', 0, 0}, {'S', 0, 0}};
    struct search *searches[3];
    const struct sealed_table *images[3];

    start();
    searches[0] = look(BASE);
    searches[1] = look(OTHER_BASE);
    searches[2] = look(BASE);
    for ( int i = 0; i < 3; i++ )
    {
        CHECK_EQ(finish(searches[i], &guests[i]), LINK_OK);
        images[i] = table_hold(search_get_result(searches[i])->image);
    }
    CHECK(images[0] == images[1]);
    CHECK(images[0] != images[2]);
    CHECK_EQ(search_get_result(searches[1])->base, OTHER_BASE);
    for ( int i = 0; i < 3; i++ )
        search_end(searches[i]);
    CHECK_EQ(table_store_count(store), 2); /* nobody held the modules */
    for ( int i = 0; i < 3; i++ )
        table_release(images[i]);
}

TEST(a_search_may_find_nothing)
{
    struct lettered guest = {.letter = 'D'};
    struct search *search;

    start();
    search = look(BASE);
    CHECK_EQ(finish(search, &guest), LINK_OK);
    CHECK_EQ(search_get_result(search)->status, KERNEL_DAMAGED);
    CHECK(!search_get_result(search)->image);
    search_end(search);
    guest.letter = 'f';
    search = look(BASE);
    CHECK_EQ(finish(search, &guest), LINK_OK);
    CHECK_EQ(search_get_result(search)->status, KERNEL_UNKNOWN);
    CHECK_EQ(search_get_result(search)->info.frame_pointers, 1);
    search_end(search);
}

TEST(modules_are_looked_for_alone)
{
    struct lettered guest = {.letter = 'K'};
    struct search *kernel, *modules;
    const struct search_result *result;
    struct walker_tables known;
    struct search_order order = {.kind = SEARCH_MODULES,
                                 .address = BASE,
                                 .budget = 1 << 20,
                                 .known = &known};

    start();
    kernel = look(BASE);
    CHECK_EQ(finish(kernel, &guest), LINK_OK);
    result = search_get_result(kernel);
    known = (struct walker_tables){result->image, result->modules, BASE, 0, 0};
    modules = search_begin(&maker, store, &order, NULL);
    CHECK_EQ(finish(modules, &guest), LINK_OK);
    result = search_get_result(modules);
    CHECK_EQ(result->status, KERNEL_OK);
    CHECK_EQ(result->info.modules, 1);
    CHECK(!result->image);
    CHECK(result->modules && result->modules != known.modules);
    search_end(modules);
    guest.letter = 'N'; /* another kernel */
    modules = search_begin(&maker, store, &order, NULL);
    CHECK_EQ(finish(modules, &guest), LINK_OK);
    CHECK_EQ(search_get_result(modules)->status, KERNEL_MISMATCH);
    CHECK(!search_get_result(modules)->modules);
    search_end(modules);
    search_end(kernel);
}

static const struct origin_thread some_threads[] = {
    {1000, 12, 12}, {2000, 14, 15}, {3000, 12, 16}};

static struct search_order order_origins(const struct walker_tables *known)
{
    return (struct search_order){.kind = SEARCH_ORIGINS,
                                 .budget = 1 << 20,
                                 .known = known,
                                 .threads = some_threads,
                                 .count = 3};
}

TEST(origins_of_threads)
{
    struct lettered guest = {.letter = 'T'};
    struct search *kernel, *origins;
    const struct search_result *result;
    struct walker_tables known;
    struct search_order order = order_origins(&known);

    start();
    kernel = look(BASE);
    CHECK_EQ(finish(kernel, &guest), LINK_OK);
    result = search_get_result(kernel);
    CHECK_EQ(result->count, 0);
    known = (struct walker_tables){result->image, result->modules, BASE, 0, 0};
    origins = search_begin(&maker, store, &order, NULL);
    CHECK_EQ(finish(origins, &guest), LINK_OK);
    result = search_get_result(origins);
    CHECK_EQ(result->status, KERNEL_OK);
    CHECK(!result->image);
    CHECK_EQ(result->count, 3);
    CHECK(result->origins[0].there && result->origins[2].there);
    CHECK(!result->origins[1].there);
    CHECK_TEXT(result->origins[0].origin.exe, "/bin/p12");
    CHECK_TEXT(result->origins[2].origin.cgroup, "/t16.service");
    search_end(origins);
    search_end(kernel);
}

TEST(a_file_is_given_to_the_search)
{
    struct search_order order = {.kind = SEARCH_FILE, .address = BASE};
    struct lettered guest = {.letter = 'x'};
    struct search *search;

    start();
    order.file = memfd_create("vmlinux", MFD_CLOEXEC);
    CHECK_EQ(pwrite(order.file, "K of a file", 11, 0), 11);
    search = search_begin(&maker, store, &order, NULL);
    close(order.file);
    CHECK_EQ(finish(search, &guest), LINK_OK);
    CHECK_EQ(search_get_result(search)->status, KERNEL_OK);
    CHECK_EQ(guest.reads, 0);
    search_end(search);
}

/* Memory of its guest ends one search; the others do not notice. */
TEST(a_crash_is_between_a_search_and_its_guest)
{
    struct lettered bad = {.letter = 'C'}, good = {.letter = 'K'};
    struct search *first, *second;

    start();
    first = look(BASE);
    second = look(BASE);
    CHECK_EQ(finish(first, &bad), LINK_DIED);
    CHECK_EQ(finish(second, &good), LINK_OK);
    CHECK_EQ(search_get_result(second)->status, KERNEL_OK);
    search_end(first);
    search_end(second);
    bad.letter = 'F'; /* a system call that the sandbox does not have */
    first = look(BASE);
    CHECK_EQ(finish(first, &bad), LINK_DIED);
    CHECK_EQ(finish(first, &bad), LINK_DIED);
    search_end(first);
}

TEST(cpu_time_of_a_search_is_bounded)
{
    /* It would end of itself at 20 s. */
    static const struct search_limits strict = {30 * MILLISECOND,
                                                20000 * MILLISECOND};
    static const struct search_limits patient = {10000 * MILLISECOND,
                                                 600000 * MILLISECOND};
    const struct search_order order = {
        .kind = SEARCH_MEMORY, .address = BASE, .budget = 1 << 20};
    struct lettered bad = {.letter = 'L'}, good = {.letter = 'K'};
    struct search *first, *second;

    start();
    first = search_begin(&maker, store, &order, &strict);
    second = search_begin(&maker, store, &order, &patient);
    CHECK_EQ(finish(first, &bad), LINK_DIED);
    CHECK(search_cpu(first) > 30 * MILLISECOND);
    CHECK(search_cpu(first) < 5000 * MILLISECOND);
    CHECK_EQ(finish(second, &good), LINK_OK);
    search_end(first);
    search_end(second);
}

TEST(no_keeper_no_search)
{
    const struct search_order order = {
        .kind = SEARCH_MEMORY, .address = BASE, .budget = 1 << 20};

    start();
    keeper_stop(&keeper);
    CHECK(!search_begin(&maker, store, &order, NULL));
}

/* A search that is played ------------------------------------------------- */

static struct played_process played;

/* With the store that there is. */
static struct search *play_on(const struct search_order *order)
{
    struct process_maker players = played_maker(&played);
    struct search *search = search_begin(&players, store, order, NULL);
    struct search_message begin;
    size_t size;

    CHECK(search);
    played_say_ready(&played);
    size = played_hear(&played, &begin, sizeof(begin));
    CHECK(message_is_whole(&begin, size));
    CHECK_EQ(begin.head.kind, MESSAGE_BEGIN);
    return search;
}

static struct search *play(const struct search_order *order)
{
    table_store_close(store);
    store = table_store_open();
    return play_on(order);
}

static const struct search_order plain = {
    .kind = SEARCH_MEMORY, .address = BASE, .budget = 100000};

static void say(enum message_kind kind, const void *payload, size_t size)
{
    static struct search_message message;

    message_make(&message, kind, payload, size);
    played_say(&played, &message, message_size(&message));
}

static size_t ask(struct search *search, struct lettered *guest,
                  uint64_t address, uint64_t size)
{
    static struct search_message answer;
    const struct message_read range = {address, size};
    size_t got;

    say(MESSAGE_READ, &range, sizeof(range));
    CHECK_EQ(search_work(search, 0, read_letter, guest), LINK_MORE);
    got = played_hear(&played, &answer, sizeof(answer));
    CHECK(message_is_whole(&answer, got));
    CHECK_EQ(answer.head.kind, MESSAGE_BYTES);
    return answer.head.size;
}

TEST(a_search_gets_no_more_than_its_budget)
{
    struct lettered guest = {.letter = 'K'};
    struct search *search = play(&plain);

    CHECK_EQ(ask(search, &guest, BASE, SEARCH_READ_MAX), SEARCH_READ_MAX);
    CHECK_EQ(ask(search, &guest, BASE, SEARCH_READ_MAX), SEARCH_READ_MAX);
    CHECK_EQ(ask(search, &guest, BASE, SEARCH_READ_MAX), 0);
    CHECK_EQ(ask(search, &guest, BASE, 100000 - SEARCH_READ_MAX), 34464);
    CHECK_EQ(ask(search, &guest, BASE, 1), 0);
    CHECK_EQ(guest.reads, 3);
    search_end(search);
}

/* Each piece is looked at for itself, and what follows one that is refused is
 * not read. */
TEST(pieces_of_one_read)
{
    const struct message_read ranges[] = {
        {BASE, 3}, {OTHER_BASE, 2}, {0x1000, 4}, {BASE, 1}};
    static struct search_message answer;
    struct lettered guest = {.letter = 'K'};
    struct search_order order = plain;
    struct search *search;

    for ( int dom0 = 0; dom0 < 2; dom0++ )
    {
        order.dom0 = dom0;
        search = play(&order);
        guest.reads = 0;
        say(MESSAGE_READ, ranges, sizeof(ranges));
        CHECK_EQ(search_work(search, 0, read_letter, &guest), LINK_MORE);
        CHECK(message_is_whole(&answer,
                               played_hear(&played, &answer, sizeof(answer))));
        CHECK_EQ(answer.head.kind, MESSAGE_BYTES);
        CHECK_EQ(answer.head.size, dom0 ? 5 : 10);
        CHECK(!memcmp(answer.payload, "K\0\0K\0", 5));
        CHECK_EQ(guest.reads, dom0 ? 2 : 4);
        search_end(search);
    }
}

/* What else a process that was taken over might want of dom0: the direct map,
 * devices that were mapped, the fixmap. */
TEST(of_dom0_only_its_kernel_is_read)
{
    static const struct {
        uint64_t address, size;
        bool may;
    } ranges[] = {
        {0xffffffff80000000, 16, true},
        {0xffffffff81000000, 4096, true},
        {0xffffffffc0000000, 4096, true},
        {0xfffffffffefffff0, 16, true},
        {0xfffffffffefffff0, 17, false},
        {0xffffffff7fffffff, 16, false},
        {0xffffffffff000000, 16, false},
        {0xffffffffff578000, 16, false}, /* fixmap */
        {0xffffc90000000000, 16, false}, /* ioremap() */
        {0xffff888000000000, 16, false}, /* direct map */
        {0x0000000000400000, 16, false},
        {0xfffffffffffffff0, 32, false},
    };
    struct search_order order = plain;
    struct lettered guest = {.letter = 'K'};
    struct search *search;

    order.dom0 = true;
    search = play(&order);
    for ( size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++ )
    {
        guest.last = 0;
        CHECK_EQ(ask(search, &guest, ranges[i].address, ranges[i].size),
                 ranges[i].may ? ranges[i].size : 0);
        CHECK_EQ(guest.last, ranges[i].may ? ranges[i].address : 0);
    }
    search_end(search);
}

/* For origins it may follow a kernel's words to what the direct map has. */
TEST(of_dom0_also_the_direct_map_for_origins)
{
    static const struct {
        uint64_t address, size;
        bool may;
    } ranges[] = {
        {0xffffffff81000000, 4096, true},
        {0xffff888000100000, 16, true},
        {0xffffc87ffffffff0, 16, true},
        {0xffffc87ffffffff0, 17, false},
        {0xffff8880000ffff8, 16, false}, /* video memory is below */
        {0xffff888000000000, 16, false},
        {0xffffc90000000000, 16, false}, /* ioremap() */
        {0xffffffffff578000, 16, false}, /* fixmap */
        {0x0000000000400000, 16, false},
    };
    struct table_draft *draft;
    struct walker_tables known = {.base = BASE};
    struct search_order order = order_origins(&known);
    struct lettered guest = {.letter = 'K'};
    static struct search_message threads;
    struct search *search;

    start();
    draft = table_draft_begin(store, TABLE_IMAGE_MAX);
    CHECK(table_draft_add(draft, "kernel", 6));
    known.image = table_draft_end(draft);
    order.dom0 = true;
    search = play_on(&order);
    CHECK(played_hear(&played, &threads, sizeof(threads)));
    CHECK_EQ(threads.head.kind, MESSAGE_THREADS);
    CHECK_EQ(threads.head.size, sizeof(some_threads));
    for ( size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++ )
        CHECK_EQ(ask(search, &guest, ranges[i].address, ranges[i].size),
                 ranges[i].may ? ranges[i].size : 0);
    search_end(search);
    table_release(known.image);
}

static struct message_found good_found(void)
{
    return (struct message_found){
        .base = BASE, .info = {.release = "6.1.0", .build_id_length = 20}};
}

static struct task_list good_tasks(void)
{
    static const struct task_offsets offsets = {2416, 2776, 2976};
    struct task_list list;

    task_list_make(&offsets, &list);
    task_list_add(&list, 0, 0xffff888012340000);
    return list;
}

TEST(a_played_search_is_believed)
{
    const struct message_found found = good_found();
    const struct task_list tasks = good_tasks();
    struct search *search = play(&plain);

    say(MESSAGE_MODULES, "mod", 3);
    say(MESSAGE_IMAGE, "ker", 3);
    say(MESSAGE_MODULES, "ules", 4);
    say(MESSAGE_IMAGE, "nel", 3);
    say(MESSAGE_TASKS, &tasks, sizeof(tasks));
    say(MESSAGE_FOUND, &found, sizeof(found));
    CHECK_EQ(search_work(search, 1000 * MILLISECOND, read_letter, NULL),
             LINK_OK);
    CHECK_EQ(search_get_result(search)->image->size, 6);
    CHECK_EQ(search_get_result(search)->modules->size, 7);
    CHECK_EQ(search_take_tasks(search)->fetch.base[0], 0xffff888012340000);
    CHECK(!search_take_tasks(search));
    CHECK_EQ(played.ended, 1);
    search_end(search);
    CHECK_EQ(played.ended, 1);
}

static void leave(void)
{
    played_leave(&played);
}

static void read_nothing(void)
{
    say(MESSAGE_READ, &(struct message_read){BASE, 0}, 16);
}

static void read_too_much(void)
{
    say(MESSAGE_READ, &(struct message_read){BASE, SEARCH_READ_MAX + 1}, 16);
}

static void read_too_much_together(void)
{
    const struct message_read ranges[] = {{BASE, SEARCH_READ_MAX},
                                          {BASE + SEARCH_READ_MAX, 1}};

    say(MESSAGE_READ, ranges, sizeof(ranges));
}

static void read_a_piece_that_wraps(void)
{
    const struct message_read ranges[] = {{BASE, 1}, {BASE, UINT64_MAX}};

    say(MESSAGE_READ, ranges, sizeof(ranges));
}

static void read_too_many(void)
{
    struct message_read ranges[SEARCH_PIECES_MAX + 1];

    for ( size_t i = 0; i <= SEARCH_PIECES_MAX; i++ )
        ranges[i] = (struct message_read){BASE, 1};
    say(MESSAGE_READ, ranges, sizeof(ranges));
}

static void read_by_half(void)
{
    say(MESSAGE_READ, &(struct message_read){BASE, 16}, 8);
}

static void speak_for_the_daemon(void)
{
    say(MESSAGE_BYTES, "bytes", 5);
}

static void begin_again(void)
{
    const struct message_begin begin = {.address = BASE, .budget = 1};

    say(MESSAGE_BEGIN, &begin, sizeof(begin));
}

static void find_without_a_table(void)
{
    const struct message_found found = good_found();

    say(MESSAGE_FOUND, &found, sizeof(found));
}

static void find_after(void (*change)(struct message_found *found))
{
    struct message_found found = good_found();

    change(&found);
    say(MESSAGE_IMAGE, "kernel", 6);
    say(MESSAGE_FOUND, &found, sizeof(found));
}

static void set_status(struct message_found *found)
{
    found->status = KERNEL_NO_MEMORY + 1;
}

static void set_escape(struct message_found *found)
{
    strcpy(found->info.release, "6.1\033[2J");
}

static void set_no_end(struct message_found *found)
{
    memset(found->info.release, 'x', sizeof(found->info.release));
}

static void set_build_id(struct message_found *found)
{
    found->info.build_id_length = 21;
}

static void find_odd_status(void)
{
    find_after(set_status);
}

static void find_escape(void)
{
    find_after(set_escape);
}

static void find_no_end(void)
{
    find_after(set_no_end);
}

static void find_long_id(void)
{
    find_after(set_build_id);
}

/* Xen would not take it. */
static void say_odd_tasks(void)
{
    struct task_list tasks = good_tasks();

    tasks.fetch.base[0] = 0x400000;
    say(MESSAGE_TASKS, &tasks, sizeof(tasks));
}

static void say_half_the_tasks(void)
{
    const struct task_list tasks = good_tasks();

    say(MESSAGE_TASKS, &tasks, sizeof(tasks) / 2);
}

static void say_nonsense(void)
{
    played_say(&played, "some bytes that are not a message", 33);
}

static void say_one_byte(void)
{
    played_say(&played, "x", 1);
}

static void lie_about_size(void)
{
    struct search_message message;

    message_make(&message, MESSAGE_IMAGE, "1234", 4);
    message.head.size = 400;
    played_say(&played, &message, 12);
}

TEST(a_search_that_lies_is_killed)
{
    static void (*const lies[])(void) = {leave,
                                         read_nothing,
                                         read_too_much,
                                         read_too_much_together,
                                         read_a_piece_that_wraps,
                                         read_too_many,
                                         read_by_half,
                                         begin_again,
                                         speak_for_the_daemon,
                                         find_escape,
                                         find_no_end,
                                         find_long_id,
                                         find_without_a_table,
                                         say_nonsense,
                                         say_one_byte,
                                         lie_about_size,
                                         find_odd_status,
                                         say_odd_tasks,
                                         say_half_the_tasks};

    for ( size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++ )
    {
        struct search *search = play(&plain);
        enum link_status status;

        lies[i]();
        status = search_work(search, 1000 * MILLISECOND, read_letter,
                             &(struct lettered){'K', 0, 0});
        if ( status != LINK_DIED || played.ended != 1 )
            test_fail(__FILE__, __LINE__, "lie %zu: status %d, %u ended", i,
                      status, played.ended);
        search_end(search);
        CHECK_EQ(table_store_count(store), 0);
    }
}

/* Of each thread that it was asked for, once, and fit to be shown. */
TEST(a_search_for_origins_that_lies_is_killed)
{
    static const struct message_origin good = {1, {"/bin/sh", "/"}};
    struct message_origin lies[6];
    struct walker_tables known = {.base = BASE};
    const struct search_order order = order_origins(&known);
    struct table_draft *draft;

    for ( size_t i = 0; i < 6; i++ )
        lies[i] = good;
    strcpy(lies[0].origin.exe, "/bin\033[2J");
    strcpy(lies[1].origin.cgroup, "no path");
    memset(lies[2].origin.exe, '/', sizeof(lies[2].origin.exe));
    memset(lies[3].origin.cgroup, '/', sizeof(lies[3].origin.cgroup));
    lies[4].there = 2;
    start();
    draft = table_draft_begin(store, TABLE_IMAGE_MAX);
    CHECK(table_draft_add(draft, "kernel", 6));
    known.image = table_draft_end(draft);
    for ( size_t i = 0; i < 6; i++ )
    {
        struct search *search = play_on(&order);
        enum link_status status;

        for ( size_t j = 0; j < (i == 5 ? 3 : 0); j++ )
            say(MESSAGE_ORIGIN, &good, sizeof(good));
        say(MESSAGE_ORIGIN, &lies[i], sizeof(lies[i]));
        status = search_work(search, 1000 * MILLISECOND, read_letter, NULL);
        if ( status != LINK_DIED || played.ended != 1 )
            test_fail(__FILE__, __LINE__, "lie %zu: status %d", i, status);
        search_end(search);
    }
    table_release(known.image);
}

/* A table that grows and grows. */
TEST(a_table_is_bounded)
{
    static const char piece[SEARCH_READ_MAX];
    struct search *search = play(&plain);
    enum link_status status = LINK_MORE;
    unsigned int pieces = 0;

    while ( status == LINK_MORE )
    {
        say(MESSAGE_MODULES, piece, sizeof(piece));
        status = search_work(search, 0, read_letter, NULL);
        pieces++;
    }
    CHECK_EQ(status, LINK_DIED);
    CHECK_EQ(pieces, TABLE_MODULES_MAX / sizeof(piece) + 1);
    search_end(search);
}

/* It says nothing, uses no time, and is killed in the end. */
TEST(silence_ends_too)
{
    static const struct search_limits strict = {MILLISECOND, MILLISECOND};
    struct process_maker players = played_maker(&played);
    struct search *search;
    enum link_status status;

    table_store_close(store);
    store = table_store_open();
    search = search_begin(&players, store, &plain, &strict);
    do
        status = search_work(search, MILLISECOND, read_letter, NULL);
    while ( status == LINK_MORE );
    CHECK_EQ(status, LINK_NONE); /* it never began */
    CHECK_EQ(played.ended, 1);
    search_end(search);
}
