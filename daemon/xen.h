/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen as the daemon needs it: the one that runs (xen-real.c), or what a test
 * puts in its place.
 */
#ifndef XENOPROF_DAEMON_XEN_H
#define XENOPROF_DAEMON_XEN_H

#include "libxenoprof.h"
#include "control/domain-list.h"
#include "control/door-client.h"
#include "base/failure.h"
#include "control/number-set.h"

/* Xen's clock, and how long each pCPU has been idle since Xen's boot. */
struct idle_times {
    uint64_t now; /* Xen's system time, ns */
    struct number_set known;
    uint64_t idle[NUMBER_SET_MAX]; /* of the pCPUs in known */
};

/* What is known of the machine and of its Xen. */
struct host_info {
    char host[256];
    char kernel[256];
    char xen_version[64];
    char xen_build_id[256];
    char boot[64]; /* another one after each boot of dom0 */
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
};

struct process_maker;

struct xen {
    const struct xen_calls *calls;
    void *self;
    const struct process_maker *maker; /* NULL: guests' kernels are not
                                          known */
    bool keeper_gone;                  /* no process can be made any more */
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

#endif
