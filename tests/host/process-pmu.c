/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A software PMU.
 */
#include "process-private.h"
#include "process-pmu.h"

#define WIDTH        48u
#define TOP          (1ul << WIDTH)
#define ENABLE       (1ul << 22)
#define INTERRUPT    (1ul << 20)
#define MODES        (3ul << 16)
#define NOT_OURS     (1ul << 19 | 1ul << 21) /* pins, any thread */
#define AMD_BITS     (0xful << 32 | 3ul << 40)
#define FIXED_BITS   4u
#define FIXED_MODES  3ul
#define FIXED_PMI    8ul
#define FAMILY_0FH   0xf00u
#define FAMILY_15H   0x600f00u
#define FAMILY_19H   0xa00f00u
#define WATCHDOG_HAS 1ul /* its counter, a set */
#define V6_COUNTERS  0xdul
#define V6_FIXED     0x5ul

static struct process_pmu all[PROCESS_PCPUS_MAX];
static enum process_pmu_family family;
static uint64_t watchdog_period; /* 0: it does not run here */
static uint64_t count_at, count_n;
static uint32_t count_event;

static bool is_intel(void)
{
    return family >= PROCESS_PMU_INTEL_V1 && family <= PROCESS_PMU_HYBRID;
}

static bool is_perfmon2(void)
{
    return family == PROCESS_PMU_PERFMON2 || family == PROCESS_PMU_IBS2;
}

static bool has_status(void)
{
    return is_intel() || is_perfmon2();
}

static unsigned int counters(void)
{
    if ( is_intel() )
        return family == PROCESS_PMU_INTEL_V2 ? 2 : 8;
    return family == PROCESS_PMU_K7 ? 4 : 6;
}

/* As a processor has it when it is switched on. */
static uint64_t usual_control(void)
{
    return has_status() ? (1ul << counters()) - 1 : 0;
}

void process_pmu_forget(void)
{
    memset(all, 0, sizeof(all));
    family = PROCESS_PMU_NONE;
    watchdog_period = 0;
    count_at = 0;
}

void process_pmu_reset(enum process_pmu_family wanted)
{
    process_pmu_forget();
    family = wanted;
    for ( unsigned int i = 0; i < PROCESS_PCPUS_MAX; i++ )
    {
        all[i].entry = PROCESS_ENTRY_MASKED;
        all[i].control = usual_control();
        all[i].ibs_control = 0x101;
        all[i].signature = family == PROCESS_PMU_IBS    ? FAMILY_15H
                           : family == PROCESS_PMU_IBS2 ? FAMILY_19H
                                                        : FAMILY_0FH;
        all[i].ibs_can = family == PROCESS_PMU_IBS    ? 0x9f
                         : family == PROCESS_PMU_IBS2 ? 0x3ff
                                                      : 0;
        process_ibs_power(&all[i]);
    }
}

struct process_pmu *process_pmu(unsigned int pcpu)
{
    process_pcpu(pcpu);
    return &all[pcpu];
}

enum process_pmu_family process_pmu_family(void)
{
    return family;
}

static void start_watchdog(struct process_pmu *pmu)
{
    pmu->counter[0] = TOP - watchdog_period;
    pmu->entry = PROCESS_ENTRY_NMI;
}

void process_pmu_watchdog(uint64_t period)
{
    watchdog_period = period;
    process_host()->watchdog = true;
    for ( unsigned int i = 0; i < port_pcpus(); i++ )
    {
        start_watchdog(&all[i]);
        all[i].select[0] = 0x76 | MODES | INTERRUPT | ENABLE;
        all[i].control |= has_status() ? WATCHDOG_HAS : 0;
    }
}

void process_pmu_power(unsigned int pcpu)
{
    struct process_pmu *pmu = process_pmu(pcpu);

    memset(pmu->select, 0, sizeof(pmu->select));
    memset(pmu->counter, 0, sizeof(pmu->counter));
    memset(pmu->fixed, 0, sizeof(pmu->fixed));
    pmu->fixed_control = pmu->status = 0;
    pmu->control = usual_control();
    pmu->entry = PROCESS_ENTRY_MASKED;
    process_ibs_power(pmu);
}

