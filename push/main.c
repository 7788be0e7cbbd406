/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xenoprof-push: options, what is read as root, and the way down. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/end-signals.h"
#include "base/own-folder.h"
#include "base/wrong-option.h"
#include "cage/notify.h"
#include "control/number-set.h"
#include "control/push-file.h"
#include "control/session-folders.h"
#include "control/start-options.h"
#include "daemon/system/background.h"
#include "daemon/system/say.h"
#include "push-loop.h"
#include "push-rights.h"

#define USER_DEFAULT "xenoprof"

#define NS_PER_S 1000000000ull

#define BACKOFF_MOST   300u /* seconds */
#define SECONDS_MAX    3600u
#define QUEUE_SIZE     256u /* MiB */
#define QUEUE_SIZE_MAX (1u << 20)
#define QUEUE_AGE      (24u * 3600)
#define QUEUE_AGE_MAX  (366u * 24 * 3600)

struct push_arguments {
    char *url, *config, *session_dir, *user;
    int foreground, stay, version;
    int interval, backoff, timeout, linger; /* seconds */
    bool printed;
};

static int check_seconds(const struct push_arguments *arguments,
                         struct failure *failure)
{
    const struct {
        const char *name;
        int value;
    } rows[] = {
        {"interval", arguments->interval},
        {"backoff", arguments->backoff},
        {"timeout", arguments->timeout},
        {"linger", arguments->linger},
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++ )
        if ( rows[i].value < 1 || rows[i].value > (int)SECONDS_MAX )
            return fail(failure, STATUS_RANGE,
                        "--%s=%d is out of range: 1 to %u seconds",
                        rows[i].name, rows[i].value, SECONDS_MAX);
    return 0;
}

static int parse(int argc, const char **argv, struct push_arguments *ret,
                 struct failure *failure)
{
    const struct poptOption options[] = {
        {"url", 0, POPT_ARG_STRING, &ret->url, 0,
         "send windows there: pyroscope+, parca+ or otlp+, and its URL", "URL"},
        {"config", 0, POPT_ARG_STRING, &ret->config, 0,
         "secrets, labels and more (" PUSH_CONFIG_PATH ")", "FILE"},
        {"session-dir", 0, POPT_ARG_STRING, &ret->session_dir, 0,
         "where the session is (" SESSION_DIR_DEFAULT ")", "DIR"},
        {"user", 'u', POPT_ARG_STRING, &ret->user, 0,
         "run as this user (" USER_DEFAULT ")", "NAME"},
        {"foreground", 'f', POPT_ARG_NONE, &ret->foreground, 0,
         "stay in the foreground, print messages on stderr", NULL},
        {"stay", 0, POPT_ARG_NONE, &ret->stay, 0,
         "go on with the next session when one has ended", NULL},
        {"interval", 0, POPT_ARG_INT, &ret->interval, 0,
         "from one window to the next (10)", "SECONDS"},
        {"backoff", 0, POPT_ARG_INT, &ret->backoff, 0,
         "wait so long after a first failure (1)", "SECONDS"},
        {"timeout", 0, POPT_ARG_INT, &ret->timeout, 0,
         "give a request up after this time (30)", "SECONDS"},
        {"linger", 0, POPT_ARG_INT, &ret->linger, 0,
         "at the end, send what waits for so long (10)", "SECONDS"},
        {"version", 0, POPT_ARG_NONE, &ret->version, 0,
         "print the version and exit", NULL},
        OPTIONS_HELP POPT_TABLEEND,
    };
    poptContext context = options_with_help(
        poptGetContext("xenoprof-push", argc, argv, options, 0));
    int code = poptGetNextOpt(context);
    int status = 0;

    ret->printed = options_printed(context, code, "");
    if ( code < -1 )
        status = fail_option(failure, "xenoprof-push", context, options, code);
    else if ( !ret->printed && poptPeekArg(context) )
        status = fail_stray_word(failure, "xenoprof-push", poptPeekArg(context),
                                 options);
    else if ( !ret->printed )
        status = check_seconds(ret, failure);
    if ( !status && !ret->printed && ret->version )
    {
        puts("xenoprof-push " PACKAGE_VERSION);
        ret->printed = true;
    }
    poptFreeContext(context);
    return status;
}

/* Who is not root stays who it is. */
static int find_user(const struct push_arguments *arguments,
                     struct identity *ret, struct failure *failure)
{
    *ret = (struct identity){geteuid(), getegid()};
    return ret->uid
               ? 0
               : identity_find(arguments->user ? arguments->user : USER_DEFAULT,
                               ret, failure);
}

static int read_config(const struct push_arguments *arguments,
                       const struct identity *user, struct push_config *config,
                       struct push_target *target, struct failure *failure)
{
    const char *path = arguments->config ? arguments->config : PUSH_CONFIG_PATH;
    const char *url;

    if ( push_config_read(path, geteuid(), user->gid,
                          arguments->config || !arguments->url, config,
                          failure) )
        return failure->status;
    url = arguments->url ? arguments->url : config->url;
    if ( !*url )
        return fail(failure, STATUS_USAGE,
                    "there is no URL: give --url, or url in %s", path);
    return push_target_parse(url, target, failure) ||
                   push_config_check(config, target, failure)
               ? failure->status
               : 0;
}

