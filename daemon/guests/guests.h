/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernels of profiled guests: when they are looked for, what is known of
 * them, and the guest's part of a sample's stack.
 *
 * A search runs in pieces between the daemon's rounds.  A failure costs names,
 * never a sample.
 */
#ifndef XENOPROF_DAEMON_GUESTS_GUESTS_H
#define XENOPROF_DAEMON_GUESTS_GUESTS_H

#include "address-table.h"
#include "guest-account.h"
#include "guest-walk.h"
#include "daemon/parser/parser-link.h"
#include "control/kernel-files.h"

enum guest_state {
    GUEST_NEW,      /* not looked for yet, or to be looked for again */
    GUEST_SEARCHED, /* the parser is looking for its kernel */
    GUEST_KNOWN,
    GUEST_STRANGE, /* not found; retried with growing delays */
    GUEST_BANNED   /* its memory killed the parser twice */
};

struct guest {
    bool used;
    bool queued;  /* to be searched when the current search ends */
    bool linked;  /* Xen knows how its stacks may be linked */
    bool in_file; /* it is, or was, looked for in a file that a user gave */
    uint16_t domain;
    uint8_t uuid[16];
    enum guest_state state;
    uint8_t tries;
    uint8_t missed;      /* how often the list of domains lacked it */
    uint64_t next_look;  /* Xen's time: at the kernel, or at its modules */
    uint64_t look_pause; /* ns */
    uint64_t last;       /* the last sample's time */
    struct address_table places[2]; /* of its user and kernel code */
};

/* Names an address of dom0's kernel, which publishes its own symbols.  Returns
 * false if it has no name. */
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
    struct guest_accounts accounts;
    struct guest guests[WIRE_SLOTS];
};

/* Returns guests, or NULL if there is no memory.  maker NULL: no kernel is
 * looked for.  xen and maker outlive the guests. */
struct guests *guests_open(const struct xen *xen,
                           const struct parser_maker *maker);
void guests_close(struct guests *guests);

/* The guest's part of a sample; the caller owns what pointers refer to. */
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

/* Looks for this guest's kernel if it is time to.  Call it before
 * guests_chain(). */
enum xenoprof_status guests_look(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 const struct guest_sample *sample);

/* Returns the chain of a sample in *ret; it has at least one frame. */
enum xenoprof_status guests_chain(struct guests *guests,
                                  struct xenoprof_writer *writer,
                                  const struct guest_sample *sample,
                                  struct guest_chain *ret);

/* Returns true if a stack of so many frames may be added to the session for
 * this sample's guest, and counts it. */
bool guests_may_add(struct guests *guests, const struct guest_sample *sample,
                    size_t frames);

/* Works on a search for at most ns. */
enum xenoprof_status guests_work(struct guests *guests,
                                 struct xenoprof_writer *writer, uint64_t ns);

/* Returns true if this guest's kernel is being looked for, or will be when the
 * current search has ended: its samples may wait. */
bool guests_is_searched(const struct guests *guests, uint16_t domain,
                        const uint8_t uuid[16]);
/* The same for any guest. */
bool guests_is_searching(const struct guests *guests);
/* Returns true if the kernel of this sample's guest is known, but the parser is
 * busy with a search and cannot be asked now. */
bool guests_is_busy(struct guests *guests, const struct guest_sample *sample);

/* Guests that are not in list are dropped after a few calls. */
void guests_keep(struct guests *guests, const struct domain_list *list);

/* For guest*.c only ------------------------------------------------------- */

/* Returns the guest of this sample; if the table is full, a new guest replaces
 * the one whose last sample is the oldest. */
struct guest *guests_find(struct guests *guests,
                          const struct guest_sample *sample);
uint32_t guests_slot(const struct guests *guests, const struct guest *guest);
/* Returns this guest's account; good until the next call. */
struct guest_account *guests_account(struct guests *guests,
                                     const struct guest *guest);
/* The parser died over a request for this guest (NULL: for no guest). */
void guests_died(struct guests *guests, struct guest *guest);
/* Looks at the modules of a known kernel again if it is time to. */
void guests_look_at_modules(struct guests *guests, struct guest *guest,
                            const struct guest_sample *sample);

#endif
