/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The questions to guests (guest-questions.h), and what each of them keeps of
 * one guest.
 */
#ifndef XENOPROF_DAEMON_GUESTS_QUESTIONS_H
#define XENOPROF_DAEMON_GUESTS_QUESTIONS_H

#include "base/table.h"
#include "base/vector.h"

enum question_number {
#define QUESTION(name) QUESTION_##name,
#include "questions.def"
#undef QUESTION
    QUESTIONS
};

struct question_search;

/* What all of them keep. */
struct guest_question {
    struct table noted; /* what waits, or is known: entries of the question's */
    struct {
        VECTOR(uint32_t);
    } queue; /* to be asked about: indexes of noted, the first one first */
    uint64_t next; /* our clock: when it may be searched again */
    struct question_search *search; /* NULL: none goes on, or is to be taken */
};

/* Where threads come from ------------------------------------------------ */

/* Threads of one guest that are noted in a file; as many as it brings in. */
#define ORIGINS_NOTED_MAX 4096u
/* How often one that was not found is asked for: it may have ended, or the
 * process by whose tables its guest's memory was walked. */
#define ORIGINS_TRIES_MAX 3u
/* Our clock, ns: between two of one guest. */
#define ORIGINS_PAUSE 200000000ull

struct origin_processes;

/* Each thread that a sample names is asked for in its guest's memory, once in a
 * file of the session, or its process is known by another.  No sample waits for
 * it. */
struct guest_origins {
    bool wanted; /* the user wants them, and its kernel has them */
    struct origin_processes *processes; /* known in this file */
};

/* What processes have mapped --------------------------------------------- */

/* Processes of one guest that are known at a time. */
#define MAPPINGS_NOTED_MAX 4096u
/* Pieces of code of all of them. */
#define MAPPINGS_PIECES_MAX 65536u
/* How often one that was not found is looked for before it is let be for a
 * while. */
#define MAPPINGS_TRIES_MAX 2u
/* Our clock, ns: between two of one guest; how long samples wait for one; after
 * which a process is read again, and again because a sample was outside what is
 * known of it. */
#define MAPPINGS_PAUSE    50000000ull
#define MAPPINGS_PATIENCE 4000000000ull
#define MAPPINGS_AGE      10000000000ull
#define MAPPINGS_RENEW    1000000000ull

/* For an agent that has the guest's files but knows of no process that it was
 * not told of (agent_link_wants_known()); or, where there is no agent, for
 * names by the files that the guest has in memory.  It is read when the first
 * sample of a process asks for a name; samples wait for it, and not for long.
 */
struct guest_mappings {
    size_t pieces;         /* of all processes */
    uint32_t conversation; /* with the agent, that was told */
};

/* What code of cached files is called ------------------------------------ */

/* Files of one guest that are known at a time, and addresses in them. */
#define CACHED_FILES_MAX 1024u
#define CACHED_CODE_MAX  65536u
/* Our clock, ns: between two of one guest; how long samples wait for one; after
 * which it is looked again for what was missing. */
#define CACHED_PAUSE    50000000ull
#define CACHED_PATIENCE 4000000000ull
#define CACHED_AGE      60000000000ull

/* Code of a file. */
struct file_code {
    uint64_t file; /* its id; 0: of none that is known */
    uint64_t offset;
};

/* Code of a passive guest's processes, by what the guest's kernel has of their
 * files in memory.  A file's code is asked for once, whoever runs it, and
 * samples wait for it, and not for long. */
struct guest_cached {
    bool wanted;         /* its kernel has them, and the user has agreed */
    struct table files;  /* struct cached_file */
    struct table places; /* of the session's file (named_place()) */
};

#endif
