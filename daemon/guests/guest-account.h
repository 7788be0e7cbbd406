/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one guest has used of a session, by its uuid: a guest that reboots, or
 * moves to another number, goes on where it was.
 */
#ifndef XENOPROF_DAEMON_GUESTS_GUEST_ACCOUNT_H
#define XENOPROF_DAEMON_GUESTS_GUEST_ACCOUNT_H

#include "base/table.h"

/* What one guest may add to the tables of a session, which stay in memory:
 * addresses, and frames of stacks.  Code beyond that is at address 0, stacks
 * are leaves. */
#define GUEST_PLACES_MAX 65536u
#define GUEST_FRAMES_ALL (1u << 20)

/* How many addresses of a guest without a known kernel are looked at. */
#define GUEST_CALLS_MAX 65536u

/* What its processes may work in all: ns, and a share of the time since its
 * first sample.  Who was found by a search that took all that one may (30 s)
 * has some left for its stacks.  Chains and names of its processes, which are
 * dear, take a percentage of that; the rest is its kernel's. */
#define GUEST_CPU_FREE  40000000000ull
#define GUEST_CPU_SHARE 20 /* 5 % */
#define GUEST_CPU_USER  75

/* How often what is in its memory may end a process that looks at it. */
#define GUEST_STRIKES_MAX 2

/* How often a guest may start another kernel (kexec) and be searched again. */
#define GUEST_REPLACED_MAX 16

struct guest_account {
    uint8_t uuid[16];
    uint8_t strikes;
    uint8_t replaced;    /* how often it started another kernel */
    uint8_t agent_lies;  /* that its agent was caught at (agent-link.h) */
    uint8_t user_deaths; /* of walkers of its processes (user-chain-state.h) */
    uint32_t places_made, frames_made;
    uint32_t calls_left; /* addresses that may still be looked at for calls */
    uint64_t since;      /* our clock: when its account was opened */
    uint64_t cpu;        /* ns that its processes worked */
};

/* Guests that are gone whose accounts are kept, whatever is in them.  Those of
 * the ones that were gone before are dropped, unless they would be better off
 * with a new one: it was struck, it started other kernels, it owes time, or it
 * used a good part of what it may.  So who comes back gets at most that part
 * again, for which as many others had to go, each with a whole share. */
#define GUEST_ACCOUNTS_GONE 128u
#define GUEST_GOOD_PART     4 /* a quarter */

/* Those of a session. */
struct guest_accounts {
    struct table table;         /* struct guest_account */
    struct guest_account spare; /* of all for which there is no memory */
    size_t last;                /* that was looked for */
    size_t stay; /* that were worth keeping when they were looked at last */
};

void guest_accounts_init(struct guest_accounts *accounts);
void guest_accounts_free(struct guest_accounts *accounts);

/* Returns the account of this guest, made if there is none yet.  Good until
 * the next call. */
struct guest_account *guest_accounts_get(struct guest_accounts *accounts,
                                         const uint8_t uuid[16]);

/* Returns true if guest_accounts_trim() may have much to drop, where so many
 * guests are alive. */
bool guest_accounts_are_many(const struct guest_accounts *accounts,
                             size_t alive);
/* Drops accounts of guests that are gone; alive are the uuids of those that are
 * not. */
void guest_accounts_trim(struct guest_accounts *accounts,
                         const struct table *alive);

/* Returns true if its processes worked more than they may: its samples have
 * addresses without callers until they may again. */
bool guest_account_is_spent(const struct guest_account *account);
/* Returns true if chains and names of its processes took what they may of that:
 * what is left is its kernel's. */
bool guest_account_user_is_spent(const struct guest_account *account);

#endif
