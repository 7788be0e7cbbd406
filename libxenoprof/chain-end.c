/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How chains end: names, and their coding in a stored sample's marks. */
#include "libxenoprof.h"

#define CAUSE_SHIFT XENOPROF_MARK_ENDED_SHIFT
#define CAUSE_MASK  ((1u << XENOPROF_MARK_ENDED_BITS) - 1)
#define BELOW       (1u << XENOPROF_MARK_BELOW_SHIFT)

/* A share of chains that a user should hear of: one in so many. */
#define WORTH 100

static const struct {
    const char *name;
    const char *text;
    const char *remedy;
} end_texts[XENOPROF_ENDS] = {
#define XENOPROF_CHAIN_END(number, NAME, name, text, remedy)                   \
    [number] = {#name, text, remedy},
#include <xenoprof/chain-ends.def>
#undef XENOPROF_CHAIN_END
};
_Static_assert(XENOPROF_ENDS <= CAUSE_MASK + 1, "raise the bits of marks.def");

const char *xenoprof_ended_name(enum xenoprof_ended ended)
{
    return ended < XENOPROF_ENDS ? end_texts[ended].name : NULL;
}

const char *xenoprof_ended_text(enum xenoprof_ended ended)
{
    return ended < XENOPROF_ENDS ? end_texts[ended].text : NULL;
}

const char *xenoprof_ended_remedy(enum xenoprof_ended ended, uint64_t chains,
                                  uint64_t all)
{
    return ended < XENOPROF_ENDS && chains >= all / WORTH + !!(all % WORTH) &&
                   all
               ? end_texts[ended].remedy
               : NULL;
}

/* The other two are a mark of their own, and TRUNCATED without a number. */
static bool has_number(enum xenoprof_ended ended)
{
    return ended != XENOPROF_ENDED_MOVED && ended != XENOPROF_ENDED_UNTOLD;
}

bool xenoprof_ended_below_xen(enum xenoprof_ended ended, uint8_t mode)
{
    return mode == XENOPROF_MODE_XEN &&
           (ended == XENOPROF_ENDED_GUEST || ended == XENOPROF_ENDED_LEFT);
}

void xenoprof_stored_set_ended(struct xenoprof_stored *sample,
                               enum xenoprof_ended ended)
{
    uint32_t cause = has_number(ended) ? ended : 0;

    sample->marks &= ~(CAUSE_MASK << CAUSE_SHIFT | XENOPROF_MARK_TRUNCATED |
                       BELOW);
    sample->marks |= cause << CAUSE_SHIFT;
    if ( ended == XENOPROF_ENDED_MOVED )
        sample->marks |= XENOPROF_MARK_MOVED;
    else if ( ended != XENOPROF_ENDED_ROOT &&
              !xenoprof_ended_below_xen(ended, sample->mode) )
        sample->marks |= XENOPROF_MARK_TRUNCATED;
}

enum xenoprof_ended xenoprof_stored_ended(const struct xenoprof_stored *sample)
{
    uint32_t cause = sample->marks >> CAUSE_SHIFT & CAUSE_MASK;

    if ( cause && cause < XENOPROF_ENDS )
        return (enum xenoprof_ended)cause;
    if ( sample->marks & XENOPROF_MARK_TRUNCATED )
        return XENOPROF_ENDED_UNTOLD;
    return sample->marks & XENOPROF_MARK_MOVED ? XENOPROF_ENDED_MOVED
                                               : XENOPROF_ENDED_ROOT;
}

void xenoprof_stored_set_below(struct xenoprof_stored *sample)
{
    sample->marks |= BELOW;
}

bool xenoprof_stored_below(const struct xenoprof_stored *sample)
{
    return sample->marks & BELOW;
}
