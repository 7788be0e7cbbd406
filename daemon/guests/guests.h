/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernels of profiled guests: when they are looked for, what is known of
 * them, and the guest's part of a sample's stack.
 *
 * A search takes as long as it takes, in pieces between two rounds of the
 * daemon.  Whatever goes wrong costs names, never a sample.
 */
#ifndef XENOPROF_DAEMON_GUESTS_GUESTS_H
#define XENOPROF_DAEMON_GUESTS_GUESTS_H

#include "address-table.h"
#include "guest-walk.h"
#include "daemon/parser/parser-link.h"
#include "control/kernel-files.h"

enum guest_state {
    GUEST_NEW,      /* nothing was tried yet, or it may be tried again */
    GUEST_SEARCHED, /* the parser looks for its kernel now */
    GUEST_KNOWN,
    GUEST_STRANGE, /* it was not found; is tried again, ever more seldom */
    GUEST_BANNED   /* what it has in memory ended the parser twice */
};

/* What one guest may add to the tables of a session, which stay in memory:
 * addresses, and frames of stacks.  Code beyond that is at address 0, stacks
 * are leaves. */
#define GUEST_PLACES_MAX 65536u
#define GUEST_FRAMES_ALL (2u << 20)

struct guest {
    bool used;
    bool queued;  /* it is next, or one of those, when a search ends */
    bool linked;  /* Xen was told how its stacks may be linked */
    bool in_file; /* it is, or was, looked for in a file that a user gave */
    uint16_t domain;
    uint8_t uuid[16];
    enum guest_state state;
    uint8_t tries, strikes;
    uint8_t replaced;   /* times that another kernel ran in it than was known */
    uint8_t missed;     /* times that it was not in the list of domains */
    uint64_t next_look; /* Xen's time: at the kernel, or at its modules */
    uint64_t look_pause; /* ns */
    uint64_t last;       /* the last sample's time */
    uint32_t places_made, frames_made;
    struct address_table places[2]; /* of its user and kernel code */
};

/* A name from elsewhere: dom0's kernel tells its own.  False: none. */
typedef bool (*guest_namer)(void *self, const struct xenoprof_sample *at,
                            struct xenoprof_symbol *ret);

struct guests {
    const struct xen *xen;
    const struct kernel_files *files; /* that a user gave; NULL: none */
    guest_namer name_dom0;            /* NULL: nobody */
    void *namer;
    struct parser_link *link; /* NULL: nothing is looked for */
    struct guest *searched;   /* NULL: none */
    bool modules;             /* ... for modules only */
    bool waited;              /* for a search, in this round already */
    struct guest_walk walk;   /* its memory */
    struct guest guests[WIRE_SLOTS];
};

/* maker NULL: nothing is looked for.  NULL: no memory.  xen and maker outlive
 * it. */
struct guests *guests_open(const struct xen *xen,
                           const struct parser_maker *maker);
void guests_close(struct guests *guests);

/* What there is of a guest in a sample; pointers are the caller's. */
struct guest_sample {
    uint64_t time; /* Xen's */
    uint16_t domain;
    const uint8_t *uuid;
    uint8_t mode; /* kernel or user */
    uint64_t ip;
    const struct xenoprof_registers *registers; /* NULL: not there */
    const struct xenoprof_window *windows[2];   /* NULL: not there */
};

/* The guest part of a sample's stack as places, leaf first. */
struct guest_chain {
    uint32_t places[GUEST_FRAMES_MAX];
    size_t count;
    enum xenoprof_ended ended; /* ROOT: it reaches where the kernel was
                                  entered, or is a process's leaf */
};

/* Look for this guest's kernel if it is time to.  Before guests_chain(). */
enum xenoprof_status guests_look(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 const struct guest_sample *sample);

/* The chain of a sample, a frame at least. */
enum xenoprof_status guests_chain(struct guests *guests,
                                  struct xenoprof_writer *writer,
                                  const struct guest_sample *sample,
                                  struct guest_chain *ret);

/* Whether a stack of so many frames may be added to the session for this
 * sample's guest; then it counts. */
bool guests_may_add(struct guests *guests, const struct guest_sample *sample,
                    size_t frames);

/* Get on with a search, for at most ns. */
enum xenoprof_status guests_work(struct guests *guests,
                                 struct xenoprof_writer *writer, uint64_t ns);

/* This guest's kernel is just being looked for, or will be when the search that
 * goes on has ended: its samples may wait. */
bool guests_is_searched(const struct guests *guests, uint16_t domain,
                        const uint8_t uuid[16]);
/* Somebody's is, or will be. */
bool guests_is_searching(const struct guests *guests);
/* The kernel of this sample's guest is known, but the parser computes for a
 * search, and cannot be asked about it now. */
bool guests_is_busy(struct guests *guests, const struct guest_sample *sample);

/* The domains that there are: the others are forgotten, soon. */
void guests_keep(struct guests *guests, const struct domain_list *list);

/* For guest*.c only ------------------------------------------------------- */

/* The guest of this sample; one that was not seen for long makes room. */
struct guest *guests_find(struct guests *guests,
                          const struct guest_sample *sample);
uint32_t guests_slot(const struct guests *guests, const struct guest *guest);
/* The parser died over a request for this guest (NULL: over none). */
void guests_died(struct guests *guests, struct guest *guest);
/* Once more at the modules of a kernel that is known, if it is time to. */
void guests_look_at_modules(struct guests *guests, struct guest *guest,
                            const struct guest_sample *sample);

#endif
