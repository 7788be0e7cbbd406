/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_REPORT_MODEL_LOAD_H
#define XENOPROF_REPORT_MODEL_LOAD_H

#include "base/failure.h"
#include "load-samples.h"

/*
 * Read the session at path into loaded (which loaded_init() made): all of it
 * that is wanted.  What could not be read of a damaged session is in
 * loaded->damage; that is not a failure.
 */
enum exit_status load_session(struct loaded *loaded, const char *path,
                              const struct load_wanted *wanted,
                              struct failure *failure);

/* Complain of what the library says it cannot do with the session at path. */
enum exit_status load_failed(struct xenoprof_handle *handle,
                             enum xenoprof_status code, const char *path,
                             struct failure *failure);

#endif
