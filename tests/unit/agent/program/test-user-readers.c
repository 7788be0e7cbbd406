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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/program/reader-process.h"
#include "agent/program/user-readers.h"
#include "base/clock.h"
#include "daemon/parser/file-packet.h"
#include "daemon/parser/process-words.h"
#include "tests/harness.h"
#include "tests/unit/daemon/parser/process-kit.h"

#define SECOND 1000000000ull
#define HONEST 1000u
#define BAD    1001u

static struct user_readers readers;
static struct file_reader reader;
static struct forked_processes forked;
static struct file_answer said;

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
        lie.levels = INLINED_MAX + 1;
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
    const uint64_t word = WORD_READY;
    struct pollfd asked = {.fd = socket, .events = POLLIN};
    struct file_question question;
    int files[PACKET_FILES_MAX];
    struct stat status;
    unsigned int count;

    poll(&asked, 1, -1);
    if ( recv(socket, &question, sizeof(question), MSG_PEEK) < 0 ||
         question.offset >= DEEDS || !question.offset )
        reader_process_run(order, socket);
    dup2(socket, SANDBOX_IN);
    dup2(socket, SANDBOX_OUT);
    if ( write(SANDBOX_OUT, &word, sizeof(word)) > 0 &&
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

/* It costs him his names, and others none; nor do they wait long. */
static void misbehave(enum deed deed)
{
    uint64_t began, longest = 0, took;
    enum file_found found;

    begin(read_or_misbehave);
    for ( unsigned int i = 1; i <= READER_STRIKES_MAX; i++ )
    {
        const ino_t file = 100 + i;

        do
        {
            began = monotonic_now();
            found = ask(BAD, file, FILE_FUNCTION, deed);
            took = monotonic_now() - began;
            longest = took > longest ? took : longest;
            check_honest();
            usleep(20000);
        } while ( found == FILE_LATER );
        CHECK_EQ(found, FILE_TOO_DEAR);
        CHECK_EQ(reader.refused(reader.self), i);
        /* Not again. */
        CHECK_EQ(ask(BAD, file, FILE_FUNCTION, deed), FILE_TOO_DEAR);
        CHECK_EQ(forked.made, i + 1);
    }
    /* What is his has no names any more, nor processes. */
    CHECK_EQ(ask(BAD, 200, FILE_FUNCTION, find_offset()), FILE_TOO_DEAR);
    CHECK_EQ(forked.made, READER_STRIKES_MAX + 1);
    printf("# waited %.0f ms at most\n", (double)longest / 1e6);
    CHECK(longest < 5 * SECOND); /* a client waits for 10 */
    check_honest();
    /* Somebody new asks. */
    reader.begin_anew(reader.self);
    CHECK_EQ(ask_on(BAD, 101, FILE_FUNCTION, find_offset()), FILE_FOUND);
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
    for ( unsigned int i = 0; i < READERS_MAX; i++ )
        readers.readers[i].known = true; /* there are no others */
    CHECK_EQ(ask_on(4, 1, FILE_FUNCTION, find_offset()), FILE_FOUND);
    user_readers_close(&readers);
}
