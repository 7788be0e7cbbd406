/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of a guest's user code, by the agent in it.  A sample waits for its
 * answer as for a walker's, and no longer than the agent may take.
 *
 * What is named is a place of its file, as the file counts addresses, so that
 * processes which run the same code share it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "guest-questions.h"
#include "user-facts.h"

/* ns between two looks at how far the clocks are apart. */
#define CLOCKS_AGE 1000000000ull
/* Clocks that both follow the processor's drift apart by less than 1 in so
 * many. */
#define CLOCK_DRIFT 100000u
/* Bytes of rows of all guests together; each has an equal share. */
#define ROWS_ALL (256u << 20)
/* ns between two looks at what the way to an agent costs. */
#define CPU_LOOK 1000000000ull

/* Without memory there are no names. */
void guest_user_open(struct guests *guests, struct guest *guest)
{
    struct agent_link *link = guest_agent_open(guests, guest);
    struct user_names *names = link ? calloc(1, sizeof(*names)) : NULL;

    if ( !names )
    {
        agent_link_close(link);
        return;
    }
    *names = (struct user_names){.link = link, .watched = -1};
    guest->user = names;
    guests->agents++;
    user_answers_init(&names->answers);
    named_places_init(&names->places);
    user_stacks_open(&names->stacks);
    names->stacks.deaths = guests_account(guests, guest)->user_deaths;
}

/* It does not begin anew when the guest reboots. */
static void keep_account(struct guests *guests, struct guest *guest)
{
    struct user_names *names = guest->user;
    struct guest_account *account = guests_account(guests, guest);
    uint64_t cpu = agent_link_cpu(names->link) +
                   user_stacks_cpu(&names->stacks);

    account->agent_lies = (uint8_t)agent_link_lies(names->link);
    account->user_deaths = (uint8_t)names->stacks.deaths;
    /* What dom0's own cost is not the agent's to spend. */
    if ( guest->domain )
        account->cpu += cpu;
}

void guest_user_close(struct guests *guests, struct guest *guest)
{
    struct user_names *names = guest->user;

    if ( !names )
        return;
    user_stacks_begin_anew(&names->stacks);
    guest_question_stop(guests, guest, QUESTION_mappings);
    guest_question_forget(guest, QUESTION_mappings);
    keep_account(guests, guest);
    guest->user = NULL;
    guests->agents--;
    user_stacks_close(&names->stacks);
    user_inlines_free(&names->inlines);
    agent_link_close(names->link);
    user_answers_free(&names->answers);
    table_free(&names->places);
    free(names);
}

void guest_user_forget(struct user_names *names)
{
    user_answers_forget_places(&names->answers);
    table_free(&names->places);
    walked_stacks_forget_answered(&names->stacks.stacks);
}

bool guest_user_is(const struct guest *guest, const struct guest_sample *sample)
{
    return sample->mode == XENOPROF_MODE_USER && guest->user;
}

bool guest_user_is_spent(const struct guests *guests, const struct guest *guest)
{
    return guest->domain && guest_account_user_is_spent(
                                guests_account((struct guests *)guests, guest));
}

/* Of a process whose mappings are not known now an address is its own. */
static struct user_code code_of(const struct user_names *names,
                                const struct guest_sample *sample)
{
    struct user_address at = {.pid = sample->thread.pid};
    const struct known_space *space;

    memcpy(at.comm, sample->thread.comm, sizeof(at.comm));
    space = known_space_find(&names->stacks, &at);
    at.address = sample->ip;
    return known_space_code(&names->stacks,
                            known_space_is_fresh(space) ? space : NULL, &at);
}

/* An agent in the guest names code at the guest's cost, one of a guest root at
 * dom0's. */
static bool is_too_dear(const struct user_names *names)
{
    return names->spent && agent_link_is_root(names->link);
}

enum guest_wait guest_user_code_wait(const struct user_names *names,
                                     const struct user_answer *answer)
{
    enum agent_state state = agent_link_state(names->link);

    if ( answer )
        return answer->waits ? GUEST_ASKED : GUEST_READY;
    if ( is_too_dear(names) )
        return GUEST_READY;
    return state == AGENT_PRESENT || state == AGENT_COMING ? GUEST_NOT_ASKED
                                                           : GUEST_READY;
}

