/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains of a guest's processes.  Of a sample with registers and a window:
 *
 *   its process's mappings, and the rows of their files, from the agent
 *   a chain of addresses, from a walker that was told these
 *   a name of each address, from the agent
 *
 * The daemon hands rows on, and reads none.
 */
#ifndef XENOPROF_DAEMON_GUESTS_USER_CHAIN_STATE_H
#define XENOPROF_DAEMON_GUESTS_USER_CHAIN_STATE_H

#include "base/table.h"
#include "base/vector.h"
#include "daemon/agent/agent-link.h"
#include "daemon/parser/user-walker-link.h"
#include "user-answers.h"
#include "walked-stacks.h"

/* Stacks that are walked or named at a time. */
#define USER_STACKS_MAX USER_AWAY_MAX
/* Processes whose mappings are asked for after those of another. */
#define USER_WANTED_MAX 64u
/* Walkers that died, after which there is none any more in the session. */
#define USER_DEATHS_MAX 3u

/* A chain that was walked, and is being named. */
struct unnamed_chain {
    uint64_t tag;
    uint64_t time; /* Xen's */
    uint32_t count;
    struct user_code *code; /* malloc'ed */
};

/* What the walker was told; times are of our clock. */
struct known_space {
    struct user_address of; /* address 0 */
    uint64_t since;         /* 0: it is to be asked for (again) */
    uint64_t renewed;
    uint64_t used; /* when it was told, or a stack walked in it */
    uint32_t count;
    struct agent_mapping *mappings; /* malloc'ed */
};

struct known_image {
    uint64_t image;
    uint64_t size;    /* of its table, as the first piece says */
    uint64_t filled;  /* bytes that the walker was told */
    uint64_t used;    /* when one of these was told, or needed */
    uint64_t refused; /* when there was no room for it; 0: there was */
    uint32_t tries;   /* that the agent said it has much to read for it */
    bool whole;       /* all, or there are none */
    bool has_rows;
    bool lost; /* it went just now */
};

struct wanted_space {
    struct user_address of;
    uint64_t time; /* the agent's */
};

struct user_stacks {
    struct user_walker *walker; /* NULL: none now */
    uint32_t deaths;
    uint64_t next;         /* our clock: when one may be made again */
    uint64_t cpu;          /* ns that it has worked, when that was looked at */
    uint64_t ended_cpu;    /* the same, of those that have ended */
    uint64_t reported_cpu; /* of both, that user_stacks_cpu() has returned */
    uint32_t conversation; /* with the agent, that images are numbered in */
    struct table spaces;   /* of processes; their places are the walker's
                              numbers, as those of images */
    struct table images;
    size_t pieces;    /* mappings of all spaces */
    size_t room;      /* bytes that all tables may have */
    size_t bytes;     /* of all tables */
    uint64_t emptied; /* our clock: when there were too many images last */
    uint64_t full;    /* our clock: when no room was found last */
    struct {
        bool active;
        bool asked;       /* the agent has a question of it */
        uint32_t space;   /* that is being asked for */
        uint32_t mapping; /* whose table is */
        struct agent_question question;
    } fetch;
    struct {
        struct wanted_space items[USER_WANTED_MAX]; /* the next one first */
        uint32_t count;
    } wanted;
    struct walked_stacks stacks;
    struct {
        VECTOR(struct unnamed_chain);
    } chains;
    int watched; /* descriptor that wakes the daemon; -1: none */
};

void user_stacks_open(struct user_stacks *stacks);
void user_stacks_close(struct user_stacks *stacks);
/* The walker ends, and what it was asked is to be asked again. */
void user_stacks_begin_anew(struct user_stacks *stacks);
/* Nothing is known of what processes have mapped, and nothing is asked for. */
void user_stacks_forget_spaces(struct user_stacks *stacks);
/* A chain is named, or will not be: another one may have its index then. */
void user_stacks_drop_chain(struct user_stacks *stacks, size_t index);
/* Returns ns that its walkers have worked since the last call. */
uint64_t user_stacks_cpu(struct user_stacks *stacks);

#endif
