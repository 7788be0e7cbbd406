/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sample's stack: Xen's frames, then the guest's, as places. */
#include <string.h>

#include "daemon/guests/guest-thread.h"
#include "sample-stack.h"

/* Places, leaf first. */
struct place_chain {
    uint32_t places[XENOPROF_CHAIN_MAX + GUEST_CHAIN_MAX];
    size_t count;
};

static enum xenoprof_status add_xen(struct places *places,
                                    struct xenoprof_writer *writer,
                                    const struct xenoprof_view *view,
                                    struct place_chain *frames)
{
    const struct xenoprof_chain *chain = view->xen_stack;
    /* The first is the sample's own. */
    const uint64_t *callers = chain ? (const uint64_t *)(chain + 1) + 1 : NULL;
    const size_t count = chain && chain->count ? chain->count - 1 : 0;
    struct xenoprof_sample sample = *view->sample;
    enum xenoprof_status code;

    if ( view->precise )
        sample.ip = view->precise->ip;
    code = places_find(places, writer, &sample,
                       &frames->places[frames->count++]);
    if ( !code )
        code = places_find_callers(places, writer, &sample, callers, count,
                                   &frames->places[frames->count]);
    frames->count += count;
    return code;
}

/* What the sample says of the guest; false: nothing. */
static bool get_guest(const struct stack_sources *sources,
                      const struct xenoprof_view *view, const uint8_t *uuid,
                      struct guest_sample *ret)
{
    const struct xenoprof_sample *sample = view->sample;
    bool was_guest = sample->mode == XENOPROF_MODE_KERNEL ||
                     sample->mode == XENOPROF_MODE_USER;
    bool moved = sample->marks & XENOPROF_MARK_MOVED;

    *ret = (struct guest_sample){
        .time = sample->time,
        .domain = sample->domain,
        .uuid = uuid,
        .mode = was_guest ? sample->mode : XENOPROF_MODES,
        .ip = sample->ip,
        .registers = moved ? NULL : view->registers,
        .windows = {moved ? NULL : view->window, moved ? NULL : view->window2},
        .user_window = moved ? NULL : view->user_window,
        .no_process = sample->marks & XENOPROF_MARK_WAITING
                          ? XENOPROF_ENDED_ROOT
                          : XENOPROF_ENDED_PAGE,
        .tag = sources->tag,
        .cut = sources->cut,
    };
    /* The registers are those of a later instruction: only a kernel's stack is
     * walked from there. */
    if ( sample->mode == XENOPROF_MODE_USER && view->precise )
    {
        ret->ip = view->precise->ip;
        ret->registers = NULL;
        ret->windows[0] = ret->windows[1] = NULL;
    }
    if ( !was_guest && !moved && view->guest && sources->below_xen )
    {
        ret->mode = view->guest->mode;
        ret->ip = view->guest->ip;
    }
    ret->thread = guest_thread(view->task);
    return uuid && ret->ip &&
           (ret->mode == XENOPROF_MODE_KERNEL ||
            ret->mode == XENOPROF_MODE_USER);
}

/* The same windows, of the same guest at the same place. */
static bool is_last(const struct stack_last *last,
                    const struct guest_sample *guest, uint32_t marks)
{
    return (marks & XENOPROF_MARK_SAME_STACK) && last->chain.count &&
           last->ip == guest->ip && last->domain == guest->domain;
}

/* Of the places those that there are. */
static void copy_chain(struct guest_chain *to, const struct guest_chain *from)
{
    to->count = from->count;
    to->ended = from->ended;
    to->below = from->below;
    memcpy(to->places, from->places, from->count * sizeof(from->places[0]));
}

static enum xenoprof_status get_chain(struct guests *guests,
                                      struct xenoprof_writer *writer,
                                      const struct guest_sample *guest,
                                      uint32_t marks, struct stack_last *last,
                                      struct guest_chain *ret)
{
    enum xenoprof_status code;

