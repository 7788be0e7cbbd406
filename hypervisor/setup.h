/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session is set up with: the settings that reserve asks for, and the
 * commands for its domains, their rings and its pCPUs.
 */
#ifndef XENOPROF_HYPERVISOR_SETUP_H
#define XENOPROF_HYPERVISOR_SETUP_H

#include "session.h"
#include "words.h"

/* Reads the settings of a reserve command.  Returns 0, or what refuse()
 * returned. [command] */
int setup_settings(const struct words *words, struct settings *ret);

/* What the choice of the sampler depends on. */
struct sampler_signs {
    enum port_slot slot;
    bool watchdog; /* Xen's NMI watchdog runs */
    bool together; /* Xen schedules several pCPUs as one */
    bool blind;    /* an NMI that ends a guest's run looks like one in Xen */
    bool fatal;    /* an NMI that nobody claims stops the host */
};

/*
 * Chooses the sampler that a session gets: the timer where the NMI callback is
 * taken, where Xen schedules several pCPUs as one, where NMIs that end a
 * guest's run are not known, or where the watchdog runs and nmi is not insisted
 * on.  Returns true, or false if nmi is insisted on in one of the first three.
 *
 * Several pCPUs as one: they wait for each other by means of the softirq that
 * an NMI of ours raises.  Where it is raised already, Xen sends nothing; and a
 * pCPU that an NMI interrupts after its last look at its softirqs goes to
 * sleep, or into its guest, with the softirq raised.  Its siblings would spin
 * until it wakes.
 *
 * Not known: NMIs would book guests' time to Xen.  The timer sees from what a
 * guest was left for whether it was the guest that the tick interrupted.
 */
bool setup_choose_sampler(enum xenoprof_sampler asked, bool insist,
                          struct sampler_signs signs,
                          enum xenoprof_sampler *ret);

/* The commands of these names.  Each returns 0, or what refuse() returned.
 * [command] */
int setup_domain(const struct words *words);
int setup_link(const struct words *words);
int setup_fetch(const struct words *words);
int setup_forget(const struct words *words);
int setup_release(const struct words *words);
int setup_pcpus(const struct words *words);
int setup_event(const struct words *words);

#endif
