/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verdict-measures.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/domain-text.h"
#include "report/model/format.h"
#include "report/cells/own-cost.h"
#include "report/waits/waits-text.h"
#include "libxenoprof/session/session-attributes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CAPPED 2u /* a half of what was waited */

static double time_share(const struct measured *measured, uint64_t time)
{
    return percent_of(time, measured->time_all);
}

static void add_measured_item(struct measured *measured,
                              const struct verdict_rule *rule, uint32_t domain,
                              double percent, char *found, char *name)
{
    verdict_add(measured->items, measured->loaded, rule, domain, percent, found,
                name);
}

/* The last attribute of that key, or NULL. */
static const struct attribute *last_attribute(const struct loaded *loaded,
                                              const char *key)
{
    for ( size_t i = loaded->attributes.count; i-- > 0; )
    {
        const struct attribute *attribute = &loaded->attributes.items[i];

        if ( !strcmp(names_text(&loaded->names, attribute->key), key) )
            return attribute;
    }
    return NULL;
}

void measure_stopped(struct measured *measured, const struct verdict_rule *rule)
{
    const struct loaded *loaded = measured->loaded;
    const struct attribute *stopped = last_attribute(loaded,
                                                     SESSION_ATTRIBUTE_STOPPED);
    char at[CLOCK_TEXT];

    if ( !stopped )
        return;
    clock_format_length(loaded_since(loaded, stopped->time), at);
    add_measured_item(measured, rule, VERDICT_NOBODYS, 0,
                      must_text("%s%s: %s", stopped->time ? " at " : "",
                                stopped->time ? at : "",
                                names_text(&loaded->names, stopped->value)),
                      NULL);
}

/* What became of most of the samples that were lost, and what helps. */
static const char *loss_text(const struct loaded *loaded)
{
    static const struct {
        const char *name, *text;
    } causes[] = {
#define XENOPROF_CAUSE(number, NAME, name, who, text) [number] = {#name, text},
#include <xenoprof/lost-causes.def>
#undef XENOPROF_CAUSE
    };
    uint64_t most = loaded_unreadable(loaded);
    const char *text = "they are in parts of the session that are damaged or "
                       "not here";

    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
        if ( loaded_lost(loaded, cause) > most )
        {
            most = loaded_lost(loaded, cause);
            text = !strcmp(causes[cause].name, "ring")
                       ? "dom0 read too slowly: give it more weight, or sample "
                         "with a lower --frequency"
                       : causes[cause].text;
        }
    return most ? text : "they were of vCPUs that waited";
}

void measure_lost(struct measured *measured, const struct verdict_rule *rule)
{
    const struct loaded *loaded = measured->loaded;
    uint64_t lost = loaded_lost_all(loaded) + loaded_unreadable(loaded);

    if ( lost )
        add_measured_item(measured, rule, VERDICT_NOBODYS,
                          percent_of(lost, loaded_made(loaded)),
                          must_text("%s", loss_text(loaded)), NULL);
}

/* An open session may end within a block that is being written. */
void measure_damaged(struct measured *measured, const struct verdict_rule *rule)
{
    const struct loaded *loaded = measured->loaded;

    if ( loaded->damages )
    {
        add_measured_item(measured, rule, VERDICT_NOBODYS, 0,
                          must_text("%zu part%s of the session cannot be "
                                    "read",
                                    loaded->damages,
                                    loaded->damages > 1 ? "s" : ""),
                          NULL);
        return;
    }
    if ( loaded->torn && loaded->closed )
        add_measured_item(measured, rule, VERDICT_NOBODYS, 0,
                          must_text("the session's last %" PRIu64
                                    " bytes are not a whole block",
                                    loaded->torn),
                          NULL);
}

