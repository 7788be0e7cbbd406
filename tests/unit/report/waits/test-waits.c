/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "report/waits/waits.h"
#include "tests/harness.h"

#define MS 1000000ull

static const struct time_span all = {.from = 0, .to = UINT64_MAX};
static struct waits waits;

/* Running and runnable in ms, of so many. */
static void add(const struct time_span *span, uint64_t end, uint8_t uuid,
                uint16_t vcpu, uint64_t running, uint64_t runnable,
                uint64_t length)
{
    const struct xenoprof_waited waited = {
        .domain = 5,
        .uuid = {uuid},
        .vcpu = vcpu,
        .span = length * MS,
        .running = running * MS,
        .runnable = runnable * MS,
        .blocked = (length - running - runnable) * MS,
    };

    waits_add(&waits, span, end * MS, &waited);
}

static const struct waiting_vcpu *vcpu_at(size_t index)
{
    CHECK(index < waits.vcpus.count);
    return table_at(&waits.vcpus, index);
}

TEST(times_add_up)
{
    waits_init(&waits);
    add(&all, 2000, 1, 0, 600, 40, 1000);
    add(&all, 3000, 1, 0, 500, 70, 1000);
    CHECK_EQ(waits.vcpus.count, 1);
    CHECK_EQ(vcpu_at(0)->times.span, 2000 * MS);
    CHECK_EQ(vcpu_at(0)->times.running, 1100 * MS);
    CHECK_EQ(vcpu_at(0)->times.blocked, 790 * MS);
    CHECK_EQ(vcpu_at(0)->from, 1000 * MS);
    CHECK_EQ(vcpu_at(0)->to, 3000 * MS);
    CHECK(waits_marked(&vcpu_at(0)->times));
    CHECK_EQ(waits_missing(&waits), 0);
    waits_free(&waits);
}

TEST(each_bin_of_a_vcpu_has_its_part)
{
    struct wait_bin *sorted;

    waits_init(&waits);
    waits.vcpu_bins.wanted = true;
    add(&all, 2250, 1, 0, 600, 40, 1000);
    add(&all, 3250, 1, 0, 500, 0, 1000);
    CHECK_EQ(waits.bins.bins.count, 0);
    CHECK_EQ(waits.vcpu_bins.bins.count, 3);
    sorted = wait_bins_sorted(&waits.vcpu_bins);
    CHECK_EQ(sorted[0].key.bin, 1);
    CHECK_EQ(sorted[0].times.runnable, 30 * MS);
    CHECK_EQ(sorted[1].times.running, 525 * MS);
    CHECK_EQ(sorted[1].times.runnable, 10 * MS);
    CHECK_EQ(sorted[1].times.span, 1000 * MS);
    CHECK_EQ(sorted[2].key.bin, 3);
    CHECK_EQ(sorted[2].times.blocked, 125 * MS);
    free(sorted);
    waits_free(&waits);
}

TEST(a_row_of_a_vcpu_has_few_parts)
{
    waits_init(&waits);
    waits.vcpu_bins.wanted = true;
    add(&all, 1ull << 40, 1, 0, 0, 0, 1ull << 40);
    CHECK(waits.vcpu_bins.bins.count <= 64);
    waits_free(&waits);
}

TEST(five_percent_is_not_marked)
{
    waits_init(&waits);
    add(&all, 2000, 1, 0, 600, 50, 1000);
    CHECK(!waits_marked(&vcpu_at(0)->times));
    waits_free(&waits);
}

TEST(a_part_of_a_time_range)
{
    const struct time_span half = {.from = 1500 * MS, .to = 2500 * MS};

    waits_init(&waits);
    add(&half, 2000, 1, 0, 600, 40, 1000);
    add(&half, 3000, 1, 0, 400, 0, 1000);
    add(&half, 1500, 1, 1, 400, 0, 1000);
    add(&half, 4000, 1, 1, 400, 0, 1000);
    CHECK_EQ(waits.vcpus.count, 1);
    CHECK_EQ(vcpu_at(0)->times.span, 1000 * MS);
    CHECK_EQ(vcpu_at(0)->times.running, 500 * MS);
    CHECK_EQ(vcpu_at(0)->times.runnable, 20 * MS);
    CHECK_EQ(vcpu_at(0)->times.blocked, 480 * MS);
    waits_free(&waits);
}

TEST(what_is_missing_is_no_time)
{
    waits_init(&waits);
    add(&all, 2000, 1, 0, 0, 0, 1000);
    add(&all, 5000, 1, 0, 0, 0, 1000);
    CHECK_EQ(waits_missing(&waits), 2000 * MS);
    CHECK_EQ(vcpu_at(0)->times.span, 2000 * MS);
    waits_free(&waits);
}

/* By share: a vCPU that was there for a second is beside one that was there for
 * ten. */
TEST(who_waited_most_is_first)
{
    struct waits_row *rows;

    waits_init(&waits);
    add(&all, 11000, 1, 0, 0, 1000, 10000);
    add(&all, 11000, 1, 1, 0, 3000, 10000);
    add(&all, 11000, 2, 0, 0, 500, 1000);
    rows = waits_sorted(&waits);
    CHECK(rows);
    CHECK_EQ(rows[0].domain->key.uuid[0], 2);
    CHECK_EQ(rows[1].vcpu->key.vcpu, 1);
    CHECK_EQ(rows[2].vcpu->key.vcpu, 0);
    CHECK_EQ(rows[1].domain->vcpus, 2);
    CHECK_EQ(rows[1].domain->times.span, 20000 * MS);
    free(rows);
    waits_free(&waits);
}

/* A session may be anybody's. */
TEST(times_before_xen_was_there_are_none)
{
    waits_init(&waits);
    add(&all, 500, 1, 0, 0, 0, 1000);
    CHECK_EQ(waits.vcpus.count, 0);
    waits_free(&waits);
}
