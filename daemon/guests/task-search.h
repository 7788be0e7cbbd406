/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A search that reads something of some tasks of a guest whose kernel is known,
 * while the guest runs.  What it takes, the daemon's part too, is the guest's
 * to spend, and all searches of one sort are a small share of the time.
 */
#ifndef XENOPROF_DAEMON_GUESTS_TASK_SEARCH_H
#define XENOPROF_DAEMON_GUESTS_TASK_SEARCH_H

#include "guests.h"

struct task_search;

/* Returns true if such a search of this guest may begin. */
bool task_search_may_begin(struct guests *guests, const struct guest *guest);
/* Of order, kind, budget, count and what is asked for are the caller's to say.
 * Returns NULL if the guest's memory cannot be read now, or no process can be
 * made. */
struct task_search *task_search_begin(struct guests *guests,
                                      const struct guest *guest,
                                      const struct search_order *order);
/* As search_work(). */
enum link_status task_search_work(struct task_search *search, uint64_t ns);
const struct search_result *task_search_result(
    const struct task_search *search);
/* Returns the ns until the next one of this sort may begin, so that all of them
 * are 5 % of the time at most, also where processors are slow. */
uint64_t task_search_end(struct guests *guests, const struct guest *guest,
                         struct task_search *search);

/* Returns the next guest that may begin a search of this sort, of which there
 * may be so many at a time; or NULL.  It is the last one from then on: none
 * keeps another one waiting for longer than the others' searches take. */
struct guest *task_searches_turn(
    struct guests *guests, struct task_searches *searches, unsigned int most,
    bool (*may_begin)(struct guests *guests, const struct guest *guest));

#endif
