/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "life-kit.h"

struct kit_read life_read;

void life_begin(const char *options)
{
    memset(&life_read, 0, sizeof(life_read));
    process_reset(2);
    process_set_current(0, 0, 0);
    process_set_current(1, 5, 1);
    CHECK_EQ(kit_command("reserve sampler=nmi mask=3 queue=0 %s", options), 0);
    kit_done("domain id=0 vcpus=2 uuid=" KIT_UUID_0 " kind=passive");
    kit_done("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
}

void life_run(uint64_t milliseconds)
{
    process_run_until(process_now() + milliseconds * KIT_MILLISECOND);
}
