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

/*
 * Chooses the sampler that a session gets: the timer where the NMI callback is
 * taken, or the watchdog runs and nmi is not insisted on.  Returns true, or
 * false if nmi is insisted on and the callback is taken.
 */
bool setup_choose_sampler(enum xenoprof_sampler asked, bool insist,
                          enum port_slot slot, bool watchdog,
                          enum xenoprof_sampler *ret);

/* The commands of these names.  Each returns 0, or what refuse() returned.
 * [command] */
int setup_domain(const struct words *words);
int setup_link(const struct words *words);
int setup_forget(const struct words *words);
int setup_release(const struct words *words);
int setup_pcpus(const struct words *words);

#endif
