/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "child-kit.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/harness.h"

pid_t kit_start_child(void (*work)(void))
{
    pid_t child = fork();

    if ( !child )
    {
        /* Should this test fail: who reads its output waits for its end. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        work();
    }
    CHECK(child > 0);
    return child;
}

void kit_end_child(pid_t child)
{
    CHECK(!kill(child, SIGKILL));
    CHECK_EQ(waitpid(child, NULL, 0), child);
}
