/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_REPORT_COMMAND_LINE_H
#define XENOPROF_REPORT_COMMAND_LINE_H

#include "options.h"

/* Reads the command line.  *done is true if it only asked for a text (--help,
 * --version, --list-fields), which has been printed.  options_free() in any
 * case. */
enum exit_status command_line_parse(struct options *options, int argc,
                                    const char **argv, bool *done,
                                    struct failure *failure);

#endif
