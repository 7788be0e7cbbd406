/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/model/account.h"
#include "report/model/profile.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

#define DOMAIN 2u /* index of the first that is neither other nor idle */
#define SECOND XENOPROF_SECOND

static const struct join_rule apart = {.any_vcpu = false};
static const struct join_rule together = {.any_vcpu = true, .any_pcpu = true};

static void begin(struct loaded *loaded, bool by_pcpu)
{
    struct domain_key key = {.number = 1};

    loaded_init(loaded);
    slots_init(&loaded->slots, by_pcpu);
    CHECK(table_put(&loaded->domains, &key));
}

/* One second of a pCPU. */
static void add_pcpu(struct loaded *loaded, uint64_t number, uint64_t idle)
{
    struct loaded_pcpu *pcpu = table_put(&loaded->pcpus, &number);

    CHECK(pcpu);
    pcpu->wall = SECOND;
    pcpu->idle = idle;
    loaded->slots.accounted = true;
    slots_add_pcpu(&loaded->slots, (uint32_t)number, 0, SECOND, idle);
}

static uint32_t put_owner(struct loaded *loaded, uint32_t domain, uint32_t vcpu)
{
    const struct owner_key key = {.domain = domain, .vcpu = vcpu};
    uint32_t owner = slots_put(&loaded->slots, &key);

    CHECK(owner);
    return owner;
}

/* How long a vCPU of domain 1 ran in it. */
static void add_vcpu(struct loaded *loaded, uint32_t vcpu, uint64_t running)
{
    uint32_t owner = put_owner(loaded, 1, vcpu);

    slots_add_running(&loaded->slots, owner, 0, SECOND, running);
}

/* A cell whose only samples are of this owner, and have so many ticks. */
static void add_cell(struct loaded *loaded, uint32_t domain, uint32_t number,
                     uint16_t vcpu, uint32_t place, uint64_t ticks)
{
    struct cell_key key;
    struct cell *cell;

    memset(&key, 0, sizeof(key));
    key.domain = domain;
    key.vcpu = vcpu;
    key.place = place;
    key.mode = XENOPROF_MODE_XEN;
    cell = table_put(&loaded->cells, &key);
    CHECK(cell);
    slots_add_ticks(&loaded->slots, put_owner(loaded, number, vcpu), 0,
                    (double)ticks);
    cell->samples++;
    cell->ticks += ticks;
}

static uint32_t owner_of_cell(struct loaded *loaded, const struct cell *cell)
{
    const bool idle = cell->key.domain == DOMAIN_INDEX_IDLE;

    return put_owner(loaded,
                     idle                    ? SLOTS_IDLE
                     : loaded->slots.by_pcpu ? SLOTS_WORK
                                             : 1,
                     cell->key.vcpu);
}

/* As counting samples does. */
static void give_time(struct loaded *loaded)
{
    const struct time_span span = {0, SECOND};

    slots_settle(&loaded->slots, &span);
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);

        cell->exact = (double)cell->ticks *
                      slots_rate(&loaded->slots, owner_of_cell(loaded, cell),
                                 0);
    }
}

static uint64_t time_of(const struct loaded *loaded, uint32_t domain,
                        unsigned int mode)
{
    uint64_t sum = 0;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        if ( cell->key.domain == domain && cell->key.mode == mode )
            sum += cell->time;
    }
    return sum;
}

TEST(account_rounds_so_that_a_domain_has_what_xen_says)
{
    struct loaded loaded;

    begin(&loaded, false);
    add_pcpu(&loaded, 0, SECOND - 100);
    add_vcpu(&loaded, 0, 100);
    for ( uint32_t place = 1; place <= 7; place++ )
        add_cell(&loaded, DOMAIN, 1, 0, place, 10);
    give_time(&loaded);
    account_time(&loaded, &apart);
    CHECK_EQ(time_of(&loaded, DOMAIN, XENOPROF_MODE_XEN), 100);
    for ( size_t i = 0; i < 7; i++ )
    {
        const struct cell *cell = table_at(&loaded.cells, i);

        CHECK(cell->time == 14 || cell->time == 15);
    }
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, XENOPROF_MODE_IDLE),
             SECOND - 100);
    loaded_free(&loaded);
}

TEST(account_of_pcpus_serves_where_there_is_none_of_vcpus)
{
    struct loaded loaded;

    begin(&loaded, true);
    add_pcpu(&loaded, 0, SECOND - 600);
    add_cell(&loaded, DOMAIN, SLOTS_WORK, 0, 1, 10);
    add_cell(&loaded, DOMAIN_INDEX_OTHER, SLOTS_WORK, 0, 2, 30);
    give_time(&loaded);
    account_time(&loaded, &apart);
    CHECK_EQ(time_of(&loaded, DOMAIN, XENOPROF_MODE_XEN), 150);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_OTHER, XENOPROF_MODE_XEN), 450);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, XENOPROF_MODE_IDLE),
             SECOND - 600);
    CHECK_EQ(loaded.unsampled, 0);
    loaded_free(&loaded);
}

