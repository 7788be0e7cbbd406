/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the thread counts is the same as what is counted at once, to the last
 * number, also if samples' columns are overwritten right after. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/failure.h"
#include "base/must.h"
#include "report/cells/kinds.h"
#include "report/cells/count-thread.h"
#include "report/model/account.h"
#include "report/model/load-items.h"
#include "report/why/asked.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

#define FILES    3u
#define BLOCKS   6u /* of a file */
#define SAMPLES  3000u
#define FEW      100u
#define CALLS    40u /* new ones of a block */
#define WHOS     6u
#define DOMAINS  3u
#define PCPUS    4u
#define SECONDS  3u
#define UUIDS    5u
#define CALL_MAX (BLOCKS * CALLS)

/* How a process ends that loaded all. */
enum { LOADED = 100, LOADED_WITHOUT }; /* one allocation: it could do so */

#define PRUNED_LIMIT 30.0 /* percent: one domain has more */

/* What a file says of its samples, as columns that the next block has again. */
struct columns {
    uint64_t times[SAMPLES];
    uint32_t whos[SAMPLES], calls[SAMPLES], seconds[SAMPLES];
    uint16_t vcpus[SAMPLES], pcpus[SAMPLES];
    struct xenoprof_who who[WHOS];
    struct xenoprof_call call[CALL_MAX];
    size_t call_count;
    uint32_t file;
};

struct load_way {
    bool by_thread, apart, pruned;
    uint64_t from; /* samples before it are not wanted */
};

static struct columns columns;
static uint32_t places; /* named so far */
static uint64_t lots;
static unsigned int given; /* blocks, by the last load() */

static unsigned int draw(unsigned int below)
{
    lots = lots * 6364136223846793005u + 1442695040888963407u;
    return (unsigned int)(lots >> 33) % below;
}

static void name_domain(struct loader *loader, uint16_t number, uint8_t uuid)
{
    struct xenoprof_item item = {.kind = XENOPROF_ITEM_DOMAIN};

    item.u.domain.domain = number;
    memset(item.u.domain.uuid, uuid, sizeof(item.u.domain.uuid));
    item.u.domain.name = "guest";
    item.u.domain.kind = "passive";
    load_item(loader, &item);
}

static void name_place(struct loader *loader)
{
    static const char *const symbols[] = {"do_a", "do_b", "do_c", NULL};
    struct xenoprof_item item = {.kind = XENOPROF_ITEM_PLACE};

    item.u.place.number = ++places;
    item.u.place.place = (struct xenoprof_place){
        .mode = XENOPROF_MODE_KERNEL,
        .address = 0x1000 * (1 + draw(20)) + draw(3),
        .symbol = symbols[draw(4)],
    };
    item.u.place.place.symbol_start = item.u.place.place.address & ~0xfffull;
    load_item(loader, &item);
}

/* Chains of two nodes. */
static void add_call(struct loader *loader)
{
    struct xenoprof_call *call = &columns.call[columns.call_count++];
    struct xenoprof_kind_node node = {.place = 1 + draw(places),
                                      .domain = (uint16_t)(1 + draw(DOMAINS))};

    memset(call, 0, sizeof(*call));
    call->stack = 1;
    must_do(load_kinds(loader, columns.file, &node, 1, &node.parent));
    node.place = 1 + draw(places);
    must_do(load_kinds(loader, columns.file, &node, 1, &call->nodes[1]));
}

static void make_whos(bool apart)
{
    for ( unsigned int i = 0; i < WHOS; i++ )
        columns.who[i] = (struct xenoprof_who){
            .domain = (uint16_t)(i < WHOS / 2 ? 1 : 1 + i % DOMAINS),
            .vcpu = apart ? 0 : (uint16_t)draw(3),
            .pcpu = apart ? 0 : (uint16_t)draw(PCPUS),
            .mode = XENOPROF_MODE_KERNEL,
            .weight = (uint8_t)(1 + i),
            .period = 10,
            .count = 10ull * (1 + i)};
}

