/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "asked.h"

#include "findings.h"
#include "reasons.h"
#include "report/cells/leaf-thunks.h"

static unsigned int xen_says(const char *symbol)
{
    struct symbol_reasons reasons;
    unsigned int says = 0;

    if ( !symbol_reasons(symbol, &reasons) )
        return 0;
    if ( reasons.part )
        return SAYS_PART;
    for ( unsigned int i = 0; i < REASONS; i++ )
    {
        const enum xen_reason reason = (enum xen_reason)i;

        if ( !reasons.of_reason[i] )
            continue;
        says |= reason_is_avoidable(reason) ? SAYS_ADVICE : 0u;
        says |= reason_is_way(reason) || reason == REASON_leave ? SAYS_WAY : 0u;
    }
    return says | (reasons.work ? SAYS_WORK : SAYS_ENTRY) |
           (reasons.by_caller ? SAYS_BY_CALLER : 0u);
}

static unsigned int kernel_says(const char *symbol)
{
    static const unsigned int of_role[] = {
        [ROLE_NONE] = SAYS_WHO,
        [ROLE_TAKE] = 0,
        [ROLE_SPIN] = SAYS_SPIN,
        [ROLE_INTERRUPT] = SAYS_INTERRUPT,
    };

    return of_role[lock_role(symbol)];
}

static unsigned int symbol_hints(enum xenoprof_mode mode, const char *symbol)
{
    unsigned int thunk = symbol_is_thunk(symbol) ? SAYS_THUNK : 0u;

    switch ( mode )
    {
    case XENOPROF_MODE_XEN: return thunk | xen_says(symbol);
    case XENOPROF_MODE_KERNEL: return thunk | kernel_says(symbol);
    default: return thunk | SAYS_WHO;
    }
}

static bool entry_asks(const struct xenoprof_entry *entry)
{
    return reason_is_avoidable(reason_of_entry(entry));
}

const struct prune_rules overview_asks = {
    .says = symbol_hints,
    .entry_asks = entry_asks,
};
