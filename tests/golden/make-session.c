/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make-session TEXT FOLDER: makes a session of a text that a person can read
 * and write.  One command a line; '#' begins a comment; times are seconds on
 * Xen's clock, with a decimal point:
 *
 *   fact TIME KEY VALUE             VALUE is the rest of the line
 *   domain TIME NUMBER KIND NAME    NAME is the rest of the line
 *   place LABEL DOMAIN MODE ADDRESS [IMAGE [SYMBOL START]]    "-": unknown
 *   stack LABEL PLACE...            leaf first; places and stacks by label
 *   line PLACE PATH NUMBER          of source
 *   sample TIME DOMAIN.VCPU PCPU MODE PLACE [KEY=VALUE ...]
 *          stack=LABEL weight=N hz=N marks=N count=N every=TIME
 *          entry=KIND:CODE[:DETAIL[:FLAGS]]     KIND is pv, svm or vmx
 *          thread=PID:TID:COMM
 *          type=NUMBER units=N    N of the type's units is what one stands for
 *   type NUMBER NAME UNIT [select=N] [period=N] [turns=N]
 *   measured TIME TYPE PCPU ENABLED RUNNING      ENABLED, RUNNING in seconds
 *   idle TIME PCPU IDLE             IDLE in seconds, too
 *   wait TIME DOMAIN.VCPU span=S running=S KEY=S  runnable capped device paused
 *   spooled SECOND DOMAIN.VCPU MODE COUNT [hz=N]  COUNT below 0: they left
 *   latency TIME DOMAIN.VCPU woken|preempted LENGTH [count=N] [by=DOMAIN]
 *   exits TIME DOMAIN.VCPU CODE count=N xen=S away=S shortest=S longest=S
 *   origin DOMAIN PID:TID:COMM [exe=PATH] [cgroup=PATH]  of a sample's thread
 *   ring NUMBER made=N read=N [daemon=N]
 *   ended NUMBER                    nothing more of this ring is to come
 *   cost TIME DAEMON CHILDREN       in seconds, since the one before
 *   counters TIME KEY=VALUE ...     due missed idle made committed cost, causes
 *   flush                           end the block
 *   rotate                          end the file
 *   close TIME
 *
 * In a text, \xNN is a byte, and LETTER@N is that letter N times.  A KEY, a
 * KIND, a UNIT and a COMM are texts, too.
 */
#include <libxenoprof.h>

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABELS_MAX 512u
#define WORDS_MAX  80u
#define NS_PER_S   1000000000.0

/* A place, or a stack of places. */
struct label {
    char *name;
    struct xenoprof_place place;
    uint32_t number; /* of the place, in the file after so many: */
    uint32_t file;
    size_t frames[WORDS_MAX]; /* labels */
    size_t count;
};

struct session_maker {
    struct xenoprof_handle *handle;
    struct xenoprof_writer *writer;
    struct label labels[LABELS_MAX];
    size_t label_count;
    const char *file;
    unsigned int line;
};

/* A line in words; rest[i] is the line from word i on. */
struct input_words {
    char *word[WORDS_MAX + 1];
    char *rest[WORDS_MAX + 1];
    size_t count;
};

static void fail(const struct session_maker *maker, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));
static void fail(const struct session_maker *maker, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "%s:%u: ", maker->file, maker->line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static void done(const struct session_maker *maker, enum xenoprof_status code)
{
    if ( code )
        fail(maker, "code %d: %s", (int)code, xenoprof_message(maker->handle));
}

static uint64_t number(const struct session_maker *maker, const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 0);

    if ( end == text || *end )
        fail(maker, "\"%s\" is not a number", text);
    return value;
}

static uint64_t seconds(const struct session_maker *maker, const char *text)
{
    char *end;
    double value = strtod(text, &end);

    if ( end == text || *end || value < 0 )
        fail(maker, "\"%s\" is not a time", text);
    return (uint64_t)(value * NS_PER_S + 0.5);
}

