/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What readers of files have said, until there is no room: also what came when
 * nobody waited any more.  It outlives the process that said it.
 */
#ifndef XENOPROF_AGENT_PROGRAM_KEPT_ANSWERS_H
#define XENOPROF_AGENT_PROGRAM_KEPT_ANSWERS_H

#include <sys/queue.h>

#include "agent/file-identity.h"
#include "agent/kept-files.h"

/* Whether two questions have the same answer, of one file. */
bool file_question_is(const struct file_question *one,
                      const struct file_question *other);

struct kept_answers {
    TAILQ_HEAD(answer_list, kept_answer) list; /* the last one used first */
    size_t bytes;
};

/* Bytes that they take; what was not used for longest makes room. */
#define KEPT_ANSWERS_MAX (1u << 20)

void kept_answers_init(struct kept_answers *answers);
/* Without memory it is not kept. */
void kept_answers_add(struct kept_answers *answers,
                      const struct file_identity *file,
                      const struct file_question *question,
                      const struct file_answer *answer);
/* Returns whether it is known what this file answers: of which function it is,
 * at any other place of that function, too.  A piece of rows is given once: it
 * is large, and whoever has it asks for the next one. */
bool kept_answers_take(struct kept_answers *answers,
                       const struct file_identity *file,
                       const struct file_question *question,
                       struct file_answer *ret);
/* An empty one is left. */
void kept_answers_free(struct kept_answers *answers);

#endif
