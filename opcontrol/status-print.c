/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --status as a table for people, and as JSON for programs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json-writer.h"
#include "base/text.h"
#include "base/wrap.h"
#include "libxenoprof/session/session-attributes.h"
#include "progress.h"
#include "status-print.h"

#define TITLE_WIDTH 10u
#define LINE_WIDTH  80u
#define INDENT      "          "

void status_format_time(uint64_t utc, char *text, size_t size)
{
    time_t seconds = (time_t)(utc / 1000000000u);
    struct tm tm;

    text[0] = '\0';
    if ( gmtime_r(&seconds, &tm) )
        strftime(text, size, "%Y-%m-%d %H:%M:%S UTC", &tm);
}

/* Sentences of a line's numbers, each between two texts. */
#define STATUS_LINE(line)                                                      \
    static void say_##line(const struct status_##line *values,                 \
                           const char *before, const char *after, FILE *file)  \
    {                                                                          \
        (void)values, (void)before, (void)after, (void)file;
#define STATUS_LIST(line, list) STATUS_LINE(line)
#define STATUS_TEXT(...)
#define STATUS_NUMBER(...)
#define STATUS_COUNT(line, key, name, sentence)                                \
    if ( values->key )                                                         \
        fprintf(file, "%s" sentence "%s", before, values->key, after);
#define STATUS_END(line) }
#include "control/status-values.def"

static void print_times(uint64_t times, FILE *file)
{
    if ( times == 1 )
        fputs("once", file);
    else
        fprintf(file, "%" PRIu64 " times", times);
}

static void print_lowered(const char *who, uint64_t slowed, uint64_t raised,
                          FILE *file)
{
    if ( !slowed )
        return;
    fprintf(file, "          %s lowered it ", who);
    print_times(slowed, file);
    if ( raised )
    {
        fputs(" and raised it again ", file);
        print_times(raised, file);
    }
    fputc('\n', file);
}

/* Why it was low the last time, and when. */
static void print_low(const struct status *status, FILE *file)
{
    bool budget = strstr(status->sampler.lowered_by, SESSION_LOWERED_BUDGET);
    bool reader = strstr(status->sampler.lowered_by, SESSION_LOWERED_READER);
    bool over = status->sampler.lowered_until;
    char since[32], until[32];

    if ( !budget && !reader )
        return;
    status_format_time(status->sampler.lowered_since, since, sizeof(since));
    status_format_time(status->sampler.lowered_until, until, sizeof(until));
    fprintf(file, "          it %s low from %s %s%s: %s%s%s\n",
            over ? "was" : "is", since, over ? "to " : "on", over ? until : "",
            reader ? "xenoprofd did not get to read the rings in time" : "",
            reader && budget ? ", and " : "",
            budget ? "sampling took more than its budget" : "");
}

/* Others chose the text: a domain, a user, somebody's session. */
static void print_text(const char *before, const char *text, const char *after,
                       FILE *file)
{
    fputs(before, file);
    text_print(file, text, 0);
    fputs(after, file);
}

static void print_status_session(const struct status *status, FILE *file)
{
    char since[32], until[32];

    status_format_time(status->session.since, since, sizeof(since));
    status_format_time(status->session.until, until, sizeof(until));
    print_text("session   ", status->session.name, " in ", file);
    print_text("", status->session.dir, "\n", file);
    fprintf(file, "          from %s%s%s", since,
            status->session.until ? " to " : ", still running",
            status->session.until ? until : "");
    if ( status->session.by[0] )
        print_text(", started by ", status->session.by, "", file);
    fputc('\n', file);
    say_session(&status->session, INDENT, "\n", file);
}

static void print_sampler(const struct status *status, FILE *file)
{
    print_text("sampler   ", status->sampler.name, "", file);
    fprintf(file, ", %" PRIu64 " Hz for each of %" PRIu64 " pCPUs",
            status->sampler.frequency, status->sampler.pcpus);
    if ( status->sampler.frequency != status->sampler.asked )
        fprintf(file, " (%" PRIu64 " asked for)", status->sampler.asked);
    fputc('\n', file);
    print_lowered("the budget", status->sampler.slowed, status->sampler.raised,
                  file);
    print_lowered("a reader that lagged", status->sampler.lagged,
                  status->sampler.caught_up, file);
    print_low(status, file);
}

static void print_events(const struct status *status, FILE *file)
{
    for ( size_t i = 0; i < status->events.count; i++ )
    {
        const struct status_event *event = &status->events.items[i];

        print_text("event     ", event->name, "", file);
        if ( event->count )
            fprintf(file, ", each %" PRIu64, event->count);
        else
            fputs(", as often as the frequency says", file);
        fprintf(file, ", in set %" PRIu64 ": %" PRIu64 " counted\n",
                event->set + 1, event->counted);
        say_event(event, INDENT, "\n", file);
    }
    if ( status->sampler.throttled || status->sampler.late )
        fprintf(file,
                "          %" PRIu64 " came too fast for a sample and stopped "
                "their counter until a tick, %" PRIu64 " NMIs came late\n",
                status->sampler.throttled, status->sampler.late);
    say_sampler(&status->sampler, INDENT, "\n", file);
}

static void print_samples(const struct status *status, FILE *file)
{
    const char *between = " (";

    fprintf(file, "samples   made %" PRIu64 ", read %" PRIu64 ", lost %" PRIu64,
            status->counters.made, status->counters.read,
            status->counters.lost);
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
        if ( status->lost_by_cause[i] )
        {
            fprintf(file, "%s%" PRIu64 " by %s", between,
                    status->lost_by_cause[i], xenoprof_cause_name(i));
            between = ", ";
        }
    if ( *between == ',' )
        fputc(')', file);
    if ( status->counters.expired )
        fprintf(file, ", expired %" PRIu64 " of those read",
                status->counters.expired);
    if ( status->counters.made > status->counters.read + status->counters.lost )
        fprintf(file, "; waiting %" PRIu64,
                status->counters.made - status->counters.read -
                    status->counters.lost);
    fputc('\n', file);
    if ( status->counters.waiters_made )
        fprintf(file,
                "waited    made %" PRIu64 ", read %" PRIu64 ", lost %" PRIu64
                " of vCPUs that waited for a pCPU\n",
                status->counters.waiters_made, status->counters.waiters_read,
                status->counters.waiters_lost);
    say_counters(&status->counters, INDENT, "\n", file);
}

/* What each part of a sample takes in Xen. */
static void print_price(const struct status *status, FILE *file)
{
    uint64_t first = status->sampler.cost_first;
    uint64_t tick = status->sampler.cost_tick;
    uint64_t cost = status->counters.cost, made = status->counters.made;

    if ( !made || !tick || first + tick > cost )
        return;
    fprintf(file,
            " (%" PRIu64 " ns a sample: first half %" PRIu64
            ", second half %" PRIu64 ", tick %" PRIu64 ")",
            cost / made, first / made, (cost - first - tick) / made,
            tick / made);
}

static void print_cost(const struct status *status, FILE *file)
{
    fprintf(file, "cost      Xen %" PRIu64 " ms",
            status->counters.cost / 1000000);
    print_price(status, file);
    if ( status->daemon.pid )
        fprintf(file,
                ", xenoprofd %" PRIu64 " ms user, %" PRIu64
                " ms system, its processes %" PRIu64 " ms\n"
                "memory    xenoprofd %" PRIu64 " KiB (at most %" PRIu64 ")",
                status->daemon.user_ns / 1000000,
                status->daemon.system_ns / 1000000,
                status->daemon.children_ns / 1000000,
                status->daemon.resident / 1024, status->daemon.peak / 1024);
    fputc('\n', file);
    say_daemon(&status->daemon, INDENT, "\n", file);
}

/* What only matters if something is odd. */
static void print_ticks(const struct status *status, FILE *file)
{
    fprintf(file,
            "ticks     due %" PRIu64 ", missed %" PRIu64 " (%" PRIu64
            " of them on pCPUs gone idle)\n",
            status->counters.due, status->counters.missed,
            status->counters.idle);
    if ( status->sampler.stack_room )
        fprintf(file,
                "stack     at least %" PRIu64
                " bytes were free in each NMI; %" PRIu64
                " ticks missed for lack of room\n",
                status->sampler.stack_room, status->sampler.cramped);
}

#define CAUSES_SHOWN 2u   /* of a row of chains */
#define CAUSE_LEAST  0.01 /* of its chains */

/* The cause, but for reaching the root, that most of what is left have; ROOT:
 * there is none. */
static enum xenoprof_ended take_cause(uint64_t ended[XENOPROF_ENDS])
{
    unsigned int most = XENOPROF_ENDED_ROOT;

    ended[XENOPROF_ENDED_ROOT] = 0;
    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
        if ( ended[i] > ended[most] )
            most = i;
    return (enum xenoprof_ended)most;
}

/* "web (1), kernel: 92.5% of 40 whole, 5.0% went beyond the window"; what can
 * be done about these is added to remedies, by cause. */
static void put_chain(const struct chain_count *row, const char **remedies,
                      FILE *file)
{
    const uint64_t all = chain_count_all(row);
    uint64_t ended[XENOPROF_ENDS];

    memcpy(ended, row->ended, sizeof(ended));
    text_print(file, row->name, 0);
    fprintf(file, " (%u), %s: %.1f%% of %" PRIu64 " whole", row->domain,
            xenoprof_mode_name(row->mode),
            100.0 * (double)ended[XENOPROF_ENDED_ROOT] / (double)all, all);
    for ( unsigned int i = 0; i < CAUSES_SHOWN; i++ )
    {
        const enum xenoprof_ended cause = take_cause(ended);
        const double part = (double)ended[cause] / (double)all;

        if ( part < CAUSE_LEAST )
            return;
        fprintf(file, ", %.1f%% %s", 100 * part, xenoprof_ended_text(cause));
        if ( !remedies[cause] )
            remedies[cause] = xenoprof_ended_remedy(cause, ended[cause], all);
        ended[cause] = 0;
    }
}

static void print_chain(const struct chain_count *row, const char *title,
                        const char **remedies, FILE *file)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);

    if ( memory )
    {
        put_chain(row, remedies, memory);
        fclose(memory);
    }
    text_print(file, title, TITLE_WIDTH);
    if ( text )
        wrap_print(file, text, TITLE_WIDTH, LINE_WIDTH);
    free(text);
    fputc('\n', file);
}

