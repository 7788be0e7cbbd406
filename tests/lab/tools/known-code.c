/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * known-code: works for ever in functions whose names say who they are of: the
 * process that was started, and children of it that live for some milliseconds.
 */
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sum;

__attribute__((noinline)) static void work_of_the_parent(void)
{
    for ( unsigned long i = 0; i < 20000000; i++ )
        sum += i;
}

__attribute__((noinline)) static void work_of_a_child(void)
{
    for ( unsigned long i = 0; i < 5000000; i++ )
        sum += i;
}

int main(void)
{
    for ( ;; )
    {
        pid_t child = fork();

        if ( !child )
        {
            work_of_a_child();
            _exit(0);
        }
        if ( child < 0 )
            return 1;
        work_of_the_parent();
        waitpid(child, NULL, 0);
    }
}
