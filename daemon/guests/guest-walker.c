/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each guest's walker: what it is asked in a batch, and its answers, which
 * become places at once and wait for their samples.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "guest-below.h"
#include "guest-cached.h"

#define MILLISECOND 1000000ull
#define SECOND      1000000000ull

/* Where 64-bit kernels are, and of dom0's half what may be read: kernel and
 * modules, no memory of devices. */
#define KERNEL_HALF 0x8000000000000000ul
#define DOM0_FIRST  0xffffffff80000000ul

/* When there may be a walker again. */
#define SOON (SECOND / 4)

/* Places that are named in one go: what has no name never will, and is asked
 * for each time. */
#define LATE_MAX 16384u

/* Something is known that a walker can use. */
static bool has_unwind_tables(const struct guest *guest)
{
    return guest->tables.image || guest->tables.frame_pointers;
}

/* Returns whether there is a walker, which is made now if it may. */
static bool has_walker(struct guests *guests, struct guest *guest)
{
    struct guest_walker *walker = &guest->walker;
    uint64_t now;

    if ( walker->link || !has_unwind_tables(guest) || !guests->maker )
        return walker->link;
    now = monotonic_now();
    if ( now < walker->next )
        return false;
    walker->link = walker_begin(guests->maker, &guest->tables, NULL);
    walker->next = walker->link ? 0 : now + SOON;
    walker->cpu = walker->next_cpu = 0;
    walker->late = 0;
    walker->all_asked = !guest->tables.image;
    if ( walker->link )
        xen_watch(guests->xen, walker_fd(walker->link));
    return walker->link;
}

/* Its process is gone: by its own fault, or without one. */
static void lose_kernel_walker(struct guests *guests, struct guest *guest,
                               enum link_status how)
{
    guest_walker_stop(guests, guest);
    if ( how == LINK_DIED )
        guests_strike(guests, guest);
    else
        guest->walker.next = monotonic_now() + SOON;
}

/* A walker can make something of it. */
static bool has_stack(const struct guest_sample *sample)
{
    return sample->mode == XENOPROF_MODE_KERNEL && sample->registers &&
           sample->windows[0];
}

/* Nothing more will be done for this guest, now or ever. */
static bool is_guest_given_up(struct guests *guests, const struct guest *guest)
{
    return guest->state == GUEST_BANNED || guests_are_blind(guests) ||
           guest_account_is_spent(guests_account(guests, guest));
}

static bool ask_for_stack(struct guest *guest,
                          const struct guest_sample *sample)
{
    struct walked_stacks *walked = &guest->walker.stacks;
    struct walked_stack *stack = walked_stacks_add(walked, sample->tag);
    struct unwind_start start = {
        .ip = sample->ip,
        .registers = sample->registers,
        .bits32 = sample->ip >> 32 == 0,
        .kernel = true,
    };

    if ( !stack )
        return false;
    stack->window = (uint8_t)walked_stack_left(sample->windows);
    stack->ip = sample->ip;
    stack->cr3 = sample->registers->cr3;
    for ( int i = 0; i < 2; i++ )
    {
        const struct xenoprof_window *window = sample->windows[i];

        if ( window )
            start.windows[i] = (struct unwind_window){
                window->address, (const uint8_t *)(window + 1), window->length};
    }
    if ( walker_add(guest->walker.link, sample->tag, &start) )
        return true;
    walked_stacks_drop(walked, stack);
    return false;
}

bool guests_ask(struct guests *guests, const struct guest_sample *sample)
{
    struct guest *guest = guests_find(guests, sample);
    bool asked;

    if ( guest_user_is(guest, sample) )
        return guest_user_ask(guests, guest, sample);
    if ( guest_cached_is(guest, sample) )
        return guest_cached_ask(guests, guest, sample);
    if ( !has_stack(sample) || !has_unwind_tables(guest) ||
         is_guest_given_up(guests, guest) )
        return true;
    /* Each goes on without the other. */
    asked = walked_stacks_find(&guest->walker.stacks, sample->tag) ||
            (has_walker(guests, guest) && ask_for_stack(guest, sample));
    return guest_below_ask(guests, guest, sample) && asked;
}

bool guests_can_ask(struct guests *guests, const struct guest_sample *sample)
{
    struct guest *guest = guests_find(guests, sample);

    if ( guest_user_is(guest, sample) )
        return guest_user_can_ask(guests, guest, sample);
    if ( guest_cached_is(guest, sample) )
        return guest_cached_can_ask(guest);
    if ( walked_stacks_find(&guest->walker.stacks, sample->tag) )
        return guest_below_can_ask(guests, guest, sample);
    return has_walker(guests, guest) && !walker_is_away(guest->walker.link);
}

