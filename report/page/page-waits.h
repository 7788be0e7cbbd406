/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long each vCPU waited for a pCPU, and had nothing to do, in all and by
 * time, as the page has it (doc/page.md).
 */
#ifndef XENOPROF_REPORT_PAGE_PAGE_WAITS_H
#define XENOPROF_REPORT_PAGE_PAGE_WAITS_H

#include "base/json-writer.h"
#include "bytes.h"
#include "report/model/loaded.h"

/* Puts the rows by time; nothing if the session has none, or no samples. */
void page_waits_put(const struct loaded *loaded, struct bytes *ret);
/* Puts "waits", a row for each vCPU of all of the time: those that waited
 * longest for a pCPU first, as --waits has them. */
void page_waits_put_rows(const struct loaded *loaded, struct json *json);

#endif