    if ( is_last(last, guest, marks) )
    {
        copy_chain(ret, &last->chain);
        return XENOPROF_OK;
    }
    code = guests_chain(guests, writer, guest, ret);
    /* It was read, but for a sample that did not come here. */
    if ( marks & XENOPROF_MARK_SAME_STACK && ret->ended == XENOPROF_ENDED_PAGE )
        ret->ended = XENOPROF_ENDED_SAME;
    if ( marks & XENOPROF_MARK_NO_FACTS && ret->ended == XENOPROF_ENDED_PAGE )
        ret->ended = XENOPROF_ENDED_FACTS;
    if ( !code && guest->windows[0] )
    {
        last->ip = guest->ip;
        last->domain = guest->domain;
        copy_chain(&last->chain, ret);
    }
    return code;
}

/* A kernel's stack is that of what was interrupted; what was counted is its
 * leaf. */
static enum xenoprof_status set_leaf(struct guests *guests,
                                     struct xenoprof_writer *writer,
                                     const struct guest_sample *guest,
                                     uint64_t ip, struct guest_chain *chain)
{
    struct guest_sample leaf = *guest;
    struct guest_chain found;
    enum xenoprof_status code;

    leaf.ip = ip;
    leaf.registers = NULL;
    leaf.windows[0] = leaf.windows[1] = leaf.user_window = NULL;
    code = guests_chain(guests, writer, &leaf, &found);
    if ( !code )
        chain->places[0] = found.places[0];
    return code;
}

static enum xenoprof_status add_guest(const struct stack_sources *sources,
                                      struct xenoprof_writer *writer,
                                      const struct xenoprof_view *view,
                                      const struct guest_sample *guest,
                                      struct stack_last *last,
                                      struct place_chain *frames,
                                      struct xenoprof_stored *stored)
{
    struct guest_chain chain;
    enum xenoprof_status code = get_chain(sources->guests, writer, guest,
                                          stored->marks, last, &chain);

    if ( !code && view->precise && view->sample->mode == XENOPROF_MODE_KERNEL )
        code = set_leaf(sources->guests, writer, guest, view->precise->ip,
                        &chain);
    if ( code )
        return code;
    memcpy(frames->places + frames->count, chain.places,
           chain.count * sizeof(chain.places[0]));
    frames->count += chain.count;
    if ( sources->below_xen && !(stored->marks & XENOPROF_MARK_MOVED) )
    {
        xenoprof_stored_set_ended(stored, chain.ended);
        if ( chain.below )
            xenoprof_stored_set_below(stored);
    }
    return XENOPROF_OK;
}

/* Whether a guest's part should be there: its kernel was interrupted, or Xen in
 * its domain. */
static bool wants_guest(const struct stack_sources *sources,
                        const struct xenoprof_sample *sample)
{
    return sources->guests && sources->below_xen &&
           (sample->mode == XENOPROF_MODE_XEN ||
            sample->mode == XENOPROF_MODE_KERNEL) &&
           sample->domain != DOMAIN_ID_IDLE &&
           !(sample->marks & (XENOPROF_MARK_FOREIGN | XENOPROF_MARK_MOVED));
}

enum xenoprof_status sample_stack_look(const struct stack_sources *sources,
                                       struct xenoprof_writer *writer,
                                       const struct xenoprof_view *view,
                                       const uint8_t uuid[16], uint64_t now)
{
    struct guest_sample guest;

    if ( !sources->guests || !get_guest(sources, view, uuid, &guest) )
        return XENOPROF_OK;
    if ( guest.time < now )
        guest.time = now;
    return guests_look(sources->guests, writer, &guest);
}

enum guest_wait sample_stack_wait(const struct stack_sources *sources,
                                  const struct xenoprof_view *view,
                                  const uint8_t uuid[16])
{
    struct guest_sample guest;

    return sources->guests && get_guest(sources, view, uuid, &guest)
               ? guests_wait_for(sources->guests, &guest)
               : GUEST_READY;
}

