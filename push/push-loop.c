/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "push-loop.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/system/say.h"

#define NS_PER_MS 1000000u

void push_resume(const struct push *push, struct window_ask *ret)
{
    const struct queue_head *last = &push->queue.last;
    const struct status_push *state = &push->state;
    /* A window is in the queue before the status says so. */
    const bool newer = last->session[0] && last->to > state->made_last;

    STATUS_COPY(ret->session, newer ? last->session : state->session);
    ret->position = newer ? last->position : state->position;
}

static uint64_t any_number(void)
{
    uint64_t number;

    return getrandom(&number, sizeof(number), GRND_NONBLOCK) ==
                   (ssize_t)sizeof(number)
               ? number
               : monotonic_now();
}

static bool signal_came(const struct push *push)
{
    struct pollfd fd = {.fd = push->signals, .events = POLLIN};

    return poll(&fd, 1, 0) > 0;
}

/* A request is given up for the end, and made again if there is time. */
static bool is_in_a_hurry(void *context)
{
    const struct push *push = context;

    return push->deadline ? monotonic_now() >= push->deadline
                          : signal_came(push);
}

static void write_state(struct push *push)
{
    push_state_queue(&push->state, &push->queue);
    if ( !push_state_write(&push->state, push->folder) )
        push_state_error(&push->state, "the status cannot be written",
                         utc_now());
}

/* The same trouble is said once. */
static void say_trouble(struct push *push, const char *text)
{
    const bool known = strcmp(push->state.error, text) == 0;

    push_state_error(&push->state, text, utc_now());
    if ( !known )
        say_error("%s: %s", push->target->url, text);
}

/* Puts a window into the queue; one for which there is no room is counted. */
static void keep_window(struct push *push, const struct window *window)
{
    const struct engine *engine = push->target->engine;
    struct queue_head head = {.position = window->position,
                              .samples = window->samples,
                              .from = window->from,
                              .to = window->to};
    struct failure failure = {0};

    STATUS_COPY(head.engine, engine->name);
    STATUS_COPY(head.session, window->session);
    if ( !push_body(engine->body, engine->gzip, window, push->labels,
                    &push->body) )
        fail_memory(&failure);
    else
        queue_put(&push->queue, &head, &push->body, &failure);
    if ( !failure.status )
        return;
    push->queue.dropped[QUEUE_DROP_SIZE].windows++;
    push->queue.dropped[QUEUE_DROP_SIZE].samples += window->samples;
    say_trouble(push, failure.text);
}

static void begin_end(struct push *push)
{
    if ( !push->deadline )
        push->deadline = monotonic_now() + push->linger;
}

static void take_window(struct push *push)
{
    struct window window = {0};
    struct failure failure = {0};

    push->next_window = monotonic_now() + push->interval;
    if ( !window_next(push->source, &window, &failure) )
    {
        say_trouble(push, failure.text);
        write_state(push);
        return;
    }
    if ( window.samples )
    {
        keep_window(push, &window);
        push->state.made_windows++;
        push->state.made_samples += window.samples;
        push->state.made_last = window.to;
    }
    STATUS_COPY(push->state.session, window.session);
    push->state.position = window.position;
    if ( window.closed && !push->stay )
        begin_end(push);
    window_free(&window);
    queue_expire(&push->queue, utc_now());
    write_state(push);
}

static void note_taken(struct push *push, uint64_t samples)
{
    struct status_push *state = &push->state;

    if ( push->backoff.failures )
        say_note("%s takes windows again", push->target->url);
    backoff_clear(&push->backoff);
    queue_done(&push->queue);
    state->sent_windows++;
    state->sent_samples += samples;
    state->sent_bytes += push->body.used;
    state->sent_last = utc_now();
    state->next_try = 0;
    state->error[0] = '\0';
    STATUS_COPY(state->state, "taking");
}

/* It will be tried again. */
static void note_failed(struct push *push, const struct http_answer *answer)
{
    const uint64_t now = monotonic_now();
    const bool wrong = answer->answer == ANSWER_WRONG;

    if ( wrong )
        backoff_rest(&push->backoff, now, any_number());
    else
        backoff_fail(&push->backoff, now, answer->asked, any_number());
    push->state.failures++;
    push->state.next_try = utc_now() + (push->backoff.next - now);
    STATUS_COPY(push->state.state, wrong ? "refused" : "waiting");
    say_trouble(push, answer->text);
}

static void note_refused(struct push *push, const struct http_answer *answer,
                         uint64_t samples)
{
    say_error("%s: a window with %" PRIu64 " samples is dropped: %s",
              push->target->url, samples, answer->text);
    push_state_error(&push->state, answer->text, utc_now());
    backoff_clear(&push->backoff);
    queue_drop(&push->queue, QUEUE_DROP_REFUSED);
}

static void send_window(struct push *push)
{
    struct queue_head head;
    struct http_answer answer;

    if ( !queue_first(&push->queue, &head, &push->body) )
    {
        write_state(push);
        return;
    }
    if ( strcmp(head.engine, push->target->engine->name) )
    {
        answer = (struct http_answer){.text = "it was made for another engine"};
        note_refused(push, &answer, head.samples);
        write_state(push);
        return;
    }
    http_send(push->sender, &push->body, &answer);
    if ( answer.answer == ANSWER_TAKEN )
        note_taken(push, head.samples);
    else if ( answer.answer == ANSWER_REFUSED )
        note_refused(push, &answer, head.samples);
    else if ( !signal_came(push) || push->deadline )
        note_failed(push, &answer);
    queue_expire(&push->queue, utc_now());
    write_state(push);
}

static bool is_over(const struct push *push)
{
    return push->deadline &&
           (!queue_count(&push->queue) || monotonic_now() >= push->deadline);
}

/* Returns the ms until something is due. */
static int time_left(const struct push *push)
{
    uint64_t due = push->deadline ? push->deadline : push->next_window;
    const uint64_t now = monotonic_now();

    if ( queue_count(&push->queue) && push->backoff.next < due )
        due = push->backoff.next;
    return due <= now ? 0 : (int)((due - now) / NS_PER_MS) + 1;
}

/* Told to end, it takes no more: the next one goes on where this one was. */
static void wait_for_work(struct push *push)
{
    struct pollfd fd = {.fd = push->deadline ? -1 : push->signals,
                        .events = POLLIN};

    if ( poll(&fd, 1, time_left(push)) > 0 )
    {
        begin_end(push);
        /* What waits is tried once more at least. */
        push->backoff.next = 0;
    }
}

void push_run(struct push *push)
{
    http_sender_watch(push->sender, is_in_a_hurry, push);
    STATUS_COPY(push->state.state, "taking");
    push->state.since = utc_now();
    push->state.pid = (uint64_t)getpid();
    write_state(push);
    while ( !is_over(push) )
    {
        wait_for_work(push);
        if ( !push->deadline && monotonic_now() >= push->next_window )
            take_window(push);
        if ( queue_count(&push->queue) &&
             monotonic_now() >= push->backoff.next )
            send_window(push);
    }
    STATUS_COPY(push->state.state, "ended");
    push->state.pid = 0;
    write_state(push);
    buffer_free(&push->body);
}
