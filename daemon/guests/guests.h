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

#include <limits.h>

#include "address-table.h"
#include "guest-account.h"
#include "guest-calls.h"
#include "guest-walk.h"
#include "questions.h"
#include "user-answers.h"
#include "user-chain-state.h"
#include "user-inlines.h"
#include "walked-stacks.h"
#include "daemon/agent/agent-link.h"
#include "daemon/parser/search-link.h"
#include "daemon/parser/walker-link.h"
#include "control/asked-domains.h"
#include "control/label-choices.h"

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
    bool pv;                   /* of the guest */
    struct walker_tables kept; /* that is looked for, of an earlier session;
                                  image NULL: none */
    struct guest_walk *walk;   /* its memory */
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

/* How Xen reads who runs in it. */
struct guest_tasks {
    enum task_list_status status; /* of the last look */
    uint32_t vcpus;               /* that its kernel runs */
    uint16_t number;              /* of the last list; 0: there was none */
    bool mapped; /* what its processes have mapped can be read */
    bool sent;   /* Xen has that list */
    enum label_choice labels;
};

/* What a guest's agent said of its user code. */
struct user_names {
    struct agent_link *link;
    struct user_answers answers;
    struct table places;   /* of the session's file, by name */
    struct table lined;    /* of these: whose lines were said */
    int watched;           /* descriptor that wakes the daemon; -1: none */
    uint64_t clocks;       /* our clock: when offset was taken; 0: not yet */
    uint64_t offset;       /* the agent's clock less Xen's */
    uint64_t clock_error;  /* ns that offset may be wrong by: of a guest */
    uint32_t clock_number; /* of the look at its clock that was taken last */
    uint64_t next_cpu; /* our clock: when its processes' work is looked at */
    bool spent; /* in dom0 was worked more than may be: nothing is asked that
                   costs dom0 more */
    struct user_inlines inlines;
    struct user_stacks stacks;
};

struct guest {
    bool used;
    bool queued;     /* to be searched when there are fewer searches */
    bool kept_tried; /* what an earlier session found was looked for */
    bool kept;       /* ... and is what is known */
    bool in_file;    /* it is, or was, looked for in a file that a user gave */
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
    uint64_t stop_work;          /* its processes' at the stop, ns */
    struct walker_tables tables; /* what is known; the guest holds them */
    uint32_t vcpus;              /* of the domain */
    struct guest_tasks tasks;
    struct guest_question questions[QUESTIONS];
    struct guest_origins origins;
    struct guest_mappings mappings;
    struct guest_cached cached;
    struct guest_walker walker;
    struct guest_calls calls; /* where calls end in it; of unknown kernels */
    struct user_names *user;  /* NULL: it has no agent */
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

/* Searches for one question (guest-questions.h). */
struct question_searches {
    unsigned int count; /* that go on, of all guests */
    uint32_t turn;      /* guest whose may begin first */
};

struct guests {
    const struct xen *xen;
    char kept[PATH_MAX]; /* folder of kernels that earlier sessions found; "":
                            none are kept */
    const struct domain_pairs *files;   /* of kernels, that a user gave; NULL:
                                         none */
    const struct domain_pairs *roots;   /* of file systems; NULL: none */
    const struct root_folders *folders; /* of roots */
    const struct domain_pairs *labels;  /* NULL: the usual ones */
    const struct asked_domains *asked;  /* NULL: all are passive */
    guest_namer name_dom0;              /* NULL: nobody */
    void *namer;
    guest_owner make_owner; /* NULL: no number is given again */
    void *owners;
    bool below_kernels; /* callers of kernels, in processes of guests that have
                           an agent, were asked for */
    const struct process_maker *maker; /* NULL: nothing is looked for */
    struct table_store *store;
    unsigned int searches; /* how many go on */
    struct question_searches questions[QUESTIONS];
    unsigned int stillborn; /* searches that ended before they began */
    bool answered;          /* one search did */
    uint64_t grace;         /* ns: see guests_keep() */
    struct guest_accounts accounts;
    uint32_t agents;          /* how many guests have one */
    struct guest_walk *calls; /* memory of guests whose kernel is not known */
    uint64_t used[GUESTS_MAX / 64]; /* a bit for each: it is used */
    struct guest guests[GUESTS_MAX];
};

/* Returns the index of the first guest that is used, from there on, or
 * GUESTS_MAX.  Most entries are not used, and they are large. */
static inline uint32_t guests_next(const struct guests *guests, uint32_t from)
{
    for ( uint32_t i = from / 64; i < GUESTS_MAX / 64; i++, from = 0 )
    {
        const uint64_t left = guests->used[i] >> from % 64 << from % 64;

        if ( left )
            return i * 64 + (uint32_t)__builtin_ctzll(left);
    }
    return GUESTS_MAX;
}

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
    const struct xenoprof_window *user_window;  /* of the process in a kernel;
                                                   NULL: not there, */
    enum xenoprof_ended no_process; /* ... since; ROOT: it was not asked for */
    struct xenoprof_thread thread;  /* all zeroes: not known */
    uint64_t tag; /* a number that no other sample of the session has */
    enum xenoprof_ended cut; /* why it cannot wait; ROOT: it can */
};

