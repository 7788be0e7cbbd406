/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each view is made again and again, with its first, second, third, ...
 * allocation failing, until none does.  A report that cannot be made ends with
 * the sentence that says so, wherever it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/must.h"
#include "base/scope.h"
#include "libxenoprof/session/session-attributes.h"
#include "report/model/gather.h"
#include "report/text/layout.h"
#include "report/views.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

#define MS 1000000u

#define SENTENCE "out of memory: close something, or ask for less at a time\n"

/* How a process ends that made a view. */
enum { MADE = 100, MADE_WITHOUT }; /* one allocation: it could do so */

static char folder[64];
static struct query query;
static struct view_options options;
static struct layout layout;

static uint32_t put_place(struct xenoprof_writer *writer, uint8_t mode,
                          const char *image, const char *symbol,
                          uint64_t address)
{
    const struct xenoprof_place place = {.domain = 1,
                                         .mode = mode,
                                         .address = address,
                                         .image = image,
                                         .symbol = symbol,
                                         .symbol_start = address & ~0xfful};
    uint32_t number;

    CHECK(!xenoprof_writer_place(writer, &place, &number));
    return number;
}

static void put_samples(struct xenoprof_writer *writer)
{
    const uint32_t places[] = {
        put_place(writer, XENOPROF_MODE_XEN, "xen", "arch/x86/a.c#run",
                  0xffff82d040200004),
        put_place(writer, XENOPROF_MODE_XEN, "xen", "arch/x86/b.c#run",
                  0xffff82d040300004),
        put_place(writer, XENOPROF_MODE_KERNEL, "kernel", "ksys_read",
                  0xffffffff81000004),
        put_place(writer, XENOPROF_MODE_KERNEL, NULL, NULL, 0xffffffff82000000),
        put_place(writer, XENOPROF_MODE_USER, "/usr/bin/web", "main", 0x401004),
    };

    for ( unsigned int i = 0; i < 5; i++ )
    {
        struct xenoprof_stored sample = {.time = (100 + 10 * i) * MS,
                                         .period = 10 * MS,
                                         .domain = 1,
                                         .pcpu = (uint16_t)(i % 2),
                                         .mode = i < 2   ? XENOPROF_MODE_XEN
                                                 : i < 4 ? XENOPROF_MODE_KERNEL
                                                         : XENOPROF_MODE_USER,
                                         .weight = 1};

        xenoprof_stored_set_ended(&sample, i == 3 ? XENOPROF_ENDED_PAGE
                                                  : XENOPROF_ENDED_ROOT);
        CHECK(!xenoprof_writer_sample(writer, &sample, places + i, 5 - i));
    }
}

/* What Xen traced of them. */
static void put_traces(struct xenoprof_writer *writer)
{
    for ( uint16_t vcpu = 0; vcpu < 2; vcpu++ )
    {
        CHECK(!xenoprof_writer_latency(
            writer, 190 * MS,
            &(struct xenoprof_latency){
                .domain = 1, .vcpu = vcpu, .by = 1, .count = 1, .sum = MS}));
        CHECK(!xenoprof_writer_exits(
            writer, 190 * MS,
            &(struct xenoprof_exits){
                .domain = 1,
                .vcpu = vcpu,
                .entry = {.kind = XENOPROF_ENTRY_SVM, .code = 0x78u + vcpu},
                .count = 1}));
    }
}

static void write_session(void)
{
    static const char *const attributes[][2] = {
        {SESSION_ATTRIBUTE_UTC, "1795000000000000000"},
        {SESSION_ATTRIBUTE_HOST, "lab"},
        {SESSION_ATTRIBUTE_FREQUENCY, "100"},
        {SESSION_ATTRIBUTE_WARNING, "it was \"made\""},
        {SESSION_ATTRIBUTE_PAYLOADS, "hotfix=below"},
    };
    const uint8_t uuid[16] = {1};
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_writer *writer;

    strcpy(folder, "/tmp/xenoprof-report-XXXXXX");
    CHECK(mkdtemp(folder));
    CHECK(!xenoprof_writer_create(handle, folder, &writer));
    for ( size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++ )
        CHECK(!xenoprof_writer_attribute(writer, 50 * MS, attributes[i][0],
                                         attributes[i][1]));
    CHECK(!xenoprof_writer_domain(writer, 50 * MS, 1, uuid, "web", "passive"));
    CHECK(!xenoprof_writer_attribute(writer, 60 * MS,
                                     SESSION_ATTRIBUTE_GUEST_KERNEL "1",
                                     "release=6.1.0 base=0xffffffff81000000"));
    for ( uint16_t pcpu = 0; pcpu < 2; pcpu++ )
        for ( uint64_t at = 1; at < 3; at++ )
            CHECK(!xenoprof_writer_idle(writer, 90 * at * MS, pcpu,
                                        10 * at * MS));
    put_samples(writer);
    for ( uint16_t vcpu = 0; vcpu < 2; vcpu++ )
        CHECK(!xenoprof_writer_wait(
            writer, 190 * MS,
            &(struct xenoprof_waited){.domain = 1,
                                      .vcpu = vcpu,
                                      .span = 100 * MS,
                                      .running = 50 * MS,
                                      .runnable = 50 * MS}));
    put_traces(writer);
    CHECK(!xenoprof_writer_close(writer, 200 * MS));
    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
}

