/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running hypervisor: is there one, which build is it, what is its code.
 */
#ifndef XENOPROF_MODULE_RUNNING_XEN_H
#define XENOPROF_MODULE_RUNNING_XEN_H

#include <xenctrl.h>

#include "assemble.h"
#include "xen-image.h"

enum xen_lack {
    XEN_FINE,
    XEN_NONE,
    XEN_NOT_DOM0,
    XEN_NOT_ROOT,
    XEN_NO_PRIVCMD,
    XEN_NO_BUILD_ID
};

/* Is this dom0 of a Xen host, and are we root on it? */
enum xen_lack running_xen_look(void);
/* One sentence, with the remedy. */
const char *xen_lack_text(enum xen_lack lack);

/* Build-id of the running hypervisor; false if it has none. */
bool running_xen_build_id(xc_interface *xc, struct build_id *ret);
void build_id_text(const struct build_id *id,
                   char text[2 * XEN_IMAGE_BUILD_ID_MAX + 1]);

/* Xen's own symbol table as text, malloc'ed; NULL and errno on failure. */
char *running_xen_symbols(size_t *size);

/*
 * What the probe (already loaded) shows of the code; both malloc'ed.  Read
 * until two readings agree: hypfs may answer for another node.  0 or -errno.
 */
int running_xen_read_code(uint8_t **text, size_t *text_size, uint8_t **rodata,
                          size_t *rodata_size);

/* hypfs is there. */
bool running_xen_has_hypfs(void);

/* True if NAME is a directory at hypfs' root. */
bool running_xen_has_door(const char *name);

/* The last line on Xen's console that has words in it; "" if none. */
void running_xen_console_line(xc_interface *xc, const char *words, char *line,
                              size_t size);

#endif
