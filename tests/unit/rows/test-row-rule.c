/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rules somebody else may send. */
#include "rows/row-rule.h"
#include "tests/harness.h"

static bool sound(struct row_rule rule)
{
    return row_rule_sound(&rule);
}

TEST(kinds)
{
    for ( int kind = 0; kind < 256; kind++ )
        CHECK_EQ(sound((struct row_rule){.kind = (uint8_t)kind}),
                 kind < RULE_KINDS);
}

TEST(what_a_kind_does_not_use_is_0)
{
    CHECK(!sound((struct row_rule){.kind = RULE_NONE, .offset = 8}));
    CHECK(!sound((struct row_rule){.kind = RULE_ROOT, .bp = SAVED_LOST}));
    CHECK(sound((struct row_rule){.kind = RULE_SIGNAL, .offset = 160}));
    CHECK(!sound((struct row_rule){.kind = RULE_SIGNAL, .bx_offset = 8}));
    CHECK(!sound((struct row_rule){.kind = RULE_SP, .extra = 1}));
    CHECK(!sound((struct row_rule){.kind = RULE_BP, .extra = 1}));
    CHECK(!sound((struct row_rule){.kind = RULE_PLT, .offset = 8}));
    CHECK(!sound((struct row_rule){.kind = RULE_SP, .bp_offset = 8}));
    CHECK(!sound(
        (struct row_rule){.kind = RULE_SP, .bx = SAVED_LOST, .bx_offset = 8}));
}

TEST(registers)
{
    for ( int number = 0; number < 256; number++ )
        CHECK_EQ(sound((struct row_rule){.kind = RULE_REGISTER,
                                         .extra = (uint8_t)number}),
                 number < 16 && number != ROW_SP && number != ROW_BP);
    CHECK(sound((struct row_rule){.kind = RULE_PLT, .extra = 15}));
    CHECK(!sound((struct row_rule){.kind = RULE_PLT, .extra = 16}));
    CHECK(sound((struct row_rule){.kind = RULE_AT_SP, .extra = 255}));
    CHECK(sound((struct row_rule){.kind = RULE_AT_BP, .offset = INT16_MIN}));
}

TEST(saved)
{
    for ( int way = 0; way < 256; way++ )
    {
        CHECK_EQ(sound((struct row_rule){.kind = RULE_SP, .bp = (uint8_t)way}),
                 way < SAVED_WAYS);
        CHECK_EQ(sound((struct row_rule){.kind = RULE_SP, .bx = (uint8_t)way}),
                 way < SAVED_WAYS);
    }
}
