/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include <xenctrl.h>

#include <xenevtchn.h>
#include <xenforeignmemory.h>

#include "daemon/guests/guest-walk.h"
#include "host-xen.h"
#include "module-list.h"
#include "control/payload-list.h"
#include "control/xen-access.h"
#include "base/scope.h"
#include "control/xen-domains.h"
#include "symbol-text.h"
#include "xen-clock.h"

#define FRAMES_AT_ONCE WALK_PAGES_AT_ONCE

struct xen_self {
    struct xen_domains domains;
    struct xen_clock *clock;
    xenevtchn_handle *events;
    xenforeignmemory_handle *memory;
    int xen_symbols;
    int dom0_symbols;
    int dom0_modules;
};

static enum xenoprof_status open_source(void *self,
                                        struct xenoprof_handle *handle,
                                        uint64_t status_mfn,
                                        struct xenoprof_source **ret)
{
    (void)self;
    return xenoprof_source_xen(handle, status_mfn, ret);
}

static int list_domains(void *self, struct domain_list *ret)
{
    struct xen_self *xen = self;

    return xen_domains_list(&xen->domains, ret);
}

static int pool_pcpus(void *self, const char *pool, struct number_set *ret)
{
    struct xen_self *xen = self;

    return xen_cpupool_pcpus(&xen->domains, pool, ret);
}

static int read_idle(void *self, struct idle_times *ret)
{
    struct xen_self *xen = self;

    return xen_clock_read(xen->clock, ret);
}

static char *read_symbols(void *self, enum symbol_source source, size_t *size)
{
    struct xen_self *xen = self;

    return symbol_text_read(
        source == SYMBOLS_XEN ? xen->xen_symbols : xen->dom0_symbols, size);
}

static uint64_t modules(void *self)
{
    struct xen_self *xen = self;

    return module_list_sum(xen->dom0_modules);
}

/* Errors are for each page: those before the first are good. */
static size_t read_frames(void *self, uint16_t domain, const uint64_t *frames,
                          size_t count, void *to)
{
    struct xen_self *xen = self;
    xen_pfn_t numbers[FRAMES_AT_ONCE];
    int errors[FRAMES_AT_ONCE] = {0};
    size_t good = 0;
    void *pages;

    if ( count > FRAMES_AT_ONCE )
        count = FRAMES_AT_ONCE;
    if ( !count )
        return 0;
    for ( size_t i = 0; i < count; i++ )
        numbers[i] = frames[i];
    /* Xen lets nobody name himself as a foreign domain. */
    pages = xenforeignmemory_map(xen->memory, domain ? domain : DOMID_SELF,
                                 PROT_READ, count, numbers, errors);
    if ( !pages )
        return 0;
    while ( good < count && !errors[good] )
        good++;
    memcpy(to, pages, good * XC_PAGE_SIZE);
    xenforeignmemory_unmap(xen->memory, pages, count);
    return good;
}

static int list_payloads(void *self, char *text, size_t size)
{
    struct xen_self *xen = self;
    struct payload_entry *list SCOPE_FREE = NULL;
    size_t count;
    int code = payload_list(xen->domains.xc, &list, &count);

    if ( !code )
        payload_list_others(list, count, MODULE_NAME, text, size);
    return code;
}

static const struct host_table xen_table = {
    open_source,  list_domains, pool_pcpus,  read_idle,
    read_symbols, modules,      read_frames, list_payloads,
};

static void read_build_id(xc_interface *xc, char *text, size_t size)
{
    union {
        struct xen_build_id id;
        unsigned char bytes[sizeof(struct xen_build_id) + 64];
    } buffer = {.id = {.len = 64}};
    int length = xc_version(xc, XENVER_build_id, &buffer.id);

    text[0] = '\0';
    for ( int i = 0; i < length && i < 64 && size > 2; i++, size -= 2 )
        text += sprintf(text, "%02x", buffer.id.buf[i]);
}

