/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of --start: one row each in option_rows[], which says what --help
 * shows, what values there are, and where the value goes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenoprof/door.h>
#include <xenoprof/record.h>

#include "event-sets.h"
#include "kernel-files.h"
#include "label-choices.h"
#include "option-value.h"
#include "protocol.h"
#include "start-options.h"

/* A sample with the registers of a guest; Xen's stack, averaged over samples
 * with and without one; all of a record but its windows, at most. */
#define SAMPLE_BYTES 224u
#define XEN_BYTES    32u
#define RECORD_BYTES 1024u
/* A guest kernel's stack; one sample in four has it. */
#define WINDOW_BYTES 6144u
/* KiB of a process's stack. */
#define USER_WINDOW_DEFAULT 8u
#define USER_WINDOW_MAX     32u
#define RING_PAGES_MIN      8u
/* What a ring holds.  A daemon on a busy host that stands still for so long
 * makes the frequency go down a little, if at all. */
#define RING_SECONDS 4u

static const struct option_choice samplers[] = {
    {.word = "nmi", XENOPROF_SAMPLER_NMI},
    {.word = "timer", XENOPROF_SAMPLER_TIMER},
    {NULL, 0},
};

static const struct option_choice stacks[] = {
    {.word = "xen", STACKS_XEN},
    {.word = "kernel", STACKS_KERNEL},
    {.word = "user", STACKS_USER},
    {.word = "below", STACKS_BELOW},
    {NULL, 0},
};

static const struct option_choice forces[] = {
    {.word = "frequency", FORCE_FREQUENCY},
    {.word = "readers", FORCE_READERS},
    {.word = "periods", FORCE_PERIODS},
    {.word = "nmis", FORCE_NMIS},
    {NULL, 0},
};

static const struct option_choice traces[] = {
    {.word = "runstates", TRACE_CHOICE_RUNSTATES},
    {.word = "exits", TRACE_CHOICE_EXITS},
    {NULL, 0},
};

#define DAY (24u * 3600)

#define TYPE(type_, member)                                                    \
    .type = VALUE_##type_, .offset = offsetof(struct start_options, member),   \
    .size = sizeof(((struct start_options *)NULL)->member)
#define RANGE(low, high, what) .min = (low), .max = (high), .unit = (what)

static const struct option_row option_rows[] = {
    {{"passive-domains", "LIST|all", "profile these domains from outside"},
     TYPE(DOMAINS, domains),
     .role = ROLE_PASSIVE},
    {{"active-domains", "LIST", "the same, and ask the agents in them"},
     TYPE(DOMAINS, domains),
     .role = ROLE_ACTIVE},
    {{"frequency", "HZ", "samples a second of each pCPU (97)"},
     TYPE(NUMBER, frequency),
     RANGE(1, XENOPROF_FREQUENCY_MAX, "samples a second for each pCPU"),
     .usual = FREQUENCY_DEFAULT,
     .always = true},
    {{"force", "LIST",
      "lift guards: frequency, readers, periods, nmis; see xenopctl(8)"},
     TYPE(WORDS, force),
     .choices = forces},
    {{"pcpus", "LIST", "sample these pCPUs only (0-3,7)"},
     TYPE(NUMBER_SET, pcpus)},
    {{"cpupool", "POOL", "sample the pCPUs of this pool only"},
     TYPE(TEXT, cpupool)},
    {{"sampler", "nmi|timer", "choose the sampler"},
     TYPE(WORD, sampler),
     .choices = samplers},
    {{"stacks", "LIST",
      "record stacks of xen, kernel, user, below; none (xen,kernel)"},
     TYPE(WORDS, stacks),
     .choices = stacks,
     .usual = STACKS_DEFAULT},
    {{"user-window", "KIB", "stack of a process in a sample (8)"},
     TYPE(NUMBER, user_window),
     RANGE(1, USER_WINDOW_MAX, "KiB"),
     .usual = USER_WINDOW_DEFAULT},
    {{"trace", "LIST", "read Xen's traces: runstates, exits"},
     TYPE(WORDS, trace),
     .choices = traces},
    {{"waiting", NULL, "sample vCPUs that wait for a pCPU, too"},
     TYPE(FLAG, waiting)},
    {{"ring-size", "KIB", "size of each ring, a power of two"},
     TYPE(POWER_OF_TWO, ring_size),
     RANGE(4, XENOPROF_DATA_PAGES_MAX * 4, "KiB")},
    {{"duration", "SECONDS", "stop after this time"},
     TYPE(NUMBER, duration),
     RANGE(1, DURATION_MAX, "seconds")},
    {{"spool", "MIB",
      "memory for samples that wait for a guest's kernel (64; 0: none wait)"},
     TYPE(NUMBER, spool),
     RANGE(1, SPOOL_MAX, "MiB"),
     .zero = "to let none wait",
     .usual = SPOOL_DEFAULT},
    {{"max-size", "MIB", "drop the oldest samples beyond this size on disk"},
     TYPE(NUMBER, max_size),
     RANGE(MAX_SIZE_MIN, MAX_SIZE_MAX, "MiB")},
    {{"max-age", "TIME", "drop samples that are older (90s, 30m, 1h, 2d)"},
     TYPE(DURATION, max_age),
     RANGE(MAX_AGE_MIN, DURATION_MAX, "1 minute to 366 days")},
    {{"keep", "DAYS",
      "go on for ever, with the last days on a part of the disk"},
     TYPE(NUMBER, keep),
     RANGE(1, DURATION_MAX / DAY, "days")},
    {{"budget", "PERCENT",
      "slow down beyond this share of a pCPU (25; 0: never)"},
     TYPE(NUMBER, budget),
     RANGE(1, 100, "percent of a pCPU's time"),
     .zero = "to never slow down",
     .usual = BUDGET_DEFAULT},
    {{"lease", "SECONDS", "stop if nobody reads for this long (30; 0: never)"},
     TYPE(NUMBER, lease),
     RANGE(1, 3600, "seconds"),
     .zero = "for none",
     .usual = LEASE_DEFAULT},
    {{"session-dir", "DIR", "where sessions are kept"},
     TYPE(PATH, session_dir),
     .usual_text = SESSION_DIR_DEFAULT,
     .without_start = true},
    {{"xen-syms", "FILE", "take Xen's symbols from this file"},
     TYPE(PATH, xen_syms),
     .without_start = true},
    {{"guest-kernel", "DOM:FILE", "the file of a guest's kernel (repeatable)"},
     TYPE(PAIRS, kernels),
     .add_pair = kernel_files_add},
    {{"guest-root", "DOM:PATH",
      "a guest's file system, mounted here (repeatable)"},
     TYPE(PAIRS, roots),
     .add_pair = guest_roots_add},
    {{"labels", "[DOM:]WORD",
      "what samples say of threads: none, pid, comm, all (repeatable)"},
     TYPE(PAIRS, labels),
     .add_pair = label_choices_add},
    {{"no-agent", NULL, "do not have systemd start opagent here"},
     TYPE(FLAG, no_agent)},
    {{"push", "URL",
      "send profiles there: pyroscope+https://HOST:4040, parca+, otlp+"},
     TYPE(TEXT, push)},
    {{"event", "NAME:COUNT,...",
      "sample each COUNT events, not by time (repeatable: they take turns)"},
     TYPE(PAIRS, events),
     .add_pair = event_sets_add},
};

