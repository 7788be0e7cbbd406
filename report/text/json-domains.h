/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session's domains in JSON: who they are, their kernels, how their chains
 * ended. */
#ifndef XENOPROF_REPORT_TEXT_JSON_DOMAINS_H
#define XENOPROF_REPORT_TEXT_JSON_DOMAINS_H

#include "report/model/loaded.h"

#include "base/json-writer.h"

/* "domains": [...], in an object that is open. */
void json_put_domains(struct json *json, const struct loaded *loaded);

#endif
