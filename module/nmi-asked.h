/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Xen does about an NMI that nobody claims: a word of its command line, of
 * which it looks at the first letter; or the build's own default. */
#ifndef XENOPROF_MODULE_NMI_ASKED_H
#define XENOPROF_MODULE_NMI_ASKED_H

#include "answer.h"

/* Returns the letter that the command line asks for, or 0 if it has none. */
char nmi_asked(const char *line);

/* Answers what it means: 'd' lets dom0 know, 'i' ignores it, all else stops the
 * host. */
void nmi_answer(char letter, struct answer *answer);

#endif