static uint8_t mode(const struct session_maker *maker, const char *text)
{
    static const char *const names[] = {"xen", "kernel", "user", "idle"};

    for ( uint8_t i = 0; i < XENOPROF_MODES; i++ )
        if ( !strcmp(names[i], text) )
            return i;
    fail(maker, "\"%s\" is not a mode", text);
}

/* LETTER@N: the letter N times, in memory that is never used again. */
static char *repeated(char letter, size_t count)
{
    static char pool[1u << 20];
    static size_t used;
    char *text = pool + used;

    if ( count >= sizeof(pool) - used )
    {
        fprintf(stderr, "repeated letters take more than %zu bytes\n",
                sizeof(pool));
        exit(1);
    }
    memset(text, letter, count);
    used += count + 1;
    return text;
}

/* \xNN in place. */
static char *text_value(char *text)
{
    char *from = text, *to = text;
    char hex[3] = "";

    if ( text[0] && text[1] == '@' && isdigit((unsigned char)text[2]) )
        return repeated(text[0], strtoull(text + 2, NULL, 10));
    while ( *from )
    {
        if ( from[0] == '\\' && from[1] == 'x' && from[2] && from[3] )
        {
            memcpy(hex, from + 2, 2);
            *to++ = (char)strtoul(hex, NULL, 16);
            from += 4;
        }
        else
            *to++ = *from++;
    }
    *to = '\0';
    return text;
}

static const char *known_text(const struct input_words *words, size_t index)
{
    if ( index >= words->count || !strcmp(words->word[index], "-") )
        return NULL;
    return text_value(words->word[index]);
}

static struct label *add_label(struct session_maker *maker, const char *name)
{
    struct label *label = &maker->labels[maker->label_count++];

    if ( maker->label_count == LABELS_MAX )
        fail(maker, "more than %u labels", LABELS_MAX);
    label->name = strdup(name);
    return label;
}

/* "-" stands for no place, and for no stack: the first label. */
static size_t find_label(const struct session_maker *maker, const char *name)
{
    for ( size_t i = 0; i < maker->label_count; i++ )
        if ( !strcmp(maker->labels[i].name, name) )
            return i;
    fail(maker, "nothing is called \"%s\"", name);
}

static uint32_t place_number(struct session_maker *maker, size_t index)
{
    struct label *label = &maker->labels[index];
    uint32_t file = xenoprof_writer_epoch(maker->writer) + 1;

    if ( index == 0 || label->file == file )
        return label->number;
    done(maker,
         xenoprof_writer_place(maker->writer, &label->place, &label->number));
    label->file = file;
    return label->number;
}

/* The value of KEY=VALUE among the words, or otherwise. */
static const char *option(const struct input_words *words, const char *key,
                          const char *otherwise)
{
    size_t length = strlen(key);

    for ( size_t i = 1; i < words->count; i++ )
        if ( !strncmp(words->word[i], key, length) &&
             words->word[i][length] == '=' )
            return words->word[i] + length + 1;
    return otherwise;
}

static uint64_t number_option(const struct session_maker *maker,
                              const struct input_words *words, const char *key,
                              const char *otherwise)
{
    return number(maker, option(words, key, otherwise));
}

static void make_fact(struct session_maker *maker, struct input_words *words)
{
    done(maker, xenoprof_writer_attribute(
                    maker->writer, seconds(maker, words->word[1]),
                    text_value(words->word[2]), text_value(words->rest[3])));
}

static void make_domain(struct session_maker *maker, struct input_words *words)
{
    uint16_t domain = (uint16_t)number(maker, words->word[2]);
    uint8_t uuid[16] = {0};

    /* Another name is another domain here. */
    for ( const char *at = words->rest[4]; *at; at++ )
        uuid[15] = (uint8_t)(uuid[15] * 31 + (unsigned char)*at);
    uuid[0] = (uint8_t)domain;
    done(maker, xenoprof_writer_domain(
                    maker->writer, seconds(maker, words->word[1]), domain, uuid,
                    text_value(words->rest[4]), text_value(words->word[3])));
}

