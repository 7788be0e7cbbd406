/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of --status and of other replies. */
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/scope.h"
#include "control/event-spec.h"
#include "control/protocol.h"
#include "control/session-folders.h"
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
    line_begin(out, "session");
    line_text(out, "name", SESSION_CURRENT);
    line_text(out, "dir", recording->options.session_dir);
    line_text(out, "state", state_name(recording->state));
    line_number(out, "since", recording->since);
    line_number(out, "until", recording->until);
    line_text(out, "by", recording->by);
    line_text(out, "options", recording->options_text);
    line_end(out);
}

/* Xen's time as people know it. */
static uint64_t utc_of(uint64_t time, uint64_t now)
{
    return time && now ? utc_now() - (now - time) : 0;
}

static void put_lowered(const struct recording *recording, FILE *out)
{
    uint64_t since, until, now = xen_time(recording->xen);

    line_text(out, "lowered_by", recording_lowered(recording, &since, &until));
    line_number(out, "lowered_since", utc_of(since, now));
    line_number(out, "lowered_until", utc_of(until, now));
}

static void put_sampler(const struct recording *recording, FILE *out)
{
    const struct xenoprof_status_page *status = &recording->status;

    line_begin(out, "sampler");
    line_text(out, "name", xenoprof_sampler_name(status->sampler));
    line_number(out, "frequency", status->frequency);
    line_number(out, "asked", status->asked);
    line_number(out, "slowed", status->slowed);
    line_number(out, "raised", status->raised);
    line_number(out, "lagged", status->lagged);
    line_number(out, "caught_up", status->caught_up);
    line_number(out, "pcpus", status->pcpus);
    line_number(out, "stack_room", status->stack_room);
    line_number(out, "cramped", status->cramped);
    line_number(out, "throttled", status->throttled);
    line_number(out, "late", status->late);
    line_number(out, "imprecise", status->imprecise);
    put_lowered(recording, out);
    line_end(out);
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
            line_begin(out, "event");
            line_text(out, "name", event.name);
            line_number(out, "set", set);
            line_number(out, "count", event.count);
            line_number(out, "counted", recording->status.counted[number]);
            line_end(out);
        }
}

static void put_counters(const struct recording *recording, FILE *out)
{
    const struct xenoprof_counters *counters = &recording->status.counters;
    const struct waiter_account *waiters = &recording->drain.waiters;
    struct account_totals totals;

    accounts_total(&recording->drain.accounts, &totals);
    line_begin(out, "counters");
    line_number(out, "due", counters->due);
    line_number(out, "missed", counters->missed);
    line_number(out, "idle", counters->idle);
    line_number(out, "made", totals.made);
    line_number(out, "read", totals.read);
    line_number(out, "lost", totals.lost);
    line_number(out, "expired", recording->expired);
    line_number(out, "switched", counters->switched);
    line_number(out, "moved", counters->moved);
    line_number(out, "cost", counters->cost);
    line_number(out, "waiters_made", waiters->made);
    line_number(out, "waiters_read", waiters->read);
    line_number(out, "waiters_lost", waiters->lost);
    line_end(out);
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
    {
        line_begin(out, "lost");
        line_text(out, "cause", xenoprof_cause_name(i));
        line_number(out, "count", totals.lost_by_cause[i]);
        line_end(out);
    }
}

/* Whole seconds that begin with this one. */
static uint64_t seconds_until(uint64_t deadline)
{
    uint64_t now = monotonic_now();

    return deadline > now ? (deadline - now + SECOND - 1) / SECOND : 0;
}

