/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small services: time, pCPUs, waking dom0, the console.
 */
#include "xen.h"

#define LINE_MAX 200

uint64_t port_ticks(void)
{
    return __builtin_ia32_rdtsc();
}

uint64_t port_time(void)
{
    return get_s_time();
}

/* Right for ticks since this pCPU's last calibration only: Xen stores that in a
 * softirq, so not between two points of one softirq of ours. */
uint64_t port_time_ahead(uint64_t ticks)
{
    return get_s_time_fixed(ticks);
}

/* It is the first member of struct cpu_time, from 4.17 to 4.23-dev. */
uint64_t port_calibrated(void)
{
    return optional.per_cpu__cpu_time
               ? xen_u64(optional.per_cpu__cpu_time +
                             __per_cpu_offset[port_pcpu()],
                         0)
               : 0;
}

unsigned int port_pcpus(void)
{
    return nr_cpu_ids < PORT_PCPUS_MAX ? nr_cpu_ids : PORT_PCPUS_MAX;
}

unsigned int port_pcpu(void)
{
    return xen_u32(xen_stack_end() - facts.cpu_info_processor_id, 0);
}

bool port_pcpu_online(unsigned int pcpu)
{
    return pcpu < port_pcpus() && cpu_online_map[pcpu / 64] >> pcpu % 64 & 1;
}

bool port_pcpu_idle(unsigned int pcpu)
{
    const char *end = (const char *)stack_base[pcpu] + XEN_STACK_SIZE;

    return xen_pointer(end - facts.cpu_info_current_vcpu, 0) == idle_vcpu[pcpu];
}

void port_wake_reader(void)
{
    const void *vcpus = xen_pointer(hardware_domain, facts.domain_vcpu);
    struct xen_vcpu *vcpu0 = (struct xen_vcpu *)xen_pointer(vcpus, 0);

    send_guest_vcpu_virq(vcpu0, XEN_VIRQ_XENOPROF);
}

void port_log(const char *format, ...)
{
    char line[LINE_MAX];
    __builtin_va_list arguments;

    __builtin_va_start(arguments, format);
    vscnprintf(line, sizeof(line), format, arguments);
    __builtin_va_end(arguments);
    printk("xenoprof: %s\n", line);
}

void port_relax(unsigned int microseconds)
{
    uint64_t until;

    if ( microseconds > 1000 )
        microseconds = 1000;
    until = port_time() + microseconds * 1000ul;
    while ( port_time() < until )
        __builtin_ia32_pause();
}