static char *copy_text(const char *text)
{
    return text ? strdup(text) : NULL;
}

static void make_place(struct session_maker *maker, struct input_words *words)
{
    struct label *label = add_label(maker, words->word[1]);

    label->place = (struct xenoprof_place){
        .domain = (uint16_t)number(maker, words->word[2]),
        .mode = mode(maker, words->word[3]),
        .address = number(maker, words->word[4]),
        .image = copy_text(known_text(words, 5)),
        .symbol = copy_text(known_text(words, 6)),
        .symbol_start = words->count > 7 ? number(maker, words->word[7]) : 0,
    };
    place_number(maker, maker->label_count - 1);
}

static void make_source_line(struct session_maker *maker,
                             struct input_words *words)
{
    const struct xenoprof_line line = {
        .place = place_number(maker, find_label(maker, words->word[1])),
        .path = text_value(words->word[2]),
        .line = (uint32_t)number(maker, words->word[3]),
    };

    done(maker, xenoprof_writer_line(maker->writer, &line));
}

static void make_stack(struct session_maker *maker, struct input_words *words)
{
    struct label *stack = add_label(maker, words->word[1]);

    for ( size_t i = 2; i < words->count; i++ )
        stack->frames[stack->count++] = find_label(maker, words->word[i]);
}

static struct xenoprof_entry entry_of(const struct session_maker *maker,
                                      const char *text)
{
    static const char *const names[] = {
        "-",
#define XENOPROF_ENTRY_KIND(number, NAME, name, text) name,
#include <xenoprof/entry-kinds.def>
#undef XENOPROF_ENTRY_KIND
    };
    char kind[8] = "";
    unsigned int flags = 0;
    struct xenoprof_entry entry = {.kind = XENOPROF_ENTRY_NONE};

    if ( sscanf(text, "%7[^:]:%i:%li:%i", kind, (int *)&entry.code,
                (long *)&entry.detail, (int *)&flags) < 2 )
        return entry;
    for ( uint8_t i = 1; i < XENOPROF_ENTRY_KINDS; i++ )
        if ( !strcmp(kind, names[i]) )
            entry.kind = i;
    if ( !entry.kind )
        fail(maker, "\"%s\" is not a kind of entry", kind);
    entry.flags = (uint8_t)flags;
    return entry;
}

static struct xenoprof_thread thread_of(const char *text)
{
    struct xenoprof_thread thread = {.start = 0};
    int used = 0;
    char *comm;

    if ( sscanf(text, "%u:%u:%n", &thread.pid, &thread.tid, &used) < 2 ||
         !used || !(comm = strdup(text + used)) )
        return (struct xenoprof_thread){.start = 0};
    snprintf(thread.comm, sizeof(thread.comm), "%s", text_value(comm));
    free(comm);
    thread.start = thread.tid * 1000ull;
    return thread;
}

static void make_sample(struct session_maker *maker, struct input_words *words)
{
    char *dot = strchr(words->word[2], '.');
    uint64_t count = number_option(maker, words, "count", "1");
    uint64_t every = seconds(maker, option(words, "every", "0.01"));
    uint64_t hz = number_option(maker, words, "hz", "100");
    const struct label *stack =
        &maker->labels[find_label(maker, option(words, "stack", "-"))];
    uint32_t places[WORDS_MAX];
    struct xenoprof_stored sample = {
        .time = seconds(maker, words->word[1]),
        .pcpu = (uint16_t)number(maker, words->word[3]),
        .mode = mode(maker, words->word[4]),
        .place = place_number(maker, find_label(maker, words->word[5])),
        .weight = (uint8_t)number_option(maker, words, "weight", "1"),
        .marks = (uint32_t)number_option(maker, words, "marks", "0"),
        .period = (uint32_t)(1000000000u / hz),
        .entry = entry_of(maker, option(words, "entry", "-")),
        .thread = thread_of(option(words, "thread", "-")),
        .type = (uint16_t)number_option(maker, words, "type", "0"),
        .count = number_option(maker, words, "units", "0"),
    };

    if ( !dot )
        fail(maker, "\"%s\" is not a DOMAIN.VCPU", words->word[2]);
    *dot = '\0';
    sample.domain = (uint16_t)number(maker, words->word[2]);
    sample.vcpu = (uint16_t)number(maker, dot + 1);
    for ( size_t i = 0; i < stack->count; i++ )
        places[i] = place_number(maker, stack->frames[i]);
    for ( ; count; count-- )
    {
        done(maker, xenoprof_writer_sample(maker->writer, &sample, places,
                                           stack->count));
        sample.time += every;
    }
}