void reply_waiting(const struct recording *recording, const char *word,
                   uint64_t deadline, FILE *out)
{
    struct spool_waiting waiting;

    drain_waiting(&recording->drain, &waiting);
    line_begin(out, word);
    line_text(out, "state", state_name(recording->state));
    line_number(out, "samples", waiting.samples);
    line_number(out, "bytes", waiting.bytes);
    line_number(out, "guests", waiting.guests);
    if ( recording->state == RECORDING_STARTING )
        line_number(out, "sought", recording->unfound);
    if ( deadline )
        line_number(out, "left", seconds_until(deadline));
    line_end(out);
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

static void put_ring(const struct recording *recording,
                     const struct account *account, FILE *out)
{
    const struct xenoprof_ring_info *info = &account->info;
    bool own = info->kind == XENOPROF_RING_VCPU;
    const struct domain_name *named = own ? domain_names_find(&recording->names,
                                                              info->domain,
                                                              info->uuid)
                                          : NULL;
    char uuid[UUID_TEXT_SIZE];

    uuid_format(info->uuid, uuid);
    line_begin(out, "ring");
    line_number(out, "number", info->ring);
    line_number(out, "generation", info->generation);
    line_text(out, "kind", own ? "vcpu" : "pcpu");
    line_number(out, "domain", own ? info->domain : DOMAIN_ID_IDLE);
    line_text(out, "name", own ? (named ? named->name : "") : DOMAIN_NAME_IDLE);
    line_text(out, "uuid", uuid);
    line_number(out, "unit", info->vcpu);
    line_text(out, "state", ring_state(account));
    line_number(out, "made", info->made);
    line_number(out, "read", account->read);
    line_number(out, "lost", account_lost(account));
    line_number(out, "size", info->size);
    line_end(out);
}

/* The rings of a domain that have ended, as one. */
static void put_ended(const struct recording *recording,
                      const struct xenoprof_ring_sum *ended, FILE *out)
{
    const struct xenoprof_ring_owner *owner = &ended->owner;
    bool own = owner->kind != XENOPROF_RING_PCPU;
    const struct domain_name *named = own ? domain_names_find(&recording->names,
                                                              owner->domain,
                                                              owner->uuid)
                                          : NULL;
    const char *name = named ? named->name : "";
    char uuid[UUID_TEXT_SIZE];

    if ( owner->domain == XENOPROF_OTHERS )
        name = ENDED_OTHERS;
    uuid_format(owner->uuid, uuid);
    line_begin(out, "ring");
    line_text(out, "kind", own ? "vcpu" : "pcpu");
    line_number(out, "domain", own ? owner->domain : DOMAIN_ID_IDLE);
    line_text(out, "name", own ? name : DOMAIN_NAME_IDLE);
    line_text(out, "uuid", uuid);
    line_number(out, "ended", ended->rings);
    line_text(out, "state", "gone");
    line_number(out, "made", ended->made);
    line_number(out, "read", ended->read);
    line_number(out, "lost",
                ended->lost_daemon + xenoprof_lost_in_xen(ended->lost));
    line_end(out);
}

/* One for each domain and mode whose chains are walked. */
static void put_chains(const struct recording *recording,
                       const struct chain_count *row, FILE *out)
{
    const struct domain_name *named = domain_names_find(&recording->names,
                                                        row->domain, NULL);
    const char *other = row->domain == XENOPROF_OTHERS ? "ended" : "";

    chain_count_put(row, named ? named->name : other, out);
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

/* Returns their paths, line by line, good until the next call. */
static const char *dear_files(const struct agent_figures *figures)
{
    static char lines[sizeof(figures->dear)];
    size_t used = 0;

    lines[0] = 0;
    for ( uint32_t i = 0; i < figures->dear_count; i++ )
        used += (size_t)snprintf(lines + used, sizeof(lines) - used, "%s%s",
                                 i ? "\n" : "", figures->dear[i]);
    return lines;
}

static void put_agent(const struct recording *recording,
                      const struct guest *guest, FILE *out)
{
    const struct domain_name *named = domain_names_find(&recording->names,
                                                        guest->domain, NULL);
    const struct agent_link *link = guest->user->link;
    const struct agent_figures *figures = agent_link_figures(link);

    line_begin(out, "agent");
    line_number(out, "domain", guest->domain);
    line_text(out, "name", named ? named->name : "");
    line_text(out, "state", agent_state_name(agent_link_state(link)));
    line_text(out, "text", agent_link_trouble(link));
    line_number(out, "events", figures->events);
    line_number(out, "root", figures->told);
    line_number(out, "asked", figures->asked);
    line_number(out, "named", figures->found[AGENT_NAMED]);
    line_number(out, "unnamed", figures->found[AGENT_NO_SYMBOL]);
    line_number(out, "fileless", figures->found[AGENT_NO_FILE]);
    line_number(out, "unknown",
                figures->found[AGENT_NO_MAPPING] +
                    figures->found[AGENT_NO_PROCESS]);
    line_number(out, "unanswered", figures->found[AGENT_FOUNDS]);
    line_number(out, "slowest", figures->slowest);
    line_number(out, "clock", guest->user->clock_error);
    line_number(out, "cpu", figures->work.cpu);
    line_number(out, "bytes", figures->work.bytes);
    line_number(out, "dropped", figures->work.dropped);
    line_number(out, "refused", figures->work.refused);
    line_number(out, "lost", figures->work.lost);
    line_number(out, "dear", figures->dear_count);
    line_text(out, "dear_files", dear_files(figures));
    line_end(out);
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
    put_counters(recording, out);
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

    getrusage(RUSAGE_SELF, &usage);
    line_begin(out, "daemon");
    line_number(out, "pid", (uint64_t)getpid());
    line_text(out, "version", PACKAGE_VERSION);
    line_number(out, "user_ns",
                wait_times_on_pcpus(waits, nanoseconds(&usage.ru_utime)));
    line_number(out, "system_ns",
                wait_times_on_pcpus(waits, nanoseconds(&usage.ru_stime)));
    line_number(out, "children_ns", wait_times_on_pcpus(waits, children));
    line_number(out, "resident", resident_now());
    line_number(out, "peak", (uint64_t)usage.ru_maxrss * 1024u);
    line_end(out);
}
