/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/model/account.h"
#include "report/model/profile.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

#define DOMAIN 2u /* index of the first that is neither other nor idle */

static void begin(struct loaded *loaded)
{
    struct domain_key key = {.number = 1};

    CHECK(loaded_init(loaded));
    CHECK(table_put(&loaded->domains, &key));
}

static void add_pcpu(struct loaded *loaded, uint64_t number, uint64_t wall,
                     uint64_t idle)
{
    struct loaded_pcpu *pcpu = table_put(&loaded->pcpus, &number);

    CHECK(pcpu);
    pcpu->wall = wall;
    pcpu->idle = idle;
}

static void add_cell(struct loaded *loaded, uint32_t domain, uint16_t pcpu,
                     uint32_t place, uint64_t ticks)
{
    struct cell_key key;
    struct cell *cell;

    memset(&key, 0, sizeof(key));
    key.domain = domain;
    key.pcpu = pcpu;
    key.place = place;
    key.mode = XENOPROF_MODE_XEN;
    cell = table_put(&loaded->cells, &key);
    CHECK(cell);
    cell->samples += 1;
    cell->ticks += ticks;
}

static uint64_t time_of(const struct loaded *loaded, uint32_t domain,
                        uint16_t pcpu, enum xenoprof_mode mode)
{
    uint64_t sum = 0;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        if ( cell->key.domain == domain && cell->key.pcpu == pcpu &&
             cell->key.mode == mode )
            sum += cell->time;
    }
    return sum;
}

TEST(account_shares_work_by_ticks)
{
    struct loaded loaded;

    begin(&loaded);
    add_pcpu(&loaded, 0, 1000, 400);
    add_cell(&loaded, DOMAIN, 0, 1, 10);
    add_cell(&loaded, DOMAIN_INDEX_OTHER, 0, 2, 30);
    CHECK(account_time(&loaded));
    CHECK_EQ(time_of(&loaded, DOMAIN, 0, XENOPROF_MODE_XEN), 150);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_OTHER, 0, XENOPROF_MODE_XEN), 450);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, 0, XENOPROF_MODE_IDLE), 400);
    CHECK_EQ(loaded.unsampled, 0);
    loaded_free(&loaded);
}

static struct loaded_ring *add_ring(struct loaded *loaded, uint32_t number,
                                    uint16_t kind, uint64_t read, uint64_t lost)
{
    const uint32_t key[2] = {number, 1};
    struct loaded_ring *ring = table_put(&loaded->rings, key);

    CHECK(ring);
    ring->facts.kind = kind;
    ring->read = read;
    ring->facts.lost[1] = lost;
    return ring;
}

TEST(account_gives_lost_samples_their_time)
{
    struct domain_key key = {.number = 2, .uuid = {2}};
    struct loaded_ring *ring;
    struct loaded loaded;

    begin(&loaded);
    CHECK(table_put(&loaded.domains, &key));
    add_pcpu(&loaded, 0, 1000, 400);
    add_cell(&loaded, DOMAIN, 0, 1, 100);
    add_cell(&loaded, DOMAIN + 1, 0, 2, 50);
    add_ring(&loaded, 0, XENOPROF_RING_VCPU, 10, 0);
    ring = add_ring(&loaded, 1, XENOPROF_RING_VCPU, 4, 3);
    ring->facts.uuid[0] = 2;
    /* Its second ring, of which the daemon lost one. */
    ring = add_ring(&loaded, 2, XENOPROF_RING_VCPU, 1, 1);
    ring->facts.uuid[0] = 2;
    ring->lost_daemon = 1;
    /* Another vCPU's, and a pCPU's. */
    ring = add_ring(&loaded, 3, XENOPROF_RING_VCPU, 1, 99);
    ring->facts.vcpu = 1;
    add_ring(&loaded, 4, XENOPROF_RING_PCPU, 1, 99);
    CHECK(account_time(&loaded));
    CHECK_EQ(time_of(&loaded, DOMAIN, 0, XENOPROF_MODE_XEN), 300);
    CHECK_EQ(time_of(&loaded, DOMAIN + 1, 0, XENOPROF_MODE_XEN), 300);
    loaded_free(&loaded);
}

