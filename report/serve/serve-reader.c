/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve-reader.h"

#include "base/json-writer.h"
#include "report/model/gather.h"
#include "report/page/page-type.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS_PER_S    1000000000ull
#define NS_PER_US   1000ull
#define DESCRIPTORS 256 /* more than the program that serves has */

/* A line before the data: the types that a reader can choose from, the usual
 * one first, unless one was asked for. */
static void put_types(const struct types *types, bool one, FILE *file)
{
    struct json json;

    json_init(&json, file);
    json_object_begin_flat(&json);
    json_key(&json, "types");
    json_array_begin_flat(&json);
    for ( size_t i = 0; !one && i < XENOPROF_TYPES_MAX; i++ )
        if ( types->type[i].samples )
            json_string(&json, types->type[i].name);
    if ( one )
        json_string(&json, types->type[types->shown].name);
    json_array_end(&json);
    json_object_end(&json);
    json_finish(&json);
}

static enum exit_status put_page_data(const struct serve_wanted *wanted,
                                      const struct query *query,
                                      const struct gathered_session *session,
                                      int file, struct failure *failure)
{
    const struct report report = {
        .query = query,
        .layout = wanted->layout,
        .options = wanted->options,
        .loaded = &session->loaded,
        .stacks = &session->stacks,
        .name = wanted->name,
        .path = wanted->path,
        .state = session_state_find(wanted->path, &session->loaded),
    };
    FILE *out = fdopen(file, "w");

    if ( out )
    {
        put_types(&session->loaded.types, wanted->query->event, out);
        page_type_put(&report, page_file_put_packed, out);
    }
    if ( !out || fflush(out) || ferror(out) )
        return fail(failure, STATUS_OUTPUT,
                    "the page's data cannot be kept: %m");
    return STATUS_DONE;
}

static enum exit_status read_session(const struct serve_wanted *wanted,
                                     char *type, int file,
                                     struct failure *failure)
{
    static struct gathered_session session;
    struct query query = *wanted->query;

    query.silent = true;
    if ( *type )
        query.event = type;
    if ( gather(&session, &query, wanted->path, failure) ||
         wanted->expect(&session.loaded, &query.selection, failure) )
        return failure->status;
    return put_page_data(wanted, &query, &session, file, failure);
}

/* Connections are not this process's: they end when the other one ends them. */
static void keep_only(int file, int said)
{
    for ( int fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++ )
        if ( fd != file && fd != said )
            close(fd);
}

static void run_reader(const struct serve_wanted *wanted, const char *type,
                       int file, int said, pid_t parent)
    __attribute__((noreturn));
static void run_reader(const struct serve_wanted *wanted, const char *type,
                       int file, int said, pid_t parent)
{
    struct failure failure = {.status = STATUS_DONE};
    char *copy = strdup(type);

    if ( prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent )
        _exit(STATUS_FAILED);
    keep_only(file, said);
    if ( !copy )
        fail_memory(&failure);
    else
        read_session(wanted, copy, file, &failure);
    if ( failure.status && write(said, failure.text, strlen(failure.text)) < 0 )
        _exit(STATUS_FAILED);
    _exit(failure.status);
}

enum exit_status serve_reader_begin(struct serve_reader *reader,
                                    const struct serve_wanted *wanted,
                                    const char *type, struct failure *failure)
{
    const pid_t parent = getpid();
    int ends[2];

    *reader = (struct serve_reader){.process = 0};
    reader->file = memfd_create("page", MFD_CLOEXEC);
    if ( reader->file < 0 )
        return fail(failure, STATUS_FAILED, "Linux gives no memory: %m");
    if ( pipe2(ends, O_CLOEXEC) )
    {
        close(reader->file);
        return fail(failure, STATUS_FAILED, "Linux gives no pipe: %m");
    }
    reader->said = ends[0];
    reader->process = fork();
    if ( !reader->process )
        run_reader(wanted, type, reader->file, ends[1], parent);
    close(ends[1]);
    if ( reader->process > 0 )
        return STATUS_DONE;
    reader->process = 0;
    close(ends[0]);
    close(reader->file);
    return fail(failure, STATUS_FAILED, "Linux starts no process: %m");
}

static uint64_t time_of(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * NS_PER_S +
           (uint64_t)time->tv_usec * NS_PER_US;
}

/* It has ended, or is about to. */
static void take_end(struct serve_reader *reader, struct serve_reading *ret)
{
    struct rusage usage;
    struct stat state;
    int status = 0;

    while ( wait4(reader->process, &status, 0, &usage) < 0 && errno == EINTR )
        continue;
    close(reader->said);
    reader->process = 0;
    if ( !reader->used )
        snprintf(reader->sentence, sizeof(reader->sentence),
                 "the session could not be read%s",
                 WIFSIGNALED(status) ? ": the process that did was killed"
                                     : "");
    *ret = (struct serve_reading){
        .file = reader->file,
        .status = WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_FAILED,
        .sentence = reader->sentence,
        .cost = time_of(&usage.ru_utime) + time_of(&usage.ru_stime),
    };
    if ( !ret->status && !fstat(reader->file, &state) && state.st_size )
    {
        ret->size = (size_t)state.st_size;
        return;
    }
    close(reader->file);
    ret->file = -1;
    if ( !ret->status )
        ret->status = STATUS_FAILED;
}

bool serve_reader_go(struct serve_reader *reader, struct serve_reading *ret)
{
    const ssize_t got = read(reader->said, reader->sentence + reader->used,
                             sizeof(reader->sentence) - 1 - reader->used);

    if ( got > 0 )
        reader->used += (size_t)got;
    if ( got > 0 || (got < 0 && errno == EINTR) )
        return false;
    take_end(reader, ret);
    return true;
}

void serve_reader_stop(struct serve_reader *reader)
{
    struct serve_reading ended;

    if ( !reader->process )
        return;
    kill(reader->process, SIGKILL);
    take_end(reader, &ended);
    if ( ended.file >= 0 )
        close(ended.file);
}
