/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "idle.h"

#define STI 0xfbu
#define HLT 0xf4u

struct range {
    uintptr_t start, end;
};
static struct range idle_routines[8];

static const struct range *routine_of(uintptr_t ip)
{
    for ( unsigned int i = 0; i < 8; i++ )
        if ( ip >= idle_routines[i].start && ip < idle_routines[i].end )
            return &idle_routines[i];
    return NULL;
}

static void add_idle_routine(const char *symbol)
{
    unsigned long size, offset;
    char name[128];
    unsigned int i = 0;

    if ( !symbol || !symbols_lookup((uintptr_t)symbol, &size, &offset, name) ||
         offset )
        return;
    while ( idle_routines[i].end )
        if ( ++i == 8 )
            return;
    idle_routines[i].start = (uintptr_t)symbol;
    idle_routines[i].end = (uintptr_t)symbol + size;
}

void idle_init(void)
{
    add_idle_routine(optional.default_idle);
    add_idle_routine(optional.acpi_processor_idle);
    add_idle_routine(optional.acpi_idle_do_entry);
    add_idle_routine(optional.mwait_idle);
    add_idle_routine(optional.mwait_idle_with_hints);
}

bool idle_has(uintptr_t ip)
{
    return routine_of(ip) != NULL;
}

/* Where there are shadow stacks, one has the address of return, too, and the
 * processor compares.  Without them the instruction does nothing. */
static bool has_shadow_stack(void)
{
    uint64_t pointer = 0;

    asm volatile("rdsspq %0" : "+r"(pointer));
    return pointer;
}

void idle_stay_awake(struct port_frame *frame)
{
    uintptr_t ip = xen_u64(frame, FRAME_IP);
    const struct range *routine = routine_of(ip);
    const uint8_t *code = (const uint8_t *)ip;

    if ( xen_u16(frame, FRAME_CS) != XEN_CODE_SELECTOR || !routine ||
         ip == routine->start || code[0] != HLT || code[-1] != STI ||
         has_shadow_stack() )
        return;
    ip++;
    memcpy((char *)frame + FRAME_IP, &ip, sizeof(ip));
}
