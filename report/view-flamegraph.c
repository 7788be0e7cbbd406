/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --flamegraph=FILE: one picture of all call chains, domain by domain.
 */
#include "flame-svg.h"
#include "options.h"

static bool put(const struct report *report, const struct tree *tree,
                FILE *file)
{
    struct flame flame;
    struct frame_texts texts;
    struct flame_svg svg = {.report = report,
                            .flame = &flame,
                            .texts = &texts,
                            .icicle = report->options->icicle};
    bool named = frame_texts_init(&texts, report->recording, report->stacks);
    bool done = flame_build(&flame, report, tree, FLAME_SVG_PART) && named &&
                flame_svg_put(&svg, file);

    flame_free(&flame);
    frame_texts_free(&texts);
    return done;
}

bool view_flamegraph(const struct report *report, FILE *file)
{
    const struct tree_plan plan = {
        .order = TREE_CALLEES,
        .groups = {.label = {LABEL_DOMAIN}, .count = 1},
    };
    struct tree tree;
    bool done = tree_build(&tree, report->recording, report->stacks, &plan) &&
                put(report, &tree, file);

    tree_free(&tree);
    return done;
}
