/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events, from the door's line to a counter of a set.
 */
#include "pmu-ibs-setup.h"
#include "pmu-left.h"
#include "pmu-setup.h"
#include "pmu-trial.h"
#include "hypervisor/message.h"

#define FIXED_BITS      4u /* of each in their common register: */
#define FIXED_OS        1u
#define FIXED_USER      2u
#define FIXED_INTERRUPT 8u
#define FIXED_FIRST_BIT 32u /* in the registers for all counters */

/* Refusals ----------------------------------------------------------------- */

enum pmu_refusal pmu_setup_refusal(const struct pmu_signs *signs)
{
    if ( signs->presence == PMU_ABSENT )
        return PMU_REFUSED_ABSENT;
    if ( signs->presence == PMU_TOO_OLD )
        return PMU_REFUSED_OLD;
    if ( signs->owner == PORT_PMU_UNKNOWN )
        return PMU_REFUSED_UNKNOWN;
    if ( signs->owner == PORT_PMU_GUESTS )
        return PMU_REFUSED_GUESTS;
    if ( signs->owner == PORT_PMU_PROFILER )
        return PMU_REFUSED_PROFILER;
    if ( signs->together )
        return PMU_REFUSED_TOGETHER;
    if ( signs->blind )
        return PMU_REFUSED_BLIND;
    if ( signs->fatal )
        return PMU_REFUSED_FATAL;
    return signs->slot == PORT_SLOT_OTHERS ? PMU_REFUSED_SLOT : PMU_NOT_REFUSED;
}

static int refuse_for(enum pmu_refusal refusal)
{
    switch ( refusal )
    {
    case PMU_NOT_REFUSED: break;
    case PMU_REFUSED_ABSENT:
        return refuse(ERROR_NOT_SUPPORTED,
                      "this processor has no counters of events (PMU) that "
                      "CPUID shows; sample by time");
    case PMU_REFUSED_OLD:
        return refuse(ERROR_NOT_SUPPORTED,
                      "this processor's counters of events are Intel's first "
                      "version, which does not say which overflowed; sample "
                      "by time");
    case PMU_REFUSED_UNKNOWN:
        return refuse(ERROR_NOT_SUPPORTED,
                      "this Xen does not show who has the counters of events "
                      "(vpmu_mode, x2apic_enabled); sample by time");
    case PMU_REFUSED_GUESTS:
        return refuse(ERROR_BUSY,
                      "guests have the counters of events (vpmu=); boot Xen "
                      "without vpmu, or sample by time");
    case PMU_REFUSED_PROFILER:
        return refuse(ERROR_BUSY,
                      "Xen's own xenoprof has the counters of events, for dom0 "
                      "or a guest that called it (xenoprof_op); end that, or "
                      "sample by time");
    case PMU_REFUSED_TOGETHER:
        return refuse(ERROR_NOT_SUPPORTED,
                      "Xen schedules several pCPUs as one (sched-gran), which "
                      "NMIs would stall; sample by time");
    case PMU_REFUSED_BLIND:
        return refuse(ERROR_NOT_SUPPORTED,
                      "where this Xen leaves AMD's guests is not known, so "
                      "NMIs would take them for Xen; sample by time");
    case PMU_REFUSED_FATAL:
        return refuse(
            ERROR_NOT_SUPPORTED,
            "an NMI that nobody claims stops this host, or may "
            "(nmi=fatal); sample by time, or add --force=nmis (fatal=1)");
    case PMU_REFUSED_SLOT:
        return refuse(ERROR_BUSY, "somebody else has Xen's NMI callback; "
                                  "sample by time");
    }
    return 0;
}

int pmu_setup_check(struct pmu_signs *signs)
{
    struct pmu_family family;

    signs->presence = pmu_look(&family);
    signs->owner = port_pmu_owner();
    return refuse_for(pmu_setup_refusal(signs));
}

/* Looking at all pCPUs ----------------------------------------------------- */

struct look {
    const struct session *session;
    bool chosen_only;
    uint32_t taken, taken_fixed; /* sets of counters that count */
    uint32_t lacks;              /* a register that there is not, or 0, */
    uint32_t lacks_pcpu;         /* and on which pCPU */
    uint32_t differs;            /* a pCPU of another kind, + 1 */
    uint32_t lost;               /* counters that keep nothing, a set */
    struct pmu_refused refused;
    uint64_t kind; /* of the first that looked */
};

