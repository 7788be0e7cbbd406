/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples in columns reach their cells, whoever they are of and whenever. */
#include <string.h>

#include "report/cells/kinds.h"
#include "report/model/load-items.h"
#include "tests/harness.h"

#include <math.h>

#define SAMPLES 1003u
#define CALLS   100u

struct load_kit {
    struct loaded loaded;
    struct loader loader;
    uint64_t times[SAMPLES];
    uint32_t whos[SAMPLES], calls[SAMPLES];
    struct xenoprof_who who[8];
    struct xenoprof_call call[CALLS];
    const uint16_t *vcpus, *pcpus; /* NULL: in who[] */
    const uint32_t *seconds;
    size_t who_count;
    uint32_t file;
};

static void begin(struct load_kit *kit)
{
    static const struct time_range all = {.from = {.kind = TIME_OPEN}};

    memset(kit, 0, sizeof(*kit));
    loaded_init(&kit->loaded);
    loader_init(&kit->loader, &kit->loaded,
                &(struct load_wanted){.range = &all});
    for ( uint32_t i = 0; i < CALLS; i++ )
        kit->call[i] = (struct xenoprof_call){.place = i + 1, .stack = i % 2};
}

static void end(struct load_kit *kit)
{
    loader_free(&kit->loader);
    loaded_free(&kit->loaded);
}

static void name_domain(struct load_kit *kit, uint16_t number, uint8_t uuid)
{
    struct xenoprof_item item = {.kind = XENOPROF_ITEM_DOMAIN};

    item.u.domain.domain = number;
    memset(item.u.domain.uuid, uuid, sizeof(item.u.domain.uuid));
    item.u.domain.name = "guest";
    item.u.domain.kind = "passive";
    load_item(&kit->loader, &item);
}

static void add(struct load_kit *kit, size_t samples)
{
    struct xenoprof_item item = {.kind = XENOPROF_ITEM_SAMPLES};

    item.u.samples = (struct xenoprof_samples){
        .count = samples,
        .times = kit->times,
        .seconds = kit->seconds,
        .whos = kit->whos,
        .calls = kit->loader.wanted.who_only ? NULL : kit->calls,
        .vcpus = kit->vcpus,
        .pcpus = kit->pcpus,
        .who = kit->who,
        .call = kit->call,
        .who_count = kit->who_count,
        .call_count = kit->loader.wanted.who_only ? 0 : CALLS,
        .file = kit->file};
    load_item(&kit->loader, &item);
}

static struct xenoprof_who who_of(uint16_t domain, uint8_t weight)
{
    return (struct xenoprof_who){.domain = domain,
                                 .mode = XENOPROF_MODE_KERNEL,
                                 .weight = weight,
                                 .period = 10,
                                 .count = 10ull * weight};
}

static const struct cell *cell_of(const struct load_kit *kit, size_t row)
{
    CHECK(kit->loader.cells.items[row] < kit->loaded.cells.count);
    return table_at(&kit->loaded.cells, kit->loader.cells.items[row]);
}

TEST(samples_reach_the_cells_of_what_they_ran)
{
    struct load_kit kit;

    begin(&kit);
    kit.who[0] = who_of(3, 2);
    kit.who_count = 1;
    for ( uint32_t i = 0; i < SAMPLES; i++ )
    {
        kit.times[i] = 1000 + i;
        kit.calls[i] = i % CALLS;
    }
    add(&kit, SAMPLES);
    CHECK_EQ(kit.loaded.read, SAMPLES);
    CHECK_EQ(kit.loaded.cells.count, CALLS);
    for ( uint32_t i = 0; i < CALLS; i++ )
    {
        const struct cell *cell = cell_of(&kit, i);
        uint64_t wanted = SAMPLES / CALLS + (i < SAMPLES % CALLS);

        CHECK_EQ(cell->key.place, kit.call[i].place);
        CHECK_EQ(cell->key.called, kit.call[i].stack);
        CHECK_EQ(cell->samples, wanted);
        CHECK_EQ(cell->ticks, 20 * wanted);
    }
    end(&kit);
}

