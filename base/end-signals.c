/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "end-signals.h"

#include <signal.h>
#include <sys/signalfd.h>

int end_signals_open(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}
