/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libxengnttab and libxenstore as an agent in a guest and a relay in dom0 find
 * them, for the linker to take in their place: what is granted is the memory of
 * vchan-kit.h.
 */
#ifndef XENOPROF_TESTS_UNIT_AGENT_CHANNEL_XEN_KIT_H
#define XENOPROF_TESTS_UNIT_AGENT_CHANNEL_XEN_KIT_H

#include "vchan-kit.h"

/* The only domain that has an agent. */
#define KIT_DOMAIN 7

#endif