static void add_samples(struct loader *loader, uint64_t time, size_t count,
                        bool apart)
{
    struct xenoprof_item item = {.kind = XENOPROF_ITEM_SAMPLES};

    for ( size_t i = 0; i < count; i++ )
    {
        columns.times[i] = time + draw(1000);
        columns.whos[i] = draw(WHOS);
        columns.calls[i] = draw((unsigned int)columns.call_count);
        columns.seconds[i] = draw(SECONDS);
        columns.vcpus[i] = (uint16_t)draw(3);
        columns.pcpus[i] = (uint16_t)draw(PCPUS);
    }
    item.u.samples = (struct xenoprof_samples){
        .count = count,
        .times = columns.times,
        .seconds = columns.seconds,
        .whos = columns.whos,
        .calls = columns.calls,
        .vcpus = apart ? columns.vcpus : NULL,
        .pcpus = apart ? columns.pcpus : NULL,
        .who = columns.who,
        .call = columns.call,
        .who_count = WHOS,
        .call_count = columns.call_count,
        .file = columns.file};
    load_item(loader, &item);
    /* The reader goes on. */
    memset(columns.whos, 0xff, sizeof(columns.whos));
    memset(columns.calls, 0xff, sizeof(columns.calls));
    memset(columns.seconds, 0xff, sizeof(columns.seconds));
    memset(columns.vcpus, 0xff, sizeof(columns.vcpus));
    memset(columns.pcpus, 0xff, sizeof(columns.pcpus));
    memset(columns.call, 0xff, sizeof(columns.call));
}

/* A number becomes another domain's now and then, places come with each
 * other block, and calls with any. */
static void add_block(struct loader *loader, unsigned int block, bool apart)
{
    const uint64_t time = 1000ull * (1 + columns.file * BLOCKS + block);

    if ( !(block % 3) )
        name_domain(loader, (uint16_t)(1 + draw(DOMAINS)),
                    (uint8_t)draw(UUIDS));
    for ( unsigned int i = 0; block % 2 == 0 && i < 10; i++ )
        name_place(loader);
    for ( unsigned int i = 0; i < CALLS; i++ )
        add_call(loader);
    add_samples(loader, time, block % 4 == 3 ? FEW : SAMPLES, apart);
}

static void add_file(struct loader *loader, bool apart)
{
    columns.call_count = 0;
    make_whos(apart);
    for ( unsigned int block = 0; block < BLOCKS; block++ )
        add_block(loader, block, apart);
}

/* What vCPUs have in each second, of each domain that a number may be. */
static void make_slots(struct slots *slots)
{
    const struct time_span span = {0, SECONDS * XENOPROF_SECOND};

    slots_init(slots, false);
    for ( uint32_t i = 0; i < UUIDS * DOMAINS * 3 * SECONDS; i++ )
    {
        struct owner_key key = {.domain = 1 + i % DOMAINS,
                                .vcpu = i / DOMAINS % 3};
        const uint64_t second = i / DOMAINS / 3 % SECONDS;
        uint32_t owner;

        memset(key.uuid, (int)(i / DOMAINS / 3 / SECONDS), sizeof(key.uuid));
        owner = slots_put(slots, &key);
        slots_add_ticks(slots, owner, second, 1);
        slots_add_running(slots, owner, second * XENOPROF_SECOND,
                          (second + 1) * XENOPROF_SECOND, 1 + i * 3);
    }
    slots_settle(slots, &span);
}

static bool load(struct loaded *loaded, const struct load_way *way)
{
    const struct time_range range = {
        .from = {.kind = way->from ? TIME_SINCE_START : TIME_OPEN,
                 .ns = way->from}};
    const struct pruned_domains_wanted pruned = {
        .rules = way->pruned ? &overview_asks : NULL,
        .limit = PRUNED_LIMIT,
        .from = 8};
    struct loader loader;

    loaded_init(loaded);
    loader_init(&loader, loaded,
                &(struct load_wanted){.range = &range,
                                      .domains = pruned,
                                      .stacks = true,
                                      .any_vcpu = way->apart,
                                      .any_pcpu = way->apart});
    if ( way->by_thread )
        count_thread_start(&loader);
    make_slots(&loaded->slots);
    loader.slots = &loaded->slots;
    lots = 1;
    places = 0;
    for ( columns.file = 0; columns.file < FILES; columns.file++ )
        add_file(&loader, way->apart);
    count_thread_end(&loader);
    given = count_thread_given(&loader);
    loader_free(&loader);
    return true;
}

