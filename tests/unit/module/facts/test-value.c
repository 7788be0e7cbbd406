/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module/facts/value.h"
#include "tests/harness.h"

static struct value_pool pool;

static void begin(void)
{
    value_pool_free(&pool);
    CHECK_EQ(value_pool_init(&pool), 0);
}

static value_id argument(int64_t number)
{
    return value_leaf(&pool, VALUE_ARGUMENT, number);
}

static value_id of(enum value_kind kind, value_id left, value_id right)
{
    return value_operation(&pool, kind, left, right);
}

TEST(constants_are_calculated_as_the_machine_does)
{
    static const struct {
        enum value_kind kind;
        int64_t left, right, result;
    } cases[] = {
        {VALUE_SUM, INT64_MAX, 1, INT64_MIN},
        {VALUE_DIFFERENCE, INT64_MIN, 1, INT64_MAX},
        {VALUE_AND, 0xff0, 0x3c, 0x30},
        {VALUE_OR, 0xf0, 0x0f, 0xff},
        {VALUE_XOR, -1, 1, -2},
        {VALUE_SHIFT_LEFT, 1, 63, INT64_MIN},
        {VALUE_SHIFT_LEFT, 1, 64, 1},
        {VALUE_SHIFT_RIGHT, -1, 60, 15},
        {VALUE_PRODUCT, INT64_MAX, 2, -2},
    };

    begin();
    for ( size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++ )
    {
        const struct value *got = value_get(
            &pool, of(cases[i].kind, value_constant(&pool, cases[i].left),
                      value_constant(&pool, cases[i].right)));

        CHECK_EQ(got->kind, VALUE_CONSTANT);
        CHECK_EQ(got->number, cases[i].result);
    }
}

/* Whatever the way to it, a sum has one shape. */
TEST(sums_have_one_shape)
{
    value_id a, b, wanted;
    int64_t number;

    begin();
    a = argument(1);
    b = argument(2);
    wanted = value_plus(&pool, of(VALUE_SUM, a, b), 12);
    CHECK(value_equal(
        &pool, wanted,
        of(VALUE_SUM, value_plus(&pool, a, 8), value_plus(&pool, b, 4))));
    CHECK(value_equal(
        &pool, wanted,
        of(VALUE_SUM, value_constant(&pool, 12), of(VALUE_SUM, a, b))));
    CHECK(value_equal(&pool, wanted,
                      of(VALUE_DIFFERENCE,
                         value_plus(&pool, of(VALUE_SUM, a, b), 20),
                         value_constant(&pool, 8))));
    CHECK_EQ(value_plus(&pool, value_plus(&pool, a, 8), -8), a);
    CHECK(value_equal(&pool, value_split(&pool, wanted, &number),
                      of(VALUE_SUM, a, b)));
    CHECK_EQ(number, 12);
    CHECK_EQ(value_split(&pool, value_constant(&pool, 7), &number), 0);
    CHECK_EQ(number, 7);
    CHECK_EQ(value_split(&pool, a, &number), a);
    CHECK_EQ(number, 0);
}

TEST(unknown_values_equal_nothing)
{
    begin();
    CHECK(!value_equal(&pool, 0, 0));
    CHECK_EQ(value_plus(&pool, 0, 8), 0);
    CHECK_EQ(value_load(&pool, 0, 8), 0);
    CHECK_EQ(of(VALUE_AND, 0, value_constant(&pool, 8)), 0);
    CHECK_EQ(of(VALUE_SUM, 0, 0), 0);
    /* What a known part is for shows in a sum, which equals nothing yet. */
    CHECK(of(VALUE_SUM, argument(1), 0));
    CHECK(!value_equal(&pool, of(VALUE_SUM, argument(1), 0),
                       of(VALUE_SUM, argument(1), 0)));
}

TEST(loads_differ_by_address_and_width)
{
    value_id one;

    begin();
    one = value_load(&pool, value_plus(&pool, argument(1), 8), 8);
    CHECK(value_equal(&pool, one,
                      value_load(&pool, value_plus(&pool, argument(1), 8), 8)));
    CHECK(!value_equal(
        &pool, one, value_load(&pool, value_plus(&pool, argument(1), 8), 4)));
    CHECK(!value_equal(
        &pool, one, value_load(&pool, value_plus(&pool, argument(1), 16), 8)));
    CHECK(!value_equal(
        &pool, one, value_load(&pool, value_plus(&pool, argument(2), 8), 8)));
}

TEST(stack_pointers_are_rounded_to_the_stacks_end)
{
    value_id here, end;

    begin();
    here = value_plus(&pool, value_leaf(&pool, VALUE_ENTRY_STACK, 0), -40);
    end = value_leaf(&pool, VALUE_STACK_END, 0);
    CHECK(value_equal(&pool, value_plus(&pool, end, -1),
                      of(VALUE_OR, here, value_constant(&pool, 0x7fff))));
    CHECK(value_equal(&pool, value_plus(&pool, end, -0x8000),
                      of(VALUE_AND, here, value_constant(&pool, -0x8000))));
    CHECK_EQ(
        value_get(&pool, of(VALUE_AND, here, value_constant(&pool, -0x1000)))
            ->kind,
        VALUE_AND);
    CHECK_EQ(value_get(&pool, of(VALUE_AND, argument(1),
                                 value_constant(&pool, -0x8000)))
                 ->kind,
             VALUE_AND);
}

/* value_equal() may visit 2^depth values: so deep, and no deeper. */
TEST(expressions_have_a_depth)
{
    value_id deep;
    unsigned int steps = 0;

    begin();
    deep = argument(1);
    for ( value_id next = deep; next; steps++ )
    {
        deep = next;
        next = of(VALUE_XOR, deep, deep);
    }
    CHECK_EQ(steps, 12);
    CHECK(value_equal(&pool, deep, deep));
}

TEST(values_are_forgotten_together)
{
    begin();
    CHECK(argument(1));
    value_pool_reset(&pool);
    CHECK_EQ(pool.count, 1);
    CHECK_EQ(value_get(&pool, 1)->kind, VALUE_UNKNOWN);
    CHECK_EQ(argument(1), 1);
}
