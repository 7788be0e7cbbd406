/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that reads one user's files for the agent, and what they say is
 * trusted no more than they are.  It is sent descriptors of files and questions
 * about them (kept-files.h), and can do nothing else than read and answer.
 */
#ifndef XENOPROF_AGENT_PROGRAM_READER_PROCESS_H
#define XENOPROF_AGENT_PROGRAM_READER_PROCESS_H

#include "cage/process-maker.h"

/* A process_act. */
void reader_process_run(const struct process_order *order, int socket);

#endif
