/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "user-answers.h"

#include <stdlib.h>

#include "base/clock.h"

/* ns for which an answer is good if it does not last. */
#define ANSWER_AGE 10000000000ull

void user_answers_init(struct user_answers *answers)
{
    table_init(&answers->table, sizeof(struct user_address),
               sizeof(struct user_answer));
    answers->waiting = 0;
}

void user_answer_drop_inlined(struct user_answer *answer)
{
    free(answer->inner);
    answer->inner = NULL;
    answer->inlined = 0;
}

void user_answers_free(struct user_answers *answers)
{
    for ( size_t i = 0; i < answers->table.count; i++ )
        user_answer_drop_inlined(table_at(&answers->table, i));
    table_free(&answers->table);
    answers->waiting = 0;
}

void user_answers_forget_places(struct user_answers *answers)
{
    for ( size_t i = 0; i < answers->table.count; i++ )
    {
        struct user_answer *answer = table_at(&answers->table, i);

        answer->place = 0;
        user_answer_drop_inlined(answer);
    }
}

static bool is_good_or_waits(const struct user_answer *answer)
{
    return answer &&
           (answer->waits ||
            (answer->place &&
             (answer->lasts || monotonic_now() - answer->since < ANSWER_AGE)));
}

const struct user_answer *user_answers_find(const struct user_answers *answers,
                                            const struct user_code *code)
{
    const struct user_answer *answer = table_find(&answers->table,
                                                  &code->in_file);

    if ( !is_good_or_waits(answer) && code->in_file.image )
        answer = table_find(&answers->table, &code->of);
    return is_good_or_waits(answer) ? answer : NULL;
}

struct user_answer *user_answers_ask(struct user_answers *answers,
                                     const struct user_code *code)
{
    struct user_answer *answer;

    /* A full table is emptied, but not while answers are to come: they come
     * with the numbers of entries. */
    if ( answers->table.count >= USER_ANSWERS_MAX && !answers->waiting )
        user_answers_free(answers);
    if ( answers->table.count >= USER_ANSWERS_MAX )
        return NULL;
    answer = table_put(&answers->table, &code->in_file);
    if ( answer )
        answer->of = code->of;
    return answer;
}

uint32_t user_answers_number(const struct user_answers *answers,
                             const struct user_answer *answer)
{
    return (uint32_t)table_index(&answers->table, answer);
}

struct user_answer *user_answers_at(const struct user_answers *answers,
                                    uint32_t number)
{
    return table_at(&answers->table, number);
}

void user_answers_wait(struct user_answers *answers, struct user_answer *answer)
{
    answer->waits = true;
    answers->waiting++;
}

void user_answers_settle(struct user_answers *answers,
                         struct user_answer *answer)
{
    answer->waits = false;
    answer->since = monotonic_now();
    answers->waiting--;
}

/* The entry of the file has no place from now on, so samples of other processes
 * at that address of the file have it asked for anew. */
struct user_answer *user_answers_make_own(struct user_answers *answers,
                                          struct user_answer *answer)
{
    const struct user_address of = answer->of;
    struct user_answer *own = answer;

    if ( answer->key.image )
    {
        answer->place = 0;
        own = table_put(&answers->table, &of);
    }
    if ( own )
    {
        own->of = of;
        own->since = monotonic_now();
        own->lasts = false;
        user_answer_drop_inlined(own);
    }
    return own;
}
