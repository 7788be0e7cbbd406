/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reserve, start, stop and reset, and what a tick leaves for a command.
 * doc/lifetimes.md says in which order things end, and why.
 */
#include "clock.h"
#include "lifecycle.h"
#include "presence.h"
#include "quieten.h"
#include "setup.h"
#include "message.h"
#include "ticker.h"
#include "timer.h"
#include "upkeep.h"
#include "hypervisor/waits/wait-record.h"
#include "wake.h"
#include "hypervisor/pmu/pmu.h"
#include "hypervisor/pmu/pmu-left.h"
#include "hypervisor/pmu/pmu-measure.h"
#include "hypervisor/pmu/pmu-setup.h"
#include "hypervisor/xen-stack/xen-chain.h"

static enum xenoprof_state current_state = XENOPROF_STATE_LOADED;
static uint64_t sessions;
static struct session *unfinished; /* reserve has to be repeated */

/* A session that nobody finds any more, and that reset frees in pieces. */
static struct session *ending;
#define RESET_PAGES 1024u /* in a piece */

enum xenoprof_state lifecycle_state(void)
{
    const struct session *session = session_current();

    if ( current_state == XENOPROF_STATE_RUNNING && !session_running(session) )
        return XENOPROF_STATE_STOPPED;
    return current_state;
}

void lifecycle_show(void)
{
    struct session *session = session_current();

    if ( !session || !upkeep_lock(session) )
        return;
    session->directory.status.state = lifecycle_state();
    session->directory.status.pcpus = session_members(session);
    upkeep_count(session);
    directory_publish(&session->directory);
    upkeep_unlock(session);
}

/* reserve ---------------------------------------------------------------- */

/* Returns 0, or what refuse() returned: rings of the pCPUs alone would leave
 * too little to others. */
static int check_memory(const struct settings *settings)
{
    unsigned int pcpus = 0;

    for ( unsigned int i = 0; i < port_pcpus(); i++ )
        pcpus += port_pcpu_online(i);
    if ( !pages_are_scarce(pcpus * (settings->pages + 1)) )
        return 0;
    return refuse(
        ERROR_NO_MEMORY,
        "only %lu MiB of the host's memory are free, and %u must stay "
        "free for guests; make room (xl mem-set Domain-0 ...), or use "
        "smaller rings",
        port_memory_free() >> 20, XENOPROF_MEMORY_FLOOR >> 20);
}

static void drop_unfinished(void)
{
    if ( unfinished )
        session_destroy(unfinished);
    unfinished = NULL;
}

/* The session is dropped, unless the next command goes on with it. */
static int refuse_session(int error, const struct settings *settings)
{
    if ( error == ERROR_AGAIN )
        return refuse(error, "not all pCPUs have their ring yet; repeat the "
                             "command for more");
    drop_unfinished();
    if ( error == ERROR_NO_SPACE )
        return refuse(error,
                      "rings of %u pages for each pCPU need more than "
                      "%u MiB; use smaller rings",
                      settings->pages,
                      xenoprof_ring_ceiling(port_pcpus()) >> 20);
    return refuse(error, "Xen does not have enough free memory for the rings");
}

static void show_reserved(struct session *session)
{
    struct xenoprof_status_page *status = &session->directory.status;

    timer_set_frequency(session,
                        upkeep_frequency(session, session_members(session)));
    status->sampler = session->settings.sampler;
    status->asked = session->settings.frequency;
    status->mask = session->settings.mask;
    status->session = session->number;
    if ( session->settings.mask & XENOPROF_PART_XEN_STACK )
        status->module_text = xen_chain_own_text(&status->module_size);
    if ( session->pmu )
        pmu_setup_begin(session);
    current_state = XENOPROF_STATE_RESERVED;
    session_publish(session);
}

