/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asked of guests, by whom and when, and who gets the answers. */
#include "guest-questions.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

static const struct question *const questions[QUESTIONS] = {
#define QUESTION(name) &question_##name,
#include "questions.def"
#undef QUESTION
};

#define SECOND 1000000000ull

struct question_search {
    struct search *link;
    struct guest_walk walk; /* its guest's memory */
    uint64_t walked;        /* ns of the daemon's, for it */
    bool done;              /* its result is to be taken */
    bool forgotten;         /* what was noted of all that it asks about */
    size_t taken;           /* so many answers of it were */
    size_t count;
    uint64_t keys[]; /* of any question */
};

static void *key_at(const struct question *question,
                    const struct question_search *search, size_t at)
{
    return (char *)search->keys + at * question->key;
}

void guest_questions_init(struct guest *guest)
{
    for ( unsigned int i = 0; i < QUESTIONS; i++ )
    {
        table_init(&guest->questions[i].noted, questions[i]->key,
                   questions[i]->entry);
        if ( questions[i]->init )
            questions[i]->init(guest);
    }
}

void guest_question_forget(struct guest *guest, enum question_number number)
{
    struct guest_question *asked = &guest->questions[number];

    if ( questions[number]->forget )
        questions[number]->forget(guest);
    table_free(&asked->noted);
    vector_free(&asked->queue);
    if ( asked->search )
        asked->search->forgotten = true;
}

void guest_questions_forget(struct guest *guest)
{
    for ( unsigned int i = 0; i < QUESTIONS; i++ )
        guest_question_forget(guest, i);
}

void guest_questions_next_file(struct guest *guest)
{
    for ( unsigned int i = 0; i < QUESTIONS; i++ )
        if ( questions[i]->next_file )
            questions[i]->next_file(guest);
}

bool guest_question_queue(struct guest_question *asked, const void *noted)
{
    uint32_t *at = vector_add(&asked->queue);

    if ( at )
        *at = (uint32_t)table_index(&asked->noted, noted);
    return at;
}

/* Answers --------------------------------------------------------------- */

static enum xenoprof_status take_next(struct guests *guests,
                                      struct xenoprof_writer *writer,
                                      struct guest *guest,
                                      enum question_number number,
                                      struct question_answer answer)
{
    const struct guest_question *asked = &guest->questions[number];
    struct question_search *search = asked->search;
    enum xenoprof_status code;

    answer.key = key_at(questions[number], search, search->taken);
    /* What was noted since is a question of its own. */
    answer.noted = search->forgotten ? NULL
                                     : table_find(&asked->noted, answer.key);
    answer.at = search->taken;
    code = questions[number]->take(guests, writer, guest, &answer);
    search->taken += code != XENOPROF_END;
    return code;
}

/* What has no answer by now gets none.  All searches for a question are 5 % of
 * the time at most, also where processors are slow. */
static void end_question(struct guests *guests, struct guest *guest,
                         enum question_number number, bool stopped)
{
    struct guest_question *asked = &guest->questions[number];
    struct question_search *search = asked->search;
    uint64_t spent = search_cpu(search->link) + search->walked;

    while ( search->taken < search->count )
        take_next(guests, NULL, guest, number,
                  (struct question_answer){.stopped = stopped});
    guests_account(guests, guest)->cpu += spent;
    asked->next = monotonic_now() + questions[number]->pause +
                  GUEST_CPU_SHARE * spent;
    search_end(search->link);
    free(search);
    asked->search = NULL;
    guests->questions[number].count--;
}

void guest_question_stop(struct guests *guests, struct guest *guest,
                         enum question_number number)
{
    if ( guest->questions[number].search )
        end_question(guests, guest, number, true);
}

void guest_questions_stop(struct guests *guests, struct guest *guest)
{
    for ( unsigned int i = 0; i < QUESTIONS; i++ )
        guest_question_stop(guests, guest, i);
}

enum xenoprof_status guest_question_take(struct guests *guests,
                                         struct xenoprof_writer *writer,
                                         struct guest *guest,
                                         enum question_number number)
{
    const struct question *question = questions[number];
    enum xenoprof_status code = XENOPROF_OK;
    struct question_search *search;

    if ( question->look )
        question->look(guests, guest);
    search = guest->questions[number].search;
    if ( !search || !search->done )
        return XENOPROF_OK;
    while ( !code && search->taken < search->count )
        code = take_next(guests, writer, guest, number,
                         (struct question_answer){
                             .result = search_get_result(search->link)});
    if ( code == XENOPROF_END )
        return XENOPROF_OK;
    if ( !code && question->leave )
        code = question->leave(guests, writer, guest);
    end_question(guests, guest, number, false);
    return code;
}

/* Searches -------------------------------------------------------------- */

static uint32_t choose_first(const struct question *question,
                             const struct guest_question *asked,
                             uint32_t chosen[QUESTION_MOST])
{
    uint32_t count = 0;

    for ( ; count < question->most && count < asked->queue.count; count++ )
        chosen[count] = count;
    return count;
}

