/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One message is on its way at a time: questions of names, which are gathered,
 * or one about a space, rows or what was inlined.  An agent that hangs up, is
 * late or breaks a rule answers all of them with nothing.
 */
#include "agent-link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/clock.h"

#define PAUSE_FIRST 1000000000ull

struct waiting_question {
    struct agent_question question;
    uint32_t id;
    bool late;      /* it was put off */
    uint64_t since; /* our clock: when it was asked */
};

struct agent_link {
    struct agent_caller caller;
    int fd; /* the caller's; -1: none */
    enum agent_state state;
    uint32_t lies;
    uint16_t version; /* that both speak */
    uint32_t greeted;
    bool greeting; /* HELLO was said again */
    bool telling;  /* KNOW was said */
    struct agent_clock clock;
    uint64_t next, pause; /* our clock: when it may be called again */
    uint64_t sent;        /* our clock: the message that has no answer yet */
    uint64_t took;        /* ns, the last answer of names */
    uint32_t number;      /* of that message */
    struct waiting_question questions[AGENT_QUESTIONS_MAX];
    uint32_t count; /* of questions that were asked and are not answered */
    struct waiting_question later[AGENT_LATER_MAX];
    uint32_t late;     /* of these, which were put off */
    uint64_t progress; /* our clock: when one that was put off was answered */
    bool away;         /* the questions, without those, were sent */
    uint32_t there;    /* how many of them have answers in message */
    uint32_t taken;    /* how many of these were taken */
    bool nothing;      /* the answers are that there are none */
    uint16_t asked; /* AGENT_SPACE, AGENT_ROWS or AGENT_INLINES, which was sent;
                        0: none of them */
    uint32_t inlines;                /* how many of these were asked for */
    uint64_t offset;                 /* in the table, of that question */
    uint64_t names_rest, reply_rest; /* our clock: until when names, and the
                                       others, are not asked for again */
    bool has_reply;                  /* its answer is there */
    struct agent_reply reply;
    char trouble[160];
    struct agent_figures figures;
    uint64_t message[AGENT_MESSAGE_MAX / 8];
};

static const size_t answers_at = sizeof(struct agent_head) +
                                 sizeof(struct agent_work);

static void ban(struct agent_link *link)
{
    link->state = AGENT_BANNED;
    snprintf(link->trouble, sizeof(link->trouble),
             "opagent said what no agent says, %u times: it is not asked any "
             "more in this session",
             link->lies);
}

struct agent_link *agent_link_open(const struct agent_caller *caller,
                                   uint32_t lies)
{
    struct agent_link *link = calloc(1, sizeof(*link));

    if ( !link )
        return NULL;
    link->caller = *caller;
    link->fd = -1;
    /* Numbers that nobody can foresee: what a guest's ring still has of another
     * conversation is no answer in this one (relay-process.h). */
    if ( getrandom(&link->number, sizeof(link->number), GRND_NONBLOCK) < 0 )
        link->number = (uint32_t)monotonic_now();
    link->pause = PAUSE_FIRST;
    link->lies = lies;
    if ( link->lies >= AGENT_LIES_MAX )
        ban(link);
    return link;
}

void agent_link_close(struct agent_link *link)
{
    if ( link )
        link->caller.close(link->caller.self);
    free(link);
}

int agent_link_fd(const struct agent_link *link)
{
    return link->fd;
}

enum agent_state agent_link_state(const struct agent_link *link)
{
    return link->state;
}

const char *agent_link_trouble(const struct agent_link *link)
{
    return link->trouble;
}

const struct agent_figures *agent_link_figures(const struct agent_link *link)
{
    return &link->figures;
}

/* All that was asked is answered, with nothing. */
static void hang_up_link(struct agent_link *link, const char *why)
{
    link->caller.end(link->caller.self);
    link->fd = -1;
    link->greeting = link->telling = false;
    snprintf(link->trouble, sizeof(link->trouble), "%s", why);
    link->state = AGENT_ABSENT;
    link->next = monotonic_now() + link->pause;
    link->pause *= 2;
    if ( link->pause > AGENT_PAUSE_MAX )
        link->pause = AGENT_PAUSE_MAX;
    link->there = link->count;
    link->nothing = true;
    link->away = false;
    if ( link->asked && !link->has_reply )
    {
        link->reply = (struct agent_reply){.kind = link->asked,
                                           .nothing = true};
        link->has_reply = true;
    }
}

