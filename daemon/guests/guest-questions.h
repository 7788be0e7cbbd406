/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Questions to the kernels of guests: where threads come from, what processes
 * have mapped, what code of a file is called.  Whoever has one notes what it is
 * about and queues it; searches that read something of tasks, while the guest
 * runs, ask about some of it at a time.  What a search takes, the daemon's part
 * too, is the guest's to spend, and all of one question are a small share of
 * the time.
 *
 * A question is a row of questions.def, and a struct question that has all that
 * is its own.
 */
#ifndef XENOPROF_DAEMON_GUESTS_GUEST_QUESTIONS_H
#define XENOPROF_DAEMON_GUESTS_GUEST_QUESTIONS_H

#include "guests.h"

/* That one search may be asked about, whatever the question is. */
#define QUESTION_MOST 64u
/* Searches for one question at a time, of all guests. */
#define QUESTION_SEARCHES_MAX 2u

/* What a search says of one thing that it was asked about. */
struct question_answer {
    const void *key;
    void *noted; /* its entry; NULL: it was forgotten since */
    const struct search_result *result; /* NULL: the search has failed */
    size_t at;                          /* in the result */
    bool stopped; /* ... since it was stopped, and may have found it */
};

struct question {
    size_t key;     /* bytes of what is asked about */
    size_t entry;   /* bytes of what is noted of it: begins with the key */
    uint32_t most;  /* that one search is asked about */
    uint64_t bytes; /* of the guest's memory, that it may read for each */
    uint64_t pause; /* our clock, ns: between two of one guest */
    enum search_kind kind;

    /* Puts what these order->count keys stand for into the order; it is good
     * until the next call. */
    void (*make)(const struct guest *guest, const void *keys,
                 struct search_order *order);
    /* Takes an answer; writer is NULL if there is no result.  XENOPROF_END: it
     * cannot take a result now, and gets it by the next guest_question_take().
     */
    enum xenoprof_status (*take)(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 struct guest *guest,
                                 const struct question_answer *answer);

    /* All of these may be NULL. */

    /* Takes no memory yet. */
    void (*init)(struct guest *guest);
    /* Frees what it has of the guest beside the entries. */
    void (*forget)(struct guest *guest);
    /* The session's next file began. */
    void (*next_file)(struct guest *guest);
    /* Returns false if the guest is not to be asked now. */
    bool (*is_wanted)(const struct guest *guest);
    /* Takes out of the queue what is known without a search by now: before one
     * is begun, and when all answers of one were taken. */
    enum xenoprof_status (*leave)(struct guests *guests,
                                  struct xenoprof_writer *writer,
                                  struct guest *guest);
    /* Returns how many of the queue's are asked about, and which: places in the
     * queue.  NULL: the first ones. */
    uint32_t (*choose)(const struct guest_question *asked,
                       uint32_t chosen[QUESTION_MOST]);
    /* Looks who is there to take answers, before any is taken; it may stop the
     * search. */
    void (*look)(struct guests *guests, struct guest *guest);
};

#define QUESTION(name) extern const struct question question_##name;
#include "questions.def"
#undef QUESTION

/* Puts an entry into the queue that is not there.  Returns false if there is no
 * memory. */
bool guest_question_queue(struct guest_question *asked, const void *noted);
/* Returns true if nothing waits, and no search goes on: entries may go. */
static inline bool guest_question_is_idle(const struct guest_question *asked)
{
    return !asked->search && !asked->queue.count;
}

/* Nothing is known any more, and nothing waits.  If a search goes on, entries
 * of its answers are gone. */
void guest_question_forget(struct guest *guest, enum question_number number);
/* Ends the search that goes on, if there is one. */
void guest_question_stop(struct guests *guests, struct guest *guest,
                         enum question_number number);
/* Takes answers of a search that has ended, as far as that can be done now. */
enum xenoprof_status guest_question_take(struct guests *guests,
                                         struct xenoprof_writer *writer,
                                         struct guest *guest,
                                         enum question_number number);

/* Returns the next guest that may be asked this question now, or NULL.  It is
 * the last one from then on: none keeps another one waiting for longer than the
 * others' searches take. */
struct guest *guest_question_turn(struct guests *guests,
                                  enum question_number number);
/* Begins a search for what that guest is to be asked; what is queued stays if
 * none can begin now. */
enum xenoprof_status guest_question_begin(struct guests *guests,
                                          struct xenoprof_writer *writer,
                                          struct guest *guest,
                                          enum question_number number);
/* Works on the guest's search for at most ns, and takes what it found.
 * *killed: the guest ended it by what is in its memory. */
enum xenoprof_status guest_question_work(struct guests *guests,
                                         struct xenoprof_writer *writer,
                                         struct guest *guest,
                                         enum question_number number,
                                         uint64_t ns, bool *killed);

#endif
