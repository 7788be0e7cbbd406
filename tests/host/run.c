/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of the fake host, and their order.
 */
#include "process-private.h"
#include "process-pmu.h"

void process_may_be_held(void)
{
    process_held *held = process_host()->held;

    if ( held && process_here().context != CONTEXT_COMMAND )
        held(process_here().pcpu);
}

bool process_interrupt(unsigned int pcpu, const struct port_frame *frame)
{
    struct process_pcpu *one = process_pcpu(pcpu);
    struct process_thread before = process_enter(pcpu, CONTEXT_NMI);
    bool claimed;

    process_may_be_held();
    claimed = core_nmi_taken(frame ? frame : &one->frame);
    process_may_be_held();
    process_leave(before);
    if ( claimed )
        one->nmis_claimed++;
    else
        one->nmis_passed++;
    return claimed;
}

/* The pCPU's clock is calibrated by a softirq, too: here if its turn is before
 * the one that was raised since then. */
static void begin_softirq(unsigned int pcpu, uint64_t since)
{
    bool last = process_host()->calibrates_last;

    process_calibrate_due(pcpu, last ? since : process_now());
}

void process_commit(unsigned int pcpu)
{
    struct process_pcpu *one = process_pcpu(pcpu);
    struct process_thread before;

    begin_softirq(pcpu, one->softirq_since);
    before = process_enter(pcpu, CONTEXT_SOFT);
    one->softirq_pending = false;
    core_before_schedule();
    process_leave(before);
}

static bool deliver_nmi(unsigned int pcpu)
{
    struct process_pcpu *one = process_pcpu(pcpu);
    bool claimed = false;

    if ( !one->nmis_pending || one->hold_nmis || !one->online )
        return false;
    /* The processor latches one NMI, however many were sent. */
    one->nmis_pending = 0;
    process_pmu(pcpu)->latched = false;
    if ( process_host()->slot == PORT_SLOT_OURS )
        claimed = process_interrupt(pcpu, NULL);
    else
        one->nmis_passed++;
    if ( !claimed )
        process_pmu_passed(pcpu);
    process_pmu(pcpu)->others_latched = false;
    return true;
}

void process_take_nmi(unsigned int pcpu)
{
    deliver_nmi(pcpu);
}

/* A pCPU that is in a softirq takes the next one after it. */
static bool deliver_softirq(unsigned int pcpu)
{
    struct process_pcpu *one = process_pcpu(pcpu);
    struct process_thread me = process_here();

    if ( one->hold_softirqs || one->asleep || !one->softirq_pending ||
         !one->online || !process_host()->hooked )
        return false;
    if ( me.context == CONTEXT_SOFT && me.pcpu == pcpu )
        return false;
    process_commit(pcpu);
    return true;
}

/* A pCPU is left alone until something is on its way again. */
static void let_rest(struct pcpu_set *stirred, unsigned int pcpu)
{
    const struct process_pcpu *one = process_pcpu(pcpu);

    pcpu_set_drop(stirred, pcpu);
    if ( one->nmis_pending || one->softirq_pending )
        pcpu_set_add(stirred, pcpu);
}

/* Delivers each pending event once.  Returns true if there was any. */
static bool deliver(bool in_command)
{
    struct pcpu_set *stirred = &process_sets.stirred;
    struct process_thread me = process_here();
    unsigned int pcpu;
    bool any = false;

    for ( pcpu = pcpu_set_first(stirred); pcpu < PROCESS_PCPUS_MAX;
          pcpu = pcpu_set_after(stirred, pcpu) )
        any |= deliver_nmi(pcpu);
    for ( pcpu = pcpu_set_first(stirred); pcpu < PROCESS_PCPUS_MAX;
          pcpu = pcpu_set_after(stirred, pcpu) )
    {
        if ( !in_command || pcpu != me.pcpu )
            any |= deliver_softirq(pcpu);
        let_rest(stirred, pcpu);
    }
    return any;
}

void process_settle(void)
{
    while ( deliver(false) )
        ;
}

/* Its timer does not run, unless it was armed just now. */
static void let_stand(struct pcpu_set *timed, const struct process_pcpu *one)
{
    pcpu_set_drop(timed, one->number);
    if ( one->timer )
        pcpu_set_add(timed, one->number);
}

static struct process_pcpu *next_timer(unsigned int *index)
{
    struct pcpu_set *timed = &process_sets.timed;
    struct process_pcpu *next = NULL;
    unsigned int pcpu;

    for ( pcpu = pcpu_set_first(timed); pcpu < PROCESS_PCPUS_MAX;
          pcpu = pcpu_set_after(timed, pcpu) )
    {
        struct process_pcpu *one = process_pcpu(pcpu);

        if ( !one->timer )
            let_stand(timed, one);
        if ( !one->timer || process_pcpu(one->timer_pcpu)->hold_softirqs )
            continue;
        if ( next && next->timer <= one->timer )
            continue;
        next = one;
        *index = pcpu;
    }
    return next;
}

static void run_out(struct process_pcpu *one, unsigned int index)
{
    struct process_thread before;

    if ( one->timer > process_now() )
        process_set_time(one->timer);
    begin_softirq(one->timer_pcpu, one->timer);
    before = process_enter(one->timer_pcpu, CONTEXT_SOFT);
    one->timer = 0;
    one->ticks++;
    core_tick(index);
    process_leave(before);
}

void process_run_until(uint64_t time)
{
    struct process_pcpu *one;
    unsigned int index;

    process_settle();
    while ( (one = next_timer(&index)) && one->timer <= time )
    {
        run_out(one, index);
        process_settle();
    }
    if ( process_now() < time )
        process_set_time(time);
}

/* While a command waits, other pCPUs run; its own pCPU takes only NMIs. */
void port_relax(unsigned int microseconds)
{
    process_need(CONTEXT_COMMAND, __func__);
    if ( microseconds > 1000 )
        process_fail("%u us is too long to wait", microseconds);
    process_set_time(process_now() + microseconds * 1000ul);
    deliver(true);
}
