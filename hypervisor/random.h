/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers that are in step with nothing, for when to look and at what: nobody
 * is kept from guessing them.  The state is its owner's, and is never 0.
 */
#ifndef XENOPROF_HYPERVISOR_RANDOM_H
#define XENOPROF_HYPERVISOR_RANDOM_H

#include "port.h"

/* Returns the state to begin with; with another number, another sequence. */
static inline uint32_t random_seed(uint32_t number)
{
    return 2654435761u * (number + 1);
}

/* Returns a number below the other one, each as likely; 0 if that is 0. */
static inline uint64_t random_below(uint32_t *state, uint64_t below)
{
    uint32_t x = *state;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return (x * below) >> 32;
}

#endif