static void catch_lie(struct agent_link *link)
{
    hang_up_link(link,
                 "opagent said what no agent says, and is called again later");
    if ( ++link->lies >= AGENT_LIES_MAX )
        ban(link);
}

static bool send_to_agent(struct agent_link *link, enum agent_kind kind,
                          uint32_t count, const void *body, size_t size)
{
    struct agent_head head = {.kind = (uint16_t)kind,
                              .version = link->version,
                              .length = (uint32_t)(sizeof(head) + size),
                              .number = ++link->number,
                              .count = count};

    memcpy(link->message, &head, sizeof(head));
    if ( size )
        memcpy((char *)link->message + sizeof(head), body, size);
    link->sent = monotonic_now();
    if ( send(link->fd, link->message, head.length,
              MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)head.length )
        return true;
    hang_up_link(link, "opagent takes no questions");
    return false;
}

/* Nobody answers yet, or HELLO is on its way. */
static void go_on_calling(struct agent_link *link)
{
    const char *why = NULL;

    link->fd = link->caller.call(link->caller.self, &why);
    if ( link->fd >= 0 )
        send_to_agent(link, AGENT_HELLO, 0, NULL, 0);
    else if ( why )
        hang_up_link(link, why);
}

static bool clock_is_old(const struct agent_clock *clock)
{
    return monotonic_now() - clock->ours >= AGENT_CLOCK_AGE;
}

/* Of some tries the best one is kept. */
static void take_clock(struct agent_link *link, uint64_t theirs)
{
    struct agent_clock *clock = &link->clock;
    uint64_t way = (monotonic_now() - link->sent) / 2;
    bool again = clock->number && !clock_is_old(clock);

    clock->tries = again ? clock->tries + 1 : 1;
    clock->number++;
    if ( again && way >= clock->error )
        return;
    clock->theirs = theirs;
    clock->ours = link->sent + way;
    clock->error = way;
}

static bool take_welcome(struct agent_link *link, const struct agent_head *head)
{
    struct agent_welcome welcome;
    bool first = link->state == AGENT_COMING;

    if ( (!first && !link->greeting) || !head->version ||
         head->version > link->version || head->count ||
         head->length != sizeof(*head) + sizeof(welcome) )
        return false;
    memcpy(&welcome, (char *)link->message + sizeof(*head), sizeof(welcome));
    /* No agent has the daemon look into the guest that it runs in. */
    if ( welcome.follows & AGENT_FOLLOWS_TOLD && !link->caller.may_follow_us )
        return false;
    link->version = head->version;
    link->greeted += first;
    link->greeting = false;
    take_clock(link, welcome.now);
    link->figures.events = welcome.follows & AGENT_FOLLOWS_EVENTS;
    link->figures.follows_us = welcome.follows & AGENT_FOLLOWS_TOLD;
    link->state = AGENT_PRESENT;
    link->trouble[0] = 0;
    return true;
}

static struct agent_answer answer_at(const struct agent_link *link, uint32_t i)
{
    struct agent_answer answer;

    memcpy(&answer,
           (const char *)link->message + answers_at + i * sizeof(answer),
           sizeof(answer));
    return answer;
}

static const char *text_at(const struct agent_link *link, uint32_t at)
{
    return (const char *)link->message + answers_at +
           link->count * sizeof(struct agent_answer) + at;
}

static bool is_answer(const struct agent_link *link, uint32_t i,
                      const char *end)
{
    const struct agent_answer answer = answer_at(link, i);
    const char *texts = text_at(link, 0);

    return answer.found < (link->version >= AGENT_VERSION_LATER
                               ? AGENT_FOUNDS
                               : AGENT_LATER) &&
           answer.start <= answer.address &&
           answer.build_id_size <= AGENT_BUILD_ID_MAX &&
           agent_check_text(texts, answer.path, end) &&
           agent_check_text(texts, answer.symbol, end) &&
           (answer.found > AGENT_NO_SYMBOL ||
            (texts[answer.symbol] && texts[answer.path]));
}

