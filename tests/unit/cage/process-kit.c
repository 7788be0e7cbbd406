/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cage/process-words.h"
#include "process-kit.h"
#include "tests/harness.h"

void played_leave(struct played_process *played)
{
    if ( played->socket < 0 )
        return;
    close(played->socket);
    for ( unsigned int i = 0; i < played->order.count; i++ )
        close(played->order.files[i]);
    if ( played->area )
        munmap(played->area, BATCH_SIZE);
    played->area = NULL;
    played->socket = -1;
}

static bool play(void *self, const struct process_order *order, int socket,
                 uint32_t *number)
{
    struct played_process *played = self;

    if ( played->refuses )
        return false;
    played->order = *order;
    played->socket = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    for ( unsigned int i = 0; i < order->count; i++ )
        played->order.files[i] = fcntl(order->files[i], F_DUPFD_CLOEXEC, 0);
    if ( order->kind == PROCESS_WALKER || order->kind == PROCESS_USER_WALKER )
        played->area = mmap(NULL, BATCH_SIZE, PROT_READ | PROT_WRITE,
                            MAP_SHARED, played->order.files[0], 0);
    *number = ++played->made;
    return true;
}

static void end_play(void *self, uint32_t number)
{
    struct played_process *played = self;

    CHECK_EQ(number, played->made);
    played->ended++;
    played_leave(played);
}

struct process_maker played_maker(struct played_process *played)
{
    *played = (struct played_process){.socket = -1};
    return (struct process_maker){play, end_play, played, NULL};
}

void played_say(const struct played_process *played, const void *bytes,
                size_t size)
{
    CHECK_EQ(send(played->socket, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL),
             size);
}

void played_say_ready(const struct played_process *played)
{
    const uint64_t word = WORD_READY;

    played_say(played, &word, sizeof(word));
}

size_t played_hear(const struct played_process *played, void *to, size_t size)
{
    ssize_t got = recv(played->socket, to, size, MSG_DONTWAIT);

    return got > 0 ? (size_t)got : 0;
}

static bool fork_one(void *self, const struct process_order *order, int socket,
                     uint32_t *number)
{
    struct forked_processes *forked = self;
    pid_t pid;

    *number = 0;
    while ( forked->pids[*number] )
        CHECK(++*number < sizeof(forked->pids) / sizeof(forked->pids[0]));
    pid = fork();
    if ( pid == 0 )
    {
        /* It burns or waits for ever, also when a check fails. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        forked->act(order, socket);
        syscall(SYS_exit_group, 0);
    }
    CHECK(pid > 0);
    forked->pids[*number] = pid;
    forked->made++;
    return true;
}

static void end_one(void *self, uint32_t number)
{
    struct forked_processes *forked = self;

    CHECK(number < sizeof(forked->pids) / sizeof(forked->pids[0]) &&
          forked->pids[number]);
    kill(forked->pids[number], SIGKILL);
    waitpid(forked->pids[number], NULL, 0);
    forked->pids[number] = 0;
}

struct process_maker forking_maker(struct forked_processes *forked)
{
    return (struct process_maker){fork_one, end_one, forked, NULL};
}

bool forked_begin(int socket)
{
    dup2(socket, SANDBOX_IN);
    dup2(socket, SANDBOX_OUT);
    return process_say_ready();
}

void process_idle(void)
{
    for ( ;; )
        pause();
}

void process_burn(void)
{
    for ( volatile unsigned long i = 0;; i++ )
        continue;
}
