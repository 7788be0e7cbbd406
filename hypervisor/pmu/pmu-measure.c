/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * By ticks: a set has its turn from one to another.  A counter that had to be
 * stopped in between counts as one that stood still all the time.
 */
#include "pmu-measure.h"

#define INTERVAL 1000000000ul /* ns */
#define BATCH    4u           /* records that go to a ring at once */

static void tell(struct pcpu *pcpu, const struct xenoprof_counted *counted,
                 uint32_t count)
{
    const struct ring_piece records[RING_PIECES] = {
        {counted, count * sizeof(*counted)},
    };

    if ( !count || ring_tell(pcpu->ring, records) == RING_FULL )
        return;
    for ( uint32_t i = 0; i < count; i++ )
    {
        pcpu->pmu.enabled[counted[i].event] = 0;
        pcpu->pmu.running[counted[i].event] = 0;
    }
}

static void tell_all(const struct pmu *pmu, struct pcpu *pcpu, uint64_t now)
{
    struct xenoprof_counted counted[BATCH];
    uint32_t count = 0;

    for ( uint32_t event = 0; event < pmu->events; event++ )
    {
        if ( !pcpu->pmu.enabled[event] )
            continue;
        counted[count++] = (struct xenoprof_counted){
            .head = {.kind = XENOPROF_RECORD_COUNTED,
                     .length = sizeof(*counted)},
            .time = now,
            .pcpu = pcpu->index,
            .event = event,
            .enabled = pcpu->pmu.enabled[event],
            .running = pcpu->pmu.running[event],
        };
        if ( count < BATCH )
            continue;
        tell(pcpu, counted, count);
        count = 0;
    }
    tell(pcpu, counted, count);
    pcpu->pmu.counted_at = now;
}

/* Returns how long this pCPU has worked since the last tick here; 0 at the
 * first. */
static uint64_t worked(struct pmu_here *here, uint64_t now)
{
    uint64_t idle = port_idle_time();
    uint64_t busy = now > idle ? now - idle : 0;
    uint64_t before = here->busy;

    here->busy = busy;
    return before && busy > before ? busy - before : 0;
}

static void add_counting_time(const struct pmu *pmu, struct pmu_here *here,
                              uint64_t ns)
{
    const struct pmu_set *set = &pmu->set[here->set % PMU_SETS];
    uint32_t counting = here->armed ? here->counting : 0;

    for ( uint32_t event = 0; event < pmu->events; event++ )
        if ( pmu->event[event].given )
            here->enabled[event] += ns;
    for ( unsigned int i = 0; i < set->slots; i++ )
        if ( counting >> i & 1 )
            here->running[set->slot[i].event] += ns;
}

void pmu_measure(const struct session *session, struct pcpu *pcpu, uint64_t now)
{
    uint64_t ns = worked(&pcpu->pmu, now);

    if ( ns )
        add_counting_time(session->pmu, &pcpu->pmu, ns);
    if ( now - pcpu->pmu.counted_at >= INTERVAL )
        tell_all(session->pmu, pcpu, now);
}

void pmu_measure_finish(const struct session *session, uint64_t now)
{
    for ( uint32_t i = 0; i < session->pcpus; i++ )
    {
        struct pcpu *pcpu = session_pcpu(session, i);

        if ( pcpu )
            tell_all(session->pmu, pcpu, now);
    }
}