/* What the daemon said of the module and the host: its first sentence. */
void measure_warned(struct measured *measured, const struct verdict_rule *rule)
{
    const struct loaded *loaded = measured->loaded;
    const struct attribute *warning = last_attribute(loaded,
                                                     SESSION_ATTRIBUTE_WARNING);
    const char *text = warning ? names_text(&loaded->names, warning->value)
                               : NULL;
    const char *end = text ? strstr(text, ". ") : NULL;
    int length;

    if ( !text )
        return;
    length = end ? (int)(end - text) : (int)strlen(text);
    add_measured_item(measured, rule, VERDICT_NOBODYS, 0,
                      must_text("%.*s", length, text), NULL);
}

/* vCPUs that waited for a pCPU for long. */
struct marked {
    struct vcpu_times times;
    double most; /* percent of its time that one waited */
    size_t count;
};

static struct marked find_marked(const struct waits *waits)
{
    struct marked marked = {.count = 0};

    for ( size_t i = 0; i < waits->vcpus.count; i++ )
    {
        const struct waiting_vcpu *vcpu = table_at(&waits->vcpus, i);
        const struct vcpu_times *times = &vcpu->times;
        double ready = waits_percent(times, waits_ready(times));

        if ( !waits_marked(times) )
            continue;
        marked.count++;
        marked.times.span += times->span;
        marked.times.runnable += times->runnable;
        marked.times.capped += times->capped;
        marked.most = ready > marked.most ? ready : marked.most;
    }
    return marked;
}

/* "db (2) v1 for a pCPU", or "6 of 6 vCPUs for a pCPU, db (2) v1 52.1%"; row:
 * who waited most. */
static char *marked_text(const struct measured *measured,
                         const struct marked *marked,
                         const struct waits_row *row)
{
    char *domain SCOPE_FREE = waits_domain_text(measured->loaded, row->domain);
    const char *cap = marked->times.capped * MOST_CAPPED >
                              waits_ready(&marked->times)
                          ? "; by their cap, mostly"
                          : "";

    if ( marked->count == 1 )
        return must_text("%s v%u for a pCPU%s", domain, row->vcpu->key.vcpu,
                         cap);
    return must_text("%zu of %zu vCPUs for a pCPU, %s v%u %.1f%%%s",
                     marked->count, measured->loaded->waits.vcpus.count, domain,
                     row->vcpu->key.vcpu, marked->most, cap);
}

/* Rows are by domain; who waited most may be of any. */
static const struct waits_row *longest(const struct waits_row *rows,
                                       size_t count)
{
    const struct waits_row *found = rows;

    for ( size_t i = 1; i < count; i++ )
        if ( waits_percent(&rows[i].vcpu->times,
                           waits_ready(&rows[i].vcpu->times)) >
             waits_percent(&found->vcpu->times,
                           waits_ready(&found->vcpu->times)) )
            found = &rows[i];
    return found;
}

void measure_waits(struct measured *measured, const struct verdict_rule *rule)
{
    const struct waits *waits = &measured->loaded->waits;
    struct marked marked = find_marked(waits);
    struct waits_row *rows SCOPE_FREE = NULL;

    if ( !marked.count )
        return;
    rows = waits_sorted(waits);
    add_measured_item(
        measured, rule, VERDICT_NOBODYS,
        waits_percent(&marked.times, waits_ready(&marked.times)),
        marked_text(measured, &marked, longest(rows, waits->vcpus.count)),
        NULL);
}

/* A cell in Xen, at work. */
static bool is_xen(const struct cell *cell)
{
    return !cell->dropped && !cell_placeless(cell) &&
           cell->key.mode == XENOPROF_MODE_XEN;
}

static enum xen_reason measured_reason(const struct measured *measured,
                                       const struct cell *cell)
{
    return reason_of_cell(measured->loaded, measured->findings.reasons, cell);
}

/* Which frames are functions of Xen's locks. */
static bool *find_locks(const struct measured *measured, size_t frames)
{
    bool *locks = must(calloc(frames + 1, sizeof(*locks)));

    for ( size_t i = 0; i < frames; i++ )
    {
        const char *symbol = names_text(
            &measured->loaded->names,
            stacks_frame(measured->stacks, (uint32_t)i)->key.symbol);

        locks[i] = symbol && is_lock_of_xen(symbol);
    }
    return locks;
}

