/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session's files as they are on disk; xenoprof-session(5) describes them.
 * All numbers are little endian.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_FORMAT_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_FORMAT_H

#include <stdint.h>

#define SESSION_MAGIC      "XENOPROF"
#define SESSION_MAGIC_SIZE 8u
#define SESSION_VERSION    2u
#define SESSION_FILES_MAX  1000000u /* file numbers are below this */

struct session_file_header {
    char magic[SESSION_MAGIC_SIZE];
    uint32_t version;
    uint32_t number;  /* of the file in its session, from 0 */
    uint64_t session; /* the same in all files of a session */
    uint32_t reserved;
    uint32_t check; /* crc32 of the bytes before it */
};

#define STRING_MAX 65535u /* bytes */
#define STACK_MAX  1024u  /* places */

#endif
