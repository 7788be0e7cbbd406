/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a command, and adds a line to FILE: microseconds of CPU time, the
 * kernel's with the user's and those of its children too, and KiB that the
 * largest of these processes took at most.  Exit status is the command's.
 *
 *   run-cost FILE COMMAND [ARGUMENT...]
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long microseconds(struct timeval time)
{
    return time.tv_sec * 1000000l + time.tv_usec;
}

static int say(const char *path, const struct rusage *usage)
{
    FILE *file = fopen(path, "a");

    if ( !file )
        return -1;
    fprintf(file, "%ld %ld\n",
            microseconds(usage->ru_utime) + microseconds(usage->ru_stime),
            usage->ru_maxrss);
    return fclose(file);
}

int main(int argc, char **argv)
{
    struct rusage usage;
    int status;
    pid_t pid;

    if ( argc < 3 )
    {
        fprintf(stderr, "usage: run-cost FILE COMMAND [ARGUMENT...]\n");
        return 2;
    }
    pid = fork();
    if ( pid == 0 )
    {
        execvp(argv[2], argv + 2);
        fprintf(stderr, "run-cost: %s: %s\n", argv[2], strerror(errno));
        _exit(127);
    }
    if ( pid < 0 || wait4(pid, &status, 0, &usage) != pid ||
         say(argv[1], &usage) )
    {
        fprintf(stderr, "run-cost: %s: %s\n", argv[1], strerror(errno));
        return 126;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