TEST(account_believes_no_loss_without_end)
{
    struct loaded loaded;

    begin(&loaded);
    add_pcpu(&loaded, 0, 1000, 0);
    add_cell(&loaded, DOMAIN, 0, 1, UINT64_MAX / 2);
    add_cell(&loaded, DOMAIN_INDEX_OTHER, 0, 2, 1);
    add_ring(&loaded, 0, XENOPROF_RING_VCPU, 1, UINT64_MAX);
    CHECK(account_time(&loaded));
    CHECK_EQ(time_of(&loaded, DOMAIN, 0, XENOPROF_MODE_XEN), 1000);
    CHECK_EQ(loaded.unsampled, 0);
    loaded_free(&loaded);
}

TEST(account_takes_xens_work_from_the_idle_vcpu)
{
    struct loaded loaded;

    begin(&loaded);
    add_pcpu(&loaded, 0, 1000, 400);
    add_cell(&loaded, DOMAIN, 0, 1, 10);
    add_cell(&loaded, DOMAIN_INDEX_IDLE, 0, 2, 100);
    CHECK(account_time(&loaded));
    CHECK_EQ(time_of(&loaded, DOMAIN, 0, XENOPROF_MODE_XEN), 600);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, 0, XENOPROF_MODE_XEN), 100);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, 0, XENOPROF_MODE_IDLE), 300);
    loaded_free(&loaded);
}

TEST(account_gives_xen_no_more_than_the_idle_vcpu_had)
{
    struct loaded loaded;

    begin(&loaded);
    add_pcpu(&loaded, 0, 1000, 40);
    add_cell(&loaded, DOMAIN_INDEX_IDLE, 0, 2, 100);
    CHECK(account_time(&loaded));
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, 0, XENOPROF_MODE_XEN), 40);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, 0, XENOPROF_MODE_IDLE), 0);
    CHECK_EQ(loaded.unsampled, 960);
    loaded_free(&loaded);
}

TEST(account_says_what_no_sample_saw)
{
    struct loaded loaded;

    begin(&loaded);
    add_pcpu(&loaded, 3, 1000, 990);
    CHECK(account_time(&loaded));
    CHECK_EQ(loaded.unsampled, 10);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_OTHER, 3, XENOPROF_MODE_XEN), 10);
    loaded_free(&loaded);
}

TEST(account_never_has_more_idle_time_than_time)
{
    struct loaded loaded;

    begin(&loaded);
    add_pcpu(&loaded, 0, 1000, 1003);
    add_cell(&loaded, DOMAIN, 0, 1, 10);
    CHECK(account_time(&loaded));
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, 0, XENOPROF_MODE_IDLE), 1000);
    CHECK_EQ(time_of(&loaded, DOMAIN, 0, XENOPROF_MODE_XEN), 0);
    loaded_free(&loaded);
}

TEST(account_without_xens_account_takes_ticks)
{
    struct loaded loaded;

    begin(&loaded);
    add_pcpu(&loaded, 0, 0, 0); /* looked at once: no time passed */
    add_cell(&loaded, DOMAIN, 0, 1, 10);
    add_cell(&loaded, DOMAIN, 1, 1, 20);
    CHECK(account_time(&loaded));
    CHECK_EQ(time_of(&loaded, DOMAIN, 0, XENOPROF_MODE_XEN), 10);
    CHECK_EQ(time_of(&loaded, DOMAIN, 1, XENOPROF_MODE_XEN), 20);
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
        uint64_t wall = 0;

        srandom(seed);
        begin(&loaded);
        for ( uint16_t pcpu = 0; pcpu < 4; pcpu++ )
        {
            uint64_t time = (uint64_t)random() * 1000 + 1;

            add_pcpu(&loaded, pcpu, time,
                     (uint64_t)random() * 1000 % (time + 1));
            wall += time;
            for ( long cells = random() % 50; cells > 0; cells-- )
                add_cell(&loaded, (uint32_t)random() % (DOMAIN + 1), pcpu,
                         (uint32_t)random() % 20,
                         (uint64_t)random() % 100000000);
        }
        CHECK(account_time(&loaded));
        CHECK(profile_build(&profile, &loaded, &labels));
        CHECK_EQ(profile.time, wall);
        CHECK_EQ(profile.time_all, wall);
        for ( size_t i = 1; i < profile.count; i++ )
            CHECK(profile.sorted[i - 1]->time >= profile.sorted[i]->time);
        profile_free(&profile);
        loaded_free(&loaded);
    }
}

