/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a writer is given comes back, and equal things have one number. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "session-kit.h"

TEST(every_item_kind_comes_back)
{
    const uint8_t uuid[16] = {1, 2, 3, 255};
    struct xenoprof_counters counters = {.due = 10, .made = 9, .cost = 1};
    struct xenoprof_ring_info ring = kit_ring(3, 100);
    struct session_kit *kit = kit_create();
    uint32_t place = kit_place(kit, 5, XENOPROF_MODE_KERNEL, ~7ull, "schedule");
    struct xenoprof_stored sample = {.time = 77,
                                     .period = 9,
                                     .marks = 256,
                                     .domain = 5,
                                     .vcpu = 1,
                                     .pcpu = 2,
                                     .mode = XENOPROF_MODE_KERNEL,
                                     .weight = 8};

    const struct xenoprof_waited waited = {
        .domain = 5,
        .vcpu = 1,
        .span = 1000000000,
        .running = 1000000,
        .runnable = 2000000,
        .paused = 1000000,
    };

    counters.lost[XENOPROF_LOST_RING] = 4;
    KIT_OK(kit, xenoprof_writer_attribute(kit->writer, 11, "utc", "12345"));
    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 12, 5, uuid, "web", "passive"));
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample,
                                       (uint32_t[]){place, 0, place}, 3));
    KIT_OK(kit, xenoprof_writer_ring(kit->writer, &ring, 50, 2, 0));
    KIT_OK(kit, xenoprof_writer_counters(kit->writer, 99, &counters));
    KIT_OK(kit, xenoprof_writer_idle(kit->writer, 98, 7, 1ull << 50));
    KIT_OK(kit, xenoprof_writer_wait(kit->writer, 7000000000, &waited));
    KIT_OK(kit, xenoprof_writer_cost(kit->writer, 99,
                                     &(struct xenoprof_cost){1ull << 60, 3}));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 100));
    kit_text_is(
        kit,
        "attribute 11 utc=12345\n"
        "domain 12 5 010203ff000000000000000000000000 web passive\n"
        "place 1 who 5 1 at fffffffffffffff8 vmlinux schedule "
        "fffffffffffffff0\n"
        "stack 1: 1 0 1\n"
        "sample 77 place 1 stack 1 period 9 marks 256 who 5 1 2 mode 1 weight "
        "8\n"
        "ring 3.1 who 5 3 kind 2 state 1 size 4096 uuid "
        "05000000000000000000000000000000 100 120 90 60 55 50 2 lost 1 2 3 4\n"
        "cost 99 1152921504606846976 3\n"
        "counters 99 10 0 0 9 0 0 0 1 lost 0 4\n"
        "idle 98 7 1125899906842624\n"
        "wait 7000000000 5 1 010203ff: 1000000000 = 1 + 2 + 996 + 0 + 1\n"
        "closed 100\n"
        "end torn 0\n");
    kit_destroy(kit);
}

TEST(what_xen_traced_comes_back)
{
    struct session_kit *kit = kit_create();
    const uint8_t uuid[16] = {1, 2, 3, 0xff};
    const struct xenoprof_latency latency = {
        .domain = 5,
        .vcpu = 1,
        .by = 5,
        .why = XENOPROF_PREEMPTED,
        .bucket = XENOPROF_LATENCY_BUCKETS - 1,
        .count = 3,
        .sum = 1ull << 50,
        .longest = 1ull << 49,
    };
    const struct xenoprof_latency woken = {
        .domain = 5,
        .by = XENOPROF_NOBODY,
        .count = 1,
        .sum = 7,
        .longest = 7,
    };
    const struct xenoprof_exits exits = {
        .domain = 5,
        .vcpu = 1,
        .entry = {.code = 0x400,
                  .kind = XENOPROF_ENTRY_SVM,
                  .flags = XENOPROF_ENTRY_BARE},
        .count = 2,
        .in_xen = 90,
        .away = 5,
        .shortest = 40,
        .longest = 50,
    };

    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 12, 5, uuid, "web", "passive"));
    KIT_OK(kit, xenoprof_writer_latency(kit->writer, 97, &latency));
    KIT_OK(kit, xenoprof_writer_latency(kit->writer, 98, &woken));
    KIT_OK(kit, xenoprof_writer_exits(kit->writer, 99, &exits));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 100));
    kit_text_is(
        kit,
        "domain 12 5 010203ff000000000000000000000000 web passive\n"
        "latency 97 5 1 0102: preempted by 5 0102 in 23: 3 1125899906842624 at "
        "most 562949953421312\n"
        "latency 98 5 0 0102: woken by 32767 0000 in 0: 1 7 at most 7\n"
        "exits 99 5 1 0102: kind 2 flags 4 code 400: 2 90 + 5, 40 to 50\n"
        "closed 100\n"
        "end torn 0\n");
    kit_destroy(kit);
}

