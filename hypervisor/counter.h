/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters with one writer, which others may read at any time: never torn, and
 * without locked instructions.  Relaxed: a counter stands for itself.
 */
#ifndef XENOPROF_HYPERVISOR_COUNTER_H
#define XENOPROF_HYPERVISOR_COUNTER_H

#include "port.h"

/* To be called by the counter's one writer only. [nmi] */
static inline void counter_add(uint64_t *counter, uint64_t more)
{
    __atomic_store_n(counter, *counter + more, __ATOMIC_RELAXED);
}

/* The same for a value that is not a sum. [nmi] */
static inline void counter_set(uint64_t *counter, uint64_t value)
{
    __atomic_store_n(counter, value, __ATOMIC_RELAXED);
}

/* [nmi] */
static inline uint64_t counter_read(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

#endif
