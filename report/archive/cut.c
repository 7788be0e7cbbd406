/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cut.h"

#include "base/must.h"
#include "base/scope.h"
#include "libxenoprof/session/session-attributes.h"
#include "report/waits/waits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct cut_ring {
    struct {
        uint32_t ring, generation;
    } key;
    struct xenoprof_item item;
};

struct cut_idle {
    struct {
        uint64_t pcpu;
    } key;
    uint64_t time, idle;
    bool known;
};

void cut_init(struct cut *cut, const struct time_span *span,
              struct xenoprof_copy *copy, struct anonymous *anonymous)
{
    *cut = (struct cut){.span = *span,
                        .copy = copy,
                        .anonymous = anonymous,
                        .begun = !span->from};
    table_init(&cut->rings, sizeof(((struct cut_ring *)0)->key),
               sizeof(struct cut_ring));
    table_init(&cut->idles, sizeof(((struct cut_idle *)0)->key),
               sizeof(struct cut_idle));
}

void cut_free(struct cut *cut)
{
    for ( size_t i = 0; i < cut->texts.count; i++ )
    {
        free(cut->texts.items[i].key);
        free(cut->texts.items[i].value);
    }
    vector_free(&cut->texts);
    vector_free(&cut->sums);
    table_free(&cut->rings);
    table_free(&cut->idles);
}

static bool is_all(const struct cut *cut)
{
    return !cut->span.from && cut->span.to == UINT64_MAX;
}

static enum xenoprof_status put(const struct cut *cut,
                                const struct xenoprof_item *item)
{
    if ( cut->anonymous )
        item = anonymous_item(cut->anonymous, item);
    return item ? xenoprof_copy_put(cut->copy, item) : XENOPROF_OK;
}

static enum xenoprof_status put_at(const struct cut *cut,
                                   const struct xenoprof_item *item,
                                   uint64_t time)
{
    struct xenoprof_item at = *item;

    at.time = time;
    return put(cut, &at);
}

static uint64_t near_span(const struct cut *cut, uint64_t time)
{
    if ( time < cut->span.from )
        return cut->span.from;
    return time > cut->span.to ? cut->span.to : time;
}

/* A time of what is known anyway; 0: at no time. */
static uint64_t near(const struct cut *cut, uint64_t time)
{
    return time ? near_span(cut, time) : 0;
}

static bool is_utc(const char *key)
{
    return !strcmp(key, SESSION_ATTRIBUTE_UTC);
}

static enum xenoprof_status put_text(const struct cut *cut, uint64_t time,
                                     const char *key, const char *value)
{
    const struct xenoprof_item item = {.kind = XENOPROF_ITEM_ATTRIBUTE,
                                       .time = time,
                                       .u.attribute = {key, value}};

    return put(cut, &item);
}

/* What was said of an earlier time is said of the beginning. */
static enum xenoprof_status put_earlier(const struct cut *cut,
                                        const struct cut_text *text)
{
    const uint64_t time = near(cut, text->time);
    char *utc SCOPE_FREE = NULL;

    if ( !is_utc(text->key) || !time )
        return put_text(cut, time, text->key, text->value);
    utc = must_text("%llu", strtoull(text->value, NULL, 10) +
                                (unsigned long long)(time - text->time));
    return put_text(cut, time, text->key, utc);
}

/* Puts what was known before the time began, in a block of its own: what rings
 * count from there on is of the time. */
static enum xenoprof_status begin(struct cut *cut)
{
    enum xenoprof_status status = XENOPROF_OK;
    struct xenoprof_item counters = {.kind = XENOPROF_ITEM_COUNTERS,
                                     .time = cut->span.from};

    if ( cut->begun )
        return XENOPROF_OK;
    cut->begun = true;
    for ( size_t i = 0; !status && i < cut->texts.count; i++ )
        status = put_earlier(cut, &cut->texts.items[i]);
    for ( size_t i = 0; !status && i < cut->sums.count; i++ )
        status = put(cut, &cut->sums.items[i]);
    for ( size_t i = 0; !status && i < cut->rings.count; i++ )
        status = put(cut, &((struct cut_ring *)table_at(&cut->rings, i))->item);
    counters.u.counters = cut->counters;
    counters.u.counters.cost = 0;
    if ( !status && cut->counted )
        status = put(cut, &counters);
    return status ? status : xenoprof_copy_block(cut->copy);
}

