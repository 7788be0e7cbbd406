/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How samples get into a simulated session: domains, places, themselves. */
#ifndef XENOPROF_TESTS_TRUTH_SIM_STORE_H
#define XENOPROF_TESTS_TRUTH_SIM_STORE_H

#include "sim-recorder.h"

#define SIM_NUMBERS   65536u /* of domains */
#define SIM_TIME_UNIT 1000u  /* ns of a sample's time, as xenoprofd stores it */

/* Exits with the writer's sentence unless all is well. */
void sim_recorder_check(const struct sim_recorder *recorder,
                        enum xenoprof_status status);
/* The session knows who has a domain's number. */
void sim_store_domain(struct sim_recorder *recorder, uint32_t index);
/* Stores a sample, and writes it down. */
void sim_store(struct sim_recorder *recorder, const struct sim_sample *sample);

#endif
