/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NMIs may come between any two instructions of ticks and calls. */
#include "pmu-follow.h"

#define SOON 1u /* ms */
#define LATE PMU_FOLLOW_LATE

static void follow_late(struct pmu_here *here, uint64_t millisecond,
                        uint64_t now)
{
    uint64_t until = now + LATE * millisecond;

    __atomic_store_n(&here->follows, until ?: 1, __ATOMIC_RELAXED);
}

/* Unless a late one was to come after that; not from before a sleep of the
 * host. */
static void follow_soon(struct pmu_here *here, uint64_t millisecond,
                        uint64_t now)
{
    uint64_t before = __atomic_load_n(&here->follows, __ATOMIC_RELAXED);
    uint64_t until = (now + SOON * millisecond) ?: 1;

    if ( before - until > LATE * millisecond )
        __atomic_store_n(&here->follows, until, __ATOMIC_RELAXED);
}

void pmu_follow_soon(struct pmu_here *here, uint64_t millisecond)
{
    follow_soon(here, millisecond, port_ticks());
}

void pmu_follow_late(struct pmu_here *here, uint64_t millisecond)
{
    follow_late(here, millisecond, port_ticks());
}

void pmu_follow_note(struct pmu_here *here, uint64_t millisecond, uint64_t now,
                     const struct pmi_signs *signs, enum pmi_follows follows)
{
    /* An NMI with a cause came: of several that wait one is left. */
    if ( signs->overflowed || !signs->may_follow )
        here->more = 0;
    switch ( follows )
    {
    case PMI_FOLLOWS_NOT: here->follows = 0; break;
    case PMI_FOLLOWS_ONE_LESS:
        if ( here->more )
            here->more--;
        else
            here->follows = 0;
        break;
    case PMI_FOLLOWS_SOON: follow_soon(here, millisecond, now); break;
    case PMI_FOLLOWS_LATE: follow_late(here, millisecond, now); break;
    }
}

void pmu_follow_end(struct pmu_here *here, uint64_t millisecond)
{
    uint64_t until = __atomic_load_n(&here->follows, __ATOMIC_RELAXED);

    /* Not what an NMI notes meanwhile. */
    if ( until - port_ticks() > LATE * millisecond )
        __atomic_compare_exchange_n(&here->follows, &until, 0, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
