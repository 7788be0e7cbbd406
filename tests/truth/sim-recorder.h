/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What xenoprofd would do with a simulated host: it reads the rings and writes
 * a session, with the library's writer.  All that is in the session's accounts
 * and samples is also written down as text.
 */
#ifndef XENOPROF_TESTS_TRUTH_SIM_RECORDER_H
#define XENOPROF_TESTS_TRUTH_SIM_RECORDER_H

#include "sim-rings.h"
#include "sim-waits.h"

#include <stdio.h>

struct sim_recorder {
    struct sim_host *host;
    struct sim_rings *rings;
    struct xenoprof_handle *handle;
    struct xenoprof_writer *writer;
    FILE *stored; /* the text */
    struct sim_waits waits;
    struct sim_samples waiting; /* for their names */
    uint32_t *numbered; /* by number: index of the domain that has it in the
                           session, and 1 */
    uint64_t next_block;
    uint64_t next_utc;
    bool slowed;
};

/* Begins a session in folder.  Exits with a sentence if it cannot, as all
 * here. */
void sim_recorder_open(struct sim_recorder *recorder, struct sim_host *host,
                       struct sim_rings *rings, const char *folder,
                       FILE *stored);
/* Reads the rings, writes a block if it is time, and comes again. */
void sim_recorder_read(struct sim_recorder *recorder);
/* The host is at its end: a last block, and the session may be closed. */
void sim_recorder_close(struct sim_recorder *recorder);

#endif
