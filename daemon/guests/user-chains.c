/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of dom0's processes wait until the walker knows their process
 * (user-facts.c), then for their chain, then for its names (user-names.c).
 * Whatever ends the walker, it is told and asked all anew.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "guests.h"
#include "user-facts.h"

/* ns until there may be a walker again. */
#define SOON 250000000ull

static void lose_user_walker(struct user_stacks *stacks)
{
    stacks->deaths++;
    stacks->next = monotonic_now() + SOON;
    user_stacks_begin_anew(stacks);
}

bool user_stacks_are_away(const struct user_stacks *stacks)
{
    return stacks->fetch.active || stacks->chains.count ||
           (stacks->walker && user_walker_away(stacks->walker));
}

bool user_stacks_want(const struct guests *guests, const struct guest *guest,
                      const struct guest_sample *sample)
{
    const struct user_names *names = guest->user;

    return sample->thread.pid && sample->registers && sample->windows[0] &&
           guests->maker && !guest_user_is_spent(guests, guest) &&
           names->stacks.deaths < USER_DEATHS_MAX &&
           agent_link_has_rows(names->link);
}

enum xenoprof_ended user_stacks_lack(const struct guests *guests,
                                     const struct guest *guest)
{
    if ( !guests->maker )
        return XENOPROF_ENDED_KEEPER;
    if ( guest_user_is_spent(guests, guest) )
        return XENOPROF_ENDED_SPENT;
    return guest->user->stacks.deaths < USER_DEATHS_MAX ? XENOPROF_ENDED_AGENT
                                                        : XENOPROF_ENDED_WALKER;
}

static struct user_address sampled_process(const struct guest_sample *sample)
{
    struct user_address of = {.pid = sample->thread.pid};

    memcpy(of.comm, sample->thread.comm, sizeof(of.comm));
    return of;
}

bool user_stacks_know(const struct user_stacks *stacks,
                      const struct guest_sample *sample)
{
    const struct user_address of = sampled_process(sample);

    return known_space_is_fresh(known_space_find(stacks, &of));
}

/* There is room for another stack, and the walker knows its process. */
static bool walker_knows(const struct user_stacks *stacks,
                         const struct known_space *space)
{
    return stacks->walker && known_space_is_fresh(space) &&
           stacks->chains.count + user_walker_away(stacks->walker) <
               USER_STACKS_MAX;
}

bool user_stacks_can_ask(const struct user_stacks *stacks,
                         const struct guest_sample *sample)
{
    const struct user_address of = sampled_process(sample);
    const struct known_space *space = known_space_find(stacks, &of);

    if ( known_space_is_fresh(space) )
        return walker_knows(stacks, space);
    return known_space_can_fetch(stacks, &of) &&
           (stacks->walker || monotonic_now() >= stacks->next);
}

enum guest_wait user_stacks_wait(const struct user_stacks *stacks,
                                 const struct guest_sample *sample)
{
    const struct walked_stack *stack = walked_stacks_find(&stacks->stacks,
                                                          sample->tag);

    if ( !stack )
        return GUEST_NOT_ASKED;
    return stack->answered ? GUEST_READY : GUEST_ASKED;
}

/* Returns whether there is a walker, which is made now if it may. */
static bool has_user_walker(const struct guests *guests,
                            struct user_stacks *stacks)
{
    if ( stacks->walker || monotonic_now() < stacks->next )
        return stacks->walker;
    stacks->walker = user_walker_begin(guests->maker);
    if ( !stacks->walker )
        stacks->next = monotonic_now() + SOON;
    return stacks->walker;
}

static bool send_stack(struct user_stacks *stacks, struct known_space *space,
                       const struct guest_sample *sample)
{
    const uint32_t number = (uint32_t)table_index(&stacks->spaces, space);
    const struct xenoprof_window *window = sample->windows[0];
    const struct user_start start = {.ip = sample->ip,
                                     .registers = sample->registers,
                                     .window = {window->address,
                                                (const uint8_t *)(window + 1),
                                                window->length}};
    struct walked_stack *stack = walked_stacks_add(&stacks->stacks,
                                                   sample->tag);
    enum link_status status;

    if ( !stack )
        return false;
    stack->ip = sample->ip;
    stack->time = sample->time;
    stack->of = sampled_process(sample);
    stack->window = (uint8_t)walked_stack_left(sample->windows);
    status = user_walker_stack(stacks->walker, sample->tag, number, &start);
    space->used = monotonic_now();
    if ( status != LINK_OK )
        walked_stacks_drop(&stacks->stacks, stack);
    if ( status != LINK_OK && status != LINK_MORE )
        lose_user_walker(stacks);
    return status == LINK_OK;
}

