/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include <xenoprof/door.h>

#include "protocol.h"
#include "base/scope.h"
#include "start-options.h"

/* Bytes of a sample with the registers of a guest, and what the stack of Xen,
 * which not every sample has, adds on average. */
#define SAMPLE_BYTES 224u
/* All of a record but its windows, at most. */
#define RECORD_BYTES 1024u
/* Of the stack of a guest's kernel.  One sample in four has it. */
#define WINDOW_BYTES   6144u
#define XEN_BYTES      32u
#define RING_PAGES_MIN 8u
/* All rings together; what is left below the ceiling is for domains that come
 * later. */
#define RINGS_USUAL (XENOPROF_RING_CEILING / 4 * 3)

struct option {
    const char *key;
    int (*set)(struct start_options *options, const char *value,
               struct failure *failure);
    /* Write the field if it is not the default. */
    void (*put)(const struct start_options *options, FILE *file);
};

static int set_text(const char *option, char *to, size_t size,
                    const char *value, struct failure *failure)
{
    if ( *value == '\0' )
        return fail(failure, STATUS_USAGE, "--%s needs a value", option);
    if ( strlen(value) >= size )
        return fail(failure, STATUS_RANGE, "--%s is longer than %zu bytes",
                    option, size - 1);
    strcpy(to, value);
    return 0;
}

static int set_number(unsigned int *to, uint64_t low, uint64_t high,
                      const char *value)
{
    uint64_t number;

    if ( !number_parse(value, low, high, &number) )
        return STATUS_RANGE;
    *to = (unsigned int)number;
    return 0;
}

static int set_passive(struct start_options *options, const char *value,
                       struct failure *failure)
{
    return asked_domains_add(&options->domains, ROLE_PASSIVE, value, failure);
}

static int set_active(struct start_options *options, const char *value,
                      struct failure *failure)
{
    return asked_domains_add(&options->domains, ROLE_ACTIVE, value, failure);
}

static void put_specs(const struct start_options *options, FILE *file,
                      enum domain_role wanted, const char *key)
{
    char *text SCOPE_FREE = NULL;
    size_t size;
    FILE *list = open_memstream(&text, &size);
    bool first = true;

    if ( !list )
        return;
    if ( wanted == ROLE_PASSIVE && options->domains.all )
        fputs("all", list);
    else
        for ( size_t i = 0; i < options->domains.count; i++ )
        {
            if ( options->domains.items[i].role != wanted )
                continue;
            if ( !first )
                fputc(',', list);
            asked_domain_print(&options->domains.items[i], list);
            first = false;
        }
    fclose(list);
    if ( text && *text )
        line_text(file, key, text);
}

static void put_passive(const struct start_options *options, FILE *file)
{
    put_specs(options, file, ROLE_PASSIVE, "passive-domains");
}

static void put_active(const struct start_options *options, FILE *file)
{
    put_specs(options, file, ROLE_ACTIVE, "active-domains");
}

static int set_frequency(struct start_options *options, const char *value,
                         struct failure *failure)
{
    if ( set_number(&options->frequency, 1, XENOPROF_FREQUENCY_MAX, value) )
        return fail(failure, STATUS_RANGE,
                    "--frequency=%s is out of range: 1 to %u samples a second "
                    "for each pCPU",
                    value, XENOPROF_FREQUENCY_MAX);
    return 0;
}

static void put_frequency(const struct start_options *options, FILE *file)
{
    line_number(file, "frequency", options->frequency);
}

static int set_force(struct start_options *options, const char *value,
                     struct failure *failure)
{
    if ( strcmp(value, "1") )
        return fail(failure, STATUS_USAGE, "--force takes no value");
    options->force = true;
    return 0;
}

static void put_force(const struct start_options *options, FILE *file)
{
    if ( options->force )
        line_number(file, "force", 1);
}

static int set_pcpus(struct start_options *options, const char *value,
                     struct failure *failure)
{
    if ( !number_set_parse(value, NUMBER_SET_MAX, &options->pcpus) )
        return fail(failure, STATUS_RANGE,
                    "--pcpus=%s is not a list of pCPUs from 0 to %u; write it "
                    "as 0-3,7",
                    value, NUMBER_SET_MAX - 1);
    return 0;
}

static void put_pcpus(const struct start_options *options, FILE *file)
{
    char text[LINE_MAX_BYTES / 4];

    if ( !number_set_empty(&options->pcpus) &&
         number_set_format(&options->pcpus, text, sizeof(text)) )
        line_text(file, "pcpus", text);
}

