/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock-fight: two processes that keep a guest's kernel in one spin lock.
 *
 * Both lock and unlock a byte of one file, for ever. The kernel looks through
 * all locks of a file below a spin lock, and here are LOCKS of them, so one of
 * the two always waits. A guest with two vCPUs and less than two pCPUs then
 * loses the pCPU with the lock held, and the other vCPU spins: what the demo is
 * to show.
 *
 * Needs nothing in the guest: no library, no loader.
 */
#include <fcntl.h>
#include <sys/syscall.h>

#define LOCKS 2000

static long call(long number, long a, long b, const void *c)
{
    long result;

    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c)
                 : "rcx", "r11", "memory");
    return result;
}

static void set_lock(long file, short type, long start)
{
    const struct flock lock = {.l_type = type, .l_start = start, .l_len = 1};

    call(SYS_fcntl, file, F_SETLK, &lock);
}

void fight(void) asm("_start") __attribute__((force_align_arg_pointer));

void fight(void)
{
    long file = call(SYS_open, (long)"fought-for", O_RDWR | O_CREAT,
                     (const void *)0600);
    long first = call(SYS_fork, 0, 0, 0) ? 0 : 2 * LOCKS;

    /* Not beside each other, or they would be one. */
    for ( long i = 0; i < LOCKS; i++ )
        set_lock(file, F_WRLCK, first + 2 * i);
    for ( ;; )
    {
        set_lock(file, F_UNLCK, first);
        set_lock(file, F_WRLCK, first);
    }
}
