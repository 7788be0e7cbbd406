/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processors that come and go, as a file says. */
#include "agent/online-cpus.h"

#include <stdio.h>
#include <unistd.h>

#include "tests/harness.h"

static char path[] = "/tmp/xenoprof-online-XXXXXX";
static struct online_cpus cpus;
static uint64_t now;

static void say(const char *text)
{
    FILE *file = fopen(path, "w");

    CHECK(file && fputs(text, file) >= 0 && !fclose(file));
}

static bool changed(void)
{
    now += ONLINE_PAUSE;
    return online_cpus_changed(&cpus, now);
}

TEST(processors_come_and_go)
{
    int fd = mkstemp(path);

    CHECK(fd >= 0);
    close(fd);
    say("0-1\n");
    online_cpus_open(&cpus, path, now);
    CHECK(!changed());
    say("0-2\n");
    CHECK(!online_cpus_changed(&cpus, now + ONLINE_PAUSE - 1)); /* not looked */
    CHECK(changed());
    CHECK(changed());
    say("0-1\n");
    CHECK(!changed());
    say("0\n");
    CHECK(changed());
    unlink(path);
    CHECK(!changed());
    online_cpus_open(&cpus, path, now); /* there is none */
    CHECK(!changed());
}

TEST(this_machine_s)
{
    online_cpus_open(&cpus, "/sys/devices/system/cpu/online", now);
    CHECK(!changed());
}