enum guest_wait guest_user_wait(const struct guests *guests,
                                const struct guest *guest,
                                const struct guest_sample *sample)
{
    const struct user_names *names = guest->user;
    enum guest_wait wait = user_stacks_wait(&names->stacks, sample);
    struct user_code code;

    if ( !sample->thread.pid )
        return GUEST_READY;
    if ( wait == GUEST_NOT_ASKED )
        wait = guest_mappings_wait(guests, guest, sample);
    if ( wait != GUEST_NOT_ASKED || user_stacks_want(guests, guest, sample) )
        return wait;
    code = code_of(names, sample);
    return guest_user_code_wait(names,
                                user_answers_find(&names->answers, &code));
}

/* Whether a look at a guest's clock is better than what is known, which both
 * clocks may have left by CLOCK_DRIFT since. */
static bool is_better(const struct user_names *names,
                      const struct agent_clock *clock)
{
    uint64_t age = monotonic_now() - names->clocks;

    return clock->number != names->clock_number &&
           (!names->clocks ||
            clock->error <= names->clock_error + age / CLOCK_DRIFT);
}

static uint64_t guest_offset(struct user_names *names, const struct xen *xen,
                             const struct agent_clock *clock)
{
    uint64_t before, time, way;

    if ( !is_better(names, clock) )
        return names->offset;
    before = monotonic_now();
    time = xen_time(xen);
    way = (monotonic_now() - before) / 2;
    if ( !time )
        return names->offset;
    names->clock_number = clock->number;
    names->clocks = before + way;
    names->clock_error = clock->error + way;
    names->offset = clock->theirs - (time - (names->clocks - clock->ours));
    return names->offset;
}

/* The agent's clock less Xen's. */
static uint64_t clock_offset(struct user_names *names, const struct xen *xen)
{
    const struct agent_clock *clock = agent_link_clock(names->link);
    uint64_t now = monotonic_now(), before, time;

    if ( clock )
        return guest_offset(names, xen, clock);
    if ( names->clocks && now - names->clocks < CLOCKS_AGE )
        return names->offset;
    before = clock_read(CLOCK_MONOTONIC_RAW);
    time = xen_time(xen);
    if ( time )
    {
        names->clocks = now;
        names->offset = before +
                        (clock_read(CLOCK_MONOTONIC_RAW) - before) / 2 - time;
    }
    return names->offset;
}

uint64_t guest_user_time(struct user_names *names, const struct xen *xen,
                         uint64_t time)
{
    return time + clock_offset(names, xen);
}

bool guest_user_can_ask(const struct guests *guests, const struct guest *guest,
                        const struct guest_sample *sample)
{
    const struct user_names *names = guest->user;

    return user_stacks_want(guests, guest, sample)
               ? user_stacks_can_ask(&names->stacks, sample)
               : agent_link_can_ask(names->link);
}

bool guest_user_code_ask(struct user_names *names, const struct xen *xen,
                         const struct user_code *code, uint64_t time)
{
    const struct agent_question question = {
        .time = guest_user_time(names, xen, time),
        .address = code->of.address,
        .tgid = code->of.pid,
    };
    struct user_answer *answer;

    if ( !agent_link_can_ask(names->link) ||
         user_inlines_are_full(&names->inlines) )
        return false;
    answer = user_answers_ask(&names->answers, code);
    if ( !answer ||
         !agent_link_ask(names->link, &question,
                         user_answers_number(&names->answers, answer)) )
        return false;
    answer->time = question.time;
    user_answers_wait(&names->answers, answer);
    return true;
}

bool guest_user_ask(struct guests *guests, struct guest *guest,
                    const struct guest_sample *sample)
{
    struct user_code code;

    if ( guest_user_wait(guests, guest, sample) != GUEST_NOT_ASKED ||
         guest_mappings_note(guests, guest, sample) )
        return true;
    if ( user_stacks_want(guests, guest, sample) )
        return user_stacks_ask(guests, guest, sample);
    code = code_of(guest->user, sample);
    return guest_user_code_ask(guest->user, guests->xen, &code, sample->time);
}