/* Says that so many more wait, of a vCPU and mode, since the 7th second. */
static void say_spooled(struct session_kit *kit, uint16_t vcpu, uint8_t mode,
                        int64_t samples)
{
    const struct xenoprof_spooled spooled = {.domain = 5,
                                             .vcpu = vcpu,
                                             .mode = mode,
                                             .second = 7 + vcpu,
                                             .samples = samples,
                                             .period = 10000000};

    KIT_OK(kit, xenoprof_writer_spooled(kit->writer, &spooled));
}

/* Another file knows nothing of what the one before it said. */
TEST(what_waits_comes_back)
{
    struct session_kit *kit = kit_create();
    const uint8_t uuid[16] = {1, 2, 3, 0xff};

    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 12, 5, uuid, "web", "passive"));
    say_spooled(kit, 0, XENOPROF_MODE_KERNEL, 40);
    say_spooled(kit, 1, XENOPROF_MODE_USER, 3);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    say_spooled(kit, 0, XENOPROF_MODE_KERNEL, -40);
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    say_spooled(kit, 1, XENOPROF_MODE_USER, 3);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 100));
    kit_text_is(kit,
                "domain 12 5 010203ff000000000000000000000000 web passive\n"
                "spooled 5 0 0102 mode 1 in 7: 40 of 10000000\n"
                "spooled 5 1 0102 mode 2 in 8: 3 of 10000000\n"
                "spooled 5 0 0102 mode 1 in 7: -40 of 10000000\n"
                "domain 12 5 010203ff000000000000000000000000 web passive\n"
                "spooled anew\n"
                "spooled 5 1 0102 mode 2 in 8: 3 of 10000000\n"
                "domain 12 5 010203ff000000000000000000000000 web passive\n"
                "spooled anew\n"
                "closed 100\n"
                "end torn 0\n");
    kit_destroy(kit);
}

/* A file says what no writer would. */
TEST(what_waits_at_no_time_or_mode_is_passed_over)
{
    struct session_kit *kit = kit_create();
    const uint8_t uuid[16] = {1, 2, 3, 0xff};
    struct xenoprof_spooled spooled = {
        .domain = 5, .mode = XENOPROF_MODE_IDLE, .samples = 1};

    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 12, 5, uuid, "web", "passive"));
    KIT_OK(kit, xenoprof_writer_spooled(kit->writer, &spooled));
    spooled.mode = XENOPROF_MODE_USER;
    spooled.second = UINT64_MAX / XENOPROF_SECOND;
    KIT_OK(kit, xenoprof_writer_spooled(kit->writer, &spooled));
    spooled.second--;
    KIT_OK(kit, xenoprof_writer_spooled(kit->writer, &spooled));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    kit_text_is(kit,
                "domain 12 5 010203ff000000000000000000000000 web passive\n"
                "spooled 5 0 0102 mode 2 in 18446744072: 1 of 0\n"
                "end torn 0\n");
    kit_destroy(kit);
}

