/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What xenoprofd and the walker of dom0's processes say to each other, a packet
 * each:
 *
 *   USER_TABLE    a piece of a table of rows; its number is the table's
 *   USER_SPACE    what a process has mapped; its number says which space is
 *                 replaced
 *   USER_STACKS   to be walked, each in a space: as many as fit, since a packet
 *                 costs as much as walking ten of them; their windows lie in
 *                 memory that both share
 *   USER_CHAINS   the answer to a USER_STACKS, and the only one: a chain for
 *                 each stack, in their order
 *   USER_FORGET   the table of that number goes, and with it each space that
 *                 has it; another one may be told by its number
 *
 * All is numbers that the daemon gives; the walker keeps what it was told.
 * Everything in a packet begins at a multiple of 8.
 *
 * The memory is the first file of the walker's order.  The daemon alone writes
 * it, and never reads it: a window stays until its stack is answered.
 */
#ifndef XENOPROF_DAEMON_PARSER_USER_WIRE_H
#define XENOPROF_DAEMON_PARSER_USER_WIRE_H

#include <xenoprof/agent.h>

#include "batch.h"
#include "rows/user-walk.h"

enum user_word {
    USER_TABLE = 1,
    USER_SPACE,
    USER_STACKS,
    USER_CHAINS,
    USER_FORGET
};

#define USER_TABLES_MAX  4096u
#define USER_SPACES_MAX  1024u
#define USER_TABLES_SIZE (64ul << 20) /* bytes of all tables */
#define USER_PIECES_MAX  131072u      /* mappings of all spaces */
#define USER_NO_TABLE    UINT32_MAX

struct user_head {
    uint32_t kind;  /* enum user_word */
    uint32_t count; /* of mappings, stacks or chains; else 0 */
    uint64_t number;
};

/* Bytes follow: pieces of a table come in order, the first from 0 on. */
struct user_piece {
    struct user_head head;
    uint64_t size; /* of the whole table */
    uint64_t offset;
};

/* As many follow a user_head as it says, by start. */
struct user_piece_mapped {
    uint64_t start, end;
    uint64_t offset; /* in the file */
    uint32_t table;  /* or USER_NO_TABLE */
    uint32_t unused;
};

/* As many follow a user_head as it says. */
struct user_asked {
    uint32_t space;
    uint32_t length; /* of the window */
    uint32_t at;     /* where the window is in the memory of all */
    uint32_t unused;
    uint64_t ip;
    uint64_t address; /* of the window */
    struct xenoprof_registers registers;
};

/* The same.  Behind each are its addresses, leaf first: those that a session
 * may have.  A chain of more has the end USER_DEEP. */
#define USER_ANSWER_FRAMES GUEST_FRAMES_MAX

struct user_answered {
    uint32_t count; /* of frames */
    uint32_t end;   /* enum user_end */
    uint64_t wanted;
    uint64_t exact[USER_ANSWER_FRAMES / 64]; /* a bit for each frame */
};

/* The longest is a piece. */
#define USER_MESSAGE_MAX (sizeof(struct user_piece) + AGENT_PIECE_MAX)

/* Stacks of a packet: whatever their chains are, these fit in one as well. */
#define USER_ANSWER_MAX                                                        \
    (sizeof(struct user_answered) + USER_ANSWER_FRAMES * sizeof(uint64_t))
#define USER_STACKS_TOGETHER                                                   \
    ((USER_MESSAGE_MAX - sizeof(struct user_head)) / USER_ANSWER_MAX)

/* Bytes of the memory in which windows lie. */
#define USER_WINDOWS_SIZE BATCH_SIZE

#endif
