/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "push-config.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own-folder.h"
#include "base/scope.h"

#define CONFIG_MAX    (64u << 10)
#define LABEL_PREFIX  "label."
#define TENANT_HEADER "X-Scope-OrgID" /* Pyroscope's, as Mimir's and Loki's */

static const struct config_row {
    const char *key;
    size_t offset, size;
} config_rows[] = {
#define ROW(key, member)                                                       \
    {                                                                          \
        key, offsetof(struct push_config, member),                             \
            sizeof(((struct push_config *)NULL)->member)                       \
    }
    ROW("url", url),
    ROW("token", token),
    ROW("user", user),
    ROW("password", password),
    ROW("ca", ca),
    ROW("tenant", tenant),
    ROW("tenant-header", tenant_header),
    ROW("queue-size", queue_size),
    ROW("queue-age", queue_age),
#undef ROW
};

static char *trimmed(char *text)
{
    size_t length;

    text += strspn(text, " \t");
    length = strlen(text);
    while ( length && strchr(" \t\r", text[length - 1]) )
        length--;
    text[length] = '\0';
    return text;
}

/* A line end in a value would be another header of the request. */
static bool is_printable(const char *text)
{
    for ( ; *text; text++ )
        if ( (unsigned char)*text < ' ' || *text == 0x7f )
            return false;
    return true;
}

static bool is_header(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

    for ( ; *text; text++ )
        if ( !strchr(letters, *text | 0x20) )
            return false;
    return true;
}

static int take_value(struct push_config *config, const char *key,
                      const char *value, unsigned int line,
                      struct failure *failure)
{
    const size_t prefix = strlen(LABEL_PREFIX);

    if ( strncmp(key, LABEL_PREFIX, prefix) == 0 )
        return push_label_set(&config->labels, key + prefix, value)
                   ? 0
                   : fail(failure, STATUS_USAGE,
                          "line %u: the label has no name of letters, digits "
                          "and '_', is too long, or is one too many (%u)",
                          line, PUSH_LABELS_MAX);
    for ( size_t i = 0; i < sizeof(config_rows) / sizeof(*config_rows); i++ )
    {
        const struct config_row *row = &config_rows[i];

        if ( strcmp(row->key, key) )
            continue;
        if ( strlen(value) >= row->size )
            return fail(failure, STATUS_USAGE,
                        "line %u: %s is too long: it may have %zu characters",
                        line, key, row->size - 1);
        strcpy((char *)config + row->offset, value);
        return 0;
    }
    return fail(failure, STATUS_USAGE,
                "line %u: '%.32s' is not a key: see xenoprof-push(8)", line,
                key);
}

static int take_config_line(struct push_config *config, char *text,
                            unsigned int line, struct failure *failure)
{
    char *equals = strchr(text, '=');
    char *key = trimmed(text);

    if ( !*key || *key == '#' )
        return 0;
    /* What is before it may be a part of a secret. */
    if ( !equals )
        return fail(failure, STATUS_USAGE, "line %u has no '='", line);
    *equals = '\0';
    key = trimmed(text);
    text = trimmed(equals + 1);
    if ( !is_printable(key) || !is_printable(text) )
        return fail(failure, STATUS_USAGE,
                    "line %u has a character that cannot be printed", line);
    return take_value(config, key, text, line, failure);
}

int push_config_parse(char *text, struct push_config *ret,
                      struct failure *failure)
{
    int status = 0;

    strcpy(ret->tenant_header, TENANT_HEADER);
    for ( unsigned int line = 1; text && !status; line++ )
    {
        char *end = strchr(text, '\n');

        if ( end )
            *end++ = '\0';
        status = take_config_line(ret, text, line, failure);
        text = end;
    }
    if ( !status && ret->token[0] && (ret->user[0] || ret->password[0]) )
        status = fail(failure, STATUS_USAGE,
                      "token and user both say who this is: give one of them");
    if ( !status && !is_header(ret->tenant_header) )
        status = fail(failure, STATUS_USAGE,
                      "tenant-header is none: it has letters, digits and '-'");
    return status;
}

/* Reads all of a file of at most so many bytes, and a 0: into its last place,
 * so that no copy is left of a secret. */
static bool read_file(int fd, size_t most, struct buffer *ret)
{
    ssize_t got = 1;

    if ( !buffer_reserve(ret, most + 1) )
        return false;
    while ( got > 0 && ret->used <= most )
    {
        got = read(fd, ret->bytes + ret->used, most + 1 - ret->used);
        if ( got < 0 && errno == EINTR )
            got = 1;
        else if ( got > 0 )
            ret->used += (size_t)got;
    }
    if ( got || ret->used > most )
        return false;
    ret->bytes[ret->used] = '\0';
    return true;
}

static int open_checked(const char *path, uid_t owner, gid_t group,
                        struct failure *failure)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info;

    if ( fd < 0 )
        return fd;
    if ( fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
         is_owned(&info, owner) && !(info.st_mode & 0137) &&
         (!(info.st_mode & 0040) || info.st_gid == owner ||
          info.st_gid == group) )
        return fd;
    close(fd);
    fail(failure, STATUS_USAGE,
         "%s may have secrets, and is not root's alone: chown root:xenoprof, "
         "and chmod 0640 or 0600",
         path);
    return -1;
}

static int read_certificates(struct push_config *config,
                             struct failure *failure)
{
    int fd SCOPE_CLOSE = -1;

    if ( !config->ca[0] )
        return 0;
    fd = open(config->ca, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if ( fd < 0 || !read_file(fd, PUSH_CA_MAX, &config->certificates) )
        return fail(failure, STATUS_USAGE,
                    "the file of certificates (ca) cannot be read: %s",
                    strerror(errno));
    return 0;
}

int push_config_read(const char *path, uid_t owner, gid_t group,
                     bool must_exist, struct push_config *ret,
                     struct failure *failure)
{
    int fd SCOPE_CLOSE = open_checked(path, owner, group, failure);
    struct buffer text = {0};
    struct failure inner = {0};
    int status = 0;

    *ret = (struct push_config){0};
    if ( failure->status )
        return failure->status;
    if ( fd < 0 && (must_exist || errno != ENOENT) )
        return fail(failure, STATUS_USAGE, "%s cannot be read: %s", path,
                    strerror(errno));
    if ( fd >= 0 && !read_file(fd, CONFIG_MAX, &text) )
        status = fail(failure, STATUS_USAGE, "%s is too long, or unreadable",
                      path);
    else if ( fd >= 0 && push_config_parse((char *)text.bytes, ret, &inner) )
        status = fail(failure, STATUS_USAGE, "%s: %s", path, inner.text);
    if ( text.bytes )
        explicit_bzero(text.bytes, text.used);
    buffer_free(&text);
    return status ? status : read_certificates(ret, failure);
}

int push_config_check(const struct push_config *config,
                      const struct push_target *target, struct failure *failure)
{
    if ( target->secure || (!config->token[0] && !config->password[0]) )
        return 0;
    return fail(failure, STATUS_USAGE,
                "the URL begins with http: everybody on the way would see the "
                "token or password: give one with https");
}

void push_config_free(struct push_config *config)
{
    buffer_free(&config->certificates);
    explicit_bzero(config, sizeof(*config));
}
