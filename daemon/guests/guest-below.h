/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chains of a process behind that of its guest's kernel. */
#ifndef XENOPROF_DAEMON_GUESTS_GUEST_BELOW_H
#define XENOPROF_DAEMON_GUESTS_GUEST_BELOW_H

#include "guests.h"

/* The process that had entered a kernel: as a sample of it, which has the tag
 * of the kernel's.  What it points to is beside it: it cannot be copied. */
struct guest_below {
    struct guest_sample sample;
    struct xenoprof_registers registers;
};

/* Returns true and the process of a kernel's sample; false if there is none, or
 * its registers are not in the windows. */
bool guest_below_get(const struct guest_sample *kernel,
                     struct guest_below *ret);
/* The same as guests_wait_for() and so on, for the process of a kernel's
 * sample: if there is none whose callers can be found, or not in time, all is
 * ready, and nothing is asked. */
enum guest_wait guest_below_wait(const struct guests *guests,
                                 const struct guest *guest,
                                 const struct guest_sample *kernel);
bool guest_below_ask(struct guests *guests, struct guest *guest,
                     const struct guest_sample *kernel);
bool guest_below_can_ask(const struct guests *guests, const struct guest *guest,
                         const struct guest_sample *kernel);
bool guest_below_walks(const struct guest *guest,
                       const struct guest_sample *kernel);

#endif
