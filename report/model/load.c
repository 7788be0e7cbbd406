/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load.h"

#include "load-items.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void note_damage(struct recording *recording, const char *message)
{
    if ( recording->damages < DAMAGES_KEPT )
        recording->damage[recording->damages] = strdup(message);
    recording->damages++;
}

enum report_status load_failed(struct xenoprof_handle *handle,
                               enum xenoprof_code code, const char *path,
                               struct complaint *complaint)
{
    const char *message = xenoprof_message(handle);
    int error = xenoprof_errno(handle);
    enum report_status status = REPORT_FAILED;

    if ( code == XENOPROF_NO_MEMORY )
        return complain_memory(complaint);
    if ( code == XENOPROF_INVALID || code == XENOPROF_DAMAGED )
        status = REPORT_NOT_SESSION;
    else if ( code == XENOPROF_NEWER )
        status = REPORT_NEWER;
    else if ( code == XENOPROF_NOT_FOUND )
        status = REPORT_NO_SESSION;
    else if ( code == XENOPROF_SYSTEM && (error == EACCES || error == EPERM) )
        return complain(complaint, REPORT_NO_ACCESS,
                        "%s may not be read: sessions are private, be root or "
                        "the user who owns it",
                        path);
    return complain(complaint, status, "%s",
                    *message ? message : "the session cannot be read");
}

static enum report_status load_items(struct loader *loader,
                                     struct xenoprof_handle *handle,
                                     struct xenoprof_session *session,
                                     const char *path,
                                     struct complaint *complaint)
{
    struct xenoprof_item item;
    enum xenoprof_code code;

    while ( (code = xenoprof_session_next(session, &item)) != XENOPROF_END )
    {
        if ( code == XENOPROF_DAMAGED )
            note_damage(loader->recording, xenoprof_message(handle));
        else if ( code != XENOPROF_OK )
            return load_failed(handle, code, path, complaint);
        else if ( !load_item(loader, &item) )
            return complain_memory(complaint);
    }
    loader->recording->torn = xenoprof_session_torn(session);
    if ( !load_settle_window(loader) )
        return complain(complaint, REPORT_USAGE,
                        "%s does not say what UTC its times are: give the "
                        "range in seconds since its start",
                        path);
    return REPORT_OK;
}

enum report_status load_session(struct recording *recording, const char *path,
                                const struct time_range *range,
                                struct complaint *complaint)
{
    struct loader loader = {.recording = recording, .range = range};
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_session *session = NULL;
    enum report_status status;
    enum xenoprof_code code;

    loader.domain_now = calloc(DOMAIN_NUMBERS, sizeof(*loader.domain_now));
    if ( !handle || !loader.domain_now )
        status = complain_memory(complaint);
    else if ( (code = xenoprof_session_open(handle, path, &session)) )
        status = load_failed(handle, code, path, complaint);
    else
        status = load_items(&loader, handle, session, path, complaint);
    xenoprof_session_close(session);
    xenoprof_close(handle);
    free(loader.domain_now);
    return status;
}
