/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many processes, each made and killed alone; and a keeper that goes. */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cage/keeper.h"
#include "cage/process-link.h"
#include "cage/process-words.h"
#include "tests/harness.h"

#define PROCESSES 40u

static struct keeper keeper;
static struct process_maker maker;

/* Says that it is ready, then what it is told, and its first file's bytes. */
static void echo(const struct process_order *order, int socket)
{
    char bytes[64] = "";
    uint64_t word = WORD_READY;
    ssize_t got = 1;

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* as sandbox_enter() does */
    if ( write(socket, &word, sizeof(word)) < 0 )
        return;
    while ( got > 0 )
    {
        got = read(socket, bytes, 8);
        if ( got > 0 && order->count )
            got += read(order->files[0], bytes + got, 8);
        if ( got > 0 && write(socket, bytes, (size_t)got) < 0 )
            return;
    }
}

static void start(process_act act)
{
    struct failure failure;

    keeper_stop(&keeper);
    if ( keeper_start(&keeper, NULL, act, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    maker = keeper_maker(&keeper);
}

static enum link_status await(struct process_link *link, void *to, size_t *size)
{
    struct pollfd ready = {.fd = link->socket, .events = POLLIN};
    enum link_status status;

    do
    {
        poll(&ready, 1, -1);
        status = process_link_receive(link, to, size);
    } while ( status == LINK_MORE );
    return status;
}

static void check_echo(struct process_link *link, const char *word)
{
    char bytes[64] = "";
    size_t size = sizeof(bytes);

    CHECK(process_link_send(link, word, strlen(word)));
    CHECK_EQ(await(link, bytes, &size), LINK_OK);
    CHECK_TEXT(bytes, word);
}

TEST(the_end_of_one_is_no_other_s)
{
    static const struct process_order order = {.kind = PROCESS_WALKER};
    static struct process_link links[PROCESSES];
    char word[8];

    start(echo);
    for ( unsigned int i = 0; i < PROCESSES; i++ )
        CHECK(process_link_begin(&links[i], &maker, &order));
    for ( unsigned int i = 0; i < PROCESSES; i += 2 )
        process_link_end(&links[i]);
    for ( unsigned int i = 1; i < PROCESSES; i += 2 )
    {
        snprintf(word, sizeof(word), "no. %u", i);
        check_echo(&links[i], word);
        process_link_end(&links[i]);
    }
    CHECK(keeper_is_there(&keeper));
}

TEST(a_process_has_the_files_of_its_order)
{
    struct process_order order = {.kind = PROCESS_SEARCH_FILE, .count = 1};
    struct process_link link;
    char bytes[64] = "";
    size_t size = sizeof(bytes);

    start(echo);
    order.files[0] = memfd_create("test", MFD_CLOEXEC);
    CHECK_EQ(pwrite(order.files[0], "its file", 8, 0), 8);
    CHECK(process_link_begin(&link, &maker, &order));
    close(order.files[0]);
    CHECK(process_link_send(&link, "go: ", 4));
    CHECK_EQ(await(&link, bytes, &size), LINK_OK);
    CHECK_TEXT(bytes, "go: its file");
    process_link_end(&link);
}

static void crash(const struct process_order *order, int socket)
{
    (void)order;
    (void)socket;
    raise(SIGKILL);
}

TEST(a_process_that_crashes_ends_no_keeper)
{
    static const struct process_order order = {.kind = PROCESS_SEARCH};
    struct process_link link;
    char bytes[8];
    size_t size = sizeof(bytes);

    start(crash);
    for ( unsigned int i = 0; i < 10; i++ )
    {
        CHECK(process_link_begin(&link, &maker, &order));
        CHECK_EQ(await(&link, bytes, &size), LINK_NONE);
        process_link_end(&link);
    }
    CHECK(keeper_is_there(&keeper));
}

/* No answer is waited for: the next order fails at once. */
TEST(a_keeper_that_is_gone_is_noticed)
{
    static const struct process_order order = {.kind = PROCESS_SEARCH};
    struct process_link link, late;
    char bytes[8];
    size_t size = sizeof(bytes);

    start(echo);
    CHECK(process_link_begin(&link, &maker, &order));
    check_echo(&link, "hello");
    CHECK(keeper_is_there(&keeper));
    kill(keeper.pid, SIGKILL);
    CHECK_EQ(waitpid(keeper.pid, NULL, 0), keeper.pid);
    CHECK(!keeper_is_there(&keeper));
    CHECK(!process_link_begin(&late, &maker, &order));
    /* Its processes go with it. */
    CHECK_EQ(await(&link, bytes, &size), LINK_DIED);
    process_link_end(&link);
    keeper_stop(&keeper);
    CHECK(!keeper_is_there(&keeper));
}

/* Orders that find no room in the socket are sent later; none is lost. */
TEST(ends_wait_for_a_slow_keeper)
{
    static const struct process_order order = {.kind = PROCESS_SEARCH};
    static struct process_link links[PROCESSES];
    unsigned int made = 0;

    start(echo);
    kill(keeper.pid, SIGSTOP);
    while ( made < PROCESSES &&
            process_link_begin(&links[made], &maker, &order) )
        made++;
    for ( unsigned int round = 0; round < 2000 && !keeper.ended.count; round++ )
        maker.end(maker.self, 1000000 + round);
    CHECK(keeper.ended.count > 0);
    for ( unsigned int i = 0; i < made; i++ )
        process_link_end(&links[i]);
    kill(keeper.pid, SIGCONT);
    while ( !process_link_begin(&links[0], &maker, &order) )
        sched_yield();
    CHECK_EQ(keeper.ended.count, 0);
    check_echo(&links[0], "made");
    process_link_end(&links[0]);
    keeper_stop(&keeper);
}