static void make_type(struct session_maker *maker, struct input_words *words)
{
    const struct xenoprof_type type = {
        .name = text_value(words->word[2]),
        .unit = text_value(words->word[3]),
        .select = number_option(maker, words, "select", "0"),
        .period = number_option(maker, words, "period", "0"),
        .turns = (uint32_t)number_option(maker, words, "turns", "0"),
    };

    done(maker,
         xenoprof_writer_type(maker->writer,
                              (uint16_t)number(maker, words->word[1]), &type));
}

static void make_measured(struct session_maker *maker,
                          struct input_words *words)
{
    const struct xenoprof_measured measured = {
        .type = (uint16_t)number(maker, words->word[2]),
        .pcpu = (uint16_t)number(maker, words->word[3]),
        .enabled = seconds(maker, words->word[4]),
        .running = seconds(maker, words->word[5]),
    };

    done(maker, xenoprof_writer_measured(
                    maker->writer, seconds(maker, words->word[1]), &measured));
}

static void make_idle(struct session_maker *maker, struct input_words *words)
{
    done(maker,
         xenoprof_writer_idle(maker->writer, seconds(maker, words->word[1]),
                              (uint16_t)number(maker, words->word[2]),
                              seconds(maker, words->word[3])));
}

/* cost AT DAEMON CHILDREN, in seconds */
static void make_cost(struct session_maker *maker, struct input_words *words)
{
    const struct xenoprof_cost cost = {
        .daemon = seconds(maker, words->word[2]),
        .children = seconds(maker, words->word[3]),
    };

    done(maker, xenoprof_writer_cost(maker->writer,
                                     seconds(maker, words->word[1]), &cost));
}

/* Takes DOMAIN.VCPU apart. */
static uint16_t take_vcpu(struct session_maker *maker, char *text,
                          uint16_t *vcpu)
{
    char *dot = strchr(text, '.');

    if ( !dot )
        fail(maker, "\"%s\" is not DOMAIN.VCPU", text);
    *dot = '\0';
    *vcpu = (uint16_t)number(maker, dot + 1);
    return (uint16_t)number(maker, text);
}

static void make_wait(struct session_maker *maker, struct input_words *words)
{
    struct xenoprof_waited waited = {
        .span = seconds(maker, option(words, "span", "1")),
        .running = seconds(maker, option(words, "running", "0")),
        .runnable = seconds(maker, option(words, "runnable", "0")),
        .device = seconds(maker, option(words, "device", "0")),
        .capped = seconds(maker, option(words, "capped", "0")),
        .paused = seconds(maker, option(words, "paused", "0")),
    };

    waited.domain = take_vcpu(maker, words->word[2], &waited.vcpu);
    done(maker, xenoprof_writer_wait(maker->writer,
                                     seconds(maker, words->word[1]), &waited));
}

static void make_spooled(struct session_maker *maker, struct input_words *words)
{
    const int64_t count = strtoll(words->word[4], NULL, 10);
    const uint64_t hz = number_option(maker, words, "hz", "100");
    struct xenoprof_spooled spooled = {
        .mode = mode(maker, words->word[3]),
        .second = number(maker, words->word[1]),
        .period = 1000000000u / hz,
        .samples = count,
    };

    spooled.domain = take_vcpu(maker, words->word[2], &spooled.vcpu);
    done(maker, xenoprof_writer_spooled(maker->writer, &spooled));
}

