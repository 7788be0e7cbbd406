/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cost.h"
#include "counter.h"

void cost_add(struct pcpu *pcpu, uint64_t start)
{
    struct second_half *second = &pcpu->second;
    uint64_t now = port_ticks();
    uint64_t spent;

    second->spent += now - start;
    spent = second->spent + counter_read(&pcpu->first.spent) -
            second->spent_counted;
    second->spent_counted += spent;
    /* The port converts points in time, of this pCPU; so take two. */
    counter_add(&second->cost, port_time_at(now) - port_time_at(now - spent));
}
