/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How xenopctl and xenoprofd talk.
 *
 * A stream socket at CONTROL_PATH, for root alone.  The client sends one
 * request line, the daemon answers with lines, the last of which is
 *
 *   ok
 *   error STATUS text=SENTENCE       STATUS as in exit-status.def
 *
 * and both sides close.  Requests:
 *
 *   start KEY=VALUE ...   options of --start by their long names, by=WHO
 *   stop
 *   hurry                 a stop waits no longer: what waits is stored as it is
 *   dump
 *   reset
 *   save name=NAME
 *   status
 *   shutdown              stop sampling and end the daemon
 *
 * Lines before the last, by their first word; a client leaves out those that it
 * does not know:
 *
 *   progress              about once a second, while the request waits for
 *                         guests' kernels; sent at once; its keys are those of
 *                         waiting
 *   already text=...      nothing was left to do; the last line is ok
 *   warning text=...      what the user should know
 *   session, sampler, event, counters, waiting, ring, agent, daemon
 *                         status-values.def has their keys
 *   lost cause= count=    one for each cause
 *   chains domain= name= mode=xen|kernel|user END=COUNT ...
 *                         one COUNT for each way in which a chain ends
 *   trouble text=...      why sampling differs from what was asked for
 *
 * A line is WORD KEY=VALUE KEY=VALUE ...  In a value, '%' and each byte that
 * is not printable ASCII are written as %XX, so that a value may be any text
 * and still has neither space nor line end.
 */
#ifndef XENOPROF_CONTROL_PROTOCOL_H
#define XENOPROF_CONTROL_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CONTROL_DIR  "/run/xenoprof"
#define CONTROL_PATH CONTROL_DIR "/control"

#define LINE_MAX_BYTES 32768

/* Returns the socket's path: the environment's XENOPROF_CONTROL if it is set
 * (for tests), else CONTROL_PATH. */
const char *control_path(void);

/* Begins a line with word; line_end() ends it. */
void line_begin(FILE *file, const char *word);
void line_text(FILE *file, const char *key, const char *value);
void line_number(FILE *file, const char *key, uint64_t value);
void line_end(FILE *file);

/* Returns true if word is the first word of line. */
bool line_is(const char *line, const char *word);

/* Decodes the value of key.  Returns false if the key is missing, or its value
 * is not a valid encoding or does not fit. */
bool line_get_text(const char *line, const char *key, char *value, size_t size);
/* Returns the decimal number of key, or 0 if there is none. */
uint64_t line_get_number(const char *line, const char *key);

/*
 * Takes the next KEY=VALUE and moves *at behind it; *at begins as the line
 * itself.  Returns false at the end of the line (**at is 0) or where a field
 * is malformed (**at is not 0).
 */
bool line_next(const char **at, char *key, size_t key_size, char *value,
               size_t value_size);

#endif
