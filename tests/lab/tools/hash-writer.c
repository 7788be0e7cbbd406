/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash-writer: a guest's process that makes its kernel hash zeros for ever, in
 * kernel modules: each write goes through algif_hash and ends in wp512.
 *
 * Needs nothing in the guest but these modules: no library, no loader.
 */
#include <linux/if_alg.h>
#include <sys/socket.h>
#include <sys/syscall.h>

static char zeros[4096];
static const struct sockaddr_alg hash = {
    .salg_family = AF_ALG, .salg_type = "hash", .salg_name = "wp512"};

static long call(long number, long a, const void *b, long c)
{
    long result;

    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c)
                 : "rcx", "r11", "memory");
    return result;
}

static void leave(const char *why, long length)
{
    call(SYS_write, 2, why, length);
    call(SYS_exit_group, 1, 0, 0);
}

void _start(void);

void _start(void)
{
    const long asked = call(SYS_socket, AF_ALG, (void *)SOCK_SEQPACKET, 0);
    static const char no_hash[] = "hash-writer: this kernel has no such hash\n";
    static const char no_write[] = "hash-writer: a write failed\n";
    long file;

    if ( call(SYS_bind, asked, &hash, sizeof(hash)) )
        leave(no_hash, sizeof(no_hash) - 1);
    file = call(SYS_accept, asked, 0, 0);
    while ( call(SYS_write, file, zeros, sizeof(zeros)) == sizeof(zeros) )
        ;
    leave(no_write, sizeof(no_write) - 1);
}
