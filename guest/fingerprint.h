/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SipHash-1-3 (Aumasson and Bernstein) over many pieces.  It has a key, so a
 * guest that writes the pieces cannot make two that look equal.
 */
#ifndef XENOPROF_GUEST_FINGERPRINT_H
#define XENOPROF_GUEST_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

struct fingerprint {
    uint64_t state[4];
    uint64_t tail; /* bytes that do not fill a word yet */
    uint64_t size;
};

void fingerprint_start(struct fingerprint *fingerprint, const uint8_t key[16]);
void fingerprint_add(struct fingerprint *fingerprint, const void *bytes,
                     size_t size);
/* Returns the hash of all that was added, as if in one piece. */
uint64_t fingerprint_end(struct fingerprint *fingerprint);

#endif