/* Whose samples they are; the configuration may say it otherwise. */
static void set_own_labels(struct push_labels *labels)
{
    struct push_labels own = {0};
    struct utsname host;

    push_label_set(&own, "service_name", "xenoprof");
    if ( uname(&host) == 0 )
        push_label_set(&own, "host", host.nodename);
    for ( size_t i = 0; i < labels->count; i++ )
        push_label_set(&own, labels->items[i].name, labels->items[i].value);
    *labels = own;
}

static int set_queue_bounds(struct push_queue *queue,
                            const struct push_config *config,
                            struct failure *failure)
{
    uint64_t size = QUEUE_SIZE, age = QUEUE_AGE;

    if ( config->queue_size[0] &&
         !number_parse(config->queue_size, 1, QUEUE_SIZE_MAX, &size) )
        return fail(failure, STATUS_RANGE,
                    "queue-size is out of range: 1 to %u MiB", QUEUE_SIZE_MAX);
    if ( config->queue_age[0] &&
         !duration_parse(config->queue_age, QUEUE_AGE_MAX, &age) )
        return fail(
            failure, STATUS_RANGE,
            "queue-age is not a time of up to 366 days, " DURATION_EXAMPLES);
    queue->bytes_max = size << 20;
    queue->age_max = age * NS_PER_S;
    return 0;
}

/* The folder is the user's; whoever has its lock works in it. */
static int open_folder(const struct identity *user, int *ret,
                       struct failure *failure)
{
    const char *dir = push_dir();

    if ( session_dir_make_for(dir, user->uid, user->gid, failure) )
        return failure->status;
    *ret = own_folder_open(dir, user->uid);
    if ( *ret < 0 )
        return fail(failure, STATUS_FAILED, "%s cannot be used: %s", dir,
                    strerror(errno));
    if ( flock(*ret, LOCK_EX | LOCK_NB) )
        return fail(failure, STATUS_BUSY,
                    "another xenoprof-push works in %s: xenopctl --status "
                    "shows what it does",
                    dir);
    return 0;
}

/* All that is done before a byte comes from outside. */
static int prepare(const struct push_arguments *arguments,
                   const struct identity *user, struct push *push,
                   const struct push_config *config, struct failure *failure)
{
    const bool root = geteuid() == 0;

    if ( open_folder(user, &push->folder, failure) ||
         push_rights_drop(user, failure) )
        return failure->status;
    push->signals = end_signals_open();
    push->sender = http_sender_open(push->target, config,
                                    (unsigned int)arguments->timeout, failure);
    if ( !push->sender || set_queue_bounds(&push->queue, config, failure) ||
         queue_open(&push->queue, push->folder, failure) )
        return failure->status;
    push_state_open(&push->state, push->folder);
    STATUS_COPY(push->state.url, push->target->url);
    STATUS_COPY(push->state.engine, push->target->engine->name);
    http_sender_ready(push->sender);
    return push_rights_filter(root ? user : NULL, failure);
}

static int open_source(const struct push_arguments *arguments,
                       struct push *push, struct failure *failure)
{
    struct window_ask ask = {
        .session_dir = arguments->session_dir ? arguments->session_dir
                                              : SESSION_DIR_DEFAULT,
        .format = push->target->engine->format,
        .by_domain = push->target->engine->by_domain,
    };

    push_resume(push, &ask);
    push->source = window_source_open(&ask, failure);
    return failure->status;
}

static int run_until_end(const void *closure, int parent,
                         struct failure *failure)
{
    const struct push_arguments *arguments = closure;
    static struct push_config config;
    static struct push_target target;
    struct identity user = {0};
    struct push push = {
        .target = &target,
        .labels = &config.labels,
        .interval = (uint64_t)arguments->interval * NS_PER_S,
        .linger = (uint64_t)arguments->linger * NS_PER_S,
        .stay = arguments->stay,
        .folder = -1,
        .backoff = {.first = (uint64_t)arguments->backoff * NS_PER_S,
                    .most = BACKOFF_MOST * NS_PER_S},
    };
    int systemd = notify_open();

    umask(0077);
    if ( find_user(arguments, &user, failure) ||
         read_config(arguments, &user, &config, &target, failure) )
        return failure->status;
    set_own_labels(&config.labels);
    if ( prepare(arguments, &user, &push, &config, failure) ||
         open_source(arguments, &push, failure) )
        return failure->status;
    background_tell(parent, NULL);
    notify_send(systemd, "READY=1");
    push_run(&push);
    notify_send(systemd, "STOPPING=1");
    window_source_close(push.source);
    http_sender_close(push.sender);
    queue_close(&push.queue);
    push_config_free(&config);
    return 0;
}

int main(int argc, const char **argv)
{
    struct push_arguments arguments = {
        .interval = 10, .backoff = 1, .timeout = 30, .linger = 10};
    struct failure failure = {0};

    say_as("xenoprof-push");
    if ( parse(argc, argv, &arguments, &failure) )
        say_stderr(failure.text);
    else if ( !arguments.printed )
        background_run(run_until_end, &arguments, arguments.foreground);
    else if ( options_print_end(&failure) )
        say_stderr(failure.text);
    free(arguments.url);
    free(arguments.config);
    free(arguments.session_dir);
    free(arguments.user);
    return failure.status;
}
