/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "ticker-kit.h"

struct kit_read ticker_read;

void ticker_begin(unsigned int pcpus, const char *sampler)
{
    memset(&ticker_read, 0, sizeof(ticker_read));
    process_reset(pcpus);
    CHECK_EQ(kit_command("reserve sampler=%s frequency=100 mask=3 pages=16 "
                         "queue=0 lease=0 budget=0",
                         sampler),
             0);
    kit_done("domain id=5 vcpus=64 uuid=" KIT_UUID_5 " kind=passive");
}

void ticker_end(void)
{
    kit_done("stop");
    kit_check_sums();
    kit_drain_all(&ticker_read);
    CHECK_EQ(ticker_read.samples, kit_status()->counters.committed);
    for ( unsigned int i = 0; i < port_pcpus(); i++ )
        CHECK_EQ(process_pcpu(i)->nmis_passed, 0);
    CHECK_EQ(process_host()->hooked, 0);
    CHECK_EQ(process_host()->slot, PORT_SLOT_FREE);
    kit_done("reset");
    CHECK_EQ(process_host()->allocated, 0);
    CHECK_EQ(process_host()->shared, 0);
}

void ticker_busy(unsigned int pcpu)
{
    process_set_current(pcpu, 5, pcpu);
}

void ticker_run(unsigned int seconds)
{
    for ( unsigned int tenth = 0; tenth < 10 * seconds; tenth++ )
    {
        process_run_until(process_now() + KIT_SECOND / 10);
        kit_drain_all(&ticker_read);
    }
}

unsigned int ticker_armed(void)
{
    unsigned int count = 0;

    for ( unsigned int i = 0; i < port_pcpus(); i++ )
        count += process_pcpu(i)->timer != 0;
    return count;
}

uint64_t ticker_sent(unsigned int pcpu)
{
    return process_pcpu(pcpu)->nmis_sent;
}

void ticker_near(uint64_t got, uint64_t wanted, uint64_t by)
{
    if ( got + by < wanted || got > wanted + by )
        test_fail(__FILE__, __LINE__, "%lu is not within %lu of %lu", got, by,
                  wanted);
}
