/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What both sides of a parser process know of its limits.
 */
#ifndef XENOPROF_CAGE_PARSER_LIMITS_H
#define XENOPROF_CAGE_PARSER_LIMITS_H

/* Bytes of one read of a guest's memory. */
#define SEARCH_READ_MAX 65536u
/* Pieces of one read, which have so many bytes together. */
#define SEARCH_PIECES_MAX 16u
/* Threads of one search for origins. */
#define SEARCH_THREADS_MAX 64u
/* Processes of one search for what they have mapped. */
#define SEARCH_PROCESSES_MAX 16u
/* Bytes of a file that a user named. */
#define SEARCH_FILE_MAX (512u << 20)

/* Bytes of memory that a process may take, beside what it was given: a search,
 * and one in a file, which may have to be unpacked; a walker; that of dom0's
 * processes, which is told its tables; what reads a user's files for
 * opagent. */
#define MEMORY_OF_SEARCH      (128ul << 20)
#define MEMORY_OF_FILE        (512ul << 20)
#define MEMORY_OF_WALKER      (32ul << 20)
#define MEMORY_OF_USER_WALKER (160ul << 20)
#define MEMORY_OF_READER      (160ul << 20)

#endif
