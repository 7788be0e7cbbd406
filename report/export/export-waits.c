/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export-waits.h"

static uint64_t running(const struct vcpu_times *times)
{
    return times->running;
}

static uint64_t asleep(const struct vcpu_times *times)
{
    return times->blocked + times->device + times->paused;
}

const struct export_wait_kind export_wait_kinds[EXPORT_WAIT_KINDS] = {
    {"running", "ms that its vCPUs ran", running},
    {"waiting", "ms that its vCPUs waited for a pCPU", waits_ready},
    {"blocked", "ms that its vCPUs had nothing to do", asleep},
};
