/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

uint64_t host_time(const struct host *host)
{
    struct idle_times times;

    return host->table->read_idle(host->self, &times) ? 0 : times.now;
}