/* Of a kernel, and of the process below it. */
#define GUEST_CHAIN_MAX (2 * GUEST_FRAMES_MAX)

/* The guest part of a sample's stack as places, leaf first. */
struct guest_chain {
    uint32_t places[GUEST_CHAIN_MAX];
    size_t count;
    enum xenoprof_ended ended; /* ROOT: it reaches where the kernel was
                                  entered, or the process's root if that was
                                  asked for, or is a process's leaf */
    bool below; /* that is said of the process which entered the kernel, whose
                   own part is whole */
};

/* Looks for this guest's kernel if it is time to. */
enum xenoprof_status guests_look(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 const struct guest_sample *sample);

/* Looks for the kernels of asked domains of which no sample came, as if one had
 * come now, Xen's time.  Domains whose vCPUs are not in their kernel now are
 * left out: call it again. */
enum xenoprof_status guests_seek(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 const struct domain_list *list, uint64_t time);
/* Returns how many guests' kernels are, or will be, looked for now. */
unsigned int guests_sought(const struct guests *guests);

/* A sample of this guest's has that thread. */
void guests_note_thread(struct guests *guests, uint16_t domain,
                        const uint8_t uuid[16],
                        const struct xenoprof_thread *thread);

/* Works on searches of all sorts together for at most ns. */
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

/* What a stop waits for begins.  guests_stop_work() returns the ns that
 * processes of all guests have worked since, GUEST_STOP_WORK of each at most:
 * no guest keeps a stop waiting by what it has them do. */
#define GUEST_STOP_WORK 10000000000ull
void guests_begin_stop(struct guests *guests);
uint64_t guests_stop_work(struct guests *guests);

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
static inline struct guest_account *guests_account(struct guests *guests,
                                                   const struct guest *guest)
{
    return guest_accounts_get(&guests->accounts, guest->uuid);
}

/* One of its processes died over what is in its memory. */
void guests_strike(struct guests *guests, struct guest *guest);
/* The same; if it was one too many, the session says so. */
enum xenoprof_status guests_struck(struct guests *guests,
                                   struct xenoprof_writer *writer,
                                   struct guest *guest);
/* Returns the guest, or NULL if nothing is known of it. */
struct guest *guests_known(struct guests *guests, uint16_t domain,
                           const uint8_t uuid[16]);
/* Drops what is known of its kernel, and ends what works on it. */
void guests_forget_kernel(struct guests *guests, struct guest *guest);
/* Takes a message of the guest's search, if there is one, and looks after its
 * limits: the search may have ended then. */
enum xenoprof_status guest_search_work(struct guests *guests,
                                       struct xenoprof_writer *writer,
                                       struct guest *guest);
