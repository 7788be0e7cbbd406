/* SPDX-License-Identifier: MIT */
/*
 * What the agent (opagent) and who asks it say to each other.
 *
 * The agent answers questions about the processes of its own machine; it sends
 * nothing unasked, and is never shown a sample or a stack, only addresses.  A
 * message is a head and what its kind has, all of it in the byte order of the
 * machine, which is the same one.  On a Unix socket (SOCK_SEQPACKET) a packet
 * is a message.
 *
 *   HELLO      asked first.  version: the newest that the client speaks.  It
 *              may be asked again, with the same version, whenever a question
 *              may: nothing begins anew, and WELCOME has the clock as it is
 *   WELCOME    the answer: struct agent_welcome.  version: the one that both
 *              speak, and all messages have from here on
 *   WHERE      count times struct agent_question
 *   THERE      the answer: struct agent_work, as many times struct
 *              agent_answer, in the order of the questions, and the texts
 *   SPACE      struct agent_question, for all that the process had mapped; from
 *              version 2 on, as the next three
 *   MAPPED     the answer: count times struct agent_mapping, by start; none if
 *              no such process is known
 *   ROWS       struct agent_rows_question
 *   TABLE      the answer: struct agent_table, and the piece of the table
 *   INLINES    count times struct agent_question: which functions were inlined
 *              there, and which lines of source are that?  From version 3 on,
 *              as the next one; lines from version 6 on
 *   INLINED    the answer: count times struct agent_inlined, in the order of
 *              the questions, and the texts
 *   KNOW       struct agent_known, count times struct agent_known_mapping, and
 *              the texts: what a process has mapped, of which the agent knows
 *              nothing else.  From version 4 on, as the next one, and only to
 *              an agent that has AGENT_FOLLOWS_TOLD
 *   KNOWN      the answer: the head
 *   REFUSED    the answer to what is none of these, or not whole: the head.
 *              version: the newest that the agent speaks; it then hangs up
 *
 * An answer has its question's number.  Numbers are never reused for something
 * else; a new version may add kinds, and members behind those that are here.
 */
#ifndef XENOPROF_AGENT_H
#define XENOPROF_AGENT_H

#include <stdint.h>

#define AGENT_SOCKET "/run/opagent/socket"

/*
 * In a guest the agent is also the server of a vchan for domain 0, with a ring
 * of AGENT_VCHAN_RING bytes in each direction, at this path below the guest's
 * own folder in xenstore: /local/domain/N/data/opagent/ring-ref is the grant of
 * its page, whose last eight bytes are "opagent".  Page and rings are as
 * <xen/io/libxenvchan.h> lays them out, without event channels: each side looks
 * by itself.  The bytes are those of the socket, message after message: the
 * length in a head says where one ends. A length below sizeof(head) or above
 * AGENT_MESSAGE_MAX ends the conversation.
 *
 * The server outlives its clients.  A conversation begins when a client comes
 * (cli_live is 1), and ends when it goes (0); the agent then drops what is left
 * of it in both rings.  The agent hangs up by being closed (srv_live is 0) for
 * the client, and for each that comes, until it has seen that there is none. It
 * may sleep through one that goes and another that comes: so a client drops
 * what it can read before its first HELLO; one that reads nonsense or waits in
 * vain closes the vchan; and between two clients there is a second.
 */
#define AGENT_VCHAN_PATH "data/opagent"
#define AGENT_VCHAN_RING 65536u

#define AGENT_VERSION         6u
#define AGENT_VERSION_ROWS    2u /* the first that has SPACE and ROWS */
#define AGENT_VERSION_INLINES 3u /* the first that has INLINES */
#define AGENT_VERSION_KNOW    4u /* the first that has KNOW */
#define AGENT_VERSION_LATER   5u /* the first that has AGENT_LATER and so on */
#define AGENT_VERSION_LINES   6u /* the first that has lines in INLINED */

#define AGENT_MESSAGE_MAX   65536u
#define AGENT_QUESTIONS_MAX 64u
#define AGENT_TEXT_MAX      256u /* bytes of a text, with the zero at its end */
#define AGENT_BUILD_ID_MAX  20u
#define AGENT_MAPPINGS_MAX  1024u
#define AGENT_INLINES_MAX   7u  /* questions in one INLINES */
#define AGENT_INLINES_OLD   15u /* the same, before version 6 */
#define AGENT_LEVELS_MAX    16u
#define AGENT_PATH_MAX      4096u /* bytes of a path in KNOW, with the zero */

enum agent_kind {
    AGENT_HELLO = 1,
    AGENT_WELCOME,
    AGENT_WHERE,
    AGENT_THERE,
    AGENT_REFUSED,
    AGENT_SPACE,
    AGENT_MAPPED,
    AGENT_ROWS,
    AGENT_TABLE,
    AGENT_INLINES,
    AGENT_INLINED,
    AGENT_KNOW,
    AGENT_KNOWN,
};

struct agent_head {
    uint16_t kind;    /* enum agent_kind */
    uint16_t version; /* at least 1 */
    uint32_t length;  /* of the message, with this head */
    uint32_t number;  /* of the question */
    uint32_t count;   /* of questions, answers, mappings; 0 in other kinds */
};

/* How the agent follows processes: by perf events, or, where these are
 * forbidden, by reading /proc when it is asked.  Then it does not know of a
 * process that has ended, nor of what was mapped before. */
#define AGENT_FOLLOWS_EVENTS 1u
/* Or it knows of no process but those that it is told of (KNOW), which are not
 * of its machine: their files are below a folder that it was given.  Who did
 * not give it one hangs up on an agent that says so. */
#define AGENT_FOLLOWS_TOLD 2u

