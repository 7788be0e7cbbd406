/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cost.h"

void cost_add(struct pcpu *pcpu, uint64_t start)
{
    struct second_half *second = &pcpu->second;
    uint64_t now = port_ticks();
    uint64_t spent;

    second->spent += now - start;
    spent = second->spent +
            __atomic_load_n(&pcpu->first.spent, __ATOMIC_RELAXED) -
            second->spent_counted;
    second->spent_counted += spent;
    /* The port converts points in time, of this pCPU; so take two. */
    second->cost += port_time_at(now) - port_time_at(now - spent);
}
