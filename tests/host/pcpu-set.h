/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of fake pCPUs: a tick of a large host has no time to look at each one.
 * Threads may add to a set while others walk through it: first what there is to
 * do is written, then the pCPU is added; who drops one looks at that again.
 *
 *   for ( i = pcpu_set_first(set); i < PROCESS_PCPUS_MAX;
 *         i = pcpu_set_after(set, i) )
 */
#ifndef XENOPROF_TESTS_HOST_PCPU_SET_H
#define XENOPROF_TESTS_HOST_PCPU_SET_H

#include "host.h"

#define PCPU_SET_WORD  64u
#define PCPU_SET_WORDS (PROCESS_PCPUS_MAX / PCPU_SET_WORD)

_Static_assert(PROCESS_PCPUS_MAX % PCPU_SET_WORD == 0, "all words are whole");

struct pcpu_set {
    uint64_t words[PCPU_SET_WORDS];
};

static inline void pcpu_set_add(struct pcpu_set *set, unsigned int pcpu)
{
    __atomic_fetch_or(&set->words[pcpu / PCPU_SET_WORD],
                      1ul << pcpu % PCPU_SET_WORD, __ATOMIC_SEQ_CST);
}

static inline void pcpu_set_drop(struct pcpu_set *set, unsigned int pcpu)
{
    __atomic_fetch_and(&set->words[pcpu / PCPU_SET_WORD],
                       ~(1ul << pcpu % PCPU_SET_WORD), __ATOMIC_SEQ_CST);
}

/* Takes all members of a word out.  Returns them as bits. */
static inline uint64_t pcpu_set_take(struct pcpu_set *set, unsigned int word)
{
    uint64_t *members = &set->words[word];

    return __atomic_load_n(members, __ATOMIC_RELAXED)
               ? __atomic_exchange_n(members, 0, __ATOMIC_SEQ_CST)
               : 0;
}

/* Returns the first member from this pCPU on, or PROCESS_PCPUS_MAX. */
static inline unsigned int pcpu_set_next(const struct pcpu_set *set,
                                         unsigned int from)
{
    unsigned int word = from / PCPU_SET_WORD;
    uint64_t least = ~0ul << from % PCPU_SET_WORD;

    for ( ; word < PCPU_SET_WORDS; word++, least = ~0ul )
    {
        uint64_t members = least &
                           __atomic_load_n(&set->words[word], __ATOMIC_RELAXED);

        if ( members )
            return word * PCPU_SET_WORD + (unsigned int)__builtin_ctzl(members);
    }
    return PROCESS_PCPUS_MAX;
}

static inline unsigned int pcpu_set_first(const struct pcpu_set *set)
{
    return pcpu_set_next(set, 0);
}

static inline unsigned int pcpu_set_after(const struct pcpu_set *set,
                                          unsigned int pcpu)
{
    return pcpu_set_next(set, pcpu + 1);
}

#endif
