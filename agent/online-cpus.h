/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the processors that run are still those of the beginning.  Events of
 * one that came later are in no ring, and no ring can be made once rights were
 * dropped.
 */
#ifndef XENOPROF_AGENT_ONLINE_CPUS_H
#define XENOPROF_AGENT_ONLINE_CPUS_H

#include <stdbool.h>
#include <stdint.h>

/* ns between two looks. */
#define ONLINE_PAUSE 2000000000ull

struct online_cpus {
    const char *path;
    uint64_t next;   /* look */
    char text[1024]; /* of the beginning */
};

/* path is that of /sys/devices/system/cpu/online, and stays good.  To be called
 * before rings are made. */
void online_cpus_open(struct online_cpus *cpus, const char *path, uint64_t now);
/* Returns whether other processors run than did then; looks if it is time to.
 * A file that cannot be read says nothing. */
bool online_cpus_changed(struct online_cpus *cpus, uint64_t now);

#endif
