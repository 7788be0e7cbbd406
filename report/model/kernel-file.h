/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file of which the user says that it is a guest's kernel.
 */
#ifndef XENOPROF_REPORT_MODEL_KERNEL_FILE_H
#define XENOPROF_REPORT_MODEL_KERNEL_FILE_H

#include "base/failure.h"

#include <libxenoprof.h>

/* Its symbols.  What cannot be one is refused: a program with an interpreter,
 * an object file, a file without symbols or with hidden addresses. */
enum exit_status kernel_file_open(struct xenoprof_handle *handle,
                                  const char *path,
                                  struct xenoprof_symbols **ret,
                                  struct failure *failure);

#endif