bool sample_stack_ask(const struct stack_sources *sources,
                      const struct xenoprof_view *view, const uint8_t uuid[16])
{
    struct guest_sample guest;

    return !sources->guests || !get_guest(sources, view, uuid, &guest) ||
           guests_ask(sources->guests, &guest);
}

bool sample_stack_can_ask(const struct stack_sources *sources,
                          const struct xenoprof_view *view,
                          const uint8_t uuid[16])
{
    struct guest_sample guest;

    return sources->guests && get_guest(sources, view, uuid, &guest) &&
           guests_can_ask(sources->guests, &guest);
}

bool sample_stack_walks(const struct stack_sources *sources,
                        const struct xenoprof_view *view,
                        const uint8_t uuid[16])
{
    struct guest_sample guest;

    return sources->guests && get_guest(sources, view, uuid, &guest) &&
           guests_walks(sources->guests, &guest);
}

/* Behind own, Xen's frames, are the guest's: whoever changes its stack at each
 * sample has Xen's, or its leaf. */
static void keep_to_share(const struct stack_sources *sources,
                          struct xenoprof_writer *writer,
                          const struct guest_sample *guest,
                          struct place_chain *frames, size_t own,
                          struct xenoprof_stored *stored)
{
    size_t more = xenoprof_writer_new_frames(writer, frames->places + own,
                                             frames->count - own);

    if ( !more || guests_may_add(sources->guests, guest, more) )
        return;
    frames->count = own ? own : 1;
    xenoprof_stored_set_ended(stored, XENOPROF_ENDED_STACKS);
}

/* Puts the chain into *frames, and where it ended into *stored. */
static enum xenoprof_status find_chain(const struct stack_sources *sources,
                                       struct xenoprof_writer *writer,
                                       const struct xenoprof_view *view,
                                       const uint8_t uuid[16],
                                       struct stack_last *last,
                                       struct place_chain *frames,
                                       struct xenoprof_stored *stored)
{
    struct guest_sample guest;
    bool has_guest = sources->guests && get_guest(sources, view, uuid, &guest);
    bool in_xen = view->sample->mode == XENOPROF_MODE_XEN;
    /* Xen's part: nothing is stored below a gap. */
    bool torn = in_xen && stored->marks & XENOPROF_MARK_TRUNCATED;
    size_t own;
    enum xenoprof_status code = XENOPROF_OK;

    if ( !has_guest && wants_guest(sources, view->sample) )
        xenoprof_stored_set_ended(stored, XENOPROF_ENDED_GUEST);
    /* Xen's own frames, unless it was not in Xen. */
    if ( !has_guest || in_xen )
        code = add_xen(sources->places, writer, view, frames);
    own = frames->count;
    if ( !code && has_guest )
        code = add_guest(sources, writer, view, &guest, last, frames, stored);
    if ( stored->marks & XENOPROF_MARK_SWITCHED &&
         xenoprof_stored_ended(stored) == XENOPROF_ENDED_GUEST &&
         !xenoprof_stored_below(stored) )
        xenoprof_stored_set_ended(stored, XENOPROF_ENDED_LEFT);
    if ( torn )
    {
        frames->count = own;
        xenoprof_stored_set_ended(stored, XENOPROF_ENDED_XEN);
    }
    if ( !code && has_guest )
        keep_to_share(sources, writer, &guest, frames, own, stored);
    return code;
}

enum xenoprof_status sample_stack_store(const struct stack_sources *sources,
                                        struct xenoprof_writer *writer,
                                        const struct xenoprof_view *view,
                                        const uint8_t uuid[16],
                                        struct stack_last *last,
                                        struct xenoprof_stored *stored)
{
    struct place_chain frames; /* not cleared: few have many places */
    enum xenoprof_status code;

    frames.count = 0;
    frames.places[0] = 0;
    code = find_chain(sources, writer, view, uuid, last, &frames, stored);
    stored->place = frames.places[0];
    stored->stack = frames.count > 1 ? (uint32_t)frames.count : 0;
    return code ? code
                : xenoprof_writer_sample(writer, stored, frames.places,
                                         frames.count);
}
