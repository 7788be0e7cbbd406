/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running Xen: libraries, devices and files behind struct xen_calls. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <xenctrl.h>

#include <xencall.h>
#include <xenevtchn.h>
#include <xenforeignmemory.h>

#include "daemon/guests/guest-walk.h"
#include "xen-real.h"
#include "kmods.h"
#include "control/payload-list.h"
#include "control/xen-access.h"
#include "base/scope.h"
#include "control/xen-domains.h"
#include "symbol-text.h"
#include "trace/tracing.h"
#include "xen-clock.h"

#define FRAMES_AT_ONCE WALK_PAGES_AT_ONCE

struct real_xen {
    struct xen_domains domains;
    struct xen_clock *clock;
    xenevtchn_handle *events;
    xenforeignmemory_handle *memory;
    xencall_handle *call;
    struct tracing *tracing; /* NULL: Xen does not trace for us */
    int xen_symbols;
    int dom0_symbols;
    int dom0_kmods;
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
    struct real_xen *real = self;

    return xen_domains_list(&real->domains, ret);
}

static int pool_pcpus(void *self, const char *pool, struct number_set *ret)
{
    struct real_xen *real = self;

    return xen_cpupool_pcpus(&real->domains, pool, ret);
}

static int read_idle_clock(void *self, struct idle_times *ret)
{
    struct real_xen *real = self;

    return xen_clock_read(real->clock, ret);
}

static char *read_symbol_text(void *self, enum symbol_source source,
                              size_t *size)
{
    struct real_xen *real = self;

    return symbol_text_read(
        source == SYMBOLS_XEN ? real->xen_symbols : real->dom0_symbols, size);
}

static uint64_t kmods(void *self)
{
    struct real_xen *real = self;

    return kmods_sum(real->dom0_kmods);
}

/* Errors are for each page: those before the first are good. */
static size_t read_foreign_frames(void *self, uint16_t domain,
                                  const uint64_t *frames, size_t count,
                                  void *to)
{
    struct real_xen *real = self;
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
    pages = xenforeignmemory_map(real->memory, domain ? domain : DOMID_SELF,
                                 PROT_READ, count, numbers, errors);
    if ( !pages )
        return 0;
    while ( good < count && !errors[good] )
        good++;
    memcpy(to, pages, good * XC_PAGE_SIZE);
    xenforeignmemory_unmap(real->memory, pages, count);
    return good;
}

static int list_payloads(void *self, char *text, size_t size)
{
    struct real_xen *real = self;
    struct payload_entry *list SCOPE_FREE = NULL;
    size_t count;
    int code = payload_list(real->domains.xc, &list, &count);

    if ( !code )
        payload_list_others(list, count, MODULE_NAME, text, size);
    return code;
}

static uint64_t memory_free(void *self)
{
    struct real_xen *real = self;
    xc_physinfo_t host = {0};

    return xc_physinfo(real->domains.xc, &host)
               ? UINT64_MAX
               : (uint64_t)host.free_pages * XC_PAGE_SIZE;
}

static int vcpu_kernel(void *self, const struct listed_domain *domain,
                       uint32_t vcpu, struct vcpu_kernel *ret)
{
    struct real_xen *real = self;

    return vcpu_kernel_find(real->domains.xc, domain, vcpu, ret);
}

/* No domain has a lower number. */
static uint64_t dom0_ran(void *self)
{
    struct real_xen *real = self;
    xc_domaininfo_t info;

    return xc_domain_getinfolist(real->domains.xc, 0, 1, &info) == 1 &&
                   info.domain == 0
               ? info.cpu_time
               : 0;
}

static const struct xen_calls real_calls = {
    open_source,         list_domains,     pool_pcpus,
    read_idle_clock,     read_symbol_text, kmods,
    read_foreign_frames, list_payloads,    memory_free,
    vcpu_kernel,         dom0_ran,
};

static void end_tracing(void *self)
{
    struct real_xen *real = self;

    tracing_end(real->tracing);
    real->tracing = NULL;
}

static int begin_real_tracing(void *self, bool exits, bool again, uint32_t *khz,
                              struct failure *failure)
{
    struct real_xen *real = self;
    const struct tracing_handles with = {real->domains.xc, real->call,
                                         real->memory};