static void hold_text(struct cut *cut, const struct xenoprof_item *item)
{
    struct cut_text *text;
    size_t at = 0;

    while ( at < cut->texts.count &&
            strcmp(cut->texts.items[at].key, item->u.attribute.key) )
        at++;
    if ( at == cut->texts.count )
        must(vector_add(&cut->texts))->key = must(
            strdup(item->u.attribute.key));
    text = &cut->texts.items[at];
    free(text->value);
    text->value = must(strdup(item->u.attribute.value));
    text->time = item->time;
}

static enum xenoprof_status cut_attribute(struct cut *cut,
                                          const struct xenoprof_item *item)
{
    enum xenoprof_status status;

    if ( !strcmp(item->u.attribute.key, SESSION_ATTRIBUTE_EXPIRED) )
    {
        cut->expired = strtoull(item->u.attribute.value, NULL, 10);
        return XENOPROF_OK; /* cut_end() says it */
    }
    if ( !cut->begun && item->time < cut->span.from )
    {
        hold_text(cut, item);
        return XENOPROF_OK;
    }
    if ( item->time > cut->span.to )
        return XENOPROF_OK;
    status = begin(cut);
    if ( status )
        return status;
    if ( item->time >= cut->span.from )
        return put(cut, item);
    return put_earlier(
        cut, &(struct cut_text){.time = item->time,
                                .key = (char *)item->u.attribute.key,
                                .value = (char *)item->u.attribute.value});
}

static enum xenoprof_status cut_sample(struct cut *cut,
                                       const struct xenoprof_item *item)
{
    const uint64_t time = item->u.sample.time;
    enum xenoprof_status status;

    if ( time < cut->span.from || time >= cut->span.to )
    {
        cut->out++;
        return XENOPROF_OK;
    }
    status = begin(cut);
    return status ? status : put(cut, item);
}

static enum xenoprof_status cut_ring(struct cut *cut,
                                     const struct xenoprof_item *item)
{
    const struct {
        uint32_t ring, generation;
    } key = {item->u.ring.info.ring, item->u.ring.info.generation};
    struct cut_ring *ring;

    if ( cut->begun )
        return put(cut, item);
    ring = must(table_put(&cut->rings, &key));
    ring->item = *item;
    return XENOPROF_OK;
}

static enum xenoprof_status cut_sum(struct cut *cut,
                                    const struct xenoprof_item *item)
{
    if ( cut->begun )
        return put(cut, item);
    if ( item->u.ring_sum.first )
    {
        cut->sums.count = 0;
        table_free(&cut->rings);
    }
    *must(vector_add(&cut->sums)) = *item;
    return XENOPROF_OK;
}

/* What sampling cost before the time is not the time's. */
static enum xenoprof_status cut_counters(struct cut *cut,
                                         const struct xenoprof_item *item)
{
    const uint64_t now = item->u.counters.cost;
    struct xenoprof_item less = *item;
    enum xenoprof_status status;

    if ( cut->span.from && (item->time <= cut->span.from || !cut->counted) )
        cut->cost = now;
    cut->counted = true;
    cut->counters = item->u.counters;
    if ( item->time <= cut->span.from || item->time > cut->span.to )
        return XENOPROF_OK;
    status = begin(cut);
    less.u.counters.cost = now > cut->cost ? now - cut->cost : 0;
    return status ? status : put(cut, &less);
}

/* Puts Xen's account of a pCPU at a time between two rows of it. */
static enum xenoprof_status put_idle(struct cut *cut, uint16_t pcpu,
                                     const struct cut_idle *last, uint64_t time,
                                     uint64_t idle, uint64_t at)
{
    struct xenoprof_item item = {.kind = XENOPROF_ITEM_IDLE, .time = at};
    const uint64_t whole = time - last->time;
    uint64_t more = idle > last->idle ? idle - last->idle : 0;

    if ( more > whole )
        more = whole;
    item.u.idle.pcpu = pcpu;
    item.u.idle.idle = last->idle +
                       waits_between(more, whole, 0, at - last->time);
    return put(cut, &item);
}

