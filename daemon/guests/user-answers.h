/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an agent said of addresses of processes.  An address in a file is the
 * same code in all processes that have mapped it: what was said of it once is
 * good for all of them, as long as the agent numbers files as it does.  Any
 * other address is one process's, and may be other code a moment later.
 */
#ifndef XENOPROF_DAEMON_GUESTS_USER_ANSWERS_H
#define XENOPROF_DAEMON_GUESTS_USER_ANSWERS_H

#include "base/table.h"
#include "walked-stacks.h"

/* Addresses that are known at a time. */
#define USER_ANSWERS_MAX 65536u

/* An address of a process, and what it is in its file: the same, if that is not
 * known, or there is no file. */
struct user_code {
    struct user_address of, in_file;
};

struct user_answer {
    struct user_address key; /* in a file, or of a process */
    struct user_address of;  /* the process's address that was asked for */
    uint64_t since;          /* our clock: of the answer */
    uint64_t time;           /* of the question */
    uint32_t place;          /* 0: none in this file of the session */
    uint32_t inlined;        /* how many functions were inlined there */
    uint32_t *inner;         /* places of these, innermost first; malloc'ed */
    bool waits;              /* the answer is to come */
    bool lasts;              /* it does not grow old */
};

struct user_answers {
    struct table table;
    uint32_t waiting; /* answers that are to come */
};

/* Takes no memory yet. */
void user_answers_init(struct user_answers *answers);
/* An empty one is left. */
void user_answers_free(struct user_answers *answers);
/* The session's next file began, which has other places. */
void user_answers_forget_places(struct user_answers *answers);

/* Returns what is known, or will be, of that in the file; else what is known of
 * the process's own address.  NULL: it is to be asked for. */
const struct user_answer *user_answers_find(const struct user_answers *answers,
                                            const struct user_code *code);

/* Returns the entry of what is asked for now, or NULL if there is no room, or
 * no memory.  Good until the next one; its number is good until it is answered.
 */
struct user_answer *user_answers_ask(struct user_answers *answers,
                                     const struct user_code *code);
uint32_t user_answers_number(const struct user_answers *answers,
                             const struct user_answer *answer);
struct user_answer *user_answers_at(const struct user_answers *answers,
                                    uint32_t number);

/* It waits, and no more from the next call on. */
void user_answers_wait(struct user_answers *answers,
                       struct user_answer *answer);
void user_answers_settle(struct user_answers *answers,
                         struct user_answer *answer);
/* The agent did not know the process, which says nothing about the file: the
 * answer becomes one about that process's address alone.  Returns the entry for
 * it, which may be the same one, or NULL if there is no memory. */
struct user_answer *user_answers_make_own(struct user_answers *answers,
                                          struct user_answer *answer);
/* Functions that were inlined are not known any more. */
void user_answer_drop_inlined(struct user_answer *answer);

#endif
