/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest-load-32: a 32-bit process that reads /dev/zero for ever.
 *
 * Needs nothing in the guest, neither library nor loader, and no header when it
 * is built, since headers for 32 bits may be missing.
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