/* Each once, whoever it is for. */
static void print_remedies(const char *const *remedies, FILE *file)
{
    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
    {
        bool printed = !remedies[i];

        for ( unsigned int k = 0; k < i && !printed; k++ )
            printed = remedies[k] && !strcmp(remedies[k], remedies[i]);
        if ( printed )
            continue;
        fprintf(file, "%*s> ", (int)TITLE_WIDTH, "");
        wrap_print(file, remedies[i], TITLE_WIDTH + 2, LINE_WIDTH);
        fputc('\n', file);
    }
}

static void print_chains(const struct status *status, FILE *file)
{
    const char *remedies[XENOPROF_ENDS] = {NULL};
    const char *title = "chains";

    for ( size_t i = 0; i < status->chains.count; i++ )
    {
        const struct chain_count *row = &status->chains.items[i];

        if ( !status->chains.walked[row->mode] || !chain_count_all(row) )
            continue;
        print_chain(row, title, remedies, file);
        title = "";
    }
    print_remedies(remedies, file);
}

/* What it had no room or no time for has no names. */
static void put_agent_losses(const struct status_agent *agent, FILE *file)
{
    say_agent(agent, "\n", "", file);
    if ( agent->dear )
        fprintf(file,
                "\nreads no more of %" PRIu64
                " files in this session, which took too much, or whose user's "
                "files did:\n%s",
                agent->dear, agent->dear_files);
}