/* Cells get a call, so that they can be settled. */
static void add_run(struct loaded *loaded, uint16_t pcpu, uint32_t call,
                    uint64_t ticks)
{
    const struct cell_key key = {.domain = DOMAIN,
                                 .pcpu = pcpu,
                                 .call = call,
                                 .mode = XENOPROF_MODE_XEN};
    struct cell *cell = table_append(&loaded->cells, &key);

    CHECK(cell);
    cell->samples = 1;
    cell->ticks = ticks;
}

static uint64_t time_at(const struct loaded *loaded, size_t index)
{
    return ((const struct cell *)table_at(&loaded->cells, index))->time;
}

TEST(account_of_pieces_gives_each_its_own_work)
{
    struct loaded loaded;

    begin(&loaded);
    add_pcpu(&loaded, 0, 1000, 400);
    add_run(&loaded, 0, 1, 10);
    add_run(&loaded, 0, 2, 30);
    CHECK(account_settle(&loaded));
    CHECK_EQ(time_at(&loaded, 0), 150);
    CHECK_EQ(time_at(&loaded, 1), 450);
    add_pcpu(&loaded, 0, 3000, 1400); /* 1,000 more of work and of idle time */
    add_run(&loaded, 0, 1, 40);
    CHECK(account_time(&loaded));
    CHECK_EQ(time_at(&loaded, 0), 150);
    CHECK_EQ(time_at(&loaded, 1), 450);
    CHECK_EQ(time_at(&loaded, 2), 1000);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, 0, XENOPROF_MODE_IDLE), 1400);
    CHECK_EQ(loaded.unsampled, 0);
    loaded_free(&loaded);
}

TEST(account_of_a_piece_without_samples_is_the_next_ones)
{
    struct loaded loaded;

    begin(&loaded);
    add_pcpu(&loaded, 0, 1000, 0);
    add_pcpu(&loaded, 1, 1000, 0);
    add_run(&loaded, 0, 1, 10);
    CHECK(account_settle(&loaded));
    add_pcpu(&loaded, 0, 1500, 0);
    add_pcpu(&loaded, 1, 1500, 0);
    add_run(&loaded, 1, 1, 10);
    CHECK(account_time(&loaded));
    CHECK_EQ(time_at(&loaded, 0), 1000);
    CHECK_EQ(time_at(&loaded, 1), 1500);
    CHECK_EQ(loaded.unsampled, 500); /* after the last sample of pCPU 0 */
    loaded_free(&loaded);
}

TEST(account_settles_nothing_where_xens_account_is_not_known)
{
    struct loaded loaded;

    begin(&loaded);
    add_run(&loaded, 0, 1, 10);
    CHECK(account_settle(&loaded));
    CHECK(!((struct cell *)table_at(&loaded.cells, 0))->settled);
    add_pcpu(&loaded, 0, 1000, 0);
    CHECK(account_time(&loaded));
    CHECK_EQ(time_at(&loaded, 0), 1000);
    loaded_free(&loaded);
}

