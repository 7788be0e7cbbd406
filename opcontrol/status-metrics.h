/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --status in the text format of Prometheus (0.0.4): what node_exporter's
 * textfile collector and any scraper read.  xenopctl(8) has the names.
 */
#ifndef XENOPROF_OPCONTROL_STATUS_METRICS_H
#define XENOPROF_OPCONTROL_STATUS_METRICS_H

#include <stdio.h>

#include "status.h"

/* Returns false if not all could be written.  Rows that are alike in all of
 * their labels, as rings of a vCPU that was replaced, are one, with their
 * sum. */
bool status_print_metrics(const struct status *status, FILE *file);

#endif
