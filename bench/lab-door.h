/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door, for programs that measure in the lab's dom0.  No daemon reads the
 * samples, so that only the guest's and Xen's work is measured; a ring of 1 MiB
 * for each vCPU must suffice.
 */
#ifndef XENOPROF_BENCH_LAB_DOOR_H
#define XENOPROF_BENCH_LAB_DOOR_H

/* Writes a command; ends the program if it is refused. */
void door(const char *line);

/* Samples of all rings so far. */
unsigned long door_made(void);

#endif /* XENOPROF_BENCH_LAB_DOOR_H */
