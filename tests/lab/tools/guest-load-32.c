/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest-load-32: a 32-bit process that reads /dev/zero for ever.
 *
 * Needs nothing of the guest: no library, no loader, and no header when it is
 * built, since there may be none for 32 bits.
 */
#define SYS_READ 3
#define SYS_OPEN 5

static char buffer[4096];

static long call(long number, long a, const void *b, long c)
{
    long result;

    asm volatile("int $0x80"
                 : "=a"(result)
                 : "a"(number), "b"(a), "c"(b), "d"(c)
                 : "memory");
    return result;
}

void _start(void);

void _start(void)
{
    long zero = call(SYS_OPEN, (long)"/dev/zero", 0, 0);

    for ( ;; )
        call(SYS_READ, zero, buffer, sizeof(buffer));
}
