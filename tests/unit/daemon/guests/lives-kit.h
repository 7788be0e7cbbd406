/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guests that come, sample after sample, and go: the daemon's core and its
 * processes on the process port, with a clock of its own.  Honest guests are
 * always in code whose stack the kit knows; the others do as they like.  At the
 * end the session is compared with what there was.
 */
#ifndef XENOPROF_TESTS_UNIT_DAEMON_GUESTS_LIVES_KIT_H
#define XENOPROF_TESTS_UNIT_DAEMON_GUESTS_LIVES_KIT_H

#include "base/vector.h"
#include "cage/keeper.h"
#include "guest-kit.h"
#include "tests/unit/daemon/recording-kit.h"
#include "tests/unit/daemon/parser/parser-stub.h"

#define LIVES_PCPUS  6u /* the first is dom0's */
#define LIVES_SLOTS  16u
#define LIVES_STACKS 16u /* different ones of an honest guest */
#define LIVES_KERNEL 0xffffffff81000000ul
#define LIVES_FRAME  40u /* of the kernel's first page */
#define LIVES_TURN   (10 * MILLISECONDS)

#define NOBODY ((size_t)-1) /* no person's index */

/* Who a guest is, by uuid: that may have several lives. */
struct person {
    uint8_t uuid[16];
    char prefix[16]; /* of its functions' names */
    bool honest;
    bool excused;  /* it went just before a daemon was killed: what waited for
                       an answer has none */
    uint64_t went; /* when it did last; 0: never */
    uint64_t interrupts; /* that were taken while a vCPU of its ran */
    /* In the session: */
    uint64_t made, samples, lost;
};

/* What a guest that is not honest does in its turns. */
enum manner {
    MANNER_SAME,    /* an honest guest's addresses and stacks */
    MANNER_DEEP,    /* a stack of a whole page, all of it return addresses */
    MANNER_ANY,     /* any code, any stack */
    MANNER_NOTHING, /* no page tables, no stack, no code */
    MANNER_PROCESS, /* in a process, never in its kernel */
    MANNERS,
    MANNER_NEW = MANNERS /* each time in a new process with a new name, at
                            addresses that it never was at */
};

struct living {
    bool alive, ready; /* ready: Xen profiles it */
    size_t person;
    uint16_t domain;
    uint16_t vcpus;
    uint16_t next_vcpu;
    enum manner manner;
    bool changes; /* its memory does, while it is read */
    struct guest_kit memory;
};

struct lives {
    struct recording_kit kit;
    struct keeper keeper;
    struct process_maker maker;
    struct {
        VECTOR(struct person);
    } persons;
    struct living slots[LIVES_SLOTS];
    struct {
        size_t person;
        uint64_t before; /* NMIs that the pCPU had taken */
    } turns[LIVES_PCPUS];
    uint16_t next_domain;
    uint64_t cpu; /* ns that the daemon itself worked */
    uint64_t random;
    uint64_t forgiven; /* samples that waited when a daemon was killed */
};

/* options: of --start, such as " ring-size=64". */
void lives_begin(struct lives *lives, uint64_t seed, const char *options);
/* Stops, compares, and removes everything. */
void lives_end(struct lives *lives);

uint64_t lives_random(struct lives *lives, uint64_t below);

/* Returns the index of somebody new. */
size_t lives_born(struct lives *lives, bool honest);
/* A guest is started under this number, or under a new one if that is 0.
 * letter: its kernel (parser-stub.h).  Returns it, or NULL if there are enough
 * guests. */
struct living *lives_come(struct lives *lives, size_t person, uint16_t domain,
                          char letter, uint16_t vcpus);
void lives_go(struct lives *lives, struct living *guest);
/* Its kernel is another one from now on. */
void lives_set_kernel(struct lives *lives, struct living *guest, char letter);
/* Returns one that is alive, or NULL. */
struct living *lives_any(struct lives *lives, bool honest);
unsigned int lives_count(const struct lives *lives, bool honest);
/* Returns whether its kernel was found. */
bool lives_is_known(const struct lives *lives, const struct living *guest);

/* So many ns, in which guests run; then the daemon works. */
void lives_pass(struct lives *lives, uint64_t ns);
/* A turn of those that lives_put() put somewhere. */
void lives_turn(void);
/* The daemon works: once in each lives_pass(). */
void lives_work(struct lives *lives);
/* Nobody runs. */
void lives_rest(struct lives *lives, uint64_t ns);
/* The daemon dies and is succeeded. */
void lives_kill_daemon(struct lives *lives);
/* Kills a process that walks stacks.  Returns whether there was one. */
bool lives_kill_walker(struct lives *lives);

/* The memory of the keeper and of the processes that it made: the sum of their
 * PSS, which only root may know (0). */
uint64_t lives_children_bytes(const struct lives *lives);

/* Puts a vCPU on each pCPU, each on one only. */
void lives_take_turns(struct lives *lives);
/* Puts this guest's next vCPU on that pCPU. */
void lives_put(struct lives *lives, unsigned int pcpu, struct living *guest);
/* The pCPU is idle. */
void lives_put_nobody(struct lives *lives, unsigned int pcpu);
/* Their stacks: for the host's memory. */
process_memory lives_stack_memory;

/* Returns how many samples waited by the last block of the session. */
uint64_t lives_spooled(const struct lives *lives);
/* Reads the session and compares it. */
void lives_compare(struct lives *lives);

#endif
