/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages and their answers. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/answers.h"
#include "agent/proc-spaces.h"
#include "rows/row-table.h"
#include "child-kit.h"
#include "talk-kit.h"
#include "tests/harness.h"

static struct agent_facts facts;
static struct agent_talk talk;
static struct kit_message message, there;
static bool over;

bool __real_proc_space_add(struct space_history *history, int32_t tgid,
                           uint64_t now);
bool __wrap_proc_space_add(struct space_history *history, int32_t tgid,
                           uint64_t now);

static unsigned int read_spaces; /* by answers */

bool __wrap_proc_space_add(struct space_history *history, int32_t tgid,
                           uint64_t now)
{
    read_spaces++;
    return __real_proc_space_add(history, tgid, now);
}

static void setup(bool events)
{
    talk = (struct agent_talk){0};
    facts = (struct agent_facts){.follows_clients = false};
    facts.history = space_history_open(16 << 20, UINT64_MAX / 2);
    facts.files = file_names_open(32 << 20);
    facts.jits = jit_names_open(8 << 20);
    CHECK(facts.history && facts.files && facts.jits);
    facts.events = events ? perf_events_open() : NULL;
    if ( events && !facts.events &&
         (errno == EACCES || errno == EPERM || errno == ENOSYS) )
        test_skip("perf events are forbidden here");
    CHECK(!events || facts.events);
    if ( events )
        proc_spaces_add(facts.history, perf_events_now);
}

static void clean(void)
{
    perf_events_close(facts.events);
    file_names_close(facts.files);
    jit_names_close(facts.jits);
    space_history_close(facts.history);
}

static struct agent_head say(void)
{
    there.size = answer_message(&facts, &talk, message.bytes, message.size,
                                there.bytes, &over);
    CHECK(there.size >= sizeof(struct agent_head));
    CHECK_EQ(kit_head(&there).length, there.size);
    CHECK_EQ(kit_head(&there).number, message.size >= sizeof(struct agent_head)
                                          ? kit_head(&message).number
                                          : 0);
    return kit_head(&there);
}

static void greet(void)
{
    kit_hello(&message, AGENT_VERSION);
    CHECK_EQ(say().kind, AGENT_WELCOME);
    CHECK(!over);
}

static struct agent_answer ask(pid_t tgid, uint64_t time, const void *address)
{
    const struct agent_question question = {
        .time = time,
        .address = (uint64_t)(uintptr_t)address,
        .tgid = (uint32_t)tgid};

    kit_where(&message, &question, 1);
    CHECK_EQ(say().kind, AGENT_THERE);
    CHECK(!over);
    kit_check_there(&there, 1);
    return kit_answer(&there, 0);
}

/* What a child does until it is ended. */
__attribute__((noinline)) static void work_of_a_child(void)
{
    for ( ;; )
        pause();
}

static void check_self(struct agent_answer answer)
{
    char self[256];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);

    CHECK(size > 0);
    self[size] = 0;
    CHECK_EQ(answer.found, AGENT_NAMED);
    CHECK_TEXT(kit_text(&there, answer.symbol), "work_of_a_child");
    CHECK_TEXT(kit_text(&there, answer.path), self);
    CHECK_EQ(answer.address - answer.start, 1);
    CHECK(answer.build_id_size > 0);
}

/* A process that has ended when it is asked for, and one that runs another
 * program. */
static void ask_of_children(void)
{
    const char *code = (const char *)(uintptr_t)work_of_a_child + 1;
    uint64_t before = perf_events_now(), while_it_ran;
    pid_t child;

    setup(true);
    greet();
    child = kit_start_child(work_of_a_child);
    while_it_ran = perf_events_now();
    kit_end_child(child);
    check_self(ask(child, while_it_ran, code));
    CHECK_EQ(ask(child, before, code).found, AGENT_NO_PROCESS);
    CHECK_EQ(ask(child, perf_events_now(), code).found, AGENT_NO_PROCESS);
    CHECK_EQ(ask(child, while_it_ran, NULL).found, AGENT_NO_MAPPING);
    clean();
}

