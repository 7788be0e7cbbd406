/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of users who mean no good, beside those of one who does: read by
 * processes in their cage, as opagent has them.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/program/reader-process.h"
#include "agent/program/user-readers.h"
#include "base/clock.h"
#include "cage/file-packet.h"
#include "cage/process-words.h"
#include "tests/harness.h"
#include "tests/unit/cage/process-kit.h"

#define SECOND 1000000000ull
#define HONEST 1000u
#define BAD    1001u

static struct user_readers readers;
static struct file_reader reader;
static struct forked_processes forked;
static struct file_answer said;

/* A process whose clock says HURRY times what it has worked, so that it has
 * soon worked as long as none may. */
#define HURRY       10u
#define ALL_OF_THEM (-1)
static pid_t hurried; /* 0: none */

int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
    int status = __real_clock_gettime(clock, ret);
    clockid_t its;
    uint64_t ns;

    if ( clock >= 0 || !hurried || status )
        return status; /* it is not another process's */
    if ( hurried != ALL_OF_THEM &&
         (clock_getcpuclockid(hurried, &its) || its != clock) )
        return status;
    ns = HURRY * ((uint64_t)ret->tv_sec * SECOND + (uint64_t)ret->tv_nsec);
    ret->tv_sec = (time_t)(ns / SECOND);
    ret->tv_nsec = (long)(ns % SECOND);
    return 0;
}

/* What a file of the hostile user does to the process that reads it: here as
 * the offset that is asked for says. */
enum deed { HANG = 1, CRASH, LIE, WANT_DEBUG, DEEDS };

static void do_it(enum deed deed)
{
    static struct file_answer lie;

    switch ( deed )
    {
    case HANG: process_burn(); break;
    case CRASH: syscall(SYS_exit_group, 0); break;
    case LIE:
        lie.found = FILE_FOUND;
        lie.frames = FILE_FRAMES_MAX + 1;
        break;
    default: lie.found = FILE_WANTS_DEBUG; break;
    }
    lie.number = 1;
    while ( write(SANDBOX_OUT, &lie, file_answer_size(&lie)) > 0 )
        continue;
    syscall(SYS_exit_group, 0);
}

/* As reader_process_run(), until it is asked about such a file. */
static void read_or_misbehave(const struct process_order *order, int socket)
{
    struct pollfd asked = {.fd = socket, .events = POLLIN};
    struct file_question question;
    int files[PACKET_FILES_MAX];
    struct stat status;
    unsigned int count;

    poll(&asked, 1, -1);
    if ( recv(socket, &question, sizeof(question), MSG_PEEK) < 0 ||
         question.offset >= DEEDS || !question.offset )
        reader_process_run(order, socket);
    if ( forked_begin(socket) &&
         file_packet_receive(SANDBOX_IN, &question, sizeof(question), files,
                             &count) &&
         count && !fstat(files[0], &status) )
        do_it((enum deed)question.offset);
}

static void begin(process_act act)
{
    struct process_maker maker;

    forked = (struct forked_processes){.act = act};
    maker = forking_maker(&forked);
    reader = user_readers_open(&readers, &maker);
}

/* Asks about this program, as a file of that user's with that number. */
static enum file_found ask(uid_t user, ino_t inode, enum file_asks asks,
                           uint64_t offset)
{
    const struct stat status = {.st_uid = user, .st_ino = inode, .st_dev = 7};
    const struct file_question question = {
        .asks = asks, .offset = offset, .steps = UINT64_MAX};

    reader.ask(reader.self, open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
               &status, &question, &said);
    CHECK(said.found < FILE_WANTS_DEBUG);
    return (enum file_found)said.found;
}

/* Asks again while it is said to come. */
static enum file_found ask_on(uid_t user, ino_t inode, enum file_asks asks,
                              uint64_t offset)
{
    uint64_t began = monotonic_now();
    enum file_found found;

    while ( (found = ask(user, inode, asks, offset)) == FILE_LATER )
    {
        CHECK(monotonic_now() - began < 120 * SECOND);
        usleep(10000);
    }
    return found;
}

/* 0: he has none. */
static pid_t process_of(uid_t user)
{
    for ( unsigned int i = 0; i < READERS_MAX; i++ )
        if ( readers.readers[i].alive && readers.readers[i].user == user )
            return forked.pids[readers.readers[i].link.number];
    return 0;
}

/* Its process goes, without its fault. */
static void user_readers_end(uid_t user)
{
    pid_t process = process_of(user);

    if ( process )
        kill(process, SIGKILL);
    for ( uint64_t began = monotonic_now(); process_of(user); )
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        reader.look(reader.self);
    }
}