/* No longer than they may be. */
TEST(origins_of_threads_come_back)
{
    struct session_kit *kit = kit_create();
    char path[XENOPROF_ORIGIN_PATH_MAX + 2] = "/";
    const uint8_t uuid[16] = {1, 2, 3, 0xff};
    struct xenoprof_stored sample = {
        .time = 97,
        .period = 9,
        .domain = 5,
        .mode = XENOPROF_MODE_KERNEL,
        .weight = 1,
        .thread = {.start = 70, .pid = 3, .tid = 4, .comm = "sleep"}};
    struct xenoprof_origin origin = {.domain = 5,
                                     .thread = sample.thread,
                                     .exe = "/usr/bin/sleep",
                                     .cgroup = "/nap.service"};

    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 12, 5, uuid, "web", "passive"));
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, NULL, 0));
    KIT_OK(kit, xenoprof_writer_origin(kit->writer, &origin));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    memset(path + 1, 'x', sizeof(path) - 2);
    origin.exe = path;
    KIT_OK(kit, xenoprof_writer_origin(kit->writer, &origin));
    origin.cgroup = "";
    KIT_OK(kit, xenoprof_writer_origin(kit->writer, &origin));
    origin.exe = "/bin/sh"; /* its sample is to come */
    origin.thread.start++;
    KIT_OK(kit, xenoprof_writer_origin(kit->writer, &origin));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 100));
    kit_text_is(
        kit,
        "domain 12 5 010203ff000000000000000000000000 web passive\n"
        "sample 97 place 0 stack 0 period 9 marks 0 who 5 0 0 mode 1 weight 1\n"
        "origin 5 0102: 3 4 70 sleep: \"/usr/bin/sleep\" \"/nap.service\"\n"
        "origin 5 0102: 3 4 70 sleep: \"\" \"/nap.service\"\n"
        "origin 5 0102: 3 4 71 sleep: \"/bin/sh\" \"\"\n"
        "closed 100\n"
        "end torn 0\n");
    kit_destroy(kit);
}

/* A line comes after its place, also if it is said when samples have it. */
TEST(lines_come_back)
{
    struct session_kit *kit = kit_create();
    char path[XENOPROF_LINE_PATH_MAX + 2] = "/";
    struct xenoprof_stored sample = {.weight = 1};
    struct xenoprof_line line = {.path = "/src/f.c", .line = 7};
    uint32_t f, g;

    f = kit_place(kit, 1, XENOPROF_MODE_USER, 0x100, "f");
    g = kit_place(kit, 1, XENOPROF_MODE_USER, 0x200, "g");
    line.place = f;
    KIT_OK(kit, xenoprof_writer_line(kit->writer, &line));
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, &f, 1));
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, &g, 1));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    line = (struct xenoprof_line){.place = g, .line = 1, .path = "g.c"};
    KIT_OK(kit, xenoprof_writer_line(kit->writer, &line));
    memset(path + 1, 'x', sizeof(path) - 2);
    line = (struct xenoprof_line){.place = g, .line = 2, .path = path};
    KIT_OK(kit, xenoprof_writer_line(kit->writer, &line));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 100));
    kit_text_is(
        kit,
        "place 1 who 1 2 at 100 vmlinux f 100\n"
        "line 1: /src/f.c:7\n"
        "place 2 who 1 2 at 200 vmlinux g 200\n"
        "sample 0 place 1 stack 0 period 0 marks 0 who 0 0 0 mode 0 weight 1\n"
        "sample 0 place 2 stack 0 period 0 marks 0 who 0 0 0 mode 0 weight 1\n"
        "line 2: g.c:1\n"
        "closed 100\n"
        "end torn 0\n");
    kit_destroy(kit);
}

/* Another file has other numbers, and says lines anew. */
TEST(lines_of_two_files)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_stored sample = {.weight = 1};
    struct xenoprof_line line = {.path = "f.c", .line = 7};

    for ( unsigned int i = 0; i < 2; i++ )
    {
        line.place = kit_place(kit, 1, XENOPROF_MODE_USER, 0x100, "f");
        if ( i )
            KIT_OK(kit, xenoprof_writer_line(kit->writer, &line));
        KIT_OK(kit,
               xenoprof_writer_sample(kit->writer, &sample, &line.place, 1));
        if ( !i )
            KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    }
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 100));
    kit_text_is(
        kit,
        "place 1 who 1 2 at 100 vmlinux f 100\n"
        "sample 0 place 1 stack 0 period 0 marks 0 who 0 0 0 mode 0 weight 1\n"
        "line 1: f.c:7\n"
        "sample 0 place 1 stack 0 period 0 marks 0 who 0 0 0 mode 0 weight 1\n"
        "closed 100\n"
        "end torn 0\n");
    kit_destroy(kit);
}

