/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent-root.h"

#include <limits.h>
#include <string.h>

#include "process-caller.h"

static const char *why_nobody(void)
{
    return "its guest root cannot be entered: is it still mounted?";
}

bool agent_root_caller(const struct process_maker *maker, const char *path,
                       struct agent_caller *ret)
{
    static const struct process_caller_sort sort = {
        .kind = PROCESS_ROOT,
        .why_nobody = why_nobody,
        .nobody = "the process that reads its guest root has ended",
        .may_be_told = true};
    const size_t size = strlen(path) + 1;

    return size <= PATH_MAX &&
           process_caller_open(maker, &sort, path, size, ret);
}
