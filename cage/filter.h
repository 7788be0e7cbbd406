/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process may ask of the kernel, by what it is for. */
#ifndef XENOPROF_CAGE_FILTER_H
#define XENOPROF_CAGE_FILTER_H

/* The columns of system-calls.def. */
enum cage_role {
    CAGE_DAEMON, /* xenoprofd once its devices are open: it starts no program,
                    makes no thread and maps no code */
    CAGE_AGENT,  /* opagent: the same, and it writes no file */
    CAGE_KEEPER, /* and a process on its way into its cage */
    CAGE_PARSER, /* reads and writes the cage's socket, and computes */
    CAGE_FILES,  /* a parser that is sent files over its socket, to be read */
    CAGE_PORTER, /* connects relays, and what it makes until they are ready */
    CAGE_RELAY,  /* hands messages on */
    CAGE_ROOT,   /* an agent that reads files of a guest's root */
    CAGE_PUSH,   /* sends what it reads to a network, by threads of its own */
    CAGE_ROLES
};

/* A parser's descriptors. */
#define SANDBOX_IN  0
#define SANDBOX_OUT 1

/*
 * From now on a system call that this role does not have ends the process, with
 * all its threads.  other is a descriptor that an agent writes nothing to; -1:
 * there is none.  Returns 0 or a negative errno.
 */
int filter_set(enum cage_role role, int other);

#endif