bool guests_walks(struct guests *guests, const struct guest_sample *sample)
{
    const struct guest *guest = guests_find(guests, sample);

    if ( guest_user_is(guest, sample) )
        return guest_user_is_away(guest->user);
    if ( guest_cached_is(guest, sample) )
        return guest_cached_is_away(guest);
    return (guest->walker.link && walker_is_away(guest->walker.link)) ||
           guest_below_walks(guest, sample);
}

static enum guest_wait wait_for_kernel(struct guests *guests,
                                       struct guest *guest,
                                       const struct guest_sample *sample,
                                       const struct walked_stack *stack)
{
    if ( !has_stack(sample) || (stack && stack->answered) ||
         is_guest_given_up(guests, guest) )
        return GUEST_READY;
    if ( has_unwind_tables(guest) )
        return stack ? GUEST_ASKED : GUEST_NOT_ASKED;
    return guest_will_be_searched(guests, guest, sample) ? GUEST_UNKNOWN
                                                         : GUEST_READY;
}

enum guest_wait guests_wait_for(struct guests *guests,
                                const struct guest_sample *sample)
{
    struct guest *guest = guests_find(guests, sample);
    const struct walked_stack *stack = walked_stacks_find(&guest->walker.stacks,
                                                          sample->tag);
    enum guest_wait wait, below;

    if ( guest_user_is(guest, sample) )
        return guest_user_wait(guests, guest, sample);
    if ( guest_cached_is(guest, sample) )
        return guest_cached_wait(guests, guest, sample);
    wait = wait_for_kernel(guests, guest, sample, stack);
    if ( wait == GUEST_UNKNOWN ||
         (wait == GUEST_READY && !(stack && stack->entered)) )
        return wait;
    below = guest_below_wait(guests, guest, sample);
    return wait == GUEST_NOT_ASKED || below == GUEST_READY ? wait : below;
}

/* Places of the session without a name, from the walker's first batch on. */
static void ask_late_names(struct xenoprof_writer *writer, struct guest *guest)
{
    struct guest_walker *walker = &guest->walker;
    uint32_t at = walker->late;
    uint64_t address;

    for ( unsigned int i = 0; !walker->all_asked && i < LATE_MAX; i++ )
    {
        if ( !xenoprof_writer_unnamed(writer, guest->domain,
                                      XENOPROF_MODE_KERNEL, &at, &address) )
            walker->all_asked = true;
        else if ( !walker_add_name(walker->link, address) )
            return;
        walker->late = at;
    }
}

/* Names that are taken together: no cache holds the tables that they go to. */
#define NAMES_AT_ONCE 16u

struct answered_name {
    uint64_t address;
    struct kernel_symbol name;
};

static size_t next_names(const struct xenoprof_writer *writer,
                         struct guest *guest, struct answered_name *ret)
{
    size_t count = 0;

    while ( count < NAMES_AT_ONCE &&
            walker_next_name(guest->walker.link, &ret[count].address,
                             &ret[count].name) )
        guest_place_expect(writer, guest, XENOPROF_MODE_KERNEL,
                           ret[count++].address);
    return count;
}

static enum xenoprof_status take_place_names(struct guests *guests,
                                             struct xenoprof_writer *writer,
                                             struct guest *guest)
{
    struct answered_name names[NAMES_AT_ONCE];
    enum xenoprof_status code = XENOPROF_OK;
    uint32_t place;
    size_t count;

    while ( !code && (count = next_names(writer, guest, names)) )
        for ( size_t i = 0; !code && i < count; i++ )
        {
            const struct answered_name *one = &names[i];

            guest->walker.unnamed |= !one->name.name &&
                                     one->address >= KERNEL_HALF;
            code = guest_place(guests, writer, guest, XENOPROF_MODE_KERNEL,
                               one->address, one->name.name ? &one->name : NULL,
                               &place);
        }
    return code;
}

/* Opens a guest whose kernel is not known.  Returns NULL if its memory cannot
 * be read. */
