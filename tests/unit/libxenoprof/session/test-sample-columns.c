/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

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

/* More are told apart than are remembered from one look to the next. */
TEST(who_has_one_number)
{
    struct sample_columns columns;
    uint32_t first, again;

    sample_columns_init(&columns);
    for ( uint32_t i = 0; i < SAMPLES; i++ )
    {
        const struct xenoprof_who who = who_at(i);

        CHECK(sample_columns_who(&columns, &who, &first));
        CHECK(sample_columns_who(&columns, &who, &again));
        CHECK_EQ(first, again);
        CHECK(!memcmp(table_at(&columns.who, first), &who, sizeof(who)));
    }
    CHECK_EQ(columns.who.count, 2002);
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
