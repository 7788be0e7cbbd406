/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen as the daemon needs it: the one that runs (xen-real.c), or what a test
 * puts in its place.
 */
#ifndef XENOPROF_DAEMON_XEN_H
#define XENOPROF_DAEMON_XEN_H

#include <sys/epoll.h>

#include "libxenoprof.h"
#include "control/domain-list.h"
#include "control/door-client.h"
#include "control/host-info.h"
#include "control/vcpu-kernel.h"
#include "base/failure.h"
#include "control/number-set.h"

/* Xen's clock, and how long each pCPU has been idle since Xen's boot. */
struct idle_times {
    uint64_t now; /* Xen's system time, ns */
    struct number_set known;
    uint64_t idle[NUMBER_SET_MAX]; /* of the pCPUs in known */
};

enum symbol_source { SYMBOLS_XEN, SYMBOLS_DOM0 };

struct xen_calls {
    /* Opens the rings of the session whose status page has this frame
     * number. */
    enum xenoprof_status (*open_source)(void *self,
                                        struct xenoprof_handle *handle,
                                        uint64_t status_mfn,
                                        struct xenoprof_source **ret);
    /* Returns 0 or a negative errno.  Free with domain_list_free(). */
    int (*list_domains)(void *self, struct domain_list *ret);
    /* Returns 0, or a negative errno: -ENOENT if there is no such pool. */
    int (*pool_pcpus)(void *self, const char *pool, struct number_set *ret);
    /* Returns 0 or a negative errno. */
    int (*read_idle)(void *self, struct idle_times *ret);
    /* Returns the symbols' text as it is now, malloc'ed, or NULL if there is
     * none. */
    char *(*read_symbols)(void *self, enum symbol_source source, size_t *size);
    /* Returns a number that changes with the kernel modules of dom0's kernel,
     * or 0 if they are not known. */
    uint64_t (*kmods)(void *self);
    /* Copies whole pages of a domain's memory by frame number (machine frames
     * for a PV domain).  Returns how many were copied before the first that
     * cannot be read. */
    size_t (*read_frames)(void *self, uint16_t domain, const uint64_t *frames,
                          size_t count, void *to);
    /* Lists the livepatches that are applied beside our module, in the form
     * of payload-list.h.  Returns 0 or a negative errno. */
    int (*list_payloads)(void *self, char *text, size_t size);
    /* Returns how many bytes of the host's memory are free, or UINT64_MAX if
     * that is not known. */
    uint64_t (*memory_free)(void *self);
    /* Returns 0, or a negative errno if that cannot be said now. */
    int (*vcpu_kernel)(void *self, const struct listed_domain *domain,
                       uint32_t vcpu, struct vcpu_kernel *ret);
    /* Returns how long dom0's vCPUs have run in all, ns, or 0 if that is not
     * known. */
    uint64_t (*dom0_ran)(void *self);
};

struct process_maker;
struct trace_event;

/* Xen's trace buffers.  Statuses are of programs. */
struct xen_tracing {
    /* Begins to trace changes of vCPUs' states, and exits if asked for; *khz is
     * the rate of the records' time stamps.  again: an earlier daemon may have
     * begun. */
    int (*begin)(void *self, bool exits, bool again, uint32_t *khz,
                 struct failure *failure);
    /* Calls take for all records that there are.  Returns 0, what take
     * returned, or STATUS_BUSY if somebody else reads them, too. */
    int (*read)(void *self,
                int (*take)(void *to, const struct trace_event *event),
                void *to, struct failure *failure);
    void (*end)(void *self);
};

struct xen {
    const struct xen_calls *calls;
    void *self;
    const struct xen_tracing *tracing;  /* NULL: there is none */
    const struct process_maker *maker;  /* NULL: guests' kernels are not
                                          known */
    const struct process_maker *relays; /* NULL: agents of guests are out of
                                           reach */
    /* No process can be made any more: of maker, of relays. */
    bool keeper_gone, porter_gone;
    int processes; /* epoll descriptor that the daemon's loop waits for: what
                      parser processes say; 0: none */
    struct door_client door;
    struct host_info info;
};

/* Returns Xen's system time in ns, or 0 if the module does not answer. */
static inline uint64_t xen_time(const struct xen *xen)
{
    struct xenoprof_door_state state;

    return door_client_state(&xen->door, &state) ? 0 : state.time;
}

/* Returns true and what Xen says of the domain, false if it is gone. */
static inline bool xen_find_domain(const struct xen *xen, uint16_t id,
                                   struct listed_domain *ret)
{
    struct domain_list list;
    const struct listed_domain *found;

    if ( xen->calls->list_domains(xen->self, &list) )
        return false;
    found = domain_list_find(&list, id);
    if ( found )
        *ret = *found;
    domain_list_free(&list);
    return found;
}

/* Has the daemon's loop wait for this descriptor of a process. */
static inline void xen_watch(const struct xen *xen, int fd)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};

    /* Without it the process is looked at in each round all the same. */
    if ( xen->processes > 0 && fd >= 0 )
        epoll_ctl(xen->processes, EPOLL_CTL_ADD, fd, &event);
}

#endif
