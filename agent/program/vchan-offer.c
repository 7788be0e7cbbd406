/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vchan-offer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xengnttab.h>
#include <xenstore.h>

#define DOM0    0u
#define NO_PORT ((evtchn_port_t)-1)

/* The page, with the grants of the rings in it. */
struct offer {
    struct vchan_interface *page;
    uint32_t ref;
    void *left, *right;
};

static bool share(xengntshr_handle *grants, struct offer *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->page = xengntshr_share_page_notify(
        grants, DOM0, &ret->ref, 1, offsetof(struct vchan_interface, srv_live),
        NO_PORT);
    if ( !ret->page )
        return false;
    memset(ret->page, 0, VCHAN_PAGE);
    ret->left = xengntshr_share_pages(grants, DOM0, VCHAN_RING_PAGES,
                                      ret->page->grants, 1);
    ret->right = xengntshr_share_pages(grants, DOM0, VCHAN_RING_PAGES,
                                       ret->page->grants + VCHAN_RING_PAGES, 1);
    ret->page->left_order = ret->page->right_order = VCHAN_ORDER;
    memcpy((char *)ret->page + VCHAN_MARK_AT, VCHAN_MARK, sizeof(VCHAN_MARK));
    ret->page->cli_live = 2;
    ret->page->srv_live = 1;
    return ret->left && ret->right;
}

static void take_back(xengntshr_handle *grants, const struct offer *offer)
{
    if ( offer->page )
        xengntshr_unshare(grants, offer->page, 1);
    if ( offer->left )
        xengntshr_unshare(grants, offer->left, VCHAN_RING_PAGES);
    if ( offer->right )
        xengntshr_unshare(grants, offer->right, VCHAN_RING_PAGES);
}

/* For dom0 and nobody else to read. */
static bool write_word(struct xs_handle *store, uint32_t ref)
{
    static const char path[] = AGENT_VCHAN_PATH "/ring-ref";
    char *domain = xs_read(store, XBT_NULL, "domid", NULL);
    struct xs_permissions rights[] = {
        {.id = domain ? (unsigned int)atoi(domain) : DOM0,
         .perms = XS_PERM_NONE},
        {.id = DOM0, .perms = XS_PERM_READ},
    };
    char word[16];
    bool written;

    snprintf(word, sizeof(word), "%" PRIu32, ref);
    written = domain &&
              xs_write(store, XBT_NULL, path, word,
                       (unsigned int)strlen(word)) &&
              xs_set_permissions(store, XBT_NULL, path, rights, 2);
    free(domain);
    return written;
}

static bool say_where(uint32_t ref)
{
    struct xs_handle *store = xs_open(0);
    bool offered = store && write_word(store, ref);
    int code = errno;

    if ( store )
        xs_close(store);
    errno = code;
    return offered;
}

bool vchan_offer(struct vchan_rings *ret)
{
    xengntshr_handle *grants = xengntshr_open(NULL, 0);
    struct offer offer;
    int code;

    if ( !grants )
        return false;
    if ( share(grants, &offer) && say_where(offer.ref) )
    {
        vchan_rings_of_server(ret, offer.page, offer.left, offer.right);
        return true;
    }
    code = errno;
    take_back(grants, &offer);
    xengntshr_close(grants);
    errno = code;
    return false;
}