static void begin(void)
{
    struct failure failure = {.status = STATUS_DONE};

    write_session();
    query = (struct query){.session_dir = folder};
    options = (struct view_options){.stacks_in_rows = true};
    layout = (struct layout){.width = 60};
    CHECK(!screen_init(&layout.screen, "always", &failure));
    CHECK(!label_list_parse("domain,mode,image,symbol", &query.sort, &failure));
    CHECK(!focus_add(&query.focus, FOCUS_IGNORE, "nothing", &failure));
    CHECK(!selection_add(&query.selection, "domain=web", &failure));
}

static void end(void)
{
    char command[128];

    selection_free(&query.selection);
    focus_free(&query.focus);
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    CHECK(!system(command));
}

/* Whether views are made as --json shows them. */
static bool in_json;

static void (*print_of(const struct view *view))(const struct report *, FILE *)
{
    return in_json ? view->print_json : view->print;
}

static struct report report_of(const struct gathered_session *gathered,
                               const struct report *base)
{
    return (struct report){.query = &query,
                           .layout = &layout,
                           .options = &options,
                           .loaded = &gathered->loaded,
                           .stacks = &gathered->stacks,
                           .name = "session",
                           .path = folder,
                           .base = base};
}

/* Makes the view, of the session, or of it and itself. */
static void make(const struct view *view, bool compare, FILE *file)
{
    struct gathered_session gathered = {.path = NULL};
    struct failure failure = {.status = STATUS_DONE};
    struct report report, base;

    if ( gather(&gathered, &query, folder, &failure) )
        no_memory();
    base = report_of(&gathered, NULL);
    report = report_of(&gathered, compare ? &base : NULL);
    if ( view->expect && view->expect(&report, &failure) )
        no_memory();
    print_of(view)(&report, file);
}

/* In a process of its own: the number-th allocation fails. */
static void make_and_fail(const struct view *view, bool compare,
                          unsigned long number)
{
    FILE *file = fopen("/dev/null", "w");

    fail_allocation(number);
    make(view, compare, file);
    _exit(fail_allocation(0) ? MADE : MADE_WITHOUT);
}

/* Returns how the process ended; if for want of memory, it said so. */
static int try(const struct view *view, bool compare, unsigned long number)
{
    char said[sizeof(SENTENCE) + 1] = "";
    int pipes[2], status;
    size_t used = 0;
    ssize_t got;
    pid_t child;

    CHECK(!pipe(pipes));
    child = fork();
    CHECK(child >= 0);
    if ( !child )
    {
        dup2(pipes[1], STDERR_FILENO);
        make_and_fail(view, compare, number);
    }
    close(pipes[1]);
    while ( (got = read(pipes[0], said + used, sizeof(said) - 1 - used)) > 0 )
        used += (size_t)got;
    close(pipes[0]);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK_TEXT(said, WEXITSTATUS(status) == STATUS_FAILED ? SENTENCE : "");
    return WEXITSTATUS(status);
}

/* Returns how many allocations there are without which it ends. */
static unsigned long make_with_each_failing(const struct view *view,
                                            bool compare)
{
    unsigned long ended = 0;
    int status;

    for ( unsigned long number = 1;
          (status = try(view, compare, number)) != MADE; number++ )
    {
        CHECK(status == STATUS_FAILED || status == MADE_WITHOUT);
        ended += status == STATUS_FAILED;
    }
    return ended;
}

static void make_one(const struct view *view, size_t number, bool compare)
{
    const struct query picks = query;
    unsigned long count;

    if ( !print_of(view) )
        return;
    /* Samples are picked, and waits are of none. */
    if ( number == VIEW_waits || number == VIEW_exits )
    {
        memset(&query.focus, 0, sizeof(query.focus));
        memset(&query.selection, 0, sizeof(query.selection));
    }
    query.needs_stacks = true;
    query.needs_times = view->times;
    options.argument = (char[]){"run"};
    count = make_with_each_failing(view, compare);
    fprintf(stderr, "view %zu: %lu allocations\n", number, count);
    CHECK(count > 20); /* there were some to fail */
    query = picks;
}

TEST(views)
{
    begin();
    for ( size_t i = 0; i < VIEWS; i++ )
        make_one(view_table[i].view, i, false);
    end();
}

TEST(comparisons)
{
    begin();
    for ( size_t i = 0; i < VIEWS; i++ )
        make_one(view_table[i].compare, i, true);
    end();
}

TEST(views_in_json)
{
    begin();
    in_json = true;
    for ( size_t i = 0; i < VIEWS; i++ )
        make_one(view_table[i].view, i, false);
    in_json = false;
    end();
}