static bool take_named_addresses(struct agent_link *link,
                                 const struct agent_head *head)
{
    const char *end = (const char *)link->message + head->length;
    uint64_t took = monotonic_now() - link->sent;

    if ( !link->away || head->version != link->version ||
         head->count != link->count ||
         head->length <=
             answers_at + link->count * sizeof(struct agent_answer) )
        return false;
    for ( uint32_t i = 0; i < link->count; i++ )
        if ( !is_answer(link, i, end) )
            return false;
    memcpy(&link->figures.work, (char *)link->message + sizeof(*head),
           sizeof(link->figures.work));
    link->took = took;
    if ( took > link->figures.slowest )
        link->figures.slowest = took;
    link->pause = PAUSE_FIRST;
    link->there = link->count;
    link->away = false;
    return true;
}

/* An answer to what was asked, if it is as it should be, stays in the message
 * until it is taken. */
static bool take_user_facts(struct agent_link *link,
                            const struct agent_head *head)
{
    bool right = false;

    if ( head->version != link->version || link->has_reply )
        return false;
    switch ( head->kind )
    {
    case AGENT_MAPPED:
        right = link->asked == AGENT_SPACE &&
                agent_check_mapped(link->message, head, &link->reply);
        break;
    case AGENT_TABLE:
        right = link->asked == AGENT_ROWS &&
                agent_check_table(link->message, head, link->offset,
                                  &link->reply);
        break;
    case AGENT_INLINED:
        right = link->asked == AGENT_INLINES &&
                agent_check_inlined(link->message, head, link->inlines,
                                    &link->reply);
        break;
    default: break;
    }
    if ( !right )
        return false;
    link->pause = PAUSE_FIRST;
    link->has_reply = true;
    return true;
}

static bool take_known(struct agent_link *link, const struct agent_head *head)
{
    if ( !link->telling || head->version != link->version || head->count ||
         head->length != sizeof(*head) )
        return false;
    link->telling = false;
    return true;
}

static void take_agent_message(struct agent_link *link, size_t size)
{
    struct agent_head head = {.kind = 0};
    bool true_to_rules = false;

    if ( size >= sizeof(head) )
        memcpy(&head, link->message, sizeof(head));
    if ( head.length == size && head.number == link->number )
    {
        if ( head.kind == AGENT_WELCOME )
            true_to_rules = take_welcome(link, &head);
        else if ( head.kind == AGENT_THERE )
            true_to_rules = take_named_addresses(link, &head);
        else if ( head.kind == AGENT_KNOWN )
            true_to_rules = take_known(link, &head);
        else
            true_to_rules = take_user_facts(link, &head);
    }
    if ( head.length == size && head.kind == AGENT_REFUSED )
        hang_up_link(link, "opagent is of another version, and refuses");
    else if ( !true_to_rules )
        catch_lie(link);
}

/* Answers that are not taken yet lie in the message. */
static bool is_agent_late(const struct agent_link *link)
{
    uint64_t patience = link->state == AGENT_COMING ? AGENT_PATIENCE_CALL
                                                    : AGENT_PATIENCE;

    return (link->away || link->asked || link->greeting || link->telling ||
            link->state == AGENT_COMING) &&
           monotonic_now() - link->sent > patience;
}

static void receive_from_agent(struct agent_link *link)
{
    ssize_t got = recv(link->fd, link->message, sizeof(link->message),
                       MSG_DONTWAIT | MSG_TRUNC);

    if ( got > 0 )
        take_agent_message(
            link, (size_t)got <= sizeof(link->message) ? (size_t)got : 0);
    else if ( !got || (errno != EAGAIN && errno != EINTR) )
        hang_up_link(link, link->state == AGENT_COMING ? link->caller.nobody
                                                       : "opagent has ended");
    else if ( is_agent_late(link) )
        hang_up_link(link, link->state == AGENT_COMING
                               ? "opagent does not answer within 3 seconds"
                               : "opagent does not answer within 10 seconds");
}

static bool is_free(const struct agent_link *link)
{
    return link->state == AGENT_PRESENT && !link->away && !link->there &&
           !link->asked && !link->greeting && !link->telling;
}