TEST(account_of_pieces_adds_up_to_the_nanosecond)
{
    static const struct label_list labels = {
        .label = {LABEL_DOMAIN, LABEL_MODE}, .count = 2};

    for ( unsigned int seed = 1; seed <= 100; seed++ )
    {
        uint64_t wall[2] = {0}, idle[2] = {0};
        struct profile profile;
        struct loaded loaded;

        srandom(seed);
        begin(&loaded);
        for ( unsigned int piece = 0; piece < 20; piece++ )
        {
            for ( uint16_t pcpu = 0; pcpu < 2; pcpu++ )
            {
                uint64_t more = (uint64_t)random() % 1000000;

                wall[pcpu] += more;
                idle[pcpu] += more ? (uint64_t)random() % more : 0;
                add_pcpu(&loaded, pcpu, wall[pcpu], idle[pcpu]);
            }
            for ( long runs = random() % 9; runs > 0; runs-- )
                add_run(&loaded, (uint16_t)(random() % 2), 1,
                        (uint64_t)random() % 100000);
            CHECK(account_settle(&loaded));
        }
        CHECK(account_time(&loaded));
        CHECK(profile_build(&profile, &loaded, &labels));
        CHECK_EQ(profile.time_all, wall[0] + wall[1]);
        profile_free(&profile);
        loaded_free(&loaded);
    }
}

static void add_unsettled(struct loaded *loaded, uint32_t cell, uint16_t pcpu,
                          uint64_t ticks)
{
    struct unsettled *sample = vector_add(&loaded->unsettled);

    CHECK(sample);
    *sample = (struct unsettled){
        .ticks = ticks, .ran = {.domain = DOMAIN, .pcpu = pcpu}, .cell = cell};
}

/* Cells that samples of several pCPUs are counted in. */
static void add_several(struct loaded *loaded, uint32_t count)
{
    for ( uint32_t i = 0; i < count; i++ )
    {
        add_run(loaded, CELL_SEVERAL, i + 1, 0);
        ((struct cell *)table_at(&loaded->cells, i))->settled = true;
    }
    loaded->several = true;
}

TEST(account_of_samples_that_cells_do_not_tell_apart)
{
    struct loaded loaded;

    begin(&loaded);
    add_several(&loaded, 2);
    add_pcpu(&loaded, 0, 1000, 400);
    add_pcpu(&loaded, 1, 1000, 100);
    add_unsettled(&loaded, 0, 0, 10);
    add_unsettled(&loaded, 1, 0, 20);
    add_unsettled(&loaded, 0, 1, 10);
    add_unsettled(&loaded, 0, 2, 7); /* of which there is no account */
    CHECK(account_settle(&loaded));
    CHECK_EQ(loaded.unsettled.count, 0);
    CHECK_EQ(time_at(&loaded, 0), 200 + 900 + 7);
    CHECK_EQ(time_at(&loaded, 1), 400);
    add_pcpu(&loaded, 1, 3000, 200);
    add_unsettled(&loaded, 1, 1, 1);
    CHECK(account_time(&loaded));
    CHECK_EQ(time_at(&loaded, 1), 400 + 1900);
    CHECK_EQ(time_of(&loaded, DOMAIN_INDEX_IDLE, 1, XENOPROF_MODE_IDLE), 200);
    CHECK_EQ(loaded.unsampled, 0);
    loaded_free(&loaded);
}

TEST(account_of_such_samples_adds_up_to_the_nanosecond)
{
    for ( unsigned int seed = 1; seed <= 100; seed++ )
    {
        uint64_t wall[2] = {0}, sum = 0;
        struct loaded loaded;

        srandom(seed);
        begin(&loaded);
        add_several(&loaded, 5);
        for ( unsigned int piece = 0; piece < 20; piece++ )
        {
            for ( uint16_t pcpu = 0; pcpu < 2; pcpu++ )
            {
                wall[pcpu] += (uint64_t)random() % 1000000;
                add_pcpu(&loaded, pcpu, wall[pcpu], 0);
            }
            for ( long runs = random() % 9; runs > 0; runs-- )
                add_unsettled(&loaded, (uint32_t)(random() % 5),
                              (uint16_t)(random() % 2),
                              (uint64_t)random() % 100000);
            CHECK(account_settle(&loaded));
        }
        CHECK(account_time(&loaded));
        for ( size_t i = 0; i < loaded.cells.count; i++ )
            sum += time_at(&loaded, i);
        CHECK_EQ(sum, wall[0] + wall[1]);
        loaded_free(&loaded);
    }
}