/* Counting ----------------------------------------------------------------- */

static void interrupt(unsigned int pcpu)
{
    struct process_pmu *pmu = &all[pcpu];

    if ( pmu->entry != PROCESS_ENTRY_NMI )
        return;
    if ( is_intel() )
        pmu->entry |= PROCESS_ENTRY_MASKED;
    pmu->interrupts += !pmu->latched;
    pmu->latched = true;
    process_send_nmi(pcpu);
}

static void count_one(unsigned int pcpu, uint64_t *counter, unsigned int index,
                      uint64_t bit, uint64_t n, bool interrupts)
{
    struct process_pmu *pmu = &all[pcpu];

    *counter += n;
    if ( *counter < TOP )
        return;
    *counter %= TOP;
    pmu->overflows[index]++;
    if ( has_status() )
        pmu->status |= bit;
    if ( interrupts )
        interrupt(pcpu);
}

static bool goes_on(const struct process_pmu *pmu, uint64_t bit)
{
    return !has_status() || pmu->control & bit;
}

void process_count(unsigned int pcpu, uint32_t event, uint64_t n)
{
    struct process_pmu *pmu = process_pmu(pcpu);

    process_ibs_count(pcpu, event, n);
    for ( unsigned int i = 0; i < counters(); i++ )
        if ( pmu->select[i] & ENABLE && (pmu->select[i] & 0xff) == event &&
             goes_on(pmu, 1ul << i) )
            count_one(pcpu, &pmu->counter[i], i, 1ul << i, n,
                      pmu->select[i] & INTERRUPT);
    for ( unsigned int i = 0; i < PROCESS_FIXED; i++ )
    {
        uint64_t control = pmu->fixed_control >> i * FIXED_BITS;

        if ( control & FIXED_MODES && event == 0x100 + i &&
             goes_on(pmu, 1ul << (32 + i)) )
            count_one(pcpu, &pmu->fixed[i], PROCESS_COUNTERS + i,
                      1ul << (32 + i), n, control & FIXED_PMI);
    }
}

void process_pmu_stray(unsigned int pcpu)
{
    process_pmu(pcpu)->others_latched = true;
    process_send_nmi(pcpu);
}

void process_pmu_count_at(uint64_t access, uint32_t event, uint64_t n)
{
    count_at = access;
    count_event = event;
    count_n = n;
}

/* Xen's watchdog sees each NMI that is passed on. */
void process_pmu_passed(unsigned int pcpu)
{
    struct process_pmu *pmu = &all[pcpu];

    if ( !watchdog_period )
        return;
    if ( pmu->counter[0] >> 47 & 1 )
        pmu->starved++;
    else
        pmu->ticks++;
    start_watchdog(pmu);
}

bool process_pmu_watchdog_due(unsigned int pcpu)
{
    return watchdog_period && !(all[pcpu].counter[0] >> 47 & 1);
}

/* Registers ---------------------------------------------------------------- */

struct found {
    uint64_t *value;
    enum {
        IS_SELECT,
        IS_COUNTER,
        IS_FIXED,
        IS_FIXED_CONTROL,
        IS_STATUS,
        IS_CLEAR,
        IS_CONTROL
    } what;
    unsigned int index;
};

/* Of version 6, one of those that its leaf 0x23 does not have. */
static bool is_missing(uint32_t msr)
{
    if ( family != PROCESS_PMU_INTEL_V6 )
        return false;
    return (msr >= 0xc1 && msr < 0xc9 && !(V6_COUNTERS >> (msr - 0xc1) & 1)) ||
           (msr >= 0x186 && msr < 0x18e &&
            !(V6_COUNTERS >> (msr - 0x186) & 1)) ||
           (msr >= 0x309 && msr < 0x309 + PROCESS_FIXED &&
            !(V6_FIXED >> (msr - 0x309) & 1));
}

