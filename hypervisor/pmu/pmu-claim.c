/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules by which NMIs are shared with Xen's watchdog and with others.
 */
#include "pmu-claim.h"

/* Two causes that were found at one NMI may have made two, of which one waits.
 * Without a status register the counters are read one after the other, so a
 * counter may overflow after its own reading, be found at the next NMI, and
 * have made a third.  One that was to follow may have been this one, and its
 * cause's own still follows. */
static enum pmi_follows what_follows(const struct pmi_signs *pmi)
{
    if ( pmi->overflowed && !pmi->status && pmi->armed > 1 )
        return PMI_FOLLOWS_LATE;
    if ( pmi->overflowed > 1 || (pmi->overflowed && pmi->due) ||
         pmi->may_follow )
        return PMI_FOLLOWS_SOON;
    return PMI_FOLLOWS_NOT;
}

struct pmi_verdict pmi_claim(const struct pmi_signs *pmi)
{
    /* Each NMI that the watchdog sees starts its counter anew, and one of its
     * own is to be seen once: it gets all of its own, and no other. */
    if ( pmi->overflowed )
        return (struct pmi_verdict){pmi->due ? PMI_PASS_BOTH : PMI_CLAIM,
                                    what_follows(pmi)};
    if ( pmi->due )
        return (struct pmi_verdict){pmi->asked ? PMI_PASS_BOTH : PMI_PASS,
                                    what_follows(pmi)};
    if ( pmi->asked )
        return (struct pmi_verdict){PMI_CLAIM, what_follows(pmi)};
    if ( pmi->may_follow )
        return (struct pmi_verdict){PMI_SWALLOW, PMI_FOLLOWS_ONE_LESS};
    return (struct pmi_verdict){PMI_PASS, what_follows(pmi)};
}