TEST(processes_by_events)
{
    ask_of_children();
}

TEST(processes_by_proc)
{
    const char *code = (const char *)(uintptr_t)work_of_a_child + 1;
    uint64_t before = perf_events_now();
    pid_t child;

    setup(false);
    greet();
    child = kit_start_child(work_of_a_child);
    check_self(ask(child, perf_events_now(), code));
    /* Long before it began somebody else had its number. */
    CHECK_EQ(ask(child, before / 2, code).found, AGENT_NO_PROCESS);
    kit_end_child(child);
    CHECK_EQ(ask(child, perf_events_now(), code).found, AGENT_NO_PROCESS);
    clean();
}

/* Where code of this program is in its file. */
static uint64_t offset_of(const void *code)
{
    const uint64_t address = (uint64_t)(uintptr_t)code;
    FILE *maps = fopen("/proc/self/maps", "re");
    uint64_t start, end, offset;
    char line[512];

    CHECK(maps);
    while ( fgets(line, sizeof(line), maps) )
        if ( sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end,
                    &offset) == 3 &&
             start <= address && address < end )
            break;
    CHECK(!feof(maps));
    fclose(maps);
    return address - start + offset;
}

static struct {
    char folder[32];
    const char *code; /* of the file as the child has mapped it */
    int ready;        /* a byte: whether it is in its container */
    enum kit_root kind;
} container;

static bool enter_root(void)
{
    int program = kit_enter_root(container.folder, container.kind);

    return mmap((void *)(uintptr_t)container.code, 64 << 20,
                PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, program,
                0) != MAP_FAILED;
}

static void work_in_container(void)
{
    const char there_now = enter_root();

    CHECK(write(container.ready, &there_now, 1) == 1);
    work_of_a_child();
}

static void check_container(struct agent_answer answer, const char *path)
{
    CHECK_EQ(answer.found, AGENT_NAMED);
    CHECK_TEXT(kit_text(&there, answer.symbol), "work_of_a_child");
    CHECK_TEXT(kit_text(&there, answer.path), path);
}

/* Returns whether there could be one. */
static bool ask_of_container(enum kit_root kind)
{
    const uint64_t code = offset_of((void *)(uintptr_t)work_of_a_child) + 1;
    char program[64], there_now = 0;
    int ends[2];
    pid_t child;

    setup(false);
    greet();
    strcpy(container.folder, "/tmp/xenoprof-test-XXXXXX");
    CHECK(mkdtemp(container.folder) && !pipe2(ends, O_CLOEXEC));
    container.kind = kind;
    container.code = (const char *)0x200000000000;
    container.ready = ends[1];
    child = kit_start_child(work_in_container);
    CHECK(read(ends[0], &there_now, 1) == 1);
    snprintf(program, sizeof(program), "%s/program", container.folder);
    if ( there_now )
        check_container(ask(child, perf_events_now(), container.code + code),
                        kind == KIT_JAIL ? program : "/program");
    kit_end_child(child);
    close(ends[0]);
    close(ends[1]);
    unlink(program);
    CHECK(!rmdir(container.folder));
    clean();
    return there_now;
}

/* Files are found by the process's own root: that of its container. */
TEST(processes_in_containers)
{
    if ( !ask_of_container(KIT_FOLDER) )
        test_skip("no container may be made here");
}

/* With the inode number that the kernel says was mapped, in whatever layer. */
TEST(processes_in_containers_of_layers)
{
    if ( !ask_of_container(KIT_LAYERS) )
        test_skip("no container of layers may be made here");
}

/* /proc has their paths as they are outside of it. */
TEST(processes_in_jails)
{
    if ( !ask_of_container(KIT_JAIL) )
        test_skip("no other root may be entered here");
}