static int set_cpupool(struct start_options *options, const char *value,
                       struct failure *failure)
{
    return set_text("cpupool", options->cpupool, sizeof(options->cpupool),
                    value, failure);
}

static void put_cpupool(const struct start_options *options, FILE *file)
{
    if ( options->cpupool[0] )
        line_text(file, "cpupool", options->cpupool);
}

static int set_sampler(struct start_options *options, const char *value,
                       struct failure *failure)
{
    if ( strcmp(value, "nmi") == 0 )
        options->sampler = XENOPROF_SAMPLER_NMI;
    else if ( strcmp(value, "timer") == 0 )
        options->sampler = XENOPROF_SAMPLER_TIMER;
    else
        return fail(failure, STATUS_RANGE,
                    "unknown sampler '%s': use nmi or timer", value);
    return 0;
}

static void put_sampler(const struct start_options *options, FILE *file)
{
    if ( options->sampler )
        line_text(file, "sampler",
                  options->sampler == XENOPROF_SAMPLER_NMI ? "nmi" : "timer");
}

static int set_stacks(struct start_options *options, const char *value,
                      struct failure *failure)
{
    if ( !stack_choice_parse(value, &options->stacks) )
        return fail(failure, STATUS_RANGE,
                    "--stacks=%s: use none, or a list of xen, kernel, user "
                    "joined by commas",
                    value);
    return 0;
}

static void put_stacks(const struct start_options *options, FILE *file)
{
    char text[32];

    if ( options->stacks != STACKS_DEFAULT &&
         stack_choice_format(options->stacks, text, sizeof(text)) )
        line_text(file, "stacks", text);
}

static int set_ring_size(struct start_options *options, const char *value,
                         struct failure *failure)
{
    unsigned int kib;

    if ( set_number(&kib, 4, XENOPROF_DATA_PAGES_MAX * 4, value) ||
         (kib & (kib - 1)) )
        return fail(failure, STATUS_RANGE,
                    "--ring-size=%s is not a power of two from 4 to %u KiB",
                    value, XENOPROF_DATA_PAGES_MAX * 4);
    options->ring_pages = kib / 4;
    return 0;
}

static void put_ring_size(const struct start_options *options, FILE *file)
{
    if ( options->ring_pages )
        line_number(file, "ring-size", options->ring_pages * 4);
}

static int set_duration(struct start_options *options, const char *value,
                        struct failure *failure)
{
    if ( set_number(&options->duration, 1, DURATION_MAX, value) )
        return fail(failure, STATUS_RANGE,
                    "--duration=%s is out of range: 1 to %u seconds", value,
                    DURATION_MAX);
    return 0;
}

static void put_duration(const struct start_options *options, FILE *file)
{
    if ( options->duration )
        line_number(file, "duration", options->duration);
}

static int set_budget(struct start_options *options, const char *value,
                      struct failure *failure)
{
    if ( set_number(&options->budget, 0, 100, value) )
        return fail(failure, STATUS_RANGE,
                    "--budget=%s is out of range: 1 to 100 percent of a "
                    "pCPU's time, or 0 to never slow down",
                    value);
    return 0;
}

static void put_budget(const struct start_options *options, FILE *file)
{
    if ( options->budget != BUDGET_DEFAULT )
        line_number(file, "budget", options->budget);
}

static int set_lease(struct start_options *options, const char *value,
                     struct failure *failure)
{
    if ( set_number(&options->lease, 0, 3600, value) )
        return fail(failure, STATUS_RANGE,
                    "--lease=%s is out of range: 1 to 3600 seconds, or 0 for "
                    "none",
                    value);
    return 0;
}

static void put_lease(const struct start_options *options, FILE *file)
{
    if ( options->lease != LEASE_DEFAULT )
        line_number(file, "lease", options->lease);
}

static int set_path(const char *option, char *to, const char *value,
                    struct failure *failure)
{
    if ( *value != '/' )
        return fail(failure, STATUS_USAGE,
                    "--%s=%s must begin with '/': the daemon has another "
                    "working directory",
                    option, value);
    return set_text(option, to, PATH_MAX, value, failure);
}

static int set_session_dir(struct start_options *options, const char *value,
                           struct failure *failure)
{
    return set_path("session-dir", options->session_dir, value, failure);
}

static void put_session_dir(const struct start_options *options, FILE *file)
{
    if ( strcmp(options->session_dir, SESSION_DIR_DEFAULT) )
        line_text(file, "session-dir", options->session_dir);
}

static int set_xen_syms(struct start_options *options, const char *value,
                        struct failure *failure)
{
    return set_path("xen-syms", options->xen_syms, value, failure);
}