TEST(lines_that_are_none)
{
    struct session_kit *kit = kit_create();
    uint32_t f = kit_place(kit, 1, XENOPROF_MODE_USER, 0x100, "f");
    const struct xenoprof_line none[] = {{.place = f, .path = "f.c"},
                                         {f, 1u << 31, "f.c"},
                                         {f, 7, ""},
                                         {f + 1, 7, "f.c"},
                                         {0, 7, "f.c"}};

    for ( size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++ )
        CHECK_EQ(xenoprof_writer_line(kit->writer, &none[i]), XENOPROF_INVALID);
    kit_destroy(kit);
}

TEST(equal_places_and_stacks_have_one_number)
{
    struct session_kit *kit = kit_create();
    uint32_t a = kit_place(kit, 1, 1, 0x100, "f"), found;
    uint32_t chain[] = {a, kit_place(kit, 2, 1, 0x100, "f")};
    struct xenoprof_stored sample = {.weight = 1};
    char *text;

    CHECK_EQ(kit_place(kit, 1, 1, 0x100, "f"), a);
    CHECK(kit_place(kit, 2, 1, 0x100, "f") != a);
    CHECK(kit_place(kit, 1, 2, 0x100, "f") != a);
    CHECK(xenoprof_writer_known(kit->writer, 1, 1, 0x100, &found));
    CHECK_EQ(found, a);
    CHECK(!xenoprof_writer_known(kit->writer, 1, 1, 0x101, &found));
    CHECK(xenoprof_writer_new_frames(kit->writer, chain, 2) > 0);
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, chain, 2));
    CHECK_EQ(xenoprof_writer_new_frames(kit->writer, chain, 2), 0);
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, chain, 2));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    text = kit_read(kit, kit->folder);
    CHECK(strstr(text, "stack 1: ") && !strstr(text, "stack 2: "));
    free(text);
    kit_destroy(kit);
}

#define SORTS       4u /* of places: odd ones are a kernel's, even ones Xen's */
#define WALK_MOST   200u
#define CHAIN_TRIES 400u

/* The frames of a part of a chain, root first, by their sorts. */
struct part_walk {
    uint32_t sorts[WALK_MOST];
    size_t count;
};

enum { WALK_KERNEL, WALK_XEN, WALKS };

/* A walk begins as the one before it of its part, and goes on otherwise. */
static void draw_walk(struct part_walk *walk, const struct part_walk *before,
                      unsigned int part)
{
    size_t more = 1 + (size_t)random() % (random() % 8 ? 4 : 60);
    size_t kept = before ? before->count : 0;
    size_t less = (size_t)random() % (random() % 8 ? 4 : kept + 1);

    walk->count = less < kept ? kept - less : 0;
    if ( walk->count )
        memcpy(walk->sorts, before->sorts, walk->count * sizeof(*walk->sorts));
    while ( more-- && walk->count < WALK_MOST )
        walk->sorts[walk->count++] = 2 * ((uint32_t)random() % 2) + part + 1;
}

/* Returns how many frames no other walk has with the same callers. */
static size_t count_new(const struct part_walk *walk,
                        const struct part_walk (*all)[WALKS], unsigned int part,
                        size_t from, size_t to)
{
    size_t longest = 0;

    for ( ; from < to; from++ )
    {
        const struct part_walk *one = &all[from][part];
        size_t same = 0;

        while ( same < walk->count && same < one->count &&
                walk->sorts[same] == one->sorts[same] )
            same++;
        longest = same > longest ? same : longest;
    }
    return walk->count - longest;
}

/* Leaf first: Xen's frames, then a kernel's.  Returns how many. */
static size_t make_chain(const struct part_walk walks[WALKS], uint32_t *ret)
{
    size_t count = 0;

    for ( unsigned int part = WALKS; part-- > 0; )
        for ( size_t i = walks[part].count; i-- > 0; )
            ret[count++] = walks[part].sorts[i];
    return count;
}

