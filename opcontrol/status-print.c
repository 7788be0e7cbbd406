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
#include "status-print.h"

#define TITLE_WIDTH 10u
#define LINE_WIDTH  80u

void status_format_time(uint64_t utc, char *text, size_t size)
{
    time_t seconds = (time_t)(utc / 1000000000u);
    struct tm tm;

    text[0] = '\0';
    if ( gmtime_r(&seconds, &tm) )
        strftime(text, size, "%Y-%m-%d %H:%M:%S UTC", &tm);
}

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
    bool budget = strstr(status->lowered_by, SESSION_LOWERED_BUDGET);
    bool reader = strstr(status->lowered_by, SESSION_LOWERED_READER);
    bool over = status->lowered_until;
    char since[32], until[32];

    if ( !budget && !reader )
        return;
    status_format_time(status->lowered_since, since, sizeof(since));
    status_format_time(status->lowered_until, until, sizeof(until));
    fprintf(file, "          it %s low from %s %s%s: %s%s%s\n",
            over ? "was" : "is", since, over ? "to " : "on", over ? until : "",
            reader ? "xenoprofd did not get to read the rings in time" : "",
            reader && budget ? ", and " : "",
            budget ? "sampling took more than its budget" : "");
}

/* Others chose the text: a domain, a user, somebody's session. */
static void print_text(const char *before, const char *text, const char *behind,
                       FILE *file)
{
    fputs(before, file);
    text_print(file, text, 0);
    fputs(behind, file);
}

static void print_session(const struct status *status, FILE *file)
{
    char since[32], until[32];

    status_format_time(status->since, since, sizeof(since));
    status_format_time(status->until, until, sizeof(until));
    print_text("session   ", status->name, " in ", file);
    print_text("", status->dir, "\n", file);
    fprintf(file, "          from %s%s%s", since,
            status->until ? " to " : ", still running",
            status->until ? until : "");
    if ( status->by[0] )
        print_text(", started by ", status->by, "", file);
    fputc('\n', file);
}

static void print_sampler(const struct status *status, FILE *file)
{
    print_text("sampler   ", status->sampler, "", file);
    fprintf(file, ", %" PRIu64 " Hz for each of %" PRIu64 " pCPUs",
            status->frequency, status->pcpus);
    if ( status->frequency != status->asked )
        fprintf(file, " (%" PRIu64 " asked for)", status->asked);
    fputc('\n', file);
    print_lowered("the budget", status->slowed, status->raised, file);
    print_lowered("a reader that lagged", status->lagged, status->caught_up,
                  file);
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
    }
    if ( status->throttled || status->late )
        fprintf(file,
                "          %" PRIu64 " came too fast for a sample and stopped "
                "their counter until a tick, %" PRIu64 " NMIs came late\n",
                status->throttled, status->late);
    if ( status->imprecise )
        fprintf(file,
                "          %" PRIu64 " samples by IBS are where the NMI came: "
                "what was tagged is not known\n",
                status->imprecise);
}

static void print_samples(const struct status *status, FILE *file)
{
    const char *between = " (";

    fprintf(file, "samples   made %" PRIu64 ", read %" PRIu64 ", lost %" PRIu64,
            status->made, status->read, status->lost);
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
        if ( status->lost_by_cause[i] )
        {
            fprintf(file, "%s%" PRIu64 " by %s", between,
                    status->lost_by_cause[i], xenoprof_cause_name(i));
            between = ", ";
        }
    if ( *between == ',' )
        fputc(')', file);
    if ( status->expired )
        fprintf(file, ", expired %" PRIu64 " of those read", status->expired);
    if ( status->made > status->read + status->lost )
        fprintf(file, "; waiting %" PRIu64,
                status->made - status->read - status->lost);
    fputc('\n', file);
    if ( status->waiters_made )
        fprintf(file,
                "waited    made %" PRIu64 ", read %" PRIu64 ", lost %" PRIu64
                " of vCPUs that waited for a pCPU\n",
                status->waiters_made, status->waiters_read,
                status->waiters_lost);
}

static void print_cost(const struct status *status, FILE *file)
{
    fprintf(file, "cost      Xen %" PRIu64 " ms", status->cost / 1000000);
    if ( status->daemon_pid )
        fprintf(file,
                ", xenoprofd %" PRIu64 " ms user, %" PRIu64
                " ms system, its processes %" PRIu64 " ms\n"
                "memory    xenoprofd %" PRIu64 " KiB (at most %" PRIu64 ")",
                status->daemon_user / 1000000, status->daemon_system / 1000000,
                status->daemon_children / 1000000,
                status->daemon_resident / 1024, status->daemon_peak / 1024);
    fputc('\n', file);
}

