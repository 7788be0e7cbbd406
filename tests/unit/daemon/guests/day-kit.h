/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A large host that works as hosts do: guests with four vCPUs each take turns
 * on its pCPUs, their stacks are those of bench/growing-model.h, and every now
 * and then the oldest guest ends and another one begins.  The daemon's core and
 * its processes, on the process port, with a clock of its own.
 */
#ifndef XENOPROF_TESTS_UNIT_DAEMON_GUESTS_DAY_KIT_H
#define XENOPROF_TESTS_UNIT_DAEMON_GUESTS_DAY_KIT_H

#include "cage/keeper.h"
#include "guest-kit.h"
#include "tests/unit/daemon/recording-kit.h"

#define DAY_GUESTS_MAX 250u
#define DAY_VCPUS      4u /* of each guest */
#define DAY_KERNELS    4u /* different ones */
#define DAY_SECOND     1000000000ull
#define DAY_HOURS      24u

struct day_host {
    unsigned int pcpus, guests;
    unsigned int hz; /* as in the options */
    uint64_t life;   /* ns between two ends of guests */
    const char *options;
    const uint8_t *busy; /* percent of pCPUs at work, in each hour of a day;
                            NULL: all always */
};

struct day {
    struct recording_kit kit;
    struct keeper keeper;
    struct process_maker maker;
    struct day_host host;
    struct guest_kit memory[DAY_KERNELS];
    /* Domain numbers, which only grow: a guest's kernel follows from them. */
    uint16_t oldest, next;
    uint64_t begun;    /* Xen's time */
    uint64_t next_end; /* ... when the oldest ends */
    uint64_t turn;
    uint64_t cpu; /* ns that the daemon itself worked */
};

void day_begin(struct day *day, const struct day_host *host);
/* Lets ns pass, at least a tenth of a second. */
void day_pass(struct day *day, uint64_t ns);
/* The same; xenoprofd does nothing meanwhile, as if it waited for a disk. */
void day_be_away(struct day *day, uint64_t ns);
/* The recording stops; the session stays until day_free(). */
void day_stop(struct day *day);
void day_free(struct day *day);

/* Each pCPU that works has another vCPU, in another place
 * (day-kit-stacks.c). */
void day_take_turns(struct day *day);
/* Xen's stacks, and the unwind table of its code. */
void day_make_stacks(const struct day_host *host);
void day_free_stacks(void);
/* Xen's symbols, malloc'ed. */
char *day_symbols(size_t *size);

/* What a session has of samples, each counted where it is. */
struct day_counts {
    uint64_t made, kept, expired, lost;
};
void day_count(const struct day *day, struct day_counts *ret);

#endif