TEST(account_takes_xens_work_from_the_idle_vcpu)
{
    struct loaded loaded;

    begin(&loaded, true);
    add_pcpu(&loaded, 0, SECOND - 600);
    add_cell(&loaded, DOMAIN, SLOTS_WORK, 0, 1, 10);
    add_cell(&loaded, DOMAIN_INDEX_IDLE, SLOTS_IDLE, 0, 2, 100);
    give_time(&loaded);
    account_time(&loaded, &apart);
    CHECK_EQ(time_of(&loaded, DOMAIN, XENOPROF_MODE_XEN), 600);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, XENOPROF_MODE_XEN), 100);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, XENOPROF_MODE_IDLE),
             SECOND - 700);
    loaded_free(&loaded);
}

TEST(account_gives_xen_no_more_than_the_idle_vcpu_had)
{
    struct loaded loaded;

    begin(&loaded, true);
    add_pcpu(&loaded, 0, 40);
    add_cell(&loaded, DOMAIN_INDEX_IDLE, SLOTS_IDLE, 0, 2, 100);
    give_time(&loaded);
    account_time(&loaded, &apart);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, XENOPROF_MODE_XEN), 40);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, XENOPROF_MODE_IDLE), 0);
    CHECK_EQ(loaded.unsampled, SECOND - 40);
    loaded_free(&loaded);
}

TEST(account_gives_a_domain_what_no_sample_saw)
{
    struct loaded loaded;

    begin(&loaded, false);
    add_pcpu(&loaded, 3, SECOND - 10);
    add_vcpu(&loaded, 0, 10);
    give_time(&loaded);
    account_time(&loaded, &together);
    CHECK_EQ(loaded.unsampled, 10);
    CHECK_EQ(time_of(&loaded, DOMAIN, MODE_UNKNOWN), 10);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, XENOPROF_MODE_IDLE),
             SECOND - 10);
    loaded_free(&loaded);
}

TEST(account_says_of_whom_nothing_is_known)
{
    struct loaded loaded;

    begin(&loaded, false);
    add_pcpu(&loaded, 0, SECOND / 4);
    add_vcpu(&loaded, 0, 0);
    give_time(&loaded);
    account_time(&loaded, &together);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_OTHER, MODE_UNKNOWN),
             SECOND - SECOND / 4);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, XENOPROF_MODE_IDLE),
             SECOND / 4);
    loaded_free(&loaded);
}

TEST(account_without_xens_account_takes_ticks)
{
    const struct cell_key idle = placeless_key(DOMAIN_INDEX_IDLE, 0,
                                               XENOPROF_MODE_IDLE);
    struct loaded loaded;
    struct cell *cell;

    begin(&loaded, false);
    add_cell(&loaded, DOMAIN, 1, 0, 1, 10);
    add_cell(&loaded, DOMAIN, 1, 1, 1, 20);
    give_time(&loaded);
    cell = table_put(&loaded.cells, &idle);
    CHECK(cell);
    cell->ticks = 5;
    account_time(&loaded, &apart);
    CHECK_EQ(time_of(&loaded, DOMAIN, XENOPROF_MODE_XEN), 30);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, XENOPROF_MODE_IDLE), 5);
    CHECK(!loaded.accounted);
    loaded_free(&loaded);
}

TEST(account_adds_up_to_the_nanosecond)
{
    static const struct label_list labels = {
        .label = {LABEL_DOMAIN, LABEL_MODE}, .count = 2};

    for ( unsigned int seed = 1; seed <= 200; seed++ )
    {
        struct loaded loaded;
        struct profile profile;
        uint64_t work = 0;

        srandom(seed);
        begin(&loaded, false);
        for ( uint16_t vcpu = 0; vcpu < 4; vcpu++ )
        {
            uint64_t running = (uint64_t)random() % (SECOND / 2);

            add_vcpu(&loaded, vcpu, running);
            work += running;
            for ( long cells = random() % 50; cells > 0; cells-- )
                add_cell(&loaded, DOMAIN, 1, vcpu, (uint32_t)random() % 20,
                         (uint64_t)random() % 100000000 + 1);
        }
        add_pcpu(&loaded, 0, SECOND - work / 2);
        add_pcpu(&loaded, 1, SECOND - (work - work / 2));
        give_time(&loaded);
        account_time(&loaded, seed % 2 ? &apart : &together);
        profile_build(&profile, &loaded, &labels);
        CHECK_EQ(profile.time, 2 * SECOND);
        CHECK_EQ(time_of(&loaded, DOMAIN, XENOPROF_MODE_XEN) +
                     time_of(&loaded, DOMAIN, MODE_UNKNOWN),
                 work);
        for ( size_t i = 1; i < profile.count; i++ )
            CHECK(profile.sorted[i - 1]->time >= profile.sorted[i]->time);
        profile_free(&profile);
        loaded_free(&loaded);
    }
}
