/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of --status and of other replies. */
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/scope.h"
#include "control/event-spec.h"
#include "control/protocol.h"
#include "control/session-folders.h"
#include "control/status-values.h"
#include "recording-attributes.h"
#include "reply.h"

#define SECOND 1000000000u

void reply_sentence(FILE *out, const char *word, const char *text)
{
    line_begin(out, word);
    line_text(out, "text", text);
    line_end(out);
}

static const char *state_name(enum recording_state state)
{
    switch ( state )
    {
    case RECORDING_STARTING: return "starting";
    case RECORDING_RUNNING: return "running";
    case RECORDING_STOPPING: return "stopping";
    default: return "stopped";
    }
}

static void put_session(const struct recording *recording, FILE *out)
{
    struct status_session session = {
        .since = recording->since,
        .until = recording->until,
    };

    STATUS_COPY(session.name, SESSION_CURRENT);
    STATUS_COPY(session.dir, recording->options.session_dir);
    STATUS_COPY(session.state, state_name(recording->state));
    STATUS_COPY(session.by, recording->by);
    STATUS_COPY(session.options, recording->options_text);
    status_put_session(&session, "session", out);
}

/* Xen's time as people know it. */
static uint64_t utc_of(uint64_t time, uint64_t now)
{
    return time && now ? utc_now() - (now - time) : 0;
}

static void put_sampler(const struct recording *recording, FILE *out)
{
    const struct xenoprof_status_page *status = &recording->status;
    struct status_sampler sampler = {
        .frequency = status->frequency,
        .asked = status->asked,
        .slowed = status->slowed,
        .raised = status->raised,
        .lagged = status->lagged,
        .caught_up = status->caught_up,
        .pcpus = status->pcpus,
        .stack_room = status->stack_room,
        .cramped = status->cramped,
        .throttled = status->throttled,
        .late = status->late,
        .imprecise = status->imprecise,
        .cost_first = status->cost_first,
        .cost_tick = status->cost_tick,
    };
    uint64_t since, until, now = xen_time(recording->xen);

    STATUS_COPY(sampler.name, xenoprof_sampler_name(status->sampler));
    STATUS_COPY(sampler.lowered_by,
                recording_lowered(recording, &since, &until));
    sampler.lowered_since = utc_of(since, now);
    sampler.lowered_until = utc_of(until, now);
    status_put_sampler(&sampler, "sampler", out);
}

/* One for each event, in the order of their numbers. */
static void put_events(const struct recording *recording, FILE *out)
{
    const struct domain_pairs *sets = &recording->options.events;
    struct event_spec event;
    size_t number = 0;

    for ( size_t set = 0; set < sets->count; set++ )
        for ( const char *text = sets->texts[set];
              number < XENOPROF_EVENTS_MAX && event_spec_next(&text, &event);
              number++ )
        {
            struct status_event values = {
                .set = set,
                .count = event.count,
                .counted = recording->status.counted[number],
            };

            STATUS_COPY(values.name, event.name);
            status_put_event(&values, "event", out);
        }
}

static void put_status_counters(const struct recording *recording, FILE *out)
{
    const struct waiter_account *waiters = &recording->drain.waiters;
    struct account_totals totals;
    struct status_counters counters;

    accounts_total(&recording->drain.accounts, &totals);
    counters = (struct status_counters){
        .made = totals.made,
        .read = totals.read,
        .lost = totals.lost,
        .expired = recording->expired,
        .waiters_made = waiters->made,
        .waiters_read = waiters->read,
        .waiters_lost = waiters->lost,
    };
    status_counters_of(&counters, &recording->status.counters);
    status_put_counters(&counters, "counters", out);
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
    {
        line_begin(out, "lost");
        line_text(out, "cause", xenoprof_cause_name(i));
        line_number(out, "count", totals.lost_by_cause[i]);
        line_end(out);
    }
}

