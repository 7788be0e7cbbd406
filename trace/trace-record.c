/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records what Xen traces. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libxenoprof.h>

#include "base/clock.h"
#include "base/scope.h"
#include "control/host-info.h"
#include "control/xen-domains.h"
#include "libxenoprof/session/session-attributes.h"
#include "processor.h"
#include "trace-record.h"
#include "trace-session.h"
#include "tracing.h"

#define ROUNDS      10u  /* in a second */
#define EXIT_ROUNDS 100u /* a guest can make 100,000 exits in a second */
#define FLUSHED     10u  /* seconds */
#define VCPUS_MOST  8192u

#define WITHOUT_MODULE                                                         \
    "recorded without the module: there are no samples; who ran and waited "   \
    "is from Xen's trace buffers, where a vCPU that waits for its device "     \
    "model, or whose cap is used up, counts as paused"

struct recorder {
    struct xen_domains domains;
    struct tracing_handles with;
    struct tracing *tracing;
    struct xenoprof_handle *handle;
    struct trace_session session;
    struct domain_list list;
    xc_cpuinfo_t *pcpus;
    unsigned int pcpus_most;
    struct table owners; /* struct pcpu_owner: who had it at the beginning */
    bool guessed, exits;
};

static int fail_session(const struct recorder *recorder,
                        enum xenoprof_status status, struct failure *failure)
{
    return status ? fail(failure, STATUS_FAILED, "the session: %s",
                         xenoprof_message(recorder->handle))
                  : 0;
}

static int record_event(void *self, const struct trace_event *event)
{
    struct recorder *recorder = self;

    return trace_session_add(&recorder->session, event) ? 0 : STATUS_FAILED;
}

static enum xenoprof_status put_trace_attribute(struct recorder *recorder,
                                                const char *key,
                                                const char *value)
{
    return *value ? xenoprof_writer_attribute(recorder->session.writer,
                                              recorder->session.now, key, value)
                  : XENOPROF_OK;
}

static enum xenoprof_status put_trace_number(struct recorder *recorder,
                                             const char *key, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRIu64, value);
    return put_trace_attribute(recorder, key, text);
}

static enum xenoprof_status put_identity(struct recorder *recorder)
{
    struct host_info info;
    uint64_t utc = utc_now();
    enum xenoprof_status status = put_trace_number(recorder,
                                                   SESSION_ATTRIBUTE_UTC, utc);

    host_info_read(recorder->domains.xc, &info);
    if ( !status )
        status = put_trace_number(recorder, SESSION_ATTRIBUTE_BEGAN, utc);
    if ( !status )
        status = put_trace_attribute(recorder, SESSION_ATTRIBUTE_HOST,
                                     info.host);
    if ( !status )
        status = put_trace_attribute(recorder, SESSION_ATTRIBUTE_KERNEL,
                                     info.kernel);
    if ( !status )
        status = put_trace_attribute(recorder, SESSION_ATTRIBUTE_XEN,
                                     info.xen_version);
    if ( !status )
        status = put_trace_attribute(recorder, SESSION_ATTRIBUTE_BUILD_ID,
                                     info.xen_build_id);
    if ( !status )
        status = put_trace_attribute(recorder, SESSION_ATTRIBUTE_PROGRAM,
                                     "xenoprof " PACKAGE_VERSION);
    if ( !status )
        status = put_trace_attribute(recorder, SESSION_ATTRIBUTE_BOOT,
                                     info.boot);
    return status ? status
                  : put_trace_attribute(recorder, SESSION_ATTRIBUTE_WARNING,
                                        WITHOUT_MODULE);
}

static enum xenoprof_status put_idle(struct recorder *recorder)
{
    enum xenoprof_status status = XENOPROF_OK;
    int count = 0;

    if ( xc_getcpuinfo(recorder->domains.xc, (int)recorder->pcpus_most,
                       recorder->pcpus, &count) )
        return XENOPROF_OK;
    for ( int i = 0; !status && i < count; i++ )
        if ( recorder->pcpus[i].idletime )
            status = xenoprof_writer_idle(recorder->session.writer,
                                          recorder->session.now, (uint16_t)i,
                                          recorder->pcpus[i].idletime);
    return status;
}

