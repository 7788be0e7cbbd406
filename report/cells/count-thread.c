/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count-thread.h"

#include "base/must.h"

#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "count-rows.h"
#include "load-calls.h"

/* Samples: some ten times what handing over takes. */
#define COUNT_THREAD_FROM 1024u

struct count_thread_step {
    struct job job;
    struct loader *loader;
};

struct count_thread {
    struct workers *workers;
    struct count_thread_step calls, rows;
    /* Copies of what the reader's columns have no more when it goes on. */
    struct {
        VECTOR(struct xenoprof_call);
    } call; /* from first_call on, of call_count */
    size_t first_call, call_count;
    struct {
        VECTOR(uint32_t);
    } whos, ran, seconds;
    struct {
        VECTOR(uint16_t);
    } vcpus, pcpus;
    bool apart;      /* there are these */
    uint64_t second; /* of the reader's columns */
    unsigned int given;
};

static void work_on_calls(struct job *job)
{
    struct count_thread_step *step = (struct count_thread_step *)job;
    struct count_thread *thread = step->loader->count_thread;

    load_calls(step->loader, thread->call.items, thread->first_call,
               thread->call_count);
    workers_give(thread->workers, &thread->rows.job);
}

static void work_on_rows(struct job *job)
{
    struct count_thread_step *step = (struct count_thread_step *)job;
    const struct count_thread *thread = step->loader->count_thread;
    const struct xenoprof_samples samples = {
        .count = thread->whos.count,
        .seconds = thread->seconds.items,
        .second = thread->second,
        .whos = thread->whos.items,
        .calls = thread->ran.items,
        .vcpus = thread->apart ? thread->vcpus.items : NULL,
        .pcpus = thread->apart ? thread->pcpus.items : NULL,
    };

    count_rows(step->loader, &samples, 0, samples.count);
}

static void init_step(struct count_thread_step *step, struct loader *loader,
                      void (*work)(struct job *job))
{
    *step = (struct count_thread_step){.job = {.work = work}, .loader = loader};
}

void count_thread_start(struct loader *loader)
{
    struct count_thread *thread = calloc(1, sizeof(*thread));

    if ( !thread )
        return;
    thread->workers = workers_start(1);
    if ( !thread->workers )
    {
        free(thread);
        return;
    }
    init_step(&thread->calls, loader, work_on_calls);
    init_step(&thread->rows, loader, work_on_rows);
    loader->count_thread = thread;
}

void count_thread_stop(struct loader *loader)
{
    struct count_thread *thread = loader->count_thread;

    if ( !thread )
        return;
    workers_cancel(thread->workers, &thread->calls.job);
    workers_cancel(thread->workers, &thread->rows.job);
    workers_stop(thread->workers);
    vector_free(&thread->call);
    vector_free(&thread->whos);
    vector_free(&thread->ran);
    vector_free(&thread->seconds);
    vector_free(&thread->vcpus);
    vector_free(&thread->pcpus);
    free(thread);
    loader->count_thread = NULL;
}

unsigned int count_thread_given(const struct loader *loader)
{
    return loader->count_thread ? loader->count_thread->given : 0;
}

bool count_thread_takes(const struct loader *loader,
                        const struct xenoprof_samples *samples)
{
    return loader->count_thread && samples->count >= COUNT_THREAD_FROM &&
           !loader->loaded->timeline.wanted && !loader->loaded->log.wanted;
}

void count_thread_add(struct loader *loader,
                      const struct xenoprof_samples *samples, size_t first,
                      size_t end)
{
    struct count_thread *thread = loader->count_thread;
    const size_t count = end - first;

    if ( !count )
        return;
    must_do(vector_reserve(&thread->whos, count));
    must_do(vector_reserve(&thread->ran, count));
    must_do(vector_reserve(&thread->seconds, count));
    memcpy(thread->whos.items + thread->whos.count, samples->whos + first,
           count * sizeof(*samples->whos));
    memcpy(thread->ran.items + thread->ran.count, samples->calls + first,
           count * sizeof(*samples->calls));
    memcpy(thread->seconds.items + thread->seconds.count,
           samples->seconds + first, count * sizeof(*samples->seconds));
    thread->whos.count += count;
    thread->ran.count += count;
    thread->seconds.count += count;
    thread->second = samples->second;
    thread->apart = samples->vcpus && samples->pcpus;
    if ( !thread->apart )
        return;
    must_do(vector_reserve(&thread->vcpus, count));
    must_do(vector_reserve(&thread->pcpus, count));
    memcpy(thread->vcpus.items + thread->vcpus.count, samples->vcpus + first,
           count * sizeof(*samples->vcpus));
    memcpy(thread->pcpus.items + thread->pcpus.count, samples->pcpus + first,
           count * sizeof(*samples->pcpus));
    thread->vcpus.count += count;
    thread->pcpus.count += count;
}

void count_thread_give(struct loader *loader,
                       const struct xenoprof_samples *samples)
{
    struct count_thread *thread = loader->count_thread;
    const size_t first = load_calls_known(loader);
    const size_t count = samples->call_count - first;

    thread->first_call = first;
    thread->call_count = samples->call_count;
    thread->call.count = 0;
    if ( count )
    {
        must_do(vector_reserve(&thread->call, count));
        memcpy(thread->call.items, samples->call + first,
               count * sizeof(*samples->call));
        thread->call.count = count;
    }
    count_make_room(loader, thread->whos.count);
    workers_give(thread->workers, &thread->calls.job);
    thread->given++;
}

void count_thread_end_calls(struct loader *loader)
{
    struct count_thread *thread = loader->count_thread;

    if ( !thread )
        return;
    workers_finish(thread->workers, &thread->calls.job);
}

void count_thread_end(struct loader *loader)
{
    struct count_thread *thread = loader->count_thread;

    if ( !thread )
        return;
    count_thread_end_calls(loader);
    workers_finish(thread->workers, &thread->rows.job);
    thread->whos.count = thread->ran.count = thread->seconds.count = 0;
    thread->vcpus.count = thread->pcpus.count = 0;
}