#define ROWS (sizeof(option_rows) / sizeof(option_rows[0]))
_Static_assert(ROWS <= START_OPTIONS_MAX, "raise START_OPTIONS_MAX");

const struct option_help *start_options_help(size_t index)
{
    return index < ROWS ? &option_rows[index].shown : NULL;
}

bool start_options_need_start(size_t index)
{
    return !option_rows[index].without_start;
}

bool start_options_take_path(size_t index)
{
    return option_rows[index].type == VALUE_PATH;
}

void start_options_init(struct start_options *options)
{
    memset(options, 0, sizeof(*options));
    for ( const struct option_row *row = option_rows; row < option_rows + ROWS;
          row++ )
    {
        char *member = (char *)options + row->offset;

        if ( row->type <= VALUE_WORDS )
            *(unsigned int *)(void *)member = row->usual;
        else if ( row->usual_text )
            strcpy(member, row->usual_text);
    }
}

void start_options_free(struct start_options *options)
{
    asked_domains_free(&options->domains);
    domain_pairs_free(&options->kernels);
    domain_pairs_free(&options->roots);
    root_folders_close(&options->folders);
    domain_pairs_free(&options->labels);
    domain_pairs_free(&options->events);
}

int start_options_set(struct start_options *options, const char *name,
                      const char *value, struct failure *failure)
{
    for ( size_t i = 0; i < ROWS; i++ )
        if ( strcmp(option_rows[i].shown.name, name) == 0 )
            return option_set(&option_rows[i],
                              (char *)options + option_rows[i].offset, value,
                              failure);
    return fail(failure, STATUS_USAGE, "--start has no option --%s", name);
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
    /* What somebody who named no active domain gets without saying so is the
     * same if it is said. */
    if ( !asked_domains_have(&options->domains, ROLE_ACTIVE) &&
         (options->stacks | STACKS_UNSAID) == STACKS_DEFAULT )
        options->stacks = STACKS_DEFAULT;
    return status;
}

/* Who names a domain as active wants to see its processes, also when its kernel
 * works for them.  Returns enum stack_choice. */
static unsigned int stacks_of(const struct start_options *options)
{
    bool unsaid = options->stacks & STACKS_UNSAID &&
                  asked_domains_have(&options->domains, ROLE_ACTIVE);

    return options->stacks | (unsaid ? STACKS_USER | STACKS_BELOW : 0);
}

static bool has_user_stacks(const struct start_options *options)
{
    return stacks_of(options) & STACKS_USER;
}

static bool has_below(const struct start_options *options)
{
    return stacks_of(options) & STACKS_BELOW;
}

