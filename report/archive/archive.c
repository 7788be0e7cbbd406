/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "archive.h"

#include "archive-code.h"
#include "base/clock.h"
#include "base/must.h"
#include "base/read-progress.h"
#include "base/scope.h"
#include "cut.h"
#include "libxenoprof/session/session-attributes.h"
#include "report/model/load.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_OF_COPY "DATA.0000"

/* The copy that is begun; NULL: none. */
static char *copy_folder, *copy_path;

void archive_give_up(void)
{
    if ( !copy_folder )
        return;
    unlink(copy_path);
    rmdir(copy_folder);
}

/* What is begun goes with the program. */
static void end_by_signal(int number)
{
    archive_give_up();
    raise(number); /* it has its usual effect again */
}

static void watch_signals(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    struct sigaction action = {.sa_handler = end_by_signal,
                               .sa_flags = SA_RESETHAND};
    struct sigaction before;

    for ( size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++ )
        if ( !sigaction(numbers[i], NULL, &before) &&
             before.sa_handler != SIG_IGN )
            sigaction(numbers[i], &action, NULL);
}

/* Makes a folder for a copy beside path.  Returns false if that fails. */
static bool begin_copy(const char *path)
{
    char *folder = must_text("%s.XXXXXX", path);

    watch_signals();
    if ( !mkdtemp(folder) )
    {
        free(folder);
        return false;
    }
    copy_path = must_text("%s/" FILE_OF_COPY, folder);
    copy_folder = folder;
    return true;
}

static void end_copy(void)
{
    archive_give_up();
    free(copy_folder);
    free(copy_path);
    copy_folder = copy_path = NULL;
}

/* What is needed to know where a part of a session is in Xen's time. */
static enum xenoprof_status find_clocks(struct xenoprof_session *session,
                                        const struct time_range *range,
                                        struct clocks *clocks,
                                        struct time_span *ret, bool *found)
{
    struct xenoprof_item item;
    enum xenoprof_status code = XENOPROF_OK;

    xenoprof_session_who_only(session);
    *found = false;
    while ( !*found && (!code || code == XENOPROF_DAMAGED) )
    {
        uint64_t time;

        code = xenoprof_session_next_columns(session, &item);
        if ( code )
            continue;
        time = item.kind == XENOPROF_ITEM_SAMPLES ? item.u.samples.first
                                                  : item.time;
        if ( !clocks->start )
            clocks->start = time;
        if ( item.kind != XENOPROF_ITEM_ATTRIBUTE )
            *found = clocks->start && time_range_resolve(range, clocks, ret);
        else if ( !strcmp(item.u.attribute.key, SESSION_ATTRIBUTE_UTC) )
            clocks_note_utc(clocks, item.time, item.u.attribute.value);
    }
    return code == XENOPROF_END || code == XENOPROF_DAMAGED ? XENOPROF_OK
                                                            : code;
}

static enum exit_status find_span(struct xenoprof_handle *handle,
                                  const struct archive_wanted *wanted,
                                  struct time_span *ret,
                                  struct failure *failure)
{
    struct clocks clocks = {.start = 0};
    struct xenoprof_session *session = NULL;
    enum xenoprof_status code = XENOPROF_OK;
    bool found = false;

    *ret = (struct time_span){0, UINT64_MAX};
    if ( time_range_all(wanted->range) )
        return STATUS_DONE;
    if ( time_range_needs_end(wanted->range) )
        code = xenoprof_session_end(handle, wanted->session, &clocks.end);
    if ( !code )
        code = xenoprof_session_open(handle, wanted->session, &session);
    if ( !code )
        code = find_clocks(session, wanted->range, &clocks, ret, &found);
    xenoprof_session_close(session);
    if ( code )
        return load_failed(handle, code, wanted->session, failure);
    if ( !found )
        return fail(failure, STATUS_USAGE,
                    "%s does not record UTC: give the time range in seconds "
                    "since its start",
                    wanted->session);
    return STATUS_DONE;
}

static enum exit_status not_written(struct xenoprof_handle *handle,
                                    enum xenoprof_status code,
                                    const struct archive_wanted *wanted,
                                    struct failure *failure)
{
    if ( code == XENOPROF_NO_MEMORY )
        no_memory();
    if ( code == XENOPROF_SYSTEM )
        return fail(failure, STATUS_OUTPUT,
                    "%s could not be written to the end: %s", wanted->file,
                    strerror(xenoprof_errno(handle)));
    return fail(failure, STATUS_FAILED, "%s", xenoprof_message(handle));
}

/* Damage is passed over; *damage is then the first sentence on it. */
static enum exit_status copy_items(struct xenoprof_handle *handle,
                                   struct xenoprof_session *session,
                                   const struct archive_wanted *wanted,
                                   struct cut *cut, char **damage,
                                   struct failure *failure)
{
    struct read_progress progress;
    struct xenoprof_item item;
    enum xenoprof_status code;
    uint64_t samples = 0;

    read_progress_begin(&progress, read_progress_terminal(), monotonic_now());
    while ( !failure->status &&
            (code = xenoprof_session_next(session, &item)) != XENOPROF_END )
    {
        if ( code == XENOPROF_DAMAGED && !*damage )
            *damage = must(strdup(xenoprof_message(handle)));
        if ( code && code != XENOPROF_DAMAGED )
            load_failed(handle, code, wanted->session, failure);
        if ( code )
            continue;
        samples += item.kind == XENOPROF_ITEM_SAMPLE;
        if ( item.kind == XENOPROF_ITEM_COUNTERS )
            read_progress_step(&progress, monotonic_now(), samples);
        code = cut_put(cut, &item, xenoprof_session_position(session),
                       xenoprof_session_left_out(session));
        if ( code )
            not_written(handle, code, wanted, failure);
    }
    read_progress_end(&progress);
    return failure->status;
}

