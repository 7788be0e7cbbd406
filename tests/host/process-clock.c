/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counter of each pCPU, and how it becomes a time: exactly, or as the
 * versions of Xen compute it from the pCPU's last calibration.
 */
#include "process-private.h"

/* Time and its counter have different units, and each pCPU's counter has its
 * own start, so that a test notices if one is used for the other. */
#define TICKS_A_NS 3ul
#define SCALE      (0x100000000ul / TICKS_A_NS) /* ns of 2^32 ticks */

/* Xen calibrates once a second, in step with nothing of ours; a while after the
 * interrupt that reads the counter its softirq stores what was read. */
#define CALIBRATION 1000037000ul /* ns */
#define STORED      500ul        /* ns */

static struct process_stamp {
    uint64_t offset; /* of the counter, modulo 2^64 */
    uint64_t ticks;  /* at the last calibration, */
    uint64_t time;   /* and the time there */
} stamps[PROCESS_PCPUS_MAX];

static uint64_t ticks_at(unsigned int pcpu, uint64_t time)
{
    return time * TICKS_A_NS + stamps[pcpu].offset;
}

uint64_t process_ticks(unsigned int pcpu)
{
    return ticks_at(pcpu, process_now());
}

static void stamp_at(unsigned int pcpu, uint64_t time)
{
    stamps[pcpu].time = time;
    stamps[pcpu].ticks = ticks_at(pcpu, time);
}

void process_calibrate_due(unsigned int pcpu, uint64_t before)
{
    uint64_t last = stamps[pcpu].time;

    if ( before < last + CALIBRATION + STORED )
        return;
    stamp_at(pcpu, last + (before - STORED - last) / CALIBRATION * CALIBRATION);
}

void process_calibrate(unsigned int pcpu)
{
    stamp_at(pcpu, process_now());
}

void process_set_ticks(unsigned int pcpu, uint64_t ticks)
{
    stamps[pcpu].offset = ticks - process_now() * TICKS_A_NS;
    stamp_at(pcpu, process_now());
}

void process_reset_clock(unsigned int pcpus)
{
    for ( unsigned int i = 0; i < pcpus; i++ )
    {
        stamps[i].offset = 1000000007ul * (i + 1);
        stamp_at(i, process_now());
    }
}

static uint64_t scaled(uint64_t ticks)
{
    __extension__ typedef unsigned __int128 wide;

    return (uint64_t)((wide)ticks * SCALE >> 32);
}

static uint64_t strict_time(uint64_t ticks)
{
    struct process_thread here = process_here();

    if ( here.context == CONTEXT_SOFT && (int64_t)(ticks - here.since) < 0 )
        process_fail("Xen's clock is asked about the past");
    return (ticks - stamps[here.pcpu].offset) / TICKS_A_NS;
}

uint64_t port_ticks(void)
{
    struct process_host *host = process_host();

    if ( host->held )
        process_may_be_held();
    if ( host->call_cost )
    {
        process_set_time(process_now() + host->call_cost);
        host->looks++;
    }
    return process_ticks(process_here().pcpu);
}

uint64_t port_time(void)
{
    process_need(CONTEXT_SOFT, __func__);
    return process_now();
}

uint64_t port_calibrated(void)
{
    process_need(CONTEXT_SOFT, __func__);
    return stamps[process_here().pcpu].ticks;
}

uint64_t port_time_ahead(uint64_t ticks)
{
    const struct process_stamp *stamp = &stamps[process_here().pcpu];
    enum process_clock clock = process_host()->clock;

    process_need(CONTEXT_SOFT, __func__);
    if ( clock == PROCESS_CLOCK_STRICT )
        return strict_time(ticks);
    if ( clock == PROCESS_CLOCK_SIGNED && ticks < stamp->ticks )
        return stamp->time - scaled(stamp->ticks - ticks);
    return stamp->time + scaled(ticks - stamp->ticks);
}
