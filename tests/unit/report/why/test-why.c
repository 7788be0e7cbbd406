/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/why/why.h"
#include "tests/unit/report/model/report-kit.h"

/* S is the scheduler, I do_iret, T a thunk; other letters are themselves. */
static void call_them(struct report_kit *kit)
{
    static const char *const names[][2] = {
        {"S", "schedule"}, {"I", "do_iret"}, {"T", "__x86_return_thunk"}};

    for ( size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++ )
    {
        const uint64_t number = (uint8_t)names[i][0][0];

        if ( table_find(&kit->loaded.places, &number) )
            kit_name(kit, number, names[i][1]);
    }
}

static void begin(struct report_kit *kit, struct why *why)
{
    kit_begin(kit);
    kit_samples(kit, KIT_WEB, "kSA", 30);
    kit_samples(kit, KIT_WEB, "kSB", 20);
    kit_samples(kit, KIT_WEB, "kSBT", 5);
    kit_samples(kit, KIT_WEB, "kSC", 7);
    kit_samples(kit, KIT_WEB, "kSD", 8);
    kit_samples(kit, KIT_DB, "kSA", 40);
    kit_samples(kit, KIT_DB, "kI", 10);
    kit_samples(kit, KIT_DB, "kX", 1);
    kit_samples(kit, KIT_DB, "kx", 100);
    kit_samples(kit, KIT_DB, "kIA", 3)->dropped = true;
    call_them(kit);
    kit_build(kit);
    why_build(why, &kit->loaded, &kit->stacks);
}

static void end(struct report_kit *kit, struct why *why)
{
    why_free(why);
    kit_end(kit);
}

TEST(sums_are_of_xen_and_of_what_is_shown)
{
    struct report_kit kit;
    struct why why;

    begin(&kit, &why);
    CHECK_EQ(why.xen.samples, 121);
    CHECK_EQ(why.xen.time, 1210);
    CHECK_EQ(why.known.samples, 120);
    CHECK_EQ(why.shown.samples, 221);
    CHECK_EQ(why.time_all, 2240);
    end(&kit, &why);
}

TEST(reasons_are_sorted_and_their_rows)
{
    struct report_kit kit;
    struct why why;

    begin(&kit, &why);
    CHECK_EQ(why.reasons, 3);
    CHECK_EQ(why.order[0], REASON_scheduler);
    CHECK_EQ(why.by_reason[REASON_scheduler].samples, 110);
    CHECK_EQ(why.order[1], REASON_hypercall_iret);
    CHECK_EQ(why.order[2], REASON_none);
    CHECK_EQ(why.rows.count, 4);
    CHECK_EQ(why.sorted[0]->key.domain, KIT_WEB);
    CHECK_EQ(why.sorted[0]->amount.samples, 70);
    CHECK_EQ(why.sorted[1]->key.domain, KIT_DB);
    CHECK_EQ(why.sorted[2]->key.reason, REASON_hypercall_iret);
    CHECK_EQ(why.sorted[3]->key.reason, REASON_none);
    end(&kit, &why);
}

static char letter_of(const struct report_kit *kit,
                      const struct why_function *function)
{
    return function ? kit_letter(
                          kit, stacks_frame(&kit->stacks, function->key.frame))
                    : '-';
}

TEST(a_row_has_its_hottest_functions)
{
    struct report_kit kit;
    struct why why;

    begin(&kit, &why);
    CHECK_EQ(letter_of(&kit, why.sorted[0]->top[0]), 'A');
    CHECK_EQ(letter_of(&kit, why.sorted[0]->top[1]), 'B');
    CHECK_EQ(why.sorted[0]->top[1]->amount.samples, 25); /* with its thunk */
    CHECK_EQ(letter_of(&kit, why.sorted[0]->top[2]), 'D');
    CHECK_EQ(letter_of(&kit, why.sorted[1]->top[0]), 'A');
    CHECK_EQ(letter_of(&kit, why.sorted[1]->top[1]), '-');
    end(&kit, &why);
}