int lifecycle_reserve(const struct words *words)
{
    struct settings settings;
    struct session *session;
    int error;

    if ( current_state != XENOPROF_STATE_LOADED )
        return refuse(ERROR_BUSY, "a session exists already; reset it");
    error = setup_settings(words, &settings);
    if ( !error && !unfinished )
        error = check_memory(&settings);
    if ( error )
        return error;
    if ( unfinished &&
         memcmp(&unfinished->settings, &settings, sizeof(settings)) )
        return refuse(ERROR_BUSY, "another session is being made; reset it");
    if ( !unfinished )
        unfinished = session_create(&settings, ++sessions);
    error = unfinished ? session_add_pcpus(unfinished) : ERROR_NO_MEMORY;
    if ( error )
        return refuse_session(error, &settings);
    session = unfinished;
    unfinished = NULL;
    show_reserved(session);
    return 0;
}

/* start ------------------------------------------------------------------ */

static int check_start(struct session *session)
{
    int error;

    if ( !session )
        return refuse(ERROR_NOT_THERE, "there is no session to start");
    if ( current_state == XENOPROF_STATE_RUNNING )
        return refuse(ERROR_BUSY, "it is sampling already");
    error = session_add_pcpus(session);
    if ( error == ERROR_AGAIN )
        return refuse_session(error, &session->settings);
    if ( error == ERROR_NO_MEMORY )
        return refuse(ERROR_NO_MEMORY,
                      "Xen does not have enough free memory for another pCPU");
    if ( !session_members(session) )
        return refuse(ERROR_INVALID, "none of the chosen pCPUs is online");
    return 0;
}

static int take_slot(const struct session *session)
{
    if ( !settings_by_nmi(&session->settings) )
        return 0;
    port_hook_commit();
    if ( port_nmi_take() )
        return 0;
    port_unhook_commit();
    return refuse(ERROR_BUSY, "somebody else took Xen's NMI callback since "
                              "reserve; reset and reserve again");
}

int lifecycle_start(void)
{
    struct session *session = session_current();
    struct xenoprof_status_page *status;
    uint64_t now = port_time();
    int error = check_start(session);

    if ( !error && session->pmu )
        error = pmu_setup_start(session);
    if ( !error )
        error = take_slot(session);
    if ( error )
        return error;
    status = &session->directory.status;
    status->stop_reason = XENOPROF_STOP_NONE;
    status->stopped = 0;
    if ( !status->started )
        status->started = now;
    session->millisecond = clock_millisecond();
    session->scale = clock_scale(session->millisecond);
    session->halted = XENOPROF_STOP_NONE;
    quieten_reset(session);
    upkeep_start(session, now);
    current_state = XENOPROF_STATE_RUNNING;
    /* What ticks read is in place before session_running() is true; the rest
     * comes before Xen's timers are armed, in ticker_start(). */
    __atomic_store_n(&session->running, 1, __ATOMIC_SEQ_CST);
    if ( session->pmu )
        pmu_start(session);
    ticker_start(session);
    port_log("session %lu: sampling %u pCPUs at %u Hz, sampler %s",
             session->number, session->ranks, session->frequency,
             xenoprof_sampler_name(session->settings.sampler));
    return 0;
}

/* stop ------------------------------------------------------------------- */

static const char *const reasons[] = {
    [XENOPROF_STOP_NONE] = "at the start",
    [XENOPROF_STOP_ASKED] = "as asked",
    [XENOPROF_STOP_LEASE] = "nobody reads the samples",
    [XENOPROF_STOP_NMI_SLOT] = "somebody took the NMI callback",
    [XENOPROF_STOP_PMU] =
        "guests or Xen's own xenoprof got the counters of events",
};

/* Returns whether all is said that can be.  A session that a tick halted ended
 * before now: it has what its rounds said. */
static bool say_last(struct session *session, enum xenoprof_stop_reason why)
{
    if ( why != XENOPROF_STOP_ASKED || !session->quieten.alone )
        return true;
    if ( session->pmu )
        pmu_measure_finish(session, port_time());
    return wait_record_finish(session, port_time());
}

