/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording writes into its session beside samples: attributes.
 */
#ifndef XENOPROF_DAEMON_RECORDING_ATTRIBUTES_H
#define XENOPROF_DAEMON_RECORDING_ATTRIBUTES_H

#include "recording-state.h"

/* What the session is, and for which session of the module: before the first
 * sample. */
enum xenoprof_status recording_put_identity(struct recording *recording);
/* What is known once Xen samples. */
enum xenoprof_status recording_put_attributes(struct recording *recording);
/* Changes of the frequency that are not in the session yet. */
enum xenoprof_status recording_put_paces(struct recording *recording);
/* Returns why the frequency was lower than was asked for, the last time, or "";
 * and from when to when, in Xen's ns: until 0: it still is. */
const char *recording_lowered(const struct recording *recording,
                              uint64_t *since, uint64_t *until);
/* Sampler, frequency and a stop from outside, where they have changed. */
enum xenoprof_status recording_put_changes(struct recording *recording);
/* The other livepatches, if the list has changed. */
enum xenoprof_status recording_put_payloads(struct recording *recording);
/* How many samples were dropped, if that has changed. */
enum xenoprof_status recording_put_expired(struct recording *recording);
/* The pair of clocks, now. */
enum xenoprof_status recording_put_utc(struct recording *recording);

#endif
