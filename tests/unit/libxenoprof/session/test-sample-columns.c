/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "libxenoprof/session/sample-columns.h"
#include "tests/harness.h"

#define SAMPLES 5000u

static struct xenoprof_who who_at(uint32_t i)
{
    return (struct xenoprof_who){.domain = (uint16_t)(i % 7),
                                 .vcpu = (uint16_t)(i % 11),
                                 .pcpu = (uint16_t)(i % 13),
                                 .mode = (uint8_t)(i % 2),
                                 .weight = 1,
                                 .period = 1000};
}

/* 2002 in all: more than are remembered from one look to the next. */
TEST(who_has_one_number_and_what_was_added_comes_back)
{
    struct sample_columns columns;
    struct xenoprof_item item;

    sample_columns_init(&columns);
    CHECK(sample_columns_begin(&columns, SAMPLES));
    for ( uint32_t i = 0; i < SAMPLES; i++ )
    {
        const struct xenoprof_call call = {.place = i % 5, .stack = i % 3};
        const struct xenoprof_who who = who_at(i);
        uint32_t number;

        CHECK(sample_columns_pair(&columns, &call, &number));
        CHECK(sample_columns_add(&columns, 10 * i, &who, number));
    }
    CHECK_EQ(columns.who.count, 2002);
    CHECK_EQ(columns.call.count, 15);
    for ( uint32_t i = 0; i < SAMPLES; i++ )
    {
        sample_columns_one(&columns, i, &item);
        CHECK_EQ(item.kind, XENOPROF_ITEM_SAMPLE);
        CHECK_EQ(item.time, 10 * i);
        CHECK_EQ(item.u.sample.place, i % 5);
        CHECK_EQ(item.u.sample.stack, i % 3);
        CHECK_EQ(item.u.sample.domain, i % 7);
        CHECK_EQ(item.u.sample.vcpu, i % 11);
        CHECK_EQ(item.u.sample.pcpu, i % 13);
        CHECK_EQ(item.u.sample.mode, i % 2);
        CHECK_EQ(item.u.sample.period, 1000);
    }
    sample_columns_part(&columns, 10, 20, &item);
    CHECK_EQ(item.u.samples.count, 10);
    CHECK_EQ(item.u.samples.times[0], 100);
    CHECK_EQ(item.u.samples.who_count, 2002);
    sample_columns_free(&columns);
}

/* Else a large host's would be more and more. */
TEST(who_has_another_number_in_another_file)
{
    struct sample_columns columns;
    struct xenoprof_who who;
    uint32_t number;

    sample_columns_init(&columns);
    for ( uint32_t i = 0; i < 3; i++ )
    {
        who = who_at(i);
        CHECK(sample_columns_who(&columns, &who, &number));
    }
    CHECK_EQ(number, 2);
    sample_columns_begin_file(&columns);
    CHECK(sample_columns_who(&columns, &who, &number));
    CHECK_EQ(number, 0);
    sample_columns_free(&columns);
}
