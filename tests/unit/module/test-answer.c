/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of --check: its rows, and what it ends with. */
#include <stdlib.h>
#include <string.h>

#include "module/answer.h"
#include "tests/harness.h"

#define END "xenopctl --record=10 --passive-domains=all is a first look.\n"

/* A list of two rows; the second is a note or a lack, if it is not fine. */
static char *list(bool fine, bool advice, size_t width)
{
    const struct answer rows[] = {
        {.fine = true, .detail = "4.17.7"},
        {.fine = fine,
         .advice = advice,
         .detail = "guests have the counters, so it is refused"},
    };
    char *text;
    size_t size;
    struct answer_list answers = {.out = open_memstream(&text, &size),
                                  .width = width};

    CHECK(answers.out);
    answer_print(&answers, &rows[0], "Xen");
    answer_print(&answers, &rows[1], "--event");
    answers_conclude(&answers);
    CHECK_EQ(answers.missing, !fine && !advice);
    CHECK_EQ(answers.notes, !fine && advice);
    fclose(answers.out);
    return text;
}

TEST(a_good_host_can_be_profiled)
{
    char *text = list(true, true, 0);

    CHECK_TEXT(text, "Xen               yes  4.17.7\n"
                     "--event           yes  guests have the counters, so it "
                     "is refused\n"
                     "\nThis host can be profiled: " END);
    free(text);
}

TEST(a_limit_is_a_note)
{
    char *text = list(false, true, 0);

    CHECK(strstr(text, "\n--event           note guests"));
    CHECK(strstr(text,
                 "\n\nThis host can be profiled, with 1 limit (note): " END));
    free(text);
}

TEST(what_is_missing_is_left_to_the_failure)
{
    char *text = list(false, false, 0);

    CHECK(strstr(text, "\n--event           no   guests"));
    CHECK(!strstr(text, "profiled"));
    free(text);
}

TEST(lines_go_on_below_themselves_on_a_terminal)
{
    char *text = list(false, true, 50);

    CHECK(strstr(text, "note guests have the counters,\n"
                       "                       so it is refused\n"));
    free(text);
}
