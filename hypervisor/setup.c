/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands that set a session up, and the settings that reserve asks for.
 */
#include "setup.h"
#include "message.h"
#include "upkeep.h"
#include "hypervisor/fetch/fetch-list.h"
#include "hypervisor/pmu/pmu-setup.h"
#include "hypervisor/xen-stack/xen-chain.h"

/* What reserve asks for --------------------------------------------------- */

static uint32_t value_or(const struct words *words, enum key key,
                         uint32_t usual)
{
    return words->given & 1u << key ? words->value[key] : usual;
}

/* Returns 0, or what refuse() returned if a record might not fit into an empty
 * ring: a pad nearly as long may precede it. */
static int check_windows(const struct settings *settings)
{
    uint32_t windows = settings_windows(settings);
    uint32_t bytes = sample_record_bytes(settings->mask);

    if ( (settings->window | settings->user_window) & 7 )
        return refuse(ERROR_INVALID, "windows must be multiples of 8 bytes");
    if ( windows )
        bytes += windows_room(windows);
    if ( 2 * bytes > settings->pages * XENOPROF_PAGE_SIZE && windows )
        return refuse(ERROR_RANGE,
                      "rings of %u pages are too small for windows of %u "
                      "bytes",
                      settings->pages, windows);
    return 0;
}

bool setup_choose_sampler(enum xenoprof_sampler asked, bool insist,
                          struct sampler_signs signs,
                          enum xenoprof_sampler *ret)
{
    bool barred = signs.slot == PORT_SLOT_OTHERS || signs.together ||
                  signs.blind || signs.fatal;

    *ret = XENOPROF_SAMPLER_TIMER;
    if ( asked != XENOPROF_SAMPLER_NMI )
        return true;
    if ( barred && insist )
        return false;
    if ( !barred && (!signs.watchdog || insist) )
        *ret = XENOPROF_SAMPLER_NMI;
    return true;
}

/* Parts that each session by events has, and no other. */
#define EVENT_PARTS ((uint32_t)(XENOPROF_PART_EVENT | XENOPROF_PART_PRECISE))

/* By events or not at all: time is something else. */
static int choose_pmu(const struct sampler_signs *signs, struct settings *ret)
{
    struct pmu_signs pmu = {
        .slot = signs->slot,
        .together = signs->together,
        .blind = signs->blind,
        .fatal = signs->fatal,
    };

    ret->sampler = XENOPROF_SAMPLER_PMU;
    ret->watchdog = signs->watchdog;
    ret->mask |= EVENT_PARTS;
    return pmu_setup_check(&pmu);
}

/* Returns 0, or what refuse() returned. */
static int choose_sampler(const struct words *words, struct settings *ret)
{
    struct sampler_signs signs = {
        .slot = port_nmi_slot(),
        .watchdog = port_watchdog(),
        .together = port_pcpus_together() > 1,
        .blind = port_lacks() & XENOPROF_LACK_EXITS,
        .fatal = port_lacks() & XENOPROF_LACK_SAFE_NMIS &&
                 !words->value[KEY_FATAL],
    };

    if ( words->value[KEY_SAMPLER] == XENOPROF_SAMPLER_PMU )
        return choose_pmu(&signs, ret);
    if ( setup_choose_sampler(words->value[KEY_SAMPLER],
                              words->value[KEY_INSIST], signs, &ret->sampler) )
    {
        ret->watchdog = ret->sampler == XENOPROF_SAMPLER_NMI && signs.watchdog;
        return 0;
    }
    if ( signs.together )
        return refuse(ERROR_NOT_SUPPORTED,
                      "Xen schedules several pCPUs as one (sched-gran), which "
                      "NMIs would stall; without insist=1 the timer is the "
                      "sampler");
    if ( signs.blind )
        return refuse(ERROR_NOT_SUPPORTED,
                      "where this Xen leaves AMD's guests is not known, so "
                      "NMIs would take them for Xen; without insist=1 the "
                      "timer is the sampler");
    if ( signs.fatal )
        return refuse(ERROR_NOT_SUPPORTED,
                      "an NMI that nobody claims stops this host, or may "
                      "(nmi=fatal); --force=nmis (fatal=1) allows NMIs, "
                      "without insist=1 the timer is the sampler");
    return refuse(ERROR_BUSY,
                  "somebody else has Xen's NMI callback; without insist=1 the "
                  "timer is the sampler");
}

