/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time that passes when a test says so, beside what passes by itself: processes
 * are real, and need some.  Another process's CPU time is multiplied once it is
 * more than 100 ms.
 */
#ifndef XENOPROF_TESTS_UNIT_DAEMON_GUESTS_CLOCK_KIT_H
#define XENOPROF_TESTS_UNIT_DAEMON_GUESTS_CLOCK_KIT_H

#include <stdint.h>

/* The clocks of this process are ahead by so much more, but for those of CPU
 * time. */
void clock_kit_skip(uint64_t ns);

#endif