static bool find_intel(struct process_pmu *pmu, uint32_t msr, struct found *ret)
{
    if ( is_missing(msr) )
        return false;
    if ( msr >= 0xc1 && msr < 0xc1 + counters() )
        *ret = (struct found){&pmu->counter[msr - 0xc1], IS_COUNTER,
                              msr - 0xc1};
    else if ( msr >= 0x186 && msr < 0x186 + counters() )
        *ret = (struct found){&pmu->select[msr - 0x186], IS_SELECT,
                              msr - 0x186};
    else if ( msr >= 0x309 && msr < 0x309 + PROCESS_FIXED )
        *ret = (struct found){&pmu->fixed[msr - 0x309], IS_FIXED, msr - 0x309};
    else if ( msr == 0x38d )
        *ret = (struct found){&pmu->fixed_control, IS_FIXED_CONTROL, 0};
    else if ( msr == 0x38e )
        *ret = (struct found){&pmu->status, IS_STATUS, 0};
    else if ( msr == 0x38f )
        *ret = (struct found){&pmu->control, IS_CONTROL, 0};
    else if ( msr == 0x390 )
        *ret = (struct found){&pmu->status, IS_CLEAR, 0};
    else
        return false;
    return true;
}

static bool find_amd(struct process_pmu *pmu, uint32_t msr, struct found *ret)
{
    bool is_core = family != PROCESS_PMU_K7;
    uint32_t index = is_core ? (msr - 0xc0010200) / 2 : msr & 3;

    if ( is_core && msr >= 0xc0010200 && index < counters() )
        *ret = msr & 1 ? (struct found){&pmu->counter[index], IS_COUNTER, index}
                       : (struct found){&pmu->select[index], IS_SELECT, index};
    else if ( !is_core && msr >= 0xc0010000 && msr < 0xc0010004 )
        *ret = (struct found){&pmu->select[index], IS_SELECT, index};
    else if ( !is_core && msr >= 0xc0010004 && msr < 0xc0010008 )
        *ret = (struct found){&pmu->counter[index], IS_COUNTER, index};
    else if ( !is_perfmon2() )
        return false;
    else if ( msr == 0xc0000300 )
        *ret = (struct found){&pmu->status, IS_STATUS, 0};
    else if ( msr == 0xc0000301 )
        *ret = (struct found){&pmu->control, IS_CONTROL, 0};
    else if ( msr == 0xc0000302 )
        *ret = (struct found){&pmu->status, IS_CLEAR, 0};
    else
        return false;
    return true;
}

static bool find(struct process_pmu *pmu, uint32_t msr, struct found *ret)
{
    if ( family == PROCESS_PMU_NONE || family == PROCESS_PMU_EMULATED ||
         pmu->lacks )
        return false;
    return is_intel() ? find_intel(pmu, msr, ret) : find_amd(pmu, msr, ret);
}

static struct process_pmu *here(void)
{
    return &all[process_here().pcpu];
}

/* An NMI may come before any access; not while one is being handled. */
static void before_access(void)
{
    unsigned int pcpu = process_here().pcpu;

    if ( count_at && !--count_at )
        process_count(pcpu, count_event, count_n);
    process_ibs_accessed(pcpu);
    process_may_be_held();
    if ( process_here().context != CONTEXT_NMI )
        process_take_nmi(pcpu);
}

uint64_t port_msr_read(uint32_t msr)
{
    struct found found;
    uint64_t value;

    before_access();
    if ( process_ibs_read(here(), msr, &value) )
        return value;
    if ( !find(here(), msr, &found) || found.what == IS_CLEAR )
        process_fail("register %x is read, which there is not", msr);
    return *found.value;
}

bool port_msr_try(uint32_t msr, uint64_t *ret)
{
    struct found found;

    process_need(CONTEXT_CALL, __func__);
    if ( process_ibs_try(here(), msr, ret) )
        return true;
    if ( !find(here(), msr, &found) )
        return false;
    *ret = *found.value;
    return true;
}

/* Whether a counter would overflow at once, or when it likes. */
static void check_armed(uint64_t counter)
{
    if ( !(counter >> (WIDTH - 1) & 1) )
        process_fail("a counter is enabled before it has its value");
}

