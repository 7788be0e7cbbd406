/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was added to a session, as bytes of a format of --export: for who takes
 * the samples of a session that grows, a window at a time.
 *
 * A window has what was added since a position of the session: each sample is
 * in one window, in the next one if it waited for its names that long, and in
 * none twice.  Names are as far as they are known.  What is read for it are the
 * files that the window is in, and of what came before it only names: a file
 * ends after an hour, so that the work does not grow with the session.  Time is
 * what Xen's account has in the window; of samples that came later than their
 * account, it is what they stand for.  Time of samples that wait is left out
 * until they come.
 *
 * The program ends where there is no memory, as xenopreport does.
 */
#ifndef XENOPROF_REPORT_EXPORT_EXPORT_BYTES_H
#define XENOPROF_REPORT_EXPORT_EXPORT_BYTES_H

#include "base/buffer.h"
#include "base/failure.h"
#include "report/model/gather.h"
#include "report/model/report.h"

#define WINDOW_ALL UINT32_MAX /* domains */

/* All zeroes is a window that was not read. */
struct export_window {
    struct gathered_session session;
    struct query query;
    const struct view *view;
    uint64_t position; /* where the next window begins */
    uint64_t from, to; /* UTC in ns, of what is accounted for */
    bool closed;       /* nothing is added to the session any more */
};

/* Reads what came since a position; 0: all.  path is a session's folder, format
 * a name of formats.def.  export_window_free() in any case. */
enum exit_status export_window_read(struct export_window *window,
                                    const char *path, const char *format,
                                    uint64_t since, struct failure *failure);
void export_window_free(struct export_window *window);

/* Returns how many samples of a domain there are, by its index, or of all. */
uint64_t export_window_samples(const struct export_window *window,
                               uint32_t domain);
/* Appends the same samples in the window's format; not compressed. */
void export_window_put(struct export_window *window, uint32_t domain,
                       struct buffer *ret);

/* Domains, with DOMAIN_INDEX_OTHER and DOMAIN_INDEX_IDLE. */
static inline uint32_t export_window_domains(const struct export_window *window)
{
    return (uint32_t)window->session.loaded.domains.count;
}

/* malloc'ed, as --export has them; uuid NULL: it is not a domain. */
char *export_window_domain_name(const struct export_window *window,
                                uint32_t domain);
char *export_window_domain_uuid(const struct export_window *window,
                                uint32_t domain);

#endif
