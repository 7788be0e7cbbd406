/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

uint64_t host_time(const struct host *host)
{
    struct xenoprof_door_state state;

    return door_client_state(&host->door, &state) ? 0 : state.time;
}
