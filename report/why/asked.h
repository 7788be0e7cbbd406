/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the overview asks of stacks: why Xen ran (reasons.h), for which of a
 * guest's functions, and which of these spin (findings.h), and whose a leaf's
 * time is (leaf-thunks.h).  They and pruned-stacks.h agree on it: what they
 * come to ask beside that is to be said here.
 */
#ifndef XENOPROF_REPORT_WHY_ASKED_H
#define XENOPROF_REPORT_WHY_ASKED_H

#include "report/cells/pruned-stacks.h"

extern const struct prune_rules overview_asks;

#endif