/* Xen does not say of a vCPU that its domain is paused. */
static enum runstate seems(const struct listed_domain *domain,
                           const xc_vcpuinfo_t *info)
{
    if ( info->running )
        return RUNSTATE_RUNS;
    if ( !info->online || domain->stopped )
        return RUNSTATE_IS_OFFLINE;
    return info->blocked ? RUNSTATE_SLEEPS : RUNSTATE_WAITS;
}

struct pcpu_owner {
    uint64_t pcpu;
    struct traced_key who;
};

/* A vCPU that does not change its state has no record. */
static bool guess_one(struct recorder *recorder,
                      const struct listed_domain *domain, struct traced_key who,
                      const xc_vcpuinfo_t *info)
{
    const uint64_t pcpu = info->cpu;
    struct pcpu_owner *owner;

    if ( !trace_session_guess(&recorder->session, who.domain, who.vcpu,
                              seems(domain, info)) )
        return false;
    if ( !info->running )
        return true;
    owner = table_put(&recorder->owners, &pcpu);
    if ( owner )
        owner->who = who;
    return owner;
}

/* Who had a pCPU at the beginning, has it now, and had no change in between,
 * had it all the time. */
static bool settle_one(struct recorder *recorder,
                       const struct listed_domain *domain,
                       struct traced_key who, const xc_vcpuinfo_t *info)
{
    const uint64_t pcpu = info->cpu;
    const struct pcpu_owner *owner = table_find(&recorder->owners, &pcpu);
    const struct turn *turn = turns_of(&recorder->session.turns,
                                       (uint16_t)pcpu);

    (void)domain;
    if ( !turn )
        return false;
    return !info->running || !owner || !traced_same(owner->who, who) ||
           turn->now_known || turn->before_known ||
           exits_owned(&recorder->session.exits, (uint16_t)pcpu, who);
}

static bool each_vcpu(struct recorder *recorder,
                      bool (*take_one)(struct recorder *recorder,
                                       const struct listed_domain *domain,
                                       struct traced_key who,
                                       const xc_vcpuinfo_t *info))
{
    unsigned int left = VCPUS_MOST;

    for ( size_t i = 0; i < recorder->list.count; i++ )
    {
        const struct listed_domain *domain = &recorder->list.items[i];

        for ( uint32_t vcpu = 0; vcpu < domain->vcpus && left; vcpu++, left-- )
        {
            xc_vcpuinfo_t info;

            if ( xc_vcpu_getinfo(recorder->domains.xc, domain->id, vcpu,
                                 &info) == 0 &&
                 !take_one(recorder, domain,
                           (struct traced_key){domain->id, (uint16_t)vcpu},
                           &info) )
                return false;
        }
    }
    return true;
}

static int round_of(struct recorder *recorder, bool last,
                    struct failure *failure)
{
    int code = tracing_read(recorder->tracing, record_event, recorder, failure);

    if ( code && !failure->status )
        fail_memory(failure);
    if ( code )
        return code;
    if ( !trace_session_count(&recorder->session, last) )
        return fail_memory(failure);
    if ( !recorder->session.first || recorder->guessed )
        return 0;
    /* After the first records, which say when tracing began. */
    recorder->guessed = true;
    if ( !each_vcpu(recorder, guess_one) )
        return fail_memory(failure);
    return fail_session(recorder, put_identity(recorder), failure);
}

/* What went meanwhile is on the last list. */
static enum xenoprof_status say_domains(struct recorder *recorder)
{
    struct domain_list list = {0};
    bool is_there = xen_domains_list(&recorder->domains, &list) == 0;
    enum xenoprof_status status = XENOPROF_OK;

    if ( is_there )
        status = trace_session_say(&recorder->session, &list);
    if ( !status )
        status = trace_session_say(&recorder->session, &recorder->list);
    if ( is_there )
    {
        domain_list_free(&recorder->list);
        recorder->list = list;
    }
    return status;
}

static int second_of(struct recorder *recorder, bool flush,
                     struct failure *failure)
{
    enum xenoprof_status status = say_domains(recorder);

    if ( !status )
        status = put_idle(recorder);
    if ( !status && flush )
        status = xenoprof_writer_flush(recorder->session.writer);
    return fail_session(recorder, status, failure);
}

