/* SPDX-License-Identifier: MIT */
/*
 * What the hypervisor module must know of the one build that it is assembled
 * for.  xenopctl finds the facts and writes this structure into the module; the
 * module checks them again when it is loaded.
 *
 * Freestanding: the module includes it too.
 */
#ifndef XENOPROF_FACTS_H
#define XENOPROF_FACTS_H

#include <stdint.h>

#define XENOPROF_FACTS_MAGIC   0x74636658u /* "Xfct" */
#define XENOPROF_FACTS_VERSION 3u

/* Value of an unknown fact; facts.def says which may be unknown. */
#define XENOPROF_FACT_ABSENT 0xffffffffu

#define XENOPROF_FACTS_NEED_SAMPLING 0
#define XENOPROF_FACTS_NEED_STACKS   1
#define XENOPROF_FACTS_NEED_AMD      2
#define XENOPROF_FACTS_NEED_PV       3
#define XENOPROF_FACTS_NEED_HVM      4
#define XENOPROF_FACTS_NEED_WAITS    5
#define XENOPROF_FACTS_NEED_VMX      6

/* Index of each fact, XENOPROF_FACT_<name>, and their number. */
enum xenoprof_fact {
#define XENOPROF_FACT(name, need, path, what) XENOPROF_FACT_##name,
#include <xenoprof/facts.def>
#undef XENOPROF_FACT
    XENOPROF_FACT_COUNT
};

/*
 * magic, version, size and count say whether the module and the program that
 * filled this in agree on the list.  The fields after count are an array of
 * uint32_t, indexed by enum xenoprof_fact.
 */
struct xenoprof_facts {
    uint32_t magic;
    uint32_t version;
    uint32_t size;
    uint32_t count;
#define XENOPROF_FACT(name, need, path, what) uint32_t name;
#include <xenoprof/facts.def>
#undef XENOPROF_FACT
};

#endif /* XENOPROF_FACTS_H */
