/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --status shows, from the daemon's answer. */
#include <string.h>

#include "control/protocol.h"
#include "status-field.h"

static const struct status_field session_fields[] = {
    STATUS_TEXT("name", name),
    STATUS_TEXT("dir", dir),
    STATUS_TEXT("by", by),
    STATUS_TEXT("options", options),
    STATUS_NUMBER("since", since),
    STATUS_NUMBER("until", until),
    {NULL, 0, 0},
};

static const struct status_field sampler_fields[] = {
    STATUS_TEXT("name", sampler),
    STATUS_NUMBER("frequency", frequency),
    STATUS_NUMBER("asked", asked),
    STATUS_NUMBER("slowed", slowed),
    STATUS_NUMBER("raised", raised),
    STATUS_NUMBER("lagged", lagged),
    STATUS_NUMBER("caught_up", caught_up),
    STATUS_TEXT("lowered_by", lowered_by),
    STATUS_NUMBER("lowered_since", lowered_since),
    STATUS_NUMBER("lowered_until", lowered_until),
    STATUS_NUMBER("pcpus", pcpus),
    STATUS_NUMBER("stack_room", stack_room),
    STATUS_NUMBER("cramped", cramped),
    STATUS_NUMBER("throttled", throttled),
    STATUS_NUMBER("late", late),
    STATUS_NUMBER("imprecise", imprecise),
    {NULL, 0, 0},
};

static const struct status_field counter_fields[] = {
    STATUS_NUMBER("due", due),
    STATUS_NUMBER("missed", missed),
    STATUS_NUMBER("idle", idle),
    STATUS_NUMBER("made", made),
    STATUS_NUMBER("read", read),
    STATUS_NUMBER("lost", lost),
    STATUS_NUMBER("expired", expired),
    STATUS_NUMBER("switched", switched),
    STATUS_NUMBER("moved", moved),
    STATUS_NUMBER("cost", cost),
    STATUS_NUMBER("waiters_made", waiters_made),
    STATUS_NUMBER("waiters_read", waiters_read),
    STATUS_NUMBER("waiters_lost", waiters_lost),
    {NULL, 0, 0},
};

static const struct status_field daemon_fields[] = {
    STATUS_NUMBER("pid", daemon_pid),
    STATUS_NUMBER("user_ns", daemon_user),
    STATUS_NUMBER("system_ns", daemon_system),
    STATUS_NUMBER("children_ns", daemon_children),
    STATUS_NUMBER("resident", daemon_resident),
    STATUS_NUMBER("peak", daemon_peak),
    {NULL, 0, 0},
};

#define AGENT_TEXT(key, member)                                                \
    {                                                                          \
        key, offsetof(struct status_agent, member),                            \
            sizeof(((struct status_agent *)NULL)->member)                      \
    }
#define AGENT_NUMBER(key, member)                                              \
    {                                                                          \
        key, offsetof(struct status_agent, member), 0                          \
    }

static const struct status_field agent_fields[] = {
    AGENT_NUMBER("domain", domain),
    AGENT_TEXT("name", name),
    AGENT_TEXT("state", state),
    AGENT_TEXT("text", text),
    AGENT_NUMBER("events", events),
    AGENT_NUMBER("root", root), /* it reads a guest root */
    AGENT_NUMBER("asked", asked),
    AGENT_NUMBER("named", named),
    AGENT_NUMBER("unnamed", unnamed),
    AGENT_NUMBER("fileless", fileless),
    AGENT_NUMBER("unknown", unknown),
    AGENT_NUMBER("unanswered", unanswered),
    AGENT_NUMBER("slowest", slowest),
    AGENT_NUMBER("clock", clock_error),
    AGENT_NUMBER("cpu", cpu),
    AGENT_NUMBER("bytes", bytes),
    AGENT_NUMBER("dropped", dropped),
    AGENT_NUMBER("refused", refused),
    AGENT_NUMBER("lost", lost),
    AGENT_NUMBER("dear", dear),
    AGENT_TEXT("dear_files", dear_files),
    {NULL, 0, 0},
};

static const struct status_field warning_fields[] = {
    STATUS_TEXT("text", warning),
    {NULL, 0, 0},
};

