/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host whose domains have a little memory: frames with numbers, and page
 * tables that a test builds in them.
 */
#ifndef XENOPROF_TESTS_UNIT_DAEMON_GUESTS_GUEST_KIT_H
#define XENOPROF_TESTS_UNIT_DAEMON_GUESTS_GUEST_KIT_H

#include "daemon/guests/guest-walk.h"

#define KIT_FRAMES 64u

struct guest_kit {
    struct xen xen;
    uint8_t frames[KIT_FRAMES][GUEST_PAGE];
    bool missing[KIT_FRAMES];                   /* cannot be read */
    unsigned int reads;                         /* frames that were read */
    void (*before_read)(struct guest_kit *kit); /* NULL, or what happens */
    bool has_time;                              /* Xen says what time it is */
    uint16_t dying;                             /* domain that is; 0: none */
    bool reborn;       /* domain 3 is what was domain 2 */
    bool hardware;     /* domains are PVH, not PV */
    char command[256]; /* the last that came to the door, */
    char fetch[256];   /* the last of these that says who is read, */
    int refusal;       /* and what the door answers, or 0 */
};

void guest_kit_begin(struct guest_kit *kit);

/* Entry number index of the table in frame. */
void guest_kit_set(struct guest_kit *kit, unsigned int frame,
                   unsigned int index, uint64_t entry);

/* Four levels, from frames 1 to 4, that map the page at address to frame;
 * returns cr3. */
uint64_t guest_kit_map(struct guest_kit *kit, uint64_t address,
                       unsigned int frame);

#endif
