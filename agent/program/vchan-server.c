/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli_live says whether there is a client: Linux clears it when that ends.
 * srv_live is what a client looks at.  To hang up and to clear the rings needs
 * only that memory, so it works without privileges, and for as long as the
 * agent runs.
 */
#include "vchan-server.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
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

/* Grants the memory of a vchan, and says so in xenstore, at AGENT_VCHAN_PATH;
 * that needs root.  It ends with the process, of which Linux then clears
 * srv_live.  Returns false with errno if nothing is offered. */
static bool offer_vchan(struct vchan_rings *ret)
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

static bool can_grant(const char *devices)
{
    char path[256];
    int fd;

    snprintf(path, sizeof(path), "%s/gntalloc", devices);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if ( fd < 0 )
        return false;
    close(fd);
    return true;
}

int vchan_server_open(struct vchan_server *server, const char *devices,
                      struct failure *failure)
{
    *server = (struct vchan_server){.moves.fd = -1};
    if ( !can_grant(devices) )
        return fail(failure, STATUS_FAILED,
                    "dom0 cannot ask, since %s/gntalloc cannot be opened "
                    "(%s): modprobe xen-gntalloc, and start opagent again; it "
                    "goes on with its socket",
                    devices, strerror(errno));
    if ( !offer_vchan(&server->rings) )
        return fail(failure, STATUS_FAILED,
                    "dom0 cannot ask, since no vchan can be made at "
                    "%s in xenstore (%s): see opagent(8), IN A GUEST; it goes "
                    "on with its socket",
                    AGENT_VCHAN_PATH, strerror(errno));
    vchan_messages_begin(&server->messages, &server->rings);
    server->open = true;
    xen_moves_open(&server->moves, devices);
    return 0;
}

static bool has_client(const struct vchan_server *server)
{
    return __atomic_load_n(&server->rings.page->cli_live, __ATOMIC_ACQUIRE) ==
           1;
}

static void set_alive(const struct vchan_server *server, uint8_t alive)
{
    __atomic_store_n(&server->rings.page->srv_live, alive, __ATOMIC_RELEASE);
}

static void follow_client(struct vchan_server *server)
{
    if ( server->state != VCHAN_FREE && !has_client(server) )
    {
        vchan_rings_clear(&server->rings);
        set_alive(server, 1);
        server->state = VCHAN_FREE;
    }
    if ( server->state == VCHAN_FREE && has_client(server) )
    {
        server->talk = (struct agent_talk){.version = 0};
        vchan_messages_begin(&server->messages, &server->rings);
        server->state = VCHAN_TALKING;
    }
}

static bool hang_up(struct vchan_server *server)
{
    server->state = VCHAN_HUNG_UP;
    set_alive(server, 0);
    return false;
}

bool vchan_server_turn(struct vchan_server *server,
                       const struct agent_facts *facts, void *reply)
{
    const void *message;
    size_t size;
    bool over;
    int got;

    follow_client(server);
    if ( server->state != VCHAN_TALKING )
        return false;
    if ( vchan_messages_flush(&server->messages) )
        return hang_up(server);
    if ( !vchan_messages_can_put(&server->messages) )
        return false;
    got = vchan_messages_take(&server->messages, &message);
    if ( got <= 0 )
        return got ? hang_up(server) : false;
    size = answer_message(facts, &server->talk, message, (size_t)got, reply,
                          &over);
    if ( vchan_messages_put(&server->messages, reply, size) ||
         vchan_messages_flush(&server->messages) || over )
        return hang_up(server);
    return true;
}

int vchan_server_patience(struct vchan_server *server)
{
    return patience_ms(&server->patience, server->rings.moved);
}
