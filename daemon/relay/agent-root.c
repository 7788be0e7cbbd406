/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent-root.h"

#include "process-caller.h"

static const char *why_no_root_agent(void)
{
    return "its guest root cannot be entered: is it still mounted?";
}

bool agent_root_caller(const struct process_maker *maker, int folder,
                       struct agent_caller *ret)
{
    static const struct process_caller_sort sort = {
        .why_nobody = why_no_root_agent,
        .nobody = "the process that reads its guest root has ended",
        .may_follow_us = true};
    const struct process_order order = {PROCESS_ROOT, 1, {folder}};

    return process_caller_open(maker, &sort, &order, NULL, 0, ret);
}
