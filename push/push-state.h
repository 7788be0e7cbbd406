/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was done so far, in memory and as the file status beside the queue: a
 * line of status-values.def, which xenopctl --status reads, and the next
 * xenoprof-push, which counts on.
 */
#ifndef XENOPROF_PUSH_PUSH_STATE_H
#define XENOPROF_PUSH_PUSH_STATE_H

#include "control/status-values.h"
#include "http-send.h"
#include "push-queue.h"

/* What an earlier one has left in the folder is the beginning.  Whatever is
 * wrong with it: it counts from 0. */
void push_state_open(struct status_push *state, int folder);
/* Takes over what the queue counts. */
void push_state_queue(struct status_push *state, struct push_queue *queue);
void push_state_error(struct status_push *state, const char *text,
                      uint64_t now);
/* Puts the file in its place, whole.  Returns whether it could. */
bool push_state_write(const struct status_push *state, int folder);

#endif