    end_tracing(real);
    if ( tracing_begin(&with, exits ? TRACING_EXITS : TRACING_RUNSTATES, again,
                       &real->tracing, failure) )
        return failure->status;
    *khz = tracing_khz(real->tracing);
    return 0;
}

static int read_traces(void *self,
                       int (*take)(void *to, const struct trace_event *event),
                       void *to, struct failure *failure)
{
    struct real_xen *real = self;

    return tracing_read(real->tracing, take, to, failure);
}

static const struct xen_tracing real_tracing = {begin_real_tracing, read_traces,
                                                end_tracing};

static int open_events(struct real_xen *real, struct failure *failure)
{
    real->events = xenevtchn_open(quiet_log(), 0);
    if ( real->events && xenevtchn_bind_virq(real->events, VIRQ_XENOPROF) >= 0 )
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

static int open_parts(struct real_xen *real, struct xen *xen,
                      struct failure *failure)
{
    int status = xen_domains_open(&real->domains, failure);
    int code;

    if ( status )
        return status;
    code = door_client_open(&xen->door);
    if ( code == -EOPNOTSUPP )
        return fail(failure, STATUS_NO_HYPFS,
                    "this hypervisor was built without hypfs; xenoprof needs "
                    "CONFIG_HYPFS");
    if ( !code )
        code = xen_clock_open(real->domains.xc, &xen->door,
                              (unsigned int)xc_get_max_cpus(real->domains.xc),
                              &real->clock);
    if ( code )
        return fail(failure, STATUS_NO_DAEMON,
                    "Xen's hypercall device cannot be used: %s",
                    strerror(-code));
    real->memory = xenforeignmemory_open(quiet_log(), 0);
    real->call = xencall_open(quiet_log(), 0);
    if ( !real->memory || !real->call )
        return fail(failure, STATUS_NO_DAEMON,
                    "memory of guests cannot be mapped: %s", strerror(errno));
    return open_events(real, failure);
}

int xen_real_open(struct xen *ret, struct failure *failure)
{
    struct real_xen *real = calloc(1, sizeof(*real));
    int status;

    *ret = (struct xen){
        .calls = &real_calls, .self = real, .tracing = &real_tracing};
    if ( !real )
        return fail_memory(failure);
    real->xen_symbols = symbol_text_open("/proc/xen/xensyms");
    real->dom0_symbols = symbol_text_open("/proc/kallsyms");
    real->dom0_kmods = symbol_text_open("/proc/modules");
    status = open_parts(real, ret, failure);
    if ( status )
        xen_real_close(ret);
    else
        host_info_read(real->domains.xc, &ret->info);
    return status;
}

void xen_real_close(struct xen *xen)
{
    struct real_xen *real = xen->self;

    if ( !real )
        return;
    symbol_text_close(real->xen_symbols);
    symbol_text_close(real->dom0_symbols);
    symbol_text_close(real->dom0_kmods);
    if ( real->events )
        xenevtchn_close(real->events);
    end_tracing(real);
    if ( real->memory )
        xenforeignmemory_close(real->memory);
    if ( real->call )
        xencall_close(real->call);
    xen_clock_close(real->clock);
    door_client_close(&xen->door);
    xen_domains_close(&real->domains);
    free(real);
    xen->self = NULL;
}

int xen_real_watch(struct xen *xen)
{
    struct real_xen *real = xen->self;

    if ( !real->domains.xs ||
         !xs_watch(real->domains.xs, "@introduceDomain", "come") ||
         !xs_watch(real->domains.xs, "@releaseDomain", "gone") )
        return -1;
    return xs_fileno(real->domains.xs);
}

bool xen_real_watched(struct xen *xen)
{
    struct real_xen *real = xen->self;
    bool any = false;
    char **event;

    while ( (event = xs_check_watch(real->domains.xs)) )
    {
        free(event);
        any = true;
    }
    return any;
}

int xen_real_wakeup_fd(const struct xen *xen)
{
    struct real_xen *real = xen->self;

    return xenevtchn_fd(real->events);
}

void xen_real_wakeup_taken(struct xen *xen)
{
    struct real_xen *real = xen->self;
    xenevtchn_port_or_error_t port = xenevtchn_pending(real->events);

    if ( port >= 0 )
        xenevtchn_unmask(real->events, (evtchn_port_t)port);
}
