/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints needs in columns; details may have names that others chose. */
#include "answer.h"

#include <stdlib.h>

#include "base/scope.h"
#include "base/text.h"
#include "base/wrap.h"

#define INDENT 23u /* columns before a detail */

void answer_say(struct answer *answer, bool fine, const char *detail)
{
    answer->fine = fine;
    snprintf(answer->detail, sizeof(answer->detail), "%s", detail);
}

void answer_print(struct answer_list *answers, const struct answer *answer,
                  const char *need)
{
    char *clean SCOPE_FREE = text_clean(answer->detail);

    fprintf(answers->out, "%-17s %-4s ", need,
            answer->fine     ? "yes"
            : answer->advice ? "note"
                             : "no");
    if ( clean )
        wrap_print(answers->out, clean, INDENT, answers->width);
    fputc('\n', answers->out);
    answers->notes += !answer->fine && answer->advice;
    answers->missing += !answer->fine && !answer->advice;
}

void answers_conclude(const struct answer_list *answers)
{
    static const char *const how = "xenopctl --record=10 "
                                   "--passive-domains=all is a first look";

    if ( answers->missing )
        return;
    fputs("\nThis host can be profiled", answers->out);
    if ( answers->notes )
        fprintf(answers->out, ", with %u limit%s (note)", answers->notes,
                answers->notes > 1 ? "s" : "");
    fprintf(answers->out, ": %s.\n", how);
}
