/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a word of a guest's stack is an address of its code.  Where nothing
 * is known of the guest's kernel, a walk by frame pointers may follow any word;
 * but what is not behind a call must not reach the session, since it may be
 * anything that the guest keeps on its stack.
 */
#ifndef XENOPROF_DAEMON_GUESTS_GUEST_CALLS_H
#define XENOPROF_DAEMON_GUESTS_GUEST_CALLS_H

#include "address-table.h"
#include "guest-walk.h"

/* A call has at most as many bytes. */
#define CALL_BYTES_MAX 7u

/* What is known of one guest.  All zeroes: nothing yet. */
struct guest_calls {
    struct address_table ends; /* CALL_NOT, CALL_ENDS by address */
};

void guest_calls_free(struct guest_calls *calls);

/* Returns true if these bytes, which end where the address is, end with a
 * call. */
bool bytes_end_with_call(const uint8_t bytes[CALL_BYTES_MAX]);

/* Returns true if address can be a return address of code that was seen at ip:
 * canonical, in the same half of the address space, within 1 GiB of it. */
bool is_near_code(uint64_t address, uint64_t ip);

/* Returns true if address is near ip and a call ends there.  walk is open for
 * the guest; *left is how many addresses may still be looked at. */
bool guest_calls_end_at(struct guest_calls *calls, struct guest_walk *walk,
                        uint64_t address, uint64_t ip, uint32_t *left);

#endif
