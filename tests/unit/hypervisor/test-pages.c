/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/queue.h"
#include "life-kit.h"

static uint64_t map_status(void)
{
    uint64_t mfn = kit_state().status_mfn;

    CHECK(process_map(mfn));
    return mfn;
}

TEST(pages_that_dom0_maps_are_awaited)
{
    uint64_t status, data;

    life_begin("frequency=100 pages=4 lease=0 budget=0");
    status = map_status();
    data = kit_ring_page(0)->data_mfn[2];
    CHECK(process_map(data));
    kit_done("reset");
    CHECK_EQ(kit_state().awaited, 2);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_LOADED);
    CHECK_EQ(process_host()->shared, 2);
    /* The next session lives beside them. */
    kit_done("reserve sampler=nmi frequency=97 mask=0 pages=1 queue=0 "
             "lease=0 budget=0");
    CHECK_EQ(kit_status()->awaited, 2);
    process_unmap(data);
    kit_refused(22, "no such command", "x");
    CHECK_EQ(kit_state().awaited, 1);
    process_unmap(status);
    kit_done("reset");
    CHECK_EQ(kit_state().awaited, 0);
    CHECK_EQ(process_host()->shared, 0);
    CHECK_EQ(process_host()->allocated, 0);
}

TEST(unload_abandons_what_is_mapped)
{
    life_begin("frequency=100 pages=4 lease=0 budget=0");
    map_status();
    CHECK_EQ(core_unload(), 1);
    CHECK_EQ(process_host()->shared, 1);
    CHECK_EQ(process_host()->allocated, 0);
    process_reset(1);
}

/* What a pCPU uses at each sample, and its ring; a vCPU may run anywhere. */
TEST(memory_is_near_its_pcpu)
{
    life_begin("frequency=97 pages=4 lease=0 budget=0");
    for ( unsigned int i = 0; i < 2; i++ )
    {
        CHECK(process_pcpu(i)->near_bytes >
              QUEUE_DEPTH_MIN * sizeof(struct queue_entry));
        CHECK_EQ(process_pcpu(i)->near_pages, 4 + 1);
    }
    kit_done("reset");
    CHECK_EQ(process_pcpu(1)->near_bytes, 0);
}
