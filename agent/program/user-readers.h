/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that read files, one for each user who owns some
 * (reader-process.h). Nobody waits long for one: whose files cost much has
 * names later, or none, and costs others nothing but a part of the processor.
 */
#ifndef XENOPROF_AGENT_PROGRAM_USER_READERS_H
#define XENOPROF_AGENT_PROGRAM_USER_READERS_H

#include "agent/file-names.h"
#include "daemon/parser/process-link.h"

/* Users with a process; the one that was not asked for longest goes first. */
#define READERS_MAX 16u
/* ns that a process may work for one question; a file for which it needs more,
 * or ends, is not read again. */
#define READER_QUESTION_MAX 2000000000ull
/* Such files of a user after which none of his are read. */
#define READER_STRIKES_MAX 3u
/* ns that a user's process may work in all, and which part of the time since it
 * began; root's may always. */
#define READER_WORK      40000000000ull
#define READER_WORK_PART 20u
/* Of each second, ns that anybody waits for one. */
#define READER_WAIT 100000000ull
/* Files that are remembered as too dear. */
#define READERS_REFUSED_MAX 256u

struct read_file {
    dev_t device;
    ino_t inode;
};

struct user_reader {
    uid_t user;
    bool known; /* false: all of this is nothing */
    bool alive; /* it has a process */
    bool away;  /* which is asked, about this file */
    struct read_file file;
    struct file_question question;
    struct process_link link;
    unsigned int wanted;     /* debug files, for that */
    uint64_t cpu;            /* of it, when it was asked */
    uint64_t worked;         /* ns, all before it */
    uint64_t begun;          /* our clock: its first question, */
    uint64_t used;           /* and its last */
    uint64_t second, waited; /* when a second began, and ns in it */
    unsigned int strikes;
    uint64_t bytes, refused; /* as it says */
};

struct user_readers {
    struct process_maker maker;
    struct user_reader readers[READERS_MAX];
    struct read_file too_dear[READERS_REFUSED_MAX];
    unsigned int refused, next; /* how many of these, and which is next */
    uint64_t all_refused;       /* and others that there was no room for */
    uint64_t worked;            /* of users that went */
};

/* Has files be read by processes of this maker's. */
struct file_reader user_readers_open(struct user_readers *readers,
                                     const struct process_maker *maker);
/* Ends all processes. */
void user_readers_close(struct user_readers *readers);

#endif
