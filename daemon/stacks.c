/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacks.h"

/* Places, leaf first. */
struct frames {
    uint32_t places[XENOPROF_CHAIN_MAX];
    size_t count;
};

static enum xenoprof_code add_xen(struct places *places,
                                  struct xenoprof_writer *writer,
                                  const struct xenoprof_view *view,
                                  struct frames *frames)
{
    const struct xenoprof_chain *chain = view->xen_stack;
    const uint64_t *addresses = (const uint64_t *)(chain + 1);
    struct xenoprof_sample caller = *view->sample;
    enum xenoprof_code code = XENOPROF_OK;

    caller.mode = XENOPROF_MODE_XEN;
    /* The first is the sample's own. */
    for ( uint32_t i = 1; !code && i < chain->count; i++ )
    {
        caller.ip = addresses[i] - 1;
        code = places_find(places, writer, &caller,
                           &frames->places[frames->count++]);
    }
    return code;
}

enum xenoprof_code stacks_store(struct places *places,
                                struct xenoprof_writer *writer,
                                const struct xenoprof_view *view,
                                struct xenoprof_stored *stored)
{
    struct frames frames = {.count = 1};
    enum xenoprof_code code = places_find(places, writer, view->sample,
                                          &frames.places[0]);

    stored->place = frames.places[0];
    stored->stack = 0;
    if ( !code && view->xen_stack )
        code = add_xen(places, writer, view, &frames);
    if ( !code && frames.count > 1 )
        code = xenoprof_writer_stack(writer, frames.places, frames.count,
                                     &stored->stack);
    return code;
}
