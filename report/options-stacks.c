/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options-stacks.h"

#include <stdlib.h>

#define DEPTH_MAX 100000

/* What popt fills in. */
static struct {
    char **focus;
    char **ignore;
    int max_depth;
    int stacks;
} raw;

const struct poptOption stack_option_table[] = {
    {"focus", 0, POPT_ARG_ARGV, &raw.focus, 0,
     "only stacks with a function of such a name; may be repeated", "REGEX"},
    {"ignore", 0, POPT_ARG_ARGV, &raw.ignore, 0,
     "no stacks with a function of such a name; may be repeated", "REGEX"},
    {"max-depth", 0, POPT_ARG_INT, &raw.max_depth, 0,
     "show that many callers or callees at most (default: all)", "FRAMES"},
    {"stacks", 0, POPT_ARG_NONE, &raw.stacks, 0,
     "call chains in the rows of --json", NULL},
    POPT_TABLEEND,
};

static enum exit_status take_patterns(struct focus *focus, enum focus_kind kind,
                                      char **texts, struct failure *failure)
{
    for ( size_t i = 0; texts && texts[i]; i++ )
        if ( focus_add(focus, kind, texts[i], failure) )
            return failure->status;
    return STATUS_DONE;
}

enum exit_status stack_options_take(struct stack_options *options,
                                    struct failure *failure)
{
    options->in_rows = raw.stacks;
    if ( raw.max_depth < 0 || raw.max_depth > DEPTH_MAX )
        return fail(failure, STATUS_RANGE,
                    "--max-depth: %d is out of range: give 1 to %d frames, "
                    "or 0 for all",
                    raw.max_depth, DEPTH_MAX);
    options->max_depth = (size_t)raw.max_depth;
    if ( take_patterns(&options->focus, FOCUS_ON, raw.focus, failure) )
        return failure->status;
    return take_patterns(&options->focus, FOCUS_IGNORE, raw.ignore, failure);
}

static void texts_free(char **texts)
{
    for ( size_t i = 0; texts && texts[i]; i++ )
        free(texts[i]);
    free(texts);
}

void stack_options_free(struct stack_options *options)
{
    focus_free(&options->focus);
    texts_free(raw.focus);
    texts_free(raw.ignore);
}

static bool is_part_of_frame(enum label label)
{
    return label == LABEL_IMAGE || label == LABEL_SYMBOL ||
           label == LABEL_ADDRESS;
}

struct label_list stack_groups(const struct label_list *sort, bool given)
{
    struct label_list groups = {.count = 0};

    if ( !given )
        groups.label[groups.count++] = LABEL_DOMAIN;
    for ( size_t i = 0; given && i < sort->count; i++ )
        if ( !is_part_of_frame(sort->label[i]) )
            groups.label[groups.count++] = sort->label[i];
    return groups;
}

enum frame_detail stack_detail(const struct label_list *sort)
{
    if ( label_list_has(sort, LABEL_ADDRESS) )
        return FRAMES_BY_ADDRESS;
    if ( label_list_has(sort, LABEL_IMAGE) &&
         !label_list_has(sort, LABEL_SYMBOL) )
        return FRAMES_BY_IMAGE;
    return FRAMES_BY_SYMBOL;
}