bool user_stacks_ask(struct guests *guests, struct guest *guest,
                     const struct guest_sample *sample)
{
    struct user_stacks *stacks = &guest->user->stacks;
    const struct user_address of = sampled_process(sample);
    struct known_space *space = known_space_find(stacks, &of);
    bool fresh = known_space_is_fresh(space);

    if ( walked_stacks_find(&stacks->stacks, sample->tag) )
        return true;
    if ( !has_user_walker(guests, stacks) )
        return false;
    if ( walker_knows(stacks, space) )
        return send_stack(stacks, space, sample);
    /* Others behind it need not wait for what it lacks: it is asked for again
     * when it is the first of its ring. */
    if ( !fresh )
        known_space_fetch(guests->xen, guest->user, &of, sample->time);
    return !fresh;
}

/* Which window has what the walk wanted next; that may not have been all. */
static enum xenoprof_ended beyond_window(const struct walked_stack *stack,
                                         const struct user_chain *chain)
{
    if ( stack->window != XENOPROF_ENDED_WINDOW || !chain->wanted )
        return (enum xenoprof_ended)stack->window;
    if ( chain->wanted <= 16 * 1024 )
        return XENOPROF_ENDED_WINDOW_16;
    return chain->wanted <= 32 * 1024 ? XENOPROF_ENDED_WINDOW_32
                                      : XENOPROF_ENDED_WINDOW_MORE;
}

static enum xenoprof_ended end_of_user_chain(const struct walked_stack *stack,
                                             const struct user_chain *chain)
{
    switch ( chain->end )
    {
    case USER_ROOT: return XENOPROF_ENDED_ROOT;
    case USER_WINDOW: return beyond_window(stack, chain);
    case USER_NONSENSE:
    case USER_DEEP: return XENOPROF_ENDED_NONSENSE;
    default: return XENOPROF_ENDED_RULE;
    }
}

/* Takes addresses; a caller is where its call is.  Whatever the walker says, no
 * word of a stack that is not an address of the process's code goes on from
 * here. */
static uint32_t take_addresses(const struct user_stacks *stacks,
                               const struct user_address *of,
                               const struct user_chain *chain,
                               struct user_code *ret)
{
    const struct known_space *space = known_space_find(stacks, of);
    struct user_address at = *of;
    uint32_t count = 0;

    while ( count < chain->count )
    {
        at.address = chain->frames[count] - !chain->exact[count];
        if ( count && !known_space_has(space, at.address) )
            break;
        ret[count++] = known_space_code(stacks, space, &at);
    }
    return count;
}

static bool keep_chain(struct user_stacks *stacks, struct walked_stack *stack,
                       const struct user_chain *chain)
{
    struct user_code code[USER_ANSWER_FRAMES];
    uint32_t count = take_addresses(stacks, &stack->of, chain, code);
    struct unnamed_chain *kept = vector_add(&stacks->chains);

    if ( !kept )
        return false;
    if ( count < chain->count )
        stack->ended = XENOPROF_ENDED_RULE;
    *kept = (struct unnamed_chain){.tag = stack->tag,
                                   .time = stack->time,
                                   .count = count,
                                   .code = malloc(count * sizeof(*code))};
    if ( !kept->code )
    {
        stacks->chains.count--;
        return false;
    }
    memcpy(kept->code, code, count * sizeof(*code));
    return true;
}

static enum link_status keep_answered_chain(struct user_stacks *stacks,
                                            uint64_t tag,
                                            const struct user_chain *chain)
{
    struct walked_stack *stack = walked_stacks_find(&stacks->stacks, tag);

    if ( !stack || stack->answered )
        return LINK_OK;
    if ( chain->frames[0] != stack->ip )
        return LINK_DIED;
    stack->ended = (uint8_t)end_of_user_chain(stack, chain);
    if ( (chain->end == USER_OUTSIDE &&
          known_space_renew(stacks, &stack->of)) ||
         !keep_chain(stacks, stack, chain) )
        walked_stacks_drop(&stacks->stacks, stack);
    return LINK_OK;
}

