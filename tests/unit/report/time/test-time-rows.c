/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows that are kept while slots are made and settled. */
#include "report/time/slots.h"
#include "tests/harness.h"

#include <libxenoprof.h>

#include <stdio.h>
#include <stdlib.h>

#define SECOND XENOPROF_SECOND
#define MS     1000000ull

struct rows_kit {
    struct slots slots;
    struct time_rows rows;
};

/* Returns an owner. */
static uint32_t begin(struct rows_kit *kit)
{
    const struct owner_key web = {.domain = 1};
    uint32_t owner;

    kit->rows = (struct time_rows){.most = 0};
    slots_init(&kit->slots, false);
    kit->slots.rows = &kit->rows;
    owner = slots_put(&kit->slots, &web);
    CHECK(owner);
    return owner;
}

static void end(struct rows_kit *kit)
{
    time_rows_free(&kit->rows);
    slots_free(&kit->slots);
}

/* "ran 1: 500-1500 250": kind, owner, and ms, row after row. */
static void check(struct rows_kit *kit, uint64_t from, uint64_t to,
                  const char *wanted)
{
    static const char *const kinds[] = {"ran", "stands", "gap", "host"};
    const struct time_span span = {from, to};
    size_t size;
    char *text = NULL;
    FILE *file = open_memstream(&text, &size);

    CHECK(file);
    slots_settle(&kit->slots, &span);
    time_rows_end(&kit->rows);
    for ( size_t i = 0; i < kit->rows.count; i++ )
    {
        const struct time_row *row = &kit->rows.items[i];

        if ( row->time )
            fprintf(file, "%s %u: %u-%u %u\n", kinds[row->kind], row->owner,
                    (unsigned int)(row->from / MS),
                    (unsigned int)(row->to / MS),
                    (unsigned int)(row->time / MS));
    }
    fclose(file);
    CHECK_TEXT(text, wanted);
    free(text);
}

TEST(rows_are_as_the_account_has_them)
{
    struct rows_kit kit;
    const uint32_t web = begin(&kit);

    slots_add_running(&kit.slots, web, 1500 * MS, 2500 * MS, 300 * MS);
    slots_add_running(&kit.slots, web, 500 * MS, 1500 * MS, 250 * MS);
    slots_add_ticks(&kit.slots, web, 1, 10e6);
    check(&kit, 500 * MS, 2500 * MS,
          "ran 1: 500-1500 250\nran 1: 1500-2500 300\n");
    end(&kit);
}

TEST(all_time_of_pcpus_is_a_row_of_each_slot)
{
    struct rows_kit kit;

    begin(&kit);
    slots_add_pcpu(&kit.slots, 0, SECOND, 2500 * MS, 1500 * MS);
    slots_add_pcpu(&kit.slots, 1, SECOND, 2500 * MS, 1500 * MS);
    check(&kit, SECOND, 2500 * MS,
          "host 0: 1000-2000 2000\n"
          "host 0: 2000-2500 1000\n");
    end(&kit);
}

/* In slot 1 there is no account, in slot 2 it begins late. */
TEST(what_samples_stand_for_lies_where_there_is_no_account)
{
    struct rows_kit kit;
    const uint32_t web = begin(&kit);

    slots_add_running(&kit.slots, web, 2400 * MS, 2600 * MS, 100 * MS);
    slots_add_running(&kit.slots, web, 2600 * MS, 3000 * MS, 0);
    for ( uint64_t second = 1; second <= 2; second++ )
        slots_add_ticks(&kit.slots, web, second, 500e6);
    check(&kit, SECOND, 3000 * MS,
          "ran 1: 2000-2400 200\nran 1: 2400-2600 100\n"
          "stands 1: 1000-2000 500\n");
    end(&kit);
}

TEST(work_of_which_nothing_is_known_is_a_gap)
{
    struct rows_kit kit;

    begin(&kit);
    slots_add_pcpu(&kit.slots, 0, SECOND, 2000 * MS, 300 * MS);
    check(&kit, SECOND, 2000 * MS,
          "gap 0: 1000-2000 700\n"
          "host 0: 1000-2000 1000\n");
    end(&kit);
}

TEST(too_many_rows_are_slots)
{
    struct rows_kit kit;
    const uint32_t web = begin(&kit);

    kit.rows.most = 5;
    for ( uint64_t i = 0; i < 20; i++ )
        slots_add_running(&kit.slots, web, i * 100 * MS, (i + 1) * 100 * MS,
                          i * MS);
    slots_add_ticks(&kit.slots, web, 1, 10e6);
    check(&kit, 0, 2000 * MS, "ran 1: 0-1000 45\nran 1: 1000-2000 145\n");
    CHECK(kit.rows.many);
    end(&kit);
}
