/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The messages between xenoprofd and a search, one in each packet of their
 * socket.
 *
 *   xenoprofd             search
 *                     <-  WORD_READY (process-words.h)
 *   BEGIN             ->
 *                     <-  READ     in any number, each answered with
 *   BYTES             ->
 *                     <-  TASKS    as soon as they are known, between READs, or
 *                                  behind the tables
 *                     <-  IMAGE, MODULES: pieces of the tables, in any number
 *                     <-  FOUND    and the process ends
 *
 * Of a search for origins, which has the tables of a known kernel:
 *
 *   BEGIN, THREADS    ->
 *                     <-  READ     as above
 *                     <-  ORIGIN   of each thread, in their order
 *                     <-  FOUND    and the process ends
 *
 * Of one for what processes have mapped, which has the same tables:
 *
 *   BEGIN, PROCESSES  ->
 *                     <-  READ     as above
 *                     <-  MAPPED   of each process, in their order
 *                     <-  FOUND    and the process ends
 *
 * Of one for names of code in files, by what a known kernel has of these files
 * in memory:
 *
 *   BEGIN, LEAVES     ->
 *                     <-  READ     as above
 *                     <-  NAMES    of all of them, in their order
 *                     <-  FOUND    and the process ends
 *
 * Both sides check every message before they use it.  The daemon trusts a
 * search no more than its guest, which may have taken it over.
 */
#ifndef XENOPROF_DAEMON_PARSER_SEARCH_WIRE_H
#define XENOPROF_DAEMON_PARSER_SEARCH_WIRE_H

#include "guest/kernel-info.h"
#include "guest/leaf-names.h"
#include "guest/mapped.h"
#include "guest/origin.h"
#include "guest/task-list.h"
#include "cage/parser-limits.h"

enum message_kind {
    MESSAGE_BEGIN = 1,
    MESSAGE_BYTES,
    MESSAGE_READ,
    MESSAGE_IMAGE,
    MESSAGE_MODULES,
    MESSAGE_TASKS, /* payload: struct task_list */
    MESSAGE_FOUND,
    MESSAGE_THREADS, /* payload: struct origin_thread, some */
    MESSAGE_ORIGIN,
    MESSAGE_PROCESSES, /* payload: struct mapped_process, some */
    MESSAGE_MAPPED,    /* 8 bytes: 1 if it was there, else 0; and
                          mapped_space_put() */
    MESSAGE_LEAVES,    /* payload: struct leaf_question, some */
    MESSAGE_NAMES,     /* payload: struct leaf_name, as many */
    MESSAGE_KINDS
};

#define MESSAGE_MAGIC 0x5258u

struct message_head {
    uint16_t magic;
    uint16_t kind; /* enum message_kind */
    uint32_t size; /* of the payload */
};

#define MESSAGE_PAYLOAD_MAX SEARCH_READ_MAX

struct search_message {
    struct message_head head;
    uint8_t payload[MESSAGE_PAYLOAD_MAX] __attribute__((aligned(8)));
};

/* Payloads. */
struct message_begin {
    uint64_t address; /* an instruction of the kernel */
    uint64_t budget;  /* bytes of the guest's memory */
    uint64_t base;    /* of a known kernel; else 0 */
    uint64_t kept;    /* 1: of an earlier session; the guest is to say that it
                         still has it there */
    uint64_t dom0;    /* 1: only the kernel's own image can be read */
};

/* A READ has 1 to SEARCH_PIECES_MAX of these; its BYTES are theirs one behind
 * the other, up to the first that is not there. */
struct message_read {
    uint64_t address;
    uint64_t size; /* 1 to SEARCH_READ_MAX, also of all together */
};

struct message_found {
    uint64_t status; /* enum kernel_status */
    uint64_t base;
    struct kernel_info info;
};

struct message_origin {
    uint64_t there; /* 1: the thread was, all the time */
    struct thread_origin origin;
};

/* Code at an offset in a file. */
struct leaf_question {
    struct guest_file file;
    uint64_t offset;
};

/* Returns the size of a whole message. */
static inline size_t message_size(const struct search_message *message)
{
    return sizeof(message->head) + message->head.size;
}

/* Makes a message; size is at most MESSAGE_PAYLOAD_MAX.  payload NULL: it is
 * there already. */
void message_make(struct search_message *message, enum message_kind kind,
                  const void *payload, size_t size);

/* Returns whether size bytes that were received are a message. */
bool message_is_whole(const struct search_message *message, size_t size);

/* Return whether the message is of this kind and its payload makes sense; it is
 * then in *ret. */
bool message_get_begin(const struct search_message *message,
                       struct message_begin *ret);
bool message_get_tasks(const struct search_message *message,
                       struct task_list *ret);
bool message_get_found(const struct search_message *message,
                       struct message_found *ret);
bool message_get_origin(const struct search_message *message,
                        struct message_origin *ret);
/* *there: the process was, all the time. */
bool message_get_mapped(const struct search_message *message, bool *there,
                        struct mapped_space *ret);
/* Makes such a message. */
void message_make_mapped(struct search_message *message, bool there,
                         const struct mapped_space *space);
/* Returns how many pieces are to be read, 0 if the message makes no sense. */
size_t message_get_read(const struct search_message *message,
                        struct message_read ret[SEARCH_PIECES_MAX]);
/* Returns how many threads there are, 0 if the message is not of this kind. */
size_t message_get_threads(const struct search_message *message,
                           struct origin_thread ret[SEARCH_THREADS_MAX]);
/* The same of processes. */
size_t message_get_processes(const struct search_message *message,
                             struct mapped_process ret[SEARCH_PROCESSES_MAX]);
/* The same of code. */
size_t message_get_leaves(const struct search_message *message,
                          struct leaf_question ret[LEAVES_MAX]);
/* The same of names, each of which is fit to be shown. */
size_t message_get_names(const struct search_message *message,
                         struct leaf_name ret[LEAVES_MAX]);

#endif
