/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/why/hot.h"
#include "tests/unit/report/model/report-kit.h"

/* T is a thunk. */
static void begin(struct report_kit *kit, struct hot *hot)
{
    kit_begin(kit);
    kit_samples(kit, KIT_WEB, "kAB", 10);
    kit_samples(kit, KIT_DB, "kB", 20);
    kit_samples(kit, KIT_DB, "kBT", 5);
    kit_samples(kit, KIT_WEB, "k", 30);
    kit_samples(kit, KIT_WEB, "?", 20);
    kit_samples(kit, KIT_DB, "!", 21);
    kit_samples(kit, KIT_DB, "C", 99)->dropped = true;
    kit_name(kit, 'T', "__x86_return_thunk");
    kit_build(kit);
    hot_build(hot, &kit->loaded, &kit->stacks);
}

static char letter_of(const struct report_kit *kit, const struct hot_row *row)
{
    const struct frame *frame = stacks_frame(&kit->stacks, row->key.frame);

    return frame->key.area == AREA_USER ? '*' : kit_letter(kit, frame);
}

TEST(a_function_is_one_whatever_the_domain)
{
    struct report_kit kit;
    struct hot hot;

    begin(&kit, &hot);
    CHECK_EQ(hot.rows.count, 3);
    CHECK_EQ(letter_of(&kit, hot.sorted[1]), 'B');
    CHECK_EQ(hot.sorted[1]->amount.samples, 35);
    CHECK_EQ(letter_of(&kit, hot.sorted[2]), 'k');
    CHECK_EQ(hot.time_all, 2050);
    hot_free(&hot);
    kit_end(&kit);
}

TEST(addresses_of_processes_without_names_are_one)
{
    struct report_kit kit;
    struct hot hot;

    begin(&kit, &hot);
    CHECK_EQ(letter_of(&kit, hot.sorted[0]), '*');
    CHECK_EQ(hot.sorted[0]->amount.samples, 41);
    hot_free(&hot);
    kit_end(&kit);
}
