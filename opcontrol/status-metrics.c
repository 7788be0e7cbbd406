/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --status as Prometheus reads it: rows of metrics.def, for lists of values. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/text.h"
#include "base/vector.h"
#include "status-metrics.h"

/* The lines of status-values.def that have numbers. */
enum metric_line {
    METRIC_LINE_session,
    METRIC_LINE_sampler,
    METRIC_LINE_event,
    METRIC_LINE_counters,
    METRIC_LINE_waiting,
    METRIC_LINE_ring,
    METRIC_LINE_agent,
    METRIC_LINE_daemon,
    METRIC_LINE_push,
    METRIC_LINES
};

enum metric_unit { UNIT_PLAIN, UNIT_NS };

#define TYPE_COUNTER "counter"
#define TYPE_GAUGE   "gauge"

static const struct metric {
    enum metric_line line;
    size_t offset;
    enum metric_unit unit;
    const char *type;
    const char *name;
    const char *help;
} metrics[] = {
#define METRIC(line, key, type, unit, name, help)                              \
    {METRIC_LINE_##line,                                                       \
     offsetof(struct status_##line, key),                                      \
     UNIT_##unit,                                                              \
     TYPE_##type,                                                              \
     name,                                                                     \
     help},
#include "metrics.def"
};

#define METRIC(line, key, ...)                                                 \
    _Static_assert(sizeof(((struct status_##line *)NULL)->key) ==              \
                       sizeof(uint64_t),                                       \
                   "metrics are read as numbers of 64 bits");
#include "metrics.def"

/* The values of a line that an answer has, each with its labels as they are
 * printed, from '{' to '}'; "": it has none. */
struct metric_rows {
    VECTOR(struct metric_row {
        const void *values;
        char *labels;
    });
};

static void put_label(FILE *file, const char *between, const char *name,
                      const char *value)
{
    char *clean = text_clean(value);

    fprintf(file, "%s%s=\"", between, name);
    for ( const char *at = clean ? clean : ""; *at; at++ )
    {
        if ( *at == '\\' || *at == '"' )
            fputc('\\', file);
        fputc(*at, file);
    }
    fputc('"', file);
    free(clean);
}

static void put_domain(FILE *file, unsigned int domain, const char *name)
{
    fprintf(file, "domain=\"%u\"", domain);
    put_label(file, ",", "domain_name", name);
}

static void put_event_labels(const void *values, FILE *file)
{
    const struct status_event *event = values;

    put_label(file, "", "event", event->name);
    fprintf(file, ",set=\"%" PRIu64 "\"", event->set + 1);
}

static void put_ring_labels(const void *values, FILE *file)
{
    const struct status_ring *ring = values;
    bool pcpu = strcmp(ring->kind, "pcpu") == 0;

    put_domain(file, ring->domain, ring->name);
    put_label(file, ",", "uuid", pcpu ? "" : ring->uuid);
    put_label(file, ",", "kind", ring->kind);
    if ( ring->ended )
        fputs(",cpu=\"ended\"", file);
    else
        fprintf(file, ",cpu=\"%u\"", ring->unit);
}

static void put_agent_labels(const void *values, FILE *file)
{
    const struct status_agent *agent = values;

    put_domain(file, (unsigned int)agent->domain, agent->name);
}

/* Adds all values of a list, each of so many bytes.  put NULL: they have no
 * labels. */
static void add_rows(struct metric_rows *rows, const void *items, size_t count,
                     size_t size, void (*put)(const void *values, FILE *file))
{
    for ( size_t i = 0; i < count; i++ )
    {
        struct metric_row *row = must(vector_add(rows));
        size_t length;
        FILE *file = must(open_memstream(&row->labels, &length));

        row->values = (const char *)items + i * size;
        if ( put )
        {
            fputc('{', file);
            put(row->values, file);
            fputc('}', file);
        }
        must_do(fclose(file) == 0);
    }
}

static void free_rows(struct metric_rows *rows)
{
    for ( size_t i = 0; i < rows->count; i++ )
        free(rows->items[i].labels);
    vector_free(rows);
}

static void find_rows(struct metric_rows *rows, const struct status *status)
{
#define ADD_LINE(line, known)                                                  \
    add_rows(&rows[METRIC_LINE_##line], &status->line, (known) ? 1 : 0,        \
             sizeof(status->line), NULL)
#define ADD_LIST(line, list)                                                   \
    add_rows(&rows[METRIC_LINE_##line], status->list.items,                    \
             status->list.count, sizeof(*status->list.items),                  \
             put_##line##_labels)
    ADD_LINE(session, status->has_session);
    ADD_LINE(sampler, status->has_session);
    ADD_LIST(event, events);
    ADD_LINE(counters, true);
    ADD_LINE(waiting, true);
    ADD_LIST(ring, rings);
    ADD_LIST(agent, agents);
    ADD_LINE(daemon, status->daemon.pid);
    ADD_LINE(push, status->push.state[0]);
#undef ADD_LINE
#undef ADD_LIST
}

static void put_head(FILE *file, const char *name, const char *type,
                     const char *help)
{
    fprintf(file, "# HELP xenoprof_%s %s\n# TYPE xenoprof_%s %s\n", name, help,
            name, type);
}

static void put_value(FILE *file, const char *name, const char *labels,
                      enum metric_unit unit, uint64_t value)
{
    fprintf(file, "xenoprof_%s%s ", name, labels);
    if ( unit == UNIT_NS )
        fprintf(file, "%" PRIu64 ".%09" PRIu64 "\n", value / 1000000000u,
                value % 1000000000u);
    else
        fprintf(file, "%" PRIu64 "\n", value);
}

static uint64_t value_of(const struct metric_row *row, size_t offset)
{
    uint64_t value;

    memcpy(&value, (const char *)row->values + offset, sizeof(value));
    return value;
}

/* The row, with the rows behind it that are alike; those are passed by. */
static void put_row(FILE *file, const struct metric *metric,
                    const struct metric_rows *rows, size_t at)
{
    const char *labels = rows->items[at].labels;
    uint64_t value = 0;

    for ( size_t i = 0; i < at; i++ )
        if ( strcmp(rows->items[i].labels, labels) == 0 )
            return;
    for ( size_t i = at; i < rows->count; i++ )
        if ( strcmp(rows->items[i].labels, labels) == 0 )
            value += value_of(&rows->items[i], metric->offset);
    put_value(file, metric->name, labels, metric->unit, value);
}

/* What has no number of its own in status-values.def. */
static void put_lost(const struct status *status, FILE *file)
{
    put_head(file, "samples_lost_total", TYPE_COUNTER,
             "Samples lost, by cause.");
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
        fprintf(file, "xenoprof_samples_lost_total{cause=\"%s\"} %" PRIu64 "\n",
                xenoprof_cause_name(i), status->lost_by_cause[i]);
}

static void put_chains(const struct status *status, FILE *file)
{
    put_head(file, "chains_total", TYPE_COUNTER,
             "Call chains, by domain, mode and how they ended.");
    for ( size_t i = 0; i < status->chains.count; i++ )
    {
        const struct chain_count *row = &status->chains.items[i];

        for ( unsigned int end = 0; end < XENOPROF_ENDS; end++ )
        {
            if ( !status->chains.walked[row->mode] || !row->ended[end] )
                continue;
            fputs("xenoprof_chains_total{", file);
            put_domain(file, row->domain, row->name);
            fprintf(file, ",mode=\"%s\",end=\"%s\"} %" PRIu64 "\n",
                    xenoprof_mode_name(row->mode),
                    xenoprof_ended_name((enum xenoprof_ended)end),
                    row->ended[end]);
        }
    }
}

/* Each text is a number: 1 for the state that it is in. */
static void put_states(const struct status *status, FILE *file)
{
    static const char *const states[] = {"unloaded", "loaded", "running",
                                         "stopping", "stopped"};

    put_head(file, "state", TYPE_GAUGE, "Whether the module is in this state.");
    for ( size_t i = 0; i < sizeof(states) / sizeof(*states); i++ )
        fprintf(file, "xenoprof_state{state=\"%s\"} %d\n", states[i],
                strcmp(status->state, states[i]) == 0);
    put_head(file, "agent_present", TYPE_GAUGE, "Whether the agent answers.");
    for ( size_t i = 0; i < status->agents.count; i++ )
    {
        fputs("xenoprof_agent_present{", file);
        put_agent_labels(&status->agents.items[i], file);
        fprintf(file, "} %d\n",
                strcmp(status->agents.items[i].state, "present") == 0);
    }
}

static void put_troubles(const struct status *status, FILE *file)
{
    const struct {
        const char *name;
        uint64_t value;
        const char *help;
    } rows[] = {
        {"trouble", status->trouble[0] != '\0',
         "Whether --status shows a trouble."},
        {"warning", status->warning[0] != '\0', "Whether it shows a note."},
        {"payload_above", status->covered_by[0] != '\0',
         "Whether a payload lies above the module."},
        {"awaited_pages", status->awaited,
         "Pages that wait for dom0 to unmap them."},
        {"push_up", status->push.pid != 0, "Whether xenoprof-push runs."},
        {"daemon_up", status->daemon.pid != 0, "Whether xenoprofd runs."},
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++ )
    {
        put_head(file, rows[i].name, TYPE_GAUGE, rows[i].help);
        put_value(file, rows[i].name, "", UNIT_PLAIN, rows[i].value);
    }
}

bool status_print_metrics(const struct status *status, FILE *file)
{
    struct metric_rows rows[METRIC_LINES] = {0};

    find_rows(rows, status);
    put_states(status, file);
    put_troubles(status, file);
    for ( size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++ )
    {
        const struct metric_rows *line = &rows[metrics[i].line];

        if ( line->count )
            put_head(file, metrics[i].name, metrics[i].type, metrics[i].help);
        for ( size_t k = 0; k < line->count; k++ )
            put_row(file, &metrics[i], line, k);
    }
    put_lost(status, file);
    put_chains(status, file);
    for ( size_t i = 0; i < METRIC_LINES; i++ )
        free_rows(&rows[i]);
    return fflush(file) == 0 && !ferror(file);
}
