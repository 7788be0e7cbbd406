/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "control/xen-access.h"
#include "control/xen-domains.h"

static void print_domain(const struct listed_domain *domain)
{
    char uuid[UUID_TEXT_SIZE];

    uuid_format(domain->uuid, uuid);
    printf("%5u  %-4s  %5u  %s  %s\n", domain->id,
           domain->id == 0    ? "dom0"
           : domain->hardware ? "hvm"
                              : "pv",
           domain->vcpus, uuid, domain->name[0] ? domain->name : "-");
}

/* --list-domains: what --passive-domains can name. */
int command_list_domains(struct arguments *arguments, struct failure *failure)
{
    struct xen_domains xen;
    struct domain_list list;
    int code;

    (void)arguments;
    if ( xen_access_check(failure) || xen_domains_open(&xen, failure) )
        return failure->status;
    code = xen_domains_list(&xen, &list);
    xen_domains_close(&xen);
    if ( code )
        return fail(failure, STATUS_FAILED, "Xen does not list its domains: %s",
                    strerror(-code));
    printf("   id  type  vcpus  %-36s  name\n", "uuid");
    for ( size_t i = 0; i < list.count; i++ )
        print_domain(&list.items[i]);
    domain_list_free(&list);
    return 0;
}
