/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of a session's hottest functions, and the source of it, becomes part
 * of its archive, as far as --annotate could show it here: then it can
 * anywhere.
 */
#ifndef XENOPROF_REPORT_ARCHIVE_ARCHIVE_CODE_H
#define XENOPROF_REPORT_ARCHIVE_ARCHIVE_CODE_H

#include "cut.h"

#include "base/failure.h"

#define ARCHIVED_FUNCTIONS 200u
#define ARCHIVED_BYTES     (8u << 20) /* of code and source, unpacked */

struct code_wanted {
    const char *session; /* path */
    const struct time_range *range;
    const char *const *given; /* as code_shelf.given */
};

/* Puts the code into the copy.  Returns STATUS_DONE, with what putting returned
 * in *code, or STATUS_NO_CODE with a failure if a given file is not what ran.
 * What cannot be read again has no code. */
enum exit_status archive_code(const struct code_wanted *wanted, struct cut *cut,
                              enum xenoprof_status *code,
                              struct failure *failure);

#endif
