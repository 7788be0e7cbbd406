/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host as the daemon needs it: Xen, or what stands for it in a test.
 *
 * To add a host: a file host-NAME.c that fills the table, and who calls its
 * open function.
 */
#ifndef XENOPROF_DAEMON_HOST_H
#define XENOPROF_DAEMON_HOST_H

#include "daemon/parser/parser-maker.h"
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

struct host_info {
    char host[256];
    char kernel[256];
    char xen_version[64];
    char xen_build_id[256];
    char boot[64]; /* another one after each boot of dom0 */
};

enum symbol_source { SYMBOLS_XEN, SYMBOLS_DOM0 };

struct host_table {
    /* Rings of the session whose status page has this frame number. */
    enum xenoprof_status (*open_source)(void *self,
                                        struct xenoprof_handle *handle,
                                        uint64_t status_mfn,
                                        struct xenoprof_source **ret);
    /* 0 or a negative errno; free with domain_list_free(). */
    int (*list_domains)(void *self, struct domain_list *ret);
    /* 0 or a negative errno; -ENOENT: no such pool. */
    int (*pool_pcpus)(void *self, const char *pool, struct number_set *ret);
    /* 0 or a negative errno. */
    int (*read_idle)(void *self, struct idle_times *ret);
    /* The symbols' text as it is now, malloc'ed; NULL if there is none. */
    char *(*read_symbols)(void *self, enum symbol_source source, size_t *size);
    /* Another number when dom0's kernel has other modules; 0: it cannot be
     * told. */
    uint64_t (*modules)(void *self);
    /* Copies of whole pages of a domain's memory by frame number (of a PV
     * domain: machine frames), up to the first that cannot be read; how many
     * there are. */
    size_t (*read_frames)(void *self, uint16_t domain, const uint64_t *frames,
                          size_t count, void *to);
    /* Livepatches that are applied beside our module, as payload-list.h has
     * them.  0 or a negative errno. */
    int (*list_payloads)(void *self, char *text, size_t size);
};

struct host {
    const struct host_table *table;
    void *self;
    const struct parser_maker *maker; /* NULL: guests' kernels are not known */
    struct door_client door;
    struct host_info facts;
};

/* Xen's system time in ns; 0 if it cannot be told. */
uint64_t host_time(const struct host *host);

#endif