/* Ends the search, whose CPU time goes to the guest's account. */
void guest_search_stop(struct guests *guests, struct guest *guest);
/* What the walker worked since the last call goes to the guest's account. */
void guest_walker_count(struct guests *guests, struct guest *guest);
/* Ends the walker: stacks that it was asked for may be asked for again. */
void guest_walker_stop(struct guests *guests, struct guest *guest);
/* Takes what a search said of its tasks, NULL if nothing: if that is a list,
 * Xen has it from now on. */
void guest_tasks_take(const struct guests *guests, struct guest *guest,
                      const struct task_list *found);
/* Has Xen read nothing any more. */
void guest_tasks_drop(const struct guests *guests, struct guest *guest);
/* Returns true if a later look at a known kernel may find more: processors come
 * up one after the other. */
bool guest_tasks_may_come(const struct guest *guest);
/* All questions to a guest that is all zeroes otherwise (guest-questions.h);
 * takes no memory yet. */
void guest_questions_init(struct guest *guest);
/* Ends the searches that go on. */
void guest_questions_stop(struct guests *guests, struct guest *guest);
/* Nothing is known any more; no search goes on. */
void guest_questions_forget(struct guest *guest);
/* The session's next file began. */
void guest_questions_next_file(struct guest *guest);
/* Returns true and which file's code a sample of a process is in, as far as
 * that is known now; file 0: of none. */
bool guest_mappings_code(const struct guest *guest,
                         const struct guest_sample *sample,
                         struct file_code *ret);
/* Returns true if guest_mappings_note() may have such a sample wait. */
bool guest_mappings_may_note(const struct guest *guest,
                             const struct guest_sample *sample);
/* Returns GUEST_NOT_ASKED if the agent, or guest_mappings_note(), may be asked
 * about such a sample of a process; GUEST_ASKED if its process is being read;
 * GUEST_READY if nothing will come of it. */
enum guest_wait guest_mappings_wait(const struct guests *guests,
                                    const struct guest *guest,
                                    const struct guest_sample *sample);
/* Returns true if the sample is to wait, since its process will be read now;
 * false if the agent may be asked. */
bool guest_mappings_note(struct guests *guests, struct guest *guest,
                         const struct guest_sample *sample);
/* Looks at the modules of a known kernel again if it is time to. */
void guests_look_at_modules(struct guests *guests, struct guest *guest);
/* Returns true if the kernel of a guest that is new will be looked for, by what
 * this sample says of it. */
bool guest_will_be_searched(struct guests *guests, const struct guest *guest,
                            const struct guest_sample *sample);

/* What is written next of the guest's number is of this guest.  Returns
 * XENOPROF_END if another guest has had the number since. */
enum xenoprof_status guests_own(const struct guests *guests,
                                struct xenoprof_writer *writer,
                                const struct guest *guest);
/* Before many places are looked for: asks for their memory. */
void guest_place_expect(const struct xenoprof_writer *writer,
                        struct guest *guest, uint8_t mode, uint64_t address);
/* Finds or makes the place of an address of this guest, and remembers it.  A
 * place that has a name keeps it if name is NULL. */
enum xenoprof_status guest_place(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 struct guest *guest, uint8_t mode,
                                 uint64_t address,
                                 const struct kernel_symbol *name,
                                 uint32_t *ret);

/* The same of user code that others have named: each place is made once in a
 * file of the session, by what it is called.  named_places_init() takes no
 * memory yet.  named_place() does not look at the place's domain; a guest that
 * has had its share has one place for all that is new. */
void named_places_init(struct table *places);
enum xenoprof_status named_place(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 const struct guest *guest,
                                 struct table *places,
                                 const struct xenoprof_place *place,
                                 uint32_t *ret);
/* Whether a place that the guest is given now is its own, not the one for all
 * that is new. */
bool guest_has_places(struct guests *guests, const struct guest *guest);

/* Returns true if any domain may have been given an agent, or a guest root. */
bool guests_may_have_agents(const struct guests *guests);
/* Returns a link to the guest's agent, or to the one of its guest root, who is
 * called; or NULL if it has neither, or there is no memory. */
struct agent_link *guest_agent_open(struct guests *guests,
                                    const struct guest *guest);
/* Returns the agent's time of a time of Xen's. */
uint64_t guest_user_time(struct user_names *names, const struct xen *xen,
                         uint64_t time);
