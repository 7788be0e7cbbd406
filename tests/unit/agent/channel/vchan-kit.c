/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vchan-kit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct vchan_kit *kit_vchan;

static struct vchan_rings server, client;

void kit_vchan_make(void)
{
    if ( !kit_vchan )
        kit_vchan = mmap(NULL, sizeof(*kit_vchan), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if ( kit_vchan == MAP_FAILED )
        abort();
    memset(kit_vchan, 0, sizeof(*kit_vchan));
}

struct vchan_rings *kit_vchan_serve(void)
{
    struct vchan_interface *ring = &kit_vchan->ring;

    ring->left_order = ring->right_order = VCHAN_ORDER;
    for ( uint32_t i = 0; i < VCHAN_RING_PAGES; i++ )
    {
        ring->grants[i] = KIT_LEFT_REF + i;
        ring->grants[VCHAN_RING_PAGES + i] = KIT_RIGHT_REF + i;
    }
    memcpy(kit_vchan->page + VCHAN_MARK_AT, VCHAN_MARK, sizeof(VCHAN_MARK));
    ring->cli_live = 2;
    ring->srv_live = 1;
    vchan_rings_of_server(&server, ring, kit_vchan->left, kit_vchan->right);
    return &server;
}

struct vchan_rings *kit_vchan_connect(void)
{
    vchan_rings_of_client(&client, &kit_vchan->ring, kit_vchan->left,
                          kit_vchan->right);
    __atomic_store_n(&kit_vchan->ring.cli_live, 1, __ATOMIC_RELEASE);
    return &client;
}

void kit_vchan_leave(void)
{
    __atomic_store_n(&kit_vchan->ring.cli_live, 0, __ATOMIC_RELEASE);
}

uint32_t kit_vchan_ready(const struct vchan_rings *rings)
{
    const struct ring_shared *shared = rings->read.shared;

    return __atomic_load_n(&shared->prod, __ATOMIC_ACQUIRE) -
           __atomic_load_n(&shared->cons, __ATOMIC_ACQUIRE);
}
