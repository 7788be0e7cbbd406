/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One process's mappings and tables are asked for at a time; its samples wait
 * until the walker knows them.  A process is known for as long as an address is
 * (guest-user.c).  Whatever ends the walker, it is told all anew.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "guests.h"

/* ns that mappings are good for; and between two times that they are asked for
 * anew since a chain left them. */
#define SPACE_AGE   10000000000ull
#define SPACE_RENEW 1000000000ull
/* ns until there may be a walker again. */
#define SOON 250000000ull
/* ns between two times that all is told anew for want of room. */
#define EMPTY_PAUSE 10000000000ull

struct known_space {
    struct user_address of; /* address 0 */
    uint64_t since;         /* our clock; 0: it is to be asked for (again) */
    uint64_t renewed;
    uint32_t count;
    struct agent_mapping *mappings; /* malloc'ed */
};

struct known_image {
    uint64_t image;
    uint64_t size;   /* of its table, as the first piece says */
    uint64_t filled; /* bytes that the walker was told */
    bool whole;      /* all, or there are none */
    bool has_rows;
};

void user_stacks_open(struct user_stacks *stacks)
{
    *stacks = (struct user_stacks){.watched = -1};
    table_init(&stacks->spaces, sizeof(struct user_address),
               sizeof(struct known_space));
    table_init(&stacks->images, sizeof(uint64_t), sizeof(struct known_image));
    walked_stacks_init(&stacks->stacks);
}

static void forget_spaces(struct user_stacks *stacks)
{
    for ( size_t i = 0; i < stacks->spaces.count; i++ )
        free(((struct known_space *)table_at(&stacks->spaces, i))->mappings);
    table_free(&stacks->spaces);
    stacks->fetch.active = stacks->fetch.asked = false;
}

static void drop_chain(struct user_stacks *stacks, size_t index)
{
    free(stacks->chains.items[index].addresses);
    stacks->chains.items[index] = stacks->chains.items[--stacks->chains.count];
}

/* The walker ends, and what it was asked is to be asked again. */
static void begin_anew(struct user_stacks *stacks)
{
    user_walker_end(stacks->walker);
    stacks->walker = NULL;
    stacks->watched = -1;
    forget_spaces(stacks);
    table_free(&stacks->images);
    stacks->bytes = 0;
    while ( stacks->chains.count )
        drop_chain(stacks, 0);
    walked_stacks_forget_asked(&stacks->stacks);
}

void user_stacks_close(struct user_stacks *stacks)
{
    begin_anew(stacks);
    vector_free(&stacks->chains);
    walked_stacks_free(&stacks->stacks);
}

/* For want of room for what else is to be told.  Returns false if that was
 * done a moment ago: one process that needs all of the room must not cost the
 * others all that the walker knows, again and again. */
static bool make_room(struct user_stacks *stacks)
{
    uint64_t now = monotonic_now();

    if ( stacks->emptied && now - stacks->emptied < EMPTY_PAUSE )
        return false;
    stacks->emptied = now;
    begin_anew(stacks);
    return true;
}

static void lose_walker(struct user_stacks *stacks)
{
    stacks->deaths++;
    stacks->next = monotonic_now() + SOON;
    begin_anew(stacks);
}

bool user_stacks_are_away(const struct user_stacks *stacks)
{
    return stacks->fetch.active || stacks->chains.count ||
           (stacks->walker && user_walker_away(stacks->walker));
}

bool user_stacks_want(const struct guests *guests,
                      const struct guest_sample *sample)
{
    const struct user_names *names = &guests->user;

    return sample->thread.pid && sample->registers && sample->windows[0] &&
           guests->maker && names->stacks.deaths < USER_DEATHS_MAX &&
           names->link && agent_link_has_rows(names->link);
}

enum xenoprof_ended user_stacks_lack(const struct guests *guests)
{
    if ( !guests->maker )
        return XENOPROF_ENDED_KEEPER;
    return guests->user.stacks.deaths < USER_DEATHS_MAX ? XENOPROF_ENDED_AGENT
                                                        : XENOPROF_ENDED_WALKER;
}

static struct user_address process_of(const struct guest_sample *sample)
{
    struct user_address of = {.pid = sample->thread.pid};

