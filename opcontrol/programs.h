/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where our other programs are.
 */
#ifndef XENOPROF_OPCONTROL_PROGRAMS_H
#define XENOPROF_OPCONTROL_PROGRAMS_H

#include <stdbool.h>

/* What the environment's variable says, else beside this program, else in
 * folder.  path has PATH_MAX bytes. */
bool program_find(const char *name, const char *variable, const char *folder,
                  char *path);

#endif