/* What only matters if something is odd. */
static void print_ticks(const struct status *status, FILE *file)
{
    fprintf(file,
            "ticks     due %" PRIu64 ", missed %" PRIu64 " (%" PRIu64
            " of them on pCPUs gone idle)\n",
            status->due, status->missed, status->idle);
    if ( status->stack_room )
        fprintf(file,
                "stack     at least %" PRIu64
                " bytes were free in each NMI; %" PRIu64
                " ticks missed for lack of room\n",
                status->stack_room, status->cramped);
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

/* "web (1), kernel: 92.5% of 40 whole, 5.0% went beyond the window"; what can be
 * done about these is added to remedies, by cause. */
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
        bool said = !remedies[i];

        for ( unsigned int k = 0; k < i && !said; k++ )
            said = remedies[k] && !strcmp(remedies[k], remedies[i]);
        if ( said )
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
    if ( agent->dropped )
        fprintf(file, "\nno room for %" PRIu64 " processes that had ended",
                agent->dropped);
    if ( agent->refused )
        fprintf(file, "\nno room for %" PRIu64 " mappings and files",
                agent->refused);
    if ( agent->lost )
        fprintf(file, "\nlost %" PRIu64 " records", agent->lost);
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
    if ( agent->clock_error )
        fprintf(file, ", its clock is known to %.1f us",
                (double)agent->clock_error / 1e3);
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
            snprintf(unit, sizeof(unit), "%c%u", ring->pcpu ? 'p' : 'v',
                     ring->unit);
        if ( ring->domain == DOMAIN_ID_IDLE )
            fprintf(file, "%6s  ", "-");
        else
            fprintf(file, "%6u  ", ring->domain);
        text_print(file, ring->name[0] ? ring->name : "-", 24);
        fprintf(file, " %5s  %10" PRIu64 "  %10" PRIu64 "  %10" PRIu64 "  ",
                unit, ring->made, ring->read, ring->lost);
        print_text("", ring->state, "\n", file);
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
}

