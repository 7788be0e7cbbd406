/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/wrong-option.h"
#include "tests/harness.h"

static int number;
static const struct poptOption inner[] = {
    {"callgraph", 0, POPT_ARG_NONE, NULL, 0, "", NULL},
    POPT_TABLEEND,
};
static const struct poptOption table[] = {
    {"start", 0, POPT_ARG_NONE, NULL, 0, "", NULL},
    {"frequency", 'f', POPT_ARG_INT, &number, 0, "", "HZ"},
    {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)inner, 0, "", NULL},
    POPT_TABLEEND,
};

/* What is said of one argument. */
static const char *said(const char *argument)
{
    static struct failure failure;
    const char *arguments[] = {"tool", argument, NULL};
    poptContext context = options_with_help(
        poptGetContext("tool", 2, arguments, table, 0));
    int code = poptGetNextOpt(context);

    failure = (struct failure){0};
    if ( code < -1 )
        CHECK_EQ(fail_option(&failure, "tool", context, table, code),
                 STATUS_USAGE);
    else
        CHECK_EQ(fail_stray_word(&failure, "tool", poptPeekArg(context), table),
                 STATUS_USAGE);
    poptFreeContext(context);
    return failure.text;
}

TEST(a_misspelled_option_is_answered_with_the_one_meant)
{
    CHECK_TEXT(said("--freqency=99"),
               "--freqency=99: unknown option; did you mean --frequency?");
    CHECK_TEXT(said("--callgraf"),
               "--callgraf: unknown option; did you mean --callgraph?");
    CHECK_TEXT(said("start"), "unknown option 'start'; did you mean --start?");
}

TEST(what_is_like_no_option_is_answered_with_help)
{
    CHECK_TEXT(said("--else"), "--else: unknown option; see tool --help");
    CHECK_TEXT(said("-x"), "-x: unknown option; see tool --help");
    CHECK_TEXT(said("else"), "unknown option 'else'; see tool --help");
    CHECK_TEXT(said("--frequency=x"),
               "--frequency=x: invalid numeric value; see tool --help");
}
