/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the session says of samples of time that wait in the spool: how many, of
 * which vCPU, mode and second, for how much time they stand.  So who reads a
 * session that is still recorded knows of time that has no name yet.
 *
 * There is a count for each vCPU, mode and second of which a sample waits, or
 * waited when it was said last, and for how much time it stands, which most do
 * for as much.  Xen says all of these, and no sample waits for longer than two
 * minutes, so there are some 360 for each vCPU, and never more than samples.
 */
#ifndef XENOPROF_DAEMON_WAITS_SPOOL_COUNTS_H
#define XENOPROF_DAEMON_WAITS_SPOOL_COUNTS_H

#include "base/table.h"
#include "daemon/domain-names.h"
#include "libxenoprof/libxenoprof.h"

struct spool_counts {
    struct table counts;
};

void spool_counts_init(struct spool_counts *spool);
void spool_counts_free(struct spool_counts *spool);

/* A sample of the domain with this uuid begins to wait, or ends to.  Those that
 * are not of time are passed over, and so is one that there is no memory
 * for. */
void spool_counts_add(struct spool_counts *spool, const uint8_t uuid[16],
                      const struct xenoprof_view *view);
void spool_counts_take(struct spool_counts *spool, const uint8_t uuid[16],
                       const struct xenoprof_view *view);
/* Nothing waits any more. */
void spool_counts_clear(struct spool_counts *spool);

/* Another file begins, which knows nothing of what was said. */
void spool_counts_begin_file(struct spool_counts *spool);
/* Says in the writer's block what is not as it was said.  Returns XENOPROF_OK,
 * or what the writer failed with; what was said until then is not said
 * again. */
enum xenoprof_status spool_counts_write(struct spool_counts *spool,
                                        struct domain_names *names,
                                        struct xenoprof_writer *writer,
                                        uint64_t time);

#endif