/* What a process has mapped is read once for a message. */
TEST(many_questions_about_a_process)
{
    struct agent_question questions[AGENT_QUESTIONS_MAX];

    setup(false);
    greet();
    for ( unsigned int i = 0; i < AGENT_QUESTIONS_MAX; i++ )
        questions[i] = (struct agent_question){
            .time = perf_events_now(),
            .address = (uint64_t)(uintptr_t)setup,
            .tgid = (uint32_t)getpid()};
    for ( unsigned int times = 1; times < 4; times++ )
    {
        kit_where(&message, questions, AGENT_QUESTIONS_MAX);
        read_spaces = 0;
        CHECK_EQ(say().kind, AGENT_THERE);
        CHECK_EQ(read_spaces, 1);
        for ( unsigned int i = 0; i < AGENT_QUESTIONS_MAX; i++ )
            CHECK_EQ(kit_answer(&there, i).found, AGENT_NAMED);
    }
    clean();
}

/* Of processes that were asked for and have ended, which nobody saw. */
TEST(a_history_that_is_full_of_who_is_gone)
{
    static struct space_sweep sweep = {.ends_only = true};
    const char *code = (const char *)(uintptr_t)work_of_a_child + 1;
    int32_t gone = INT32_MAX;
    pid_t child;

    setup(false);
    greet();
    child = kit_start_child(work_of_a_child);
    while ( !space_history_counts(facts.history).refused )
        space_history_process(facts.history, gone--, 1, perf_events_now());
    CHECK_EQ(ask(child, perf_events_now(), code).found, AGENT_NO_PROCESS);
    facts.sweep = &sweep;
    agent_facts_read(&facts);
    check_self(ask(child, perf_events_now(), code));
    kit_end_child(child);
    clean();
}

TEST(processes_that_are_not_there)
{
    setup(false);
    greet();
    CHECK_EQ(ask(0, 1, NULL).found, AGENT_NO_PROCESS);
    CHECK_EQ(ask(-1, 1, NULL).found, AGENT_NO_PROCESS);
    CHECK_EQ(ask(INT32_MAX, 1, NULL).found, AGENT_NO_PROCESS);
    clean();
}

/* As many texts as an answer may have, as long as they may be, and what a path
 * may have that no terminal should see. */
TEST(the_longest_answer)
{
    struct agent_question questions[AGENT_QUESTIONS_MAX];
    char path[PAST_PATH_MAX];

    setup(true);
    perf_events_close(facts.events);
    greet();
    facts.events = perf_events_open();
    CHECK(facts.events);
    space_history_process(facts.history, 5000000, 1, 1);
    memset(path, 'x', sizeof(path));
    path[900] = 0;
    for ( unsigned int i = 0; i < AGENT_QUESTIONS_MAX; i++ )
    {
        const struct past_mapping mapping = {
            .start = 4096 * i, .end = 4096 * i + 4096, .since = 1};

        path[0] = '\n';
        path[1] = (char)('0' + i);
        space_history_map(facts.history, 5000000, &mapping, path);
        questions[i] = (struct agent_question){
            .time = 1, .address = 4096 * i + 1, .tgid = 5000000};
    }
    kit_where(&message, questions, AGENT_QUESTIONS_MAX);
    CHECK_EQ(say().kind, AGENT_THERE);
    kit_check_there(&there, AGENT_QUESTIONS_MAX);
    CHECK_EQ(kit_answer(&there, 63).found, AGENT_NO_FILE);
    CHECK_EQ(kit_answer(&there, 63).offset, 1);
    CHECK_EQ(strlen(kit_text(&there, kit_answer(&there, 63).path)),
             AGENT_TEXT_MAX - 1);
    CHECK_EQ(*kit_text(&there, kit_answer(&there, 63).path), '?');
    clean();
}

static struct agent_question question_of(pid_t tgid, uint64_t address)
{
    return (struct agent_question){
        .time = perf_events_now(), .address = address, .tgid = (uint32_t)tgid};
}

/* Returns the mapping that an address of a process is in; it has none: all
 * zeroes. */
static struct agent_mapping find_mapping(pid_t tgid, uint64_t address)
{
    const struct agent_question question = question_of(tgid, 0);