static void write_select(struct process_pmu *pmu, unsigned int index,
                         uint64_t value)
{
    uint64_t wrong = is_intel() ? ~0xfffffffful : ~(0xfffffffful | AMD_BITS);

    if ( value & (wrong | NOT_OURS) )
        process_fail("select register %u gets reserved bits: %lx", index,
                     (unsigned long)value);
    if ( value & ENABLE && !(value & INTERRUPT) )
        process_fail("counter %u is enabled without its interrupt", index);
    if ( value & ENABLE )
        check_armed(pmu->counter[index]);
    pmu->select[index] = value;
}

static void write_fixed_control(struct process_pmu *pmu, uint64_t value)
{
    for ( unsigned int i = 0; i < PROCESS_FIXED; i++ )
    {
        uint64_t now = value >> i * FIXED_BITS & 15;

        if ( now == (pmu->fixed_control >> i * FIXED_BITS & 15) )
            continue;
        if ( now & FIXED_MODES && !(now & FIXED_PMI) )
            process_fail("fixed counter %u is enabled without interrupt", i);
        if ( now & FIXED_MODES )
            check_armed(pmu->fixed[i]);
    }
    pmu->fixed_control = value;
}

static void check_owner(const struct process_pmu *pmu,
                        const struct found *found)
{
    uint32_t owned = pmu->owned | (watchdog_period ? WATCHDOG_HAS : 0);

    if ( (found->what == IS_SELECT || found->what == IS_COUNTER) &&
         owned >> found->index & 1 )
        process_fail("counter %u is somebody else's", found->index);
}

static bool faults(const struct process_pmu *pmu, uint32_t msr, uint64_t value)
{
    return pmu->refuses == msr && value & pmu->refused;
}

static void write_register(struct process_pmu *pmu, uint32_t msr,
                           uint64_t value)
{
    struct found found;

    if ( faults(pmu, msr, value) )
        process_fail("register %x faults: it does not take %lx", msr,
                     (unsigned long)value);
    if ( process_ibs_write(process_here().pcpu, msr, value) )
        return;
    if ( !find(pmu, msr, &found) )
        process_fail("register %x is written, which there is not", msr);
    check_owner(pmu, &found);
    switch ( found.what )
    {
    case IS_SELECT: write_select(pmu, found.index, value); break;
    case IS_COUNTER:
        /* The old registers take 32 bits, with their sign. */
        if ( is_intel() )
            value = (uint64_t)(int32_t)value;
        if ( !(pmu->deaf >> found.index & 1) )
            pmu->counter[found.index] = value & (TOP - 1);
        break;
    case IS_FIXED: pmu->fixed[found.index] = value & (TOP - 1); break;
    case IS_FIXED_CONTROL: write_fixed_control(pmu, value); break;
    case IS_STATUS: process_fail("the status register is written");
    case IS_CLEAR:
        if ( watchdog_period && value & WATCHDOG_HAS )
            process_fail("the watchdog's overflow is cleared");
        pmu->status &= ~value;
        break;
    case IS_CONTROL:
        if ( watchdog_period && !(value & WATCHDOG_HAS) )
            process_fail("the watchdog's counter is stopped");
        pmu->control = value;
        break;
    }
}

void port_msr_write(uint32_t msr, uint64_t value)
{
    struct process_pmu *pmu = here();

    before_access();
    pmu->writes++;
    write_register(pmu, msr, value);
}

bool port_msr_write_try(uint32_t msr, uint64_t value)
{
    struct found found;
    uint64_t ignored;

    process_need(CONTEXT_CALL, __func__);
    before_access();
    if ( faults(here(), msr, value) ||
         (!find(here(), msr, &found) &&
          !process_ibs_try(here(), msr, &ignored)) )
        return false;
    write_register(here(), msr, value);
    return true;
}

