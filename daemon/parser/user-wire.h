/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What xenoprofd and the walker of dom0's processes say to each other, a packet
 * each:
 *
 *   USER_TABLE    a piece of a table of rows; its number is the table's
 *   USER_SPACE    what a process has mapped; its number says which space is
 *                 replaced
 *   USER_STACK    to be walked in a space; its number is the sample's tag
 *   USER_CHAIN    the answer to a USER_STACK, and the only one
 *   USER_FORGET   the table of that number goes, and with it each space that
 *                 has it; another one may be told by its number
 *
 * All is numbers that the daemon gives; the walker keeps what it was told.
 */
#ifndef XENOPROF_DAEMON_PARSER_USER_WIRE_H
#define XENOPROF_DAEMON_PARSER_USER_WIRE_H

#include <xenoprof/agent.h>

#include "rows/user-walk.h"

enum user_word {
    USER_TABLE = 1,
    USER_SPACE,
    USER_STACK,
    USER_CHAIN,
    USER_FORGET
};

#define USER_TABLES_MAX  4096u
#define USER_SPACES_MAX  1024u
#define USER_TABLES_SIZE (64ul << 20) /* bytes of all tables */
#define USER_PIECES_MAX  131072u      /* mappings of all spaces */
#define USER_NO_TABLE    UINT32_MAX

struct user_head {
    uint32_t kind;  /* enum user_word */
    uint32_t count; /* of mappings, or of frames; else 0 */
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

/* The bytes of the window follow. */
struct user_asked {
    struct user_head head;
    uint32_t space;
    uint32_t length; /* of the window */
    uint64_t ip;
    uint64_t address; /* of the window */
    struct xenoprof_registers registers;
};

/* The addresses follow, leaf first. */
struct user_answered {
    struct user_head head;
    uint32_t end; /* enum user_end */
    uint32_t unused;
    uint64_t wanted;
    uint64_t exact[USER_FRAMES_MAX / 64]; /* a bit for each frame */
};

/* The longest is a piece. */
#define USER_MESSAGE_MAX (sizeof(struct user_piece) + AGENT_PIECE_MAX)

#endif