int setup_settings(const struct words *words, struct settings *ret)
{
    uint64_t pages = words->value[KEY_PAGES];
    int error;

    /* To be compared as a whole. */
    memset(ret, 0, sizeof(*ret));
    if ( pages & (pages - 1) )
        return refuse(ERROR_INVALID, "pages=%lu is not a power of two", pages);
    if ( words->value[KEY_MASK] & XENOPROF_PART_XEN_STACK &&
         !xen_chain_prepare() )
        return refuse(
            ERROR_NOT_SUPPORTED,
            "mask=%lu has part %u, Xen's stacks; the module's unwind "
            "table is damaged: rebuild the module, or leave that part out",
            words->value[KEY_MASK], XENOPROF_PART_XEN_STACK);
    ret->frequency = words->value[KEY_FREQUENCY];
    ret->mask = words->value[KEY_MASK] & ~EVENT_PARTS;
    ret->pages = pages;
    ret->queue = words->value[KEY_QUEUE];
    ret->lease = words->value[KEY_LEASE];
    ret->budget = words->value[KEY_BUDGET];
    ret->window = value_or(words, KEY_WINDOW, WINDOW_KERNEL_USUAL);
    ret->user_window = value_or(words, KEY_USER_WINDOW, WINDOW_USER_USUAL);
    ret->waiting = words->value[KEY_WAITING] &&
                   !(port_lacks() & XENOPROF_LACK_WAITING);
    error = choose_sampler(words, ret);
    return error ?: check_windows(ret);
}

/* Domains, rings, pCPUs --------------------------------------------------- */

static int busy(void)
{
    return refuse(ERROR_BUSY, "a pCPU is still busy with a sample; "
                              "try again");
}

/* Finds the domain, which the last command may have begun to add, or adds it.
 * Returns 0, or what refuse() returned. */
static int find_or_add(struct session *session, const struct domain_spec *spec,
                       struct domain **ret)
{
    struct domain *old = domains_find(&session->domains, spec->id);

    *ret = old;
    if ( old && !memcmp(old->uuid, spec->uuid, sizeof(old->uuid)) &&
         !domain_is_gone(old) )
        return old->ready < old->vcpus
                   ? 0
                   : refuse(ERROR_EXISTS, "domain %u is already profiled",
                            spec->id);
    /* Xen has given the number to another domain. */
    if ( old && !domains_remove(&session->domains, &session->directory, old) )
        return busy();
    *ret = domains_add(&session->domains, spec);
    return *ret ? 0
                : refuse(ERROR_NO_MEMORY,
                         "Xen does not have enough free memory for "
                         "domain %u",
                         spec->id);
}

static int add_domain(struct session *session, const struct domain_spec *spec)
{
    struct domain *domain;
    uint32_t without;
    int error = find_or_add(session, spec, &domain);

    if ( error )
        return error;
    if ( !domain_add_rings(domain, &session->directory,
                           session->settings.pages) )
        return refuse(ERROR_AGAIN,
                      "%u of the %u vCPUs of domain %u have their ring; repeat "
                      "the command for more",
                      domain->ready, domain->vcpus, spec->id);
    without = domain_without_ring(domain);
    if ( without )
        port_log("domain %u: %u of %u vCPUs use their pCPU's ring", spec->id,
                 without, domain->vcpus);
    return 0;
}

/* Finds the session and keeps ticks out of it.  Returns 0, or what refuse()
 * returned. */
static int enter(struct session **ret)
{
    struct session *session = session_current();

    if ( !session )
        return refuse(ERROR_NOT_THERE, "there is no session; reserve one");
    *ret = session;
    return upkeep_lock(session) ? 0 : busy();
}

int setup_domain(const struct words *words)
{
    struct session *session;
    struct domain_spec spec = {
        .id = words->value[KEY_ID],
        .kind = words->value[KEY_KIND],
        .vcpus = words->value[KEY_VCPUS],
    };
    int error = enter(&session);

    if ( error )
        return error;
    words_uuid(words->text[KEY_UUID], spec.uuid);
    error = add_domain(session, &spec);
    upkeep_unlock(session);
    return error;
}

static int read_links(const char *text, window_links *ret)
{
    uint64_t distance, last;
    unsigned int count = 0;
    int found;

    *ret = 0;
    while ( (found = words_next_range(&text, &distance, &last)) > 0 )
    {
        if ( last != distance || !distance || distance & 7 ||
             distance > WINDOW_LINK_MAX || count == WINDOW_LINKS )
            return refuse(ERROR_RANGE,
                          "at= takes up to %u multiples of 8, to %u",
                          WINDOW_LINKS, WINDOW_LINK_MAX);
        *ret |= distance << 16 * count++;
    }
    if ( found < 0 )
        return refuse(ERROR_INVALID, "at= takes a list such as 8,16");
    return 0;
}

