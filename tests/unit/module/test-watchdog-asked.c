/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module/watchdog-asked.h"
#include "tests/harness.h"

TEST(watchdog_is_asked_for)
{
    CHECK(watchdog_asked("watchdog"));
    CHECK(watchdog_asked("console=com1 watchdog loglvl=all"));
    CHECK(watchdog_asked("watchdog=force"));
    CHECK(watchdog_asked("watchdog=1"));
    CHECK(watchdog_asked("watchdog=on  com1=115200"));
    CHECK(watchdog_asked("watchdog_timeout=10"));
    CHECK(watchdog_asked("no-watchdog watchdog"));
}

TEST(watchdog_is_not_asked_for)
{
    CHECK(!watchdog_asked(""));
    CHECK(!watchdog_asked("console=com1 loglvl=all"));
    CHECK(!watchdog_asked("watchdog=0"));
    CHECK(!watchdog_asked("watchdog=off"));
    CHECK(!watchdog_asked("watchdog=no loglvl=all"));
    CHECK(!watchdog_asked("watchdog=false"));
    CHECK(!watchdog_asked("watchdog=disable"));
    CHECK(!watchdog_asked("no-watchdog"));
    CHECK(!watchdog_asked("watchdog_timeout=0"));
    CHECK(!watchdog_asked("watchdog watchdog=off"));
}

/* Xen says so on its console, and leaves it as it was. */
TEST(words_that_xen_does_not_know)
{
    CHECK(!watchdog_asked("watchdogs"));
    CHECK(!watchdog_asked("watchdog=perhaps"));
    CHECK(!watchdog_asked("my-watchdog=1 xwatchdog"));
    CHECK(watchdog_asked("watchdog watchdog=perhaps"));
    CHECK(!watchdog_asked("watchdog=forced"));
    CHECK(!watchdog_asked("no-watchdog=1"));
}
