/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --diff with --flamegraph=FILE: a picture of what changed from one session to
 * another.  A frame is as wide as the larger of what it was and what it is, so
 * that what is gone is seen, too; its colour says whether it grew or shrank,
 * if that is beyond noise.
 */
#include "base/must.h"
#include "base/scope.h"
#include "report/model/diff.h"
#include "flame-svg.h"
#include "report/model/report.h"
#include "report/changes/diff-header.h"
#include "report/types/type-text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Classes of the style: grey, more in three steps, less in three steps. */
enum { CLASS_SAME = 6, CLASS_MORE = 7, CLASS_LESS = 10 };

#define WHOLE 1000000000.0 /* the length of all time of one side */

struct diff_flamegraph {
    const struct report *report;
    struct diff_tree diff;
    uint64_t *lengths; /* by node */
};

static const struct diff_node *picture_diff_node(const void *data,
                                                 uint32_t number)
{
    return diff_tree_node(&((const struct diff_flamegraph *)data)->diff,
                          number);
}

static uint32_t diff_node_children(const void *data, uint32_t node)
{
    return picture_diff_node(data, node)->count;
}

static uint32_t diff_node_child(const void *data, uint32_t node, uint32_t index)
{
    const struct diff_tree *diff =
        &((const struct diff_flamegraph *)data)->diff;

    return diff->children[diff_tree_node(diff, node)->first + index];
}

static uint64_t diff_node_length(const void *data, uint32_t node)
{
    return ((const struct diff_flamegraph *)data)->lengths[node];
}

static char *diff_node_name(const void *data, uint32_t number)
{
    const struct diff_tree *diff =
        &((const struct diff_flamegraph *)data)->diff;
    const struct diff_node *node = diff_tree_node(diff, number);
    uint32_t text = (uint32_t)node->key.value;

    if ( number == NODE_ROOT )
        return must(strdup("all"));
    if ( node->key.kind == NODE_FRAME )
        text = diff_tree_frame(diff, node->key.value)->text;
    return must(strdup(names_text(&diff->names.texts, text)));
}

static bool diff_node_absent(const void *data, uint32_t number)
{
    const struct diff_node *node = picture_diff_node(data, number);

    return node->key.kind == NODE_FRAME &&
           diff_tree_frame(&((const struct diff_flamegraph *)data)->diff,
                           node->key.value)
                   ->key.kind >= FRAME_TRUNCATED;
}

static unsigned int diff_node_colour(const void *data, uint32_t number)
{
    const struct change *change = &picture_diff_node(data, number)->change;

    double larger = fmax(change->before, change->after);
    double part = fabs(change->after - change->before) / larger;

    if ( !change->beyond )
        return CLASS_SAME;
    /* In three steps: how much of the larger side the change is. */
    return (change->after > change->before ? CLASS_MORE : CLASS_LESS) +
           (part < 0.25  ? 0
            : part < 0.6 ? 1
                         : 2);
}

static void put_diff_details(const void *data, uint32_t number, FILE *file)
{
    const struct diff_node *node = picture_diff_node(data, number);
    const struct change *change = &node->change;

    if ( node->key.kind == NODE_FRAME )
        fprintf(
            file, "%s, ",
            xenoprof_mode_name(
                diff_tree_frame(&((const struct diff_flamegraph *)data)->diff,
                                node->key.value)
                    ->key.mode));
    fprintf(file,
            "before %.2f %%, after %.2f %%, change %+.2f %% with an error of "
            "%.2f, %s noise",
            100 * change->before, 100 * change->after,
            100 * (change->after - change->before), 100 * change->error,
            change->beyond ? "beyond" : "within");
}

static void put_diff_line(const void *data, const struct flame *flame,
                          unsigned int at, FILE *file)
{
    const struct diff_flamegraph *picture = data;

    if ( at == 0 )
    {
        char *title SCOPE_FREE = diff_title(picture->report);

        flame_svg_text(title ? title : picture->report->name, file);
    }
    else if ( at == 1 )
    {
        fputs("Shares of ", file);
        if ( picture->diff.normalize == NORMALIZE_TIME )
        {
            fputs("all ", file);
            flame_svg_text(type_whole(picture->report->loaded), file);
        }
        else
            fputs("the samples that are shown", file);
        fputs(".  A frame is as wide as the larger of what it was and what it "
              "is; idle time is not drawn.",
              file);
    }
    else if ( at == 2 )
    {
        fprintf(file,
                "%zu of %zu changes are beyond noise (two-proportion z-test of "
                "samples, Benjamini-Hochberg at %.0f %%).",
                picture->diff.beyond, picture->diff.nodes.count - 1,
                100 * NOISE_RATE);
        flame_svg_hidden(flame, file);
    }
}

/* What is a domain's own and no frame's, of the idle vCPUs. */
static bool is_idle_diff_node(const struct diff_flamegraph *picture,
                              const struct diff_node *node)
{
    return node->key.kind == LABEL_DOMAIN &&
           !strcmp(names_text(&picture->diff.names.texts,
                              (uint32_t)node->key.value),
                   DOMAIN_IDLE_NAME);
}

/* Children come after their parents. */
static void find_lengths(struct diff_flamegraph *picture)
{
    const struct diff_tree *diff = &picture->diff;
    size_t count = diff->nodes.count;

    picture->lengths = must(calloc(count, sizeof(*picture->lengths)));
    for ( size_t i = count; i-- > 0; )
    {
        const struct diff_node *node = diff_tree_node(diff, (uint32_t)i);
        double larger = 0;

        for ( unsigned int side = 0; side < 2; side++ )
            larger = fmax(larger,
                          diff_share(&diff->whole[side], diff->normalize,
                                     &node->self[side]));
        if ( i == NODE_ROOT || !is_idle_diff_node(picture, node) )
            picture->lengths[i] += (uint64_t)llround(WHOLE * larger);
        if ( i != NODE_ROOT )
            picture->lengths[node->key.parent] += picture->lengths[i];
    }
}

static const struct flame_key change_keys[] = {{CLASS_MORE + 2, 66, "more"},
                                               {CLASS_LESS + 2, 58, "less"},
                                               {CLASS_SAME, 0, "within noise"},
                                               {0, 0, NULL}};

static const struct flame_svg diff_svg = {
    .look = {diff_node_children, diff_node_child, diff_node_length,
             diff_node_name, diff_node_colour, put_diff_details,
             diff_node_absent},
    .keys = change_keys,
    .line = put_diff_line,
};

static void print_diff_flamegraph(const struct report *report, FILE *file)
{
    struct diff_flamegraph picture = {.report = report};

    diff_tree_build(&picture.diff, report, &tree_by_domain,
                    report->query->normalize);
    find_lengths(&picture);
    flame_svg_put(&diff_svg, &picture, picture.diff.nodes.count,
                  report->options->icicle, file);
    free(picture.lengths);
    diff_tree_free(&picture.diff);
}

const struct view view_diff_flamegraph = {
    .print = print_diff_flamegraph,
    .stacks = true,
    .to_file = true,
};