TEST(samples_that_stand_for_more_are_counted_so)
{
    struct load_kit kit;

    begin(&kit);
    for ( uint8_t i = 0; i < 3; i++ )
        kit.who[i] = who_of(3, 5 - 2 * i); /* 50, 30, 10 ns */
    kit.who_count = 3;
    for ( uint32_t i = 0; i < 6; i++ )
        kit.whos[i] = i % 3;
    add(&kit, 6);
    CHECK_EQ(kit.loaded.cells.count, 1);
    CHECK_EQ(cell_of(&kit, 0)->samples, 6);
    CHECK_EQ(cell_of(&kit, 0)->ticks, 180);
    add(&kit, 2);
    CHECK_EQ(cell_of(&kit, 0)->samples, 8);
    CHECK_EQ(cell_of(&kit, 0)->ticks, 260);
    end(&kit);
}

TEST(a_number_that_another_domain_gets_is_another_cell)
{
    struct load_kit kit;
    uint32_t first;

    begin(&kit);
    kit.who[0] = who_of(3, 1);
    kit.who_count = 1;
    name_domain(&kit, 3, 7);
    add(&kit, 1);
    first = kit.loader.cells.items[0];
    name_domain(&kit, 3, 8);
    add(&kit, 1);
    CHECK(kit.loader.cells.items[0] != first);
    name_domain(&kit, 3, 7);
    add(&kit, 1);
    CHECK_EQ(kit.loader.cells.items[0], first);
    CHECK_EQ(cell_of(&kit, 0)->samples, 2);
    CHECK_EQ(kit.loaded.cells.count, 2);
    end(&kit);
}

TEST(idle_pcpus_are_one_cell_each_that_is_found_again)
{
    struct load_kit kit;
    struct cell_key idle;

    begin(&kit);
    for ( uint32_t i = 0; i < 4; i++ )
    {
        kit.who[i] = (struct xenoprof_who){.domain = DOMAIN_NUMBER_IDLE,
                                           .vcpu = (uint16_t)i,
                                           .pcpu = (uint16_t)(i % 2),
                                           .mode = XENOPROF_MODE_IDLE,
                                           .weight = 1,
                                           .period = 10,
                                           .count = 10};
        kit.whos[i] = kit.calls[i] = i;
    }
    kit.who_count = 4;
    add(&kit, 4);
    CHECK_EQ(kit.loaded.cells.count, 2);
    idle = placeless_key(DOMAIN_INDEX_IDLE, 1, XENOPROF_MODE_IDLE);
    CHECK(table_put(&kit.loaded.cells, &idle) == cell_of(&kit, 1));
    CHECK_EQ(cell_of(&kit, 3)->samples, 2);
    end(&kit);
}

static void name_place(struct load_kit *kit, uint32_t number,
                       const char *symbol)
{
    struct xenoprof_item item = {.kind = XENOPROF_ITEM_PLACE};

    item.u.place.number = number;
    item.u.place.place = (struct xenoprof_place){.mode = XENOPROF_MODE_KERNEL,
                                                 .address = 0x1000 + number,
                                                 .symbol = symbol,
                                                 .symbol_start = 0x1000};
    load_item(&kit->loader, &item);
}

/* Places 1 to 4 are two functions; the second file has them in another
 * order. */
