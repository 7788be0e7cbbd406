/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "status-kit.h"

TEST(status_from_an_answer)
{
    struct status status = status_of(status_answer);

    CHECK(status.has_session);
    CHECK_TEXT(status.session.by, "root (pid 5)");
    CHECK_EQ(status.session.since, 1000000000);
    CHECK_EQ(status.counters.made, 100);
    CHECK_EQ(status.lost_by_cause[XENOPROF_LOST_RING], 9);
    CHECK_EQ(status.rings.count, 2);
    CHECK_TEXT(status.rings.items[0].kind, "pcpu");
    CHECK_TEXT(status.rings.items[1].name, "web \"1\"");
    CHECK_TEXT(status.trouble, "the disk is full");
    CHECK_EQ(status.daemon.pid, 77);
    CHECK_TEXT(status.state, "running");
    CHECK_EQ(status.waiting.samples, 10);
    CHECK_EQ(status.waiting.bytes, 2560);
    CHECK_EQ(status.waiting.guests, 1);
    CHECK_EQ(status.chains.count, 1);
    CHECK_EQ(status.chains.items[0].ended[XENOPROF_ENDED_PAGE], 1);
    status_free(&status);
}

/* The module has stopped; the daemon has not. */
TEST(status_of_a_session_that_is_stopping)
{
    struct status status = status_of("session name=current state=stopping\n"
                                     "waiting state=stopping samples=5 "
                                     "bytes=9 guests=2 left=3\n");

    CHECK_TEXT(status.state, "stopping");
    CHECK_EQ(status.waiting.samples, 5);
    CHECK_EQ(status.waiting.left, 3);
    status_free(&status);
}

TEST(status_of_nonsense_is_nothing)
{
    struct status status = status_of("ring\nsession\ncounters made=x\n"
                                     "lost cause=nobody count=5\n\n");

    CHECK_EQ(status.counters.made, 0);
    CHECK_EQ(status.rings.count, 1);
    CHECK_EQ(status.rings.items[0].made, 0);
    status_free(&status);
}