/* The others stay, in their order. */
static void leave_queue(struct guest_question *asked, const uint32_t *chosen,
                        uint32_t count)
{
    uint32_t *items = asked->queue.items;
    size_t left = 0;

    for ( uint32_t i = 0; i < count; i++ )
        items[chosen[i]] = UINT32_MAX;
    for ( size_t i = 0; i < asked->queue.count; i++ )
        if ( items[i] != UINT32_MAX )
            items[left++] = items[i];
    asked->queue.count = left;
}

static struct question_search *search_for(const struct question *question,
                                          const struct guest_question *asked,
                                          const uint32_t *chosen,
                                          uint32_t count)
{
    struct question_search *search = calloc(1, sizeof(*search) +
                                                   count * question->key);

    if ( !search )
        return NULL;
    search->count = count;
    for ( uint32_t i = 0; i < count; i++ )
        memcpy(key_at(question, search, i),
               table_at(&asked->noted, asked->queue.items[chosen[i]]),
               question->key);
    return search;
}

/* Returns false if the guest's memory cannot be read now, or no process can be
 * made. */
static bool begin_question_search(struct guests *guests,
                                  const struct guest *guest,
                                  const struct question *question,
                                  struct question_search *search)
{
    static const struct search_limits limits = {10 * SECOND, 60 * SECOND};
    struct search_order order = {
        .kind = question->kind,
        .address = guest->walker.ip,
        .budget = search->count * question->bytes,
        .dom0 = guest->domain == 0,
        .known = &guest->tables,
        .count = search->count,
    };

    question->make(guest, search->keys, &order);
    if ( guest_walk_open(&search->walk, guests->xen, guest->domain,
                         guest->walker.cr3, guest->walker.ip) )
        search->link = search_begin(guests->maker, guests->store, &order,
                                    &limits);
    if ( search->link )
        xen_watch(guests->xen, search_fd(search->link));
    return search->link;
}

enum xenoprof_status guest_question_begin(struct guests *guests,
                                          struct xenoprof_writer *writer,
                                          struct guest *guest,
                                          enum question_number number)
{
    const struct question *question = questions[number];
    struct guest_question *asked = &guest->questions[number];
    enum xenoprof_status code = XENOPROF_OK;
    uint32_t chosen[QUESTION_MOST], count;
    struct question_search *search;

    asked->next = monotonic_now() + question->pause;
    if ( question->leave )
        code = question->leave(guests, writer, guest);
    if ( code || !asked->queue.count )
        return code;
    count = question->choose ? question->choose(asked, chosen)
                             : choose_first(question, asked, chosen);
    search = search_for(question, asked, chosen, count);
    if ( !search || !begin_question_search(guests, guest, question, search) )
    {
        free(search);
        return XENOPROF_OK;
    }
    asked->search = search;
    leave_queue(asked, chosen, count);
    guests->questions[number].count++;
    return XENOPROF_OK;
}

enum xenoprof_status guest_question_work(struct guests *guests,
                                         struct xenoprof_writer *writer,
                                         struct guest *guest,
                                         enum question_number number,
                                         uint64_t ns, bool *killed)
{
    struct question_search *search = guest->questions[number].search;
    enum link_status status = LINK_MORE;

    if ( !search->done )
    {
        uint64_t before = clock_read(CLOCK_THREAD_CPUTIME_ID);

        status = search_work(search->link, ns, guest_walk_answer,
                             &search->walk);
        /* The daemon walks the guest's tables for it: that is the guest's time,
         * too. */
        search->walked += clock_read(CLOCK_THREAD_CPUTIME_ID) - before;
    }
    *killed = status == LINK_DIED;
    if ( status == LINK_MORE )
        return XENOPROF_OK;
    search->done = status == LINK_OK;
    if ( search->done )
        return guest_question_take(guests, writer, guest, number);
    end_question(guests, guest, number, false);
    return XENOPROF_OK;
}

static bool may_begin(struct guests *guests, const struct guest *guest,
                      enum question_number number)
{
    const struct guest_question *asked = &guest->questions[number];
    bool (*is_wanted)(const struct guest *) = questions[number]->is_wanted;

    return asked->queue.count && !asked->search &&
           monotonic_now() >= asked->next && (!is_wanted || is_wanted(guest)) &&
           guest->used && guest->state == GUEST_KNOWN && !guest->gone &&
           guest->walker.cr3 && guests->maker &&
           !guest_account_user_is_spent(guests_account(guests, guest));
}

struct guest *guest_question_turn(struct guests *guests,
                                  enum question_number number)
{
    struct question_searches *searches = &guests->questions[number];

    for ( uint32_t i = 0;
          i < GUESTS_MAX && searches->count < QUESTION_SEARCHES_MAX; i++ )
    {
        uint32_t at = (searches->turn + i) % GUESTS_MAX;

        if ( !may_begin(guests, &guests->guests[at], number) )
            continue;
        searches->turn = at + 1;
        return &guests->guests[at];
    }
    return NULL;
}
