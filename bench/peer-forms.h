/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What bench/peers.c writes: the same samples in the form of each profiler.
 */
#ifndef XENOPROF_BENCH_PEER_FORMS_H
#define XENOPROF_BENCH_PEER_FORMS_H

#include "bench/growing-model.h"

#define PEERS_DOMAINS 3u
#define PEERS_PCPUS   2u
#define PEERS_PERIOD  1003009u /* ns, which is 997 Hz */

/* For perf, Xen and the kernel are one kernel, which begins with a symbol. */
#define PEERS_KERNEL_BEGIN  0xffff82d040000000ull
#define PEERS_KERNEL_SYMBOL "_text"

/* By number: Domain-0, ... */
extern const char *const peers_domains[PEERS_DOMAINS];

/* Each of them exits with a sentence if it cannot.  begin(), which makes the
 * file, and end() come once each. */
struct peers_form {
    const char *name;
    void (*begin)(const char *path);
    void (*sample)(const struct xenoprof_stored *sample,
                   const struct growing_stack *stack);
    void (*end)(void);
};

extern const struct peers_form peers_perf, peers_pprof;

/* Says why there is no file, and exits; what is NULL if errno says it. */
void peers_die(const char *path, const char *what) __attribute__((noreturn));

#endif
