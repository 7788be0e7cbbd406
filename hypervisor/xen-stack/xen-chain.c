/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's call chain on its way: the table, the walk in the NMI, the record.
 */
#include "xen-chain.h"
#include "xen-stack.h"

/* Written before a session is published, and read by what has found one: see
 * session_publish(). */
static struct unwind_table table;
static uint64_t own_text;

bool xen_chain_possible(void)
{
    uint64_t size, start;

    return port_unwind_table(&size, &start) != NULL;
}

/* Without rows a chain ends at its leaf. */
bool xen_chain_prepare(void)
{
    uint64_t size = 0;
    const void *bytes = port_unwind_table(&size, &own_text);

    table = (struct unwind_table){0};
    return !bytes || unwind_check(bytes, size, own_text, &table);
}

uint64_t xen_chain_own_text(uint64_t *size)
{
    for ( uint32_t i = 0; i < table.texts; i++ )
        if ( table.text[i].start == own_text )
        {
            *size = table.text[i].length;
            return own_text;
        }
    *size = 0;
    return 0;
}

uint32_t xen_chain_room(uint32_t mask)
{
    return mask & XENOPROF_PART_XEN_STACK ? XEN_CHAIN_FRAMES : 0;
}

void xen_chain_take(const struct port_frame *frame, struct queue_entry *entry)
{
    struct port_xen_stack start = {0};
    bool whole;

    /* The first and last instructions of a system call are on the guest's
     * stack: such an instruction is the whole chain. */
    if ( !port_xen_stack(frame, &start) )
    {
        entry->frame[0] = entry->at.ip;
        entry->frames = 1;
        return;
    }
    entry->frames = xen_stack_walk(&table, &start, entry->frame,
                                   XEN_CHAIN_FRAMES, &whole);
    if ( !whole )
        entry->marks |= XENOPROF_MARK_TRUNCATED;
}

void xen_chain_add(const struct queue_entry *entry,
                   struct sample_record *record)
{
    uint32_t bytes = entry->frames * sizeof(*entry->frame);
    struct xenoprof_chain *chain = sample_record_add(
        record, XENOPROF_PART_XEN_STACK, sizeof(*chain) + bytes);

    if ( !chain )
        return;
    *chain = (struct xenoprof_chain){.count = entry->frames};
    memcpy(chain + 1, entry->frame, bytes);
}
