/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process in the parser's sandbox can do, and what kills it. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cage/parser-sandbox.h"
#include "tests/harness.h"

#define MEMORY (64ul << 20)

/* Not declared noreturn: sanitizers make system calls of their own before a
 * call of such a function. */
static void leave(int status)
{
    syscall(SYS_exit_group, status);
}

static bool for_files; /* it is one that is sent files */

static int enter(int in, int out)
{
    return for_files ? sandbox_enter_for_files(out, MEMORY)
                     : sandbox_enter(in, out, MEMORY);
}

/* How a process ends that does this in the sandbox. */
static int ends(void (*act)(void))
{
    int pipes[4], status;
    pid_t pid;

    CHECK(pipe(pipes) == 0 && pipe(pipes + 2) == 0);
    CHECK_EQ(write(pipes[1], "x", 1), 1);
    pid = fork();
    if ( pid == 0 )
    {
        if ( enter(pipes[0], pipes[3]) )
            leave(99);
        act();
        leave(0);
    }
    CHECK(pid > 0);
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    for ( int i = 0; i < 4; i++ )
        close(pipes[i]);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void do_its_work(void)
{
    char byte, *memory, *more;

    if ( read(SANDBOX_IN, &byte, 1) != 1 || byte != 'x' ||
         write(SANDBOX_OUT, &byte, 1) != 1 )
        leave(1);
    memory = malloc(8 << 20);
    more = memory ? realloc(memory, 32 << 20) : NULL;
    if ( !more )
        leave(2);
    memset(more, 1, 32 << 20);
    free(more);
}

/* As musl's malloc() takes memory. */
static void reserve_and_use(void)
{
    char *memory = (char *)syscall(SYS_mmap, 0, 65536, PROT_NONE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if ( memory == MAP_FAILED ||
         syscall(SYS_mprotect, memory, 4096, PROT_READ | PROT_WRITE) )
        leave(1);
    *memory = 1;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void sort_much(void)
{
    static int numbers[5000];

    for ( int i = 0; i < 5000; i++ )
        numbers[i] = i * 7919 % 5000;
    qsort(numbers, 5000, sizeof(numbers[0]), compare);
    if ( numbers[1] != 1 )
        leave(1);
}

static void open_file(void)
{
    syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY, 0);
}

static void make_socket(void)
{
    syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
}

static void make_process(void)
{
    syscall(SYS_fork);
}

static void make_thread(void)
{
    syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void run_program(void)
{
    syscall(SYS_execve, "/nowhere/at/all", NULL, NULL);
}

static void ask_device(void)
{
    syscall(SYS_ioctl, SANDBOX_IN, 0, 0);
}

static void trace(void)
{
    syscall(SYS_ptrace, 0, 0, 0, 0);
}

static void read_other(void)
{
    syscall(SYS_process_vm_readv, 1, 0, 0, 0, 0, 0);
}

static void kill_other(void)
{
    syscall(SYS_kill, 1, 0);
}

static void map_code(void)
{
    syscall(SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void make_code(void)
{
    syscall(SYS_mprotect, 0, 0, PROT_READ | PROT_EXEC);
}

static void call_x32(void)
{
    syscall(0x40000000 + 39);
}

static void map_file(void)
{
    syscall(SYS_mmap, 0, 4096, PROT_READ, MAP_PRIVATE, SANDBOX_IN, 0);
}

static void read_elsewhere(void)
{
    char byte;

    syscall(SYS_read, 2, &byte, 1);
}

static void write_elsewhere(void)
{
    syscall(SYS_write, 2, "x", 1);
}

static void ask_time(void)
{
    syscall(SYS_nanosleep, 0, 0);
}

TEST(sandbox_lets_it_work)
{
    CHECK_EQ(ends(do_its_work), 0);
    CHECK_EQ(ends(sort_much), 0);
    CHECK_EQ(ends(reserve_and_use), 0);
}

static void check_kills(void)
{
    static const struct {
        const char *name;
        void (*act)(void);
    } acts[] = {
        {"open", open_file},
        {"socket", make_socket},
        {"fork", make_process},
        {"clone", make_thread},
        {"execve", run_program},
        {"ioctl", ask_device},
        {"ptrace", trace},
        {"process_vm_readv", read_other},
        {"kill", kill_other},
        {"mmap of code", map_code},
        {"mprotect", make_code},
        {"getpid of x32", call_x32},
        {"mmap of a file", map_file},
        {"read of another descriptor", read_elsewhere},
        {"write to another descriptor", write_elsewhere},
        {"nanosleep", ask_time},
    };

    for ( size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++ )
    {
        /* A file that was sent is read. */
        int end = for_files && acts[i].act == read_elsewhere
                      ? -SIGSYS
                      : ends(acts[i].act);

        if ( end != -SIGSYS )
            test_fail(__FILE__, __LINE__, "%s ended with %d, wanted %d",
                      acts[i].name, end, -SIGSYS);
    }
}

TEST(sandbox_kills)
{
    check_kills();
}

/* All but to read what was sent, which test-user-readers.c does. */
TEST(what_a_reader_of_files_may_do)
{
    for_files = true;
    check_kills();
    CHECK_EQ(ends(sort_much), 0);
    CHECK_EQ(ends(reserve_and_use), 0);
    for_files = false;
}

/* Beyond its limit there is no memory, and malloc() says so. */
static void take_much(void)
{
    void *memory = (void *)syscall(SYS_mmap, 0, MEMORY + (1 << 20),
                                   PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    leave(memory == MAP_FAILED ? 7 : 0);
}

TEST(sandbox_has_little_memory)
{
    CHECK_EQ(ends(take_much), 7);
}

/* What the kernel says of a process that waits in the sandbox. */
TEST(sandbox_dumps_no_core)
{
    char path[64], line[256] = "";
    int pipes[4];
    pid_t pid;
    FILE *file;

    CHECK(pipe(pipes) == 0 && pipe(pipes + 2) == 0);
    pid = fork();
    if ( pid == 0 )
    {
        char byte;

        if ( sandbox_enter(pipes[0], pipes[3], MEMORY) == 0 &&
             write(SANDBOX_OUT, "r", 1) == 1 )
            byte = (char)read(SANDBOX_IN, &byte, 1);
        leave(0);
    }
    CHECK_EQ(read(pipes[2], line, 1), 1);
    snprintf(path, sizeof(path), "/proc/%d/limits", (int)pid);
    file = fopen(path, "re");
    CHECK(file);
    while ( !strstr(line, "Max core file size") &&
            fgets(line, sizeof(line), file) )
        continue;
    fclose(file);
    for ( int i = 0; i < 4; i++ )
        close(pipes[i]);
    waitpid(pid, NULL, 0);
    CHECK_EQ(strncmp(line + strlen("Max core file size"),
                     "        0                    0    ", 30),
             0);
}

/* It ends when its parent does, even if its pipes stay open. */
TEST(sandbox_leaves_no_descriptors)
{
    struct pollfd end = {.events = POLLIN};
    int pipes[4], status;
    char text[64] = "";
    pid_t pid;

    CHECK(pipe(pipes) == 0 && pipe(pipes + 2) == 0);
    pid = fork();
    if ( pid == 0 )
    {
        char byte;

        if ( sandbox_enter(pipes[0], pipes[3], MEMORY) == 0 &&
             write(SANDBOX_OUT, "r", 1) == 1 )
            byte = (char)read(SANDBOX_IN, &byte, 1);
        leave(0);
    }
    close(pipes[0]);
    close(pipes[3]);
    CHECK_EQ(read(pipes[2], text, 1), 1);
    close(pipes[1]);
    end.fd = pipes[2];
    CHECK_EQ(poll(&end, 1, 10000), 1);
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    CHECK_EQ(read(pipes[2], text, 1), 0); /* its end was the last */
    close(pipes[2]);
}
