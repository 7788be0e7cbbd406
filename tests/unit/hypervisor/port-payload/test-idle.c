/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an NMI returns to that came as an idle routine was about to sleep.
 */
#include <string.h>

#include "hypervisor/port-payload/xen.h"
#include "tests/harness.h"

/* Two routines, and code between them. */
static const uint8_t code[] = {0xf4, 0x90, 0xfb, 0xf4, 0x90, 0xf4, 0xfa,
                               0xf4, 0xfb, 0x90, 0xfb, 0xf4, 0xf4};
static const struct routine {
    unsigned int start, size;
} routines[] = {{0, 8}, {11, 2}};

static struct xen_optional symbols;

#define optional symbols
#include "hypervisor/port-payload/idle.c"

const char *symbols_lookup(unsigned long address, unsigned long *size,
                           unsigned long *offset, char *name)
{
    (void)name;
    for ( unsigned int i = 0; i < 2; i++ )
        if ( address == (uintptr_t)&code[routines[i].start] )
        {
            *size = routines[i].size;
            *offset = 0;
            return "idle";
        }
    return NULL;
}

static void begin(void)
{
    symbols.default_idle = (const char *)&code[0];
    symbols.mwait_idle = (const char *)&code[11];
    memset(idle_routines, 0, sizeof(idle_routines));
    idle_init();
}

/* Returns how far behind `at` an NMI that came there returns to. */
static unsigned int returns_behind(unsigned int at, uint16_t cs)
{
    uint64_t frame[FRAME_END / 8], ip = (uintptr_t)&code[at];
    uint64_t before[FRAME_END / 8];

    memset(frame, 0xa5, sizeof(frame));
    memcpy((char *)frame + FRAME_IP, &ip, sizeof(ip));
    memcpy((char *)frame + FRAME_CS, &cs, sizeof(cs));
    memcpy(before, frame, sizeof(frame));
    idle_stay_awake((struct port_frame *)frame);
    memcpy(&ip, (char *)frame + FRAME_IP, sizeof(ip));
    memcpy((char *)before + FRAME_IP, &ip, sizeof(ip));
    CHECK(!memcmp(before, frame, sizeof(frame)));
    return (unsigned int)(ip - (uintptr_t)&code[at]);
}

/* Between STI and HLT of an idle routine, and nowhere else. */
TEST(sleep_is_stepped_over_where_interrupts_may_come_before_it)
{
    begin();
    for ( unsigned int at = 0; at < sizeof(code); at++ )
    {
        CHECK_EQ(returns_behind(at, XEN_CODE_SELECTOR), at == 3);
        CHECK_EQ(returns_behind(at, 0xe033), 0); /* a guest's */
    }
}

TEST(idle_routines_are_known_by_their_addresses)
{
    begin();
    for ( unsigned int at = 0; at < sizeof(code); at++ )
        CHECK_EQ(idle_has((uintptr_t)&code[at]), at < 8 || at >= 11);
}