__attribute__((noinline)) static uint64_t known_function(void)
{
    return (uint64_t)(uintptr_t)known_function;
}

/* Where in this program's file that is. */
static uint64_t find_offset(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    unsigned long start, end, offset, found = 0;
    char line[512];

    CHECK(maps);
    while ( fgets(line, sizeof(line), maps) )
        if ( sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
             start <= known_function() && known_function() < end )
            found = offset + (known_function() - start);
    fclose(maps);
    CHECK(found);
    return found;
}

static void check_honest(void)
{
    CHECK_EQ(ask_on(HONEST, 1, FILE_FUNCTION, find_offset()), FILE_FOUND);
    CHECK_TEXT(said.function.name, "known_function");
}

TEST(what_files_say)
{
    uint64_t table, whole = 0;

    begin(reader_process_run);
    check_honest();
    CHECK_EQ(ask_on(HONEST, 1, FILE_ROWS, 0), FILE_FOUND);
    table = said.table;
    CHECK(table > FILE_PIECE_MAX / 16);
    for ( whole = said.piece; whole < table; whole += said.piece )
    {
        CHECK_EQ(ask_on(HONEST, 1, FILE_ROWS, whole), FILE_FOUND);
        CHECK(said.piece && said.table == table);
    }
    CHECK_EQ(ask_on(HONEST, 1, FILE_INLINED, find_offset()), FILE_FOUND);
    CHECK_EQ(forked.made, 1);
    CHECK(reader.bytes(reader.self) > 1000);
    CHECK(reader.cpu(reader.self) > 0);
    CHECK_EQ(reader.refused(reader.self), 0);
    user_readers_close(&readers);
}

/* Of all that a program does in a function, only the first place needs the
 * process. */
TEST(a_function_is_asked_for_once)
{
    uint64_t offset = find_offset(), address;

    begin(reader_process_run);
    check_honest();
    address = said.function.address;
    user_readers_end(HONEST);
    CHECK_EQ(ask(HONEST, 1, FILE_FUNCTION, offset + 1), FILE_FOUND);
    CHECK_TEXT(said.function.name, "known_function");
    CHECK_EQ(said.function.address, address + 1);
    CHECK_EQ(said.function.start, address);
    CHECK_EQ(forked.made, 1);
    CHECK_EQ(ask_on(HONEST, 1, FILE_FUNCTION, offset - 1), FILE_FOUND);
    CHECK(strcmp(said.function.name, "known_function"));
    CHECK_EQ(ask_on(HONEST, 2, FILE_FUNCTION, offset), FILE_FOUND);
    CHECK_EQ(forked.made, 2);
    user_readers_close(&readers);
}

/* He has no more names for a while, and others have. */
TEST(a_user_whose_files_took_much)
{
    begin(reader_process_run);
    CHECK_EQ(ask_on(BAD, 1, FILE_FUNCTION, find_offset()), FILE_FOUND);
    for ( unsigned int i = 0; i < READERS_MAX; i++ )
        if ( readers.readers[i].known && readers.readers[i].user == BAD )
            readers.readers[i].worked = READER_WORK * readers.slowness +
                                        10 * SECOND;
    CHECK_EQ(ask(BAD, 2, FILE_FUNCTION, find_offset()), FILE_TOO_DEAR);
    CHECK_EQ(ask(BAD, 2, FILE_ROWS, 0), FILE_LATER);
    CHECK_EQ(ask(BAD, 1, FILE_FUNCTION, find_offset()), FILE_FOUND);
    check_honest();
    CHECK_EQ(ask_on(0, 1, FILE_FUNCTION, find_offset()), FILE_FOUND);
    user_readers_close(&readers);
}

/* It costs him that file's names, and others none; nor do they wait long. */
static void misbehave(enum deed deed)
{
    uint64_t began, longest = 0, took;
    enum file_found found;

    begin(read_or_misbehave);
    CHECK_EQ(ask_on(BAD, 1, FILE_FUNCTION, find_offset()), FILE_FOUND);
    user_readers_end(BAD); /* as if it had been asked for others */
    do
    {
        began = monotonic_now();
        found = ask(BAD, 100, FILE_FUNCTION, deed);
        took = monotonic_now() - began;
        hurried = process_of(BAD);
        longest = took > longest ? took : longest;
        check_honest();
        usleep(20000);
    } while ( found == FILE_LATER );
    hurried = 0;
    CHECK_EQ(found, FILE_TOO_DEAR);
    CHECK_EQ(reader.refused(reader.self), 1);
    /* Not again. */
    CHECK_EQ(ask(BAD, 100, FILE_FUNCTION, deed), FILE_TOO_DEAR);
    CHECK_EQ(forked.made, 3);
    /* What was known is; so is what is read anew. */
    CHECK_EQ(ask(BAD, 1, FILE_FUNCTION, find_offset()), FILE_FOUND);
    CHECK_EQ(forked.made, 3);
    CHECK_EQ(ask_on(BAD, 2, FILE_FUNCTION, find_offset()), FILE_FOUND);
    CHECK_EQ(forked.made, 4);
    printf("# waited %.0f ms at most\n", (double)longest / 1e6);
    CHECK(longest < 5 * SECOND); /* a client waits for 10 */
    /* Somebody new asks. */
    reader.begin_anew(reader.self);
    CHECK_EQ(ask_on(BAD, 100, FILE_FUNCTION, find_offset()), FILE_FOUND);
    user_readers_close(&readers);
}

