/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Has Xen read who runs in a guest whose kernel is known, by a fetch list. */
#include "guests.h"

/* A kernel may have more processors than the domain, which Xen refuses.
 * Returns whether Xen took the list: it may have no memory for it. */
static bool send_list(const struct guests *guests, struct guest *guest,
                      struct xenoprof_fetch list)
{
    if ( list.vcpus > guest->vcpus )
        list.vcpus = guest->vcpus;
    /* Each list has another number than the one before: a sample says of which
     * it is. */
    list.list = guest->tasks.number % XENOPROF_FETCH_LISTS + 1;
    guest->tasks.number = list.list;
    if ( guest->tasks.labels == LABELS_PID )
        task_list_leave_name(&list);
    return !door_client_fetch(&guests->xen->door, guest->domain, &list);
}

/* A list that Xen has stays: processors do not move, and a later look may meet
 * a process whose name looks like no name. */
void guest_tasks_take(const struct guests *guests, struct guest *guest,
                      const struct task_list *found)
{
    if ( !found )
        return;
    guest->origins.wanted = found->origins && guest->tasks.labels == LABELS_ALL;
    guest->tasks.mapped = found->mapped;
    /* dom0 has an agent of its own; names are words that a guest chose. */
    guest->cached.wanted = found->cached && guest->domain &&
                           guest->tasks.labels >= LABELS_COMM;
    if ( guest->tasks.labels == LABELS_NONE )
        guest->tasks.status = TASK_LIST_UNWANTED;
    else if ( found->status == TASK_LIST_KNOWN &&
              send_list(guests, guest, found->fetch) )
    {
        guest->tasks.status = TASK_LIST_KNOWN;
        guest->tasks.vcpus = found->vcpus;
        guest->tasks.sent = true;
    }
    else if ( !guest->tasks.sent )
        guest->tasks.status = found->status == TASK_LIST_KNOWN
                                  ? TASK_LIST_REFUSED
                                  : found->status;
}

void guest_tasks_drop(const struct guests *guests, struct guest *guest)
{
    if ( guest->tasks.sent )
        door_client_fetch(&guests->xen->door, guest->domain, NULL);
    guest->tasks.sent = false;
}

bool guest_tasks_may_come(const struct guest *guest)
{
    uint32_t most = guest->vcpus < XENOPROF_FETCH_VCPUS ? guest->vcpus
                                                        : XENOPROF_FETCH_VCPUS;

    switch ( guest->tasks.status )
    {
    case TASK_LIST_REFUSED:
    case TASK_LIST_EARLY:
    case TASK_LIST_NO_TASK: return true;
    case TASK_LIST_KNOWN: return guest->tasks.vcpus < most;
    default: return false;
    }
}
