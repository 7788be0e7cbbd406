/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A step takes some milliseconds, since who asks waits for it. */
#include "space-sweep.h"

#include "proc-spaces.h"

/* Of a history that has room for no more, and of processes, of which there are
 * as many then. */
#define PARTS_IN_A_STEP     256u
#define PROCESSES_IN_A_STEP 64u

static bool is_sweeping(const struct space_sweep *sweep)
{
    return sweep->left || sweep->proc;
}

static void end_some(struct space_sweep *sweep, struct space_history *history,
                     uint64_t now)
{
    for ( unsigned int i = 0; sweep->left && i < PARTS_IN_A_STEP; i++ )
        space_history_end_gone(history, --sweep->left, proc_space_ended, now);
    if ( sweep->left || sweep->ends_only )
        return;
    sweep->proc = opendir("/proc");
    if ( !sweep->proc )
        sweep->left = 1; /* there is no descriptor now */
}

static void read_some_processes(struct space_sweep *sweep,
                                struct space_history *history,
                                uint64_t (*now)(void))
{
    for ( unsigned int i = 0; i < PROCESSES_IN_A_STEP; i++ )
    {
        int32_t tgid = proc_spaces_next(sweep->proc);

        if ( tgid )
        {
            proc_space_add(history, tgid, now());
            continue;
        }
        closedir(sweep->proc);
        sweep->proc = NULL;
        return;
    }
}

void space_sweep_work(struct space_sweep *sweep, struct space_history *history,
                      uint64_t missed, uint64_t (*now)(void))
{
    uint64_t time = now();

    if ( time < sweep->next )
        return;
    if ( !is_sweeping(sweep) )
    {
        /* Begins one if something was missed since the last one did. */
        if ( missed == sweep->missed ||
             (sweep->began && time - sweep->began < SWEEP_PAUSE) )
            return;
        sweep->missed = missed;
        sweep->began = time;
        sweep->left = PAST_PARTS;
    }
    sweep->next = time + SWEEP_STEP;
    if ( sweep->left )
        end_some(sweep, history, time);
    else
        read_some_processes(sweep, history, now);
}