void reply_waiting(const struct recording *recording, const char *word,
                   uint64_t deadline, FILE *out)
{
    uint64_t now = monotonic_now();
    struct spool_waiting waiting;
    struct status_waiting values;

    drain_waiting(&recording->drain, &waiting);
    values = (struct status_waiting){
        .samples = waiting.samples,
        .bytes = waiting.bytes,
        .guests = waiting.guests,
    };
    /* Whole seconds that begin with this one. */
    if ( deadline > now )
        values.left = (deadline - now + SECOND - 1) / SECOND;
    STATUS_COPY(values.state, state_name(recording->state));
    if ( recording->state == RECORDING_STARTING )
        values.sought = recording->unfound;
    status_put_waiting(&values, word, out);
}

static const char *ring_state(const struct account *account)
{
    if ( account->broken )
        return "broken";
    if ( !account->live )
        return "gone";
    switch ( account->info.state )
    {
    case XENOPROF_RING_OPEN: return account->fifo.count ? "waits" : "open";
    case XENOPROF_RING_CLOSED: return "closed";
    default: return "stopped";
    }
}

/* uuid NULL: whichever domain has this number. */
static const char *name_of_domain(const struct recording *recording,
                                  uint16_t domain, const uint8_t *uuid)
{
    const struct domain_name *named = domain_names_find(&recording->names,
                                                        domain, uuid);

    return named ? named->name : "";
}

static void put_ring(const struct recording *recording,
                     const struct account *account, FILE *out)
{
    const struct xenoprof_ring_info *info = &account->info;
    struct status_ring ring = {.lost = account_lost(account)};

    status_ring_of(&ring, info, account->read);
    if ( !ring.name[0] )
        STATUS_COPY(ring.name,
                    name_of_domain(recording, info->domain, info->uuid));
    STATUS_COPY(ring.state, ring_state(account));
    status_put_ring(&ring, "ring", out);
}

/* The rings of a domain that have ended, as one. */
static void put_ended(const struct recording *recording,
                      const struct xenoprof_ring_sum *ended, FILE *out)
{
    const struct xenoprof_ring_owner *owner = &ended->owner;
    struct status_ring ring = {.lost = 0};

    status_ring_of_sum(&ring, ended);
    if ( !ring.name[0] )
        STATUS_COPY(ring.name,
                    name_of_domain(recording, owner->domain, owner->uuid));
    status_put_ring(&ring, "ring", out);
}

/* One for each domain and mode whose chains are walked. */
static void put_chains(const struct recording *recording,
                       const struct chain_count *row, FILE *out)
{
    const char *name = name_of_domain(recording, row->domain, NULL);
    bool others = row->domain == XENOPROF_OTHERS;

    chain_count_put(row, !*name && others ? "ended" : name, out);
}

static const char *agent_state_name(enum agent_state state)
{
    switch ( state )
    {
    case AGENT_PRESENT: return "present";
    case AGENT_COMING: return "coming";
    case AGENT_BANNED: return "banned";
    default: return "absent";
    }
}

/* Their paths, line by line. */
static void set_dear_files(struct status_agent *agent,
                           const struct agent_figures *figures)
{
    const size_t size = sizeof(agent->dear_files);

    _Static_assert(sizeof(agent->dear_files) >= sizeof(figures->dear), "fits");
    for ( uint32_t i = 0, used = 0; i < figures->dear_count; i++ )
        used += (uint32_t)snprintf(agent->dear_files + used, size - used,
                                   "%s%s", i ? "\n" : "", figures->dear[i]);
}

