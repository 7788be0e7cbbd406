/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which domains the module profiles, as domains come and go. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/guests/stack-links.h"
#include "follow.h"

void follow_free(struct followed_domains *follow)
{
    vector_free(follow);
    follow->refusal[0] = '\0';
}

static bool is_followed_domain(const struct followed *followed,
                               const struct listed_domain *domain)
{
    return followed->id == domain->id &&
           memcmp(followed->uuid, domain->uuid, 16) == 0;
}

static bool is_followed(const struct followed_domains *follow,
                        const struct listed_domain *domain)
{
    for ( size_t i = 0; i < follow->count; i++ )
        if ( is_followed_domain(&follow->items[i], domain) )
            return true;
    return false;
}

/* A new entry, or NULL. */
static struct followed *add_followed(struct followed_domains *follow,
                                     const struct listed_domain *domain)
{
    struct followed *followed = vector_add(follow);

    if ( !followed )
        return NULL;
    followed->id = domain->id;
    memcpy(followed->uuid, domain->uuid, sizeof(followed->uuid));
    return followed;
}

void follow_known(struct followed_domains *follow, uint16_t id,
                  const uint8_t uuid[16])
{
    struct listed_domain domain = {.id = id};

    memcpy(domain.uuid, uuid, sizeof(domain.uuid));
    if ( !is_followed(follow, &domain) )
        add_followed(follow, &domain);
}

static bool is_alive(const struct followed *followed,
                     const struct domain_list *list)
{
    for ( size_t i = 0; i < list->count; i++ )
        if ( is_followed_domain(followed, &list->items[i]) &&
             !list->items[i].dying )
            return true;
    return false;
}

static void forget_gone(struct followed_domains *follow,
                        const struct door_client *door,
                        const struct domain_list *list)
{
    size_t kept = 0;

    for ( size_t i = 0; i < follow->count; i++ )
    {
        struct followed *followed = &follow->items[i];

        bool gone = !is_alive(followed, list);

        if ( gone && !followed->refused )
            gone = door_client_command(door, "forget id=%u", followed->id) !=
                   -EBUSY;
        if ( !gone )
            follow->items[kept++] = *followed;
    }
    follow->count = kept;
}

static int begin_following(struct followed_domains *follow,
                           const struct door_client *door,
                           const struct listed_domain *domain, bool passive)
{
    struct followed *followed = add_followed(follow, domain);
    char uuid[2 * sizeof(domain->uuid) + 1];
    struct xenoprof_door_state state;
    int code;

    if ( !followed )
        return -ENOMEM;
    for ( size_t i = 0; i < sizeof(domain->uuid); i++ )
        sprintf(uuid + 2 * i, "%02x", domain->uuid[i]);
    /* The module reads stacks of processes in active domains only: of others
     * nobody knows what they have mapped, unless they have a guest root. */
    code = door_client_command(door, "domain id=%u vcpus=%u uuid=%s kind=%s",
                               domain->id, domain->vcpus, uuid,
                               passive ? "passive" : "active");
    followed->refused = code != 0;
    if ( !code )
        stack_links_guess(door, domain->id);
    /* Why the module refused, in its own words. */
    else if ( door_client_state(door, &state) == 0 && state.message[0] )
        memcpy(follow->refusal, state.message, sizeof(follow->refusal));
    else
        snprintf(follow->refusal, sizeof(follow->refusal), "%s",
                 strerror(-code));
    return code;
}

int follow_update(struct followed_domains *follow,
                  const struct door_client *door,
                  const struct domain_list *list,
                  const struct start_options *options)
{
    int result = 0;

    forget_gone(follow, door, list);
    for ( size_t i = 0; i < list->count; i++ )
    {
        const struct listed_domain *domain = &list->items[i];
        enum domain_role role = asked_domains_match(&options->domains, domain);
        bool passive = role == ROLE_PASSIVE &&
                       !domain_pairs_find(&options->roots, domain);
        int code = 0;

        if ( role != ROLE_OTHER && !domain->dying && domain->vcpus &&
             !is_followed(follow, domain) )
            code = begin_following(follow, door, domain, passive);
        if ( code )
            result = code;
    }
    return result;
}