/* Returns 0 when all is done, or what refuse() returned. */
static int stop(struct session *session, enum xenoprof_stop_reason why)
{
    struct xenoprof_status_page *status = &session->directory.status;

    /* Ticks that start from now on find it in session_running(), and do
     * nothing; the others are waited for in timer_cancel_all(). */
    __atomic_store_n(&session->running, 0, __ATOMIC_SEQ_CST);
    if ( !quieten(session) || !say_last(session, why) )
    {
        session->halted = why;
        return refuse(ERROR_AGAIN, "samples are still on their way to their "
                                   "rings; ask again");
    }
    current_state = XENOPROF_STATE_STOPPED;
    status->stop_reason = why;
    if ( !status->stopped )
        status->stopped = port_time();
    lifecycle_show();
    wake_now(session);
    port_log("session %lu: stopped, %s; %lu samples made, %lu committed",
             session->number, reasons[why], status->counters.made,
             status->counters.committed);
    return 0;
}

int lifecycle_stop(void)
{
    struct session *session = session_current();

    if ( !session )
        return refuse(ERROR_NOT_THERE, "there is no session to stop");
    if ( current_state == XENOPROF_STATE_RESERVED )
        return refuse(ERROR_INVALID, "it has not been started");
    if ( current_state == XENOPROF_STATE_RUNNING )
        return stop(session, XENOPROF_STOP_ASKED);
    return 0;
}

/* Frees a piece of the session that ends.  Returns 0 when it is gone, or what
 * refuse() returned. */
static int free_a_piece(void)
{
    if ( !directory_free_rings(&ending->directory, RESET_PAGES) )
        return refuse(ERROR_AGAIN, "the rings are being freed; ask again");
    session_destroy(ending);
    ending = NULL;
    current_state = XENOPROF_STATE_LOADED;
    return 0;
}

int lifecycle_finish(void)
{
    struct session *session = session_current();
    struct domain *next;
    int error = 0;

    if ( ending )
        error = free_a_piece();
    if ( error )
        return error;
    pages_reap();
    if ( !session )
        return 0;
    if ( lifecycle_state() != current_state )
        error = stop(session, session->halted);
    if ( error || !upkeep_lock(session) )
        return error;
    /* Second halves found these gone. */
    for ( struct domain *one = session->domains.first; one; one = next )
    {
        next = one->next;
        if ( domain_is_gone(one) )
            domains_remove(&session->domains, &session->directory, one);
    }
    upkeep_unlock(session);
    return 0;
}

/* reset ------------------------------------------------------------------ */

int lifecycle_reset(void)
{
    struct session *session = session_current();

    if ( current_state == XENOPROF_STATE_RUNNING )
        return refuse(ERROR_BUSY, "it is sampling; stop it first");
    ending = unfinished;
    unfinished = NULL;
    if ( !session )
        return ending ? free_a_piece() : 0;
    session_publish(NULL);
    if ( !presence_wait(PRESENCE_FIRST) || !presence_wait(PRESENCE_SECOND) )
    {
        session_publish(session);
        return refuse(ERROR_BUSY, "a pCPU is still busy with a sample; "
                                  "try again");
    }
    current_state = XENOPROF_STATE_STOPPED;
    ending = session;
    return free_a_piece();
}

void lifecycle_unload(void)
{
    struct session *session = session_current();

    drop_unfinished();
    pmu_left_forget();
    if ( ending )
        session_destroy(ending);
    ending = NULL;
    current_state = session ? current_state : XENOPROF_STATE_LOADED;
    if ( !session )
        return;
    if ( session->pmu && current_state == XENOPROF_STATE_RUNNING )
        pmu_unload(session);
    session_publish(NULL);
    /* Every pCPU stands still: nobody reads it at the same time. */
    __atomic_store_n(&session->running, 0, __ATOMIC_SEQ_CST);
    timer_cancel_all(session);
    if ( current_state == XENOPROF_STATE_RUNNING )
        quieten_at_once(session);
    /* The reader may still have the page. */
    upkeep_count(session);
    directory_publish(&session->directory);
    current_state = XENOPROF_STATE_LOADED;
    session_destroy(session);
}