    kit_space_question(&message, &question);
    CHECK_EQ(say().kind, AGENT_MAPPED);
    CHECK(!over);
    kit_check_mapped(&there);
    for ( uint32_t i = 0; i < kit_head(&there).count; i++ )
    {
        struct agent_mapping mapping = kit_mapping(&there, i);

        if ( mapping.start <= address && address < mapping.end )
            return mapping;
    }
    return (struct agent_mapping){.start = 0};
}

/* Asks for a table, piece by piece.  Returns its image. */
static uint64_t get_table(pid_t tgid, uint64_t address, struct buffer *to)
{
    const size_t first = sizeof(struct agent_head) + sizeof(struct agent_table);
    struct agent_rows_question question = {question_of(tgid, address), 0};
    struct agent_table table;

    do
    {
        question.offset = to->used;
        kit_rows_question(&message, &question);
        CHECK_EQ(say().kind, AGENT_TABLE);
        CHECK(!over);
        kit_check_table(&there, question.offset);
        table = kit_table(&there);
        CHECK(buffer_append(to, (const char *)there.bytes + first,
                            there.size - first));
    } while ( to->used < table.size && there.size > first );
    CHECK_EQ(to->used, table.size);
    return table.image;
}

static void check_rows(pid_t tgid, uint64_t address)
{
    const struct agent_mapping mapping = find_mapping(tgid, address);
    struct buffer bytes = {0};
    struct row_table *table;

    CHECK(mapping.image);
    CHECK_EQ(get_table(tgid, address, &bytes), mapping.image);
    table = row_table_get(bytes.bytes, bytes.used);
    CHECK(table);
    CHECK(table->rows > 1);
    row_table_close(table);
    buffer_free(&bytes);
}

/* A program, a library, and what the kernel maps. */
TEST(what_walks_need)
{
    uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
    pid_t child;

    setup(false);
    greet();
    child = kit_start_child(work_of_a_child);
    check_rows(child, (uint64_t)(uintptr_t)work_of_a_child);
    check_rows(child, find_mapping(child, (uint64_t)(uintptr_t)qsort).start);
    if ( vdso )
        check_rows(child, vdso);
    CHECK(find_mapping(child, (uint64_t)(uintptr_t)work_of_a_child).image ==
          find_mapping(getpid(), (uint64_t)(uintptr_t)work_of_a_child).image);
    kit_end_child(child);
    CHECK(!find_mapping(child, vdso).end);
    clean();
}

TEST(what_has_no_rows)
{
    struct buffer bytes = {0};
    struct agent_rows_question beyond = {.offset = UINT64_MAX};

    setup(false);
    greet();
    CHECK_EQ(get_table(getpid(), 0, &bytes), 0);
    CHECK_EQ(get_table(INT32_MAX, 0, &bytes), 0);
    beyond.where = question_of(getpid(), (uint64_t)(uintptr_t)work_of_a_child);
    kit_rows_question(&message, &beyond);
    CHECK_EQ(say().kind, AGENT_TABLE);
    kit_check_table(&there, beyond.offset);
    clean();
}

/* Where it is put into the code of who calls it. */
__attribute__((always_inline)) static inline uint64_t inner(void)
{
    uint64_t here;

    __asm__ volatile("lea 0(%%rip), %0; nop" : "=r"(here));
    return here;
}

__attribute__((always_inline)) static inline uint64_t outer(void)
{
    return inner();
}