static uint64_t kind_of(const struct pmu_family *family)
{
    uint64_t kind = 1;

    for ( unsigned int i = 0; i < 4; i++ )
        kind = kind * 0x100000001b3ul ^ family->kind[i];
    return kind ?: 1;
}

static void look_at_kind(struct look *look)
{
    struct pmu_family family;
    uint64_t none = 0, kind;

    if ( pmu_look(&family) != PMU_PRESENT )
    {
        look->differs = port_pcpu() + 1;
        return;
    }
    kind = kind_of(&family);
    if ( !__atomic_compare_exchange_n(&look->kind, &none, kind, false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
         none != kind )
        look->differs = port_pcpu() + 1;
}

/* Returns whether this pCPU has that register; if not, it is noted. */
static bool try_register(struct look *look, uint32_t msr, uint64_t *ret)
{
    uint32_t none = 0;

    if ( port_msr_try(msr, ret) )
        return true;
    if ( __atomic_compare_exchange_n(&look->lacks, &none, msr, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) )
        look->lacks_pcpu = port_pcpu();
    return false;
}

static void look_for_taken_counters(struct look *look, const struct pmu *pmu)
{
    const struct pmu_family *family = &pmu->family;
    uint64_t value, ignored;
    uint32_t taken = 0;

    for ( unsigned int i = pmu->watchdog; family->there >> i; i++ )
    {
        if ( !(family->there >> i & 1) )
            continue;
        if ( try_register(look, family->select + i * family->step, &value) &&
             try_register(look, family->counter + i * family->step, &ignored) &&
             value & PMU_SELECT_ENABLE )
            taken |= 1u << i;
    }
    __atomic_fetch_or(&look->taken, taken, __ATOMIC_SEQ_CST);
}

static void look_at_registers(struct look *look, const struct pmu *pmu)
{
    const struct pmu_family *family = &pmu->family;
    const uint32_t registers[] = {family->status, family->control,
                                  family->fixed_there ? family->fixed_control
                                                      : 0};
    uint64_t value = 0;
    uint32_t taken = 0;

    for ( unsigned int i = 0; i < 3; i++ )
        if ( registers[i] )
            try_register(look, registers[i], &value);
    if ( !family->fixed_there )
        return;
    for ( unsigned int i = 0; i < XENOPROF_EVENT_FIXED_MAX; i++ )
        if ( value >> i * FIXED_BITS & 15 )
            taken |= 1u << i;
    __atomic_fetch_or(&look->taken_fixed, taken, __ATOMIC_SEQ_CST);
}

/* Called on each pCPU; `differs` has any that does. */
static void look_here(void *data)
{
    struct look *look = data;

    if ( look->chosen_only && !look->session->chosen[port_pcpu()] )
        return;
    pmu_left_clear(&look->session->pmu->family);
    look_at_kind(look);
    look_for_taken_counters(look, look->session->pmu);
    look_at_registers(look, look->session->pmu);
}

/* Called on each pCPU, after the looks at all of them. */
static void look_at_lost(void *data)
{
    struct look *look = data;
    const struct pmu *pmu = look->session->pmu;
    const struct pmu_family *family = &pmu->family;
    uint32_t free = family->there & ~look->taken & ~(uint32_t)pmu->watchdog;
    uint64_t ignored;

    for ( ; free; free &= free - 1 )
    {
        unsigned int i = __builtin_ctz(free);

        if ( port_msr_try(family->counter + i * family->step, &ignored) &&
             !pmu_trial_keeps(family, i) )
            __atomic_fetch_or(&look->lost, 1u << i, __ATOMIC_SEQ_CST);
    }
}

/* Called on each pCPU. */
static void try_here(void *data)
{
    struct look *look = data;

    if ( look->session->chosen[port_pcpu()] )
        pmu_trial(look->session->pmu, &look->refused);
}

static int try_writes(struct session *session)
{
    struct look look = {.session = session};
    const struct pmu_refused *refused = &look.refused;

    port_on_pcpus(try_here, &look);
    if ( refused->msr )
        return refuse(ERROR_NOT_SUPPORTED,
                      "pCPU %u %s %lx in register %x, which its CPUID shows; "
                      "count another event, or sample by time",
                      refused->pcpu,
                      refused->faults ? "does not take" : "does not keep",
                      refused->value, refused->msr);
    return 0;
}

void pmu_setup_begin(struct session *session)
{
    struct pmu *pmu = session->pmu;
    struct look look = {.session = session};

    pmu_look(&pmu->family);
    pmu_ibs_look(&pmu->ibs);
    pmu->watchdog = port_watchdog();
    port_on_pcpus(look_here, &look);
    port_on_pcpus(look_at_lost, &look);
    pmu->taken = look.taken | look.lost;
    pmu->taken_fixed = look.taken_fixed;
    for ( unsigned int i = 0; i < PMU_COUNTERS_MAX; i++ )
        if ( look.taken >> i & 1 )
            port_log("counter %u counts already, for the firmware or others: "
                     "it is left alone",
                     i);
        else if ( look.lost >> i & 1 )
            port_log("counter %u keeps no value, as where TSX_FORCE_ABORT "
                     "takes it away: it is left alone",
                     i);
}

int pmu_setup_start(struct session *session)
{
    const struct pmu *pmu = session->pmu;
    struct look look = {.session = session, .chosen_only = true};
    struct pmu_signs signs = {.presence = PMU_PRESENT};

    if ( !pmu->events )
        return refuse(ERROR_INVALID, "no event is to be counted; say which "
                                     "before start");
    signs.owner = port_pmu_owner();
    if ( signs.owner != PORT_PMU_FREE )
        return refuse_for(pmu_setup_refusal(&signs));
    if ( !port_pmi_open() )
        return refuse(ERROR_NO_MEMORY, "Xen cannot map its interrupt "
                                       "controller for the module");
    port_on_pcpus(look_here, &look);
    if ( look.lacks )
        return refuse(ERROR_NOT_SUPPORTED,
                      "pCPU %u does not have register %x, which CPUID shows "
                      "(an emulator may do so); sample by time",
                      look.lacks_pcpu, look.lacks);
    if ( look.differs )
        return refuse(ERROR_NOT_SUPPORTED,
                      "pCPU %u counts other events than the other pCPUs; "
                      "choose pCPUs of one kind",
                      look.differs - 1);
    for ( unsigned int i = 0; i < PMU_COUNTERS_MAX; i++ )
        if ( (look.taken & ~pmu->taken) >> i & 1 )
            return refuse(ERROR_BUSY,
                          "counter %u counts since reserve, for the firmware "
                          "or others; reset and reserve again",
                          i);
    return pmu_ibs_start(session) ?: try_writes(session);
}

/* Events ------------------------------------------------------------------- */

static bool is_frequent(const struct pmu_family *family,
                        const struct pmu_event *event)
{
    uint16_t code = event->select & 0xffff;

    return event->fixed || code == family->frequent[0] ||
           code == family->frequent[1];
}

static int read_event_set(const struct words *words, struct pmu_event *ret)
{
    const char *text = words->text[KEY_SET];
    uint64_t set = 0, last = 0, more;

    if ( words->given & 1u << KEY_SET &&
         (words_next_range(&text, &set, &last) != 1 || set != last ||
          words_next_range(&text, &more, &more) || set >= PMU_SETS) )
        return refuse(ERROR_RANGE, "set= of an event takes a number below %u",
                      PMU_SETS);
    ret->given = true;
    ret->set = set;
    return 0;
}

/* Reads what the words say, and refuses what no counter can. */
static int read_event(const struct pmu *pmu, const struct words *words,
                      struct pmu_event *ret)
{
    const uint64_t own = PMU_SELECT_INTERRUPT | PMU_SELECT_ENABLE;

    ret->select = words->value[KEY_SELECT] & ~own;
    ret->count = words->value[KEY_COUNT];
    ret->fixed = words->given & 1u << KEY_FIXED ? words->value[KEY_FIXED] + 1
                                                : 0;
    if ( ret->select & ~pmu->family.allowed )
        return refuse(ERROR_INVALID,
                      "select=%lx has bits that %s's counters do not take from "
                      "outside; these are in %lx",
                      words->value[KEY_SELECT], pmu->family.name,
                      pmu->family.allowed);
    if ( !(ret->select & (PMU_SELECT_OS | PMU_SELECT_USER)) )
        return refuse(ERROR_INVALID,
                      "select=%lx counts in no mode; bits 16 and 17 say where",
                      words->value[KEY_SELECT]);
    ret->most = XENOPROF_EVENT_COUNT_MAX;
    pmu_set_least(ret,
                  is_frequent(&pmu->family, ret) ? XENOPROF_EVENT_LEAST_FREQUENT
                                                 : XENOPROF_EVENT_LEAST,
                  words->value[KEY_INSIST]);
    if ( ret->count && ret->count < ret->least )
        return refuse(ERROR_RANGE,
                      "count=%u is too often for such an event; at least %u",
                      ret->count, ret->least);
    return 0;
}

static bool is_used(const struct pmu_set *set, uint64_t bit)
{
    return set->bits & bit;
}

static int take_fixed(const struct pmu *pmu, const struct pmu_set *set,
                      const struct pmu_event *event, struct pmu_slot *ret)
{
    const struct pmu_family *family = &pmu->family;
    unsigned int number = event->fixed - 1, shift = number * FIXED_BITS;
    uint64_t modes = (event->select & PMU_SELECT_OS ? FIXED_OS : 0) |
                     (event->select & PMU_SELECT_USER ? FIXED_USER : 0);

    if ( !(family->fixed_there >> number & 1) )
        return refuse(ERROR_NOT_SUPPORTED,
                      "this processor does not have fixed counter %u", number);
    ret->bit = 1ul << (FIXED_FIRST_BIT + number);
    if ( pmu->taken_fixed >> number & 1 || is_used(set, ret->bit) )
        return refuse(ERROR_BUSY,
                      "fixed counter %u counts already, for the firmware, for "
                      "others, or in this set",
                      number);
    ret->select = family->fixed_control;
    ret->counter = family->fixed + number;
    ret->others = ~(15ul << shift);
    ret->enabled = (modes | FIXED_INTERRUPT) << shift;
    return 0;
}

static int take_counter(const struct pmu *pmu, const struct pmu_set *set,
                        const struct pmu_event *event, struct pmu_slot *ret)
{
    const struct pmu_family *family = &pmu->family;

    for ( unsigned int i = pmu->watchdog; family->there >> i; i++ )
    {
        if ( !((family->there & ~pmu->taken) >> i & 1) ||
             is_used(set, 1ul << i) )
            continue;
        ret->bit = 1ul << i;
        ret->select = family->select + i * family->step;
        ret->counter = family->counter + i * family->step;
        ret->others = 0;
        ret->enabled = event->select | PMU_SELECT_INTERRUPT | PMU_SELECT_ENABLE;
        return 0;
    }
    return refuse(ERROR_BUSY,
                  "set %u has no counter left (this processor has %u for all "
                  "events, %u of them are used by others); put the event in "
                  "another set",
                  event->set, pmu_bits(family->there),
                  pmu_bits(pmu->taken) + pmu->watchdog);
}

static int add_event(struct pmu *pmu, uint32_t number,
                     const struct pmu_event *event)
{
    struct pmu_set *set = &pmu->set[event->set];
    struct pmu_slot slot = {.event = number};
    int error;

    if ( event->set > pmu->sets )
        return refuse(ERROR_RANGE,
                      "set %u comes behind set %u, which has no "
                      "event yet",
                      event->set, pmu->sets);
    if ( set->slots == PMU_SLOTS )
        return refuse(ERROR_RANGE, "a set has at most %u events", PMU_SLOTS);
    error = event->ibs     ? pmu_ibs_take(set, event, &slot)
            : event->fixed ? take_fixed(pmu, set, event, &slot)
                           : take_counter(pmu, set, event, &slot);
    if ( error )
        return error;
    set->ibs |= (slot.ibs != 0) << set->slots;
    set->slot[set->slots++] = slot;
    set->bits |= slot.ibs ? 0 : slot.bit;
    pmu->event[number] = *event;
    if ( number >= pmu->events )
        pmu->events = number + 1;
    if ( event->set == pmu->sets )
        pmu->sets++;
    return 0;
}

int pmu_setup_event(struct session *session, const struct words *words)
{
    struct pmu *pmu = session->pmu;
    struct pmu_event event = {0};
    uint64_t number = words->value[KEY_ID];
    int error;

    if ( !pmu )
        return refuse(ERROR_INVALID, "the session's sampler is not pmu");
    if ( session->directory.status.started )
        return refuse(ERROR_BUSY, "events can only be chosen before start");
    if ( number >= PMU_EVENTS )
        return refuse(ERROR_RANGE, "id=%lu of an event is not below %u", number,
                      PMU_EVENTS);
    if ( pmu->event[number].given )
        return refuse(ERROR_EXISTS, "event %lu is there already", number);
    error = read_event_set(words, &event)
                ?: words->given & 1u << KEY_IBS
                   ? pmu_ibs_event(pmu, words, &event)
                   : read_event(pmu, words, &event);
    return error ?: add_event(pmu, number, &event);
}
