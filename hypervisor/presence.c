/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Presence: a sequence for each pCPU and half, odd while that half runs.
 *
 * A half enters, then loads a pointer; the freeing side takes the pointer away,
 * then looks at the sequence.  With a full barrier on both sides one of them
 * sees the other: the half finds the pointer gone, or is found inside.
 */
#include "presence.h"

#define WAIT_STEP_US 50u
#define WAIT_STEPS   2000u

/* On a line of its own: each half has a locked instruction on it. */
static struct presence {
    uint32_t half[PORT_CACHE_LINE / sizeof(uint32_t)];
} presences[PORT_PCPUS_MAX];

bool presence_enter(enum presence_half half, unsigned int pcpu)
{
    if ( pcpu >= PORT_PCPUS_MAX )
        return false;
    /* The half's full barrier, with wait_for(): no pointer is loaded before it
     * is visible. */
    __atomic_fetch_add(&presences[pcpu].half[half], 1, __ATOMIC_SEQ_CST);
    return true;
}

void presence_leave(enum presence_half half, unsigned int pcpu)
{
    uint32_t *mine = &presences[pcpu].half[half];
    uint32_t inside = __atomic_load_n(mine, __ATOMIC_RELAXED);

    /* Release, with the acquire in wait_for(): all uses are over. */
    __atomic_store_n(mine, inside + 1, __ATOMIC_RELEASE);
}

static bool wait_for(uint32_t *one)
{
    /* The freeing side's full barrier, with presence_enter(): a locked
     * instruction, so that what was taken away before is gone for every half
     * that enters after. */
    uint32_t seen = __atomic_fetch_add(one, 0, __ATOMIC_SEQ_CST);

    for ( unsigned int step = 0; step < WAIT_STEPS; step++ )
    {
        /* Acquire, with presence_leave(): frees only after the last use. */
        if ( !(seen & 1) || __atomic_load_n(one, __ATOMIC_ACQUIRE) != seen )
            return true;
        port_relax(WAIT_STEP_US);
    }
    return false;
}

bool presence_elsewhere(enum presence_half half)
{
    unsigned int pcpus = port_pcpus(), here = port_pcpu();

    /* The other side's full barrier, as in wait_for(). */
    for ( unsigned int pcpu = 0; pcpu < pcpus; pcpu++ )
        if ( pcpu != here && __atomic_fetch_add(&presences[pcpu].half[half], 0,
                                                __ATOMIC_SEQ_CST) &
                                 1 )
            return true;
    return false;
}

bool presence_wait(enum presence_half half)
{
    unsigned int pcpus = port_pcpus();

    for ( unsigned int pcpu = 0; pcpu < pcpus; pcpu++ )
        if ( !wait_for(&presences[pcpu].half[half]) )
            return false;
    return true;
}
