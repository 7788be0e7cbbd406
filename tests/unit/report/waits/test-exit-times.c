/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "report/waits/exit-times.h"
#include "tests/harness.h"

static const struct time_span all = {.from = 0, .to = UINT64_MAX};
static struct exit_times times;
static struct names names;

static void add(uint16_t domain, uint16_t vcpu, uint32_t code, uint64_t count,
                uint64_t in_xen, uint64_t shortest, uint64_t longest)
{
    const struct xenoprof_exits exits = {
        .domain = domain,
        .vcpu = vcpu,
        .uuid = {(uint8_t)domain},
        .entry = {.code = code,
                  .kind = XENOPROF_ENTRY_SVM,
                  .flags = XENOPROF_ENTRY_BARE},
        .count = count,
        .in_xen = in_xen,
        .away = 1,
        .shortest = shortest,
        .longest = longest,
    };

    exit_times_add(&times, &names, &all, 7, &exits);
}

static const char *name(const struct exit_row *row)
{
    return names_text(&names, row->key.name);
}

TEST(codes_of_one_name_are_one_and_vcpus_are_added)
{
    const struct exit_row **rows;

    exit_times_init(&times);
    names_init(&names);
    add(5, 0, 0x10, 2, 20, 8, 12);
    add(5, 1, 0x03, 1, 5, 5, 5);
    add(5, 0, 0x78, 1, 100, 100, 100);
    add(6, 0, 0x78, 9, 1000, 1, 999);
    /* None is no shortest one. */
    add(6, 0, 0x7b, 0, 0, 0, 0);
    exit_times_sorted(&times, &rows);
    CHECK_EQ(times.rows.count, 3);
    CHECK_EQ(rows[0]->key.domain, 6);
    CHECK_TEXT(name(rows[0]), "exit hlt");
    CHECK_TEXT(name(rows[1]), "exit hlt");
    CHECK_TEXT(name(rows[2]), "exit cr");
    CHECK_EQ(rows[2]->amount.count, 3);
    CHECK_EQ(rows[2]->amount.in_xen, 25);
    CHECK_EQ(rows[2]->amount.shortest, 5);
    CHECK_EQ(rows[2]->amount.longest, 12);
    CHECK_EQ(exit_domain_of(&times, rows[2])->amount.count, 4);
    CHECK_EQ(exit_domain_of(&times, rows[2])->amount.away, 3);
    free(rows);
    names_free(&names);
    exit_times_free(&times);
}
