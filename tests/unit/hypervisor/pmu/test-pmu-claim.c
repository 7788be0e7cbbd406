/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/pmu/pmu-claim.h"
#include "tests/harness.h"

/* overflowed, armed, status, due, asked, may_follow */
static const struct {
    struct pmi_signs signs;
    struct pmi_verdict verdict;
} cases[] = {
    /* Nothing of ours: others must see it. */
    {{0, 0, false, false, false, false}, {PMI_PASS, PMI_FOLLOWS_NOT}},
    {{0, 4, true, false, false, false}, {PMI_PASS, PMI_FOLLOWS_NOT}},
    {{0, 4, false, false, false, false}, {PMI_PASS, PMI_FOLLOWS_NOT}},
    /* One overflow, with and without a status register. */
    {{1, 1, true, false, false, false}, {PMI_CLAIM, PMI_FOLLOWS_NOT}},
    {{1, 4, true, false, false, false}, {PMI_CLAIM, PMI_FOLLOWS_NOT}},
    {{1, 1, false, false, false, false}, {PMI_CLAIM, PMI_FOLLOWS_NOT}},
    {{1, 2, false, false, false, false}, {PMI_CLAIM, PMI_FOLLOWS_LATE}},
    /* Two at one NMI. */
    {{2, 2, true, false, false, false}, {PMI_CLAIM, PMI_FOLLOWS_SOON}},
    {{2, 2, false, false, false, false}, {PMI_CLAIM, PMI_FOLLOWS_LATE}},
    /* What may follow is used up by what has no cause itself, and waited for
     * anew behind what has one. */
    {{1, 4, true, false, false, true}, {PMI_CLAIM, PMI_FOLLOWS_SOON}},
    {{0, 4, true, false, false, true}, {PMI_SWALLOW, PMI_FOLLOWS_ONE_LESS}},
    {{0, 4, false, false, false, true}, {PMI_SWALLOW, PMI_FOLLOWS_ONE_LESS}},
    {{0, 0, true, false, false, true}, {PMI_SWALLOW, PMI_FOLLOWS_ONE_LESS}},
    /* The watchdog sees each of its ticks, and nothing else. */
    {{0, 2, true, true, false, false}, {PMI_PASS, PMI_FOLLOWS_NOT}},
    {{0, 2, true, true, false, true}, {PMI_PASS, PMI_FOLLOWS_SOON}},
    {{1, 2, true, true, false, false}, {PMI_PASS_BOTH, PMI_FOLLOWS_SOON}},
    {{1, 2, false, true, false, false}, {PMI_PASS_BOTH, PMI_FOLLOWS_LATE}},
    /* The module goes: what it asked for is its own. */
    {{0, 2, true, false, true, false}, {PMI_CLAIM, PMI_FOLLOWS_NOT}},
    {{0, 2, true, false, true, true}, {PMI_CLAIM, PMI_FOLLOWS_SOON}},
    {{0, 2, true, true, true, false}, {PMI_PASS_BOTH, PMI_FOLLOWS_NOT}},
    {{1, 2, true, false, true, false}, {PMI_CLAIM, PMI_FOLLOWS_NOT}},
};

TEST(pmi_is_whose)
{
    for ( unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++ )
    {
        struct pmi_verdict got = pmi_claim(&cases[i].signs);

        CHECK_EQ(got.claim, cases[i].verdict.claim);
        CHECK_EQ(got.follows, cases[i].verdict.follows);
    }
}

/* All there are: what the watchdog is due is never kept from it, and an NMI
 * without any sign is never claimed. */
TEST(pmi_rules_hold_for_all_signs)
{
    for ( unsigned int bits = 0; bits < 3 * 3 * 16; bits++ )
    {
        struct pmi_signs signs = {
            .overflowed = bits % 3,
            .armed = bits / 3 % 3,
            .status = bits / 9 & 1,
            .due = bits / 9 & 2,
            .asked = bits / 9 & 4,
            .may_follow = bits / 9 & 8,
        };
        enum pmi_claim claim = pmi_claim(&signs).claim;
        bool passed = claim == PMI_PASS || claim == PMI_PASS_BOTH;

        CHECK(passed || !signs.due);
        CHECK(passed || signs.overflowed || signs.asked || signs.may_follow);
        CHECK(!passed || signs.due || !(signs.overflowed || signs.asked));
    }
}
