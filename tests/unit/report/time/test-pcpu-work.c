/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/time/pcpu-work.h"
#include "tests/harness.h"

#include <math.h>
#include <string.h>

#define PCPUS 3u
#define VCPUS 4u

static void begin(struct loaded *loaded, const uint64_t work[PCPUS])
{
    loaded_init(loaded);
    for ( uint64_t i = 0; i < PCPUS; i++ )
    {
        struct loaded_pcpu *pcpu = table_put(&loaded->pcpus, &i);

        CHECK(pcpu);
        pcpu->wall = 1000;
        pcpu->idle = 1000 - work[i];
    }
}

static struct cell *add(struct loaded *loaded, uint16_t vcpu, uint16_t pcpu,
                        double exact)
{
    struct cell_key key;
    struct cell *cell;

    memset(&key, 0, sizeof(key));
    key.domain = 2;
    key.vcpu = vcpu;
    key.pcpu = pcpu;
    cell = table_put(&loaded->cells, &key);
    CHECK(cell);
    cell->exact = exact;
    return cell;
}

static double sum(const struct loaded *loaded, int vcpu, int pcpu)
{
    double ret = 0;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        if ( (vcpu < 0 || cell->key.vcpu == vcpu) &&
             (pcpu < 0 || cell->key.pcpu == pcpu) )
            ret += cell->exact;
    }
    return ret;
}

TEST(vcpus_keep_what_they_have_and_pcpus_get_what_they_worked)
{
    static const uint64_t work[PCPUS] = {900, 500, 100};
    static const double ran[VCPUS] = {300, 500, 600, 100};
    struct loaded loaded;

    begin(&loaded, work);
    for ( uint16_t vcpu = 0; vcpu < VCPUS; vcpu++ )
        for ( uint16_t pcpu = 0; pcpu < PCPUS; pcpu++ )
            add(&loaded, vcpu, pcpu, ran[vcpu] / PCPUS);
    pcpu_work_fit(&loaded);
    for ( int vcpu = 0; vcpu < (int)VCPUS; vcpu++ )
        CHECK(fabs(sum(&loaded, vcpu, -1) - ran[vcpu]) < 1e-6);
    for ( int pcpu = 0; pcpu < (int)PCPUS; pcpu++ )
        CHECK(fabs(sum(&loaded, -1, pcpu) - (double)work[pcpu]) < 1e-6);
    loaded_free(&loaded);
}

TEST(a_vcpu_that_was_met_on_one_pcpu_stays_there)
{
    static const uint64_t work[PCPUS] = {400, 300, 0};
    struct loaded loaded;
    const struct cell *alone;

    begin(&loaded, work);
    add(&loaded, 0, 0, 200);
    add(&loaded, 1, 0, 250);
    add(&loaded, 1, 1, 250);
    pcpu_work_fit(&loaded);
    alone = table_at(&loaded.cells, 0);
    CHECK(fabs(alone->exact - 200) < 1e-6);
    CHECK(fabs(sum(&loaded, -1, 1) - 300) < 1);
    loaded_free(&loaded);
}

/* Its samples on the other one were lost. */
TEST(no_pcpu_has_more_than_it_worked)
{
    static const uint64_t work[PCPUS] = {100, 250, 50};
    struct loaded loaded;

    begin(&loaded, work);
    add(&loaded, 0, 0, 250)->samples = 7;
    add(&loaded, 1, 1, 150)->samples = 5;
    pcpu_work_fit(&loaded);
    CHECK(fabs(sum(&loaded, 0, -1) - 250) < 1e-6);
    CHECK(fabs(sum(&loaded, 1, -1) - 150) < 1e-6);
    CHECK_EQ(loaded.cells.count, 4);
    for ( int pcpu = 0; pcpu < (int)PCPUS; pcpu++ )
        CHECK(fabs(sum(&loaded, -1, pcpu) - (double)work[pcpu]) < 0.1);
    for ( size_t i = 2; i < loaded.cells.count; i++ )
        CHECK_EQ(((struct cell *)table_at(&loaded.cells, i))->samples, 0);
    loaded_free(&loaded);
}

TEST(without_an_account_of_a_pcpu_nothing_changes)
{
    static const uint64_t work[PCPUS] = {400, 300, 0};
    struct loaded loaded;

    begin(&loaded, work);
    add(&loaded, 0, 0, 200);
    add(&loaded, 0, 9, 100);
    pcpu_work_fit(&loaded);
    CHECK(fabs(sum(&loaded, 0, 0) - 200) < 1e-9);
    loaded_free(&loaded);
}
