/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The daemon and its parser: honest, lying, silent, dead. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/parser/parser.h"
#include "daemon/parser/parser-keeper.h"
#include "daemon/parser/parser-link.h"
#include "tests/harness.h"
#include "parser-stub.h"

#define BASE        0xffffffff81000000ul
#define MILLISECOND 1000000ul

/* Waits long for an answer that must come, and makes the next parser soon. */
static const struct link_limits patient = {
    2000 * MILLISECOND, 20000 * MILLISECOND, 10000 * MILLISECOND, 0};
static const struct link_limits strict = {20 * MILLISECOND, 300 * MILLISECOND,
                                          50 * MILLISECOND, 0};
static const struct link_limits soon_forgotten = {
    20 * MILLISECOND, 20000 * MILLISECOND, 10000 * MILLISECOND, 0};

static const struct link_search look = {BASE, 1 << 20, false};

static struct parser_keeper keeper;
static struct parser_maker maker;
static struct parser_link *link_now;

/* The guest: one letter for each slot, at BASE. */
static char letters[WIRE_SLOTS];
static unsigned int reads;

static size_t read_letter(void *self, uint32_t slot, uint64_t address, void *to,
                          size_t size)
{
    (void)self;
    reads++;
    memset(to, 0, size);
    if ( address == BASE )
        *(char *)to = letters[slot];
    return size;
}