TEST(stacks_of_the_same_functions_are_one_call)
{
    struct load_kit kit;

    begin(&kit);
    kit.loader.wanted.stacks = true;
    kit.who[0] = who_of(3, 1);
    kit.who_count = 1;
    for ( uint32_t i = 1; i <= 4; i++ )
        name_place(&kit, i, i % 2 ? "caller" : "callee");
    for ( kit.file = 0; kit.file < 2; kit.file++ )
    {
        for ( uint32_t i = 0; i < CALLS; i++ )
        {
            const uint32_t place = 1 + 2 * ((i ^ kit.file) % 2);
            struct xenoprof_kind_node node = {.place = place};

            CHECK(load_kinds(&kit.loader, kit.file, &node, 1, &node.parent));
            node.place = place + 1;
            CHECK(
                load_kinds(&kit.loader, kit.file, &node, 1, kit.call[i].nodes));
            kit.calls[i] = i;
        }
        add(&kit, CALLS);
    }
    CHECK_EQ(kit.loaded.spots.count, 2);
    CHECK_EQ(kit.loaded.nodes.count, 2);
    CHECK_EQ(kit.loaded.calls.count, 1);
    CHECK_EQ(kit.loaded.cells.count, 1);
    CHECK_EQ(cell_of(&kit, 0)->samples, 2 * CALLS);
    CHECK_EQ(cell_of(&kit, 0)->key.called, 1);
    CHECK(kit.loaded.stacked);
    end(&kit);
}

TEST(types_that_nobody_wants_are_one_cell_each)
{
    struct load_kit kit;

    begin(&kit);
    kit.loaded.types.wanted = "time";
    for ( uint32_t i = 0; i < 3; i++ )
    {
        kit.who[i] = who_of(3, 1);
        kit.who[i].type = i;
        kit.who[i].count = 100 * (i + 1);
    }
    kit.who_count = 3;
    for ( uint32_t i = 0; i < 30; i++ )
    {
        kit.times[i] = 1000 + i;
        kit.whos[i] = i % 3;
        kit.calls[i] = i;
    }
    add(&kit, 30);
    CHECK_EQ(kit.loaded.cells.count, 10 + 1 + 1);
    CHECK_EQ(cell_of(&kit, 1)->key.type, XENOPROF_TYPE_WAITING);
    CHECK_EQ(cell_of(&kit, 1)->samples, 10);
    CHECK_EQ(cell_of(&kit, 1)->ticks, 2000);
    CHECK_EQ(cell_of(&kit, 2)->key.type, XENOPROF_TYPE_EVENT);
    CHECK_EQ(cell_of(&kit, 2)->ticks, 3000);
    CHECK_EQ(cell_of(&kit, 0)->samples, 1);
    end(&kit);
}

TEST(the_same_code_is_counted_apart_for_each_type)
{
    struct load_kit kit;

    begin(&kit);
    for ( uint32_t i = 0; i < 2; i++ )
    {
        kit.who[i] = who_of(3, 1);
        kit.who[i].type = XENOPROF_TYPE_EVENT + i;
        kit.times[i] = 1000;
        kit.whos[i] = i;
    }
    kit.who_count = 2;
    add(&kit, 2);
    CHECK_EQ(kit.loaded.cells.count, 2);
    CHECK_EQ(cell_of(&kit, 0)->key.place, cell_of(&kit, 1)->key.place);
    end(&kit);
}

/* All calls on each of four pCPUs and vCPUs, as often as there are turns. */
static void run_on_pcpus(struct load_kit *kit, unsigned int turns)
{
    for ( uint16_t i = 0; i < 4; i++ )
    {
        kit->who[i] = who_of(3, 1);
        kit->who[i].pcpu = i;
        kit->who[i].vcpu = i;
    }
    kit->who_count = 4;
    for ( uint32_t i = 0; i < 4 * CALLS; i++ )
    {
        kit->times[i] = 1000 + i;
        kit->whos[i] = i / CALLS;
        kit->calls[i] = i % CALLS;
    }
    for ( unsigned int turn = 0; turn < turns; turn++ )
        add(kit, 4 * CALLS);
}