/* He who asks first waits for a moment. */
TEST(nobody_waits_long)
{
    uint64_t began;

    begin(read_or_misbehave);
    began = monotonic_now();
    CHECK_EQ(ask(BAD, 100, FILE_FUNCTION, HANG), FILE_LATER);
    CHECK(monotonic_now() - began < 5 * SECOND);
    user_readers_close(&readers);
}

TEST(a_file_that_takes_for_ever)
{
    misbehave(HANG);
}

TEST(a_file_that_ends_its_reader)
{
    misbehave(CRASH);
}

TEST(a_file_that_takes_its_reader_over)
{
    misbehave(LIE);
}

TEST(a_reader_that_wants_debug_files_for_ever)
{
    misbehave(WANT_DEBUG);
}

/* Who has many users' files be read costs the one that was not asked for
 * longest its process, and nothing else. */
TEST(more_users_than_processes)
{
    begin(reader_process_run);
    CHECK(sizeof(forked.pids) / sizeof(forked.pids[0]) < READERS_MAX);
    for ( uid_t user = 1; user <= 3; user++ )
        CHECK_EQ(ask_on(user, 1, FILE_FUNCTION, find_offset()), FILE_FOUND);
    CHECK_EQ(forked.made, 3);
    for ( unsigned int i = 1; i < READERS_MAX; i++ )
        readers.readers[i].known = true; /* there are no others */
    CHECK_EQ(ask_on(4, 1, FILE_FUNCTION, find_offset()), FILE_FOUND);
    user_readers_close(&readers);
}

/* A slow machine --------------------------------------------------------- */

/* What readers have read, by the number of the file, which is the offset that
 * is asked for, and how often. */
static unsigned int *reads;

/* ms of work that an answer takes, and before the first one of a file. */
static unsigned int slow_answer = 120;
static unsigned int slow_read = 400;

/* By its clock, which hurries. */
static void work(unsigned int ms)
{
    uint64_t began = clock_read(CLOCK_PROCESS_CPUTIME_ID);

    while ( HURRY * (clock_read(CLOCK_PROCESS_CPUTIME_ID) - began) <
            ms * 1000000ull )
        continue;
}

/* A reader that takes its time, and hangs at one file of the hostile user. */
#define HANGING 31u
static void read_slowly(const struct process_order *order, int socket)
{
    static struct file_answer answer;
    struct file_question question;
    int files[PACKET_FILES_MAX];
    unsigned int count, known = 0;

    (void)order;
    if ( !forked_begin(socket) )
        return;
    while ( file_packet_receive(SANDBOX_IN, &question, sizeof(question), files,
                                &count) )
    {
        const unsigned int file = (unsigned int)question.offset % 32;

        close(count ? files[0] : -1);
        if ( file == HANGING )
            process_burn();
        if ( !(known & 1u << file) )
        {
            reads[file]++;
            work(slow_read);
        }
        known |= 1u << file;
        work(slow_answer);
        usleep(slow_answer * 1000); /* that is what others wait for */
        answer.number = question.number;
        answer.found = FILE_FOUND;
        snprintf(answer.function.name, sizeof(answer.function.name), "at_%lu",
                 question.offset);
        if ( write(SANDBOX_OUT, &answer, file_answer_size(&answer)) < 0 )
            return;
    }
}

static void begin_slowly(unsigned int slowness)
{
    reads = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                 -1, 0);
    CHECK(reads != MAP_FAILED);
    begin(read_slowly);
    hurried = ALL_OF_THEM;
    readers.slowness = slowness;
}

static void end_slowly(void)
{
    user_readers_close(&readers);
    hurried = 0;
    munmap(reads, 4096);
}

/* Waits until a process has something to say, as opagent does. */
static void sleep_on(void)
{
    struct pollfd wakes = {.fd = reader.fd, .events = POLLIN};

    poll(&wakes, 1, 50);
    reader.look(reader.self);
}

/* Asks all of these, again and again as xenoprofd does, until there is no
 * answer to come.  Returns how many have a name. */
