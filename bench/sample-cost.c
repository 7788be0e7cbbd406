/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples on the process port, for counting instructions: `both halves` of a
 * guest's sample with registers, of a sample in Xen, and the tick that asks
 * for them.  Run by bench/sample-cost.sh under callgrind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hypervisor/port-process/port-process.h"

#define DOM0 "domain id=0 vcpus=2 uuid=00000000000000000000000000000000"

static void command(const char *line)
{
    if ( core_command(line) )
    {
        fprintf(stderr, "sample-cost: refused: %s\n", line);
        exit(1);
    }
}

/* The reader's part: all that was written may be overwritten. */
static void release_all(void)
{
    struct xenoprof_door_state state;
    const struct xenoprof_status_page *status;
    uint64_t *index;

    core_door_state(&state);
    status = process_page(state.status_mfn);
    index = process_page(status->index_mfn[0]);
    for ( uint32_t i = 0; i < status->rings; i++ )
    {
        const uint64_t *table = process_page(status->table_mfn[0]);
        const struct xenoprof_ring_page *ring = process_page(table[i]);

        if ( ring )
            index[i + 1] = ring->producer;
    }
    index[0]++;
}

int main(int argc, char **argv)
{
    unsigned int samples = argc > 2 ? atoi(argv[2]) : 10000;
    bool xen = argc > 1 && !strcmp(argv[1], "xen");

    process_reset(2);
    process_set_current(0, 0, 0);
    process_set_current(1, 0, 1);
    command("reserve sampler=nmi frequency=97 mask=3 pages=16 queue=8 "
            "lease=0 budget=0");
    command(DOM0 " kind=passive");
    command("start");
    for ( unsigned int pcpu = 0; xen && pcpu < 2; pcpu++ )
        process_pcpu(pcpu)->frame.at.mode = XENOPROF_MODE_XEN;
    while ( process_pcpu(0)->nmis_claimed + process_pcpu(1)->nmis_claimed <
            samples )
    {
        process_run_until(process_now() + 10000000);
        release_all();
    }
    return 0;
}
