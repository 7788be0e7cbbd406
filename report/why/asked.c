/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "asked.h"

#include "findings.h"
#include "reasons.h"
#include "report/cells/leaf-thunks.h"

static unsigned int xen_traits(const char *symbol)
{
    struct symbol_reasons reasons;
    unsigned int traits = 0;

    if ( !symbol_reasons(symbol, &reasons) )
        return 0;
    if ( reasons.part )
        return TRAIT_ON_THE_WAY;
    for ( unsigned int i = 0; i < REASONS; i++ )
    {
        const enum xen_reason reason = (enum xen_reason)i;

        if ( !reasons.of_reason[i] )
            continue;
        traits |= reason_is_avoidable(reason) ? TRAIT_ADVICE : 0u;
        traits |= reason_is_way(reason) || reason == REASON_leave ? TRAIT_WAY
                                                                  : 0u;
    }
    return traits | (reasons.work ? TRAIT_WORK : TRAIT_ENTRY) |
           (reasons.by_caller ? TRAIT_BY_CALLER : 0u);
}

static unsigned int kernel_traits(const char *symbol)
{
    static const unsigned int of_role[] = {
        [ROLE_NONE] = TRAIT_WHO,
        [ROLE_TAKE] = 0,
        [ROLE_SPIN] = TRAIT_SPIN,
        [ROLE_INTERRUPT] = TRAIT_INTERRUPT,
    };

    return of_role[lock_role(symbol)];
}

static unsigned int symbol_hints(enum xenoprof_mode mode, const char *symbol)
{
    unsigned int thunk = symbol_is_thunk(symbol) ? TRAIT_THUNK : 0u;

    switch ( mode )
    {
    case XENOPROF_MODE_XEN: return thunk | xen_traits(symbol);
    case XENOPROF_MODE_KERNEL: return thunk | kernel_traits(symbol);
    default: return thunk | TRAIT_WHO;
    }
}

static bool entry_asks(const struct xenoprof_entry *entry)
{
    return reason_is_avoidable(reason_of_entry(entry));
}

const struct prune_rules overview_asks = {
    .traits = symbol_hints,
    .entry_asks = entry_asks,
};
