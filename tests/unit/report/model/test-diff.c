/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/model/diff-rows.h"
#include "report-kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct pair {
    struct report_kit before, after;
    struct report reports[2];
};

static void pair_begin(struct pair *pair)
{
    kit_begin(&pair->before);
    kit_begin(&pair->after);
}

static void pair_build(struct pair *pair)
{
    kit_build(&pair->before);
    kit_build(&pair->after);
    pair->reports[0] = (struct report){.loaded = &pair->before.loaded,
                                       .stacks = &pair->before.stacks};
    pair->reports[1] = (struct report){.loaded = &pair->after.loaded,
                                       .stacks = &pair->after.stacks,
                                       .base = &pair->reports[0]};
}

static void pair_end(struct pair *pair)
{
    kit_end(&pair->before);
    kit_end(&pair->after);
}

/* "a1>3(b0>2)": samples before and after; '*' if beyond noise. */
static void write_node(const struct diff_tree *diff, uint32_t number,
                       FILE *file)
{
    const struct diff_node *node = diff_tree_node(diff, number);

    if ( node->key.kind == NODE_FRAME )
        fputs(names_text(&diff->names.texts,
                         diff_tree_frame(diff, node->key.value)->text),
              file);
    else if ( number != NODE_ROOT )
        fputs(names_text(&diff->names.texts, (uint32_t)node->key.value), file);
    fprintf(file, "%d>%d%s", (int)node->total[0].samples,
            (int)node->total[1].samples, node->change.beyond ? "*" : "");
    for ( uint32_t i = 0; i < node->count; i++ )
    {
        fputc(i ? ' ' : '(', file);
        write_node(diff, diff->children[node->first + i], file);
    }
    if ( node->count )
        fputc(')', file);
}

static void check_tree(struct pair *pair, const char *wanted)
{
    struct diff_tree diff;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    CHECK(file);
    diff_tree_build(&diff, &pair->reports[1], &tree_by_domain,
                    NORMALIZE_SAMPLES);
    write_node(&diff, NODE_ROOT, file);
    fclose(file);
    CHECK_TEXT(text, wanted);
    free(text);
    diff_tree_free(&diff);
}

TEST(diff_tree_merges_by_name)
{
    struct pair pair;

    pair_begin(&pair);
    /* So that names have other numbers on the two sides. */
    kit_place(&pair.after, 'z');
    kit_samples(&pair.before, KIT_WEB, "1ab", 600);
    kit_samples(&pair.before, KIT_WEB, "1ac", 400);
    kit_samples(&pair.after, KIT_WEB, "1ac", 410);
    kit_samples(&pair.after, KIT_WEB, "1ab", 490);
    kit_samples(&pair.after, KIT_WEB, "1ad", 100);
    pair_build(&pair);
    check_tree(&pair, "1000>1000(web1000>1000(11000>1000(a1000>1000(b600>490* "
                      "d0>100* c400>410))))");
    pair_end(&pair);
}

TEST(diff_tree_keeps_what_one_side_lacks)
{
    struct pair pair;

    pair_begin(&pair);
    kit_samples(&pair.before, KIT_DB, "1", 50);
    kit_samples(&pair.after, KIT_WEB, "a", 50);
    pair_build(&pair);
    check_tree(&pair, "50>50(db50>0*(150>0*) web0>50*(a0>50*))");
    pair_end(&pair);
}

/* A domain's number means nothing in another session. */
TEST(diff_tree_knows_domains_by_name)
{
    struct pair pair;

    pair_begin(&pair);
    ((struct loaded_domain *)table_at(&pair.after.loaded.domains, KIT_WEB))
        ->key.number = 77;
    kit_samples(&pair.before, KIT_WEB, "a", 5);
    kit_samples(&pair.after, KIT_WEB, "a", 5);
    pair_build(&pair);
    check_tree(&pair, "5>5(web5>5(a5>5))");
    pair_end(&pair);
}

static char *symbol_text(const struct report *report,
                         const struct profile *profile, const struct row *row,
                         enum label label)
{
    (void)profile;
    return label_text(report->loaded, label, row->key.value[label],
                      row->key.unnamed);
}

static const struct diff_row *find_row(const struct diff_rows *diff,
                                       const char *symbol)
{
    for ( size_t i = 0; i < diff->rows.count; i++ )
        if ( !strcmp(names_text(&diff->texts,
                                diff->sorted[i]->key.text[LABEL_SYMBOL]),
                     symbol) )
            return diff->sorted[i];
    test_fail(__FILE__, __LINE__, "no row %s", symbol);
}

static void check_share(double got, double wanted)
{
    CHECK(fabs(got - wanted) < 1e-9);
}

/* A session that is twice as long is not a change; half of the time idle is a
 * change in shares of time. */
TEST(diff_rows_are_shares)
{
    static const struct label_list labels = {.label = {LABEL_SYMBOL},
                                             .count = 1};
    struct diff_rows diff;
    struct pair pair;

    pair_begin(&pair);
    kit_samples(&pair.before, KIT_WEB, "a", 300);
    kit_samples(&pair.before, KIT_WEB, "b", 100);
    kit_samples(&pair.after, KIT_WEB, "a", 600);
    kit_samples(&pair.after, KIT_WEB, "b", 200);
    kit_cell(&pair.after,
             (struct cell_key){.domain = DOMAIN_INDEX_IDLE,
                               .mode = XENOPROF_MODE_IDLE},
             0)
        ->time = 8000;
    pair_build(&pair);
    diff_rows_build(&diff, &pair.reports[1], &labels, symbol_text,
                    NORMALIZE_SAMPLES);
    check_share(find_row(&diff, "a")->change.before, 0.75);
    check_share(find_row(&diff, "a")->change.after, 0.75);
    CHECK_EQ(diff.beyond, 0);
    diff_rows_free(&diff);
    diff_rows_build(&diff, &pair.reports[1], &labels, symbol_text,
                    NORMALIZE_TIME);
    check_share(find_row(&diff, "a")->change.before, 0.75);
    check_share(find_row(&diff, "a")->change.after, 0.375);
    check_share(find_row(&diff, "-")->change.after, 0.5);
    CHECK_EQ(diff.beyond, 3);
    check_share(diff.whole[1].looks, 1600);
    diff_rows_free(&diff);
    pair_end(&pair);
}
