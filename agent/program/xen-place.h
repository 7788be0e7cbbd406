/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which machine of Xen's this is. */
#ifndef XENOPROF_AGENT_PROGRAM_XEN_PLACE_H
#define XENOPROF_AGENT_PROGRAM_XEN_PLACE_H

enum xen_place {
    XEN_NO_GUEST, /* without Xen, or dom0: nobody asks over a vchan */
    XEN_GUEST,
    XEN_UNKNOWN, /* it is on Xen, but xenstore does not say where: errno */
};

/* folder: /sys/hypervisor, or what a test has for it. */
enum xen_place xen_place_find(const char *folder);

#endif
