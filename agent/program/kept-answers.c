/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kept-answers.h"

#include <stdlib.h>
#include <string.h>

struct kept_answer {
    TAILQ_ENTRY(kept_answer) next;
    struct file_identity file;
    struct file_question question;
    size_t size;
    uint64_t answer[]; /* struct file_answer, as it was sent */
};

bool file_question_is(const struct file_question *one,
                      const struct file_question *other)
{
    return one->asks == other->asks && one->offset == other->offset;
}

void kept_answers_init(struct kept_answers *answers)
{
    *answers = (struct kept_answers){.bytes = 0};
    TAILQ_INIT(&answers->list);
}

static void drop(struct kept_answers *answers, struct kept_answer *kept)
{
    TAILQ_REMOVE(&answers->list, kept, next);
    answers->bytes -= sizeof(*kept) + kept->size;
    free(kept);
}

void kept_answers_free(struct kept_answers *answers)
{
    while ( !TAILQ_EMPTY(&answers->list) )
        drop(answers, TAILQ_FIRST(&answers->list));
}

void kept_answers_add(struct kept_answers *answers,
                      const struct file_identity *file,
                      const struct file_question *question,
                      const struct file_answer *answer)
{
    const size_t size = file_answer_size(answer);
    struct kept_answer *kept = malloc(sizeof(*kept) + size);

    if ( !kept )
        return;
    *kept = (struct kept_answer){
        .file = *file, .question = *question, .size = size};
    memcpy(kept->answer, answer, size);
    TAILQ_INSERT_HEAD(&answers->list, kept, next);
    answers->bytes += sizeof(*kept) + size;
    while ( answers->bytes > KEPT_ANSWERS_MAX )
        drop(answers, TAILQ_LAST(&answers->list, answer_list));
}

/* Which function it is, is the same in all of it. */
static bool is_same_function(const struct kept_answer *kept,
                             const struct file_question *question)
{
    const struct file_answer *answer = (const void *)kept->answer;
    uint64_t asked = question->offset, known = kept->question.offset;

    if ( question->asks != FILE_FUNCTION ||
         kept->question.asks != question->asks )
        return false;
    return asked < known ? known - asked <= answer->function.before
                         : asked - known < answer->function.after;
}

bool kept_answers_take(struct kept_answers *answers,
                       const struct file_identity *file,
                       const struct file_question *question,
                       struct file_answer *ret)
{
    struct kept_answer *kept;

    TAILQ_FOREACH(kept, &answers->list, next)
    if ( file_identity_is(&kept->file, file) &&
         (file_question_is(&kept->question, question) ||
          is_same_function(kept, question)) )
        break;
    if ( !kept )
        return false;
    memcpy(ret, kept->answer, kept->size);
    ret->function.address += question->offset - kept->question.offset;
    TAILQ_REMOVE(&answers->list, kept, next);
    TAILQ_INSERT_HEAD(&answers->list, kept, next);
    if ( question->asks == FILE_ROWS )
        drop(answers, kept);
    return true;
}