static struct guest_walk *open_calls(struct guests *guests,
                                     const struct guest *guest,
                                     const struct walked_stack *stack)
{
    struct guest_walk *walk = guests->calls;

    if ( !walk )
        walk = guests->calls = calloc(1, sizeof(*walk));
    if ( !walk || (walk->xen && walk->domain == guest->domain &&
                   walk->cr3 == stack->cr3) )
        return walk;
    if ( guest_walk_open(walk, guests->xen, guest->domain, stack->cr3,
                         stack->ip) )
        return walk;
    /* It knows neither how to read this guest nor another one. */
    walk->xen = NULL;
    return NULL;
}

/* Returns how many of the frames are addresses of code. */
static uint32_t count_code(struct guests *guests, struct guest *guest,
                           const struct walked_stack *stack,
                           const struct unwind_result *result)
{
    struct guest_account *account = guests_account(guests, guest);
    struct guest_walk *walk = open_calls(guests, guest, stack);
    uint32_t i = 1;

    while ( walk && i < result->count && !result->exact[i] &&
            (guest->domain != 0 || result->frames[i] > DOM0_FIRST) &&
            guest_calls_end_at(&guest->calls, walk, result->frames[i],
                               stack->ip, &account->calls_left) )
        i++;
    return i;
}

static enum xenoprof_ended end_of_kernel_chain(const struct guest *guest,
                                               const struct walked_stack *stack,
                                               enum unwind_end end)
{
    switch ( end )
    {
    case UNWIND_ROOT:
    case UNWIND_USER: return XENOPROF_ENDED_ROOT;
    case UNWIND_WINDOW: return (enum xenoprof_ended)stack->window;
    case UNWIND_NONSENSE: return XENOPROF_ENDED_NONSENSE;
    default:
        return guest->tables.image ? XENOPROF_ENDED_RULE
                                   : XENOPROF_ENDED_KERNEL;
    }
}

/* A caller is where its call is. */
static uint64_t address_of_frame(const struct unwind_result *result,
                                 uint32_t frame)
{
    return result->frames[frame] - !result->exact[frame];
}

static enum xenoprof_status take_walked_stack(
    struct guests *guests, struct xenoprof_writer *writer, struct guest *guest,
    struct walked_stack *stack, const struct unwind_result *result)
{
    uint64_t addresses[GUEST_FRAMES_MAX];
    uint32_t places[GUEST_FRAMES_MAX];
    uint32_t count = guest->tables.image
                         ? result->count
                         : count_code(guests, guest, stack, result);
    enum xenoprof_status code = XENOPROF_OK;

    stack->entered = count == result->count && result->end == UNWIND_USER;
    stack->ended = (uint8_t)(count < result->count
                                 ? XENOPROF_ENDED_KERNEL
                                 : end_of_kernel_chain(guest, stack,
                                                       result->end));
    for ( uint32_t i = 0; i < count; i++ )
        addresses[i] = address_of_frame(result, i);
    address_table_find_all(&guest->places[1], addresses, count, places);
    for ( uint32_t i = 0; !code && i < count; i++ )
    {
        if ( places[i] )
            continue;
        /* Names come before stacks, so what has no place yet was not named:
         * there was no room for all of them.  They are asked for again, unless
         * they would share the place of unknown code. */
        if ( guest->tables.image &&
             guests_account(guests, guest)->places_made < GUEST_PLACES_MAX )
            guest->walker.all_asked = false;
        code = guest_place(guests, writer, guest, XENOPROF_MODE_KERNEL,
                           addresses[i], NULL, &places[i]);
    }
    if ( !code && !walked_stacks_answer(stack, places, count) )
        code = XENOPROF_NO_MEMORY;
    return code;
}

/* Names first: places that have no name yet get it.  The guest may be gone, and
 * another may have its number, whose code is not to have these names. */
static enum xenoprof_status take_walker_answers(struct guests *guests,
                                                struct xenoprof_writer *writer,
                                                struct guest *guest)
{
    struct unwind_result result;
    enum xenoprof_status code = XENOPROF_OK;
    uint64_t tag;

    if ( guests->make_owner )
        code = guests->make_owner(guests->owners, writer, guest->last,
                                  guest->domain, guest->uuid);
    if ( !code )
        code = take_place_names(guests, writer, guest);
    if ( guests->calls )
        guests->calls->xen = NULL;
    while ( !code && walker_next_stack(guest->walker.link, &tag, &result) )
    {
        struct walked_stack *stack = walked_stacks_find(&guest->walker.stacks,
                                                        tag);

        if ( stack )
            code = take_walked_stack(guests, writer, guest, stack, &result);
    }
    if ( guest->walker.unnamed && guest->walker.cr3 )
        guests_look_at_modules(guests, guest);
    guest->walker.unnamed = false;
    return code;
}

