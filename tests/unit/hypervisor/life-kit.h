/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session of two pCPUs from reserve on: dom0 on the first, domain 5 on the
 * second, and time that a test lets pass.
 */
#ifndef XENOPROF_TESTS_UNIT_HYPERVISOR_LIFE_KIT_H
#define XENOPROF_TESTS_UNIT_HYPERVISOR_LIFE_KIT_H

#include "core-kit.h"

extern struct kit_read life_read; /* what was read of all rings */

/* Reserves with these words added, for both domains; a test starts it. */
void life_begin(const char *options);
void life_run(uint64_t milliseconds);

#endif
