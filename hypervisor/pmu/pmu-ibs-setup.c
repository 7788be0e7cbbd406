/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IBS, from the door's line to a slot of a set, and what it is refused for.
 */
#include "pmu-ibs-setup.h"
#include "hypervisor/message.h"

int pmu_ibs_event(const struct pmu *pmu, const struct words *words,
                  struct pmu_event *ret)
{
    uint64_t unit = words->value[KEY_IBS];

    ret->ibs = unit;
    ret->select = words->value[KEY_SELECT];
    ret->count = words->value[KEY_COUNT];
    pmu_set_least(ret, XENOPROF_EVENT_LEAST_FREQUENT, words->value[KEY_INSIST]);
    ret->most = pmu->ibs.most[unit];
    if ( !ret->most )
        return refuse(ERROR_NOT_SUPPORTED,
                      "this processor has no instruction-based sampling (IBS) "
                      "of that kind that CPUID shows; count events");
    if ( words->given & 1u << KEY_FIXED ||
         ret->select & ~pmu->ibs.options[unit] )
        return refuse(ERROR_INVALID,
                      "select=%lx has bits that this processor's IBS does not "
                      "take from outside; these are in %lx, without fixed=",
                      ret->select, pmu->ibs.options[unit]);
    if ( ret->count && (ret->count < ret->least || ret->count > ret->most ||
                        ret->count % PMU_IBS_STEP) )
        return refuse(ERROR_RANGE,
                      "count=%u is none of IBS: a multiple of %u from %u to %u",
                      ret->count, PMU_IBS_STEP, ret->least, ret->most);
    return 0;
}

int pmu_ibs_take(const struct pmu_set *set, const struct pmu_event *event,
                 struct pmu_slot *ret)
{
    for ( unsigned int i = 0; i < set->slots; i++ )
        if ( set->slot[i].ibs == event->ibs )
            return refuse(ERROR_BUSY,
                          "set %u has that unit of IBS already, and the "
                          "processor has it once; put the event in another set",
                          event->set);
    pmu_ibs_slot(event->ibs, event->select, ret);
    return 0;
}

struct look_ibs {
    const struct session *session;
    uint32_t entry; /* + 1 */
    uint32_t pcpu;  /* one that it is refused for, */
    enum pmu_ibs_refusal refusal;
};

/* Called on each pCPU: any of the refusals will do. */
static void look_at_ibs(void *data)
{
    struct look_ibs *look = data;
    enum pmu_ibs_refusal refusal;

    if ( !look->session->chosen[port_pcpu()] )
        return;
    refusal = pmu_ibs_check(&look->session->pmu->ibs, &look->entry);
    if ( !refusal )
        return;
    look->refusal = refusal;
    look->pcpu = port_pcpu();
}

static int refuse_ibs(const struct look_ibs *look)
{
    switch ( look->refusal )
    {
    case PMU_IBS_NOT_REFUSED: break;
    case PMU_IBS_REFUSED_LACKS:
        return refuse(ERROR_NOT_SUPPORTED,
                      "pCPU %u does not have the registers of IBS that CPUID "
                      "shows, or not those of the other pCPUs; count events",
                      look->pcpu);
    case PMU_IBS_REFUSED_NO_ENTRY:
        return refuse(ERROR_NOT_SUPPORTED,
                      "the firmware has not chosen which interrupt the IBS of "
                      "pCPU %u makes (MSR c001103a); count events",
                      look->pcpu);
    case PMU_IBS_REFUSED_DIFFERS:
        return refuse(ERROR_NOT_SUPPORTED,
                      "the IBS of pCPU %u makes another interrupt than that of "
                      "other pCPUs (MSR c001103a); count events",
                      look->pcpu);
    case PMU_IBS_REFUSED_USED:
        return refuse(ERROR_BUSY,
                      "the interrupt that the IBS of pCPU %u makes is used for "
                      "something else, or is not there; count events",
                      look->pcpu);
    case PMU_IBS_REFUSED_COUNTS:
        return refuse(ERROR_BUSY,
                      "the IBS of pCPU %u counts already, for the firmware or "
                      "others; count events",
                      look->pcpu);
    }
    return 0;
}

static bool wants_ibs(const struct pmu *pmu)
{
    for ( unsigned int i = 0; i < pmu->sets; i++ )
        if ( pmu->set[i].ibs )
            return true;
    return false;
}

int pmu_ibs_start(struct session *session)
{
    struct look_ibs look = {.session = session};

    session->pmu->entry = 0;
    if ( !wants_ibs(session->pmu) )
        return 0;
    port_on_pcpus(look_at_ibs, &look);
    session->pmu->entry = look.refusal ? 0 : look.entry;
    return refuse_ibs(&look);
}