static void put_agent(const struct status_agent *agent, FILE *file)
{
    const struct {
        uint64_t count;
        const char *text;
    } kinds[] = {
        {agent->named, "named"},
        {agent->unnamed, "known by where their function begins"},
        {agent->fileless, "of no file that can be read"},
        {agent->unknown, "not known"},
        {agent->unanswered, "not answered"},
    };

    text_print(file, agent->domain ? agent->name : "dom0", 0);
    fputs(": ", file);
    if ( agent->text[0] )
        print_text("", agent->text, "; its user code has addresses meanwhile. ",
                   file);
    fprintf(file, "asked for %" PRIu64 " addresses of processes", agent->asked);
    for ( size_t i = 0; agent->asked && i < sizeof(kinds) / sizeof(*kinds);
          i++ )
        if ( kinds[i].count )
            fprintf(file, ", %.1f%% %s",
                    100.0 * (double)kinds[i].count / (double)agent->asked,
                    kinds[i].text);
    if ( strcmp(agent->state, "present") )
        return;
    if ( agent->root )
        fputs(" (by its guest root)", file);
    else if ( !agent->events )
        fputs(" (by /proc: perf events are forbidden)", file);
    fprintf(file,
            "\nopagent took %" PRIu64
            " ms, at most %.1f for a message, %" PRIu64 " KiB",
            agent->cpu / 1000000, (double)agent->slowest / 1e6,
            agent->bytes / 1024);
    if ( agent->clock )
        fprintf(file, ", its clock is known to %.1f us",
                (double)agent->clock / 1e3);
    put_agent_losses(agent, file);
}

