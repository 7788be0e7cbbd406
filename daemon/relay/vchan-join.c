/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest chooses all that is read here: the number in xenstore, and what the
 * page has at any time.  The numbers are grants of that guest's own, which Xen
 * checks; they are read once.
 */
#include "vchan-join.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xengnttab.h>
#include <xenstore.h>
#include <xentoollog.h>

#define NO_PORT ((evtchn_port_t)-1)

/* Nobody reads what libraries say. */
static void say_nothing(struct xentoollog_logger *logger,
                        xentoollog_level level, int code, const char *context,
                        const char *format, va_list values)
{
    (void)logger;
    (void)level;
    (void)code;
    (void)context;
    (void)format;
    (void)values;
}

static void show_nothing(struct xentoollog_logger *logger, const char *context,
                         const char *what, int percent, unsigned long done,
                         unsigned long total)
{
    (void)logger;
    (void)context;
    (void)what;
    (void)percent;
    (void)done;
    (void)total;
}

static void destroy_nothing(struct xentoollog_logger *logger)
{
    (void)logger;
}

/* Returns false if xenstore has no such word. */
static bool read_ref(uint32_t domain, uint32_t *ret)
{
    struct xs_handle *store = xs_open(0);
    char path[64], *word = NULL;

    snprintf(path, sizeof(path), "/local/domain/%" PRIu32 "/%s/ring-ref",
             domain, AGENT_VCHAN_PATH);
    if ( store )
    {
        word = xs_read(store, XBT_NULL, path, NULL);
        xs_close(store);
    }
    if ( !word )
        return false;
    *ret = (uint32_t)strtoul(word, NULL, 10);
    free(word);
    return true;
}

static bool is_vchan_page(const struct vchan_interface *page)
{
    return !memcmp((const char *)page + VCHAN_MARK_AT, VCHAN_MARK,
                   sizeof(VCHAN_MARK)) &&
           __atomic_load_n(&page->left_order, __ATOMIC_RELAXED) ==
               VCHAN_ORDER &&
           __atomic_load_n(&page->right_order, __ATOMIC_RELAXED) ==
               VCHAN_ORDER &&
           __atomic_load_n(&page->srv_live, __ATOMIC_ACQUIRE);
}

/* Linux clears the byte when this process ends; so not before the page is known
 * to be one of ours. */
static struct vchan_interface *map_vchan_page(xengnttab_handle *grants,
                                              uint32_t domain, uint32_t ref)
{
    const struct vchan_interface *page = xengnttab_map_grant_ref(
        grants, domain, ref, PROT_READ);

    if ( !page || !is_vchan_page(page) )
        return NULL;
    return xengnttab_map_grant_ref_notify(
        grants, domain, ref, PROT_READ | PROT_WRITE,
        offsetof(struct vchan_interface, cli_live), NO_PORT);
}

static void *map_ring(xengnttab_handle *grants, uint32_t domain,
                      const uint32_t *shared)
{
    uint32_t refs[VCHAN_RING_PAGES];

    for ( uint32_t i = 0; i < VCHAN_RING_PAGES; i++ )
        refs[i] = __atomic_load_n(&shared[i], __ATOMIC_RELAXED);
    return xengnttab_map_domain_grant_refs(grants, VCHAN_RING_PAGES, domain,
                                           refs, PROT_READ | PROT_WRITE);
}

static bool map_all(xengnttab_handle *grants, uint32_t domain, uint32_t ref,
                    struct vchan_rings *ret)
{
    struct vchan_interface *page = map_vchan_page(grants, domain, ref);
    void *left, *right;

    if ( !page )
        return false;
    left = map_ring(grants, domain, page->grants);
    right = map_ring(grants, domain, page->grants + VCHAN_RING_PAGES);
    if ( !left || !right )
        return false;
    vchan_rings_of_client(ret, page, left, right);
    return true;
}

bool vchan_join(uint32_t domain, struct vchan_rings *ret)
{
    static struct xentoollog_logger logger = {say_nothing, show_nothing,
                                              destroy_nothing};
    xengnttab_handle *grants;
    uint32_t ref;

    if ( !read_ref(domain, &ref) )
        return false;
    grants = xengnttab_open(&logger, 0);
    /* What is mapped of a vchan that is none goes with the process. */
    if ( !grants || !map_all(grants, domain, ref, ret) )
        return false;
    __atomic_store_n(&ret->page->cli_live, 1, __ATOMIC_RELEASE);
    return true;
}

void vchan_leave(const struct vchan_rings *rings)
{
    __atomic_store_n(&rings->page->cli_live, 0, __ATOMIC_RELEASE);
}
