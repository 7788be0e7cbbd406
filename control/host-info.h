/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of the machine and of its Xen; "" is what is not.
 */
#ifndef XENOPROF_CONTROL_HOST_INFO_H
#define XENOPROF_CONTROL_HOST_INFO_H

#include <xenctrl.h>

struct host_info {
    char host[256];
    char kernel[256];
    char xen_version[64];
    char xen_build_id[256];
    char boot[64]; /* another one after each boot of dom0 */
};

void host_info_read(xc_interface *xc, struct host_info *ret);

#endif
