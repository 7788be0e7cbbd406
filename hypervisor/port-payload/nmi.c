/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NMIs: sending, and the watchdog's counter.  Other calls to pCPUs, too.
 */
#include "payload.h"

#define MSR_INTEL_COUNTER0 0x000000c1u
#define MSR_AMD_COUNTER0   0xc0010004u
#define AMD_COUNTER_BIT    32

/* The system control port of a PC: bits that say why there is an NMI.  Xen has
 * these NMIs on this pCPU only. */
#define SYSTEM_PORT   0x61
#define SYSTEM_ERRORS 0xc0u /* SERR, IOCHK */
#define SYSTEM_PCPU   0u

#define MASK_WORDS (PORT_PCPUS_MAX / 64)

/* For each sending pCPU. */
static struct masks {
    unsigned long noted[MASK_WORDS]; /* those that are to have an NMI */
    unsigned long one[MASK_WORDS];   /* clear except while one is called */
} * masks[PORT_PCPUS_MAX];

void nmi_forget(void)
{
    for ( unsigned int i = 0; i < PORT_PCPUS_MAX; i++ )
    {
        port_free(masks[i], sizeof(*masks[i]));
        masks[i] = NULL;
    }
}

bool nmi_prepare(void)
{
    for ( unsigned int i = 0; i < port_pcpus(); i++ )
    {
        if ( !masks[i] )
            masks[i] = port_alloc(sizeof(*masks[i]));
        if ( !masks[i] )
            return false;
    }
    return true;
}

static void mark(unsigned long *mask, unsigned int pcpu)
{
    mask[pcpu / 64] |= 1ul << pcpu % 64;
}

/* Clears a pCPU's bit.  Returns whether it was set. */
static bool unmark(unsigned long *mask, unsigned int pcpu)
{
    unsigned long bit = 1ul << pcpu % 64, old = mask[pcpu / 64];

    mask[pcpu / 64] = old & ~bit;
    return old & bit;
}

void port_nmi_note(unsigned int pcpu)
{
    mark(masks[port_pcpu()]->noted, pcpu);
}

/*
 * Xen sends to all of a mask by one command, or some, where the APIC can.
 * Where these are all other pCPUs that are online it would send to all that
 * there are, and wake those that are parked (smt=0 on Intel's processors) for
 * nothing: Xen takes an NMI that nobody claims for one of the host's on one
 * pCPU only.  With interrupts off it does not: Xen commit 5500d265a2 ("x86/smp:
 * use APIC ALLBUT destination shorthand when possible") (4.14).
 */
static void send_to(const unsigned long *mask)
{
    interrupts_off();
    send_IPI_mask(mask, XEN_NMI_DELIVERY);
    interrupts_on();
}

void port_nmi_send(void)
{
    unsigned int here = port_pcpu(), words = (port_pcpus() + 63) / 64;
    unsigned long *noted = masks[here]->noted, any = 0;
    bool self = unmark(noted, here);
    bool ours = port_nmi_slot() == PORT_SLOT_OURS;

    for ( unsigned int i = 0; i < words; i++ )
        any |= noted[i];
    if ( any && ours )
        send_to(noted);
    for ( unsigned int i = 0; any && i < words; i++ )
        noted[i] = 0;
    if ( self && ours )
        self_nmi();
}

void port_call_commit(unsigned int pcpu)
{
    unsigned long *one = masks[port_pcpu()]->one;

    cpu_raise_softirq(pcpu, XEN_SOFTIRQ_COMMIT);
    if ( pcpu == port_pcpu() )
        return;
    /* Where the softirq is pending already Xen sends nothing; but a pCPU that
     * an NMI interrupted on its last way to HLT sleeps on it. */
    mark(one, pcpu);
    smp_send_event_check_mask(one);
    unmark(one, pcpu);
}

unsigned int nmi_send_to_others(void)
{
    unsigned int here = port_pcpu(), others = 0;
    unsigned long *one;

    if ( !masks[here] )
        return 0;
    one = masks[here]->one;
    for ( unsigned int i = 0; i < port_pcpus(); i++ )
        if ( i != here && port_pcpu_online(i) )
        {
            mark(one, i);
            others++;
        }
    if ( others )
        send_IPI_mask(one, XEN_NMI_DELIVERY);
    for ( unsigned int i = 0; i < port_pcpus(); i++ )
        unmark(one, i);
    return others;
}

bool port_watchdog(void)
{
    return nmi_watchdog;
}

/* The counter counts up to an overflow, which clears its top bit.  Which bit
 * that is: Xen commit 0452d02b6e ("x86/nmi: correctly check MSB of P6
 * performance counter MSR in watchdog") (4.12). */
bool port_watchdog_due(void)
{
    unsigned int bit;

    if ( !nmi_watchdog )
        return false;
    if ( nmi_perfctr_msr == MSR_INTEL_COUNTER0 )
        bit = nmi_p6_event_width - 1;
    else if ( nmi_perfctr_msr == MSR_AMD_COUNTER0 )
        bit = AMD_COUNTER_BIT;
    else
        return false;
    return !(port_msr_read(nmi_perfctr_msr) >> bit & 1);
}

bool port_nmi_external(void)
{
    return port_pcpu() == SYSTEM_PCPU && io_read(SYSTEM_PORT) & SYSTEM_ERRORS;
}
