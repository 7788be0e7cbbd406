/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of a passive guest's user code by its page cache (questions.h). */
#ifndef XENOPROF_DAEMON_GUESTS_GUEST_CACHED_H
#define XENOPROF_DAEMON_GUESTS_GUEST_CACHED_H

#include "guests.h"

/* Returns true if a sample's name is looked for in cached files: what follows
 * is of such samples. */
bool guest_cached_is(const struct guest *guest,
                     const struct guest_sample *sample);
/* The same as guests_wait_for(), guests_ask() and guests_can_ask(). */
enum guest_wait guest_cached_wait(const struct guests *guests,
                                  const struct guest *guest,
                                  const struct guest_sample *sample);
bool guest_cached_ask(struct guests *guests, struct guest *guest,
                      const struct guest_sample *sample);
bool guest_cached_can_ask(const struct guest *guest);
/* Returns true if an answer is to come. */
bool guest_cached_is_away(const struct guest *guest);
/* Finds the place of such a sample, by what was found so far. */
enum xenoprof_status guest_cached_leaf(struct guests *guests,
                                       struct xenoprof_writer *writer,
                                       struct guest *guest,
                                       const struct guest_sample *sample,
                                       uint32_t *ret);

#endif
