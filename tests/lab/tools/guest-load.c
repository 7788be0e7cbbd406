/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest-load LOAD: keeps a guest's kernel busy for ever, so that its stacks
 * are of one kind.
 *
 *   syscalls    short system calls, one after the other
 *   interrupts  the same below a storm of timer interrupts
 *   deep        wake-ups through nested epolls, page faults in a system call
 *   compat      system calls of a 32-bit process, guest-load-32
 *
 * Needs nothing in the guest: no library, no loader.
 */
#include <fcntl.h>
#include <sys/epoll.h>
#include <linux/time_types.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define EPOLLS     4 /* Linux takes no more in each other */
#define FRESH_SIZE 65536
#define SLEEP_NS   20000

static char buffer[4096];
static const char path_32[] = "/usr/bin/guest-load-32";
static const char *const arguments[] = {path_32, 0};

static long call6(long number, long a, long b, long c, long d, long e)
{
    register long r10 asm("r10") = d;
    register long r8 asm("r8") = e;
    register long r9 asm("r9") = 0;
    long result;

    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                   "r"(r9)
                 : "rcx", "r11", "memory");
    return result;
}

static long call(long number, long a, long b, long c)
{
    return call6(number, a, b, c, 0, 0);
}

static long open_file(const char *path, int flags)
{
    return call(SYS_open, (long)path, flags, 0);
}

static void make_syscalls(void)
{
    long zero = open_file("/dev/zero", O_RDONLY);
    long null = open_file("/dev/null", O_WRONLY);

    for ( ;; )
    {
        call(SYS_read, zero, (long)buffer, sizeof(buffer));
        call(SYS_write, null, (long)buffer, sizeof(buffer));
        call(SYS_getppid, 0, 0, 0);
    }
}

/* One process sleeps for the shortest time there is; the other works, and the
 * interrupts that end those sleeps come in its time. */
static void make_interrupts(void)
{
    const struct __kernel_timespec sleep = {0, SLEEP_NS};

    if ( call(SYS_fork, 0, 0, 0) )
        make_syscalls();
    call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0);
    call(SYS_prctl, PR_SET_TIMERSLACK, 1, 0);
    for ( ;; )
        call(SYS_nanosleep, (long)&sleep, 0, 0);
}

/* Each watches the one before; the first watches file. */
static void nest_epolls(long file)
{
    struct epoll_event event = {.events = EPOLLIN};

    for ( int i = 0; i < EPOLLS; i++ )
    {
        long outer = call(SYS_epoll_create1, 0, 0, 0);

        call6(SYS_epoll_ctl, outer, EPOLL_CTL_ADD, file, (long)&event, 0);
        file = outer;
    }
}

static void go_deep(void)
{
    long zero = open_file("/dev/zero", O_RDONLY);
    long event = call(SYS_eventfd2, 0, 0, 0);
    const uint64_t one = 1;

    nest_epolls(event);
    for ( ;; )
    {
        long fresh = call6(SYS_mmap, 0, FRESH_SIZE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1);

        call(SYS_read, zero, fresh, FRESH_SIZE);
        call(SYS_munmap, fresh, FRESH_SIZE, 0);
        for ( int i = 0; i < 16; i++ )
            call(SYS_write, event, (long)&one, sizeof(one));
    }
}

void start(const long *stack);

/* argc, then the arguments. */
void start(const long *stack)
{
    const char *load = stack[0] > 1 ? (const char *)stack[2] : "";

    switch ( load[0] )
    {
    case 's': make_syscalls(); break;
    case 'i': make_interrupts(); break;
    case 'd': go_deep(); break;
    case 'c': call(SYS_execve, (long)path_32, (long)arguments, 0); break;
    }
    call(SYS_exit_group, 2, 0, 0);
}

asm(".globl _start\n"
    "_start: mov %rsp, %rdi\n"
    "and $-16, %rsp\n"
    "call start\n");
