/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tests of the hypervisor core share: commands, a reader of rings that
 * checks every byte of what it reads, and the sums that must hold.
 */
#ifndef XENOPROF_TESTS_UNIT_HYPERVISOR_CORE_KIT_H
#define XENOPROF_TESTS_UNIT_HYPERVISOR_CORE_KIT_H

#include "tests/host/host.h"
#include "tests/harness.h"

#define KIT_SECOND      1000000000ul
#define KIT_MILLISECOND 1000000ul

#define KIT_UUID_0 "00000000000000000000000000000000"
#define KIT_UUID_5 "05050505050505050505050505050505"
#define KIT_UUID_6 "06060606060606060606060606060606"

/* Sends a line to the door. */
int kit_command(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Sends a line that must be refused with this error and this sentence. */
void kit_refused(int error, const char *message, const char *line);
/* Sends a line that must succeed. */
void kit_done(const char *line);

/* A host, a session at 100 Hz with registers, entries and no lease, dom0 and
 * domain 5 with two vCPUs each. */
void kit_session(unsigned int pcpus);

struct xenoprof_door_state kit_state(void);
const struct xenoprof_status_page *kit_status(void);
/* NULL: no such ring. */
const struct xenoprof_ring_page *kit_ring_page(uint32_t number);
const struct xenoprof_ring_page *kit_ring_of(enum xenoprof_ring_kind kind,
                                             uint16_t domain, uint16_t vcpu);
uint64_t *kit_consumer(uint32_t number);
void kit_beat(void);

struct kit_window {
    struct xenoprof_window head;
    uint8_t bytes[32768];
};

struct kit_sample {
    struct xenoprof_sample sample;
    /* A member for each part, whose structure is zeroes without it. */
#define KIT_NOTHING(structure)   struct xenoprof_##structure
#define KIT_ADDRESSES(structure) struct xenoprof_##structure
#define KIT_BYTES(structure)     struct kit_##structure
#define XENOPROF_PART(bit, NAME, name, member, structure, tail, stacks, text)  \
    KIT_##tail(structure) member;
#include <xenoprof/record-parts.def>
#undef XENOPROF_PART
    uint64_t frames[XENOPROF_CHAIN_MAX]; /* of xen_stack */
};

struct kit_read {
    uint64_t samples; /* without those of vCPUs that wait: */
    uint64_t waiting;
    uint64_t lost[XENOPROF_CAUSES]; /* as LOST records have it */
    uint64_t pads;
    uint64_t waits;
    struct xenoprof_wait last_wait;
    void (*each_wait)(const struct xenoprof_wait *wait); /* as each */
    void (*each_counted)(const struct xenoprof_counted *counted);
    struct kit_sample last;
    void (*each)(const struct kit_sample *sample); /* NULL: nobody looks */
};

/* Reads a ring up to its end, checks each record, and gives the room back if
 * release.  Adds to *ret. */
void kit_drain(const struct xenoprof_ring_page *ring, bool release,
               struct kit_read *ret);
/* The same with all rings. */
void kit_drain_all(struct kit_read *ret);

/* When nothing is under way: made = committed + lost and due = made + missed,
 * for the session and for each ring, and the rings add up to the session. */
void kit_check_sums(void);

#endif
