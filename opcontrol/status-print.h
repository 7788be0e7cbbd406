/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --status as text: a table, or one JSON object (xenopctl(8), STATUS).
 */
#ifndef XENOPROF_OPCONTROL_STATUS_PRINT_H
#define XENOPROF_OPCONTROL_STATUS_PRINT_H

#include <stdio.h>

#include "status.h"

void status_print_table(const struct status *status, FILE *file);
/* Returns false if the object could not be written. */
bool status_print_json(const struct status *status, FILE *file);

/* Writes utc (ns since 1970) as "2026-11-20 10:51:05 UTC"; text has at least
 * 32 bytes. */
void status_format_time(uint64_t utc, char *text, size_t size);

#endif