TEST(cells_of_many_pcpus_are_one)
{
    struct load_kit kit;

    begin(&kit);
    kit.loader.wanted.any_vcpu = kit.loader.wanted.any_pcpu = true;
    kit.loaded.timeline.wanted = true;
    run_on_pcpus(&kit, 3);
    CHECK_EQ(kit.loaded.cells.count, CALLS);
    for ( uint32_t i = 0; i < CALLS; i++ )
    {
        const struct cell *cell = table_at(&kit.loaded.cells, i);

        CHECK_EQ(cell->key.call, i + 1);
        CHECK_EQ(cell->samples, 12);
        CHECK_EQ(cell->ticks, 120);
    }
    CHECK_EQ(kit.loaded.timeline.count, CALLS);
    for ( size_t i = 0; i < kit.loaded.timeline.count; i++ )
    {
        CHECK_EQ(kit.loaded.timeline.moments[i].cell, i);
        CHECK_EQ(kit.loaded.timeline.moments[i].count, 3 * 4);
    }
    end(&kit);
}

TEST(cells_stay_apart_by_what_is_asked_for)
{
    struct load_kit kit;

    begin(&kit);
    kit.loader.wanted.who_only = true;
    run_on_pcpus(&kit, 3);
    CHECK_EQ(kit.loaded.cells.count, 4);
    for ( uint32_t i = 0; i < 4; i++ )
    {
        const struct cell *cell = table_at(&kit.loaded.cells, i);

        CHECK_EQ(cell->key.pcpu, i);
        CHECK_EQ(cell->key.call, 0);
        CHECK_EQ(cell->samples, 3 * CALLS);
    }
    end(&kit);
    begin(&kit);
    run_on_pcpus(&kit, 3);
    CHECK_EQ(kit.loaded.cells.count, 4 * CALLS);
    end(&kit);
    begin(&kit);
    kit.loader.wanted.any_pcpu = true;
    run_on_pcpus(&kit, 3);
    CHECK_EQ(kit.loaded.cells.count, 4 * CALLS);
    for ( uint32_t i = 0; i < 4 * CALLS; i++ )
    {
        const struct cell *cell = table_at(&kit.loaded.cells, i);

        CHECK_EQ(cell->key.pcpu, CELL_SEVERAL);
        CHECK_EQ(cell->key.vcpu, i / CALLS);
    }
    end(&kit);
}

/* What each vCPU of domain 3 has in each of two seconds: ns a tick. */
static void make_slots(struct slots *slots, const uint16_t vcpus[4])
{
    const struct time_span span = {0, 2 * XENOPROF_SECOND};

    slots_init(slots, false);
    for ( uint32_t i = 0; i < 4; i++ )
    {
        const struct owner_key key = {.domain = 3, .vcpu = vcpus[i]};
        uint32_t owner = slots_put(slots, &key);

        for ( uint64_t second = 0; second < 2; second++ )
        {
            slots_add_ticks(slots, owner, second, 1);
            slots_add_running(slots, owner, second * XENOPROF_SECOND,
                              (second + 1) * XENOPROF_SECOND,
                              1 + i + 10 * second);
        }
    }
    slots_settle(slots, &span);
}

/* Samples of some calls on four vCPUs, in columns that say so or do not. */
static void run_apart(struct load_kit *kit, struct slots *slots, bool apart)
{
    static const uint16_t pcpus[4] = {2, 0, 3, 1}, vcpus[4] = {7, 8, 9, 6};
    uint16_t on_pcpus[SAMPLES], on_vcpus[SAMPLES];
    uint32_t seconds[SAMPLES];

    begin(kit);
    make_slots(slots, vcpus);
    kit->loader.slots = slots;
    kit->loader.wanted.any_vcpu = kit->loader.wanted.any_pcpu = true;
    kit->who_count = apart ? 1 : 4;
    for ( uint32_t i = 0; i < kit->who_count; i++ )
    {
        kit->who[i] = who_of(3, 1);
        kit->who[i].pcpu = apart ? 0 : pcpus[i];
        kit->who[i].vcpu = apart ? 0 : vcpus[i];
    }
    for ( uint32_t i = 0; i < SAMPLES; i++ )
    {
        uint32_t at = i * 7 % 11 % 4;

        kit->times[i] = 1000 + i;
        kit->whos[i] = apart ? 0 : at;
        kit->calls[i] = i % 7;
        on_pcpus[i] = pcpus[at];
        on_vcpus[i] = vcpus[at];
        seconds[i] = i / 3 % 2;
    }
    kit->vcpus = apart ? on_vcpus : NULL;
    kit->pcpus = apart ? on_pcpus : NULL;
    kit->seconds = seconds;
    add(kit, SAMPLES);
}

