/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading and writing the pipes of a parser within the limits of its clocks. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "parser-pipe.h"

/* How long it waits between two looks at the parser's clock, and how many
 * pieces may come in between. */
#define SLICE  20 /* ms */
#define PIECES 64u

bool parser_pipe_open(struct parser_pipe *pipe,
                      const struct parser_process *process)
{
    pipe->requests = process->requests;
    pipe->answers = process->answers;
    pipe->taken = pipe->filled = 0;
    return clock_getcpuclockid(process->pid, &pipe->clock) == 0;
}

void parser_pipe_begin(struct parser_pipe *pipe, uint64_t work, uint64_t wait)
{
    pipe->work = work;
    pipe->wait = wait;
    pipe->limited = false;
}

void parser_pipe_set_limits(struct parser_pipe *pipe, uint64_t work_until,
                            uint64_t wait_until)
{
    pipe->work_until = work_until;
    pipe->wait_until = wait_until;
    pipe->limited = true;
}

bool parser_pipe_is_late(const struct parser_pipe *pipe)
{
    return clock_read(pipe->clock) > pipe->work_until ||
           monotonic_now() > pipe->wait_until;
}

void parser_pipe_start_clocks(struct parser_pipe *pipe)
{
    if ( pipe->limited )
        return;
    pipe->limited = true;
    pipe->work_until = clock_read(pipe->clock);
    if ( pipe->work_until != UINT64_MAX )
        pipe->work_until += pipe->work;
    pipe->wait_until = monotonic_now() + pipe->wait;
}

/* Wait until fd is ready; false: it takes too long.  Of a message in a few
 * pieces each comes at once, most often. */
static bool wait_for(struct parser_pipe *pipe, int fd, short events)
{
    struct pollfd ready = {.fd = fd, .events = events};
    int count;

    for ( ;; )
    {
        count = poll(&ready, 1, SLICE);
        if ( count < 0 && errno != EINTR )
            return false;
        if ( count > 0 && ++pipe->pieces % PIECES )
            return true;
        parser_pipe_start_clocks(pipe);
        if ( parser_pipe_is_late(pipe) )
            return false;
        if ( count > 0 )
            return true;
    }
}

/* Into the buffer if it is small, most messages come in one piece then.  *ret
 * is how much came into to; false: nothing comes any more. */
static bool read_some(struct parser_pipe *pipe, void *to, size_t size,
                      size_t *ret)
{
    bool direct = size >= sizeof(pipe->buffer);
    ssize_t got;

    if ( !wait_for(pipe, pipe->answers, POLLIN) )
        return false;
    got = direct ? read(pipe->answers, to, size)
                 : read(pipe->answers, pipe->buffer, sizeof(pipe->buffer));
    if ( got <= 0 )
        return false;
    *ret = direct ? (size_t)got : 0;
    if ( !direct )
    {
        pipe->taken = 0;
        pipe->filled = (size_t)got;
    }
    return true;
}

static size_t take_buffered(struct parser_pipe *pipe, void *to, size_t size)
{
    size_t there = pipe->filled - pipe->taken;

    if ( there > size )
        there = size;
    memcpy(to, pipe->buffer + pipe->taken, there);
    pipe->taken += there;
    return there;
}

bool parser_pipe_read(void *self, void *to, size_t size)
{
    struct parser_pipe *pipe = self;
    char *at = to;

    for ( ;; )
    {
        size_t there = take_buffered(pipe, at, size);

        at += there;
        size -= there;
        if ( !size )
            return true;
        if ( !read_some(pipe, at, size, &there) )
            return false;
        at += there;
        size -= there;
    }
}

bool parser_pipe_write(void *self, const void *from, size_t size)
{
    struct parser_pipe *pipe = self;
    const char *at = from;

    while ( size )
    {
        ssize_t done = write(pipe->requests, at, size);

        if ( done < 0 &&
             (errno != EAGAIN || !wait_for(pipe, pipe->requests, POLLOUT)) )
            return false;
        if ( done > 0 )
        {
            at += done;
            size -= (size_t)done;
        }
    }
    return true;
}

bool parser_pipe_has_answer(const struct parser_pipe *pipe, int milliseconds)
{
    struct pollfd ready = {.fd = pipe->answers, .events = POLLIN};

    return pipe->taken < pipe->filled || poll(&ready, 1, milliseconds) > 0;
}