struct address {
    uid_t user;
    ino_t file; /* below 32 */
    uint64_t function;
};

static unsigned int name_all(const struct address *all, unsigned int count,
                             enum file_found *found)
{
    uint64_t began = monotonic_now();
    unsigned int named = 0, later = count;
    char name[ELF_NAME_MAX];

    for ( unsigned int i = 0; i < count; i++ )
        found[i] = FILE_LATER;
    for ( ; later; sleep_on() )
    {
        CHECK(monotonic_now() - began < 600 * SECOND);
        later = 0;
        for ( unsigned int i = 0; i < count; i++ )
        {
            const uint64_t offset = all[i].file + 32 * all[i].function;

            if ( found[i] != FILE_LATER )
                continue;
            found[i] = ask(all[i].user, all[i].file, FILE_FUNCTION, offset);
            later += found[i] == FILE_LATER;
            snprintf(name, sizeof(name), "at_%lu", offset);
            if ( found[i] == FILE_FOUND )
                CHECK_TEXT(said.function.name, name);
            named += found[i] == FILE_FOUND;
        }
    }
    printf("# %.1f s\n", (double)(monotonic_now() - began) / 1e9);
    return named;
}

/* A file takes longer than one may on another machine. */
TEST(a_slow_machine)
{
    struct address all[24];
    enum file_found found[24];

    begin_slowly(50);
    for ( unsigned int i = 0; i < 24; i++ )
        all[i] = (struct address){i % 2 ? HONEST : 0, 1 + i % 4, i};
    CHECK_EQ(name_all(all, 24, found), 24);
    for ( unsigned int file = 1; file <= 4; file++ )
        CHECK_EQ(reads[file], 1);
    CHECK_EQ(forked.made, 2);
    CHECK_EQ(reader.refused(reader.self), 0);
    end_slowly();
}

/* Asks for 64 functions of a file, each of which takes so many ms.  Returns how
 * many are named at once. */
static unsigned int ask_many(uid_t user, unsigned int each, uint64_t *took)
{
    unsigned int named = 0;

    slow_answer = each;
    begin_slowly(50);
    *took = monotonic_now();
    for ( uint64_t i = 0; i < 64; i++ )
        named += ask(user, 1, FILE_FUNCTION, 1 + 32 * i) == FILE_FOUND;
    *took = monotonic_now() - *took;
    end_slowly();
    slow_answer = 120;
    return named;
}

/* What is quick on such a machine is waited for, of root's files: a message is
 * not asked again and again.  It ends before who asks gives up on opagent, also
 * where each answer is just quick enough. */
TEST(quick_answers_of_a_slow_machine)
{
    uint64_t took;

    CHECK(ask_many(0, 40, &took) >= 8);
    CHECK(took < 5 * SECOND);
    ask_many(0, 200, &took);
    CHECK(took < 5 * SECOND);
}

TEST(users_are_not_waited_for_longer_on_a_slow_machine)
{
    uint64_t took;

    CHECK_EQ(ask_many(BAD, 40, &took), 0);
    CHECK(took < SECOND);
}

/* It is what the file costs by this machine's speed that counts. */
TEST(a_file_that_takes_long_on_a_slow_machine)
{
    const struct address one = {HONEST, 1, 1};
    enum file_found found;

    begin_slowly(1 + (unsigned int)(3 * READER_QUESTION_MAX / SECOND));
    slow_read = 6000;
    CHECK_EQ(name_all(&one, 1, &found), 1);
    CHECK_EQ(reads[1], 1);
    end_slowly();
    slow_read = 400;
}

/* One user's file never ends; the rest of his, and others', are read once, and
 * answered meanwhile: each answer takes longer than anybody waits. */
TEST(a_hostile_file_on_a_slow_machine)
{
    struct address all[26];
    enum file_found found[26];

    begin_slowly(2);
    for ( unsigned int i = 0; i < 24; i++ )
        all[i] = (struct address){i % 2 ? HONEST : 0, 1 + i % 4, i};
    all[24] = (struct address){BAD, HANGING, 1};
    all[25] = (struct address){BAD, 10, 1};
    CHECK_EQ(ask(BAD, HANGING, FILE_FUNCTION, HANGING + 32), FILE_LATER);
    CHECK_EQ(name_all(all, 24, found), 24);
    CHECK_EQ(name_all(all + 24, 2, found + 24), 1);
    CHECK_EQ(found[24], FILE_TOO_DEAR);
    CHECK_EQ(reader.refused(reader.self), 1);
    for ( unsigned int file = 1; file <= 4; file++ )
        CHECK_EQ(reads[file], 1);
    CHECK_EQ(reads[10], 1);
    end_slowly();
}
