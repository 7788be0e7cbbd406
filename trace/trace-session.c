/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was traced, as a session. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <libxenoprof/session/session-attributes.h>

#include "trace-session.h"

/* A pCPU's record may be seen so much later than another's: a writer of Xen's
 * that is interrupted by a host's firmware, or an emulator, between its time
 * stamp and its mark. */
#define LAG_MS 50u

/* What a domain had that is not known at so many calls is left out: it came and
 * went between two lists. */
#define ASKED_MOST 16u

struct known_domain {
    uint16_t id;
    uint8_t uuid[16];
};

void trace_session_init(struct trace_session *session,
                        struct xenoprof_writer *writer, uint32_t khz, bool svm)
{
    *session = (struct trace_session){.writer = writer, .khz = khz ?: 1};
    runstates_init(&session->runstates);
    latencies_init(&session->latencies);
    exits_init(&session->exits, svm);
    table_init(&session->known, sizeof(struct known_domain),
               sizeof(struct known_domain));
}

void trace_session_free(struct trace_session *session)
{
    trace_order_free(&session->order);
    runstates_free(&session->runstates);
    turns_free(&session->turns);
    latencies_free(&session->latencies);
    exits_free(&session->exits);
    table_free(&session->known);
}

bool trace_session_add(struct trace_session *session,
                       const struct trace_event *event)
{
    return trace_order_add(&session->order, event);
}

/* Takes a record of the time that it is now. */
static bool take_current_event(struct trace_session *session,
                               const struct trace_event *event)
{
    struct turn *turn = turns_of(&session->turns, event->pcpu);
    struct traced_change change;

    if ( !turn )
        return false;
    if ( event->number == TRACE_LOST )
    {
        *turn = (struct turn){0};
        latencies_forget(&session->latencies);
        exits_forget(&session->exits);
    }
    if ( turns_change(event, &change) )
    {
        if ( !latencies_take(&session->latencies, &change, turn,
                             session->now) ||
             !exits_change(&session->exits, &change, turn, event->pcpu,
                           session->now) )
            return false;
        turns_take(turn, &change);
    }
    else if ( !exits_take(&session->exits, event, turn, session->now) )
        return false;
    return runstates_take(&session->runstates, event, session->now);
}

bool trace_session_count(struct trace_session *session, bool last)
{
    struct trace_order *order = &session->order;
    uint64_t lag = last ? 0 : (uint64_t)LAG_MS * session->khz;
    size_t ready = trace_order_ready(order, lag);

    for ( size_t i = 0; i < ready; i++ )
    {
        const struct trace_event *event = &order->items[i].event;

        /* As Xen makes its system time, of which this is within a second. */
        session->now = (uint64_t)((unsigned __int128)event->tsc * 1000000 /
                                  session->khz);
        if ( !session->first )
            session->first = session->reported = session->now;
        if ( !take_current_event(session, event) )
            return false;
    }
    trace_order_drop(order, ready);
    return true;
}

bool trace_session_guess(struct trace_session *session, uint16_t domain,
                         uint16_t vcpu, enum runstate state)
{
    return runstates_guess(&session->runstates, domain, vcpu, state,
                           session->first);
}

static enum xenoprof_status store_traced_domain(
    struct trace_session *session, const struct listed_domain *domain)
{
    struct known_domain known;
    enum xenoprof_status status;

    memset(&known, 0, sizeof(known));
    known.id = domain->id;
    memcpy(known.uuid, domain->uuid, sizeof(known.uuid));
    if ( table_find(&session->known, &known) )
        return XENOPROF_OK;
    status = xenoprof_writer_domain(
        session->writer, session->now, domain->id, domain->uuid, domain->name,
        domain->id ? SESSION_KIND_OTHER : SESSION_KIND_DOM0);
    if ( !status && !table_put(&session->known, &known) )
        status = XENOPROF_NO_MEMORY;
    return status;
}

static enum xenoprof_status say_vcpu(struct trace_session *session,
                                     struct traced_vcpu *vcpu)
{
    struct xenoprof_waited waited = {
        .domain = vcpu->key.domain,
        .vcpu = vcpu->key.vcpu,
        .running = vcpu->times[RUNSTATE_RUNS],
        .runnable = vcpu->times[RUNSTATE_WAITS],
        .blocked = vcpu->times[RUNSTATE_SLEEPS],
        .paused = vcpu->times[RUNSTATE_IS_OFFLINE],
    };
    enum xenoprof_status status;

    waited.span = waited.running + waited.runnable + waited.blocked +
                  waited.paused;
    if ( waited.span < XENOPROF_WAIT_UNIT )
        return XENOPROF_OK;
    status = xenoprof_writer_wait(session->writer, session->now, &waited);
    runstates_begin_again(vcpu);
    return status;
}

/* Whose rows are written, and when. */
struct naming {
    uint64_t time;
    trace_namer *name;
    void *self;
};

static enum xenoprof_status say_latency(struct trace_session *session,
                                        const struct naming *naming,
                                        struct latency_sum *sum)
{
    struct xenoprof_latency latency = {
        .domain = sum->key.who.domain,
        .vcpu = sum->key.who.vcpu,
        .by = sum->key.by,
        .why = sum->key.why,
        .bucket = sum->key.bucket,
        .count = sum->count,
        .sum = sum->sum,
        .longest = sum->longest,
    };
    enum xenoprof_status status = XENOPROF_OK;
    bool known = false;