TEST(samples_have_what_their_vcpu_has_in_that_second)
{
    struct load_kit apart, alike;
    struct slots slots, same;
    double wanted[7] = {0};

    run_apart(&apart, &slots, true);
    run_apart(&alike, &same, false);
    for ( uint32_t i = 0; i < SAMPLES; i++ )
        wanted[i % 7] += 10.0 * (1 + i * 7 % 11 % 4 + 10 * (i / 3 % 2));
    CHECK_EQ(apart.loaded.cells.count, 7);
    CHECK_EQ(alike.loaded.cells.count, 7);
    for ( size_t i = 0; i < 7; i++ )
    {
        const struct cell *a = table_at(&apart.loaded.cells, i);
        const struct cell *b = table_at(&alike.loaded.cells, i);

        CHECK(!memcmp(a, b, CELL_COUNTED));
        CHECK_EQ(a->samples, SAMPLES / 7 + (i < SAMPLES % 7));
        CHECK(fabs(a->exact - wanted[i]) < 1e-6);
    }
    end(&apart);
    end(&alike);
    slots_free(&slots);
    slots_free(&same);
}

/* Idle pCPUs stay apart, and have no share of anything. */
TEST(idle_samples_are_not_of_several_pcpus)
{
    struct load_kit kit;

    begin(&kit);
    kit.loader.wanted.any_vcpu = kit.loader.wanted.any_pcpu = true;
    for ( uint16_t i = 0; i < 4; i++ )
    {
        kit.who[i] = who_of(3, 1);
        kit.who[i].pcpu = i;
        kit.who[i].mode = i < 2 ? XENOPROF_MODE_IDLE : XENOPROF_MODE_KERNEL;
        kit.whos[i] = i;
    }
    kit.who_count = 4;
    add(&kit, 4);
    CHECK_EQ(kit.loaded.cells.count, 3);
    for ( uint16_t i = 0; i < 2; i++ )
        CHECK_EQ(cell_of(&kit, i)->key.pcpu, i);
    CHECK_EQ(cell_of(&kit, 3)->key.pcpu, CELL_SEVERAL);
    CHECK_EQ(cell_of(&kit, 3)->ticks, 20);
    end(&kit);
}

TEST(places_of_one_function_are_one_leaf)
{
    struct xenoprof_item item = {.kind = XENOPROF_ITEM_PLACE};
    struct load_kit kit;

    begin(&kit);
    item.u.place.place = (struct xenoprof_place){.mode = XENOPROF_MODE_KERNEL,
                                                 .symbol_start = 0x1000};
    for ( uint32_t i = 1; i <= 4; i++ )
    {
        item.u.place.number = i;
        item.u.place.place.address = 0x1000 + i;
        item.u.place.place.image = i < 4 ? "kernel" : "";
        item.u.place.place.symbol = i < 4 ? "f" : "";
        load_item(&kit.loader, &item);
    }
    kit.who[0] = who_of(3, 1);
    kit.who_count = 1;
    for ( uint32_t i = 0; i < 5; i++ )
        kit.calls[i] = 2 * i; /* places 1, 3, 5, and so on, none called */
    kit.call[4].place = 2;
    kit.call[6].place = 4;
    kit.call[8].place = 99; /* nothing is known of it */
    add(&kit, 5);
    CHECK_EQ(kit.loaded.cells.count, 3);
    CHECK_EQ(cell_of(&kit, 0)->samples, 3);
    CHECK_EQ(cell_of(&kit, 0)->key.place, 1);
    CHECK_EQ(cell_of(&kit, 3)->key.place, 4);
    CHECK_EQ(cell_of(&kit, 4)->key.place, 99);
    end(&kit);
}