static void take_answered_chains(struct user_stacks *stacks)
{
    static struct user_chain chain;
    enum link_status status = LINK_OK;
    uint64_t tag;

    while ( status == LINK_OK && stacks->walker )
    {
        status = user_walker_next(stacks->walker, &tag, &chain);
        if ( status == LINK_OK )
            status = keep_answered_chain(stacks, tag, &chain);
    }
    if ( stacks->walker && status != LINK_MORE )
        lose_user_walker(stacks);
}

/* What the agent said of each address of a chain. */
struct chain_answers {
    const struct user_answer *of[USER_ANSWER_FRAMES];
};

/* Returns whether each address has a name, or will have none: ret is good then,
 * until something is asked.  Asks for those that have not been asked for. */
static bool is_named(const struct xen *xen, struct user_names *names,
                     const struct unnamed_chain *chain,
                     struct chain_answers *ret)
{
    bool named = true, room = true;

    for ( uint32_t i = 0; i < chain->count; i++ )
    {
        const struct user_code *code = &chain->code[i];
        enum guest_wait wait;

        ret->of[i] = user_answers_find(&names->answers, code);
        wait = guest_user_code_wait(names, ret->of[i]);
        named &= wait == GUEST_READY;
        if ( room && wait == GUEST_NOT_ASKED )
            room = guest_user_code_ask(names, xen, code, chain->time);
    }
    return named;
}

static enum xenoprof_status name_chain(struct guests *guests,
                                       struct xenoprof_writer *writer,
                                       struct guest *guest,
                                       struct walked_stack *stack,
                                       const struct unnamed_chain *chain,
                                       const struct chain_answers *answers)
{
    enum xenoprof_status code = XENOPROF_OK;
    uint32_t places[GUEST_FRAMES_MAX];
    size_t count = 0, more;

    for ( uint32_t i = 0; !code && i < chain->count; i++ )
    {
        /* With what was inlined it may have become too deep. */
        if ( count == GUEST_FRAMES_MAX )
            stack->ended = XENOPROF_ENDED_NONSENSE;
        code = guest_user_code_places(guests, writer, guest, &chain->code[i],
                                      answers->of[i], places + count,
                                      GUEST_FRAMES_MAX - count, &more);
        count += more;
    }
    if ( !code && !walked_stacks_answer(stack, places, (uint32_t)count) )
        code = XENOPROF_NO_MEMORY;
    return code;
}

/* A chain that nobody waits for any more is dropped unnamed. */
static enum xenoprof_status name_chains(struct guests *guests,
                                        struct xenoprof_writer *writer,
                                        struct guest *guest)
{
    struct user_stacks *stacks = &guest->user->stacks;
    enum xenoprof_status code = XENOPROF_OK;

    for ( size_t i = 0; !code && i < stacks->chains.count; )
    {
        const struct unnamed_chain *chain = &stacks->chains.items[i];
        struct walked_stack *stack = walked_stacks_find(&stacks->stacks,
                                                        chain->tag);
        struct chain_answers answers;

        if ( stack && !is_named(guests->xen, guest->user, chain, &answers) )
        {
            i++;
            continue;
        }
        if ( stack )
            code = name_chain(guests, writer, guest, stack, chain, &answers);
        user_stacks_drop_chain(stacks, i);
    }
    return code;
}

enum xenoprof_status user_stacks_exchange(struct guests *guests,
                                          struct xenoprof_writer *writer,
                                          struct guest *guest)
{
    struct user_stacks *stacks = &guest->user->stacks;
    enum link_status status;

    status = user_facts_exchange(guest->user);
    if ( status == LINK_OK && stacks->walker )
        status = user_walker_send(stacks->walker);
    if ( status != LINK_OK && status != LINK_MORE )
        lose_user_walker(stacks);
    take_answered_chains(stacks);
    if ( stacks->walker && user_walker_fd(stacks->walker) != stacks->watched )
    {
        stacks->watched = user_walker_fd(stacks->walker);
        xen_watch(guests->xen, stacks->watched);
    }
    return name_chains(guests, writer, guest);
}

bool user_stacks_take(struct user_stacks *stacks,
                      const struct guest_sample *sample,
                      struct guest_chain *ret)
{
    struct walked_stack *stack = walked_stacks_find(&stacks->stacks,
                                                    sample->tag);
    bool answered = stack && stack->answered;

    if ( answered )
    {
        ret->count = stack->count;
        ret->ended = (enum xenoprof_ended)stack->ended;
        memcpy(ret->places, stack->places,
               stack->count * sizeof(ret->places[0]));
    }
    if ( stack )
        walked_stacks_drop(&stacks->stacks, stack);
    return answered;
}