static void ask_names(struct agent_link *link)
{
    struct agent_question questions[AGENT_QUESTIONS_MAX];
    uint32_t room = AGENT_QUESTIONS_MAX - link->count;
    uint32_t late = link->late < room ? link->late : room;

    /* After a while what was put off goes with others: those that wait longest,
     * as many as there is room for. */
    if ( monotonic_now() >= link->names_rest )
    {
        memcpy(link->questions + link->count, link->later,
               late * sizeof(link->later[0]));
        memmove(link->later, link->later + late,
                (link->late - late) * sizeof(link->later[0]));
        link->count += late;
        link->late -= late;
    }
    for ( uint32_t i = 0; i < link->count; i++ )
        questions[i] = link->questions[i].question;
    if ( link->count )
        link->away = send_to_agent(link, AGENT_WHERE, link->count, questions,
                                   link->count * sizeof(questions[0]));
}

/* An answer is there, or that there is none: to all of them. */
static bool is_answered(const struct agent_link *link)
{
    return link->there || (link->nothing && link->late);
}

void agent_link_work(struct agent_link *link)
{
    const struct agent_clock *clock = &link->clock;

    if ( link->state == AGENT_ABSENT && !is_answered(link) &&
         !link->has_reply && monotonic_now() >= link->next )
    {
        link->version = AGENT_VERSION;
        link->state = AGENT_COMING;
        link->sent = monotonic_now();
        go_on_calling(link);
    }
    /* Whoever is called takes his time, but not for ever. */
    else if ( link->state == AGENT_COMING && link->fd < 0 )
    {
        if ( is_agent_late(link) )
            hang_up_link(link, link->caller.nobody);
        else
            go_on_calling(link);
    }
    if ( link->fd >= 0 && !link->there && !link->has_reply )
        receive_from_agent(link);
    if ( is_free(link) )
        ask_names(link);
    /* The clocks are compared again: HELLO may be said at any time. */
    if ( is_free(link) && link->caller.other_clock &&
         (clock_is_old(clock) || (clock->error > AGENT_CLOCK_ERROR &&
                                  clock->tries < AGENT_CLOCK_TRIES)) )
        link->greeting = send_to_agent(link, AGENT_HELLO, 0, NULL, 0);
}

bool agent_link_can_ask(const struct agent_link *link)
{
    return link->state == AGENT_PRESENT && !link->away && !link->there &&
           link->count < AGENT_QUESTIONS_MAX &&
           link->count + link->late < AGENT_LATER_MAX;
}

bool agent_link_is_away(const struct agent_link *link)
{
    return link->away || link->there || link->late || link->asked ||
           link->greeting || link->telling;
}

bool agent_link_ask(struct agent_link *link,
                    const struct agent_question *question, uint32_t id)
{
    if ( !agent_link_can_ask(link) )
        return false;
    link->questions[link->count++] = (struct waiting_question){
        .question = *question, .id = id, .since = monotonic_now()};
    link->figures.asked++;
    return true;
}

/* Whether a question is to be asked again.  There is room: no more than that
 * are asked. */
static bool put_question_off(struct agent_link *link, uint32_t i,
                             const struct agent_answer *answer)
{
    struct waiting_question *asked = &link->questions[i];
    uint64_t since = asked->since > link->progress ? asked->since
                                                   : link->progress;

    if ( answer->found != AGENT_LATER ||
         monotonic_now() - since > AGENT_LATER_PATIENCE )
        return false;
    if ( monotonic_now() >= link->names_rest )
        link->names_rest = monotonic_now() + AGENT_LATER_PAUSE +
                           link->took * AGENT_LATER_PART;
    asked->late = true;
    link->later[link->late++] = *asked;
    return true;
}

static void note_dear(struct agent_figures *figures, const char *path)
{
    for ( uint32_t i = 0; i < figures->dear_count; i++ )
        if ( !strcmp(figures->dear[i], path) )
            return;
    if ( figures->dear_count < AGENT_DEAR_MAX )
        strcpy(figures->dear[figures->dear_count++], path);
}

static void give_answer(struct agent_link *link, uint32_t id,
                        const struct agent_answer *answer,
                        struct agent_name_reply *ret)
{
    *ret = (struct agent_name_reply){
        .id = id,
        .found = (enum agent_found)answer->found,
        .address = answer->address,
        .start = answer->start,
        .path = link->nothing ? "" : text_at(link, answer->path),
        .symbol = link->nothing ? "" : text_at(link, answer->symbol),
    };
    link->figures.found[ret->found]++;
    if ( ret->found == AGENT_TOO_DEAR )
        note_dear(&link->figures, ret->path);
}