static void read_boot_id(char *text, size_t size)
{
    FILE *file SCOPE_FCLOSE = fopen("/proc/sys/kernel/random/boot_id", "re");

    if ( !file || !fgets(text, (int)size, file) )
        text[0] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

static void read_facts(xc_interface *xc, struct host_info *ret)
{
    int version = xc_version(xc, XENVER_version, NULL);
    xen_extraversion_t extra = "";
    struct utsname name;

    xc_version(xc, XENVER_extraversion, extra);
    snprintf(ret->xen_version, sizeof(ret->xen_version), "%d.%d%.40s",
             version >> 16, version & 0xffff, extra);
    read_build_id(xc, ret->xen_build_id, sizeof(ret->xen_build_id));
    read_boot_id(ret->boot, sizeof(ret->boot));
    if ( uname(&name) == 0 )
    {
        snprintf(ret->host, sizeof(ret->host), "%s", name.nodename);
        snprintf(ret->kernel, sizeof(ret->kernel), "%s %s", name.sysname,
                 name.release);
    }
}

static int open_events(struct xen_self *xen, struct failure *failure)
{
    xen->events = xenevtchn_open(quiet_log(), 0);
    if ( xen->events && xenevtchn_bind_virq(xen->events, VIRQ_XENOPROF) >= 0 )
        return 0;
    if ( errno == EEXIST || errno == EBUSY )
        return fail(failure, STATUS_BUSY,
                    "another program has bound Xen's profiling interrupt; "
                    "end it first");
    return fail(failure, STATUS_NO_DAEMON,
                "the event channel of Xen's profiling interrupt cannot be "
                "bound: %s; is the module xen-evtchn loaded?",
                strerror(errno));
}

static int open_parts(struct xen_self *xen, struct host *host,
                      struct failure *failure)
{
    int status = xen_domains_open(&xen->domains, failure);
    int code;

    if ( status )
        return status;
    code = door_client_open(&host->door);
    if ( code == -EOPNOTSUPP )
        return fail(failure, STATUS_NO_HYPFS,
                    "this hypervisor was built without hypfs; xenoprof needs "
                    "CONFIG_HYPFS");
    if ( !code )
        code = xen_clock_open(xen->domains.xc, &host->door,
                              (unsigned int)xc_get_max_cpus(xen->domains.xc),
                              &xen->clock);
    if ( code )
        return fail(failure, STATUS_NO_DAEMON,
                    "Xen's hypercall device cannot be used: %s",
                    strerror(-code));
    xen->memory = xenforeignmemory_open(quiet_log(), 0);
    if ( !xen->memory )
        return fail(failure, STATUS_NO_DAEMON,
                    "memory of guests cannot be mapped: %s", strerror(errno));
    return open_events(xen, failure);
}

int host_xen_open(struct host *ret, struct failure *failure)
{
    struct xen_self *xen = calloc(1, sizeof(*xen));
    int status;

    *ret = (struct host){.table = &xen_table, .self = xen};
    if ( !xen )
        return fail_memory(failure);
    xen->xen_symbols = symbol_text_open("/proc/xen/xensyms");
    xen->dom0_symbols = symbol_text_open("/proc/kallsyms");
    xen->dom0_modules = symbol_text_open("/proc/modules");
    status = open_parts(xen, ret, failure);
    if ( status )
        host_xen_close(ret);
    else
        read_facts(xen->domains.xc, &ret->facts);
    return status;
}

void host_xen_close(struct host *host)
{
    struct xen_self *xen = host->self;

    if ( !xen )
        return;
    symbol_text_close(xen->xen_symbols);
    symbol_text_close(xen->dom0_symbols);
    symbol_text_close(xen->dom0_modules);
    if ( xen->events )
        xenevtchn_close(xen->events);
    if ( xen->memory )
        xenforeignmemory_close(xen->memory);
    xen_clock_close(xen->clock);
    door_client_close(&host->door);
    xen_domains_close(&xen->domains);
    free(xen);
    host->self = NULL;
}

int host_xen_watch(struct host *host)
{
    struct xen_self *xen = host->self;

    if ( !xen->domains.xs ||
         !xs_watch(xen->domains.xs, "@introduceDomain", "come") ||
         !xs_watch(xen->domains.xs, "@releaseDomain", "gone") )
        return -1;
    return xs_fileno(xen->domains.xs);
}

bool host_xen_watched(struct host *host)
{
    struct xen_self *xen = host->self;
    bool any = false;
    char **event;

    while ( (event = xs_check_watch(xen->domains.xs)) )
    {
        free(event);
        any = true;
    }
    return any;
}

int host_xen_wakeup_fd(const struct host *host)
{
    struct xen_self *xen = host->self;

    return xenevtchn_fd(xen->events);
}

void host_xen_wakeup_taken(struct host *host)
{
    struct xen_self *xen = host->self;
    xenevtchn_port_or_error_t port = xenevtchn_pending(xen->events);

    if ( port >= 0 )
        xenevtchn_unmask(xen->events, (evtchn_port_t)port);
}