/* The function of Xen's locks that a cell is in, or FRAME_NONE. */
static uint32_t lock_of(const struct measured *measured, const bool *locks,
                        const struct cell *cell)
{
    const struct chain *chain = is_xen(cell) ? stacks_chain(measured->stacks,
                                                            cell->chain)
                                             : NULL;

    return chain && chain->count && locks[chain->key.frame] ? chain->key.frame
                                                            : FRAME_NONE;
}

/* What stands before a colon says enough, but of exits. */
static int short_length(const char *words)
{
    return (int)strcspn(words, strncmp(words, "exit", 4) ? ":" : "");
}

static size_t largest_time(const uint64_t *times, size_t count)
{
    size_t found = 0;

    for ( size_t i = 1; i < count; i++ )
        if ( times[i] > times[found] )
            found = i;
    return found;
}

void measure_xen_locks(struct measured *measured,
                       const struct verdict_rule *rule)
{
    const struct loaded *loaded = measured->loaded;
    size_t frames = measured->stacks ? measured->stacks->frames.count : 0;
    uint64_t *by_frame SCOPE_FREE = must(calloc(frames + 1, sizeof(*by_frame)));
    bool *locks SCOPE_FREE = find_locks(measured, frames);
    uint64_t by_reason[REASONS] = {0}, time = 0;
    const char *words;
    char *name;

    for ( size_t i = 0; frames && i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);
        uint32_t frame = lock_of(measured, locks, cell);

        if ( frame == FRAME_NONE )
            continue;
        by_frame[frame] += cell->time;
        by_reason[measured_reason(measured, cell)] += cell->time;
        time += cell->time;
    }
    if ( !time )
        return;
    name = frame_symbol(&measured->texts,
                        stacks_frame(measured->stacks,
                                     (uint32_t)largest_time(by_frame, frames)));
    words =
        reason_text((enum xen_reason)largest_time(by_reason, REASONS))->words;
    add_measured_item(measured, rule, VERDICT_NOBODYS,
                      time_share(measured, time),
                      must_text("%.*s", short_length(words), words), name);
}

void measure_profiler(struct measured *measured,
                      const struct verdict_rule *rule)
{
    const struct loaded *loaded = measured->loaded;
    uint64_t xen = loaded->cost.module, dom0 = own_cost_in_dom0(loaded);
    uint64_t guests = own_cost_in_guests(loaded);

    if ( !types_is_time(&loaded->types) )
        return;
    add_measured_item(measured, rule, VERDICT_NOBODYS,
                      time_share(measured, xen + dom0 + guests),
                      must_text("dom0 %.2f%%, guests %.2f%%, Xen %.2f%%",
                                time_share(measured, dom0),
                                time_share(measured, guests),
                                time_share(measured, xen)),
                      NULL);
}

/* Nothing if somebody waits: then that is what full pCPUs mean. */
void measure_busy(struct measured *measured, const struct verdict_rule *rule)
{
    const struct loaded *loaded = measured->loaded;
    uint64_t *domains SCOPE_FREE = must(
        calloc(loaded->domains.count + 1, sizeof(*domains)));
    uint64_t idle = 0;
    char *name SCOPE_FREE = NULL;
    size_t most;

    if ( !loaded->accounted || !types_is_time(&loaded->types) ||
         waits_any_marked(&loaded->waits) )
        return;
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        if ( cell->key.mode == XENOPROF_MODE_IDLE )
            idle += cell->time;
        else
            domains[cell->key.domain] += cell->time;
    }
    most = largest_time(domains, loaded->domains.count);
    name = domain_text(loaded, (uint32_t)most);
    add_measured_item(
        measured, rule, VERDICT_NOBODYS,
        time_share(measured, measured->time_all - idle),
        must_text("%s had %.2f%%", name, time_share(measured, domains[most])),
        NULL);
}