static int record_rounds(struct recorder *recorder, unsigned int seconds,
                         const volatile sig_atomic_t *interrupted,
                         void (*progress)(unsigned int second,
                                          unsigned int seconds),
                         struct failure *failure)
{
    const struct timespec pause = {
        .tv_nsec = 1000000000 / (recorder->exits ? EXIT_ROUNDS : ROUNDS)};
    uint64_t began = monotonic_now(), second = 0;

    while ( second < seconds && !*interrupted )
    {
        nanosleep(&pause, NULL);
        if ( round_of(recorder, false, failure) )
            return failure->status;
        if ( (monotonic_now() - began) / 1000000000 == second )
            continue;
        second = (monotonic_now() - began) / 1000000000;
        if ( second_of(recorder, second % FLUSHED == 0, failure) )
            return failure->status;
        progress((unsigned int)second, seconds);
    }
    return round_of(recorder, true, failure);
}

static int finish_recording(struct recorder *recorder, struct failure *failure)
{
    enum xenoprof_status status;
    char text[512];
    size_t used;

    if ( !each_vcpu(recorder, settle_one) )
        return fail_memory(failure);
    if ( second_of(recorder, false, failure) )
        return failure->status;
    used = trace_session_missing(&recorder->session, text, sizeof(text));
    snprintf(text + used, sizeof(text) - used,
             ", %" PRIu64 " buffers unreadable",
             tracing_broken(recorder->tracing));
    status = put_trace_attribute(recorder, SESSION_ATTRIBUTE_TRACE, text);
    if ( !status )
        status = xenoprof_writer_close(recorder->session.writer,
                                       recorder->session.now);
    return fail_session(recorder, status, failure);
}

static int open_all(struct recorder *recorder, const char *folder,
                    struct failure *failure)
{
    struct xenoprof_writer *writer;
    int pcpus;

    if ( xen_domains_open(&recorder->domains, failure) )
        return failure->status;
    pcpus = xc_get_max_cpus(recorder->domains.xc);
    recorder->pcpus_most = pcpus > 0 ? (unsigned int)pcpus : 1;
    recorder->pcpus = calloc(recorder->pcpus_most, sizeof(*recorder->pcpus));
    recorder->handle = xenoprof_open();
    if ( !recorder->pcpus || !recorder->handle )
        return fail_memory(failure);
    if ( xen_domains_list(&recorder->domains, &recorder->list) )
        return fail(failure, STATUS_FAILED, "Xen does not list its domains");
    recorder->with = (struct tracing_handles){
        .xc = recorder->domains.xc,
        .call = xencall_open(NULL, 0),
        .memory = xenforeignmemory_open(NULL, 0),
    };
    if ( !recorder->with.call || !recorder->with.memory )
        return fail(failure, STATUS_NO_XEN,
                    "Xen's interfaces cannot be opened: %s", strerror(errno));
    if ( tracing_begin(&recorder->with,
                       recorder->exits ? TRACING_EXITS : TRACING_RUNSTATES,
                       false, &recorder->tracing, failure) )
        return failure->status;
    if ( fail_session(recorder,
                      xenoprof_writer_create(recorder->handle, folder, &writer),
                      failure) )
        return failure->status;
    trace_session_init(&recorder->session, writer,
                       tracing_khz(recorder->tracing), processor_is_svm());
    return 0;
}

int trace_record(const char *folder, unsigned int seconds, bool exits,
                 const volatile sig_atomic_t *interrupted,
                 void (*progress)(unsigned int second, unsigned int seconds),
                 struct failure *failure)
{
    struct recorder recorder = {.exits = exits};

    table_init(&recorder.owners, sizeof(uint64_t), sizeof(struct pcpu_owner));
    if ( !open_all(&recorder, folder, failure) &&
         !record_rounds(&recorder, seconds, interrupted, progress, failure) )
        finish_recording(&recorder, failure);
    tracing_end(recorder.tracing);
    xenoprof_writer_destroy(recorder.session.writer);
    trace_session_free(&recorder.session);
    domain_list_free(&recorder.list);
    table_free(&recorder.owners);
    if ( recorder.handle )
        xenoprof_close(recorder.handle);
    free(recorder.pcpus);
    if ( recorder.with.memory )
        xenforeignmemory_close(recorder.with.memory);
    if ( recorder.with.call )
        xencall_close(recorder.with.call);
    xen_domains_close(&recorder.domains);
    return failure->status;
}
