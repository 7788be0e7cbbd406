/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_LAB_TEST_KERNEL_HALTS_H
#define XENOPROF_LAB_TEST_KERNEL_HALTS_H

/*
 * As many times halts with an event pending, so that Xen, which looks whether
 * to have the vCPU wait, lets it go on at once.
 */
void halts(unsigned long rounds);

#endif /* XENOPROF_LAB_TEST_KERNEL_HALTS_H */