static void make_places(struct session_kit *kit, uint32_t places[SORTS + 1])
{
    for ( uint32_t i = 1; i <= SORTS; i++ )
        places[i] = kit_place(
            kit, 1, i % 2 ? XENOPROF_MODE_KERNEL : XENOPROF_MODE_XEN, i, NULL);
}

/* Puts a chain; those from one on are in the same file.  Now and then asks
 * before how many frames it has more than these. */
static void put_chain(struct session_kit *kit, const uint32_t *places,
                      struct part_walk (*all)[WALKS], size_t from, size_t at)
{
    const struct xenoprof_stored sample = {
        .time = at, .mode = XENOPROF_MODE_XEN, .domain = 1, .weight = 1};
    uint32_t chain[WALKS * WALK_MOST];
    size_t count, more = 0;

    for ( unsigned int part = 0; part < WALKS; part++ )
    {
        if ( part == WALK_KERNEL || random() % 3 )
            draw_walk(&all[at][part], at ? &all[at - 1][part] : NULL, part);
        more += count_new(&all[at][part], all, part, from, at);
    }
    count = make_chain(all[at], chain);
    for ( size_t i = 0; i < count; i++ )
        chain[i] = places[chain[i]];
    if ( random() % 2 )
        CHECK_EQ(xenoprof_writer_new_frames(kit->writer, chain, count), more);
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, chain, count));
}

/* A chain as it was read, by the sorts of its places, leaf first. */
struct read_chain {
    uint32_t sorts[WALKS * WALK_MOST];
    size_t count;
};

/* What was read of the session so far, by number. */
struct read_chains {
    uint32_t sort_of[4 * SORTS];
    struct read_chain stacks[CHAIN_TRIES + 1];
};

static void take_stack(struct read_chains *chains,
                       const struct xenoprof_item *item)
{
    struct read_chain *stack = &chains->stacks[item->u.stack.number];

    CHECK(item->u.stack.number <= CHAIN_TRIES);
    CHECK(item->u.stack.count <= WALKS * WALK_MOST);
    stack->count = item->u.stack.count;
    for ( size_t i = 0; i < stack->count; i++ )
        stack->sorts[i] = chains->sort_of[item->u.stack.places[i]];
}

static void check_chain(const struct read_chains *chains,
                        const struct xenoprof_stored *sample,
                        const struct part_walk walks[WALKS])
{
    const struct read_chain leaf = {{chains->sort_of[sample->place]}, 1};
    const struct read_chain *is = sample->stack ? &chains->stacks[sample->stack]
                                                : &leaf;
    uint32_t wanted[WALKS * WALK_MOST];

    CHECK_EQ(is->count, make_chain(walks, wanted));
    CHECK(!memcmp(is->sorts, wanted, is->count * sizeof(*wanted)));
}

/* Reads the session: a sample's time is the number of its chain. */
static void check_chains(struct session_kit *kit,
                         struct part_walk (*all)[WALKS])
{
    static struct read_chains chains;
    struct xenoprof_session *session;
    struct xenoprof_item item;
    unsigned int samples = 0;

    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
        if ( item.kind == XENOPROF_ITEM_PLACE )
        {
            CHECK(item.u.place.number < 4 * SORTS);
            chains.sort_of[item.u.place.number] =
                (uint32_t)item.u.place.place.address;
        }
        else if ( item.kind == XENOPROF_ITEM_STACK )
            take_stack(&chains, &item);
        else if ( item.kind == XENOPROF_ITEM_SAMPLE )
        {
            check_chain(&chains, &item.u.sample, all[item.time]);
            samples++;
        }
    CHECK_EQ(samples, CHAIN_TRIES);
    xenoprof_session_close(session);
}

