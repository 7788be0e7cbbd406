/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where Xen goes on when an AMD guest's run ends.
 *
 * Xen runs such a guest with all interrupts held back, NMIs too, and allows
 * them again by one STGI.  An NMI that ended the run is taken at the very next
 * instruction, so its address tells it from an NMI that interrupts Xen.  That
 * instruction has a label, svm_stgi_label, up to 4.21.
 */
#ifndef XENOPROF_MODULE_GUEST_EXIT_H
#define XENOPROF_MODULE_GUEST_EXIT_H

#include "xen-image.h"

/* Returns the address behind the one STGI of svm_asm_do_resume(); 0 if the
 * image lacks that function, its code, or the instruction, or if there are
 * several. */
uint64_t guest_exit_find(const struct xen_image *image);

/* Returns whether an address lies in svm_asm_do_resume(); the image needs no
 * code for that. */
bool guest_exit_may_be(const struct xen_image *image, uint64_t address);

#endif /* XENOPROF_MODULE_GUEST_EXIT_H */
