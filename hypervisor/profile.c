/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lifecycle.h"
#include "profile.h"
#include "refuse.h"
#include "upkeep.h"

static int busy(void)
{
    return refuse(ERROR_BUSY, "a pCPU is still at work on a sample; "
                              "try again");
}

static int add_domain(struct session *session, const struct domain_spec *spec)
{
    struct domain *old = domains_find(&session->domains, spec->id);
    uint32_t without = 0;

    if ( old && !memcmp(old->uuid, spec->uuid, sizeof(old->uuid)) &&
         !domain_is_gone(old) )
        return refuse(ERROR_EXISTS, "domain %u is profiled already", spec->id);
    /* The number has come back as another domain. */
    if ( old && !domains_remove(&session->domains, &session->directory, old) )
        return busy();
    if ( domains_add(&session->domains, &session->directory, spec, &without) )
        return refuse(ERROR_NO_MEMORY,
                      "Xen has not enough free memory for "
                      "domain %u",
                      spec->id);
    if ( without )
        port_log("domain %u: %u of %u vCPUs use their pCPU's ring", spec->id,
                 without, spec->vcpus);
    return 0;
}

/* The session, with ticks kept out of it, or a refusal. */
static int enter(struct session **ret)
{
    struct session *session = session_current();

    if ( !session )
        return refuse(ERROR_NOT_THERE, "there is no session; reserve one");
    *ret = session;
    return upkeep_lock(session) ? 0 : busy();
}

int profile_domain(const struct words *words)
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
    spec.data_pages = session->settings.pages;
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

int profile_link(const struct words *words)
{
    struct session *session;
    struct domain *domain;
    window_links links;
    int error = enter(&session);

    if ( error )
        return error;
    domain = domains_find(&session->domains, words->value[KEY_ID]);
    error = read_links(words->text[KEY_AT], &links);
    if ( !error && !domain )
        error = refuse(ERROR_NOT_THERE, "domain %lu is not profiled",
                       words->value[KEY_ID]);
    else if ( !error )
        domain_set_links(domain, links);
    upkeep_unlock(session);
    return error;
}

int profile_forget(const struct words *words)
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

int profile_release(const struct words *words)
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

/* With choose: into chosen; without: only whether it is a list, and of pCPUs
 * that there are. */
static int read_set(struct session *session, const char *text, bool choose)
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
    int error = read_set(session, text, false);

    if ( error )
        return error;
    memset(session->chosen, false, session->pcpus);
    return read_set(session, text, true);
}

int profile_pcpus(const struct words *words)
{
    struct session *session;
    int error = enter(&session);

    if ( error )
        return error;
    if ( lifecycle_state() == XENOPROF_STATE_RESERVED )
        error = choose_pcpus(session, words->text[KEY_SET]);
    else
        error = refuse(ERROR_BUSY, "the set is chosen before start");
    upkeep_unlock(session);
    return error;
}