static enum xenoprof_status cut_idle(struct cut *cut,
                                     const struct xenoprof_item *item)
{
    const uint64_t pcpu = item->u.idle.pcpu, time = item->time;
    const uint64_t idle = item->u.idle.idle;
    struct cut_idle *last = must(table_put(&cut->idles, &pcpu));
    const struct cut_idle before = *last;
    enum xenoprof_status status = XENOPROF_OK;

    last->time = time;
    last->idle = idle;
    last->known = true;
    if ( time < cut->span.from ||
         (before.known && before.time >= cut->span.to) )
        return XENOPROF_OK;
    status = begin(cut);
    if ( !status && before.known && before.time < cut->span.from )
        status = put_idle(cut, item->u.idle.pcpu, &before, time, idle,
                          cut->span.from);
    if ( status || (time > cut->span.to && !before.known) )
        return status;
    if ( time > cut->span.to )
        return put_idle(cut, item->u.idle.pcpu, &before, time, idle,
                        cut->span.to);
    return put(cut, item);
}

/* What a vCPU did is spread evenly over the time that a row is about. */
static enum xenoprof_status cut_wait(struct cut *cut,
                                     const struct xenoprof_item *item)
{
    struct xenoprof_item part = *item;
    struct xenoprof_waited *waited = &part.u.wait;
    uint64_t *const parts[] = {&waited->running, &waited->runnable,
                               &waited->device, &waited->paused,
                               &waited->capped};
    const uint64_t span = waited->span;
    const uint64_t start = item->time > span ? item->time - span : 0;
    const uint64_t from = start > cut->span.from ? start : cut->span.from;
    const uint64_t to = item->time < cut->span.to ? item->time : cut->span.to;
    enum xenoprof_status status;

    if ( !cut->waited || from < to )
        cut->wait = *item;
    cut->waited = true;
    if ( from >= to )
        return XENOPROF_OK;
    status = begin(cut);
    cut->wait_put = true;
    if ( status || to - from == span )
        return status ? status : put(cut, item);
    for ( size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++ )
        *parts[i] = waits_between(*parts[i], span, from - start, to - start);
    waited->span = to - from;
    return put_at(cut, &part, to);
}

/* As reports count it: cost at both ends, events at the first, else at the
 * last. */
static bool is_counted(const struct cut *cut, const struct xenoprof_item *item)
{
    const bool first = item->kind == XENOPROF_ITEM_COST ||
                       item->kind == XENOPROF_ITEM_MEASURED;
    const bool last = item->kind != XENOPROF_ITEM_MEASURED;

    return item->time >= cut->span.from + !first &&
           (item->time < cut->span.to || (last && item->time == cut->span.to));
}

/* What is said of a time up to an item's is of that time, or is not. */
static enum xenoprof_status cut_counted(struct cut *cut,
                                        const struct xenoprof_item *item)
{
    enum xenoprof_status status;

    if ( !is_counted(cut, item) )
        return XENOPROF_OK;
    status = begin(cut);
    return status ? status : put(cut, item);
}

static enum xenoprof_status cut_spooled(struct cut *cut,
                                        const struct xenoprof_item *item)
{
    const uint64_t second = item->u.spooled.second * XENOPROF_SECOND;
    const uint64_t from = near_span(cut, second);
    const uint64_t to = near_span(cut, second + XENOPROF_SECOND);
    struct xenoprof_item part = *item;

    if ( item->u.spooled.anew )
        return put(cut, item);
    if ( from >= to )
        return XENOPROF_OK;
    /* They were taken all over the second. */
    part.u.spooled.period = waits_between(
        part.u.spooled.period, XENOPROF_SECOND, from - second, to - second);
    return put(cut, &part);
}