/* ", mostly for read_port": a caller may be the largest of many, and small. */
static char *caller_text(const struct measured *measured,
                         const struct why_finding *finding)
{
    char *name SCOPE_FREE = NULL;

    if ( finding->caller == FRAME_NONE )
        return must(strdup(""));
    name = frame_text(&measured->texts,
                      stacks_frame(measured->stacks, finding->caller));
    return must_text(", %s for %s",
                     finding->caller_time >= finding->amount.time / 2
                         ? "mostly"
                         : "most often",
                     name);
}

/* Findings that are, or are not, of locks, with what is said of each. */
static void add_findings(struct measured *measured,
                         const struct verdict_rule *rule, bool locks,
                         char *(*text_of)(const struct measured *measured,
                                          const struct why_finding *finding))
{
    const struct findings *findings = &measured->findings;

    for ( size_t i = 0; i < findings->count; i++ )
    {
        const struct why_finding *finding = findings->found[i];

        if ( locks == (finding->key.reason == REASON_none) )
            add_measured_item(measured, rule, finding->key.domain,
                              time_share(measured, finding->amount.time),
                              text_of(measured, finding), NULL);
    }
}

static char *emulated_text(const struct measured *measured,
                           const struct why_finding *finding)
{
    char *caller SCOPE_FREE = caller_text(measured, finding);

    return must_text("%s%s",
                     reason_text((enum xen_reason)finding->key.reason)->words,
                     caller);
}

void measure_emulated(struct measured *measured,
                      const struct verdict_rule *rule)
{
    add_findings(measured, rule, false, emulated_text);
}

/* Who was not let run may have been the one with the lock. */
static char *spins_text(const struct measured *measured,
                        const struct why_finding *finding)
{
    const struct loaded *loaded = measured->loaded;
    const struct domain_key *key =
        &loaded_domain(loaded, finding->key.domain)->key;
    char *caller SCOPE_FREE = caller_text(measured, finding);
    struct vcpu_times times = {.span = 0};

    waits_add_domain(&loaded->waits, key->uuid, key->number, &times);
    return waits_marked(&times)
               ? must_text("%s; a holder may be preempted (waits: %.1f%%)",
                           caller, waits_percent(&times, waits_ready(&times)))
               : must_text("%s", caller);
}

void measure_spins(struct measured *measured, const struct verdict_rule *rule)
{
    add_findings(measured, rule, true, spins_text);
}

/* Who could name code of a domain's processes. */
static const char *namer_text(const struct loaded *loaded, uint32_t index)
{
    const struct loaded_domain *domain = loaded_domain(loaded, index);
    const char *kind = names_text(&loaded->names, domain->kind);

    if ( domain->agent )
        return ", though opagent ran there";
    if ( kind && !strcmp(kind, SESSION_KIND_PASSIVE) )
        return " above all; opagent(8) or --guest-root names them";
    return " above all; opagent(8) names them";
}

void measure_nameless(struct measured *measured,
                      const struct verdict_rule *rule)
{
    const struct loaded *loaded = measured->loaded;
    uint64_t *domains SCOPE_FREE = must(
        calloc(loaded->domains.count + 1, sizeof(*domains)));
    char *name SCOPE_FREE = NULL;
    uint64_t time = 0;
    size_t most;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        if ( cell->dropped || cell->key.mode != XENOPROF_MODE_USER ||
             cell_placeless(cell) || cell_name(cell)->symbol )
            continue;
        domains[cell->key.domain] += cell->time;
        time += cell->time;
    }
    if ( !time )
        return;
    most = largest_time(domains, loaded->domains.count);
    name = domain_text(loaded, (uint32_t)most);
    add_measured_item(
        measured, rule, VERDICT_NOBODYS, time_share(measured, time),
        must_text("%s%s", name, namer_text(loaded, (uint32_t)most)), NULL);
}
