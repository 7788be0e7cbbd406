/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One session with all that a report needs to know of it.
 */
#ifndef XENOPROF_REPORT_GATHER_H
#define XENOPROF_REPORT_GATHER_H

#include "options.h"
#include "report/model/stacks.h"

struct gathered_session {
    struct kernels kernels;
    struct loaded loaded;
    struct stacks stacks; /* empty if nothing needs them */
    char *path;           /* of the session */
    bool whole;           /* all is there, whatever the failure */
};

/* Read the session that the user calls by that name or path, with times and
 * names, as far as the options select it.  A domain that they select and the
 * session has not is an error, but all is there then.  gathered_free() in
 * any case (all zero is free already). */
enum exit_status gather(struct gathered_session *gathered,
                        const struct options *options, const char *session,
                        struct failure *failure);
void gathered_free(struct gathered_session *gathered);

/* Tell standard error, behind the report, what is wrong with the session: a
 * status that is not STATUS_DONE if a part of it could not be read. */
enum exit_status gathered_warn(const struct gathered_session *gathered);

/* One line on standard error; what others chose may be in it: a domain's
 * name, a file's. */
void say(const char *what, const char *text);

#endif
