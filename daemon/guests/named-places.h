/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places of a guest's user code that others have named: each is made once in a
 * file of the session, by what it is called, and within the guest's share.
 */
#ifndef XENOPROF_DAEMON_GUESTS_NAMED_PLACES_H
#define XENOPROF_DAEMON_GUESTS_NAMED_PLACES_H

#include "guests.h"

/* Takes no memory yet. */
void named_places_init(struct table *places);

/* Finds or makes the place that is called so, of which domain is not looked at.
 * A guest that has had its share has one place for all that is new. */
enum xenoprof_status named_place(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 const struct guest *guest,
                                 struct table *places,
                                 const struct xenoprof_place *place,
                                 uint32_t *ret);

#endif
