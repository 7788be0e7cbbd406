/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "time-survey.h"

#include "base/must.h"

#include <stdlib.h>
#include <string.h>

#include "libxenoprof/session/session-attributes.h"
#include "owner-of.h"
#include "report/waits/waits.h"

void survey_init(struct time_survey *survey, const struct time_range *range,
                 const struct clocks *clocks, bool by_pcpu)
{
    *survey = (struct time_survey){
        .range = *range, .clocks = *clocks, .first = UINT64_MAX};
    account_rows_init(&survey->rows);
    spooled_init(&survey->spooled);
    slots_init(&survey->slots, by_pcpu);
}

void survey_free(struct time_survey *survey)
{
    slots_free(&survey->slots);
    vector_free(&survey->whos);
    account_rows_free(&survey->rows);
    spooled_free(&survey->spooled);
}

/* Slots begin with the session, or with the part of it that is wanted. */
static bool settle_span(struct time_survey *survey)
{
    const uint64_t start = survey->clocks.start;

    if ( survey->span_known || !start )
        return survey->span_known;
    survey->span_known = time_range_resolve(&survey->range, &survey->clocks,
                                            &survey->span);
    survey->slots.origin = (survey->span.from > start ? survey->span.from
                                                      : start) /
                           XENOPROF_SECOND;
    return survey->span_known;
}

static void note_time(struct time_survey *survey, uint64_t time)
{
    if ( !time )
        return;
    if ( !survey->clocks.start )
        survey->clocks.start = time;
    if ( time < survey->first )
        survey->first = time;
    if ( time > survey->last )
        survey->last = time;
}

/* Cuts from and to to what is wanted.  Returns false if nothing is. */
static bool cut_to_span(const struct time_survey *survey, uint64_t *from,
                        uint64_t *to)
{
    *from = *from < survey->span.from ? survey->span.from : *from;
    *to = *to > survey->span.to ? survey->span.to : *to;
    return *from < *to;
}

static void survey_wait(struct time_survey *survey,
                        const struct xenoprof_item *item)
{
    const struct xenoprof_waited *waited = &item->u.wait;
    struct owner_key key = {.domain = waited->domain, .vcpu = waited->vcpu};
    const uint64_t begin = item->time - waited->span;
    uint64_t from = begin, to = item->time;
    uint32_t owner;

    survey->vcpus = true;
    if ( survey->old || survey->slots.by_pcpu || waited->span > item->time ||
         !cut_to_span(survey, &from, &to) )
        return;
    memcpy(key.uuid, waited->uuid, sizeof(key.uuid));
    owner = slots_put(&survey->slots, &key);
    slots_add_running(
        &survey->slots, owner, from, to,
        waits_between(waited->running, waited->span, from - begin, to - begin));
}

static void survey_idle(struct time_survey *survey,
                        const struct xenoprof_item *item)
{
    struct idle_row row;
    uint64_t from, to;

    account_rows_idle(&survey->rows, item, &row);
    if ( survey->old )
        return;
    if ( row.from < row.to )
    {
        survey->accounted.from = survey->pcpus &&
                                         survey->accounted.from < row.from
                                     ? survey->accounted.from
                                     : row.from;
        survey->accounted.to = survey->accounted.to > row.to
                                   ? survey->accounted.to
                                   : row.to;
        survey->pcpus = true;
    }
    from = row.from;
    to = row.to;
    if ( cut_to_span(survey, &from, &to) )
        slots_add_pcpu(&survey->slots, item->u.idle.pcpu, from, to,
                       waits_between(row.idle, row.to - row.from,
                                     from - row.from, to - row.from));
}

static void survey_ring(struct time_survey *survey,
                        const struct xenoprof_item *item)
{
    const struct xenoprof_ring_info *info = &item->u.ring.info;
    struct owner_key of = {.domain = SLOTS_IDLE, .vcpu = info->vcpu};
    struct ring_row row;
    uint32_t owner;

    account_rows_ring(&survey->rows, item, survey->first, survey->last, &row);
    if ( survey->old || !cut_to_span(survey, &row.from, &row.to) )
        return;
    if ( info->kind == XENOPROF_RING_VCPU )
    {
        of.domain = info->domain;
        memcpy(of.uuid, info->uuid, sizeof(of.uuid));
    }
    owner = slots_put(&survey->slots, &of);
    slots_add_ring(&survey->slots, owner, row.from, row.to, row.read, row.lost);
}

/* Samples that follow each other and are of the same owner and second. */
struct survey_run {
    uint32_t owner, second;
    double ticks;
};

/* What the account of a second was shared out to when it came: samples that
 * come after that stand for their ticks. */
