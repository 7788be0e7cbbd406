/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call chain of a sample, as places of the session.
 */
#ifndef DAEMON_STACKS_H
#define DAEMON_STACKS_H

#include "places.h"

/*
 * Sets place and stack of what is to be stored of this sample.  A chain of one
 * frame is its place alone.  The place of a caller is that of the last byte of
 * its call: what a call returns to may be another function.
 */
enum xenoprof_code stacks_store(struct places *places,
                                struct xenoprof_writer *writer,
                                const struct xenoprof_view *view,
                                struct xenoprof_stored *stored);

#endif