/* The guest's agent, if it has one, is called. */
void guest_user_open(struct guests *guests, struct guest *guest);
/* Nobody asks it any more. */
void guest_user_close(struct guests *guests, struct guest *guest);
/* The session's next file began. */
void guest_user_forget(struct user_names *names);
/* Returns true if a sample's name is the agent's to know: what follows is of
 * such samples, and of guests that have an agent. */
bool guest_user_is(const struct guest *guest,
                   const struct guest_sample *sample);
/* The same as guests_wait_for(), guests_ask(), guests_can_ask() and
 * guests_exchange(). */
enum guest_wait guest_user_wait(const struct guests *guests,
                                const struct guest *guest,
                                const struct guest_sample *sample);
bool guest_user_ask(struct guests *guests, struct guest *guest,
                    const struct guest_sample *sample);
bool guest_user_can_ask(const struct guests *guests, const struct guest *guest,
                        const struct guest_sample *sample);
enum xenoprof_status guest_user_exchange(struct guests *guests,
                                         struct xenoprof_writer *writer,
                                         struct guest *guest);
/* Returns true if an answer is to come. */
bool guest_user_is_away(const struct user_names *names);
/* Returns the chain of such a sample, by what was answered; how a leaf that is
 * all has ended is the caller's to say. */
enum xenoprof_status guest_user_chain(struct guests *guests,
                                      struct xenoprof_writer *writer,
                                      struct guest *guest,
                                      const struct guest_sample *sample,
                                      struct guest_chain *ret);

/* The same of one address, which has a name once it is ready; answer is what
 * user_answers_find() returns of it now. */
enum guest_wait guest_user_code_wait(const struct user_names *names,
                                     const struct user_answer *answer);
bool guest_user_code_ask(struct user_names *names, const struct xen *xen,
                         const struct user_code *code, uint64_t time);
/* Returns its places: functions that were inlined there, innermost first, and
 * the one that these are in; as many of them as there is room for. */
enum xenoprof_status guest_user_code_places(
    struct guests *guests, struct xenoprof_writer *writer, struct guest *guest,
    const struct user_code *code, const struct user_answer *answer,
    uint32_t *ret, size_t room, size_t *count);
/* Returns true if walkers of the guest's processes worked more than they may.
 * dom0's may as long as they like. */
bool guest_user_is_spent(const struct guests *guests,
                         const struct guest *guest);
/* Takes what the agent has said by now. */
enum xenoprof_status user_names_take(struct guests *guests,
                                     struct xenoprof_writer *writer,
                                     struct guest *guest);
/* Asks what was inlined where that is wanted, as far as it can be asked now. */
void user_names_ask_inlines(struct user_names *names);

/* Returns true if answers are to come. */
bool user_stacks_are_away(const struct user_stacks *stacks);
/* Returns true if such a sample's callers can be found: then these are the same
 * for its stack (user-chain-state.h). */
bool user_stacks_want(const struct guests *guests, const struct guest *guest,
                      const struct guest_sample *sample);
/* Returns why there are no callers of processes now. */
enum xenoprof_ended user_stacks_lack(const struct guests *guests,
                                     const struct guest *guest);
/* Returns true if the walker knows what such a sample's process has mapped. */
bool user_stacks_know(const struct user_stacks *stacks,
                      const struct guest_sample *sample);
enum guest_wait user_stacks_wait(const struct user_stacks *stacks,
                                 const struct guest_sample *sample);
bool user_stacks_ask(struct guests *guests, struct guest *guest,
                     const struct guest_sample *sample);
bool user_stacks_can_ask(const struct user_stacks *stacks,
                         const struct guest_sample *sample);
enum xenoprof_status user_stacks_exchange(struct guests *guests,
                                          struct xenoprof_writer *writer,
                                          struct guest *guest);
/* Returns true and the chain if it was answered.  The sample will not come for
 * it again. */
bool user_stacks_take(struct user_stacks *stacks,
                      const struct guest_sample *sample,
                      struct guest_chain *ret);

#endif
