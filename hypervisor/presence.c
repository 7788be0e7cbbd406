/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "presence.h"

#define WAIT_STEP_US 50u
#define WAIT_STEPS   2000u

/* Odd while inside. */
static uint32_t sequence[PORT_PCPUS_MAX][PRESENCE_HALVES];

void presence_enter(enum presence_half half, unsigned int pcpu)
{
    /* A full barrier: what is looked at next was in sight after this. */
    __atomic_fetch_add(&sequence[pcpu][half], 1, __ATOMIC_SEQ_CST);
}

void presence_leave(enum presence_half half, unsigned int pcpu)
{
    uint32_t *mine = &sequence[pcpu][half];
    uint32_t inside = __atomic_load_n(mine, __ATOMIC_RELAXED);

    __atomic_store_n(mine, inside + 1, __ATOMIC_RELEASE);
}

static bool wait_for(uint32_t *one)
{
    /* Locked: what was taken out of sight before is so for everybody. */
    uint32_t seen = __atomic_fetch_add(one, 0, __ATOMIC_SEQ_CST);

    for ( unsigned int step = 0; step < WAIT_STEPS; step++ )
    {
        if ( !(seen & 1) || __atomic_load_n(one, __ATOMIC_ACQUIRE) != seen )
            return true;
        port_relax(WAIT_STEP_US);
    }
    return false;
}

bool presence_wait(enum presence_half half)
{
    unsigned int pcpus = port_pcpus();

    for ( unsigned int pcpu = 0; pcpu < pcpus; pcpu++ )
        if ( !wait_for(&sequence[pcpu][half]) )
            return false;
    return true;
}
