/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampler.h"

enum sampler_refusal sampler_choose(enum xenoprof_sampler asked, bool insist,
                                    enum port_slot slot, bool watchdog,
                                    enum xenoprof_sampler *ret)
{
    bool taken = slot == PORT_SLOT_OTHERS;

    *ret = XENOPROF_SAMPLER_TIMER;
    if ( asked != XENOPROF_SAMPLER_NMI )
        return SAMPLER_FINE;
    if ( taken && insist )
        return SAMPLER_SLOT_TAKEN;
    if ( !taken && (!watchdog || insist) )
        *ret = XENOPROF_SAMPLER_NMI;
    return SAMPLER_FINE;
}

enum sampler_claim sampler_claim(struct sampler_nmi nmi)
{
    /* The watchdog must see each of its ticks exactly once: it counts. */
    if ( nmi.watchdog && nmi.due )
        return nmi.asked ? SAMPLER_PASS_BOTH : SAMPLER_PASS;
    if ( nmi.asked )
        return SAMPLER_CLAIM;
    /* Two NMIs whose causes were both found at the first one. */
    if ( nmi.watchdog && nmi.followed )
        return SAMPLER_SWALLOW;
    return SAMPLER_PASS;
}