/* now was read between the coming of HELLO and the going of WELCOME: who has
 * another clock relates its own to it, and asks again now and then. */
struct agent_welcome {
    uint64_t now;     /* of the agent's clock, CLOCK_MONOTONIC_RAW, in ns */
    uint32_t follows; /* AGENT_FOLLOWS_EVENTS, AGENT_FOLLOWS_TOLD or 0 */
    uint32_t unused;  /* 0 */
};

/* What was at this address of the process tgid at this time?  A process that
 * had the number before or after that time is another one. */
struct agent_question {
    uint64_t time; /* of the agent's clock */
    uint64_t address;
    uint32_t tgid;
    uint32_t unused; /* 0 */
};

/* What the agent had to do so far. */
struct agent_work {
    uint64_t cpu;     /* ns */
    uint64_t bytes;   /* of processes and symbols that it holds */
    uint64_t dropped; /* processes that had ended, forgotten for want of room */
    uint64_t refused; /* mappings and files that there was no room for, and
                         files that took too much */
    uint64_t lost;    /* records of the kernel's that it was too slow for */
};

/* Why an answer is no better than it is. */
enum agent_found {
    AGENT_NAMED = 0,  /* the symbol is a function's */
    AGENT_NO_SYMBOL,  /* the file has none there: where the code begins */
    AGENT_NO_FILE,    /* it is code of no file, or of one that cannot be opened
                         any more: the path at most */
    AGENT_NO_MAPPING, /* nothing that may be executed was there */
    AGENT_NO_PROCESS, /* none had that number then, as far as is known */
    /* From version 5 on: */
    AGENT_LATER,    /* the agent has much to read for that, and is to be asked
                       again */
    AGENT_TOO_DEAR, /* reading the file, or those of its owner, took more than
                       it may: the path */
    AGENT_FOUNDS
};

struct agent_answer {
    uint64_t offset;  /* in the file */
    uint64_t address; /* as the file counts addresses; without a file: the
                         question's */
    uint64_t start;   /* the same, of the symbol; at most address */
    uint32_t found;   /* enum agent_found */
    uint32_t path;    /* of the file, where in the texts; its first is "" */
    uint32_t symbol;  /* the same; "" if there is none */
    uint8_t build_id_size; /* 0: it has none */
    uint8_t build_id[AGENT_BUILD_ID_MAX];
    uint8_t unused[7]; /* 0 */
};

/*
 * Set in an image's number if it is no file, but code that processes make
 * themselves after one pattern.  Equal numbers have equal rows then, but the
 * code at one offset may be another function in each process.  Without it an
 * offset in an image is the same code, with the same name, in all processes.
 */
#define AGENT_IMAGE_NO_FILE (1ull << 63)

/* A piece of executable memory.  They do not overlap. */
struct agent_mapping {
    uint64_t start, end;
    uint64_t offset; /* in the image */
    uint64_t image;  /* the file's number, as long as the agent runs, or one
                        with AGENT_IMAGE_NO_FILE; 0: there are no rows: it is no
                        file, or one that cannot be opened any more */
};

/* The unwind rows of the image that is mapped at this address, from this byte
 * of their table on. */
struct agent_rows_question {
    struct agent_question where;
    uint64_t offset;
};

/* Up to AGENT_PIECE_MAX bytes of the table follow, those from the question's
 * offset on. */
struct agent_table {
    uint64_t image; /* 0: there is none any more */
    uint64_t size;  /* of the whole table; 0: the image has none;
                       AGENT_TABLE_LATER (from version 5 on): the agent has much
                       to read, and is to be asked again; no bytes follow */
};
#define AGENT_TABLE_LATER UINT64_MAX

/* A line of source. */
struct agent_source {
    uint32_t path; /* of the file, where in the texts; "": it is not known */
    uint32_t line; /* from 1 to INT32_MAX; without a path: 0 */
};

/* What a compiler put at an address in place of calls. */
struct agent_inlined {
    uint32_t later;  /* 1: the agent has much to read for that, and is to be
                        asked again; 0 */
    uint32_t levels; /* functions inlined into each other; 0: none, or the file
                        does not say */
    uint32_t names[AGENT_LEVELS_MAX]; /* where in the texts, innermost first;
                                         none is "".  Those behind levels: 0 */
    /* From version 6 on: of the address, in the innermost function, and then of
     * each call, in the function around it, up to the one that has all of this:
     * one more than levels.  Those behind them: 0. */
    struct agent_source sources[AGENT_LEVELS_MAX + 1];
};
#define AGENT_INLINED_OLD 72u /* bytes of it, before version 6 */

static inline uint32_t agent_inlined_size(uint16_t version)
{
    return version < AGENT_VERSION_LINES ? AGENT_INLINED_OLD
                                         : sizeof(struct agent_inlined);
}

static inline uint32_t agent_inlines_max(uint16_t version)
{
    return version < AGENT_VERSION_LINES ? AGENT_INLINES_OLD
                                         : AGENT_INLINES_MAX;
}

/* What a process has mapped from that time on, until more is said of it.  What
 * was said of later times is void. */
struct agent_known {
    uint64_t since; /* of the agent's clock */
    uint32_t tgid;  /* at most INT32_MAX, and not 0 */
    uint32_t texts; /* bytes of texts */
};

/* A piece of executable memory.  Where several overlap, the last one counts. */
struct agent_known_mapping {
    uint64_t start, end;
    uint64_t offset; /* in the file */
    uint32_t path;   /* where in the texts: absolute, of AGENT_PATH_MAX bytes at
                        most; "": it is no file */
    uint32_t unused; /* 0 */
};

/* All pieces but the last have so many bytes. */
#define AGENT_PIECE_MAX 65472u

#endif
