/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "control/chain-counts.h"
#include "tests/harness.h"

TEST(chains_are_counted_where_they_are_walked)
{
    struct chain_counts counts = {0};
    struct xenoprof_stored sample = {.domain = 3, .mode = XENOPROF_MODE_KERNEL};

    chain_counts_add(&counts, &sample);
    CHECK(!counts.walked[XENOPROF_MODE_KERNEL]);
    sample.stack = 7;
    chain_counts_add(&counts, &sample);
    CHECK(counts.walked[XENOPROF_MODE_KERNEL]);
    xenoprof_stored_set_ended(&sample, XENOPROF_ENDED_WINDOW);
    chain_counts_add(&counts, &sample);
    /* The idle vCPU, domains that are not profiled, and processes that nobody
     * knows have no counts. */
    sample.mode = XENOPROF_MODE_XEN;
    sample.marks = XENOPROF_MARK_FOREIGN;
    chain_counts_add(&counts, &sample);
    sample.marks = 0;
    sample.domain = DOMAIN_ID_IDLE;
    chain_counts_add(&counts, &sample);
    sample = (struct xenoprof_stored){.domain = 3, .mode = XENOPROF_MODE_USER};
    chain_counts_add(&counts, &sample);
    CHECK_EQ(counts.count, 1);
    CHECK_EQ(chain_count_all(&counts.items[0]), 3);
    CHECK_EQ(counts.items[0].ended[XENOPROF_ENDED_ROOT], 2);
    chain_counts_free(&counts);
    CHECK_EQ(counts.count, 0);
}

TEST(chains_of_processes_are_counted_where_they_are_walked)
{
    struct chain_counts counts = {0};
    struct xenoprof_stored sample = {.domain = 3, .mode = XENOPROF_MODE_USER};

    sample.stack = 7;
    chain_counts_add(&counts, &sample);
    sample.stack = 0;
    xenoprof_stored_set_ended(&sample, XENOPROF_ENDED_AGENT);
    chain_counts_add(&counts, &sample);
    sample = (struct xenoprof_stored){.domain = 4, .mode = XENOPROF_MODE_USER};
    chain_counts_add(&counts, &sample);
    CHECK(counts.walked[XENOPROF_MODE_USER]);
    CHECK_EQ(counts.count, 1);
    CHECK_EQ(counts.items[0].ended[XENOPROF_ENDED_ROOT], 1);
    CHECK_EQ(counts.items[0].ended[XENOPROF_ENDED_AGENT], 1);
    chain_counts_free(&counts);
}

TEST(what_came_to_a_process_is_a_whole_chain_of_its_kernel)
{
    struct chain_counts counts = {0};
    struct xenoprof_stored sample = {.domain = 3, .mode = XENOPROF_MODE_KERNEL};

    xenoprof_stored_set_ended(&sample, XENOPROF_ENDED_AGENT);
    xenoprof_stored_set_below(&sample);
    chain_counts_add(&counts, &sample);
    sample.mode = XENOPROF_MODE_XEN;
    sample.stack = 7;
    xenoprof_stored_set_ended(&sample, XENOPROF_ENDED_ROOT);
    xenoprof_stored_set_below(&sample);
    chain_counts_add(&counts, &sample);
    CHECK_EQ(counts.count, 3);
    CHECK_EQ(counts.items[0].mode, XENOPROF_MODE_KERNEL);
    CHECK_EQ(counts.items[0].ended[XENOPROF_ENDED_ROOT], 1);
    CHECK_EQ(counts.items[1].mode, XENOPROF_MODE_USER);
    CHECK_EQ(counts.items[1].ended[XENOPROF_ENDED_ROOT], 1);
    CHECK_EQ(counts.items[1].ended[XENOPROF_ENDED_AGENT], 1);
    CHECK_EQ(counts.items[2].mode, XENOPROF_MODE_XEN);
    CHECK_EQ(counts.items[2].ended[XENOPROF_ENDED_ROOT], 1);
    CHECK(counts.walked[XENOPROF_MODE_USER]);
    chain_counts_free(&counts);
}

TEST(chains_sent_are_the_chains_taken)
{
    struct chain_count row = {.domain = 3, .mode = XENOPROF_MODE_XEN};
    struct chain_counts counts = {0};
    size_t size;
    char *line;
    FILE *file = open_memstream(&line, &size);

    row.ended[XENOPROF_ENDED_ROOT] = 37;
    row.ended[XENOPROF_ENDED_PAGE] = 2;
    chain_count_put(&row, "web 1", file);
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    chain_counts_take(&counts, line);
    free(line);
    CHECK_EQ(counts.count, 1);
    CHECK(counts.walked[XENOPROF_MODE_XEN]);
    CHECK(!counts.walked[XENOPROF_MODE_KERNEL]);
    CHECK_TEXT(counts.items[0].name, "web 1");
    CHECK(memcmp(counts.items[0].ended, row.ended, sizeof(row.ended)) == 0);
    chain_counts_free(&counts);
}

TEST(chains_of_a_domain_that_ended_are_a_part_of_the_others)
{
    enum { DOMAINS = 100, OTHERS = 0xffff };
    struct chain_counts counts = {0};

    for ( uint16_t i = 0; i < 3 * DOMAINS; i++ )
    {
        const struct xenoprof_stored sample = {
            .domain = i % DOMAINS,
            .mode = i % 2 ? XENOPROF_MODE_XEN : XENOPROF_MODE_KERNEL};

        chain_counts_add(&counts, &sample);
    }
    CHECK_EQ(counts.count, DOMAINS);
    for ( uint16_t i = 0; i < DOMAINS; i += 3 )
        chain_counts_end(&counts, i, OTHERS);
    chain_counts_end(&counts, 5000, OTHERS);
    CHECK_EQ(counts.count, DOMAINS - 34 + 2);
    for ( size_t i = 0; i < counts.count; i++ )
    {
        const struct chain_count *row = &counts.items[i];
        bool others = row->domain == OTHERS;

        CHECK_EQ(chain_count_all(row), others ? 3 * 17 : 3);
        CHECK_EQ(counts.rows[XENOPROF_MODES * row->domain + row->mode], i + 1);
        CHECK(others || row->domain % 3);
    }
    chain_counts_free(&counts);
}
