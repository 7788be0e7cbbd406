/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * known-leaves: works for ever in three functions that it gives to others, so
 * that their names are in what a kernel loads of it, one, two and three parts
 * of its time; and in one that it does not, another two parts.  A guest needs
 * no library for it: it is one, which begins at _start().
 */
static volatile unsigned long sum;

#define KNOWN __attribute__((noinline))

static inline void work(unsigned long parts)
{
    for ( unsigned long i = 0; i < 300000 * parts; i++ )
        sum += i;
}

void known_first(void);
void known_second(void);
void known_third(void);

KNOWN void known_first(void)
{
    work(1);
}

KNOWN void known_second(void)
{
    work(2);
}

KNOWN void known_third(void)
{
    work(3);
}

KNOWN static void known_hidden(void)
{
    work(2);
}

_Noreturn void _start(void);
_Noreturn void _start(void)
{
    for ( ;; )
    {
        known_first();
        known_second();
        known_third();
        known_hidden();
    }
}
