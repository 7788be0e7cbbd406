/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The readers of other tools' files: formats.def lists them. */
#ifndef XENOPROF_REPORT_IMPORT_IMPORT_FORMATS_H
#define XENOPROF_REPORT_IMPORT_IMPORT_FORMATS_H

#include "sink.h"

#include <stddef.h>
#include <stdint.h>

#define IMPORT_HEAD_MAX 4096u

/* The beginning of a file. */
struct import_head {
    uint8_t bytes[IMPORT_HEAD_MAX];
    size_t size;
};

struct import_file {
    const char *path;
    const char *name; /* its last part: a domain is called so */
    int fd;           /* at the file's beginning */
    uint64_t size;
};

/* Whether a file begins so, and: reads it to its end.  Returns STATUS_DONE, and
 * *end is the time of what came last; or a failure that names the file, what is
 * wrong with it, and where. */
#define IMPORT_FORMAT(name)                                                    \
    bool is_##name(const struct import_head *head);                            \
    enum exit_status read_##name(const struct import_file *file,               \
                                 struct sink *sink, uint64_t *end,             \
                                 struct failure *failure);
#include "formats.def"
#undef IMPORT_FORMAT

#endif
