/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints needs in columns; details may have names that others chose. */
#include "answer.h"

#include "base/text.h"

void answer_say(struct answer *answer, bool fine, const char *detail)
{
    answer->fine = fine;
    snprintf(answer->detail, sizeof(answer->detail), "%s", detail);
}

void answer_print(const struct answer *answer, const char *need, FILE *out)
{
    fprintf(out, "%-17s %-4s ", need, answer->fine ? "yes" : "no");
    text_print(out, answer->detail, 0);
    fputc('\n', out);
}
