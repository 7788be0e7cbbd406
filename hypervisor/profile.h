/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands that say what is profiled: domains, their rings, pCPUs.
 */
#ifndef XENOPROF_HYPERVISOR_PROFILE_H
#define XENOPROF_HYPERVISOR_PROFILE_H

#include "words.h"

/* 0 or what refuse() returned. [command] */
int profile_domain(const struct words *words);
int profile_link(const struct words *words);
int profile_forget(const struct words *words);
int profile_release(const struct words *words);
int profile_pcpus(const struct words *words);

#endif
