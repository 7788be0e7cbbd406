/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of statuses; the first that has one says what it means. */
#include "http-answer.h"

#include <stddef.h>

static const struct answer_row {
    long first, last;
    enum answer answer;
    const char *text;
} rows[] = {
    {200, 299, ANSWER_TAKEN, "taken"},
    {300, 399, ANSWER_WRONG,
     "it redirects elsewhere, which is not followed, since what it is told is "
     "secret: give the URL that it redirects to"},
    {401, 401, ANSWER_WRONG,
     "it does not accept who this is: see token, user and password in the "
     "configuration"},
    {403, 403, ANSWER_WRONG,
     "it does not allow this: see token, user and tenant in the configuration"},
    {404, 405, ANSWER_WRONG, "it takes no profiles there: see the URL"},
    {407, 407, ANSWER_WRONG, "a proxy wants to know who this is"},
    {408, 408, ANSWER_LATER, "it waited too long"},
    {425, 425, ANSWER_LATER, "it is too early"},
    {429, 429, ANSWER_LATER, "it has too much to do"},
    {413, 413, ANSWER_REFUSED, "the window is too large for it"},
    {400, 499, ANSWER_REFUSED, "it does not take such a window"},
    {500, 599, ANSWER_LATER, "it is in trouble"},
};

static const struct answer_row *row_of(long status)
{
    for ( size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++ )
        if ( status >= rows[i].first && status <= rows[i].last )
            return &rows[i];
    return NULL;
}

enum answer answer_of_status(long status)
{
    const struct answer_row *row = row_of(status);

    return row ? row->answer : ANSWER_LATER;
}

const char *answer_text(long status)
{
    const struct answer_row *row = row_of(status);

    return row ? row->text : "that is not a status of HTTP";
}
