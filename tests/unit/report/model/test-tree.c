/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/model/children.h"
#include "report-kit.h"

#include <stdio.h>
#include <stdlib.h>

static const struct tree_plan by_domain = {
    .order = TREE_CALLEES,
    .groups = {.label = {LABEL_DOMAIN}, .count = 1},
};

/* "a5(b3c1)": each node's name and samples, with its children in brackets. */
static void write_node(const struct report_kit *kit, const struct tree *tree,
                       uint32_t number, FILE *file)
{
    const struct node *node = tree_node(tree, number);

    if ( node->key.kind == NODE_FRAME )
        fputc(kit_letter(kit,
                         stacks_frame(&kit->stacks, (uint32_t)node->key.value)),
              file);
    else if ( number != NODE_ROOT )
        fprintf(
            file, "%s",
            (const char *[]){"other", "idle", "web", "db"}[node->key.value]);
    fprintf(file, "%d", (int)node->total.samples);
    CHECK_EQ(node->total.time, 10 * node->total.samples);
    for ( uint32_t i = 0; i < tree_children(tree, node); i++ )
    {
        fputc(i ? ' ' : '(', file);
        write_node(kit, tree, tree_child(tree, node, i), file);
    }
    if ( tree_children(tree, node) )
        fputc(')', file);
}

static void check_tree(struct report_kit *kit, const struct tree_plan *plan,
                       const char *wanted)
{
    struct tree tree;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    CHECK(file);
    tree_build(&tree, &kit->loaded, &kit->stacks, plan);
    write_node(kit, &tree, NODE_ROOT, file);
    fclose(file);
    CHECK_TEXT(text, wanted);
    free(text);
    tree_free(&tree);
}

static void begin_usual(struct report_kit *kit)
{
    kit_begin(kit);
    kit_samples(kit, KIT_WEB, "1abX", 3);
    kit_samples(kit, KIT_WEB, "1ab", 2);
    kit_samples(kit, KIT_WEB, "1ac", 4);
    kit_samples(kit, KIT_DB, "1ab", 1);
    kit_build(kit);
}

TEST(tree_merges_from_the_root)
{
    struct report_kit kit;

    begin_usual(&kit);
    check_tree(&kit, &by_domain, "10(web9(19(a9(b5(X3) c4))) db1(11(a1(b1))))");
    kit_end(&kit);
}

TEST(tree_without_groups_merges_all)
{
    const struct tree_plan plan = {.order = TREE_CALLEES};
    struct report_kit kit;

    begin_usual(&kit);
    check_tree(&kit, &plan, "10(110(a10(b6(X3) c4)))");
    kit_end(&kit);
}

TEST(tree_of_callers_goes_from_the_leaves)
{
    const struct tree_plan plan = {.order = TREE_CALLERS};
    struct report_kit kit;

    begin_usual(&kit);
    check_tree(&kit, &plan, "10(c4(a4(14)) X3(b3(a3(13))) b3(a3(13)))");
    kit_end(&kit);
}

TEST(tree_leaves_out_what_is_dropped)
{
    struct tree tree;
    struct report_kit kit;

    begin_usual(&kit);
    ((struct cell *)table_at(&kit.loaded.cells, 0))->dropped = true;
    check_tree(&kit, &by_domain, "7(web6(16(a6(c4 b2))) db1(11(a1(b1))))");
    tree_build(&tree, &kit.loaded, &kit.stacks, &by_domain);
    CHECK_EQ(tree.time_all, 100);
    tree_free(&tree);
    kit_end(&kit);
}

/* Frames' numbers by letter. */
static bool *pivots_at(const struct report_kit *kit, char letter)
{
    bool *pivots = calloc(kit->stacks.frames.count, sizeof(*pivots));

    CHECK(pivots);
    for ( size_t i = 0; i < kit->stacks.frames.count; i++ )
        pivots[i] = kit_letter(kit, stacks_frame(&kit->stacks, (uint32_t)i)) ==
                    letter;
    return pivots;
}

TEST(tree_about_one_function_counts_each_sample_once)
{
    struct tree_plan plan = {.order = TREE_CALLEES};
    bool *pivots;
    struct report_kit kit;

    kit_begin(&kit);
    kit_samples(&kit, KIT_WEB, "1aba", 3); /* calls itself */
    kit_samples(&kit, KIT_WEB, "2ac", 2);
    kit_samples(&kit, KIT_WEB, "2c", 7); /* has none */
    kit_build(&kit);
    plan.pivots = pivots = pivots_at(&kit, 'a');
    check_tree(&kit, &plan, "5(a5(b3(a3) c2))");
    plan.order = TREE_CALLERS;
    check_tree(&kit, &plan, "5(a5(13 22))");
    free(pivots);
    kit_end(&kit);
}

TEST(tree_has_idle_and_other_as_leaves)
{
    struct report_kit kit;

    kit_begin(&kit);
    kit_cell(&kit,
             (struct cell_key){.domain = DOMAIN_INDEX_IDLE,
                               .mode = XENOPROF_MODE_IDLE},
             2);
    kit_cell(&kit, (struct cell_key){.domain = DOMAIN_INDEX_OTHER}, 1);
    kit_samples(&kit, DOMAIN_INDEX_IDLE, "X", 1);
    kit_build(&kit);
    check_tree(&kit, &by_domain, "4(idle3(X1) other1)");
    kit_end(&kit);
}

/* A level for what is known, and none for the idle domain. */
TEST(tree_by_labels_is_bare)
{
    const struct label_list groups = {.label = {LABEL_COMM, LABEL_DOMAIN},
                                      .count = 2};
    const struct tree_plan plan = tree_by_labels(&groups);

    CHECK(plan.bare);
    CHECK_EQ(plan.groups.count, 2);
    CHECK_EQ(plan.groups.label[0], LABEL_DOMAIN);
    CHECK_EQ(plan.groups.label[1], LABEL_COMM);
}

TEST(tree_of_nothing_is_its_root)
{
    struct report_kit kit;

    kit_begin(&kit);
    kit_build(&kit);
    check_tree(&kit, &by_domain, "0");
    kit_end(&kit);
}

/* Rows as "a9/2": total and self, in their order. */
static void check_children(struct report_kit *kit, const char *wanted)
{
    static const struct label_list none = {.count = 0};
    struct children children;
    char text[128] = "";

    children_build(&children, &kit->loaded, &kit->stacks, &none);
    for ( size_t i = 0; i < children.rows.count; i++ )
    {
        const struct child_row *row = children.sorted[i];
        char letter = row->key.frame
                          ? kit_letter(
                                kit, stacks_frame(&kit->stacks,
                                                  (uint32_t)row->key.frame - 1))
                          : '.';

        sprintf(text + strlen(text), "%s%c%d/%d", i ? " " : "", letter,
                (int)row->total.samples, (int)row->self.samples);
    }
    CHECK_TEXT(text, wanted);
    children_free(&children);
}

TEST(children_count_a_function_once_a_stack)
{
    struct report_kit kit;

    kit_begin(&kit);
    kit_samples(&kit, KIT_WEB, "1aba", 3); /* calls itself */
    kit_samples(&kit, KIT_WEB, "1ac", 2);
    kit_samples(&kit, KIT_WEB, "1a", 1);
    kit_cell(&kit, (struct cell_key){.domain = DOMAIN_INDEX_OTHER}, 7);
    kit_build(&kit);
    check_children(&kit, ".7/7 a6/4 16/0 b3/0 c2/2");
    kit_end(&kit);
}