/* This program has to have debug information. */
TEST(inlined_functions)
{
    const unsigned int line = __LINE__ + 1;
    const uint64_t here = outer();
    struct agent_question questions[AGENT_INLINES_MAX];
    struct agent_inlined inlined;

    setup(false);
    greet();
    for ( uint32_t i = 0; i < AGENT_INLINES_MAX; i++ )
        questions[i] = question_of(getpid(), here);
    questions[1].address = (uint64_t)(uintptr_t)work_of_a_child;
    questions[2].address = 1;
    questions[3].tgid = INT32_MAX;
    kit_inlines(&message, questions, AGENT_INLINES_MAX);
    CHECK_EQ(say().kind, AGENT_INLINED);
    CHECK(!over);
    kit_check_inlined(&there, AGENT_INLINES_MAX);
    for ( uint32_t i = 0; i < AGENT_INLINES_MAX; i++ )
        CHECK(!kit_inlined(&there, i).later);
    for ( uint32_t i = 1; i <= 3; i++ )
        CHECK_EQ(kit_inlined(&there, i).levels, 0);
    inlined = kit_inlined(&there, 0);
    clean();
    if ( !inlined.levels )
        test_skip("this program has no debug information");
    CHECK_EQ(inlined.levels, 2);
    CHECK_TEXT(kit_inlined_name(&there, 0, 0), "inner");
    CHECK_TEXT(kit_inlined_name(&there, 0, 1), "outer");
    CHECK_TEXT(kit_inlined_name(&there, AGENT_INLINES_MAX - 1, 1), "outer");
    CHECK_EQ(inlined.sources[2].line, line);
    CHECK(inlined.sources[0].line < inlined.sources[1].line &&
          inlined.sources[1].line < line);
    CHECK_TEXT(basename(kit_source_path(&there, 0, 2)), "test-answers.c");
}

/* Before version 6 there were no lines, but more questions in a message. */
TEST(inlined_functions_without_lines)
{
    const uint64_t here = outer();
    struct agent_question questions[AGENT_INLINES_OLD];
    struct agent_head head;

    setup(false);
    kit_hello(&message, AGENT_VERSION_LINES - 1);
    CHECK_EQ(say().kind, AGENT_WELCOME);
    for ( uint32_t i = 0; i < AGENT_INLINES_OLD; i++ )
        questions[i] = question_of(getpid(), here);
    kit_inlines(&message, questions, AGENT_INLINES_OLD);
    head = kit_head(&message);
    head.version = AGENT_VERSION_LINES - 1;
    memcpy(message.bytes, &head, sizeof(head));
    CHECK_EQ(say().kind, AGENT_INLINED);
    kit_check_inlined(&there, AGENT_INLINES_OLD);
    if ( kit_inlined(&there, AGENT_INLINES_OLD - 1).levels )
        CHECK_TEXT(kit_inlined_name(&there, AGENT_INLINES_OLD - 1, 0), "inner");
    clean();
}

/* Who speaks the first version has no rows, and in the second one there is
 * nothing of inlined functions. */
TEST(an_older_client)
{
    const struct agent_question question = question_of(getpid(), 0);
    struct agent_head head;

    setup(false);
    kit_hello(&message, 1);
    CHECK_EQ(say().kind, AGENT_WELCOME);
    CHECK_EQ(kit_head(&there).version, 1);
    kit_space_question(&message, &question);
    CHECK_EQ(say().kind, AGENT_REFUSED);
    CHECK(over);
    kit_hello(&message, 2);
    CHECK_EQ(say().kind, AGENT_WELCOME);
    kit_inlines(&message, &question, 1);
    head = kit_head(&message);
    head.version = 2;
    memcpy(message.bytes, &head, sizeof(head));
    CHECK_EQ(say().kind, AGENT_REFUSED);
    CHECK(over);
    clean();
}

TEST(versions)
{
    setup(false);
    kit_hello(&message, AGENT_VERSION + 5);
    CHECK_EQ(say().kind, AGENT_WELCOME);
    CHECK_EQ(kit_head(&there).version, AGENT_VERSION);
    kit_hello(&message, 0);
    CHECK_EQ(say().kind, AGENT_REFUSED);
    CHECK(over);
    clean();
}

/* Whoever asks again has the clock as it is then, and goes on. */
TEST(hello_again)
{
    for ( unsigned int i = 0; i < 3; i++ )
    {
        uint64_t before = perf_events_now();
        struct agent_welcome text;

        if ( !i )
            setup(false);
        greet();
        CHECK_EQ(kit_head(&there).version, AGENT_VERSION);
        memcpy(&text, (const char *)there.bytes + sizeof(struct agent_head),
               sizeof(text));
        CHECK(before <= text.now && text.now <= perf_events_now());
        CHECK_EQ(ask(INT32_MAX, 1, NULL).found, AGENT_NO_PROCESS);
    }
    clean();
}

