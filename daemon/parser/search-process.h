/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that looks for one guest's kernel, for its kernel modules, for
 * where its threads come from or what its processes have mapped, and ends.  It
 * asks for bytes, writes what it found (search-wire.h), and can do nothing
 * else.
 */
#ifndef XENOPROF_DAEMON_PARSER_SEARCH_PROCESS_H
#define XENOPROF_DAEMON_PARSER_SEARCH_PROCESS_H

#include "cage/process-maker.h"
#include "search-wire.h"

/* One end of the search's socket; a packet is a message. */
struct search_socket {
    /* Returns how many bytes of a packet were received, at most size; or 0. */
    size_t (*receive)(void *self, void *to, size_t size);
    /* Returns whether the packet was sent. */
    bool (*send)(void *self, const void *from, size_t size);
    void *self;
};

/* What the process was given. */
struct search_files {
    const uint8_t *file; /* a user's; NULL: none */
    size_t file_size;
    const void *image; /* a known kernel's tables; NULL: none */
    size_t image_size;
    const void *modules;
    size_t modules_size;
};

/* Waits for MESSAGE_BEGIN, searches, and answers.  Returns early if the other
 * side is gone or sends nonsense. */
void search_serve(const struct search_socket *socket, enum process_kind kind,
                  const struct search_files *files);

/* For a process that was just made: enters the sandbox, then serves.  When
 * this returns, the process must end, by exit_group(2). */
void search_process_run(const struct process_order *order, int socket);

#endif
