/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest part of a sample's stack: what its walker answered, or its leaf. */
#include <string.h>

#include "guests.h"

/* Why there is no answer for a sample that a walker could walk. */
static enum xenoprof_ended unanswered(struct guests *guests,
                                      const struct guest *guest,
                                      const struct guest_sample *sample)
{
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
    if ( sample->mode != XENOPROF_MODE_KERNEL && sample->cut )
        return sample->cut;
    if ( sample->mode != XENOPROF_MODE_KERNEL )
        return user_stacks_want(guests, guest, sample)
                   ? XENOPROF_ENDED_WALKER
                   : user_stacks_lack(guests, guest);
    if ( !sample->registers )
        return XENOPROF_ENDED_GUEST;
    return sample->windows[0] ? unanswered(guests, guest, sample)
                              : XENOPROF_ENDED_PAGE;
}

/* Its name comes with the walker's next batch. */
static void ask_name(struct guest *guest, const struct guest_sample *sample)
{
    if ( sample->mode != XENOPROF_MODE_KERNEL || !guest->walker.link ||
         address_table_find(&guest->places[1], sample->ip) )
        return;
    if ( !walker_add_name(guest->walker.link, sample->ip) )
        guest->walker.all_asked = false;
}

static enum xenoprof_status just_leaf(struct guests *guests,
                                      struct xenoprof_writer *writer,
                                      struct guest *guest,
                                      const struct guest_sample *sample,
                                      struct guest_chain *ret)
{
    ask_name(guest, sample);
    ret->count = 1;
    ret->ended = leaf_ends(guests, guest, sample);
    if ( guest_user_is(guest, sample) )
        return guest_user_chain(guests, writer, guest, sample, ret);
    return guest_place(guests, writer, guest, sample->mode, sample->ip, NULL,
                       &ret->places[0]);
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

    if ( !stack || !stack->answered )
    {
        /* Whatever is answered later, nobody will come for it. */
        if ( stack )
            walked_stacks_drop(walked, stack);
        return just_leaf(guests, writer, guest, sample, ret);
    }
    ret->count = stack->count;
    ret->ended = (enum xenoprof_ended)stack->ended;
    memcpy(ret->places, stack->places, stack->count * sizeof(ret->places[0]));
    walked_stacks_drop(walked, stack);
    return XENOPROF_OK;
}
