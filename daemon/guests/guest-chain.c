/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest part of a sample's stack: what its walker answered, or its leaf. */
#include <string.h>

#include "guest-below.h"
#include "guest-cached.h"

/* Why callers of a process were not asked for, or there is no answer: the
 * walker is asked when the agent has said what the process has mapped. */
static enum xenoprof_ended process_ends(struct guests *guests,
                                        const struct guest *guest,
                                        const struct guest_sample *sample)
{
    if ( sample->cut )
        return sample->cut;
    return user_stacks_want(guests, guest, sample) &&
                   user_stacks_know(&guest->user->stacks, sample)
               ? XENOPROF_ENDED_WALKER
               : user_stacks_lack(guests, guest);
}

/* Why the walker was not asked, or did not answer. */
static enum xenoprof_ended leaf_ends(struct guests *guests,
                                     const struct guest *guest,
                                     const struct guest_sample *sample)
{
    /* Of a process nobody asks for more than its leaf, but for a stack that is
     * there. */
    if ( sample->mode != XENOPROF_MODE_KERNEL &&
         !(guest_user_is(guest, sample) && sample->windows[0]) )
        return XENOPROF_ENDED_ROOT;
    if ( sample->mode != XENOPROF_MODE_KERNEL )
        return process_ends(guests, guest, sample);
    if ( !sample->registers )
        return XENOPROF_ENDED_GUEST;
    if ( !sample->windows[0] )
        return XENOPROF_ENDED_PAGE;
    /* A walker could walk it. */
    if ( guest->state == GUEST_BANNED )
        return XENOPROF_ENDED_BANNED;
    if ( guests_are_blind(guests) )
        return XENOPROF_ENDED_KEEPER;
    if ( guest->state == GUEST_STRANGE && !guest->tables.frame_pointers )
        return XENOPROF_ENDED_KERNEL;
    if ( guest_account_is_spent(guests_account(guests, guest)) )
        return XENOPROF_ENDED_SPENT;
    if ( sample->cut )
        return sample->cut;
    return guest->tables.image || guest->tables.frame_pointers
               ? XENOPROF_ENDED_WALKER
               : XENOPROF_ENDED_SEARCH;
}

static enum xenoprof_status just_leaf(struct guests *guests,
                                      struct xenoprof_writer *writer,
                                      struct guest *guest,
                                      const struct guest_sample *sample,
                                      struct guest_chain *ret)
{
    /* Its name comes with the walker's next batch. */
    if ( sample->mode == XENOPROF_MODE_KERNEL && guest->walker.link &&
         !address_table_find(&guest->places[1], sample->ip) &&
         !walker_add_name(guest->walker.link, sample->ip) )
        guest->walker.all_asked = false;
    ret->count = 1;
    ret->below = false;
    ret->ended = leaf_ends(guests, guest, sample);
    if ( guest_user_is(guest, sample) )
        return guest_user_chain(guests, writer, guest, sample, ret);
    if ( guest_cached_is(guest, sample) )
        return guest_cached_leaf(guests, writer, guest, sample,
                                 &ret->places[0]);
    return guest_place(guests, writer, guest, sample->mode, sample->ip, NULL,
                       &ret->places[0]);
}

/* Nobody will come for the process's part again. */
static bool take_below(struct guest *guest, const struct guest_below *below,
                       struct guest_chain *ret)
{
    return user_stacks_take(&guest->user->stacks, &below->sample, ret);
}

/* Why the process's part is not there. */
static enum xenoprof_ended below_ends(struct guests *guests,
                                      const struct guest *guest,
                                      const struct guest_sample *sample)
{
    struct guest_below below;

    /* Where no agent answers nobody expects more than the kernel's part. */
    if ( !agent_link_has_rows(guest->user->link) )
        return XENOPROF_ENDED_ROOT;
    if ( !sample->user_window )
        return sample->no_process;
    if ( !guest_below_get(sample, &below) )
        return XENOPROF_ENDED_GUEST;
    return sample->cut || user_stacks_know(&guest->user->stacks, sample)
               ? process_ends(guests, guest, &below.sample)
               : user_stacks_lack(guests, guest);
}

/* Behind a kernel's chain, up to where a process entered it, goes that
 * process's. */
static void add_below(struct guests *guests, struct guest *guest,
                      const struct guest_sample *sample,
                      struct guest_chain *ret)
{
    struct guest_below below;
    struct guest_chain process;

    if ( !guest->user || !guests->below_kernels )
        return;
    if ( !guest_below_get(sample, &below) ||
         !take_below(guest, &below, &process) )
    {
        ret->ended = below_ends(guests, guest, sample);
        ret->below = ret->ended != XENOPROF_ENDED_ROOT;
        return;
    }
    memcpy(ret->places + ret->count, process.places,
           process.count * sizeof(process.places[0]));
    ret->count += process.count;
    ret->ended = process.ended;
    ret->below = true;
}

static void drop_below(struct guest *guest, const struct guest_sample *sample)
{
    struct guest_below below;
    struct guest_chain unused;

    if ( guest->user && guest_below_get(sample, &below) )
        take_below(guest, &below, &unused);
}

enum xenoprof_status guests_chain(struct guests *guests,
                                  struct xenoprof_writer *writer,
                                  const struct guest_sample *sample,
                                  struct guest_chain *ret)
{
    struct guest *guest = guests_find(guests, sample);
    struct walked_stacks *walked = &guest->walker.stacks;
    struct walked_stack *stack = sample->mode == XENOPROF_MODE_KERNEL
                                     ? walked_stacks_find(walked, sample->tag)
                                     : NULL;

    if ( stack && stack->answered )
    {
        ret->count = stack->count;
        ret->below = false;
        ret->ended = (enum xenoprof_ended)stack->ended;
        memcpy(ret->places, stack->places,
               stack->count * sizeof(ret->places[0]));
        if ( stack->entered )
            add_below(guests, guest, sample, ret);
        else
            drop_below(guest, sample);
        walked_stacks_drop(walked, stack);
        return XENOPROF_OK;
    }
    /* Whatever is answered later, nobody will come for it. */
    if ( stack )
        walked_stacks_drop(walked, stack);
    drop_below(guest, sample);
    return just_leaf(guests, writer, guest, sample, ret);
}
