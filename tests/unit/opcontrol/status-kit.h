/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An answer of the daemon to `status`, and what is taken from one.
 */
#ifndef XENOPROF_TESTS_UNIT_OPCONTROL_STATUS_KIT_H
#define XENOPROF_TESTS_UNIT_OPCONTROL_STATUS_KIT_H

#include "opcontrol/status.h"
#include "tests/harness.h"

extern const char status_answer[];

/* The caller frees it with status_free(). */
struct status status_of(const char *answer);

#endif