/* What is wrong. */
static void print_troubles(const struct status *status, FILE *file)
{
    if ( status->session && status->trouble[0] )
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

/* What is wrong, what is recorded, how much of it, how, and what else there is
 * to know. */
void status_print_table(const struct status *status, FILE *file)
{
    print_state(status, file);
    print_troubles(status, file);
    if ( !status->session )
        return;
    print_session(status, file);
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

struct json_number {
    const char *key;
    uint64_t value;
};

static void put_json_numbers(struct json *json,
                             const struct json_number *numbers, size_t count)
{
    for ( size_t i = 0; i < count; i++ )
    {
        json_key(json, numbers[i].key);
        json_u64(json, numbers[i].value);
    }
}

#define PUT_NUMBERS(json, ...)                                                 \
    do                                                                         \
    {                                                                          \
        const struct json_number numbers_[] = {__VA_ARGS__};                   \
                                                                               \
        put_json_numbers(json, numbers_,                                       \
                         sizeof(numbers_) / sizeof(*numbers_));                \
    } while ( 0 )

static void put_json_text(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_string(json, *text ? text : NULL);
}

static void put_json_sampler(struct json *json, const struct status *status)
{
    json_key(json, "sampler");
    if ( !status->session )
    {
        json_null(json);
        return;
    }
    json_object_begin_flat(json);
    put_json_text(json, "name", status->sampler);
    PUT_NUMBERS(json, {"frequency", status->frequency},
                {"asked", status->asked}, {"slowed", status->slowed},
                {"raised", status->raised}, {"lagged", status->lagged},
                {"caught_up", status->caught_up});
    put_json_text(json, "lowered_by", status->lowered_by);
    PUT_NUMBERS(json, {"lowered_since", status->lowered_since},
                {"lowered_until", status->lowered_until},
                {"stack_room", status->stack_room},
                {"cramped", status->cramped}, {"throttled", status->throttled},
                {"late", status->late}, {"imprecise", status->imprecise});
    json_object_end(json);
}

static void put_json_events(struct json *json, const struct status *status)
{
    json_key(json, "events");
    json_array_begin(json);
    for ( size_t i = 0; i < status->events.count; i++ )
    {
        const struct status_event *event = &status->events.items[i];

        json_object_begin_flat(json);
        put_json_text(json, "name", event->name);
        PUT_NUMBERS(json, {"set", event->set}, {"count", event->count},
                    {"counted", event->counted});
        json_object_end(json);
    }
    json_array_end(json);
}

static void put_json_session(struct json *json, const struct status *status)
{
    json_key(json, "session");
    if ( !status->session )
    {
        json_null(json);
        return;
    }
    json_object_begin(json);
    put_json_text(json, "name", status->name);
    put_json_text(json, "dir", status->dir);
    put_json_text(json, "by", status->by);
    put_json_text(json, "options", status->options);
    PUT_NUMBERS(json, {"since", status->since}, {"until", status->until},
                {"pcpus", status->pcpus});
    json_object_end(json);
}

static void put_json_counters(struct json *json, const struct status *status)
{
    json_key(json, "counters");
    json_object_begin(json);
    PUT_NUMBERS(json, {"due", status->due}, {"missed", status->missed},
                {"idle", status->idle}, {"made", status->made},
                {"read", status->read}, {"lost", status->lost},
                {"expired", status->expired}, {"switched", status->switched},
                {"moved", status->moved}, {"cost_ns", status->cost},
                {"waiters_made", status->waiters_made},
                {"waiters_read", status->waiters_read},
                {"waiters_lost", status->waiters_lost});
    json_key(json, "lost_by_cause");
    json_object_begin_flat(json);
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
        PUT_NUMBERS(json, {xenoprof_cause_name(i), status->lost_by_cause[i]});
    json_object_end(json);
    json_object_end(json);
}

static void put_json_waiting(struct json *json, const struct status *status)
{
    json_key(json, "waiting");
    json_object_begin_flat(json);
    PUT_NUMBERS(json, {"samples", status->waiting.samples},
                {"bytes", status->waiting.bytes},
                {"guests", status->waiting.guests});
    json_object_end(json);
}

static void put_json_ring(struct json *json, const struct status_ring *ring)
{
    json_object_begin_flat(json);
    PUT_NUMBERS(json, {"domain", ring->domain});
    json_key(json, "domain_name");
    json_string(json, ring->name);
    if ( ring->ended )
        PUT_NUMBERS(json, {"rings", ring->ended});
    else
        PUT_NUMBERS(json, {ring->pcpu ? "pcpu" : "vcpu", ring->unit});
    PUT_NUMBERS(json, {"made", ring->made}, {"read", ring->read},
                {"lost", ring->lost});
    put_json_text(json, "state", ring->state);
    if ( !ring->pcpu )
        put_json_text(json, "uuid", ring->uuid);
    json_object_end(json);
}

static void put_json_chain(struct json *json, const struct chain_count *row)
{
    json_object_begin_flat(json);
    PUT_NUMBERS(json, {"domain", row->domain});
    json_key(json, "domain_name");
    json_string(json, row->name);
    put_json_text(json, "mode", xenoprof_mode_name(row->mode));
    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
        PUT_NUMBERS(
            json, {xenoprof_ended_name((enum xenoprof_ended)i), row->ended[i]});
    json_object_end(json);
}

static void put_json_chains(struct json *json, const struct status *status)
{
    json_key(json, "chains");
    json_array_begin(json);
    for ( size_t i = 0; i < status->chains.count; i++ )
        if ( status->chains.walked[status->chains.items[i].mode] )
            put_json_chain(json, &status->chains.items[i]);
    json_array_end(json);
}

static void put_json_agent(struct json *json, const struct status_agent *agent)
{
    json_object_begin_flat(json);
    PUT_NUMBERS(json, {"domain", agent->domain});
    put_json_text(json, "domain_name", agent->name);
    put_json_text(json, "state", agent->state);
    put_json_text(json, "text", agent->text);
    PUT_NUMBERS(json, {"events", agent->events}, {"root", agent->root},
                {"asked", agent->asked}, {"named", agent->named},
                {"unnamed", agent->unnamed}, {"fileless", agent->fileless},
                {"unknown", agent->unknown}, {"unanswered", agent->unanswered},
                {"slowest_ns", agent->slowest},
                {"clock_error_ns", agent->clock_error}, {"cpu_ns", agent->cpu},
                {"bytes", agent->bytes}, {"dropped", agent->dropped},
                {"refused", agent->refused}, {"lost", agent->lost},
                {"dear", agent->dear});
    put_json_text(json, "dear_files", agent->dear_files);
    json_object_end(json);
}

static void put_json_agents(struct json *json, const struct status *status)
{
    json_key(json, "agents");
    json_array_begin(json);
    for ( size_t i = 0; i < status->agents.count; i++ )
        put_json_agent(json, &status->agents.items[i]);
    json_array_end(json);
}

static void put_json_daemon(struct json *json, const struct status *status)
{
    json_key(json, "daemon");
    if ( !status->daemon_pid )
    {
        json_null(json);
        return;
    }
    json_object_begin_flat(json);
    PUT_NUMBERS(
        json, {"pid", status->daemon_pid}, {"user_ns", status->daemon_user},
        {"system_ns", status->daemon_system},
        {"children_ns", status->daemon_children},
        {"resident", status->daemon_resident}, {"peak", status->daemon_peak});
    json_object_end(json);
}

bool status_print_json(const struct status *status, FILE *file)
{
    struct json json;

    json_init(&json, file);
    json_object_begin(&json);
    put_json_text(&json, "state", status->state);
    put_json_sampler(&json, status);
    put_json_events(&json, status);
    put_json_session(&json, status);
    put_json_counters(&json, status);
    put_json_waiting(&json, status);
    json_key(&json, "rings");
    json_array_begin(&json);
    for ( size_t i = 0; i < status->rings.count; i++ )
        put_json_ring(&json, &status->rings.items[i]);
    json_array_end(&json);
    put_json_chains(&json, status);
    put_json_agents(&json, status);
    PUT_NUMBERS(&json, {"awaited", status->awaited});
    put_json_text(&json, "payload_above", status->covered_by);
    put_json_text(&json, "warning", status->warning);
    put_json_text(&json, "trouble", status->trouble);
    put_json_daemon(&json, status);
    json_object_end(&json);
    return json_finish(&json);
}