static enum xenoprof_status name_place(struct guests *guests,
                                       struct xenoprof_writer *writer,
                                       struct guest *guest,
                                       const struct xenoprof_place *place,
                                       uint32_t *ret)
{
    return named_place(guests, writer, guest, &guest->user->places, place, ret);
}

/* Code of no file is "//anon"; "[vdso]" is one. */
static bool is_file(const char *path)
{
    return (path[0] == '/' && path[1] != '/') || path[0] == '[';
}

/* Returns whether the sample waits on, for what was inlined. */
static bool want_inlined(struct user_names *names,
                         const struct user_answer *answer,
                         const struct agent_said *said)
{
    struct user_inline wanted = {
        .question = {.time = answer->time,
                     .address = answer->of.address,
                     .tgid = answer->of.pid},
        .id = said->id,
        .address = said->address,
    };

    if ( said->found > AGENT_NO_SYMBOL || said->path[0] != '/' ||
         !agent_link_has_inlines(names->link) || is_too_dear(names) )
        return false;
    snprintf(wanted.image, sizeof(wanted.image), "%s", said->path);
    return user_inlines_add(&names->inlines, &wanted);
}

/* Returns the entry of what was said, or NULL if there is no memory. */
static struct user_answer *take_answer(struct user_names *names,
                                       const struct agent_said *said)
{
    struct user_answer *answer = user_answers_at(&names->answers, said->id);

    user_answer_drop_inlined(answer);
    if ( !want_inlined(names, answer, said) )
        user_answers_settle(&names->answers, answer);
    if ( said->found > AGENT_NO_SYMBOL )
        return user_answers_blame(&names->answers, answer);
    answer->lasts = answer->key.image;
    return answer;
}

static enum xenoprof_status take(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 struct guest *guest,
                                 const struct agent_said *said)
{
    struct user_answer *answer = take_answer(guest->user, said);
    struct xenoprof_place place = {.mode = XENOPROF_MODE_USER, .image = "user"};

    if ( !answer )
        return XENOPROF_OK;
    place.address = answer->of.address;
    if ( said->found <= AGENT_NO_SYMBOL )
    {
        place.address = said->address;
        place.symbol = said->symbol;
        place.symbol_start = said->start;
    }
    if ( is_file(said->path) )
        place.image = said->path;
    return name_place(guests, writer, guest, &place, &answer->place);
}

/* A function that was inlined begins at no address of its own. */
static enum xenoprof_status name_inlined(struct guests *guests,
                                         struct xenoprof_writer *writer,
                                         struct guest *guest,
                                         const struct user_inlined *said,
                                         uint32_t *ret)
{
    static const char mark[] = " (inlined)";
    char name[AGENT_TEXT_MAX + sizeof(mark)];
    const struct xenoprof_place place = {
        .mode = XENOPROF_MODE_USER,
        .address = said->of.address,
        .image = said->of.image,
        .symbol = name,
    };
    enum xenoprof_status code = XENOPROF_OK;

    for ( uint32_t i = 0; !code && i < said->count; i++ )
    {
        snprintf(name, sizeof(name), "%s%s", said->names[i], mark);
        code = name_place(guests, writer, guest, &place, &ret[i]);
    }
    return code;
}

/* If the session's next file has begun meanwhile, the address is asked for
 * again; so it is later if the agent took too long. */
static enum xenoprof_status take_inlined(struct guests *guests,
                                         struct xenoprof_writer *writer,
                                         struct guest *guest,
                                         const struct user_inlined *said)
{
    struct user_answers *answers = &guest->user->answers;
    struct user_answer *answer = user_answers_at(answers, said->of.id);
    enum xenoprof_status code;

    user_answers_settle(answers, answer);
    answer->lasts &= said->known;
    if ( !said->count || !answer->place )
        return XENOPROF_OK;
    answer->inner = calloc(said->count, sizeof(*answer->inner));
    if ( !answer->inner )
        return XENOPROF_OK;
    code = name_inlined(guests, writer, guest, said, answer->inner);
    answer->inlined = code ? 0 : said->count;
    return code;
}

