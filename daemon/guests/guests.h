/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernels of profiled guests: when they are looked for, what is known of
 * them, and the guest's part of a sample's stack.
 *
 * Each guest has processes of its own (daemon/parser/): a search now and then,
 * and a walker once its kernel is known.  What they do, or fail to do, touches
 * no other guest.  A failure costs names and callers, never a sample.
 */
#ifndef XENOPROF_DAEMON_GUESTS_GUESTS_H
#define XENOPROF_DAEMON_GUESTS_GUESTS_H

#include "address-table.h"
#include "guest-account.h"
#include "guest-calls.h"
#include "guest-walk.h"
#include "walked-stacks.h"
#include "daemon/parser/walker-link.h"
#include "control/kernel-files.h"

/* That are known at a time. */
#define GUESTS_MAX 512u
/* Searches at a time. */
#define SEARCHES_MAX 4u

enum guest_state {
    GUEST_NEW,      /* not looked for yet, or to be looked for again */
    GUEST_SEARCHED, /* its kernel is being looked for */
    GUEST_KNOWN,
    GUEST_STRANGE, /* not found; retried with growing delays */
    GUEST_BANNED   /* its memory ended too many processes */
};

/* A search for its kernel, or for its kernel modules. */
struct guest_search {
    struct search *link; /* NULL: none */
    bool modules;
    bool pv;                 /* of the guest */
    struct guest_walk *walk; /* its memory */
};

/* What walks its stacks. */
struct guest_walker {
    struct walker *link; /* NULL: none now */
    uint64_t next;       /* our clock: when one may be made again */
    uint64_t next_cpu;   /* our clock: when its CPU time is looked at again */
    uint64_t cpu;        /* that its account has */
    struct walked_stacks stacks;
    uint32_t late;  /* place of the session up to which names were asked for */
    bool all_asked; /* ... and that was the last */
    bool unnamed;   /* code without a name was met */
    uint64_t ip, cr3; /* of a sample in its kernel */
};

struct guest {
    bool used;
    bool queued;  /* to be searched when there are fewer searches */
    bool linked;  /* Xen knows how its stacks may be linked */
    bool in_file; /* it is, or was, looked for in a file that a user gave */
    uint16_t domain;
    uint8_t uuid[16];
    enum guest_state state;
    uint8_t tries;
    uint64_t gone;       /* our clock: since when the list of domains lacks it;
                            0: it does not */
    uint64_t next_look;  /* Xen's time: at the kernel, or at its modules */
    uint64_t look_pause; /* ns */
    uint64_t last;       /* the last sample's time */
    struct address_table places[2]; /* of its user and kernel code */
    struct guest_search search;
    struct walker_tables tables; /* what is known; the guest holds them */
    struct guest_walker walker;
    struct guest_calls calls; /* where calls end in it; of unknown kernels */
};

/* Names an address of dom0's kernel, which publishes its own symbols.  Returns
 * false if it has no name. */
typedef bool (*guest_namer)(void *self, const struct xenoprof_sample *at,
                            struct xenoprof_symbol *ret);

/* Makes this guest the one that its number stands for in the session from here
 * on. */
typedef enum xenoprof_status (*guest_owner)(void *self,
                                            struct xenoprof_writer *writer,
                                            uint64_t time, uint16_t domain,
                                            const uint8_t uuid[16]);

struct guests {
    const struct xen *xen;
    const struct kernel_files *files; /* that a user gave; NULL: none */
    guest_namer name_dom0;            /* NULL: nobody */
    void *namer;
    guest_owner make_owner; /* NULL: no number is given again */
    void *owners;
    const struct process_maker *maker; /* NULL: nothing is looked for */
    struct table_store *store;
    unsigned int searches;  /* how many go on */
    unsigned int stillborn; /* searches that ended before they began */
    bool answered;          /* one search did */
    uint64_t grace;         /* ns: see guests_keep() */
    struct guest_accounts accounts;
    struct guest_walk *calls; /* memory of guests whose kernel is not known */
    struct guest guests[GUESTS_MAX];
};

/* Returns guests, or NULL if there is no memory.  xen and its maker outlive the
 * guests. */
struct guests *guests_open(const struct xen *xen);
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
    uint64_t tag; /* a number that no other sample of the session has */
    enum xenoprof_ended cut; /* why it cannot wait; ROOT: it can */
};

/* The guest part of a sample's stack as places, leaf first. */
struct guest_chain {
    uint32_t places[GUEST_FRAMES_MAX];
    size_t count;
    enum xenoprof_ended ended; /* ROOT: it reaches where the kernel was
                                  entered, or is a process's leaf */
};

