/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "push/http-answer.h"
#include "tests/harness.h"

TEST(answers_by_status)
{
    static const struct {
        long status;
        enum answer answer;
    } rows[] = {
        {200, ANSWER_TAKEN},   {202, ANSWER_TAKEN},   {204, ANSWER_TAKEN},
        {301, ANSWER_WRONG},   {307, ANSWER_WRONG},   {401, ANSWER_WRONG},
        {403, ANSWER_WRONG},   {404, ANSWER_WRONG},   {400, ANSWER_REFUSED},
        {413, ANSWER_REFUSED}, {415, ANSWER_REFUSED}, {422, ANSWER_REFUSED},
        {408, ANSWER_LATER},   {429, ANSWER_LATER},   {500, ANSWER_LATER},
        {503, ANSWER_LATER},   {599, ANSWER_LATER},   {0, ANSWER_LATER},
        {100, ANSWER_LATER},   {999, ANSWER_LATER},
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++ )
    {
        CHECK_EQ(answer_of_status(rows[i].status), rows[i].answer);
        CHECK(answer_text(rows[i].status)[0]);
    }
}
