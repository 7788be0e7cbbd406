/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that read files, one for each user who owns some
 * (reader-process.h).  Nobody waits long for one: what takes longer is said
 * to come later.  It is read on, and kept for whoever asks again.  So whose
 * files cost much has names later, or none, and costs others nothing but a part
 * of the processor.
 */
#ifndef XENOPROF_AGENT_PROGRAM_USER_READERS_H
#define XENOPROF_AGENT_PROGRAM_USER_READERS_H

#include "agent/file-names.h"
#include "cage/process-link.h"
#include "kept-answers.h"

/* Users with a process, root first; of the others the one that was not asked
 * for longest goes first. */
#define READERS_MAX 16u
/* Questions that wait for one process. */
#define READER_QUEUE_MAX 32u

/*
 * ns of work are those of a processor of our days, and as many more of a slower
 * one.  A file is not read again if a process has worked so long for one
 * question about it;
 */
#define READER_QUESTION_MAX 5000000000ull
/* or is stuck at it, and has not worked for so many ns of time; */
#define READER_STUCK 60000000000ull
/* or ends, which counts as so much work. */
#define READER_END_COST 1000000000ull
/* Work after which no more questions are taken than there is room for. */
#define READER_SLOW 1000000000ull
/* Work of a user's process in all, and which part of the time since it began:
 * beyond that it has to wait.  Root's may always. */
#define READER_WORK      10000000000ull
#define READER_WORK_PART 20u

/* Of each second, ns that anybody waits for root's, more of them on a slower
 * machine; and so for all others. */
#define READER_WAIT 50000000ull
/* ns after which a process that did not begin is tried again. */
#define READER_PAUSE 100000000ull
/* Files that are remembered as too dear. */
#define READERS_REFUSED_MAX 256u

struct queued_question {
    struct file_identity file;
    struct file_question question;
    int fd; /* -1: the vDSO */
};

struct user_reader {
    uid_t user;
    bool known; /* false: all of this is nothing */
    bool alive; /* it has a process */
    bool away;  /* which was asked the first of these */
    struct queued_question queue[READER_QUEUE_MAX];
    unsigned int queued;
    uint32_t number; /* of the question that was asked last */
    struct kept_answers kept;
    struct process_link link;
    unsigned int wanted;     /* debug files, for that */
    uint64_t cpu;            /* of it, when it was asked; */
    uint64_t moved_cpu;      /* and when it was seen to have worked, */
    uint64_t moved;          /* by our clock */
    uint64_t worked;         /* ns, all before it */
    uint64_t begun;          /* our clock: its first question, */
    uint64_t used;           /* and its last */
    uint64_t next;           /* our clock: when a process may be made */
    uint64_t bytes, refused; /* as it says */
};

/* When a second began, and ns in it. */
struct waited_second {
    uint64_t began, waited;
};

struct user_readers {
    struct process_maker maker;
    unsigned int slowness;
    int epoll; /* wakes when one of them has something to say */
    struct user_reader readers[READERS_MAX];
    struct waited_second waits[2]; /* for root's, and others' */
    struct file_identity too_dear[READERS_REFUSED_MAX];
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