bool guest_user_is_away(const struct user_names *names)
{
    return agent_link_is_away(names->link) ||
           user_stacks_are_away(&names->stacks);
}

static enum xenoprof_status take_all(struct guests *guests,
                                     struct xenoprof_writer *writer,
                                     struct guest *guest)
{
    enum xenoprof_status code = XENOPROF_OK;
    struct agent_said said;

    struct user_names *names = guest->user;
    struct user_inlined inlined;

    while ( !code && agent_link_next(names->link, &said) )
        code = take(guests, writer, guest, &said);
    while ( !code && user_inlines_next(&names->inlines, names->link, &inlined) )
        code = take_inlined(guests, writer, guest, &inlined);
    return code;
}

/* Bytes of rows that the walker of one guest's processes may be told. */
static size_t table_room(const struct guests *guests)
{
    size_t share = ROWS_ALL / guests->agents;

    return share < USER_TABLES_SIZE ? share : USER_TABLES_SIZE;
}

/* What its processes work is part of what the profiler costs, and a guest's is
 * the guest's. */
static void count_cpu(struct guests *guests, struct guest *guest)
{
    uint64_t now = monotonic_now();

    if ( now < guest->user->next_cpu )
        return;
    guest->user->next_cpu = now + CPU_LOOK;
    keep_account(guests, guest);
}

static void ask_inlines(struct user_names *names)
{
    if ( !is_too_dear(names) )
        user_inlines_ask(&names->inlines, names->link);
}

enum xenoprof_status guest_user_exchange(struct guests *guests,
                                         struct xenoprof_writer *writer,
                                         struct guest *guest)
{
    struct user_names *names = guest->user;
    enum xenoprof_status code;

    agent_link_work(names->link);
    /* A look at another's clock is to be related to Xen's at once. */
    if ( agent_link_clock(names->link) )
        clock_offset(names, guests->xen);
    count_cpu(guests, guest);
    names->stacks.room = table_room(guests);
    names->spent = guest_user_is_spent(guests, guest);
    code = take_all(guests, writer, guest);
    if ( !code )
        code = guest_question_take(guests, writer, guest, QUESTION_mappings);
    ask_inlines(names);
    if ( !code )
        code = user_stacks_exchange(guests, writer, guest);
    if ( !code )
        agent_link_work(names->link);
    ask_inlines(names);
    if ( agent_link_fd(names->link) != names->watched )
    {
        names->watched = agent_link_fd(names->link);
        xen_watch(guests->xen, names->watched);
    }
    return code;
}

enum xenoprof_status guest_user_code_places(
    struct guests *guests, struct xenoprof_writer *writer, struct guest *guest,
    const struct user_code *code, const struct user_answer *answer,
    uint32_t *ret, size_t room, size_t *count)
{
    const struct xenoprof_place place = {.mode = XENOPROF_MODE_USER,
                                         .address = code->of.address,
                                         .image = "user"};

    *count = 0;
    if ( answer && answer->place )
    {
        while ( *count < answer->inlined && *count < room )
        {
            ret[*count] = answer->inner[*count];
            ++*count;
        }
        if ( *count < room )
            ret[(*count)++] = answer->place;
        return XENOPROF_OK;
    }
    if ( room )
        *count = 1;
    return room ? name_place(guests, writer, guest, &place, ret) : XENOPROF_OK;
}

enum xenoprof_status guest_user_chain(struct guests *guests,
                                      struct xenoprof_writer *writer,
                                      struct guest *guest,
                                      const struct guest_sample *sample,
                                      struct guest_chain *ret)
{
    struct user_names *names = guest->user;
    struct user_code code;

    if ( user_stacks_take(&names->stacks, sample, ret) )
        return XENOPROF_OK;
    code = code_of(names, sample);
    return guest_user_code_places(guests, writer, guest, &code,
                                  user_answers_find(&names->answers, &code),
                                  ret->places, GUEST_FRAMES_MAX, &ret->count);
}