static enum xenoprof_status receive_stacks(struct guests *guests,
                                           struct xenoprof_writer *writer,
                                           struct guest *guest)
{
    enum link_status status = walker_receive(guest->walker.link);
    uint64_t now = monotonic_now();

    if ( status == LINK_MORE )
        return XENOPROF_OK;
    if ( status != LINK_OK )
    {
        lose_kernel_walker(guests, guest, status);
        return XENOPROF_OK;
    }
    if ( now >= guest->walker.next_cpu )
    {
        guest_walker_count(guests, guest);
        guest->walker.next_cpu = now + SECOND;
    }
    return take_walker_answers(guests, writer, guest);
}

static void send_one(struct guests *guests, struct xenoprof_writer *writer,
                     struct guest *guest, bool all)
{
    struct guest_walker *walker = &guest->walker;
    enum link_status status;

    if ( !walker->link && !has_walker(guests, guest) )
        return;
    if ( walker_is_away(walker->link) )
        return;
    ask_late_names(writer, guest);
    if ( !walker_is_due(walker->link, monotonic_now()) && !all )
        return;
    status = walker_send(walker->link);
    if ( status == LINK_DIED || status == LINK_NONE )
        lose_kernel_walker(guests, guest, status);
}

static bool is_away(const struct guest *guest)
{
    return guest->used && guest->walker.link &&
           walker_is_away(guest->walker.link);
}

/* What of a guest may be away: its walker, its agent, the walker of its
 * processes. */
#define AWAY_MAX 3u

/* Returns how many there are. */
static nfds_t list_away(const struct guest *guest, struct pollfd *ret)
{
    const struct user_names *names = guest->user;
    struct user_walker *walker = names ? names->stacks.walker : NULL;
    /* An answer of the agent's that the walker has no room for yet: until it
     * has, nothing more is read from the agent. */
    bool has_reply = names && agent_link_reply(names->link);
    bool sends = has_reply || (walker && user_walker_gathers(walker));
    nfds_t count = 0;

    if ( names && agent_link_is_away(names->link) && !has_reply )
        ret[count++] = (struct pollfd){.fd = agent_link_fd(names->link),
                                       .events = POLLIN};
    if ( walker && (has_reply || user_walker_away(walker)) )
        ret[count++] = (struct pollfd){.fd = user_walker_fd(walker),
                                       .events = sends ? POLLIN | POLLOUT
                                                       : POLLIN};
    if ( is_away(guest) )
        ret[count++] = (struct pollfd){.fd = walker_fd(guest->walker.link),
                                       .events = POLLIN};
    return count;
}

/* Waits until one of those that are away has something, at most until then.
 * Returns false if none is away, or time is up. */
static bool wait_for_any(const struct guests *guests, uint64_t until)
{
    struct pollfd ready[GUESTS_MAX * AWAY_MAX];
    nfds_t count = 0;
    uint64_t now = monotonic_now();

    for ( uint32_t i = guests_next(guests, 0); i < GUESTS_MAX;
          i = guests_next(guests, i + 1) )
        count += list_away(&guests->guests[i], &ready[count]);
    if ( !count || now >= until )
        return false;
    poll(ready, count, (int)((until - now + MILLISECOND - 1) / MILLISECOND));
    return true;
}

enum xenoprof_status guests_exchange(struct guests *guests,
                                     struct xenoprof_writer *writer, bool all,
                                     uint64_t ns)
{
    uint64_t until = monotonic_now() + ns;
    enum xenoprof_status code = XENOPROF_OK;

    for ( uint32_t i = guests_next(guests, 0); i < GUESTS_MAX;
          i = guests_next(guests, i + 1) )
        if ( guests->guests[i].state != GUEST_BANNED )
            send_one(guests, writer, &guests->guests[i], all);
    do
    {
        for ( uint32_t i = guests_next(guests, 0); !code && i < GUESTS_MAX;
              i = guests_next(guests, i + 1) )
            if ( is_away(&guests->guests[i]) )
                code = receive_stacks(guests, writer, &guests->guests[i]);
        for ( uint32_t i = guests_next(guests, 0); !code && i < GUESTS_MAX;
              i = guests_next(guests, i + 1) )
            if ( guests->guests[i].user )
                code = guest_user_exchange(guests, writer, &guests->guests[i]);
    } while ( !code && wait_for_any(guests, until) );
    return code;
}