/* Looks for this guest's kernel if it is time to. */
enum xenoprof_status guests_look(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 const struct guest_sample *sample);

/* Works on searches for at most ns. */
enum xenoprof_status guests_work(struct guests *guests,
                                 struct xenoprof_writer *writer, uint64_t ns);

/* Asks for this sample's stack, unless nothing is to be asked or it was asked
 * for already.  Returns false if the guest has no walker now, or its batch is
 * full or away. */
bool guests_ask(struct guests *guests, const struct guest_sample *sample);

/* Sends the batches that are due, or all; takes what is answered within ns. */
enum xenoprof_status guests_exchange(struct guests *guests,
                                     struct xenoprof_writer *writer, bool all,
                                     uint64_t ns);

/* Returns true if processes end before they begin, and none ever answered: no
 * guest will have a name. */
bool guests_cannot_begin(const struct guests *guests);

enum guest_wait {
    GUEST_READY,    /* guests_chain() has all that there will be */
    GUEST_UNKNOWN,  /* its kernel is, or will be, looked for */
    GUEST_ASKED,    /* the answer is to come */
    GUEST_NOT_ASKED /* guests_ask() is to be called (again) */
};

enum guest_wait guests_wait_for(struct guests *guests,
                                const struct guest_sample *sample);

/* Returns the chain of a sample in *ret; it has at least one frame.  A sample
 * whose answer did not come has its leaf. */
enum xenoprof_status guests_chain(struct guests *guests,
                                  struct xenoprof_writer *writer,
                                  const struct guest_sample *sample,
                                  struct guest_chain *ret);

/* Returns true if a stack of so many frames may be added to the session for
 * this sample's guest, and counts it. */
bool guests_may_add(struct guests *guests, const struct guest_sample *sample,
                    size_t frames);

/* Returns true if this guest's walker could take a question now. */
bool guests_can_ask(struct guests *guests, const struct guest_sample *sample);
/* Returns true if it works on a batch: its answers are to come. */
bool guests_walks(struct guests *guests, const struct guest_sample *sample);

/* Returns true if no process can look at any guest: there is none to make it,
 * or each ends before it begins. */
bool guests_are_blind(const struct guests *guests);

/* Returns true if this guest's kernel is being looked for, or will be when
 * another search has ended. */
bool guests_is_searched(const struct guests *guests, uint16_t domain,
                        const uint8_t uuid[16]);
/* Returns true if anything is known of this guest. */
bool guests_has(const struct guests *guests, uint16_t domain,
                const uint8_t uuid[16]);
/* Returns true if any guest's kernel is, or if names are still to come. */
bool guests_is_searching(const struct guests *guests);

/* The session's next file began: numbers of places mean nothing any more, and
 * each guest may add as much as at first.  Stacks that were answered are asked
 * for again. */
void guests_forget_places(struct guests *guests);

/* Guests that were not in the list for guests->grace are dropped, and the
 * accounts of those that have been gone for long. */
void guests_keep(struct guests *guests, const struct domain_list *list);

/* For guest*.c only ------------------------------------------------------- */

/* Returns the guest of this sample; if the table is full, a new guest replaces
 * the one whose last sample is the oldest. */
struct guest *guests_find(struct guests *guests,
                          const struct guest_sample *sample);
/* Returns this guest's account; good until the next call. */
struct guest_account *guests_account(struct guests *guests,
                                     const struct guest *guest);
/* One of its processes died over what is in its memory. */
void guests_strike(struct guests *guests, struct guest *guest);
/* Has the daemon's loop wait for this descriptor of a process. */
void guests_watch(const struct guests *guests, int fd);
/* Drops what is known of its kernel, and ends what works on it. */
void guests_forget_kernel(struct guests *guests, struct guest *guest);
/* Ends the search, whose CPU time goes to the guest's account. */
void guest_search_stop(struct guests *guests, struct guest *guest);
/* Ends the walker: stacks that it was asked for may be asked for again. */
void guest_walker_stop(struct guests *guests, struct guest *guest);
/* Looks at the modules of a known kernel again if it is time to. */
void guests_look_at_modules(struct guests *guests, struct guest *guest);
/* Returns true if the kernel of a guest that is new will be looked for, by what
 * this sample says of it. */
bool guest_will_be_searched(struct guests *guests, const struct guest *guest,
                            const struct guest_sample *sample);

/* Finds or makes the place of an address of this guest, and remembers it.  A
 * place that has a name keeps it if name is NULL. */
enum xenoprof_status guest_place(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 struct guest *guest, uint8_t mode,
                                 uint64_t address,
                                 const struct kernel_symbol *name,
                                 uint32_t *ret);

#endif