static void print_agent(const struct status_agent *agent, const char *title,
                        FILE *file)
{
    char *text = NULL, *rest = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);

    if ( !memory )
        return;
    put_agent(agent, memory);
    fclose(memory);
    for ( char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
          line = strtok_r(NULL, "\n", &rest) )
    {
        char *clean = text_clean(line);

        text_print(file, line == text ? title : "", TITLE_WIDTH);
        if ( clean )
            wrap_print(file, clean, TITLE_WIDTH, LINE_WIDTH);
        fputc('\n', file);
        free(clean);
    }
    free(text);
}

static void print_agents(const struct status *status, FILE *file)
{
    for ( size_t i = 0; i < status->agents.count; i++ )
        print_agent(&status->agents.items[i], i ? "" : "agents", file);
}

/* What states of rings mean, but for that of most. */
static const struct {
    const char *state;
    const char *text;
} ring_states[] = {
    {"waits", "its samples are kept until their guest's kernel is found, or "
              "their stacks are walked: nothing is lost by that"},
    {"closed", "the domain is gone, and some of its samples are still read"},
    {"stopped", "Xen stopped it: what it would take is lost"},
    {"gone", "read to the end; all such rings of a domain are one row"},
    {"broken", "it has no valid records, and is not read any more"},
};

static void explain_rings(const struct status *status, FILE *file)
{
    for ( size_t i = 0; i < sizeof(ring_states) / sizeof(*ring_states); i++ )
    {
        bool any = false;

        for ( size_t k = 0; k < status->rings.count && !any; k++ )
            any = !strcmp(status->rings.items[k].state, ring_states[i].state);
        if ( !any )
            continue;
        fprintf(file, "%s: ", ring_states[i].state);
        wrap_print(file, ring_states[i].text,
                   strlen(ring_states[i].state) + strlen(": "), LINE_WIDTH);
        fputc('\n', file);
    }
}

static bool is_pcpu(const struct status_ring *ring)
{
    return strcmp(ring->kind, "pcpu") == 0;
}

static void print_rings(const struct status *status, FILE *file)
{
    fprintf(file, "\n%6s  %-24s %5s  %10s  %10s  %10s  %s\n", "domain", "name",
            "cpu", "made", "read", "lost", "ring");
    for ( size_t i = 0; i < status->rings.count; i++ )
    {
        const struct status_ring *ring = &status->rings.items[i];
        char unit[16];

        if ( ring->ended )
            snprintf(unit, sizeof(unit), "-");
        else
            snprintf(unit, sizeof(unit), "%c%u", is_pcpu(ring) ? 'p' : 'v',
                     ring->unit);
        if ( ring->domain == DOMAIN_ID_IDLE )
            fprintf(file, "%6s  ", "-");
        else
            fprintf(file, "%6u  ", ring->domain);
        text_print(file, ring->name[0] ? ring->name : "-", 24);
        fprintf(file, " %5s  %10" PRIu64 "  %10" PRIu64 "  %10" PRIu64 "  ",
                unit, ring->made, ring->read, ring->lost);
        print_text("", ring->state, "\n", file);
        say_ring(ring, INDENT, "\n", file);
    }
    explain_rings(status, file);
}

static bool is_stopping(const struct status *status)
{
    return strcmp(status->state, "stopping") == 0;
}

