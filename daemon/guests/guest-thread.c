/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "guest/task-list.h"
#include "guest-thread.h"

struct xenoprof_thread guest_thread(const struct xenoprof_task *task)
{
    struct xenoprof_thread thread = {.start = 0};
    struct guest_task from;

    if ( !task || !task_decode(task, &from) )
        return thread;
    thread.start = from.start;
    thread.pid = from.pid;
    thread.tid = from.tid;
    if ( *from.comm )
        memcpy(thread.comm, from.comm, sizeof(thread.comm));
    else
        strcpy(thread.comm, XENOPROF_THREAD_UNREAD);
    return thread;
}
