/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a request to a parser process stands. */
#ifndef XENOPROF_CAGE_LINK_STATUS_H
#define XENOPROF_CAGE_LINK_STATUS_H

enum link_status {
    LINK_OK,
    LINK_MORE, /* it goes on: ask again */
    LINK_DIED, /* the process was killed over this request, or crashed: its
                  guest is to blame, and nobody else */
    LINK_NONE  /* there is no process, and none may be made now: nobody is to
                  blame; try later */
};

#endif