/* Waits of one length. */
static void make_latency(struct session_maker *maker, struct input_words *words)
{
    const char *by = option(words, "by", "");
    uint64_t length = seconds(maker, words->word[4]);
    struct xenoprof_latency latency = {
        .by = *by ? (uint16_t)number(maker, by) : XENOPROF_NOBODY,
        .why = strcmp(words->word[3], "woken") ? XENOPROF_PREEMPTED
                                               : XENOPROF_WOKEN,
        .count = number_option(maker, words, "count", "1"),
        .longest = length,
    };

    latency.domain = take_vcpu(maker, words->word[2], &latency.vcpu);
    latency.sum = latency.count * length;
    while ( length >= 1000ull << latency.bucket &&
            latency.bucket < XENOPROF_LATENCY_BUCKETS - 1 )
        latency.bucket++;
    done(maker, xenoprof_writer_latency(
                    maker->writer, seconds(maker, words->word[1]), &latency));
}

static const char *path_option(const struct input_words *words, const char *key)
{
    const char *path = option(words, key, "");

    return *path ? text_value((char *)path) : path;
}

static void make_origin(struct session_maker *maker, struct input_words *words)
{
    const struct xenoprof_origin origin = {
        .domain = (uint16_t)number(maker, words->word[1]),
        .thread = thread_of(words->word[2]),
        .exe = path_option(words, "exe"),
        .cgroup = path_option(words, "cgroup"),
    };

    done(maker, xenoprof_writer_origin(maker->writer, &origin));
}

static void make_exits(struct session_maker *maker, struct input_words *words)
{
    struct xenoprof_exits exits = {
        .entry = {.kind = XENOPROF_ENTRY_SVM,
                  .code = (uint32_t)number(maker, words->word[3]),
                  .flags = XENOPROF_ENTRY_BARE},
        .count = number_option(maker, words, "count", "1"),
        .in_xen = seconds(maker, option(words, "xen", "0")),
        .away = seconds(maker, option(words, "away", "0")),
        .shortest = seconds(maker, option(words, "shortest", "0")),
        .longest = seconds(maker, option(words, "longest", "0")),
    };

    exits.domain = take_vcpu(maker, words->word[2], &exits.vcpu);
    done(maker, xenoprof_writer_exits(maker->writer,
                                      seconds(maker, words->word[1]), &exits));
}

static void make_ring(struct session_maker *maker, struct input_words *words)
{
    struct xenoprof_ring_info facts = {
        .ring = (uint32_t)number(maker, words->word[1]),
        .generation = 1,
        .kind = XENOPROF_RING_VCPU,
        .state = XENOPROF_RING_OPEN,
        .size = XENOPROF_PAGE_SIZE,
        .made = number_option(maker, words, "made", "0"),
    };

    facts.committed = number_option(maker, words, "read", "0");
    done(maker,
         xenoprof_writer_ring(maker->writer, &facts, facts.committed,
                              number_option(maker, words, "daemon", "0"), 0));
}

static void make_ended(struct session_maker *maker, struct input_words *words)
{
    struct xenoprof_ring_info facts = {
        .ring = (uint32_t)number(maker, words->word[1]), .generation = 1};

    done(maker, xenoprof_writer_ring_ended(maker->writer, &facts));
}

static void make_counters(struct session_maker *maker,
                          struct input_words *words)
{
    struct xenoprof_counters counters = {
        .due = number_option(maker, words, "due", "0"),
        .missed = number_option(maker, words, "missed", "0"),
        .idle = number_option(maker, words, "idle", "0"),
        .made = number_option(maker, words, "made", "0"),
        .committed = number_option(maker, words, "committed", "0"),
        .cost = number_option(maker, words, "cost", "0"),
    };

    counters.lost[XENOPROF_LOST_QUEUE] = number_option(maker, words, "queue",
                                                       "0");
    counters.lost[XENOPROF_LOST_RING] = number_option(maker, words, "ring",
                                                      "0");
    counters.lost[XENOPROF_LOST_STOPPED] = number_option(maker, words,
                                                         "stopped", "0");
    done(maker, xenoprof_writer_counters(
                    maker->writer, seconds(maker, words->word[1]), &counters));
}