void port_pmi_unmask(void)
{
    struct process_pmu *pmu = here();
    uint64_t ours = pmu->control & pmu->status &
                    ~(watchdog_period ? WATCHDOG_HAS : 0);

    before_access();
    if ( is_intel() && ours )
        process_fail("interrupts of counters are let in while one has "
                     "overflowed: the next would not come");
    pmu->entry = PROCESS_ENTRY_NMI;
}

uint32_t port_pmi_entry(void)
{
    process_need(CONTEXT_CALL, __func__);
    return here()->entry;
}

void port_pmi_put_back(uint32_t entry)
{
    if ( watchdog_period )
        process_fail("the watchdog's interrupt is changed");
    here()->entry = entry;
}

bool port_pmi_open(void)
{
    process_need(CONTEXT_COMMAND, __func__);
    return true;
}

enum port_pmu port_pmu_owner(void)
{
    process_need(CONTEXT_SOFT, __func__);
    return process_host()->pmu_owner;
}

void port_pmu_take(void)
{
    process_need(CONTEXT_COMMAND, __func__);
    process_host()->pmu_taken = true;
}

void port_pmu_leave(void)
{
    process_need(CONTEXT_SOFT, __func__);
    process_host()->pmu_taken = false;
}

/* CPUID -------------------------------------------------------------------- */

static void cpuid_intel(uint32_t leaf, uint32_t subleaf, uint32_t ret[4])
{
    static const uint32_t pmu[][4] = {
        [PROCESS_PMU_NONE] = {0, 0, 0, 0},
        [PROCESS_PMU_INTEL_V1] = {0x07300201, 0, 0, 0},
        [PROCESS_PMU_INTEL_V2] = {0x07300202, 0, 0, 0x603},
        [PROCESS_PMU_INTEL_V5] = {0x08300805, 0, 0xf, 0x8604},
        [PROCESS_PMU_INTEL_V6] = {0x08300406, 0, 0x5, 0x8602},
        [PROCESS_PMU_HYBRID] = {0x08300805, 0, 0xf, 0x8604},
    };
    bool other = family == PROCESS_PMU_HYBRID && process_here().pcpu & 1;
    bool is_v6 = family == PROCESS_PMU_INTEL_V6;

    switch ( leaf )
    {
    case 0: memcpy(ret, (uint32_t[]){0x23, 0x756e6547, 0, 0}, 16); break;
    case 7:
        ret[0] = is_v6 && subleaf == 1 ? 1u << 8 : 0;
        ret[3] = family == PROCESS_PMU_HYBRID && !subleaf ? 1u << 15 : 0;
        break;
    case 0xa: memcpy(ret, pmu[family], 16); break;
    case 0x1a: ret[0] = other ? 0x20000000 : 0x40000000; break;
    case 0x23:
        ret[0] = !is_v6 ? 0 : subleaf ? V6_COUNTERS : 3;
        ret[1] = is_v6 && subleaf == 1 ? V6_FIXED : 0;
        break;
    }
}

static void cpuid_amd(uint32_t leaf, uint32_t ret[4])
{
    switch ( leaf )
    {
    case 0: memcpy(ret, (uint32_t[]){0xd, 0x68747541, 0, 0}, 16); break;
    case 1:
        ret[0] = here()->signature;
        ret[2] = family == PROCESS_PMU_EMULATED ? 1u << 31 : 0;
        break;
    case 0x80000000: ret[0] = is_perfmon2() ? 0x80000022 : 0x8000001e; break;
    case 0x80000001:
        ret[2] = (family != PROCESS_PMU_K7 && family != PROCESS_PMU_EMULATED
                      ? 1u << 23
                      : 0) |
                 (process_has_ibs() ? 1u << 10 | 1u << 3 : 0);
        break;
    case 0x8000001b: ret[0] = here()->ibs_can; break;
    case 0x80000022: ret[0] = 1, ret[1] = 6; break;
    }
}

void port_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t ret[4])
{
    process_need(CONTEXT_CALL, __func__);
    memset(ret, 0, 4 * sizeof(*ret));
    if ( family <= PROCESS_PMU_HYBRID )
        cpuid_intel(leaf, subleaf, ret);
    else
        cpuid_amd(leaf, ret);
}
