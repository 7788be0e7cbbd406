/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NMIs may come between any two instructions of ticks and calls. */
#include "pmu-follow.h"

#define SOON    1u /* ms */
#define LATE    100u
#define GIVE_UP 1000u /* behind that, where no ticks are */

static void follow(struct pmu_here *here, uint64_t millisecond, uint32_t ms)
{
    uint64_t before = __atomic_load_n(&here->follows, __ATOMIC_RELAXED);
    uint64_t until = (port_ticks() + ms * millisecond) ?: 1;

    /* Unless there is a later one; not from before a sleep of the host. */
    if ( before - until > LATE * millisecond )
        __atomic_store_n(&here->follows, until, __ATOMIC_RELAXED);
}

void pmu_follow_soon(struct pmu_here *here, uint64_t millisecond)
{
    follow(here, millisecond, SOON);
}

void pmu_follow_late(struct pmu_here *here, uint64_t millisecond)
{
    follow(here, millisecond, LATE);
}

bool pmu_follow_may(const struct pmu_here *here, uint64_t millisecond,
                    uint64_t now)
{
    uint64_t since = now + LATE * millisecond - here->follows;

    return here->follows && since <= (LATE + GIVE_UP) * millisecond;
}

void pmu_follow_note(struct pmu_here *here, uint64_t millisecond,
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
    case PMI_FOLLOWS_SOON: pmu_follow_soon(here, millisecond); break;
    case PMI_FOLLOWS_LATE: pmu_follow_late(here, millisecond); break;
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
