/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Domains and pools of pCPUs: libxenctrl's lists with xenstore's names. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "xen-access.h"
#include "base/scope.h"
#include "xen-domains.h"
#include "xen-tools.h"

#define BATCH 64u

int xen_domains_open(struct xen_domains *ret, struct failure *failure)
{
    *ret = (struct xen_domains){0};
    ret->xc = xc_interface_open(quiet_log(), quiet_log(), 0);
    if ( !ret->xc )
        return fail(failure, STATUS_NO_XEN,
                    "Xen's privileged interface cannot be opened (%s); is "
                    "this dom0, and is the module xen-privcmd loaded?",
                    strerror(errno));
    if ( xen_tools_check(ret->xc, failure) )
    {
        xen_domains_close(ret);
        return failure->status;
    }
    ret->xs = xs_open(0);
    return 0;
}

void xen_domains_close(struct xen_domains *domains)
{
    if ( domains->xs )
        xs_close(domains->xs);
    if ( domains->xc )
        xc_interface_close(domains->xc);
    *domains = (struct xen_domains){0};
}

static void fill_domain(const struct xen_domains *domains,
                        const xc_domaininfo_t *info, struct listed_domain *ret)
{
    char path[64];
    char *name SCOPE_FREE = NULL;

    *ret = (struct listed_domain){
        .id = info->domain,
        .vcpus = info->max_vcpu_id == XEN_INVALID_MAX_VCPU_ID
                     ? 0
                     : info->max_vcpu_id + 1,
        .hardware = info->flags & XEN_DOMINF_hvm_guest,
        .dying = info->flags & XEN_DOMINF_dying,
        .stopped = info->flags & (XEN_DOMINF_paused | XEN_DOMINF_shutdown),
        .cpupool = info->cpupool,
    };
    memcpy(ret->uuid, info->handle, sizeof(ret->uuid));
    if ( !domains->xs )
        return;
    snprintf(path, sizeof(path), "/local/domain/%u/name", ret->id);
    name = xs_read(domains->xs, XBT_NULL, path, NULL);
    snprintf(ret->name, sizeof(ret->name), "%s", name ? name : "");
}

int xen_domains_list(const struct xen_domains *domains, struct domain_list *ret)
{
    xc_domaininfo_t infos[BATCH];
    uint32_t first = 0;
    int count, error = 0;

    *ret = (struct domain_list){0};
    do
    {
        count = xc_domain_getinfolist(domains->xc, first, BATCH, infos);
        if ( count < 0 )
            error = -errno;
        else if ( !vector_reserve(ret, (size_t)count) )
            error = -ENOMEM;
        for ( int i = 0; !error && i < count; i++ )
        {
            fill_domain(domains, &infos[i], &ret->items[ret->count++]);
            first = infos[i].domain + 1u;
        }
    } while ( !error && count == (int)BATCH );
    if ( error )
        domain_list_free(ret);
    return error;
}

/* Returns false if no pool has this name. */
static bool find_pool(const struct xen_domains *domains, const char *name,
                      uint32_t *ret)
{
    unsigned int count = 0;
    bool found = false;
    char **pools SCOPE_FREE = NULL;

    pools = domains->xs
                ? xs_directory(domains->xs, XBT_NULL, "/local/pool", &count)
                : NULL;
    for ( unsigned int i = 0; pools && !found && i < count; i++ )
    {
        char path[128];
        char *text SCOPE_FREE = NULL;
        uint64_t number;

        snprintf(path, sizeof(path), "/local/pool/%s/name", pools[i]);
        text = xs_read(domains->xs, XBT_NULL, path, NULL);
        found = text && strcmp(text, name) == 0 &&
                number_parse(pools[i], 0, UINT32_MAX, &number);
        if ( found )
            *ret = (uint32_t)number;
    }
    return found;
}

int xen_cpupool_pcpus(const struct xen_domains *domains, const char *pool,
                      struct number_set *ret)
{
    int max = xc_get_max_cpus(domains->xc);
    uint64_t number;
    uint32_t id;
    xc_cpupoolinfo_t *info;

    if ( max <= 0 )
        return -errno;
    if ( number_parse(pool, 0, UINT32_MAX, &number) )
        id = (uint32_t)number;
    else if ( !find_pool(domains, pool, &id) )
        return -ENOENT;
    info = xc_cpupool_getinfo(domains->xc, id);
    /* If no pool has this number, Xen answers with the next one. */
    if ( !info || info->cpupool_id != id )
    {
        if ( info )
            xc_cpupool_infofree(domains->xc, info);
        return -ENOENT;
    }
    memset(ret, 0, sizeof(*ret));
    for ( unsigned int i = 0; i < (unsigned int)max && i < NUMBER_SET_MAX; i++ )
        if ( info->cpumap[i / 8] >> (i % 8) & 1 )
            number_set_add(ret, i);
    xc_cpupool_infofree(domains->xc, info);
    return 0;
}
