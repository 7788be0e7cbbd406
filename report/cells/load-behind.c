/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load-behind.h"

#include "base/must.h"

#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "count-rows.h"
#include "load-calls.h"

#define BEHIND_FROM 1024u /* samples: some ten times what handing over takes */

struct behind_step {
    struct job job;
    struct loader *loader;
};

struct load_behind {
    struct workers *workers;
    struct behind_step calls, rows;
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
    struct behind_step *step = (struct behind_step *)job;
    struct load_behind *behind = step->loader->behind;

    load_calls(step->loader, behind->call.items, behind->first_call,
               behind->call_count);
    workers_give(behind->workers, &behind->rows.job);
}

static void work_on_rows(struct job *job)
{
    struct behind_step *step = (struct behind_step *)job;
    const struct load_behind *behind = step->loader->behind;
    const struct xenoprof_samples samples = {
        .count = behind->whos.count,
        .seconds = behind->seconds.items,
        .second = behind->second,
        .whos = behind->whos.items,
        .calls = behind->ran.items,
        .vcpus = behind->apart ? behind->vcpus.items : NULL,
        .pcpus = behind->apart ? behind->pcpus.items : NULL,
    };

    count_rows(step->loader, &samples, 0, samples.count);
}

static void init_step(struct behind_step *step, struct loader *loader,
                      void (*work)(struct job *job))
{
    *step = (struct behind_step){.job = {.work = work}, .loader = loader};
}

void behind_start(struct loader *loader)
{
    struct load_behind *behind = calloc(1, sizeof(*behind));

    if ( !behind )
        return;
    behind->workers = workers_start(1);
    if ( !behind->workers )
    {
        free(behind);
        return;
    }
    init_step(&behind->calls, loader, work_on_calls);
    init_step(&behind->rows, loader, work_on_rows);
    loader->behind = behind;
}

void behind_stop(struct loader *loader)
{
    struct load_behind *behind = loader->behind;

    if ( !behind )
        return;
    workers_cancel(behind->workers, &behind->calls.job);
    workers_cancel(behind->workers, &behind->rows.job);
    workers_stop(behind->workers);
    vector_free(&behind->call);
    vector_free(&behind->whos);
    vector_free(&behind->ran);
    vector_free(&behind->seconds);
    vector_free(&behind->vcpus);
    vector_free(&behind->pcpus);
    free(behind);
    loader->behind = NULL;
}

unsigned int behind_given(const struct loader *loader)
{
    return loader->behind ? loader->behind->given : 0;
}

bool behind_takes(const struct loader *loader,
                  const struct xenoprof_samples *samples)
{
    return loader->behind && samples->count >= BEHIND_FROM &&
           !loader->loaded->timeline.wanted;
}

static void add_apart(struct load_behind *behind,
                      const struct xenoprof_samples *samples, size_t first,
                      size_t count)
{
    must_do(vector_reserve(&behind->vcpus, count));
    must_do(vector_reserve(&behind->pcpus, count));
    memcpy(behind->vcpus.items + behind->vcpus.count, samples->vcpus + first,
           count * sizeof(*samples->vcpus));
    memcpy(behind->pcpus.items + behind->pcpus.count, samples->pcpus + first,
           count * sizeof(*samples->pcpus));
    behind->vcpus.count += count;
    behind->pcpus.count += count;
}

void behind_add(struct loader *loader, const struct xenoprof_samples *samples,
                size_t first, size_t end)
{
    struct load_behind *behind = loader->behind;
    const size_t count = end - first;

    if ( !count )
        return;
    must_do(vector_reserve(&behind->whos, count));
    must_do(vector_reserve(&behind->ran, count));
    must_do(vector_reserve(&behind->seconds, count));
    memcpy(behind->whos.items + behind->whos.count, samples->whos + first,
           count * sizeof(*samples->whos));
    memcpy(behind->ran.items + behind->ran.count, samples->calls + first,
           count * sizeof(*samples->calls));
    memcpy(behind->seconds.items + behind->seconds.count,
           samples->seconds + first, count * sizeof(*samples->seconds));
    behind->whos.count += count;
    behind->ran.count += count;
    behind->seconds.count += count;
    behind->second = samples->second;
    behind->apart = samples->vcpus && samples->pcpus;
    if ( behind->apart )
        add_apart(behind, samples, first, count);
}

static void copy_calls(struct loader *loader,
                       const struct xenoprof_samples *samples)
{
    struct load_behind *behind = loader->behind;
    const size_t first = load_calls_known(loader);
    const size_t count = samples->call_count - first;

    behind->first_call = first;
    behind->call_count = samples->call_count;
    behind->call.count = 0;
    if ( !count )
        return;
    must_do(vector_reserve(&behind->call, count));
    memcpy(behind->call.items, samples->call + first,
           count * sizeof(*samples->call));
    behind->call.count = count;
}

void behind_give(struct loader *loader, const struct xenoprof_samples *samples)
{
    struct load_behind *behind = loader->behind;

    copy_calls(loader, samples);
    count_make_room(loader, behind->whos.count);
    workers_give(behind->workers, &behind->calls.job);
    behind->given++;
}

void behind_end_calls(struct loader *loader)
{
    struct load_behind *behind = loader->behind;

    if ( !behind )
        return;
    workers_finish(behind->workers, &behind->calls.job);
}

void behind_end(struct loader *loader)
{
    struct load_behind *behind = loader->behind;

    if ( !behind )
        return;
    behind_end_calls(loader);
    workers_finish(behind->workers, &behind->rows.job);
    behind->whos.count = behind->ran.count = behind->seconds.count = 0;
    behind->vcpus.count = behind->pcpus.count = 0;
}
