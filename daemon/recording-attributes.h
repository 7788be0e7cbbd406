/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording writes into its session beside samples: attributes.
 */
#ifndef XENOPROF_DAEMON_RECORDING_ATTRIBUTES_H
#define XENOPROF_DAEMON_RECORDING_ATTRIBUTES_H

#include "recording-state.h"

/* All attributes, at the start. */
enum xenoprof_status recording_put_attributes(struct recording *recording);
/* Sampler, frequency and a stop from outside, where they have changed. */
enum xenoprof_status recording_put_changes(struct recording *recording);
/* The other livepatches, if the list has changed. */
enum xenoprof_status recording_put_payloads(struct recording *recording);
/* The pair of clocks, now. */
enum xenoprof_status recording_put_utc(struct recording *recording);

#endif