/* Which one comes first decides what the next ones may share. */
TEST(chains_that_share_callers_come_back)
{
    static struct part_walk all[CHAIN_TRIES][WALKS];

    for ( unsigned int seed = 0; seed < 5; seed++ )
    {
        struct session_kit *kit = kit_create();
        uint32_t places[SORTS + 1] = {0};

        srandom(seed);
        memset(all, 0, sizeof(all));
        make_places(kit, places);
        for ( size_t i = 0; i < CHAIN_TRIES / 2; i++ )
            put_chain(kit, places, all, 0, i);
        KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
        make_places(kit, places);
        for ( size_t i = CHAIN_TRIES / 2; i < CHAIN_TRIES; i++ )
            put_chain(kit, places, all, CHAIN_TRIES / 2, i);
        KIT_OK(kit, xenoprof_writer_flush(kit->writer));
        check_chains(kit, all);
        kit_destroy(kit);
    }
}

TEST(an_address_that_gets_another_name_gets_a_number)
{
    struct session_kit *kit = kit_create();
    uint32_t before = kit_place(kit, 1, 1, 0x100, "f"), found;
    uint32_t after = kit_place(kit, 1, 1, 0x100, "g");

    CHECK(after != before);
    CHECK(xenoprof_writer_known(kit->writer, 1, 1, 0x100, &found));
    CHECK_EQ(found, after);
    kit_destroy(kit);
}

/* It would be repeated in each file, for ever. */
TEST(code_without_a_name_ends_with_its_domain)
{
    const uint8_t uuid[16] = {9};
    struct session_kit *kit = kit_create();
    uint32_t unnamed;
    uint64_t address;

    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 1, 1, uuid, "web", "passive"));
    kit_sample(kit, 5, kit_place(kit, 1, 1, 0x100, NULL));
    for ( unsigned int file = 0; file < 2; file++ )
    {
        kit_sample(kit, 6, 0);
        KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
        KIT_OK(kit, xenoprof_writer_domain(kit->writer, 1, 1, uuid, "web",
                                           "passive"));
        unnamed = 0;
        CHECK_EQ(xenoprof_writer_unnamed(kit->writer, 1, 1, &unnamed, &address),
                 !file);
        xenoprof_writer_domain_ended(kit->writer, 1, uuid);
    }
    kit_destroy(kit);
}

/* Also if it gets it in a later file. */
TEST(an_address_that_gets_a_name_has_it_for_all_its_samples)
{
    struct session_kit *kit = kit_create();
    uint32_t number = kit_place(kit, 1, 1, 0x100, NULL), unnamed = 0;
    uint32_t other = kit_place(kit, 1, 1, 0x200, NULL);
    uint64_t address;

    kit_sample(kit, 5, number);
    kit_sample(kit, 6, other);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    CHECK(xenoprof_writer_unnamed(kit->writer, 1, 1, &unnamed, &address));
    CHECK_EQ(unnamed, number);
    CHECK_EQ(address, 0x100);
    CHECK(xenoprof_writer_unnamed(kit->writer, 1, 1, &unnamed, &address));
    CHECK_EQ(unnamed, other);
    CHECK(!xenoprof_writer_unnamed(kit->writer, 1, 1, &unnamed, &address));
    CHECK_EQ(unnamed, other);
    number = kit_place(kit, 1, 1, 0x300, NULL);
    CHECK(xenoprof_writer_unnamed(kit->writer, 1, 1, &unnamed, &address));
    CHECK_EQ(unnamed, number);
    kit_place(kit, 1, 1, 0x300, "h");
    CHECK_EQ(kit_place(kit, 1, 1, 0x100, "f"), 1);
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    kit_sample(kit, 7, kit_place(kit, 1, 1, 0x200, "g"));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    kit_text_is(kit,
                "place 1 who 1 1 at 100 vmlinux - 100\n"
                "place 2 who 1 1 at 200 vmlinux - 200\n"
                "sample 5 place 1 stack 0 period 1000000 marks 0 who 1 0 0 "
                "mode 1 weight 1\n"
                "sample 6 place 2 stack 0 period 1000000 marks 0 who 1 0 0 "
                "mode 1 weight 1\n"
                "place 1 who 1 1 at 100 vmlinux f 100\n"
                "place 2 who 1 1 at 200 vmlinux g 200\n"
                "sample 7 place 2 stack 0 period 1000000 marks 0 who 1 0 0 "
                "mode 1 weight 1\n"
                "end torn 0\n");
    kit_destroy(kit);
}

