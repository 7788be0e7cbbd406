/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How chains end: names, and their coding in a stored sample's marks. */
#include "libxenoprof.h"

#define CAUSE_SHIFT XENOPROF_MARK_ENDED_SHIFT
#define CAUSE_MASK  ((1u << XENOPROF_MARK_ENDED_BITS) - 1)

static const struct {
    const char *name;
    const char *text;
} ends[XENOPROF_ENDS] = {
    [XENOPROF_ENDED_ROOT] = {"root", "reached their root"},
    [XENOPROF_ENDED_XEN] = {"xen", "ended in code of Xen without a row"},
    [XENOPROF_ENDED_WINDOW] = {"window", "went beyond the window"},
    [XENOPROF_ENDED_PAGE] = {"page", "came to a page that is not there"},
    [XENOPROF_ENDED_RULE] = {"rule", "came to code without an unwind row"},
    [XENOPROF_ENDED_NONSENSE] = {"nonsense", "met a stack that makes no sense"},
    [XENOPROF_ENDED_KERNEL] = {"kernel", "are of a kernel that was not known"},
    [XENOPROF_ENDED_GUEST] = {"guest", "lack the guest, whose state could "
                                       "not be read"},
    [XENOPROF_ENDED_MOVED] = {"moved", "lack the guest, which had moved"},
    [XENOPROF_ENDED_UNTOLD] = {"untold", "ended early"},
};

const char *xenoprof_ended_name(enum xenoprof_ended ended)
{
    return ended < XENOPROF_ENDS ? ends[ended].name : NULL;
}

const char *xenoprof_ended_text(enum xenoprof_ended ended)
{
    return ended < XENOPROF_ENDS ? ends[ended].text : NULL;
}

void xenoprof_stored_set_ended(struct xenoprof_stored *sample,
                               enum xenoprof_ended ended)
{
    uint32_t cause = ended < XENOPROF_ENDED_MOVED ? ended : 0;

    sample->marks &= ~(CAUSE_MASK << CAUSE_SHIFT | XENOPROF_MARK_TRUNCATED);
    sample->marks |= cause << CAUSE_SHIFT;
    if ( ended == XENOPROF_ENDED_MOVED )
        sample->marks |= XENOPROF_MARK_MOVED;
    else if ( ended != XENOPROF_ENDED_ROOT &&
              (ended != XENOPROF_ENDED_GUEST ||
               sample->mode != XENOPROF_MODE_XEN) )
        sample->marks |= XENOPROF_MARK_TRUNCATED;
}

enum xenoprof_ended xenoprof_stored_ended(const struct xenoprof_stored *sample)
{
    uint32_t cause = sample->marks >> CAUSE_SHIFT & CAUSE_MASK;

    if ( cause )
        return (enum xenoprof_ended)cause;
    if ( sample->marks & XENOPROF_MARK_TRUNCATED )
        return XENOPROF_ENDED_UNTOLD;
    return sample->marks & XENOPROF_MARK_MOVED ? XENOPROF_ENDED_MOVED
                                               : XENOPROF_ENDED_ROOT;
}
