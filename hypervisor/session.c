/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The session: made and freed by commands, found by everybody else.
 */
#include "session.h"
#include "core.h"
#include "random.h"
#include "hypervisor/pmu/pmu-state.h"
#include "hypervisor/xen-stack/xen-chain.h"

static struct session *current;

struct session *session_current(void)
{
    /* Acquire, with session_publish(): a session that is found is complete.
     * Halves come here after presence_enter(), see presence.c. */
    return __atomic_load_n(&current, __ATOMIC_ACQUIRE);
}

void session_publish(struct session *session)
{
    /* Release, with session_current().  And a session is hidden before
     * presence_wait() looks who may still have found it. */
    __atomic_store_n(&current, session, __ATOMIC_SEQ_CST);
}

uint32_t session_members(const struct session *session)
{
    uint32_t count = 0;

    for ( uint32_t i = 0; i < session->pcpus; i++ )
        count += session_member(session, i) != NULL;
    return count;
}

uint32_t settings_windows(const struct settings *settings)
{
    if ( !(settings->mask & XENOPROF_PART_WINDOW) )
        return 0;
    if ( settings->mask & XENOPROF_PART_USER_WINDOW )
        return settings->window + settings->user_window;
    return settings->window > settings->user_window ? settings->window
                                                    : settings->user_window;
}

static unsigned long bytes_of_session(uint32_t pcpus)
{
    return sizeof(struct session) + pcpus * sizeof(struct pcpu *);
}

static void destroy_pcpu(struct pcpu *pcpu)
{
    queue_close(&pcpu->queue);
    sample_record_close(&pcpu->record);
    windows_close(&pcpu->windows);
    port_free_near(pcpu, sizeof(*pcpu));
}

/* The directory owns the pCPU's ring. */
static int create_pcpu(struct session *session, unsigned int index,
                       struct pcpu **ret)
{
    const struct settings *settings = &session->settings;
    struct ring_name name = {.kind = XENOPROF_RING_PCPU, .vcpu = index};
    struct pcpu *pcpu = port_alloc_near(index, sizeof(*pcpu));
    uint32_t depth = settings->queue ?: queue_depth_for(settings->frequency);
    int error = ERROR_NO_MEMORY;

    if ( !pcpu )
        return error;
    pcpu->index = index;
    pcpu->ticker.random = random_seed(index);
    if ( queue_open(&pcpu->queue, index, depth,
                    xen_chain_room(settings->mask)) &&
         sample_record_open(&pcpu->record, index, settings->mask) &&
         windows_open(&pcpu->windows, index, settings_windows(settings)) )
        error = directory_add(&session->directory, &name, settings->pages,
                              &pcpu->ring);
    if ( error )
        destroy_pcpu(pcpu);
    else
        *ret = pcpu;
    return error;
}

static bool is_missing(const struct session *session, unsigned int index)
{
    return !session->pcpu[index] && port_pcpu_online(index);
}

/* Returns about how many bytes create_pcpu() takes. */
static uint64_t pcpu_bytes(const struct settings *settings)
{
    uint32_t depth = settings->queue ?: queue_depth_for(settings->frequency);

    return ring_bytes(settings->pages) + sizeof(struct pcpu) +
           (uint64_t)depth * (sizeof(struct queue_entry) +
                              8 * xen_chain_room(settings->mask)) +
           windows_room(settings_windows(settings));
}

int session_add_pcpus(struct session *session)
{
    uint32_t left = pages_piece(pcpu_bytes(&session->settings));

    for ( unsigned int i = 0; i < session->pcpus; i++ )
    {
        struct pcpu *pcpu = NULL;
        int error;

        if ( !is_missing(session, i) )
            continue;
        if ( !left-- )
            return ERROR_AGAIN;
        error = create_pcpu(session, i, &pcpu);
        if ( error )
            return error;
        /* Release, with session_pcpu(): a pCPU that is found is complete. */
        __atomic_store_n(&session->pcpu[i], pcpu, __ATOMIC_RELEASE);
    }
    return 0;
}

struct session *session_create(const struct settings *settings, uint64_t number)
{
    uint32_t pcpus = port_pcpus();
    struct session *session = port_alloc(bytes_of_session(pcpus));

    if ( !session )
        return NULL;
    session->settings = *settings;
    session->number = number;
    session->pcpus = pcpus;
    session->frequency = settings->frequency;
    session->chosen = port_alloc(pcpus);
    if ( settings->sampler == XENOPROF_SAMPLER_PMU )
        session->pmu = port_alloc(sizeof(*session->pmu));
    if ( session->chosen )
        memset(session->chosen, true, pcpus);
    if ( session->chosen &&
         (session->pmu || settings->sampler != XENOPROF_SAMPLER_PMU) &&
         directory_open(&session->directory) )
        return session;
    session_destroy(session);
    return NULL;
}

void session_destroy(struct session *session)
{
    for ( unsigned int i = 0; i < session->pcpus; i++ )
        if ( session->pcpu[i] )
            destroy_pcpu(session->pcpu[i]);
    domains_free(&session->domains);
    directory_close(&session->directory);
    if ( session->chosen )
        port_free(session->chosen, session->pcpus);
    if ( session->pmu )
        port_free(session->pmu, sizeof(*session->pmu));
    port_free(session, bytes_of_session(session->pcpus));
}

void session_halt(struct session *session, enum xenoprof_stop_reason why)
{
    /* Release, with session_running(): a halted session says why. */
    __atomic_store_n(&session->halted, why, __ATOMIC_RELAXED);
    __atomic_store_n(&session->running, 0, __ATOMIC_RELEASE);
}