/* Takes the next answer of the message, or that there is none. */
static bool next_there(struct agent_link *link, struct agent_name_reply *ret)
{
    while ( link->taken < link->there )
    {
        uint32_t i = link->taken++;
        struct agent_answer answer = {.found = AGENT_FOUNDS};

        if ( !link->nothing )
            answer = answer_at(link, i);
        if ( put_question_off(link, i, &answer) )
            continue;
        if ( link->questions[i].late && answer.found != AGENT_LATER )
            link->progress = monotonic_now();
        give_answer(link, link->questions[i].id, &answer, ret);
        return true;
    }
    return false;
}

bool agent_link_next(struct agent_link *link, struct agent_name_reply *ret)
{
    const struct agent_answer none = {.found = AGENT_FOUNDS};

    if ( next_there(link, ret) )
        return true;
    if ( link->nothing && link->late )
    {
        give_answer(link, link->later[--link->late].id, &none, ret);
        return true;
    }
    if ( link->there )
        link->count = 0;
    link->there = link->taken = 0;
    link->nothing = false;
    return false;
}

const struct agent_clock *agent_link_clock(const struct agent_link *link)
{
    return link->caller.other_clock ? &link->clock : NULL;
}

uint64_t agent_link_cpu(struct agent_link *link)
{
    return link->caller.cpu(link->caller.self);
}

uint32_t agent_link_lies(const struct agent_link *link)
{
    return link->lies;
}

uint32_t agent_link_conversation(const struct agent_link *link)
{
    return link->greeted;
}

bool agent_link_has_rows(const struct agent_link *link)
{
    return link->state == AGENT_PRESENT && link->version >= AGENT_VERSION_ROWS;
}

bool agent_link_has_inlines(const struct agent_link *link)
{
    return link->state == AGENT_PRESENT &&
           link->version >= AGENT_VERSION_INLINES;
}

/* Names that were asked for before go first. */
static bool ask_agent(struct agent_link *link, enum agent_kind kind,
                      uint32_t count, const void *questions, size_t size)
{
    if ( !agent_link_has_rows(link) || !is_free(link) || link->count ||
         (kind != AGENT_SPACE && monotonic_now() < link->reply_rest) )
        return false;
    link->asked = (uint16_t)kind;
    /* If it hangs up, that is the answer. */
    send_to_agent(link, kind, count, questions, size);
    return true;
}

bool agent_link_ask_space(struct agent_link *link,
                          const struct agent_question *question)
{
    return ask_agent(link, AGENT_SPACE, 1, question, sizeof(*question));
}

bool agent_link_ask_rows(struct agent_link *link,
                         const struct agent_rows_question *question)
{
    link->offset = link->asked ? link->offset : question->offset;
    return ask_agent(link, AGENT_ROWS, 1, question, sizeof(*question));
}

bool agent_link_ask_inlines(struct agent_link *link,
                            const struct agent_question *questions,
                            uint32_t count)
{
    if ( !agent_link_has_inlines(link) )
        return false;
    link->inlines = link->asked ? link->inlines : count;
    return ask_agent(link, AGENT_INLINES, count, questions,
                     count * sizeof(*questions));
}

bool agent_link_is_root(const struct agent_link *link)
{
    return link->caller.may_follow_us;
}

bool agent_link_wants_known(const struct agent_link *link)
{
    return link->state == AGENT_PRESENT &&
           link->version >= AGENT_VERSION_KNOW && link->figures.follows_us;
}

bool agent_link_know(struct agent_link *link, uint32_t tgid, uint64_t since,
                     const struct agent_file_mapping *mappings, size_t count)
{
    static uint64_t body[(AGENT_MESSAGE_MAX - sizeof(struct agent_head)) / 8];
    uint32_t reply;
    size_t size;

    if ( !agent_link_wants_known(link) || !is_free(link) || link->count )
        return false;
    size = agent_known_put(tgid, since, mappings, count, body, &reply);
    link->telling = send_to_agent(link, AGENT_KNOW, reply, body, size);
    return link->telling;
}

const struct agent_reply *agent_link_reply(const struct agent_link *link)
{
    return link->has_reply ? &link->reply : NULL;
}

void agent_link_take_reply(struct agent_link *link)
{
    if ( link->has_reply && link->reply.later )
        link->reply_rest = monotonic_now() + AGENT_LATER_PAUSE;
    link->has_reply = false;
    link->asked = 0;
}
