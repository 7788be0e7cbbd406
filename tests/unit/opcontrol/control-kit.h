/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A folder with a control socket in it, on which a test answers in place of
 * xenoprofd.
 */
#ifndef XENOPROF_TESTS_UNIT_OPCONTROL_CONTROL_KIT_H
#define XENOPROF_TESTS_UNIT_OPCONTROL_CONTROL_KIT_H

#include <stddef.h>

#include "tests/harness.h"

/* Makes the folder, which control_path() is in from now on, without a socket;
 * and removes it with what it has. */
void control_begin(void);
void control_end(void);

/* Returns the path of a file in the folder; the last four are valid. */
const char *control_file(const char *name);

/* Listens on the socket of that name, "control" for the daemon's. */
int control_listen(const char *name);

/* Takes one connection in the background, reads a line if take, answers, and
 * closes. */
void control_answer(int listener, bool take, const char *answer, size_t size);
/* Waits until that is done.  Returns the line that was read, without its end;
 * it is valid until the next call. */
const char *control_request(void);

#endif