static void make_flush(struct session_maker *maker, struct input_words *words)
{
    (void)words;
    done(maker, xenoprof_writer_flush(maker->writer));
}

static void make_rotate(struct session_maker *maker, struct input_words *words)
{
    (void)words;
    done(maker, xenoprof_writer_rotate(maker->writer));
}

static void make_close(struct session_maker *maker, struct input_words *words)
{
    done(maker,
         xenoprof_writer_close(maker->writer, seconds(maker, words->word[1])));
}

static const struct command {
    const char *name;
    size_t words; /* at least, the command included */
    void (*make)(struct session_maker *maker, struct input_words *words);
} commands[] = {
    {"fact", 4, make_fact},        {"domain", 5, make_domain},
    {"place", 5, make_place},      {"stack", 3, make_stack},
    {"sample", 6, make_sample},    {"idle", 4, make_idle},
    {"wait", 3, make_wait},        {"ring", 2, make_ring},
    {"cost", 4, make_cost},        {"counters", 2, make_counters},
    {"latency", 5, make_latency},  {"exits", 4, make_exits},
    {"flush", 1, make_flush},      {"rotate", 1, make_rotate},
    {"close", 2, make_close},      {"ended", 2, make_ended},
    {"type", 4, make_type},        {"measured", 6, make_measured},
    {"origin", 3, make_origin},    {"spooled", 5, make_spooled},
    {"line", 4, make_source_line},
};

/* Cuts line into words; copy, with the same text, stays whole for the rests. */
static void split(char *line, char *copy, struct input_words *ret)
{
    char *at = line;

    ret->count = 0;
    while ( ret->count < WORDS_MAX )
    {
        at += strspn(at, " \t");
        if ( !*at )
            return;
        ret->word[ret->count] = at;
        ret->rest[ret->count++] = copy + (at - line);
        at += strcspn(at, " \t");
        if ( *at )
            *at++ = '\0';
    }
}

static void make_line(struct session_maker *maker, char *line)
{
    static const size_t count = sizeof(commands) / sizeof(commands[0]);
    struct input_words words;
    char *copy;

    line[strcspn(line, "#\n")] = '\0';
    copy = strdup(line);
    split(line, copy, &words);
    for ( size_t i = 0; words.count && i < count; i++ )
    {
        if ( strcmp(commands[i].name, words.word[0]) )
            continue;
        if ( words.count < commands[i].words )
            fail(maker, "%s takes more words", words.word[0]);
        commands[i].make(maker, &words);
        words.count = 0;
    }
    if ( words.count )
        fail(maker, "there is no command \"%s\"", words.word[0]);
    free(copy);
}

static void free_labels(struct session_maker *maker)
{
    for ( size_t i = 0; i < maker->label_count; i++ )
    {
        struct label *label = &maker->labels[i];

        free(label->name);
        free((char *)label->place.image);
        free((char *)label->place.symbol);
    }
}

int main(int argc, char **argv)
{
    struct session_maker maker = {.handle = xenoprof_open()};
    char *line = NULL;
    size_t room = 0;
    FILE *file;

    if ( argc != 3 || !(file = fopen(argv[1], "re")) )
    {
        fprintf(stderr, "usage: make-session TEXT FOLDER\n");
        return 2;
    }
    maker.file = argv[1];
    add_label(&maker, "-");
    done(&maker, xenoprof_writer_create(maker.handle, argv[2], &maker.writer));
    while ( getline(&line, &room, file) > 0 )
    {
        maker.line++;
        make_line(&maker, line);
    }
    done(&maker, xenoprof_writer_flush(maker.writer));
    xenoprof_writer_destroy(maker.writer);
    xenoprof_close(maker.handle);
    free_labels(&maker);
    free(line);
    fclose(file);
    return 0;
}