/* A sentence, below itself on a terminal. */
static void print_long(const char *title, const char *text, FILE *file)
{
    char *clean = text_clean(text);

    text_print(file, title, TITLE_WIDTH);
    if ( clean )
        wrap_print(file, clean, TITLE_WIDTH, wrap_width(file));
    fputc('\n', file);
    free(clean);
}

static void print_state(const struct status *status, FILE *file)
{
    char text[160];

    waiting_say(&status->waiting, text, sizeof(text));
    fprintf(file, "state     %s%s%s\n", status->state,
            is_stopping(status) ? ": " : "", is_stopping(status) ? text : "");
}

static void print_waiting(const struct status *status, FILE *file)
{
    char text[160];

    if ( !status->waiting.samples || is_stopping(status) )
        return;
    waiting_say(&status->waiting, text, sizeof(text));
    fprintf(file, "waiting   %s\n", text);
    say_waiting(&status->waiting, INDENT, "\n", file);
}

/* What is wrong. */
static void print_troubles(const struct status *status, FILE *file)
{
    if ( status->has_session && status->trouble[0] )
        print_long("trouble", status->trouble, file);
    if ( status->warning[0] )
        print_long("note", status->warning, file);
    if ( status->covered_by[0] )
        print_text("          the payload '", status->covered_by,
                   "' lies above the module and must be unloaded before "
                   "--deinit\n",
                   file);
    if ( status->awaited )
        fprintf(file, "          %u pages wait for dom0 to unmap them\n",
                status->awaited);
}

/* What was taken, by whom and when; what waits, and why. */
static void print_push(const struct status *status, FILE *file)
{
    const struct status_push *push = &status->push;
    char last[32];

    if ( !push->state[0] )
        return;
    status_format_time(push->sent_last, last, sizeof(last));
    print_text("push      ", push->state, ": ", file);
    print_text("to ", push->url, "", file);
    print_text(" (", push->engine, ")\n", file);
    fprintf(file,
            "          it took %" PRIu64 " windows with %" PRIu64 " samples%s%s"
            "; %" PRIu64 " with %" PRIu64 " wait, %" PRIu64 " KiB\n",
            push->sent_windows, push->sent_samples,
            push->sent_last ? ", the last at " : "",
            push->sent_last ? last : "", push->queued_windows,
            push->queued_samples, push->queued_bytes / 1024);
    if ( push->error[0] )
    {
        status_format_time(push->error_time, last, sizeof(last));
        fprintf(file, "          at %s: ", last);
        print_text("", push->error, "\n", file);
    }
    say_push(push, INDENT, "\n", file);
}

/* What is wrong, what is recorded, how much of it, how, and what else there is
 * to know. */
void status_print_table(const struct status *status, FILE *file)
{
    print_state(status, file);
    print_troubles(status, file);
    print_push(status, file);
    if ( !status->has_session )
        return;
    print_status_session(status, file);
    print_samples(status, file);
    print_waiting(status, file);
    print_sampler(status, file);
    print_events(status, file);
    print_cost(status, file);
    print_chains(status, file);
    print_agents(status, file);
    print_ticks(status, file);
    print_rings(status, file);
}

/* name NULL: it is not shown. */
static void put_json_number(struct json *json, const char *name, uint64_t value)
{
    if ( !name )
        return;
    json_key(json, name);
    json_u64(json, value);
}

static void put_json_text(struct json *json, const char *name, const char *text)
{
    if ( !name )
        return;
    json_key(json, name);
    json_string(json, *text ? text : NULL);
}

