/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One side of a vchan: two rings of AGENT_VCHAN_RING bytes and the page that
 * describes them, as <xen/io/libxenvchan.h> lays them out, but without event
 * channels: each side looks by itself (patience.h).
 *
 * An agent must not have any.  Linux forgets all event channels when a guest is
 * restored or migrated, and has a BUG() for a process that closes one after
 * that, by ending too: evtchn_unbind_from_user() in drivers/xen/evtchn.c, seen
 * in 6.1. Where an oops is a panic the guest would die of it.  With memory
 * alone there is nothing to close.
 *
 * The other side may write anything into this memory at any time.
 */
#ifndef XENOPROF_AGENT_CHANNEL_VCHAN_RINGS_H
#define XENOPROF_AGENT_CHANNEL_VCHAN_RINGS_H

#include <stddef.h>
#include <stdint.h>
#include <xen/io/libxenvchan.h>

#include <xenoprof/agent.h>

#define VCHAN_PAGE       4096u
#define VCHAN_ORDER      16u /* of AGENT_VCHAN_RING */
#define VCHAN_RING_PAGES (AGENT_VCHAN_RING / VCHAN_PAGE)

/* The page's last bytes.  When an agent has ended, what xenstore says may be
 * the grant of another page, for a disk for example, to which nobody must
 * write. */
#define VCHAN_MARK    "opagent"
#define VCHAN_MARK_AT (VCHAN_PAGE - sizeof(VCHAN_MARK))

struct vchan_ring {
    struct ring_shared *shared;
    uint8_t *bytes;
};

struct vchan_rings {
    struct vchan_interface *page;
    struct vchan_ring read, write;
    const uint8_t *other; /* 0 there: the other side has gone; NULL: that does
                             not matter */
    uint64_t moved;       /* bytes, in both directions */
};

/* What the client writes is in left.  The server outlives its clients, so it
 * does not mind that one has gone. */
void vchan_rings_of_server(struct vchan_rings *ret,
                           struct vchan_interface *page, void *left,
                           void *right);
void vchan_rings_of_client(struct vchan_rings *ret,
                           struct vchan_interface *page, void *left,
                           void *right);

/* Returns how many bytes were there to be read, size at most; 0 if none, or if
 * the indices are none; or -1 if none will come. */
int vchan_rings_read(struct vchan_rings *rings, void *data, size_t size);
/* Returns for how many there was room; or -1 if nobody will read them. */
int vchan_rings_write(struct vchan_rings *rings, const void *data, size_t size);
/* Drops what the other side has not read, or has written.  Of each ring the
 * index that moves is ours. */
void vchan_rings_clear(const struct vchan_rings *rings);

#endif