    memcpy(of.comm, sample->thread.comm, sizeof(of.comm));
    return of;
}

static struct known_space *find_space(const struct user_stacks *stacks,
                                      const struct guest_sample *sample)
{
    const struct user_address of = process_of(sample);

    return table_find(&stacks->spaces, &of);
}

static bool is_fresh(const struct known_space *space)
{
    return space && space->since && monotonic_now() - space->since < SPACE_AGE;
}

/* There is room for another stack, and the walker knows its process. */
static bool is_told(const struct user_stacks *stacks,
                    const struct known_space *space)
{
    return stacks->walker && is_fresh(space) &&
           stacks->chains.count + user_walker_away(stacks->walker) <
               USER_STACKS_MAX;
}

bool user_stacks_can_ask(const struct user_stacks *stacks,
                         const struct guest_sample *sample)
{
    const struct known_space *space = find_space(stacks, sample);

    if ( is_fresh(space) )
        return is_told(stacks, space);
    return !stacks->fetch.active &&
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

/* Asks for a process's mappings, unless another's are being asked for. */
static void begin_fetch(struct guests *guests,
                        const struct guest_sample *sample)
{
    struct user_stacks *stacks = &guests->user.stacks;
    const struct user_address of = process_of(sample);
    struct known_space *space;

    if ( stacks->fetch.active ||
         (stacks->images.count > USER_TABLES_MAX - AGENT_MAPPINGS_MAX &&
          make_room(stacks)) )
        return;
    if ( stacks->spaces.count >= USER_SPACES_MAX )
        forget_spaces(stacks);
    space = table_put(&stacks->spaces, &of);
    if ( !space )
        return;
    space->since = 0;
    stacks->fetch.active = true;
    stacks->fetch.asked = false; /* what comes of another is of no use */
    stacks->fetch.space = (uint32_t)table_index(&stacks->spaces, space);
    stacks->fetch.mapping = UINT32_MAX;
    stacks->fetch.question = (struct agent_question){
        .time = guest_user_time(&guests->user, guests->xen, sample->time),
        .tgid = of.pid};
}

/* Returns whether there is a walker, which is made now if it may. */
static bool is_there(struct guests *guests)
{
    struct user_stacks *stacks = &guests->user.stacks;

    if ( stacks->walker || monotonic_now() < stacks->next )
        return stacks->walker;
    stacks->walker = user_walker_begin(guests->maker);
    if ( !stacks->walker )
        stacks->next = monotonic_now() + SOON;
    return stacks->walker;
}

static bool send_stack(struct user_stacks *stacks, uint32_t space,
                       const struct guest_sample *sample)
{
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
    stack->of = process_of(sample);
    stack->window = (uint8_t)guest_left_windows(sample);
    status = user_walker_stack(stacks->walker, sample->tag, space, &start);
    if ( status != LINK_OK )
        walked_stacks_drop(&stacks->stacks, stack);
    if ( status != LINK_OK && status != LINK_MORE )
        lose_walker(stacks);
    return status == LINK_OK;
}

bool user_stacks_ask(struct guests *guests, const struct guest_sample *sample)
{
    struct user_stacks *stacks = &guests->user.stacks;
    const struct known_space *space = find_space(stacks, sample);
    bool fresh = is_fresh(space);

    if ( walked_stacks_find(&stacks->stacks, sample->tag) )
        return true;
    if ( !is_there(guests) )
        return false;
    memcpy(guests->user.uuid, sample->uuid, sizeof(guests->user.uuid));
    if ( is_told(stacks, space) )
        return send_stack(stacks, (uint32_t)table_index(&stacks->spaces, space),
                          sample);
    /* Others behind it need not wait for what it lacks: it is asked for again
     * when it is the first of its ring. */
    if ( !fresh )
        begin_fetch(guests, sample);
    return !fresh;
}

/* What the agent says --------------------------------------------------- */

static struct known_space *fetched(const struct user_stacks *stacks)
{
    return table_at(&stacks->spaces, stacks->fetch.space);
}

/* Tells the walker what the process has mapped, all of whose tables it has. */
static enum link_status tell_space(struct user_stacks *stacks)
{
    static struct user_piece_mapped mapped[AGENT_MAPPINGS_MAX];
    struct known_space *space = fetched(stacks);
    enum link_status status;

    for ( uint32_t i = 0; i < space->count; i++ )
    {
        const struct agent_mapping *from = &space->mappings[i];
        const struct known_image *image = table_find(&stacks->images,
                                                     &from->image);

        mapped[i] = (struct user_piece_mapped){
            .start = from->start,
            .end = from->end,
            .offset = from->offset,
            .table = image && image->has_rows
                         ? (uint32_t)table_index(&stacks->images, image)
                         : USER_NO_TABLE};
    }
    status = user_walker_space(stacks->walker, stacks->fetch.space, mapped,
                               space->count);
    if ( status == LINK_OK )
    {
        space->since = monotonic_now();
        stacks->fetch.active = false;
    }
    return status;
}

/* Returns NULL if there is no room for another one. */
static struct known_image *find_image(struct user_stacks *stacks,
                                      uint64_t number)
{
    struct known_image *image = table_find(&stacks->images, &number);

    return image || stacks->images.count >= USER_TABLES_MAX
               ? image
               : table_put(&stacks->images, &number);
}

/* Finds the next mapping whose table the walker does not have.  Returns false
 * if there is none. */
static bool find_missing(struct user_stacks *stacks)
{
    const struct known_space *space = fetched(stacks);

    for ( uint32_t i = stacks->fetch.mapping; i < space->count; i++ )
    {
        uint64_t number = space->mappings[i].image;
        struct known_image *image = number ? find_image(stacks, number) : NULL;

        stacks->fetch.mapping = i;
        if ( image && !image->whole )
            return true;
    }
    return false;
}

static bool ask_rows(struct user_names *names)
{
    const struct user_stacks *stacks = &names->stacks;
    const struct agent_mapping *mapping =
        &fetched(stacks)->mappings[stacks->fetch.mapping];
    const struct known_image *image = table_find(&stacks->images,
                                                 &mapping->image);
    struct agent_rows_question question = {stacks->fetch.question,
                                           image->filled};

    question.where.address = mapping->start;
    return agent_link_ask_rows(names->link, &question);
}

/* Goes on with what is being asked for, if the agent can be asked now. */
static enum link_status go_on(struct user_names *names)
{
    struct user_stacks *stacks = &names->stacks;

    if ( stacks->fetch.asked )
        return LINK_OK;
    if ( stacks->fetch.mapping == UINT32_MAX )
        stacks->fetch.asked = agent_link_ask_space(names->link,
                                                   &stacks->fetch.question);
    else if ( find_missing(stacks) )
        stacks->fetch.asked = ask_rows(names);
    else
        return tell_space(stacks);
    return LINK_OK;
}

/* What there was before is replaced; without an answer by nothing. */
static void take_space(struct user_stacks *stacks,
                       const struct agent_told *told)
{
    struct known_space *space = fetched(stacks);
    size_t size = told->count * sizeof(*space->mappings);

    free(space->mappings);
    space->count = 0;
    space->mappings = malloc(size + !size);
    if ( space->mappings && size )
    {
        memcpy(space->mappings, told->mappings, size);
        space->count = told->count;
    }
    stacks->fetch.mapping = 0;
}

/* Whether a piece is of the table that is being told. */
static bool is_piece_of(const struct known_image *image,
                        const struct agent_told *told)
{
    return told->table.image == image->image && told->size &&
           told->table.size <= USER_TABLES_SIZE &&
           (!image->filled || told->table.size == image->size) &&
           told->size <= told->table.size - image->filled;
}

static enum link_status hand_on(struct user_stacks *stacks,
                                struct known_image *image,
                                const struct agent_told *told)
{
    enum link_status status = user_walker_table(
        stacks->walker, (uint32_t)table_index(&stacks->images, image),
        &told->table, image->filled, told->piece, told->size);

    if ( status != LINK_OK )
        return status;
    stacks->bytes += image->filled ? 0 : told->table.size;
    image->size = told->table.size;
    image->filled += told->size;
    image->has_rows = image->whole = image->filled == image->size;
    return LINK_OK;
}

/* A table that changes on the way, or for which there is no room, is none. */
static enum link_status take_piece(struct user_stacks *stacks,
                                   const struct agent_told *told)
{
    const struct agent_mapping *mapping =
        &fetched(stacks)->mappings[stacks->fetch.mapping];
    struct known_image *image = table_find(&stacks->images, &mapping->image);
    bool room = image->filled ||
                told->table.size <= USER_TABLES_SIZE - stacks->bytes;

    if ( is_piece_of(image, told) && room )
        return hand_on(stacks, image, told);
    if ( !is_piece_of(image, told) || !make_room(stacks) )
        image->whole = true;
    return LINK_OK;
}

/* The answer to what was asked last: mappings if there were none yet. */
static enum link_status take_told(struct user_stacks *stacks,
                                  const struct agent_told *told)
{
    if ( stacks->fetch.mapping != UINT32_MAX )
        return take_piece(stacks, told);
    take_space(stacks, told);
    return LINK_OK;
}

/* Of another conversation images may have the same numbers. */
static bool is_other_conversation(struct user_names *names)
{
    uint32_t now = agent_link_conversation(names->link);
    bool other = now != names->stacks.conversation;

    names->stacks.conversation = now;
    return other;
}

static void exchange_facts(struct user_names *names)
{
    struct user_stacks *stacks = &names->stacks;
    const struct agent_told *told = agent_link_told(names->link);
    enum link_status status = LINK_OK;

    if ( is_other_conversation(names) )
        begin_anew(stacks);
    if ( !agent_link_has_rows(names->link) )
        stacks->fetch.active = stacks->fetch.asked = false;
    /* What was asked for before the walker ended is of no use any more. */
    if ( told && stacks->fetch.active && stacks->fetch.asked )
        status = take_told(stacks, told);
    if ( told && status != LINK_MORE )
    {
        agent_link_take_told(names->link);
        stacks->fetch.asked = false;
    }
    if ( status == LINK_OK && stacks->fetch.active )
        status = go_on(names);
    if ( status != LINK_OK && status != LINK_MORE )
        lose_walker(stacks);
}

/* Chains ---------------------------------------------------------------- */

static enum xenoprof_ended ended_by(const struct walked_stack *stack,
                                    const struct user_chain *chain)
{
    if ( chain->count > GUEST_FRAMES_MAX )
        return XENOPROF_ENDED_NONSENSE;
    switch ( chain->end )
    {
    case USER_ROOT: return XENOPROF_ENDED_ROOT;
    case USER_WINDOW: return (enum xenoprof_ended)stack->window;
    case USER_NONSENSE:
    case USER_DEEP: return XENOPROF_ENDED_NONSENSE;
    default: return XENOPROF_ENDED_RULE;
    }
}

static bool is_mapped(const struct known_space *space, uint64_t address)
{
    for ( uint32_t i = 0; space && i < space->count; i++ )
        if ( space->mappings[i].start <= address &&
             address < space->mappings[i].end )
            return true;
    return false;
}

/* Takes addresses; a caller is where its call is.  Whatever the walker says, no
 * word of a stack that is not an address of the process's code goes on from
 * here. */
static uint32_t take_addresses(const struct known_space *space,
                               const struct user_chain *chain, uint64_t *ret)
{
    uint32_t count = 0;

    while ( count < chain->count && count < GUEST_FRAMES_MAX )
    {
        ret[count] = chain->frames[count] - !chain->exact[count];
        if ( count && !is_mapped(space, ret[count]) )
            break;
        count++;
    }
    return count;
}

static bool keep_chain(struct user_stacks *stacks,
                       const struct walked_stack *stack,
                       const struct user_chain *chain)
{
    struct unnamed_chain *kept = vector_add(&stacks->chains);

    if ( !kept )
        return false;
    *kept = (struct unnamed_chain){
        .tag = stack->tag, .time = stack->time, .of = stack->of};
    kept->addresses = malloc(GUEST_FRAMES_MAX * sizeof(*kept->addresses));
    if ( !kept->addresses )
    {
        stacks->chains.count--;
        return false;
    }
    kept->count = take_addresses(table_find(&stacks->spaces, &stack->of), chain,
                                 kept->addresses);
    return true;
}

/* The process has mapped something since: it is asked for anew, and walked
 * again, but not for ever. */
static bool renew(struct user_stacks *stacks, const struct walked_stack *stack)
{
    struct known_space *space = table_find(&stacks->spaces, &stack->of);
    uint64_t now = monotonic_now();

    if ( !space || now - space->renewed < SPACE_RENEW )
        return false;
    space->renewed = now;
    space->since = 0;
    return true;
}

static enum link_status take_chain(struct user_stacks *stacks, uint64_t tag,
                                   const struct user_chain *chain)
{
    struct walked_stack *stack = walked_stacks_find(&stacks->stacks, tag);

    if ( !stack || stack->answered )
        return LINK_OK;
    if ( chain->frames[0] != stack->ip )
        return LINK_DIED;
    stack->ended = (uint8_t)ended_by(stack, chain);
    if ( (chain->end == USER_OUTSIDE && renew(stacks, stack)) ||
         !keep_chain(stacks, stack, chain) )
        walked_stacks_drop(&stacks->stacks, stack);
    return LINK_OK;
}

static void take_chains(struct user_stacks *stacks)
{
    static struct user_chain chain;
    enum link_status status = LINK_OK;
    uint64_t tag;

    while ( status == LINK_OK && stacks->walker )
    {
        status = user_walker_next(stacks->walker, &tag, &chain);
        if ( status == LINK_OK )
            status = take_chain(stacks, tag, &chain);
    }
    if ( stacks->walker && status != LINK_MORE )
        lose_walker(stacks);
}

/* Returns whether each address has a name, or will have none; asks for those
 * that have not been asked for. */
static bool is_named(struct guests *guests, const struct unnamed_chain *chain)
{
    struct user_address at = chain->of;
    bool named = true, room = true;

    for ( uint32_t i = 0; i < chain->count; i++ )
    {
        enum guest_wait wait;

        at.address = chain->addresses[i];
        wait = guest_user_address_wait(&guests->user, &at);
        named &= wait == GUEST_READY;
        if ( room && wait == GUEST_NOT_ASKED )
            room = guest_user_address_ask(&guests->user, guests->xen, &at,
                                          chain->time);
    }
    return named;
}

static enum xenoprof_status name_chain(struct guests *guests,
                                       struct xenoprof_writer *writer,
                                       struct guest *dom0,
                                       const struct unnamed_chain *chain)
{
    struct walked_stacks *walked = &guests->user.stacks.stacks;
    struct walked_stack *stack = walked_stacks_find(walked, chain->tag);
    enum xenoprof_status code = XENOPROF_OK;
    uint32_t places[GUEST_FRAMES_MAX];
    struct user_address at = chain->of;

    if ( !stack )
        return XENOPROF_OK;
    for ( uint32_t i = 0; !code && i < chain->count; i++ )
    {
        at.address = chain->addresses[i];
        code = guest_user_address_place(guests, writer, dom0, &at, &places[i]);
    }
    if ( !code && !walked_stacks_answer(stack, places, chain->count) )
        code = XENOPROF_NO_MEMORY;
    return code;
}

/* A chain that nobody waits for any more is dropped unnamed. */
static enum xenoprof_status name_chains(struct guests *guests,
                                        struct xenoprof_writer *writer)
{
    struct user_stacks *stacks = &guests->user.stacks;
    struct guest *dom0 = guests_known(guests, 0, guests->user.uuid);
    enum xenoprof_status code = XENOPROF_OK;

    for ( size_t i = 0; !code && i < stacks->chains.count; )
    {
        const struct unnamed_chain *chain = &stacks->chains.items[i];
        bool wanted = dom0 && walked_stacks_find(&stacks->stacks, chain->tag);

        if ( wanted && !is_named(guests, chain) )
        {
            i++;
            continue;
        }
        if ( wanted )
            code = name_chain(guests, writer, dom0, chain);
        drop_chain(stacks, i);
    }
    return code;
}

enum xenoprof_status user_stacks_exchange(struct guests *guests,
                                          struct xenoprof_writer *writer)
{
    struct user_stacks *stacks = &guests->user.stacks;

    exchange_facts(&guests->user);
    take_chains(stacks);
    if ( stacks->walker && user_walker_fd(stacks->walker) != stacks->watched )
    {
        stacks->watched = user_walker_fd(stacks->walker);
        guests_watch(guests, stacks->watched);
    }
    return name_chains(guests, writer);
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