/* The values of a line, in an object that the caller begins and ends. */
#define STATUS_LINE(line)                                                      \
    static void put_##line##_values(struct json *json,                         \
                                    const struct status_##line *values)        \
    {
#define STATUS_LIST(line, list) STATUS_LINE(line)
#define STATUS_TEXT(line, key, size, name)                                     \
    put_json_text(json, name, values->key);
#define STATUS_NUMBER(line, key, bits, name)                                   \
    put_json_number(json, name, values->key);
#define STATUS_COUNT(line, key, name, sentence)                                \
    put_json_number(json, name, values->key);
#define STATUS_END(line) }
#include "control/status-values.def"

/* Of a line that has nothing else; null if it is not known. */
#define PUT_LINE(json, status, line, known)                                    \
    do                                                                         \
    {                                                                          \
        json_key(json, #line);                                                 \
        if ( !(known) )                                                        \
        {                                                                      \
            json_null(json);                                                   \
            break;                                                             \
        }                                                                      \
        json_object_begin_flat(json);                                          \
        put_##line##_values(json, &(status)->line);                            \
        json_object_end(json);                                                 \
    } while ( 0 )

/* An array of objects, each of which has what put puts. */
#define PUT_LIST(json, status, list, put)                                      \
    do                                                                         \
    {                                                                          \
        json_key(json, #list);                                                 \
        json_array_begin(json);                                                \
        for ( size_t i_ = 0; i_ < (status)->list.count; i_++ )                 \
        {                                                                      \
            json_object_begin_flat(json);                                      \
            put(json, &(status)->list.items[i_]);                              \
            json_object_end(json);                                             \
        }                                                                      \
        json_array_end(json);                                                  \
    } while ( 0 )

static void put_json_session(struct json *json, const struct status *status)
{
    json_key(json, "session");
    if ( !status->has_session )
    {
        json_null(json);
        return;
    }
    json_object_begin(json);
    put_session_values(json, &status->session);
    put_json_number(json, "pcpus", status->sampler.pcpus);
    json_object_end(json);
}

static void put_json_counters(struct json *json, const struct status *status)
{
    json_key(json, "counters");
    json_object_begin(json);
    put_counters_values(json, &status->counters);
    json_key(json, "lost_by_cause");
    json_object_begin_flat(json);
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
        put_json_number(json, xenoprof_cause_name(i), status->lost_by_cause[i]);
    json_object_end(json);
    json_object_end(json);
}

/* Its name may be "". */
static void put_json_domain(struct json *json, uint16_t domain,
                            const char *name)
{
    put_json_number(json, "domain", domain);
    json_key(json, "domain_name");
    json_string(json, name);
}

static void put_json_ring(struct json *json, const struct status_ring *ring)
{
    put_json_domain(json, ring->domain, ring->name);
    if ( ring->ended )
        put_json_number(json, "rings", ring->ended);
    else
        put_json_number(json, is_pcpu(ring) ? "pcpu" : "vcpu", ring->unit);
    put_ring_values(json, ring);
    if ( !is_pcpu(ring) )
        put_json_text(json, "uuid", ring->uuid);
}

static void put_json_chains(struct json *json, const struct status *status)
{
    json_key(json, "chains");
    json_array_begin(json);
    for ( size_t i = 0; i < status->chains.count; i++ )
    {
        const struct chain_count *row = &status->chains.items[i];

        if ( !status->chains.walked[row->mode] )
            continue;
        json_object_begin_flat(json);
        put_json_domain(json, row->domain, row->name);
        put_json_text(json, "mode", xenoprof_mode_name(row->mode));
        for ( unsigned int end = 0; end < XENOPROF_ENDS; end++ )
            put_json_number(json, xenoprof_ended_name((enum xenoprof_ended)end),
                            row->ended[end]);
        json_object_end(json);
    }
    json_array_end(json);
}

bool status_print_json(const struct status *status, FILE *file)
{
    struct json json;

    json_init(&json, file);
    json_object_begin(&json);
    put_json_text(&json, "state", status->state);
    PUT_LINE(&json, status, sampler, status->has_session);
    PUT_LIST(&json, status, events, put_event_values);
    put_json_session(&json, status);
    put_json_counters(&json, status);
    PUT_LINE(&json, status, waiting, true);
    PUT_LIST(&json, status, rings, put_json_ring);
    put_json_chains(&json, status);
    PUT_LIST(&json, status, agents, put_agent_values);
    put_json_number(&json, "awaited", status->awaited);
    put_json_text(&json, "payload_above", status->covered_by);
    put_json_text(&json, "warning", status->warning);
    put_json_text(&json, "trouble", status->trouble);
    PUT_LINE(&json, status, daemon, status->daemon.pid);
    PUT_LINE(&json, status, push, status->push.state[0]);
    json_object_end(&json);
    return json_finish(&json);
}