    if ( sum->key.by != XENOPROF_NOBODY )
        status = naming->name(naming->self, naming->time, sum->key.by, &known);
    if ( !known )
        latency.by = XENOPROF_NOBODY;
    if ( !status )
        status = xenoprof_writer_latency(session->writer, naming->time,
                                         &latency);
    sum->count = sum->sum = sum->longest = 0;
    return status;
}

static enum xenoprof_status say_latencies(struct trace_session *session,
                                          const struct naming *naming)
{
    enum xenoprof_status status = XENOPROF_OK;
    struct table *sums = &session->latencies.sums;

    for ( size_t i = 0; !status && i < sums->count; i++ )
    {
        struct latency_sum *sum = table_at(sums, i);
        bool known = false;

        if ( sum->count )
            status = naming->name(naming->self, naming->time,
                                  sum->key.who.domain, &known);
        if ( !status && known )
            status = say_latency(session, naming, sum);
        else if ( sum->count && ++sum->asked >= ASKED_MOST )
        {
            session->latencies.left_out += sum->count;
            sum->count = 0;
        }
    }
    latencies_reported(&session->latencies);
    return status;
}

static enum xenoprof_status say_exit(struct trace_session *session,
                                     uint64_t time, struct exit_sum *sum)
{
    const struct xenoprof_exits exits = {
        .domain = sum->key.who.domain,
        .vcpu = sum->key.who.vcpu,
        .entry = {.code = sum->key.code,
                  .kind = (uint8_t)sum->key.kind,
                  .flags = XENOPROF_ENTRY_BARE},
        .count = sum->count,
        .in_xen = sum->in_xen,
        .away = sum->away,
        .shortest = sum->shortest,
        .longest = sum->longest,
    };

    sum->count = sum->in_xen = sum->away = sum->shortest = sum->longest = 0;
    return xenoprof_writer_exits(session->writer, time, &exits);
}

static enum xenoprof_status say_exits(struct trace_session *session,
                                      const struct naming *naming)
{
    enum xenoprof_status status = XENOPROF_OK;
    struct table *sums = &session->exits.sums;

    for ( size_t i = 0; !status && i < sums->count; i++ )
    {
        struct exit_sum *sum = table_at(sums, i);
        bool known = false;

        if ( sum->count )
            status = naming->name(naming->self, naming->time,
                                  sum->key.who.domain, &known);
        if ( !status && known )
            status = say_exit(session, naming->time, sum);
        else if ( sum->count && sum->key.who.domain != EXITS_OF_PCPU &&
                  ++sum->asked >= ASKED_MOST )
        {
            session->exits.left_out += sum->count;
            sum->count = 0;
        }
    }
    exits_reported(&session->exits);
    return status;
}

enum xenoprof_status trace_session_say_each(struct trace_session *session,
                                            uint64_t time, trace_namer *name,
                                            void *self)
{
    const struct naming naming = {time, name, self};
    enum xenoprof_status status = say_latencies(session, &naming);

    return status ? status : say_exits(session, &naming);
}

static enum xenoprof_status say_vcpus(struct trace_session *session,
                                      const struct domain_list *domains)
{
    enum xenoprof_status status = XENOPROF_OK;
    struct table *vcpus = &session->runstates.vcpus;

    runstates_until(&session->runstates, session->now);
    for ( size_t i = 0; !status && i < vcpus->count; i++ )
    {
        struct traced_vcpu *vcpu = table_at(vcpus, i);
        const struct listed_domain *domain = domain_list_find(domains,
                                                              vcpu->key.domain);

        if ( !domain )
            continue;
        status = store_traced_domain(session, domain);
        if ( !status )
            status = say_vcpu(session, vcpu);
    }
    return status;
}

struct listed {
    struct trace_session *session;
    const struct domain_list *domains;
};

static enum xenoprof_status name_listed(void *self, uint64_t time,
                                        uint16_t number, bool *known)
{
    const struct listed *listed = self;
    const struct listed_domain *domain = domain_list_find(listed->domains,
                                                          number);

    (void)time;
    *known = domain;
    return domain ? store_traced_domain(listed->session, domain) : XENOPROF_OK;
}

enum xenoprof_status trace_session_say(struct trace_session *session,
                                       const struct domain_list *domains)
{
    struct listed listed = {session, domains};
    enum xenoprof_status status = say_vcpus(session, domains);

    if ( !status )
        status = trace_session_say_each(session, session->now, name_listed,
                                        &listed);
    session->reported = session->now;
    return status;
}

/* Exits of a pCPU whose vCPU is not known. */
static uint64_t unowned(const struct exits *exits)
{
    uint64_t count = 0;

    for ( size_t i = 0; i < exits->sums.count; i++ )
    {
        const struct exit_sum *sum = table_at(&exits->sums, i);

        if ( sum->key.who.domain == EXITS_OF_PCPU )
            count += sum->count;
    }
    return count;
}

size_t trace_session_missing(const struct trace_session *session, char *text,
                             size_t size)
{
    const struct exits *exits = &session->exits;
    int length = snprintf(
        text, size,
        "%" PRIu64 " trace records lost, %" PRIu64
        " changes of state do not fit, %" PRIu64
        " exits without an entry, %" PRIu64 " of unknown vCPUs, %" PRIu64
        " waits and exits left out",
        session->runstates.lost, session->runstates.missed, exits->unpaired,
        unowned(exits), exits->left_out + session->latencies.left_out);

    return length > 0 && (size_t)length < size ? (size_t)length : 0;
}