int setup_link(const struct words *words)
{
    struct session *session;
    struct domain *domain;
    window_links links;
    int error = enter(&session);

    if ( error )
        return error;
    domain = domains_find(&session->domains, words->value[KEY_ID]);
    error = read_links(words->text[KEY_AT], &links);
    if ( !error && words->value[KEY_USER] & 7 )
        error = refuse(ERROR_RANGE, "user= takes a multiple of 8, to %u",
                       WINDOW_LINK_MAX);
    if ( !error && !domain )
        error = refuse(ERROR_NOT_THERE, "domain %lu is not profiled",
                       words->value[KEY_ID]);
    else if ( !error )
        domain_set_links(domain, links, words->value[KEY_USER]);
    upkeep_unlock(session);
    return error;
}

static int set_fetch(struct domain *domain, const struct words *words)
{
    struct fetch_list *list;
    int error = fetch_list_parse(words, domain, &list);

    if ( error || domain_set_fetch(domain, list) )
        return error;
    if ( list )
        port_free(list, sizeof(*list));
    return busy();
}

int setup_fetch(const struct words *words)
{
    struct session *session;
    struct domain *domain;
    int error = enter(&session);

    if ( error )
        return error;
    domain = domains_find(&session->domains, words->value[KEY_ID]);
    error = domain ? set_fetch(domain, words)
                   : refuse(ERROR_NOT_THERE, "domain %lu is not profiled",
                            words->value[KEY_ID]);
    upkeep_unlock(session);
    return error;
}

int setup_forget(const struct words *words)
{
    struct session *session;
    struct domain *domain;
    int error = enter(&session);

    if ( error )
        return error;
    domain = domains_find(&session->domains, words->value[KEY_ID]);
    if ( !domain )
        error = refuse(ERROR_NOT_THERE, "domain %lu is not profiled",
                       words->value[KEY_ID]);
    else if ( !domains_remove(&session->domains, &session->directory, domain) )
        error = busy();
    upkeep_unlock(session);
    return error;
}

int setup_release(const struct words *words)
{
    struct session *session;
    struct ring *ring;
    int error = enter(&session);

    if ( error )
        return error;
    ring = directory_find(&session->directory, words->value[KEY_RING]);
    if ( !ring )
        error = refuse(ERROR_NOT_THERE, "there is no ring %lu",
                       words->value[KEY_RING]);
    else if ( !ring->detached )
        error = refuse(ERROR_BUSY,
                       "ring %lu is in use; forget its domain "
                       "first",
                       words->value[KEY_RING]);
    else
        directory_remove(&session->directory, ring);
    upkeep_unlock(session);
    return error;
}

/* Reads a list of pCPUs; with choose it goes into the session's set, without it
 * is only checked. */
static int read_pcpu_set(struct session *session, const char *text, bool choose)
{
    uint64_t first, last;
    int found;

    while ( (found = words_next_range(&text, &first, &last)) > 0 )
    {
        if ( last >= session->pcpus )
            return refuse(ERROR_RANGE, "there is no pCPU %lu; the last is %u",
                          last, session->pcpus - 1);
        for ( uint64_t i = first; choose && i <= last; i++ )
            session->chosen[i] = true;
    }
    if ( found < 0 )
        return refuse(ERROR_INVALID, "set= takes a list such as 0-3,7");
    return 0;
}

static int choose_pcpus(struct session *session, const char *text)
{
    int error = read_pcpu_set(session, text, false);

    if ( error )
        return error;
    memset(session->chosen, false, session->pcpus);
    return read_pcpu_set(session, text, true);
}

int setup_pcpus(const struct words *words)
{
    struct session *session;
    int error = enter(&session);

    if ( error )
        return error;
    if ( !session->directory.status.started )
        error = choose_pcpus(session, words->text[KEY_SET]);
    else
        error = refuse(ERROR_BUSY, "the set can only be chosen before start");
    upkeep_unlock(session);
    return error;
}

int setup_event(const struct words *words)
{
    struct session *session;
    int error = enter(&session);

    if ( error )
        return error;
    error = pmu_setup_event(session, words);
    upkeep_unlock(session);
    return error;
}
