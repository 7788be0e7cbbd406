/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part by part, a tree is what it is as a whole. */
#include "report/cells/tree-turns.h"
#include "tests/unit/report/model/report-kit.h"

#define MANY 100u /* chains, so that a domain may have few of them */

static void check_same(const struct tree *left, uint32_t a,
                       const struct tree *right, uint32_t b)
{
    const struct node *x = tree_node(left, a), *y = tree_node(right, b);

    CHECK_EQ(x->key.kind, y->key.kind);
    CHECK_EQ(x->key.value, y->key.value);
    CHECK_EQ(x->total.samples, y->total.samples);
    CHECK_EQ(x->total.time, y->total.time);
    CHECK_EQ(tree_children(left, x), tree_children(right, y));
    for ( uint32_t i = 0; i < tree_children(left, x); i++ )
        check_same(left, tree_child(left, x, i), right,
                   tree_child(right, y, i));
}

static void check_turn(const struct tree_turns *turns, const struct tree *whole,
                       uint32_t index)
{
    const struct node *root = tree_node(&turns->groups, NODE_ROOT);
    struct tree part;

    tree_turn(turns, tree_child(&turns->groups, root, index), &part);
    root = tree_node(&part, NODE_ROOT);
    CHECK_EQ(tree_children(&part, root), 1);
    CHECK_EQ(part.time_all, whole->time_all);
    check_same(&part, tree_child(&part, root, 0), whole,
               tree_child(whole, tree_node(whole, NODE_ROOT), index));
    tree_free(&part);
}

static void check_turns(const struct report_kit *kit,
                        const struct tree_plan *plan, uint32_t groups)
{
    struct tree_turns turns;
    struct tree whole;

    tree_build(&whole, &kit->loaded, &kit->stacks, plan);
    tree_turns_init(&turns, &kit->loaded, &kit->stacks, plan);
    CHECK_EQ(turns.groups.nodes.count, groups + 1);
    CHECK_EQ(turns.groups.time_all, whole.time_all);
    CHECK_EQ(tree_node(&turns.groups, NODE_ROOT)->total.samples,
             tree_node(&whole, NODE_ROOT)->total.samples);
    CHECK_EQ(tree_children(&whole, tree_node(&whole, NODE_ROOT)), groups);
    for ( uint32_t i = 0; i < groups; i++ )
        check_turn(&turns, &whole, i);
    tree_turns_free(&turns);
    tree_free(&whole);
}

/* Domains by turns, with samples in idle and others', and one that a filter
 * turned down. */
static void begin_usual(struct report_kit *kit)
{
    kit_begin(kit);
    kit_samples(kit, KIT_WEB, "1abX", 3);
    kit_samples(kit, KIT_DB, "1ab", 7);
    kit_samples(kit, KIT_WEB, "1ab", 2);
    kit_cell(kit, (struct cell_key){.domain = DOMAIN_INDEX_OTHER}, 1);
    kit_samples(kit, KIT_WEB, "1ac", 4);
    kit_samples(kit, KIT_DB, "?-", 1)->key.vcpu = 1;
    kit_samples(kit, DOMAIN_INDEX_IDLE, "X", 1);
    kit_samples(kit, KIT_DB, "1acd", 5)->dropped = true;
    kit_build(kit);
}

TEST(parts_of_a_tree_are_those_of_the_whole)
{
    static const enum tree_order orders[] = {TREE_CALLEES, TREE_CALLERS};
    struct report_kit kit;

    begin_usual(&kit);
    for ( size_t i = 0; i < 2; i++ )
    {
        struct tree_plan plan = {.order = orders[i],
                                 .groups = {.label = {LABEL_DOMAIN}}};

        plan.groups.count = 1;
        check_turns(&kit, &plan, 4);
        plan.groups.label[plan.groups.count++] = LABEL_VCPU;
        check_turns(&kit, &plan, 4);
    }
    kit_end(&kit);
}

TEST(a_part_of_few_of_the_chains_is_the_same)
{
    const struct tree_plan plan = {
        .groups = {.label = {LABEL_DOMAIN}, .count = 1}};
    struct report_kit kit;

    kit_begin(&kit);
    for ( unsigned int i = 0; i < MANY; i++ )
    {
        const char names[] = {(char)('a' + i % 10), (char)('A' + i / 10), '\0'};

        kit_samples(&kit, KIT_WEB, names, 1 + i % 7);
    }
    kit_samples(&kit, KIT_DB, "aA", 3);
    kit_build(&kit);
    check_turns(&kit, &plan, 2);
    kit_end(&kit);
}

TEST(what_is_empty_has_no_parts)
{
    const struct tree_plan plan = {
        .groups = {.label = {LABEL_DOMAIN}, .count = 1}};
    struct report_kit kit;

    kit_begin(&kit);
    kit_build(&kit);
    check_turns(&kit, &plan, 0);
    kit_end(&kit);
}
