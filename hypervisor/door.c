/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The core's side of the door: commands, the state leaf, the status text.
 */
#include "core.h"
#include "lifecycle.h"
#include "setup.h"
#include "message.h"
#include "upkeep.h"
#include "hypervisor/xen-stack/xen-chain.h"

static uint64_t answer_sequence;

static int run_command(const struct words *words)
{
    switch ( words->word )
    {
    case WORD_RESERVE: return lifecycle_reserve(words);
    case WORD_PCPUS: return setup_pcpus(words);
    case WORD_DOMAIN: return setup_domain(words);
    case WORD_LINK: return setup_link(words);
    case WORD_FETCH: return setup_fetch(words);
    case WORD_FORGET: return setup_forget(words);
    case WORD_RELEASE: return setup_release(words);
    case WORD_EVENT: return setup_event(words);
    case WORD_START: return lifecycle_start();
    case WORD_STOP: return lifecycle_stop();
    case WORD_RESET: return lifecycle_reset();
    case WORDS: break;
    }
    return -ERROR_INVALID;
}

/* Returns whether the line is terminated within the length of a command. */
static bool fits(const char *line)
{
    for ( unsigned int i = 0; i < XENOPROF_COMMAND_MAX; i++ )
        if ( !line[i] )
            return true;
    return false;
}

int core_command(const char *line)
{
    struct words words;
    int error;

    answer_sequence++;
    refuse_nothing();
    if ( !fits(line) )
        return refuse(ERROR_RANGE, "a command has at most %u characters",
                      XENOPROF_COMMAND_MAX - 1);
    error = lifecycle_finish();
    if ( !error )
        error = words_parse(line, &words);
    if ( !error )
        error = run_command(&words);
    lifecycle_show();
    return error;
}

void core_door_state(struct xenoprof_door_state *ret)
{
    const struct session *session = session_current();

    memset(ret, 0, sizeof(*ret));
    ret->magic = XENOPROF_DOOR_MAGIC;
    ret->leaf = XENOPROF_DOOR_LEAF_STATE;
    ret->sequence = ret->sequence_end = answer_sequence;
    ret->version = XENOPROF_ABI_VERSION;
    ret->size = sizeof(*ret);
    ret->state = lifecycle_state();
    ret->nmi_slot = port_nmi_slot();
    ret->watchdog = port_watchdog();
    ret->pcpus = port_pcpus();
    ret->awaited = pages_awaited();
    ret->together = port_pcpus_together();
    ret->lacks = port_lacks() |
                 (xen_chain_possible() ? 0 : XENOPROF_LACK_XEN_STACKS);
    ret->time = port_time();
    if ( session )
    {
        ret->sampler = session->settings.sampler;
        ret->status_mfn = directory_status_mfn(&session->directory);
    }
    memcpy(ret->message, refuse_message(), sizeof(ret->message));
}

static const char *const states[] = {
    [XENOPROF_STATE_LOADED] = "loaded",
    [XENOPROF_STATE_RESERVED] = "reserved",
    [XENOPROF_STATE_RUNNING] = "running",
    [XENOPROF_STATE_STOPPED] = "stopped",
};

static void add_losses(struct text *text, const uint64_t *lost)
{
    static const char *const names[] = {
#define XENOPROF_CAUSE(number, NAME, name, who, meaning) [number] = #name,
#include <xenoprof/lost-causes.def>
#undef XENOPROF_CAUSE
    };
    const char *before = "";

    text_add(text, "lost: ");
    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
    {
        if ( !xenoprof_cause_is_xens(cause) )
            continue;
        text_add(text, "%s%lu %s", before, lost[cause], names[cause]);
        before = ", ";
    }
    text_add(text, "\n");
}

static void add_session(struct text *text, const struct session *session)
{
    const struct xenoprof_status_page *status = &session->directory.status;
    const struct xenoprof_counters *counters = &status->counters;

    text_add(text, "session: %lu\nsampler: %s\nfrequency: %u (asked: %u)\n",
             session->number, xenoprof_sampler_name(session->settings.sampler),
             session->frequency, session->settings.frequency);
    text_add(text, "slowed: %lu\nraised: %lu\nlagged: %lu\ncaught_up: %lu\n",
             status->slowed, status->raised, status->lagged, status->caught_up);
    text_add(text, "cost: %lu\ncalibrated: %lu\n", counters->cost,
             status->calibrated);
    text_add(text, "pcpus: %u\ndomains: %u\nrings: %u KiB\n", status->pcpus,
             session->domains.count, session->directory.bytes >> 10);
    text_add(text, "due: %lu\nmissed: %lu\nmade: %lu\ncommitted: %lu\n",
             counters->due, counters->missed, counters->made,
             counters->committed);
    text_add(text, "stack room: %lu (cramped: %lu)\n", status->stack_room,
             status->cramped);
    if ( session->pmu )
        text_add(text, "throttled: %lu\nlate: %lu\n", status->throttled,
                 status->late);
    if ( session->settings.waiting )
        text_add(text, "waiting: %lu made, %lu lost, %lu missed\n",
                 status->waiting_made, status->waiting_lost,
                 status->waiting_missed);
    add_losses(text, counters->lost);
}

unsigned int core_status_text(char *buffer, unsigned int size)
{
    const struct session *session = session_current();
    struct text text;

    text_begin(&text, buffer, size);
    text_add(&text, "state: %s\n", states[lifecycle_state()]);
    if ( session )
        add_session(&text, session);
    if ( pages_awaited() )
        text_add(&text, "awaited pages: %u\n", pages_awaited());
    if ( refuse_message()[0] )
        text_add(&text, "last refusal: %s\n", refuse_message());
    return text.used;
}

bool core_at_rest(void)
{
    return lifecycle_state() == XENOPROF_STATE_LOADED;
}

unsigned int core_unload(void)
{
    lifecycle_unload();
    return pages_abandon();
}
