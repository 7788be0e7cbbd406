/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --sort groups by, and how many rows --percent-limit leaves. */
#include "report/model/query.h"
#include "tests/harness.h"

static struct query sorted_by(const char *labels)
{
    struct failure failure = {.status = STATUS_DONE};
    struct query query = {.sort_given = true};

    CHECK(!label_list_parse(labels, &query.sort, &failure));
    return query;
}

TEST(labels_that_are_not_of_a_frame_group)
{
    struct query query = sorted_by("symbol,vcpu,image,domain,address");
    struct label_list groups = query_groups(&query);

    CHECK_EQ(groups.count, 2);
    CHECK_EQ(groups.label[0], LABEL_VCPU);
    CHECK_EQ(groups.label[1], LABEL_DOMAIN);
    query.sort_given = false; /* the labels are the default's */
    groups = query_groups(&query);
    CHECK_EQ(groups.count, 1);
    CHECK_EQ(groups.label[0], LABEL_DOMAIN);
    query.once = true;
    CHECK_EQ(query_groups(&query).count, 0);
    query.sort_given = true; /* domains are asked for */
    CHECK_EQ(query_groups(&query).count, 2);
}

TEST(labels_of_a_frame_say_what_makes_one)
{
    static const struct {
        const char *sort;
        enum frame_detail detail;
    } cases[] = {{"domain", FRAMES_BY_SYMBOL},
                 {"image", FRAMES_BY_IMAGE},
                 {"image,symbol", FRAMES_BY_SYMBOL},
                 {"image,address", FRAMES_BY_ADDRESS}};

    for ( size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++ )
    {
        struct query query = sorted_by(cases[i].sort);

        CHECK_EQ(query_detail(&query), cases[i].detail);
    }
}

/* The table is the percentages of its rows, largest first. */
static bool is_large(const void *table, size_t row, double limit)
{
    return ((const double *)table)[row] >= limit;
}

TEST(a_table_of_small_rows_has_a_top)
{
    double rows[30] = {50, 1, 0.6, 0.5, 0.4};
    struct query query = {.percent_limit_given = false};

    CHECK_EQ(query_rows(&query, 30, is_large, rows), 20);
    CHECK_EQ(query_rows(&query, 4, is_large, rows), 4);
    CHECK_EQ(query_rows(&query, 0, is_large, rows), 0);
    for ( size_t i = 0; i < 25; i++ )
        rows[i] = 4;
    CHECK_EQ(query_rows(&query, 30, is_large, rows), 25);
}

TEST(a_limit_that_was_given_is_kept)
{
    const double rows[] = {50, 1, 0.6, 0.5, 0.4};
    struct query query = {.percent_limit_given = true, .percent_limit = 0.6};

    CHECK_EQ(query_rows(&query, 5, is_large, rows), 3);
    query.percent_limit = 0;
    CHECK_EQ(query_rows(&query, 5, is_large, rows), 5);
    query.percent_limit = 60;
    CHECK_EQ(query_rows(&query, 5, is_large, rows), 0);
}