static void begin(void (*run)(int, int), const struct link_limits *limits)
{
    struct failure failure;

    signal(SIGPIPE, SIG_IGN);
    parser_link_close(link_now);
    parser_keeper_stop(&keeper);
    if ( parser_keeper_start(&keeper, NULL, run, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    maker = parser_keeper_maker(&keeper);
    link_now = parser_link_open(&maker, limits);
    CHECK(link_now);
    reads = 0;
}

static enum link_status finish(enum kernel_status *code,
                               struct kernel_info *info)
{
    enum link_status answer;

    do
        answer = parser_link_work(link_now, 50 * MILLISECOND, read_letter, NULL,
                                  code, info);
    while ( answer == LINK_MORE );
    return answer;
}

static enum link_status search(uint32_t slot, char letter,
                               enum kernel_status *code,
                               struct kernel_info *info)
{
    enum link_status answer;

    letters[slot] = letter;
    answer = parser_link_find(link_now, slot, &look);
    return answer == LINK_MORE ? finish(code, info) : answer;
}

static enum link_status stack(uint32_t slot, const uint64_t *words,
                              size_t count, struct unwind_result *ret)
{
    const struct xenoprof_registers registers = {.rsp = 0x1000};
    const struct unwind_start start = {
        .ip = BASE + 5,
        .registers = &registers,
        .windows = {{0x1000, (const uint8_t *)words, count * sizeof(*words)}},
        .kernel = true,
    };

    return parser_link_stack(link_now, slot, &start, ret);
}

TEST(link_finds_names_and_walks)
{
    const uint64_t words[] = {BASE + 0x300, BASE + 0x410, 7};
    const uint64_t addresses[] = {BASE + 0x2ff, 5};
    struct unwind_result frames;
    struct wire_name names[2];
    struct kernel_info info;
    enum kernel_status code;

    begin(parser_run, &patient);
    CHECK_EQ(search(3, 'K', &code, &info), LINK_OK);
    CHECK_EQ(code, KERNEL_OK);
    CHECK_TEXT(info.release, "6.1.0-stub");
    CHECK_EQ(info.bytes_read, 100000); /* in two pieces */
    CHECK_EQ(reads, 2);
    CHECK_EQ(stack(3, words, 3, &frames), LINK_OK);
    CHECK_EQ(frames.count, 3);
    CHECK_EQ(frames.frames[2], BASE + 0x410);
    CHECK_EQ(frames.exact[0], true);
    CHECK_EQ(frames.end, UNWIND_WINDOW);
    CHECK_EQ(parser_link_names(link_now, 3, addresses, 2, names), LINK_OK);
    CHECK_TEXT(names[0].name, "function_2");
    CHECK_EQ(names[0].start, BASE + 0x200);
    CHECK(!names[0].module);
    CHECK(!names[1].name);
    CHECK_EQ(parser_link_lives(link_now), 1);
}

TEST(link_knows_nothing_of_others)
{
    const uint64_t address = BASE;
    struct kernel_info info;
    struct wire_name name;
    enum kernel_status code;

    begin(parser_run, &patient);
    CHECK_EQ(search(3, 'K', &code, &info), LINK_OK);
    CHECK_EQ(parser_link_names(link_now, 4, &address, 1, &name), LINK_OK);
    CHECK(!name.name);
    CHECK_EQ(search(4, 'x', &code, &info), LINK_OK);
    CHECK_EQ(code, KERNEL_UNKNOWN);
    CHECK_EQ(search(4, 'D', &code, &info), LINK_OK);
    CHECK_EQ(code, KERNEL_DAMAGED);
    parser_link_forget(link_now, 3);
    CHECK_EQ(parser_link_names(link_now, 3, &address, 1, &name), LINK_OK);
    CHECK(!name.name);
    CHECK_EQ(parser_link_lives(link_now), 1);
}

/* A parser that does not keep to its budget. */
TEST(link_gives_no_more_than_the_budget)
{
    const struct link_search greedy = {BASE, 1000, false};
    struct kernel_info info;
    enum kernel_status code;

    begin(parser_run, &patient);
    letters[1] = 'K';
    CHECK_EQ(parser_link_find(link_now, 1, &greedy), LINK_MORE);
    CHECK_EQ(finish(&code, &info), LINK_OK);
    CHECK_EQ(info.bytes_read, WIRE_READ_MAX);
    CHECK_EQ(reads, 1);
}

TEST(link_answers_while_it_searches)
{
    const uint64_t words[] = {BASE + 0x300};
    struct unwind_result frames;
    struct kernel_info info;
    enum kernel_status code;
    enum link_status answer;

    begin(parser_run, &patient);
    CHECK_EQ(search(1, 'K', &code, &info), LINK_OK);
    letters[2] = 'K';
    CHECK_EQ(parser_link_find(link_now, 2, &look), LINK_MORE);
    CHECK_EQ(parser_link_find(link_now, 3, &look), LINK_BUSY);
    do
        answer = stack(1, words, 1, &frames);
    while ( answer == LINK_BUSY );
    CHECK_EQ(answer, LINK_OK);
    CHECK_EQ(frames.count, 2);
    CHECK_EQ(finish(&code, &info), LINK_OK);
    CHECK_EQ(code, KERNEL_OK);
    CHECK_EQ(parser_link_lives(link_now), 1);
}

/* A guest that goes during its search costs nothing that is known of others. */
TEST(link_forgets_what_it_searches)
{
    const uint64_t address = BASE + 0x210;
    struct kernel_info info;
    enum kernel_status code;
    struct wire_name name;

    begin(parser_run, &patient);
    CHECK_EQ(search(1, 'K', &code, &info), LINK_OK);
    CHECK_EQ(parser_link_find(link_now, 2, &look), LINK_MORE);
    CHECK(parser_link_forget(link_now, 2));
    CHECK_EQ(reads, 2);
    CHECK_EQ(parser_link_names(link_now, 1, &address, 1, &name), LINK_OK);
    CHECK_TEXT(name.name, "function_2");
    CHECK_EQ(search(2, 'K', &code, &info), LINK_OK);
    CHECK_EQ(parser_link_lives(link_now), 1);
}

/* Unless the parser does not answer. */
TEST(link_forgets_what_it_searches_in_vain)
{
    struct kernel_info info;
    enum kernel_status code;

    /* Only the parser's own time may end it. */
    begin(parser_run, &soon_forgotten);
    letters[2] = 'L';
    CHECK_EQ(parser_link_find(link_now, 2, &look), LINK_MORE);
    while ( reads < 2 )
        CHECK_EQ(parser_link_work(link_now, MILLISECOND, read_letter, NULL,
                                  &code, &info),
                 LINK_MORE);
    CHECK(!parser_link_forget(link_now, 2));
    CHECK_EQ(parser_link_find(link_now, 2, &look), LINK_MORE);
    CHECK_EQ(parser_link_lives(link_now), 2);
}

TEST(link_looks_at_modules)
{
    const uint64_t address = BASE + 0x100010;
    struct kernel_info info;
    struct wire_name name;
    enum kernel_status code;

    begin(parser_run, &patient);
    CHECK_EQ(search(1, 'K', &code, &info), LINK_OK);
    CHECK_EQ(parser_link_names(link_now, 1, &address, 1, &name), LINK_OK);
    CHECK(!name.name);
    CHECK_EQ(parser_link_modules(link_now, 1, &look), LINK_MORE);
    CHECK_EQ(finish(&code, &info), LINK_OK);
    CHECK_EQ(info.modules, 1);
    CHECK_EQ(parser_link_names(link_now, 1, &address, 1, &name), LINK_OK);
    CHECK_TEXT(name.module, "driver");
}

TEST(link_answers_of_a_kernel_whose_modules_it_reads)
{
    const uint64_t address = BASE + 0x210;
    struct kernel_info info;
    struct wire_name name;
    enum kernel_status code;
    enum link_status answer;

    begin(parser_run, &patient);
    CHECK_EQ(search(1, 'K', &code, &info), LINK_OK);
    CHECK_EQ(parser_link_modules(link_now, 1, &look), LINK_MORE);
    do
        answer = parser_link_names(link_now, 1, &address, 1, &name);
    while ( answer == LINK_BUSY );
    CHECK_EQ(answer, LINK_OK);
    CHECK_TEXT(name.name, "function_2");
}

/* A file of a letter and zeroes, which may be shorter than it claims. */
static int make_file(char letter, size_t size)
{
    int file = memfd_create("kernel", MFD_CLOEXEC);

    CHECK(file >= 0 && ftruncate(file, (off_t)size) == 0);
    CHECK_EQ(pwrite(file, &letter, 1, 0), 1);
    return file;
}

TEST(link_takes_a_file)
{
    const size_t size = 200000;
    struct kernel_info info;
    enum kernel_status code;

    begin(parser_run, &patient);
    CHECK_EQ(parser_link_file(link_now, 1, &look, make_file('K', size), size),
             LINK_MORE);
    CHECK_EQ(finish(&code, &info), LINK_OK);
    CHECK_EQ(code, KERNEL_OK);
    CHECK_EQ(info.bytes_read, size);
    /* The file became shorter meanwhile. */
    CHECK_EQ(
        parser_link_file(link_now, 1, &look, make_file('K', size), 2 * size),
        LINK_MORE);
    CHECK_EQ(finish(&code, &info), LINK_OK);
    CHECK_EQ(code, KERNEL_DAMAGED);
    CHECK_EQ(parser_link_lives(link_now), 1);
}

/* A large file takes time: other guests are served meanwhile, and the search
 * may be given up. */
TEST(link_takes_a_file_in_pieces)
{
    const size_t size = 64u << 20;
    const uint64_t words[] = {BASE + 0x300};
    const int file = make_file('K', size);
    struct unwind_result frames;
    struct kernel_info info;
    enum kernel_status code;

    begin(parser_run, &patient);
    CHECK_EQ(search(1, 'K', &code, &info), LINK_OK);
    CHECK_EQ(parser_link_file(link_now, 2, &look, file, size), LINK_MORE);
    for ( int i = 0; i < 3; i++ )
    {
        CHECK_EQ(parser_link_work(link_now, 0, read_letter, NULL, &code, &info),
                 LINK_MORE);
        CHECK_EQ(lseek(file, 0, SEEK_CUR), (i + 1) * WIRE_READ_MAX);
        CHECK_EQ(stack(1, words, 1, &frames), LINK_OK);
        CHECK_EQ(frames.count, 2);
    }
    CHECK(parser_link_forget(link_now, 2));
    CHECK_EQ(lseek(file, 0, SEEK_CUR), -1); /* closed */
    CHECK_EQ(stack(1, words, 1, &frames), LINK_OK);
    CHECK_EQ(frames.count, 2);
    CHECK_EQ(search(2, 'K', &code, &info), LINK_OK);
    CHECK_EQ(parser_link_lives(link_now), 1);
}

TEST(link_ends_a_parser_that_goes_wrong)
{
    static const char wrong[] = {'L', 'C', 'F'};
    struct kernel_info info;
    enum kernel_status code;

    for ( size_t i = 0; i < sizeof(wrong); i++ )
    {
        begin(parser_run, wrong[i] == 'L' ? &strict : &patient);
        CHECK_EQ(search(1, wrong[i], &code, &info), LINK_DIED);
        /* The next one knows nothing, and works. */
        parser_link_close(link_now);
        link_now = parser_link_open(&maker, &patient);
        CHECK_EQ(search(2, 'K', &code, &info), LINK_OK);
        CHECK_EQ(code, KERNEL_OK);
    }
}

TEST(link_survives_a_stack_that_kills)
{
    const uint64_t words[] = {BASE + 0x300};
    struct unwind_result frames;
    struct kernel_info info;
    enum kernel_status code;

    begin(parser_run, &patient);
    CHECK_EQ(search(1, 'S', &code, &info), LINK_OK);
    CHECK_EQ(stack(1, words, 1, &frames), LINK_DIED);
    CHECK_EQ(stack(1, words, 1, &frames), LINK_OK);
    CHECK_EQ(frames.count, 1);
    CHECK_EQ(parser_link_lives(link_now), 2);
}

TEST(link_pauses_after_a_death)
{
    const struct link_limits slow = {2000 * MILLISECOND, 20000 * MILLISECOND,
                                     10000 * MILLISECOND,
                                     3600000 * MILLISECOND};
    const uint64_t words[] = {BASE + 0x300};
    struct unwind_result frames;
    struct kernel_info info;
    enum kernel_status code;

    begin(parser_run, &slow);
    CHECK_EQ(search(1, 'C', &code, &info), LINK_DIED);
    CHECK_EQ(stack(1, words, 1, &frames), LINK_NONE);
    CHECK_EQ(parser_link_find(link_now, 1, &look), LINK_NONE);
}

/* Returns the exit status of a process that does this under the daemon's
 * filter. */
static int ends_filtered(void (*act)(void))
{
    struct failure failure;
    int status = 0;
    pid_t pid;

    begin(parser_run, &patient);
    pid = fork();
    if ( pid == 0 )
    {
        if ( prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
             privileges_filter(&failure) )
            syscall(SYS_exit_group, 99);
        act();
        syscall(SYS_exit_group, 0);
    }
    CHECK(pid > 0);
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void search_and_lose(void)
{
    const uint64_t words[] = {BASE + 0x300};
    struct unwind_result frames;
    struct kernel_info info;
    enum kernel_status code;

    if ( search(1, 'S', &code, &info) != LINK_OK ||
         stack(1, words, 1, &frames) != LINK_DIED ||
         search(1, 'K', &code, &info) != LINK_OK ||
         stack(1, words, 1, &frames) != LINK_OK )
        syscall(SYS_exit_group, 1);
    parser_link_close(link_now);
}

TEST(link_works_behind_the_daemons_filter)
{
    CHECK_EQ(ends_filtered(search_and_lose), 0);
}

/* Children that are not ours ---------------------------------------------- */

static struct wire_message lie;
static int in, out;

static bool read_in(void *self, void *to, size_t size)
{
    (void)self;
    return read(in, to, size) == (ssize_t)size;
}

static bool write_out(void *self, const void *from, size_t size)
{
    (void)self;
    return write(out, from, size) == (ssize_t)size;
}

static const struct wire raw = {read_in, write_out, NULL};

/* Reads one request, then answers with what the test prepared. */
static void tell_the_lie(int requests, int answers)
{
    static struct wire_message request;

    in = requests;
    out = answers;
    wire_receive(&raw, &request);
    write_out(NULL, &lie, sizeof(lie.head) + lie.head.length);
    wire_receive(&raw, &request);
}

static void say_nothing(int requests, int answers)
{
    static struct wire_message request;

    in = requests;
    (void)answers;
    while ( wire_receive(&raw, &request) )
        continue;
}

/* The first bytes of what the test prepared. */
static size_t told;

static void die_in_the_middle(int requests, int answers)
{
    static struct wire_message request;

    in = requests;
    out = answers;
    wire_receive(&raw, &request);
    write_out(NULL, &lie, told);
}

/* It always sends something, and never ends. */
static void drip(int requests, int answers)
{
    static struct wire_message request;
    char byte = 0;

    in = requests;
    out = answers;
    wire_receive(&raw, &request);
    write_out(NULL, &lie.head, sizeof(lie.head));
    while ( write_out(NULL, &byte, 1) )
        for ( volatile unsigned int i = 0; i < 3000000; i++ )
            continue;
}

static void prepare(enum wire_kind kind, const void *bytes, size_t size)
{
    wire_begin(&lie);
    wire_add(&lie, bytes, size);
    lie.head.magic = WIRE_MAGIC;
    lie.head.kind = (uint8_t)kind;
    lie.head.slot = 1;
    lie.head.reserved = 0;
}

static enum link_status ask_stack(void)
{
    struct unwind_result frames;

    return stack(1, NULL, 0, &frames);
}

TEST(link_takes_only_frames_that_may_be)
{
    struct {
        struct wire_frames head;
        uint64_t addresses[GUEST_FRAMES_MAX + 1];
        uint8_t exact[GUEST_FRAMES_MAX + 1];
    } full = {{1, UNWIND_ROOT}, {BASE + 5}, {0}};
    const size_t one = sizeof(full.head) + 9;
    static const struct wire_frames none = {0, UNWIND_ROOT};

    prepare(WIRE_FRAMES, &full, one);
    begin(tell_the_lie, &patient);
    CHECK_EQ(ask_stack(), LINK_OK);

    full.addresses[0]++; /* another leaf */
    prepare(WIRE_FRAMES, &full, one);
    begin(tell_the_lie, &patient);
    CHECK_EQ(ask_stack(), LINK_DIED);

    full.addresses[0]--;
    full.head.end = UNWIND_ENDS;
    prepare(WIRE_FRAMES, &full, one);
    begin(tell_the_lie, &patient);
    CHECK_EQ(ask_stack(), LINK_DIED);

    full.head = (struct wire_frames){GUEST_FRAMES_MAX + 1, UNWIND_ROOT};
    prepare(WIRE_FRAMES, &full, sizeof(full.head) + 9 * full.head.count);
    begin(tell_the_lie, &patient);
    CHECK_EQ(ask_stack(), LINK_DIED);

    prepare(WIRE_FRAMES, &none, sizeof(none));
    begin(tell_the_lie, &patient);
    CHECK_EQ(ask_stack(), LINK_DIED);
}

TEST(link_takes_only_messages_that_may_be)
{
    const struct {
        struct wire_frames head;
        uint64_t address;
        uint8_t exact;
    } __attribute__((packed)) good = {{1, UNWIND_ROOT}, BASE + 5, 1};
    const struct wire_read read_request = {BASE, 10};
    struct wire_head *head = &lie.head;

    for ( unsigned int i = 0; i < 8; i++ )
    {
        prepare(WIRE_FRAMES, &good, sizeof(good));
        switch ( i )
        {
        case 0: head->magic++; break;
        case 1: head->kind = WIRE_KINDS; break;
        case 2: head->kind = 0; break;
        case 3: head->slot = WIRE_SLOTS; break;
        case 4: head->slot = 2; break;
        case 5: head->reserved = 1; break;
        case 6: head->kind = WIRE_STACK; break;
        /* Nobody looks for a kernel: nothing is to be read. */
        case 7: prepare(WIRE_READ, &read_request, sizeof(read_request)); break;
        }
        begin(tell_the_lie, &patient);
        if ( ask_stack() != LINK_DIED )
            test_fail(__FILE__, __LINE__, "lie %u was believed", i);
    }
}

TEST(link_sees_a_parser_die_in_the_middle)
{
    static const uint8_t much[WIRE_READ_MAX];
    const size_t lengths[] = {7, sizeof(lie.head), sizeof(lie.head) + 7,
                              sizeof(lie.head) + 10000};

    for ( size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++ )
    {
        prepare(WIRE_FRAMES, much, sizeof(much));
        told = lengths[i];
        begin(die_in_the_middle, &patient);
        CHECK_EQ(ask_stack(), LINK_DIED);
    }
}

TEST(link_takes_only_names_that_may_be)
{
    static const struct {
        uint64_t start, end;
        const char *name;
        bool good;
    } cases[] = {
        {BASE, 0, "vfs_read", true},
        {BASE, BASE + 9, "vfs_read", true},
        {BASE + 1, 0, "vfs_read", false},
        {BASE - 9, BASE - 1, "vfs_read", false},
        {BASE, 0, "vfs\033read", false},
        {BASE, 0, "vfs read", false},
        {BASE, 0, "vfs\nread", false},
        {BASE, 0, "vfs\377", false},
    };
    const uint64_t address = BASE;

    for ( size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++ )
    {
        struct wire_entry entry = {cases[i].start, cases[i].end,
                                   (uint32_t)strlen(cases[i].name) + 1, 0};
        char text[16] = "";
        struct wire_name name;

        strcpy(text, cases[i].name);
        prepare(WIRE_NAMES, &entry, sizeof(entry));
        wire_add(&lie, text, (entry.name_size + 7) & ~7u);
        begin(tell_the_lie, &patient);
        if ( parser_link_names(link_now, 1, &address, 1, &name) !=
             (cases[i].good ? LINK_OK : LINK_DIED) )
            test_fail(__FILE__, __LINE__, "name %zu is taken wrongly", i);
    }
}

TEST(link_takes_only_facts_that_may_be)
{
    struct kernel_info info, got;
    enum kernel_status code;

    for ( int i = 0; i < 5; i++ )
    {
        memset(&info, 0, sizeof(info));
        strcpy(info.release, i == 1 ? "6.1\033[2J" : "6.1");
        if ( i == 2 )
            memset(info.release, 'x', sizeof(info.release));
        info.build_id_length = i == 3 ? 21 : 20;
        prepare(WIRE_FOUND, &info, sizeof(info));
        lie.head.code = i == 4 ? KERNEL_NO_MEMORY + 1 : KERNEL_OK;
        begin(tell_the_lie, &patient);
        CHECK_EQ(search(1, 'K', &code, &got), i ? LINK_DIED : LINK_OK);
    }
}

TEST(link_does_not_read_more_than_it_may)
{
    const struct wire_read large = {BASE, WIRE_READ_MAX + 1}, none = {BASE, 0};
    struct kernel_info info;
    enum kernel_status code;

    prepare(WIRE_READ, &large, sizeof(large));
    begin(tell_the_lie, &patient);
    CHECK_EQ(search(1, 'K', &code, &info), LINK_DIED);
    prepare(WIRE_READ, &none, sizeof(none));
    begin(tell_the_lie, &patient);
    CHECK_EQ(search(1, 'K', &code, &info), LINK_DIED);
    CHECK_EQ(reads, 0);
}

TEST(link_does_not_wait_for_ever)
{
    struct kernel_info info;
    enum kernel_status code;

    static const uint8_t much[WIRE_READ_MAX];

    begin(say_nothing, &strict);
    CHECK_EQ(ask_stack(), LINK_DIED);
    prepare(WIRE_FRAMES, much, sizeof(much));
    begin(drip, &strict);
    CHECK_EQ(ask_stack(), LINK_DIED);
    begin(say_nothing, &strict);
    CHECK_EQ(search(1, 'K', &code, &info), LINK_DIED);
    parser_link_close(link_now);
    link_now = NULL;
    parser_keeper_stop(&keeper);
}
