/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of a guest's user code, by the agent in it.  A sample waits for its
 * answer as for a walker's, and no longer than the agent may take.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "guest-questions.h"
#include "user-facts.h"

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
    table_init(&names->lined, sizeof(uint64_t), sizeof(uint64_t));
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
    table_free(&names->lined);
    free(names);
}

void guest_user_forget(struct user_names *names)
{
    user_answers_forget_places(&names->answers);
    table_free(&names->places);
    table_free(&names->lined);
    walked_stacks_forget_answered(&names->stacks.stacks);
}

bool guest_user_is(const struct guest *guest, const struct guest_sample *sample)
{
    return sample->mode == XENOPROF_MODE_USER && guest->user;
}

/* Of a process whose mappings are not known now an address is its own. */
static struct user_code code_of_process(const struct user_names *names,
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
    code = code_of_process(names, sample);
    return guest_user_code_wait(names,
                                user_answers_find(&names->answers, &code));
}

bool guest_user_can_ask(const struct guests *guests, const struct guest *guest,
                        const struct guest_sample *sample)
{
    const struct user_names *names = guest->user;

    return user_stacks_want(guests, guest, sample)
               ? user_stacks_can_ask(&names->stacks, sample)
               : agent_link_can_ask(names->link);
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
    code = code_of_process(guest->user, sample);
    return guest_user_code_ask(guest->user, guests->xen, &code, sample->time);
}

bool guest_user_is_away(const struct user_names *names)
{
    return agent_link_is_away(names->link) ||
           user_stacks_are_away(&names->stacks);
}

enum xenoprof_status guest_user_exchange(struct guests *guests,
                                         struct xenoprof_writer *writer,
                                         struct guest *guest)
{
    struct user_names *names = guest->user;
    const size_t share = ROWS_ALL / guests->agents;
    enum xenoprof_status code;
    uint64_t now;

    agent_link_work(names->link);
    /* A look at another's clock is to be related to Xen's at once. */
    if ( agent_link_clock(names->link) )
        guest_user_time(names, guests->xen, 0);
    /* What its processes work is part of what the profiler costs, and a guest's
     * is the guest's. */
    now = monotonic_now();
    if ( now >= names->next_cpu )
    {
        names->next_cpu = now + CPU_LOOK;
        keep_account(guests, guest);
    }
    /* Bytes of rows that the walker of its processes may be told. */
    names->stacks.room = share < USER_TABLES_SIZE ? share : USER_TABLES_SIZE;
    names->spent = guest_user_is_spent(guests, guest);
    code = user_names_take(guests, writer, guest);
    if ( !code )
        code = guest_question_take(guests, writer, guest, QUESTION_mappings);
    user_names_ask_inlines(names);
    if ( !code )
        code = user_stacks_exchange(guests, writer, guest);
    if ( !code )
        agent_link_work(names->link);
    user_names_ask_inlines(names);
    if ( agent_link_fd(names->link) != names->watched )
    {
        names->watched = agent_link_fd(names->link);
        xen_watch(guests->xen, names->watched);
    }
    return code;
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
    code = code_of_process(names, sample);
    return guest_user_code_places(guests, writer, guest, &code,
                                  user_answers_find(&names->answers, &code),
                                  ret->places, GUEST_FRAMES_MAX, &ret->count);
}