int start_options_check(const struct start_options *options,
                        struct failure *failure)
{
    if ( options->frequency > FREQUENCY_UNFORCED &&
         !(options->force & FORCE_FREQUENCY) )
        return fail(failure, STATUS_RANGE,
                    "--frequency=%u is over %u, where each sample cuts a long "
                    "hypercall short; add --force=frequency to allow it",
                    options->frequency, FREQUENCY_UNFORCED);
    if ( options->stacks & STACKS_USER && !(options->stacks & STACKS_KERNEL) )
        return fail(failure, STATUS_USAGE,
                    "--stacks=user is for what is below the stacks of kernels; "
                    "name kernel in the list as well");
    if ( options->stacks & STACKS_BELOW && !(options->stacks & STACKS_USER) )
        return fail(failure, STATUS_USAGE,
                    "--stacks=below is for processes that kernels work for; "
                    "name kernel and user in the list as well");
    if ( options->user_window != USER_WINDOW_DEFAULT &&
         !has_user_stacks(options) )
        return fail(failure, STATUS_USAGE,
                    "--user-window is for stacks of processes; ask for them "
                    "with --stacks=xen,kernel,user");
    if ( options->events.count && options->sampler )
        return fail(failure, STATUS_USAGE,
                    "--sampler and --event both say what makes a sample; give "
                    "one of them");
    if ( strpbrk(options->push, "@?#") )
        return fail(failure, STATUS_USAGE,
                    "--push: what is in the command line is seen by others, so "
                    "passwords and queries are in /etc/xenoprof/push.conf: see "
                    "xenoprof-push(8)");
    if ( options->cpupool[0] && !number_set_empty(&options->pcpus) )
        return fail(failure, STATUS_USAGE,
                    "--pcpus and --cpupool both say which pCPUs to sample; "
                    "give one of them");
    if ( options->keep && (options->max_age || options->duration) )
        return fail(failure, STATUS_USAGE,
                    "--keep and --%s both say how much time there is; give one "
                    "of them",
                    options->max_age ? "max-age" : "duration");
    return 0;
}

unsigned int start_options_max_age(const struct start_options *options)
{
    return options->keep ? options->keep * DAY : options->max_age;
}

char *start_options_text(const struct start_options *options)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    if ( !file )
        return NULL;
    for ( size_t i = 0; i < ROWS; i++ )
        option_put(&option_rows[i],
                   (const char *)options + option_rows[i].offset, file);
    if ( fclose(file) )
    {
        free(text);
        return NULL;
    }
    return text;
}

uint32_t start_options_parts(const struct start_options *options)
{
    static const struct {
        uint32_t part;
        unsigned int stacks; /* enum stack_choice */
    } asked[] = {
#define XENOPROF_PART(bit, NAME, name, member, structure, tail, stacks, text)  \
    {XENOPROF_PART_##NAME, STACKS_##stacks},
#include <xenoprof/record-parts.def>
#undef XENOPROF_PART
    };
    unsigned int wanted = stacks_of(options);
    uint32_t parts = 0;

    for ( size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++ )
        if ( asked[i].stacks == STACKS_NONE || asked[i].stacks & wanted )
            parts |= asked[i].part;
    /* The module adds it where events are counted. */
    return parts & ~(uint32_t)XENOPROF_PART_EVENT;
}

unsigned int start_options_ring_pages(const struct start_options *options,
                                      size_t rings, uint64_t room)
{
    /* The rest is for domains that come later. */
    uint64_t all = room / 4 * 3;
    /* One sample in four has a process's stack, and as many again those below
     * kernels. */
    uint64_t user = has_user_stacks(options) ? options->user_window * 256 : 0;
    uint64_t sample = SAMPLE_BYTES +
                      (options->stacks & STACKS_XEN ? XEN_BYTES : 0) +
                      (options->stacks & STACKS_KERNEL ? WINDOW_BYTES / 4 : 0) +
                      (has_below(options) ? 2 * user : user);
    uint64_t wanted = RING_SECONDS * options->frequency * sample;
    unsigned int pages = RING_PAGES_MIN;

    if ( options->ring_size )
        return options->ring_size * 1024 / XENOPROF_PAGE_SIZE;
    while ( pages < XENOPROF_DATA_PAGES_MAX &&
            (uint64_t)pages * XENOPROF_PAGE_SIZE < wanted &&
            2 * rings * pages * XENOPROF_PAGE_SIZE <= all )
        pages *= 2;
    return pages;
}

/* A sample may have a kernel's stack and a process's: then each has half of
 * what there is room for. */
static unsigned int window_of(const struct start_options *options,
                              unsigned int pages, unsigned int wanted)
{
    unsigned int room = pages * XENOPROF_PAGE_SIZE / 2 - RECORD_BYTES;

    if ( has_below(options) )
        room /= 2;
    return room < wanted ? room : wanted;
}

unsigned int start_options_window(const struct start_options *options,
                                  unsigned int pages)
{
    return window_of(options, pages, WINDOW_BYTES);
}

unsigned int start_options_user_window(const struct start_options *options,
                                       unsigned int pages)
{
    return has_user_stacks(options)
               ? window_of(options, pages, options->user_window * 1024)
               : 0;
}
