/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent may do once it works. */
#ifndef XENOPROF_AGENT_PROGRAM_AGENT_RIGHTS_H
#define XENOPROF_AGENT_PROGRAM_AGENT_RIGHTS_H

#include <sys/types.h>

#include "base/failure.h"

/*
 * From now on this process is that user, in that group, and may read what
 * belongs to others: CAP_SYS_PTRACE for what processes have mapped,
 * CAP_DAC_READ_SEARCH for their files.  It has no other capability, and no way
 * to get one; it leaves no core, and writes no file; and a system call that is
 * not on its list, such as to start a program, ends it.  To the descriptor
 * store it writes nothing any more (-1: there is none).
 * Returns 0, or STATUS_FAILED with a sentence.
 */
int agent_rights_drop(uid_t user, gid_t group, int store,
                      struct failure *failure);

#endif