/* Each is refused in the same way, and ends the conversation. */
TEST(what_is_no_message)
{
    static const struct agent_question questions[AGENT_QUESTIONS_MAX + 1];
    struct agent_head head;

    setup(false);
    kit_where(&message, questions, 1); /* before HELLO */
    CHECK_EQ(say().kind, AGENT_REFUSED);
    CHECK(over);
    greet();
    kit_where(&message, questions, 0);
    CHECK_EQ(say().kind, AGENT_REFUSED);
    kit_where(&message, questions, AGENT_QUESTIONS_MAX + 1);
    CHECK_EQ(say().kind, AGENT_REFUSED);
    kit_inlines(&message, questions, 0);
    CHECK_EQ(say().kind, AGENT_REFUSED);
    kit_inlines(&message, questions, AGENT_INLINES_MAX + 1);
    CHECK_EQ(say().kind, AGENT_REFUSED);
    kit_where(&message, questions, 2);
    message.size--;
    CHECK_EQ(say().kind, AGENT_REFUSED);
    head = kit_head(&message);
    head.length--;
    memcpy(message.bytes, &head, sizeof(head));
    CHECK_EQ(say().kind, AGENT_REFUSED);
    for ( message.size = 0; message.size < sizeof(head); message.size++ )
        CHECK_EQ(say().kind, AGENT_REFUSED);
    clean();
}

/* Memory in which this process could have compiled a function, and a map that
 * says so in the form of its numbers: Java has 0x and all digits. */
static void ask_of_compiled(const char *name, bool java)
{
    char path[64], line[256];
    void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct agent_answer answer;
    FILE *file;

    CHECK(code != MAP_FAILED);
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
    snprintf(line, sizeof(line),
             java ? "0x%016lx 0x0000000000000100 %s\n" : "%lx 100 %s\n",
             (uintptr_t)code, name);
    file = fopen(path, "w");
    CHECK(file && fputs(line, file) >= 0 && !fclose(file));
    setup(false);
    greet();
    answer = ask(getpid(), perf_events_now(), (const char *)code + 5);
    CHECK_EQ(answer.found, AGENT_NAMED);
    CHECK_TEXT(kit_text(&there, answer.symbol), name);
    CHECK_TEXT(kit_text(&there, answer.path), path);
    CHECK_EQ(answer.start, (uintptr_t)code);
    CHECK_EQ(answer.address - answer.start, 5);
    answer = ask(getpid(), perf_events_now(), (const char *)code + 0x100);
    CHECK_EQ(answer.found, AGENT_NO_FILE);
    clean();
    unlink(path);
    munmap(code, 4096);
}

TEST(code_that_a_process_compiled)
{
    ask_of_compiled("JS:~work", false);
    ask_of_compiled("java.lang.Object java.util.HashMap.get(java.lang.Object)",
                    true);
    ask_of_compiled("Interpreter", true);
}

#define TEXTS "\0/prog\0/away"

/* A process with code of two files and of none. */
static void tell(uint32_t tgid, uint64_t since)
{
    const struct agent_known_mapping mappings[] = {
        {.start = 0x10000, .end = 0x10000 + (64u << 20), .path = 1},
        {.start = 0x10000000, .end = 0x10001000, .path = 7},
        {.start = 0x20000000, .end = 0x20001000},
    };

    kit_tell(&message, tgid, since, mappings, 3, TEXTS, sizeof(TEXTS));
}

/* An agent that knows of nothing but what it is told, and of the files of an
 * empty folder. */
static int setup_client(void)
{
    char folder[] = "/tmp/xenoprof-told-XXXXXX";
    int root;

    CHECK(mkdtemp(folder));
    root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    CHECK(root >= 0 && !rmdir(folder));
    talk = (struct agent_talk){0};
    facts = (struct agent_facts){
        .history = space_history_open(1 << 20, UINT64_MAX / 2),
        .files = file_names_open_below(1 << 20, root),
        .follows_clients = true};
    CHECK(facts.history && facts.files);
    return root;
}

