/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guests of a daemon, with searches and walkers in their sandboxes, and a
 * session of their own: of the domains of guest-kit.h, number 2 is profiled.
 */
#ifndef XENOPROF_TESTS_UNIT_DAEMON_GUESTS_GUESTS_KIT_H
#define XENOPROF_TESTS_UNIT_DAEMON_GUESTS_GUESTS_KIT_H

#include "daemon/guests/guests.h"
#include "cage/keeper.h"
#include "guest-kit.h"

#define KERNEL 0xffffffff81000000ul
#define SECOND 1000000000ull
#define FRAME  40u /* of the kernel's first page */

struct guests_kit {
    struct guest_kit host;
    struct keeper keeper;
    struct process_maker maker;
    struct guests *guests;
    struct xenoprof_handle *handle;
    struct xenoprof_writer *writer;
    char dir[64];
    uint64_t now; /* Xen's time */
    /* Of the sample that was made last. */
    struct xenoprof_registers registers;
    struct {
        struct xenoprof_window head;
        uint64_t words[4];
    } window;
};

/* letter says what the stub of a search does (parser-stub.h). */
void guests_kit_begin(struct guests_kit *kit, char letter);
void guests_kit_end(struct guests_kit *kit);
/* Other processes from now on. */
void guests_kit_restart(struct guests_kit *kit, process_act act);

/* Returns a sample at ip, a second after the last, with a stack of one caller;
 * caller 0: none.  It is good until the next. */
struct guest_sample guests_kit_sample(struct guests_kit *kit, uint64_t ip,
                                      uint64_t caller);
/* Returns what dom0's agent says, who is called now if nothing is known of dom0
 * yet. */
struct user_names *guests_kit_dom0(struct guests_kit *kit);
/* Works until no search goes on. */
void guests_kit_search(struct guests_kit *kit);
/* Takes the sample's way from the first look to its chain.  Returns the state
 * of its guest. */
enum guest_state guests_kit_take(struct guests_kit *kit,
                                 struct guest_sample *sample,
                                 struct guest_chain *chain);

/* Returns what the session says of domain 2's kernel, or "". */
const char *guests_kit_fact(const struct guests_kit *kit);
/* The symbol of a place, as the session has it in the end, is this; "": it has
 * none. */
void guests_kit_check_symbol(struct guests_kit *kit, uint32_t place,
                             const char *image, const char *symbol);
/* Checks the line, PATH:NUMBER, of the place that was checked just now; "": it
 * has none. */
void guests_kit_check_line(struct guests_kit *kit, const char *line);

#endif
