/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether Xen's command line asks for its NMI watchdog: --check wants to know
 * before the module, which sees the watchdog itself, is there.
 */
#ifndef XENOPROF_MODULE_WATCHDOG_ASKED_H
#define XENOPROF_MODULE_WATCHDOG_ASKED_H

#include <stdbool.h>

/*
 * Returns whether the last option on the line that says so wants it: watchdog,
 * watchdog=force or with a boolean as Xen spells them, no-watchdog,
 * watchdog_timeout=SECONDS.  That turns it on, too, or off by 0: Xen commit
 * d4faf5a948 ("NMI: Command line parameter for watchdog timeout") (4.2).
 */
bool watchdog_asked(const char *line);

#endif