static void compare(const struct loaded *left, const struct loaded *right)
{
    CHECK_EQ(left->read, right->read);
    CHECK_EQ(left->calls.count, right->calls.count);
    CHECK_EQ(left->nodes.count, right->nodes.count);
    CHECK_EQ(left->cells.count, right->cells.count);
    for ( size_t i = 0; i < left->cells.count; i++ )
    {
        const struct cell *a = table_at(&left->cells, i);
        const struct cell *b = table_at(&right->cells, i);

        CHECK(!memcmp(&a->key, &b->key, sizeof(a->key)));
        CHECK_EQ(a->samples, b->samples);
        CHECK_EQ(a->ticks, b->ticks);
        CHECK_EQ(a->time, b->time);
        CHECK(!memcmp(&a->exact, &b->exact, sizeof(a->exact)));
        CHECK(!memcmp(&a->square, &b->square, sizeof(a->square)));
    }
    CHECK_EQ(left->domains.count, right->domains.count);
    for ( uint32_t i = 0; i < left->domains.count; i++ )
        CHECK_EQ(loaded_domain(left, i)->pruned,
                 loaded_domain(right, i)->pruned);
}

static unsigned int count_pruned(const struct loaded *loaded)
{
    unsigned int ret = 0;

    for ( uint32_t i = 0; i < loaded->domains.count; i++ )
        ret += loaded_domain(loaded, i)->pruned;
    return ret;
}

/* Returns how many domains had pruned stacks.  Small blocks are counted at
 * once. */
static unsigned int check_way(struct load_way way)
{
    struct loaded at_once, by_thread;
    unsigned int pruned;

    way.by_thread = false;
    CHECK(load(&at_once, &way));
    CHECK_EQ(given, 0);
    way.by_thread = true;
    CHECK(load(&by_thread, &way));
    CHECK(given >= FILES * (BLOCKS - BLOCKS / 4) - 1);
    CHECK(at_once.cells.count > 10);
    pruned = count_pruned(&at_once);
    compare(&by_thread, &at_once);
    loaded_free(&at_once);
    loaded_free(&by_thread);
    return pruned;
}

TEST(samples_are_the_same_counted_by_the_thread)
{
    CHECK_EQ(check_way((struct load_way){.apart = false}), 0);
}

TEST(those_of_a_part_are_the_same)
{
    check_way((struct load_way){.from = 4500});
}

TEST(those_of_many_pcpus_are_the_same)
{
    check_way((struct load_way){.apart = true});
}

/* Which are small is judged anew when a file begins, while samples of the one
 * before it are counted. */
TEST(those_of_small_domains_are_the_same)
{
    CHECK(check_way((struct load_way){.pruned = true}) > 0);
    CHECK(check_way((struct load_way){.pruned = true, .apart = true}) > 0);
}

static void end(const char *sentence)
{
    (void)sentence;
}

/* In a process of its own: the number-th allocation fails. */
static void load_and_fail(const struct loaded *at_once, unsigned long number)
{
    struct loaded by_thread;

    no_memory_ends(end);
    fail_allocation(number);
    load(&by_thread, &(struct load_way){.by_thread = true});
    number = fail_allocation(0);
    compare(&by_thread, at_once);
    _exit(number ? LOADED : LOADED_WITHOUT);
}

static int try(const struct loaded *at_once, unsigned long number)
{
    pid_t child = fork();
    int status;

    CHECK(child >= 0);
    if ( !child )
        load_and_fail(at_once, number);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Without a thread all is counted at once; without anything else it ends, in
 * whatever thread it is. */
TEST(no_memory_ends_it_whoever_lacks_it)
{
    unsigned long number = 1, ended = 0;
    struct loaded at_once;
    int status;

    load(&at_once, &(struct load_way){.by_thread = false});
    for ( ; (status = try(&at_once, number)) != LOADED; number++ )
    {
        CHECK(status == STATUS_FAILED || status == LOADED_WITHOUT);
        ended += status == STATUS_FAILED;
    }
    CHECK(ended > 10);
    loaded_free(&at_once);
}