static bool is_late(const struct time_survey *survey, uint64_t second)
{
    return second < survey->begin / XENOPROF_SECOND;
}

static void end_run(struct time_survey *survey, uint64_t second,
                    const struct survey_run *run)
{
    if ( run->ticks <= 0 )
        return;
    if ( is_late(survey, second + run->second) )
        survey->slots.none.unseen += run->ticks;
    else
        slots_add_ticks(&survey->slots, run->owner, second + run->second,
                        run->ticks);
}

/* Adds samples from first to end. */
static void add_samples(struct time_survey *survey,
                        const struct xenoprof_samples *samples, size_t first,
                        size_t end)
{
    struct owner_of *whos = survey->whos.items;
    struct survey_run run = {.second = UINT32_MAX}; /* no sample's */

    for ( size_t i = first; i < end; i++ )
    {
        struct owner_of *who = &whos[samples->whos[i]];

        if ( who->owner != run.owner || samples->seconds[i] != run.second )
        {
            end_run(survey, samples->second, &run);
            if ( !who->owner )
            {
                const struct xenoprof_who *from =
                    &samples->who[samples->whos[i]];

                owner_of_who(&survey->slots, from, who);
                if ( !who->owner )
                    who->owner = slots_owner(
                        &survey->slots, who->domain,
                        owner_number(&survey->slots, from));
            }
            run = (struct survey_run){who->owner, samples->seconds[i], 0};
        }
        run.ticks += samples->ticks ? (double)samples->ticks[i] : who->units;
    }
    end_run(survey, samples->second, &run);
}

static void survey_samples(struct time_survey *survey,
                           const struct xenoprof_samples *samples)
{
    if ( samples->file != survey->file )
        survey->whos.count = 0;
    survey->file = samples->file;
    while ( survey->whos.count < samples->who_count )
        must(vector_add(&survey->whos));
    note_time(survey, samples->first);
    note_time(survey, samples->last);
    settle_span(survey);
    /* Who wants some time only wants times. */
    if ( !samples->times )
        add_samples(survey, samples, 0, samples->count);
    for ( size_t i = 0; samples->times && i < samples->count; i++ )
        if ( samples->times[i] >= survey->span.from &&
             samples->times[i] < survey->span.to )
            add_samples(survey, samples, i, i + 1);
}

void survey_item(struct time_survey *survey, const struct xenoprof_item *item)
{
    note_time(survey, item->time);
    if ( item->kind == XENOPROF_ITEM_ATTRIBUTE )
    {
        if ( !strcmp(item->u.attribute.key, SESSION_ATTRIBUTE_UTC) )
            clocks_note_utc(&survey->clocks, item->time,
                            item->u.attribute.value);
        return;
    }
    survey->events |= item->kind == XENOPROF_ITEM_TYPE;
    if ( item->kind == XENOPROF_ITEM_DOMAIN )
    {
        for ( size_t i = 0; i < survey->whos.count; i++ )
            survey->whos.items[i].owner = 0;
        slots_name(&survey->slots, item->u.domain.domain, item->u.domain.uuid);
        return;
    }
    if ( item->kind == XENOPROF_ITEM_SAMPLES )
    {
        survey_samples(survey, &item->u.samples);
        return;
    }
    spooled_take(&survey->spooled, item);
    if ( !settle_span(survey) )
        return;
    if ( survey->old && item->time > survey->begin &&
         (item->kind == XENOPROF_ITEM_IDLE ||
          item->kind == XENOPROF_ITEM_WAIT) )
        survey->begin = item->time;
    switch ( item->kind )
    {
    case XENOPROF_ITEM_RING: survey_ring(survey, item); return;
    case XENOPROF_ITEM_IDLE: survey_idle(survey, item); return;
    case XENOPROF_ITEM_WAIT: survey_wait(survey, item); return;
    default: return;
    }
}

void survey_end(struct time_survey *survey)
{
    struct time_span span = {survey->first, survey->last};

    if ( survey->pcpus )
        span = survey->accounted;
    if ( survey->first > survey->last ||
         !cut_to_span(survey, &span.from, &span.to) )
        span = (struct time_span){0, 0};
    survey->slots.accounted = survey->pcpus;
    survey->spooled.there = (struct time_span){survey->first, survey->last};
    survey->spooled.span = survey->span;
    if ( is_late(survey, survey->span.from / XENOPROF_SECOND) )
        survey->spooled.span.from = survey->begin / XENOPROF_SECOND *
                                    XENOPROF_SECOND;
    spooled_add_ticks(&survey->spooled, &survey->slots);
    slots_settle(&survey->slots, &span);
}