static const struct status_field trouble_fields[] = {
    STATUS_TEXT("text", trouble),
    {NULL, 0, 0},
};

void status_free(struct status *status)
{
    vector_free(&status->rings);
    vector_free(&status->events);
    vector_free(&status->agents);
    chain_counts_free(&status->chains);
    *status = (struct status){0};
}

/* Takes members of what is at to. */
static void take_fields(void *to, const char *line,
                        const struct status_field *field)
{
    for ( ; field->key; field++ )
    {
        void *member = (char *)to + field->offset;

        if ( field->size )
            line_get_text(line, field->key, member, field->size);
        else
            *(uint64_t *)member = line_get_number(line, field->key);
    }
}

static void take_session(struct status *status, const char *line)
{
    char state[16] = "";

    status->session = true;
    line_get_text(line, "state", state, sizeof(state));
    /* The module does not sample any more, and the daemon works on. */
    if ( strcmp(state, "stopping") == 0 )
        status->state = "stopping";
}

static void take_waiting(struct status *status, const char *line)
{
    waiting_take(&status->waiting, line);
}

static void take_lost(struct status *status, const char *line)
{
    char cause[32] = "";

    line_get_text(line, "cause", cause, sizeof(cause));
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
        if ( strcmp(cause, xenoprof_cause_name(i)) == 0 )
            status->lost_by_cause[i] = line_get_number(line, "count");
}

static void take_event(struct status *status, const char *line)
{
    struct status_event *event = vector_add(&status->events);

    if ( !event )
        return;
    line_get_text(line, "name", event->name, sizeof(event->name));
    event->set = line_get_number(line, "set");
    event->count = line_get_number(line, "count");
    event->counted = line_get_number(line, "counted");
}

static void take_ring(struct status *status, const char *line)
{
    struct status_ring *ring = vector_add(&status->rings);
    char kind[8] = "";

    if ( !ring )
        return;
    line_get_text(line, "kind", kind, sizeof(kind));
    ring->pcpu = strcmp(kind, "pcpu") == 0;
    ring->number = (uint32_t)line_get_number(line, "number");
    ring->generation = (uint32_t)line_get_number(line, "generation");
    ring->domain = (uint16_t)line_get_number(line, "domain");
    ring->unit = (uint16_t)line_get_number(line, "unit");
    ring->ended = (uint32_t)line_get_number(line, "ended");
    line_get_text(line, "name", ring->name, sizeof(ring->name));
    line_get_text(line, "uuid", ring->uuid, sizeof(ring->uuid));
    line_get_text(line, "state", ring->state, sizeof(ring->state));
    ring->made = line_get_number(line, "made");
    ring->read = line_get_number(line, "read");
    ring->lost = line_get_number(line, "lost");
}

static void take_agent(struct status *status, const char *line)
{
    struct status_agent *agent = vector_add(&status->agents);

    if ( agent )
        take_fields(agent, line, agent_fields);
}

static void take_chains(struct status *status, const char *line)
{
    chain_counts_take(&status->chains, line);
}

/* The lines of an answer by their word: fields, and what fields cannot say. */
static const struct {
    const char *word;
    const struct status_field *fields;
    void (*take)(struct status *status, const char *line);
} words[] = {
    {"session", session_fields, take_session},
    {"sampler", sampler_fields, NULL},
    {"event", NULL, take_event},
    {"counters", counter_fields, NULL},
    {"lost", NULL, take_lost},
    {"waiting", NULL, take_waiting},
    {"ring", NULL, take_ring},
    {"chains", NULL, take_chains},
    {"agent", NULL, take_agent},
    {"daemon", daemon_fields, NULL},
    {"warning", warning_fields, NULL},
    {"trouble", trouble_fields, NULL},
};

static void take_line(struct status *status, const char *line)
{
    for ( size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++ )
    {
        if ( !line_is(line, words[i].word) )
            continue;
        if ( words[i].fields )
            take_fields(status, line, words[i].fields);
        if ( words[i].take )
            words[i].take(status, line);
    }
}

void status_from_reply(struct status *status, const struct reply *reply)
{
    for ( const char *line = reply_next(reply, NULL); line;
          line = reply_next(reply, line) )
        take_line(status, line);
}