TEST(processes_that_it_is_told_of)
{
    int root = setup_client();
    struct agent_welcome text;

    greet();
    memcpy(&text, (const char *)there.bytes + sizeof(struct agent_head),
           sizeof(text));
    CHECK_EQ(text.follows, AGENT_FOLLOWS_TOLD);
    CHECK_EQ(ask(7, 100, (const void *)0x10008ul).found, AGENT_NO_PROCESS);
    tell(7, 100);
    CHECK_EQ(say().kind, AGENT_KNOWN);
    CHECK_EQ(there.size, sizeof(struct agent_head));
    CHECK_EQ(kit_head(&there).count, 0);
    CHECK(!over);
    CHECK_EQ(ask(7, 99, (const void *)0x10008ul).found, AGENT_NO_PROCESS);
    CHECK_EQ(ask(7, 100, (const void *)8ul).found, AGENT_NO_MAPPING);
    CHECK_EQ(ask(7, 200, (const void *)0x10000008ul).found, AGENT_NO_FILE);
    CHECK_TEXT(kit_text(&there, kit_answer(&there, 0).path), "/away");
    CHECK_EQ(kit_answer(&there, 0).offset, 8);
    CHECK_EQ(find_mapping(7, 0x20000000).end, 0x20001000);
    /* This process is none of them, whatever number it has. */
    CHECK_EQ(ask(getpid(), perf_events_now(), &root).found, AGENT_NO_PROCESS);
    clean();
    close(root);
}

/* Who knows its machine's processes is told of none. */
TEST(who_is_not_to_be_told)
{
    struct agent_head head;
    int root;

    setup(false);
    greet();
    tell(7, 100);
    CHECK_EQ(say().kind, AGENT_REFUSED);
    CHECK(over);
    clean();
    root = setup_client();
    tell(7, 100); /* before HELLO */
    CHECK_EQ(say().kind, AGENT_REFUSED);
    kit_hello(&message, 3);
    CHECK_EQ(say().kind, AGENT_WELCOME);
    tell(7, 100);
    head = kit_head(&message);
    head.version = 3;
    memcpy(message.bytes, &head, sizeof(head));
    CHECK_EQ(say().kind, AGENT_REFUSED);
    greet();
    tell(7, 100);
    message.size--;
    CHECK_EQ(say().kind, AGENT_REFUSED);
    CHECK_EQ(space_history_counts(facts.history).spaces, 0);
    clean();
    close(root);
}

/* Memory of this process's like that of a Python with -X perf. */
TEST(trampolines_have_rows)
{
    const size_t size = 65536;
    char path[64];
    uint8_t *memory = mmap(NULL, 3 * size, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t code = (uint64_t)(uintptr_t)memory + size;
    struct buffer bytes = {0};
    struct agent_mapping mapping;
    struct row_table *table;
    FILE *file;

    CHECK(memory != MAP_FAILED);
    CHECK(!mprotect(memory + size, size, PROT_READ | PROT_EXEC));
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
    file = fopen(path, "w");
    CHECK(file && fprintf(file, "%lx b py::f:x.py\n", code) > 0 &&
          fprintf(file, "%lx b py::g:x.py\n", code + 16) > 0);
    CHECK(!fclose(file));
    setup(false);
    greet();
    mapping = find_mapping(getpid(), code);
    CHECK(mapping.image & AGENT_IMAGE_NO_FILE);
    CHECK_EQ(mapping.offset, 0);
    CHECK(!(find_mapping(getpid(), (uint64_t)(uintptr_t)work_of_a_child).image &
            AGENT_IMAGE_NO_FILE));
    CHECK(get_table(getpid(), code + 100, &bytes) == mapping.image);
    table = row_table_get(bytes.bytes, bytes.used);
    CHECK(table);
    CHECK_EQ(row_table_find(table, 21)->offset, 2);
    row_table_close(table);
    buffer_free(&bytes);
    clean();
    unlink(path);
    munmap(memory, 3 * size);
}