static enum xenoprof_status cut_item(struct cut *cut,
                                     const struct xenoprof_item *item)
{
    switch ( item->kind )
    {
    case XENOPROF_ITEM_ATTRIBUTE: return cut_attribute(cut, item);
    case XENOPROF_ITEM_SAMPLE: return cut_sample(cut, item);
    case XENOPROF_ITEM_RING: return cut_ring(cut, item);
    case XENOPROF_ITEM_RING_SUM: return cut_sum(cut, item);
    case XENOPROF_ITEM_COUNTERS: return cut_counters(cut, item);
    case XENOPROF_ITEM_IDLE: return cut_idle(cut, item);
    case XENOPROF_ITEM_WAIT: return cut_wait(cut, item);
    case XENOPROF_ITEM_COST:
    case XENOPROF_ITEM_LATENCY:
    case XENOPROF_ITEM_EXITS:
    case XENOPROF_ITEM_MEASURED: return cut_counted(cut, item);
    case XENOPROF_ITEM_SPOOLED: return cut_spooled(cut, item);
    case XENOPROF_ITEM_DOMAIN:
    case XENOPROF_ITEM_CLOSED: return put_at(cut, item, near(cut, item->time));
    /* Written if a sample has them, or of all times. */
    case XENOPROF_ITEM_PLACE:
    case XENOPROF_ITEM_LINE:
    case XENOPROF_ITEM_STACK:
    case XENOPROF_ITEM_TYPE:
    case XENOPROF_ITEM_ORIGIN: return put(cut, item);
    case XENOPROF_ITEM_CODE:
    case XENOPROF_ITEM_INSTRUCTION:
    case XENOPROF_ITEM_SOURCE:
    case XENOPROF_ITEM_SAMPLES: break;
    }
    return XENOPROF_OK;
}

static uint64_t time_of(const struct xenoprof_item *item)
{
    return item->kind == XENOPROF_ITEM_SAMPLE ? item->u.sample.time
                                              : item->time;
}

static bool is_account(const struct xenoprof_item *item)
{
    return item->kind == XENOPROF_ITEM_RING ||
           item->kind == XENOPROF_ITEM_RING_SUM;
}

/* Which functions are hot is another thing in a part: cut_add() has them. */
static bool is_code(const struct xenoprof_item *item)
{
    return item->kind == XENOPROF_ITEM_CODE ||
           item->kind == XENOPROF_ITEM_INSTRUCTION ||
           item->kind == XENOPROF_ITEM_SOURCE;
}

enum xenoprof_status cut_add(struct cut *cut, const struct xenoprof_item *item)
{
    const enum xenoprof_status status = begin(cut);

    return status ? status : put(cut, item);
}

enum xenoprof_status cut_put(struct cut *cut, const struct xenoprof_item *item,
                             uint64_t block, uint64_t passed)
{
    enum xenoprof_status status = XENOPROF_OK;

    if ( is_code(item) )
        return XENOPROF_OK;
    if ( is_all(cut) )
        return put(cut, item);
    if ( !cut->last_block && time_of(item) > cut->span.to )
        cut->last_block = block;
    /* Rings count what comes after the time, too. */
    if ( !is_account(item) || !cut->last_block || cut->last_block == block )
        status = cut_item(cut, item);
    if ( !cut->last_block || cut->last_block == block )
        cut->outside = cut->out + passed;
    return status;
}

enum xenoprof_status cut_end(struct cut *cut)
{
    char *text SCOPE_FREE = NULL;
    enum xenoprof_status status;

    if ( is_all(cut) )
        return XENOPROF_OK;
    status = begin(cut);
    /* A session that says what vCPUs did says it, if only of other times. */
    if ( !status && cut->waited && !cut->wait_put )
    {
        cut->wait.u.wait.span = cut->wait.u.wait.running = 0;
        status = put_at(cut, &cut->wait, near(cut, cut->wait.time));
    }
    text = must_text("%" PRIu64, cut->expired + cut->outside);
    if ( !status )
        status = put_text(cut, 0, SESSION_ATTRIBUTE_CUT, text);
    if ( !status )
        status = put_text(cut, 0, SESSION_ATTRIBUTE_EXPIRED, text);
    return status;
}