TEST(another_domain_under_the_number_has_other_places)
{
    const uint8_t old[16] = {1}, new[16] = {2};
    struct session_kit *kit = kit_create();
    uint32_t before, found;

    KIT_OK(kit, xenoprof_writer_domain(kit->writer, 1, 7, old, "a", "passive"));
    before = kit_place(kit, 7, 1, 0x100, "f");
    KIT_OK(kit, xenoprof_writer_domain(kit->writer, 2, 7, old, "b", "passive"));
    CHECK(xenoprof_writer_known(kit->writer, 7, 1, 0x100, &found));
    KIT_OK(kit, xenoprof_writer_domain(kit->writer, 3, 7, new, "a", "passive"));
    CHECK(!xenoprof_writer_known(kit->writer, 7, 1, 0x100, &found));
    CHECK(kit_place(kit, 7, 1, 0x100, "f") != before);
    kit_destroy(kit);
}

TEST(what_is_not_in_the_session_is_refused)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_stored sample = {.place = 1};
    struct xenoprof_place place = {.mode = XENOPROF_MODES};
    uint32_t number;

    CHECK_EQ(xenoprof_writer_sample(kit->writer, &sample, NULL, 0),
             XENOPROF_INVALID);
    CHECK_EQ(xenoprof_writer_place(kit->writer, &place, &number),
             XENOPROF_INVALID);
    number = 9;
    CHECK_EQ(xenoprof_writer_sample(kit->writer, &sample, &number, 1),
             XENOPROF_INVALID);
    kit_destroy(kit);
}

/* Whoever has the number when it is said. */
TEST(waits_are_of_the_domain_that_has_the_number)
{
    struct session_kit *kit = kit_create();
    const uint8_t first[16] = {1}, second[16] = {2};
    struct xenoprof_waited waited = {.domain = 5, .span = 200000};
    char *text;

    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 1, 5, first, "a", "passive"));
    KIT_OK(kit, xenoprof_writer_wait(kit->writer, 1000000, &waited));
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 2, 5, second, "b", "passive"));
    KIT_OK(kit, xenoprof_writer_wait(kit->writer, 2000000, &waited));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 100));
    text = kit_read(kit, kit->folder);
    CHECK(strstr(text, "wait 1000000 5 0 01000000: 200000 = 0 + 0 + 0"));
    CHECK(strstr(text, "wait 2000000 5 0 02000000: 200000 = 0 + 0 + 0"));
    free(text);
    kit_destroy(kit);
}

/* Returns the bytes of a session with so many vCPUs, a block a second. */
static uint64_t bytes_with(unsigned int vcpus)
{
    struct session_kit *kit = kit_create();
    struct stat file;

    srandom(1);
    for ( uint64_t second = 1; second <= 60; second++ )
    {
        for ( unsigned int i = 0; i < vcpus; i++ )
        {
            uint64_t span = 990000000 + (uint64_t)random() % 20000000;
            uint64_t running = (uint64_t)random() % span;
            const struct xenoprof_waited waited = {
                .domain = (uint16_t)(i / 4),
                .vcpu = (uint16_t)(i % 4),
                .span = span,
                .running = running,
                .runnable = (uint64_t)random() % (span - running),
            };

            KIT_OK(kit, xenoprof_writer_wait(kit->writer, second * 1000000000,
                                             &waited));
        }
        KIT_OK(kit, xenoprof_writer_idle(kit->writer, second, 0, 1));
        KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    }
    CHECK_EQ(stat(kit_file(kit, 0), &file), 0);
    kit_destroy(kit);
    return (uint64_t)file.st_size;
}

/* Six bytes for a vCPU and second, of vCPUs that do anything. */
TEST(waits_take_few_bytes)
{
    uint64_t bytes = bytes_with(200) - bytes_with(0);

    if ( bytes > 200 * 60 * 6 )
        test_fail(__FILE__, __LINE__, "%.2f bytes for a vCPU and second",
                  (double)bytes / (200 * 60));
}
