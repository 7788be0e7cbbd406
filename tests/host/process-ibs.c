/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Software units of IBS, beside the counters of a software PMU.  One that is
 * disabled too late still completes its tag, as processors do.
 */
#include "process-private.h"
#include "process-pmu.h"

#define MSR_CONTROL      0xc001103au
#define CONTROL_IS_VALID (1ul << 8)
#define CONTROL_ENTRY    15u

#define COUNT        0xfffful
#define COUNT_HIGHER 0x7f00000ul
#define COUNT_LEAST  9ul /* of 16 each */

#define ADDRESS 0xffffffff81001000ul /* where tests do not say another */

#define TAG_TAKES 100000ul /* ns, at most */

static const struct rules {
    uint32_t control, address, data; /* registers */
    uint64_t enable, tag;
    uint64_t bits;    /* that there are, */
    uint64_t wide;    /* and with wider counts */
    unsigned int now; /* where the count is */
    uint64_t now_bits;
    unsigned int step;
} rules[PROCESS_TAGGED] = {
    {0xc0011030, 0xc0011031, 0, 1ul << 48, 1ul << 49,
     ((1ul << 53) - 1) | 1ul << 57, 0, 16, 0xffff, 16},
    {0xc0011033, 0xc0011034, 0xc0011035, 1ul << 17, 1ul << 18,
     COUNT | 7ul << 17 | 0x7fffffful << 32, COUNT_HIGHER, 32, 0x7ffffff, 1},
};

bool process_has_ibs(void)
{
    return process_pmu_family() == PROCESS_PMU_IBS ||
           process_pmu_family() == PROCESS_PMU_IBS2;
}

static bool is_wide(void)
{
    return process_pmu_family() == PROCESS_PMU_IBS2;
}

void process_ibs_power(struct process_pmu *pmu)
{
    memset(pmu->ibs, 0, sizeof(pmu->ibs));
    pmu->ibs[0].address = pmu->ibs[1].address = ADDRESS;
    for ( unsigned int i = 0; i < PROCESS_ENTRIES; i++ )
        pmu->extra[i] = PROCESS_ENTRY_MASKED;
}

/* Counting ----------------------------------------------------------------- */

static uint32_t *entry_of(struct process_pmu *pmu)
{
    unsigned int entry = pmu->ibs_control & CONTROL_ENTRY;

    if ( !(pmu->ibs_control & CONTROL_IS_VALID) || entry >= PROCESS_ENTRIES )
        process_fail("IBS makes an interrupt by an entry that there is not");
    return &pmu->extra[entry];
}

static void tag(unsigned int pcpu, unsigned int unit)
{
    struct process_pmu *pmu = process_pmu(pcpu);

    pmu->ibs[unit].control |= rules[unit].tag;
    pmu->ibs[unit].seen = false;
    pmu->tags++;
    if ( *entry_of(pmu) & PROCESS_ENTRY_MASKED )
        return;
    pmu->interrupts += !pmu->latched;
    pmu->latched = true;
    process_send_nmi(pcpu);
}

static void complete(unsigned int pcpu, unsigned int unit)
{
    struct process_ibs *ibs = &process_pmu(pcpu)->ibs[unit];

    if ( process_now() - ibs->disabled > TAG_TAKES )
        ibs->under_way = 0;
    if ( !ibs->under_way || --ibs->under_way || ibs->control & rules[unit].tag )
        return;
    ibs->completed = process_now();
    tag(pcpu, unit);
}

void process_ibs_accessed(unsigned int pcpu)
{
    for ( unsigned int i = 0; i < PROCESS_TAGGED; i++ )
        complete(pcpu, i);
}

static uint64_t most(uint64_t control, unsigned int unit)
{
    return (control & COUNT) * 16 + (control & rules[unit].wide);
}

void process_ibs_count(unsigned int pcpu, uint32_t event, uint64_t n)
{
    unsigned int unit = event - PROCESS_FETCHES;
    struct process_ibs *ibs;

    if ( !process_has_ibs() || unit >= PROCESS_TAGGED )
        return;
    ibs = &process_pmu(pcpu)->ibs[unit];
    if ( !(ibs->control & rules[unit].enable) ||
         ibs->control & rules[unit].tag )
        return;
    /* The next tag takes its time. */
    if ( ibs->completed == process_now() )
        return;
    ibs->counted += n;
    if ( ibs->counted < most(ibs->control, unit) )
        return;
    ibs->counted = 0;
    tag(pcpu, unit);
}

/* Registers ---------------------------------------------------------------- */

/* Returns the unit of that register, or PROCESS_TAGGED. */
static unsigned int find(uint32_t msr)
{
    unsigned int unit = 0;

    while ( unit < PROCESS_TAGGED && msr != rules[unit].control &&
            msr != rules[unit].address && msr != rules[unit].data )
        unit++;
    return process_has_ibs() ? unit : PROCESS_TAGGED;
}

/* Of a unit that is disabled the count is anything. */
static uint64_t shown(const struct process_ibs *ibs, unsigned int unit)
{
    return ibs->control & rules[unit].enable ? ibs->counted
                                             : most(ibs->control, unit) / 3;
}