/* What is known at the end, and code. */
static enum exit_status end_items(struct xenoprof_handle *handle,
                                  const struct archive_wanted *wanted,
                                  struct cut *cut, struct xenoprof_copy *copy,
                                  struct failure *failure)
{
    const struct code_wanted functions = {wanted->session, wanted->range,
                                          (const char *const *)wanted->code};
    enum xenoprof_status code = XENOPROF_OK;

    if ( !wanted->no_code && archive_code(&functions, cut, &code, failure) )
        return failure->status;
    if ( !code )
        code = cut_end(cut);
    if ( !code )
        code = xenoprof_copy_end(copy);
    return code ? not_written(handle, code, wanted, failure) : STATUS_DONE;
}

/* Copies the session into the folder, which the copy makes. */
static enum exit_status copy_to_folder(struct xenoprof_handle *handle,
                                       struct xenoprof_session *session,
                                       const struct archive_wanted *wanted,
                                       const struct time_span *span,
                                       char **damage, struct failure *failure)
{
    struct anonymous anonymous = {.texts = {NULL}};
    struct xenoprof_copy *copy;
    struct cut cut;
    enum xenoprof_status code = xenoprof_copy_create(handle, session,
                                                     copy_folder, &copy);

    if ( code )
        return not_written(handle, code, wanted, failure);
    cut_init(&cut, span, copy, wanted->anonymous ? &anonymous : NULL);
    if ( span->from || span->to != UINT64_MAX )
        xenoprof_session_span(session, span->from, span->to);
    if ( !copy_items(handle, session, wanted, &cut, damage, failure) )
        end_items(handle, wanted, &cut, copy, failure);
    cut_free(&cut);
    anonymous_free(&anonymous);
    xenoprof_copy_destroy(copy);
    return failure->status;
}

/* A session's own file is not to be lost by a wrong name. */
static enum exit_status check_file(const char *file, struct failure *failure)
{
    char *copy SCOPE_FREE = must(strdup(file));
    struct stat state;

    if ( lstat(file, &state) )
        return STATUS_DONE;
    if ( !S_ISREG(state.st_mode) )
        return fail(failure, STATUS_OUTPUT,
                    "%s is not a regular file: name another one", file);
    if ( !strncmp(basename(copy), "DATA.", strlen("DATA.")) )
        return fail(failure, STATUS_OUTPUT,
                    "%s is a file of a session, and is not replaced: name "
                    "another one",
                    file);
    return STATUS_DONE;
}

static enum exit_status write_file(struct xenoprof_handle *handle,
                                   struct xenoprof_session *session,
                                   const struct archive_wanted *wanted,
                                   const struct time_span *span,
                                   struct failure *failure)
{
    char *damage SCOPE_FREE = NULL;

    if ( !begin_copy(wanted->file) )
        return fail(failure, STATUS_OUTPUT,
                    "%s cannot be written: %m: name a file in a folder that "
                    "you may write to",
                    wanted->file);
    if ( !copy_to_folder(handle, session, wanted, span, &damage, failure) &&
         rename(copy_path, wanted->file) )
        fail(failure, STATUS_OUTPUT, "%s cannot be written: %m", wanted->file);
    end_copy();
    if ( failure->status || !damage )
        return failure->status;
    return fail(failure, STATUS_DAMAGED, "%s lacks what is damaged: %s",
                wanted->file, damage);
}

enum exit_status archive_write(const struct archive_wanted *wanted,
                               struct failure *failure)
{
    struct xenoprof_handle *handle = must(xenoprof_open());
    struct xenoprof_session *session = NULL;
    enum xenoprof_status code;
    struct time_span span;

    if ( !check_file(wanted->file, failure) &&
         !find_span(handle, wanted, &span, failure) )
    {
        code = xenoprof_session_open(handle, wanted->session, &session);
        if ( code )
            load_failed(handle, code, wanted->session, failure);
        else
            write_file(handle, session, wanted, &span, failure);
    }
    xenoprof_session_close(session);
    xenoprof_close(handle);
    return failure->status;
}

/* The file has no name any more when this returns. */
enum exit_status archive_hide(char **session, bool code,
                              struct failure *failure)
{
    const struct time_range all = {.from = {.kind = TIME_OPEN}};
    const char *place = getenv("TMPDIR");
    char *file SCOPE_FREE = NULL;
    struct archive_wanted wanted = {.session = *session,
                                    .range = &all,
                                    .anonymous = true,
                                    .no_code = !code};
    int fd;

    wanted.file = file = must_text(
        "%s/xenopreport.%d", place && *place ? place : "/tmp", (int)getpid());
    archive_write(&wanted, failure);
    if ( failure->status && failure->status != STATUS_DAMAGED )
        return failure->status;
    fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    unlink(file);
    if ( fd < 0 )
        return fail(failure, STATUS_OUTPUT, "%s cannot be read: %m", file);
    free(*session);
    *session = must_text("/proc/self/fd/%d", fd);
    return failure->status;
}
