/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who a process is, when it is gone, and what it worked. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "cage/process-link.h"
#include "cage/process-words.h"
#include "process-kit.h"
#include "tests/harness.h"

static const struct process_order search = {.kind = PROCESS_SEARCH};
static struct played_process played;
static struct process_link link_now;

static void begin_played(void)
{
    const struct process_maker maker = played_maker(&played);

    CHECK(process_link_begin(&link_now, &maker, &search));
}

static enum link_status receive(size_t *size)
{
    char bytes[16];

    *size = sizeof(bytes);
    return process_link_receive(&link_now, bytes, size);
}

TEST(a_process_says_that_it_is_ready)
{
    size_t size;

    begin_played();
    CHECK_EQ(receive(&size), LINK_MORE);
    CHECK_EQ(process_link_cpu(&link_now), 0);
    played_say_ready(&played);
    CHECK_EQ(receive(&size), LINK_MORE);
    CHECK(link_now.ready);
    played_say(&played, "twelve bytes", 12);
    CHECK_EQ(receive(&size), LINK_OK);
    CHECK_EQ(size, 12);
    CHECK(process_link_send(&link_now, "order", 5));
    CHECK_EQ(played_hear(&played, (char[16]){0}, 16), 5);
    process_link_end(&link_now);
    process_link_end(&link_now);
    CHECK_EQ(played.ended, 1);
}

TEST(the_clock_is_the_process_own)
{
    size_t size;

    begin_played();
    played_say_ready(&played);
    CHECK_EQ(receive(&size), LINK_MORE);
    /* The process that plays is this one. */
    CHECK(process_link_cpu(&link_now) > 0);
    CHECK(process_link_cpu(&link_now) <= clock_read(CLOCK_PROCESS_CPUTIME_ID));
    process_link_end(&link_now);
    CHECK(process_link_cpu(&link_now) > 0);
}

TEST(who_never_began_is_not_to_blame)
{
    size_t size;

    begin_played();
    played_leave(&played);
    CHECK_EQ(receive(&size), LINK_NONE);
    process_link_end(&link_now);
    begin_played();
    played_say(&played, "not that word", 8);
    CHECK_EQ(receive(&size), LINK_NONE);
    process_link_end(&link_now);
}

TEST(who_began_and_left_is)
{
    size_t size;

    begin_played();
    played_say_ready(&played);
    CHECK_EQ(receive(&size), LINK_MORE);
    played_leave(&played);
    CHECK_EQ(receive(&size), LINK_DIED);
    CHECK(!process_link_send(&link_now, "order", 5));
    process_link_end(&link_now);
}

/* It was ready, though it never looked at what it was sent. */
TEST(who_left_without_reading_is)
{
    size_t size;

    begin_played();
    CHECK(process_link_send(&link_now, "order", 5));
    played_say_ready(&played);
    played_leave(&played);
    CHECK_EQ(receive(&size), LINK_DIED);
    process_link_end(&link_now);
}

TEST(a_long_packet_is_a_lie)
{
    size_t size;

    begin_played();
    played_say_ready(&played);
    played_say(&played, "more bytes than were asked for", 30);
    CHECK_EQ(receive(&size), LINK_DIED);
    process_link_end(&link_now);
}

TEST(no_process_can_be_made)
{
    const struct process_maker maker = played_maker(&played);

    played.refuses = true;
    CHECK(!process_link_begin(&link_now, &maker, &search));
}

static void say_ready_and_burn(const struct process_order *order, int socket)
{
    const uint64_t word = WORD_READY;
    uint64_t until = clock_read(CLOCK_PROCESS_CPUTIME_ID) + 5000000;

    (void)order;
    if ( write(socket, &word, sizeof(word)) < 0 )
        return;
    while ( clock_read(CLOCK_PROCESS_CPUTIME_ID) < until )
        continue;
}

/* A process that crashed is still there until it is ended, and nobody has its
 * pid. */
TEST(the_clock_stays_after_death)
{
    struct forked_processes forked = {.act = say_ready_and_burn};
    const struct process_maker maker = forking_maker(&forked);
    size_t size;

    CHECK(process_link_begin(&link_now, &maker, &search));
    while ( receive(&size) == LINK_MORE )
        continue;
    CHECK_EQ(receive(&size), LINK_DIED);
    CHECK(process_link_cpu(&link_now) >= 5000000);
    process_link_end(&link_now);
    CHECK(process_link_cpu(&link_now) >= 5000000);
    CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1);
}
