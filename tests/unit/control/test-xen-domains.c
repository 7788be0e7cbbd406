/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Domains and pools, with libxenctrl and libxenstore answered from here. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/xen-domains.h"
#include "tests/harness.h"

static uint32_t xen_count;  /* domains 0, 2, 4, ... */
static uint32_t fails_from; /* the first domain of a list that Xen refuses */
static uint8_t pool_map[2] = {0x05, 0x80};
static unsigned int pools_held;

int xc_domain_getinfolist(xc_interface *xc, uint32_t first, unsigned int max,
                          xc_domaininfo_t *info)
{
    unsigned int count = 0;

    (void)xc;
    if ( fails_from && first >= fails_from )
    {
        errno = EACCES;
        return -1;
    }
    for ( uint32_t i = (first + 1) / 2; i < xen_count && count < max; i++ )
        info[count++] = (xc_domaininfo_t){
            .domain = (uint16_t)(2 * i),
            .max_vcpu_id = i ? i : XEN_INVALID_MAX_VCPU_ID,
            .flags = i == 1 ? XEN_DOMINF_hvm_guest : 0,
        };
    return (int)count;
}

int xc_get_max_cpus(xc_interface *xc)
{
    (void)xc;
    return 16;
}

/* Xen has pools 0 and 7; to a number between it answers with the next. */
xc_cpupoolinfo_t *xc_cpupool_getinfo(xc_interface *xc, uint32_t id)
{
    xc_cpupoolinfo_t *info;

    (void)xc;
    if ( id > 7 )
        return NULL;
    info = calloc(1, sizeof(*info));
    info->cpupool_id = id ? 7 : 0;
    info->cpumap = pool_map;
    pools_held++;
    return info;
}

void xc_cpupool_infofree(xc_interface *xc, xc_cpupoolinfo_t *info)
{
    (void)xc;
    free(info);
    pools_held--;
}

void *xs_read(struct xs_handle *xs, xs_transaction_t transaction,
              const char *path, unsigned int *length)
{
    (void)xs, (void)transaction, (void)length;
    if ( strcmp(path, "/local/domain/0/name") == 0 )
        return strdup("Domain-0");
    if ( strcmp(path, "/local/pool/7/name") == 0 )
        return strdup("batch");
    if ( strcmp(path, "/local/pool/odd/name") == 0 )
        return strdup("no number");
    return NULL;
}

char **xs_directory(struct xs_handle *xs, xs_transaction_t transaction,
                    const char *path, unsigned int *count)
{
    static char *const names[] = {"0", "odd", "7"};
    char **copy = malloc(sizeof(names));

    (void)xs, (void)transaction;
    CHECK_TEXT(path, "/local/pool");
    memcpy(copy, names, sizeof(names));
    *count = 3;
    return copy;
}

static const struct xen_domains without_names;
static const struct xen_domains with_names = {
    .xs = (struct xs_handle *)&with_names};

static void list(uint32_t count, struct domain_list *ret)
{
    xen_count = count;
    fails_from = 0;
    CHECK_EQ(xen_domains_list(&with_names, ret), 0);
    CHECK_EQ(ret->count, count);
}

TEST(domains_of_xen_with_their_names)
{
    struct domain_list domains;

    list(3, &domains);
    CHECK_TEXT(domains.items[0].name, "Domain-0");
    CHECK_EQ(domains.items[0].vcpus, 0);
    CHECK_EQ(domains.items[1].id, 2);
    CHECK_EQ(domains.items[1].vcpus, 2);
    CHECK(domains.items[1].hardware);
    CHECK_TEXT(domains.items[1].name, "");
    CHECK(!domains.items[2].hardware);
    domain_list_free(&domains);
    CHECK_EQ(xen_domains_list(&without_names, &domains), 0);
    CHECK_TEXT(domains.items[0].name, "");
    domain_list_free(&domains);
}

/* Xen hands out 64 at a time. */
TEST(domains_of_a_large_host)
{
    static const uint32_t counts[] = {0, 1, 63, 64, 65, 127, 128, 129, 500};

    for ( size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++ )
    {
        struct domain_list domains;

        list(counts[i], &domains);
        for ( uint32_t at = 0; at < counts[i]; at++ )
            CHECK_EQ(domains.items[at].id, 2 * at);
        domain_list_free(&domains);
    }
}

TEST(domains_that_xen_does_not_list)
{
    struct domain_list domains;

    xen_count = 100;
    fails_from = 100; /* the second call */
    CHECK_EQ(xen_domains_list(&with_names, &domains), -EACCES);
    CHECK_EQ(domains.count, 0);
    CHECK(!domains.items);
}

static void check_pool(const char *name, int result)
{
    struct number_set pcpus;
    char text[32] = "";

    CHECK_EQ(xen_cpupool_pcpus(&with_names, name, &pcpus), result);
    if ( !result )
    {
        CHECK(number_set_format(&pcpus, text, sizeof(text)));
        CHECK_TEXT(text, "0,2,15");
    }
    CHECK_EQ(pools_held, 0);
}

TEST(pools_by_number_and_name)
{
    struct number_set pcpus;

    check_pool("0", 0);
    check_pool("7", 0);
    check_pool("batch", 0);
    check_pool("3", -ENOENT);
    check_pool("8", -ENOENT);
    check_pool("no number", -ENOENT);
    check_pool("nobody", -ENOENT);
    CHECK_EQ(xen_cpupool_pcpus(&without_names, "batch", &pcpus), -ENOENT);
}
