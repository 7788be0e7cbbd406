/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import.h"

#include "base/must.h"
#include "base/scope.h"
#include "import-formats.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SESSION_BEGINS "XENOPROF"

/* A format, and how a file of it begins. */
struct import_format {
    bool (*is)(const struct import_head *head);
    enum exit_status (*read)(const struct import_file *file, struct sink *sink,
                             uint64_t *end, struct failure *failure);
};

static const struct import_format import_formats[] = {
#define IMPORT_FORMAT(name) {is_##name, read_##name},
#include "formats.def"
#undef IMPORT_FORMAT
};

static const struct import_format *find_format(const struct import_head *head)
{
    for ( size_t i = 0; i < sizeof(import_formats) / sizeof(import_formats[0]);
          i++ )
        if ( import_formats[i].is(head) )
            return &import_formats[i];
    return NULL;
}

/* A file of a session, or what may have become of one: who opens it says
 * so. */
static bool is_of_session(const struct import_head *head, const char *name)
{
    size_t size = strlen(SESSION_BEGINS);

    return !head->size || !strncmp(name, "DATA.", 5) ||
           (head->size >= size && !memcmp(head->bytes, SESSION_BEGINS, size));
}

static bool read_head(int fd, struct import_head *head)
{
    ssize_t got = 1;

    for ( head->size = 0; got > 0 && head->size < sizeof(head->bytes);
          head->size += (size_t)got )
        got = read(fd, head->bytes + head->size,
                   sizeof(head->bytes) - head->size);
    return got >= 0 && lseek(fd, 0, SEEK_SET) == 0;
}

static enum exit_status write_session(struct imported *imported,
                                      const struct import_format *format,
                                      const struct import_file *file,
                                      struct failure *failure)
{
    uint64_t end = SINK_START;
    struct sink *sink;

    if ( import_folder_make(&imported->folder, failure) )
        return failure->status;
    sink = sink_open(imported->folder.path, file->path, failure);
    if ( !failure->status )
        format->read(file, sink, &end, failure);
    sink_close(sink, end);
    return failure->status;
}

static enum exit_status import_file(struct imported *imported,
                                    const struct import_file *file,
                                    struct failure *failure)
{
    const struct import_format *format;
    struct import_head head;

    if ( !read_head(file->fd, &head) )
        return fail(failure, STATUS_BAD_SESSION, "%s cannot be read: %m",
                    file->path);
    if ( is_of_session(&head, file->name) )
        return STATUS_DONE;
    format = find_format(&head);
    if ( !format )
        return fail(failure, STATUS_BAD_SESSION,
                    "%s is none of what can be read: a session of xenoprof, "
                    "perf.data, a profile of pprof, or folded lines "
                    "(\"main;work 12\")",
                    file->path);
    return write_session(imported, format, file, failure);
}

/* The file that is meant, or NULL: a session of that name comes first. */
static char *find_file(const char *session_dir, const char *named)
{
    char *session SCOPE_FREE = must_text("%s/%s", session_dir, named);
    struct stat state;

    if ( (!strchr(named, '/') && !lstat(session, &state)) ||
         stat(named, &state) || !S_ISREG(state.st_mode) )
        return NULL;
    return must(strdup(named));
}

enum exit_status import_session(struct imported *imported,
                                const char *session_dir, char **session,
                                struct failure *failure)
{
    char *path SCOPE_FREE = find_file(session_dir, *session);
    const char *slash = path ? strrchr(path, '/') : NULL;
    struct import_file file = {.path = path, .name = slash ? slash + 1 : path};
    int fd SCOPE_CLOSE = -1;
    struct stat state;

    if ( !path )
        return STATUS_DONE;
    file.fd = fd = open(path, O_RDONLY | O_CLOEXEC);
    if ( fd < 0 || fstat(fd, &state) )
        return STATUS_DONE;
    file.size = (uint64_t)state.st_size;
    if ( import_file(imported, &file, failure) || !imported->folder.path )
        return failure->status;
    imported->file = must(strdup(file.name));
    free(*session);
    *session = must(strdup(imported->folder.path));
    return STATUS_DONE;
}

void imported_free(struct imported *imported)
{
    import_folder_remove(&imported->folder);
    free(imported->file);
    *imported = (struct imported){.file = NULL};
}