static void put_agent(const struct recording *recording,
                      const struct guest *guest, FILE *out)
{
    const struct agent_link *link = guest->user->link;
    const struct agent_figures *figures = agent_link_figures(link);
    struct status_agent agent = {
        .domain = guest->domain,
        .events = figures->events,
        .root = figures->follows_us,
        .asked = figures->asked,
        .named = figures->found[AGENT_NAMED],
        .unnamed = figures->found[AGENT_NO_SYMBOL],
        .fileless = figures->found[AGENT_NO_FILE],
        .unknown = figures->found[AGENT_NO_MAPPING] +
                   figures->found[AGENT_NO_PROCESS],
        .unanswered = figures->found[AGENT_FOUNDS],
        .slowest = figures->slowest,
        .clock = guest->user->clock_error,
        .cpu = figures->work.cpu,
        .bytes = figures->work.bytes,
        .dropped = figures->work.dropped,
        .refused = figures->work.refused,
        .lost = figures->work.lost,
        .dear = figures->dear_count,
    };

    STATUS_COPY(agent.name, name_of_domain(recording, guest->domain, NULL));
    STATUS_COPY(agent.state, agent_state_name(agent_link_state(link)));
    STATUS_COPY(agent.text, agent_link_trouble(link));
    set_dear_files(&agent, figures);
    status_put_agent(&agent, "agent", out);
}

static void put_agents(const struct recording *recording, FILE *out)
{
    const struct guest *guests = recording->guests ? recording->guests->guests
                                                   : NULL;

    for ( uint32_t i = 0; guests && i < GUESTS_MAX; i++ )
        if ( guests[i].used && guests[i].user )
            put_agent(recording, &guests[i], out);
}

void reply_recording(const struct recording *recording, FILE *out)
{
    const struct chain_count *chains = recording->drain.chains.items;

    if ( recording->state == RECORDING_NONE )
        return;
    put_session(recording, out);
    put_sampler(recording, out);
    put_events(recording, out);
    put_status_counters(recording, out);
    if ( recording->state == RECORDING_STOPPING )
        reply_waiting(recording, "waiting", recording->stop_progress.end, out);
    else if ( recording_is_open(recording) )
        reply_waiting(recording, "waiting", 0, out);
    for ( size_t i = 0; i < recording->drain.accounts.count; i++ )
        put_ring(recording, &recording->drain.accounts.items[i], out);
    for ( size_t i = 0; i < recording->drain.accounts.ended.count; i++ )
        put_ended(recording, table_at(&recording->drain.accounts.ended, i),
                  out);
    for ( size_t i = 0; i < recording->drain.chains.count; i++ )
        if ( recording->drain.chains.walked[chains[i].mode] )
            put_chains(recording, &chains[i], out);
    put_agents(recording, out);
    if ( recording->warning[0] )
        reply_sentence(out, "warning", recording->warning);
    if ( recording->trouble[0] )
        reply_sentence(out, "trouble", recording->trouble);
}

static uint64_t nanoseconds(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * 1000000000u +
           (uint64_t)time->tv_usec * 1000u;
}

/* Returns bytes, or 0 where /proc does not say. */
static uint64_t resident_now(void)
{
    FILE *file SCOPE_FCLOSE = fopen("/proc/self/statm", "re");
    unsigned long pages = 0;

    if ( !file || fscanf(file, "%*u %lu", &pages) != 1 )
        return 0;
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void reply_daemon(const struct recording *recording, FILE *out)
{
    const struct process_maker *maker = recording->xen->maker;
    const struct wait_times *waits = &recording->drain.waits;
    uint64_t children = maker && maker->work ? maker->work->spent : 0;
    struct rusage usage = {0};
    struct status_daemon daemon;

    getrusage(RUSAGE_SELF, &usage);
    daemon = (struct status_daemon){
        .pid = (uint64_t)getpid(),
        .version = PACKAGE_VERSION,
        .user_ns = wait_times_on_pcpus(waits, nanoseconds(&usage.ru_utime)),
        .system_ns = wait_times_on_pcpus(waits, nanoseconds(&usage.ru_stime)),
        .children_ns = wait_times_on_pcpus(waits, children),
        .resident = resident_now(),
        .peak = (uint64_t)usage.ru_maxrss * 1024u,
    };
    status_put_daemon(&daemon, "daemon", out);
}