static void put_xen_syms(const struct start_options *options, FILE *file)
{
    if ( options->xen_syms[0] )
        line_text(file, "xen-syms", options->xen_syms);
}

static int set_guest_kernel(struct start_options *options, const char *value,
                            struct failure *failure)
{
    return kernel_files_add(&options->kernels, value, failure);
}

static void put_guest_kernels(const struct start_options *options, FILE *file)
{
    kernel_files_put(&options->kernels, file);
}

static const struct option options_table[] = {
    {"passive-domains", set_passive, put_passive},
    {"active-domains", set_active, put_active},
    {"frequency", set_frequency, put_frequency},
    {"force", set_force, put_force},
    {"pcpus", set_pcpus, put_pcpus},
    {"cpupool", set_cpupool, put_cpupool},
    {"sampler", set_sampler, put_sampler},
    {"stacks", set_stacks, put_stacks},
    {"ring-size", set_ring_size, put_ring_size},
    {"duration", set_duration, put_duration},
    {"budget", set_budget, put_budget},
    {"lease", set_lease, put_lease},
    {"session-dir", set_session_dir, put_session_dir},
    {"xen-syms", set_xen_syms, put_xen_syms},
    {"guest-kernel", set_guest_kernel, put_guest_kernels},
};

#define OPTIONS (sizeof(options_table) / sizeof(options_table[0]))

void start_options_init(struct start_options *options)
{
    memset(options, 0, sizeof(*options));
    options->frequency = FREQUENCY_DEFAULT;
    options->budget = BUDGET_DEFAULT;
    options->lease = LEASE_DEFAULT;
    options->stacks = STACKS_DEFAULT;
    strcpy(options->session_dir, SESSION_DIR_DEFAULT);
}

void start_options_free(struct start_options *options)
{
    asked_domains_free(&options->domains);
    kernel_files_free(&options->kernels);
}

int start_options_set(struct start_options *options, const char *key,
                      const char *value, struct failure *failure)
{
    for ( size_t i = 0; i < OPTIONS; i++ )
        if ( strcmp(options_table[i].key, key) == 0 )
            return options_table[i].set(options, value, failure);
    return fail(failure, STATUS_USAGE, "--start has no option --%s", key);
}

int start_options_parse(struct start_options *options, const char *line,
                        struct failure *failure)
{
    const char *at = line;
    char key[32], value[LINE_MAX_BYTES];
    int status = 0;

    while ( !status && line_next(&at, key, sizeof(key), value, sizeof(value)) )
        if ( strcmp(key, "by") )
            status = start_options_set(options, key, value, failure);
    if ( !status && *at )
        status = fail(failure, STATUS_USAGE,
                      "the request cannot be read from '%.40s' on", at);
    return status;
}

int start_options_check(const struct start_options *options,
                        struct failure *failure)
{
    if ( options->frequency > FREQUENCY_UNFORCED && !options->force )
        return fail(failure, STATUS_RANGE,
                    "--frequency=%u is over %u, where each sample cuts a long "
                    "hypercall short; add --force to allow it",
                    options->frequency, FREQUENCY_UNFORCED);
    if ( options->cpupool[0] && !number_set_empty(&options->pcpus) )
        return fail(failure, STATUS_USAGE,
                    "--pcpus and --cpupool both say which pCPUs to sample; "
                    "give one of them");
    return 0;
}

char *start_options_text(const struct start_options *options)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    if ( !file )
        return NULL;
    for ( size_t i = 0; i < OPTIONS; i++ )
        options_table[i].put(options, file);
    if ( fclose(file) )
    {
        free(text);
        return NULL;
    }
    return text;
}

unsigned int start_options_ring_pages(const struct start_options *options,
                                      size_t rings)
{
    uint64_t sample = SAMPLE_BYTES +
                      (options->stacks & STACKS_XEN ? XEN_BYTES : 0) +
                      (options->stacks & STACKS_KERNEL ? WINDOW_BYTES / 4 : 0);
    uint64_t wanted = options->frequency * sample;
    unsigned int pages = RING_PAGES_MIN;

    if ( options->ring_pages )
        return options->ring_pages;
    while ( pages < XENOPROF_DATA_PAGES_MAX &&
            (uint64_t)pages * XENOPROF_PAGE_SIZE < wanted &&
            2 * rings * pages * XENOPROF_PAGE_SIZE <= RINGS_USUAL )
        pages *= 2;
    return pages;
}

unsigned int start_options_window(unsigned int pages)
{
    unsigned int room = pages * XENOPROF_PAGE_SIZE / 2 - RECORD_BYTES;

    return room < WINDOW_BYTES ? room : WINDOW_BYTES;
}