bool process_ibs_try(struct process_pmu *pmu, uint32_t msr, uint64_t *ret)
{
    unsigned int unit = find(msr);
    const struct process_ibs *ibs = &pmu->ibs[unit % PROCESS_TAGGED];

    if ( process_has_ibs() && msr == MSR_CONTROL )
    {
        *ret = pmu->ibs_control;
        return !pmu->lacks && msr != pmu->lacks_one;
    }
    if ( unit == PROCESS_TAGGED || pmu->lacks || msr == pmu->lacks_one )
        return false;
    *ret =
        msr == rules[unit].address ? ibs->address
        : msr == rules[unit].data
            ? ibs->data
            : ibs->control |
                  (shown(ibs, unit) / rules[unit].step & rules[unit].now_bits)
                      << rules[unit].now;
    return true;
}

bool process_ibs_read(struct process_pmu *pmu, uint32_t msr, uint64_t *ret)
{
    unsigned int unit = find(msr);
    struct process_ibs *ibs = &pmu->ibs[unit % PROCESS_TAGGED];

    if ( !process_ibs_try(pmu, msr, ret) )
        return false;
    if ( unit < PROCESS_TAGGED && msr == rules[unit].control &&
         *ret & rules[unit].tag && !ibs->seen )
    {
        ibs->seen = true;
        pmu->overflows[PROCESS_COUNTERS + PROCESS_FIXED + unit]++;
    }
    return true;
}

/* What a real unit would lose, invent or count wrongly. */
static void check(struct process_pmu *pmu, unsigned int unit, uint64_t value)
{
    const struct rules *rule = &rules[unit];
    uint64_t was = pmu->ibs[unit].control;
    uint64_t counts = COUNT | rule->wide;

    if ( value & ~(rule->bits | (is_wide() ? rule->wide : 0)) )
        process_fail("IBS gets reserved bits: %lx", (unsigned long)value);
    if ( value & rule->tag && !(was & rule->tag) )
        process_fail("a tag of IBS is invented");
    if ( !(value & rule->enable) )
        return;
    if ( (was ^ value) & counts )
        process_fail("IBS is enabled before it has its count");
    if ( (value & COUNT) < COUNT_LEAST && !(value & rule->wide) )
        process_fail("IBS is enabled with too small a count");
    if ( was & rule->enable && (was ^ value) & rule->tag )
        process_fail("a tag is cleared while IBS is enabled: it would go on "
                     "from the old count");
    /* A pCPU that was offline has lost it, and ticks give it back. */
    if ( *entry_of(pmu) != PROCESS_ENTRY_NMI &&
         process_here().context != CONTEXT_NMI )
        process_fail("IBS is enabled while its interrupt is no NMI");
}

static void write_control(struct process_pmu *pmu, unsigned int unit,
                          uint64_t value)
{
    const struct rules *rule = &rules[unit];
    struct process_ibs *ibs = &pmu->ibs[unit];
    /* One that has its tag counts nothing. */
    bool ends = (ibs->control & (rule->enable | rule->tag)) == rule->enable &&
                !(value & rule->enable);

    check(pmu, unit, value);
    if ( ibs->control & ~value & rule->tag )
        pmu->cleared += !ibs->seen;
    ibs->counted = (value >> rule->now & rule->now_bits) * rule->step;
    ibs->control = value & ~(rule->now_bits << rule->now);
    if ( !ends )
        return;
    ibs->disabled = process_now();
    ibs->under_way = ibs->late;
    ibs->late = 0;
}

bool process_ibs_write(unsigned int pcpu, uint32_t msr, uint64_t value)
{
    unsigned int unit = find(msr);

    if ( unit == PROCESS_TAGGED || msr != rules[unit].control )
        return false;
    write_control(process_pmu(pcpu), unit, value);
    return true;
}

/* Entries ------------------------------------------------------------------ */

bool port_extra_free(unsigned int entry)
{
    process_need(CONTEXT_CALL, __func__);
    return process_has_ibs() && entry < PROCESS_ENTRIES &&
           process_pmu(process_here().pcpu)->extra[entry] &
               PROCESS_ENTRY_MASKED;
}

bool port_extra_ours(unsigned int entry)
{
    process_need(CONTEXT_CALL, __func__);
    return process_has_ibs() && entry < PROCESS_ENTRIES &&
           process_pmu(process_here().pcpu)->extra[entry] == PROCESS_ENTRY_NMI;
}

static uint32_t *own_entry(unsigned int entry)
{
    struct process_pmu *pmu = process_pmu(process_here().pcpu);
    uint32_t *ret = entry_of(pmu);

    if ( ret != &pmu->extra[entry] )
        process_fail("entry %u is somebody else's", entry);
    return ret;
}

void port_extra_unmask(unsigned int entry)
{
    *own_entry(entry) = PROCESS_ENTRY_NMI;
}

uint32_t port_extra_entry(unsigned int entry)
{
    process_need(CONTEXT_CALL, __func__);
    return process_pmu(process_here().pcpu)->extra[entry % PROCESS_ENTRIES];
}

void port_extra_put_back(unsigned int entry, uint32_t value)
{
    struct process_pmu *pmu = process_pmu(process_here().pcpu);

    for ( unsigned int i = 0; i < PROCESS_TAGGED; i++ )
        if ( pmu->ibs[i].control & rules[i].enable )
            process_fail("the interrupt of IBS is masked while it counts");
    *own_entry(entry) = value;
}
