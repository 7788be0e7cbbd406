/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of a program, taken by ptrace(2) while it runs, walked by rows: how
 * many reach their root, why the others do not, and how fast that is; with -l
 * the same stacks by libdwfl, and how many are equal; with -v the chains that
 * do not reach their root.
 *
 *   bench/user-stacks [-n STACKS] [-w WINDOW] [-k ROUNDS] [-l] [-v]
 *                     PROGRAM WORD...
 *
 * Of its threads the first is looked at.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/vector.h"
#include "tests/unit/rows/dwfl-kit.h"

#define SPACES_MAX 64u
#define APART      700u /* microseconds */

struct taken_stack {
    struct captured_stack stack;
    unsigned int space;
};

static struct {
    VECTOR(struct taken_stack);
} stacks;
static struct captured_space spaces[SPACES_MAX];
static unsigned int space_count;
static struct row_cache *cache;

static size_t stacks_wanted = 2000, window = 16384;
static unsigned int rounds = 20;
static bool with_dwfl, verbose;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static unsigned long walks, frames_walked;

static void walk(const struct taken_stack *taken, struct user_chain *ret)
{
    capture_walk(&taken->stack, &spaces[taken->space], cache, ret);
    walks++;
    frames_walked += ret->count;
}

/* Takes a stack; and what is mapped, if that has changed. */
static bool take(pid_t pid)
{
    struct taken_stack *taken = vector_add(&stacks);
    struct user_chain chain;

    if ( !taken || !capture_stack(&taken->stack, pid, window) )
        return false;
    if ( space_count )
    {
        taken->space = space_count - 1;
        walk(taken, &chain);
        if ( chain.end != USER_OUTSIDE || space_count == SPACES_MAX )
            return true;
    }
    taken->space = space_count;
    return capture_space(&spaces[space_count++], pid);
}

static bool take_all(char **program)
{
    pid_t pid = capture_program(program);
    bool taken = pid > 0;

    while ( taken && stacks.count < stacks_wanted &&
            capture_run_for(pid, APART) )
        taken = take(pid);
    if ( pid > 0 )
        kill(pid, SIGKILL);
    return taken && stacks.count;
}

/* The frames of a chain, by file and address in it. */
static void say_chain(const struct captured_space *space,
                      const struct user_chain *chain)
{
    for ( uint32_t i = 0; i < chain->count; i++ )
    {
        uint64_t ip = chain->frames[i];
        const struct user_mapping *mapping = user_space_find(space->space, ip);
        size_t number = mapping ? (size_t)(mapping - space->space->mapping) : 0;

        printf("  %#lx %s+%#lx\n", ip,
               mapping ? space->mappings[number].path : "?",
               ip - (mapping ? mapping->bias : 0));
    }
}

static void say_ends(void)
{
    static const char *const names[USER_ENDS] = {
        [USER_ROOT] = "root",       [USER_WINDOW] = "window",
        [USER_NO_ROW] = "no row",   [USER_NO_RULE] = "no rule",
        [USER_OUTSIDE] = "outside", [USER_NONSENSE] = "nonsense",
        [USER_DEEP] = "deep"};
    unsigned long ends[USER_ENDS] = {0}, frames = 0;
    struct user_chain chain;

    for ( size_t i = 0; i < stacks.count; i++ )
    {
        walk(&stacks.items[i], &chain);
        ends[chain.end]++;
        frames += chain.count;
        if ( verbose && chain.end != USER_ROOT )
        {
            printf("%s, wanted %lu\n", names[chain.end], chain.wanted);
            say_chain(&spaces[stacks.items[i].space], &chain);
        }
    }
    printf("%zu stacks, %.1f frames each, window %zu:", stacks.count,
           (double)frames / (double)stacks.count, window);
    for ( int i = 0; i < USER_ENDS; i++ )
        if ( ends[i] )
            printf(" %s %.2f %%", names[i],
                   100.0 * (double)ends[i] / (double)stacks.count);
    printf("\n");
}

/* Rounds over all stacks, each `times` in a row: what is in the processor's
 * caches from the second time on. */
static double time_walks(unsigned int times)
{
    struct user_chain chain;
    double start = now();

    for ( unsigned int k = 0; k < rounds; k++ )
        for ( size_t i = 0; i < stacks.count; i++ )
            for ( unsigned int m = 0; m < times; m++ )
                walk(&stacks.items[i], &chain);
    return (now() - start) / rounds / (double)stacks.count / times;
}

static bool same(const struct user_chain *ours, const struct user_chain *theirs)
{
    return ours->count == theirs->count &&
           !memcmp(ours->frames, theirs->frames,
                   ours->count * sizeof(ours->frames[0]));
}

static void compare(void)
{
    struct dwfl_space *dwfl[SPACES_MAX] = {NULL};
    static struct user_chain ours, theirs;
    unsigned long equal = 0, longer = 0;
    double seconds = 0, start;

    for ( unsigned int i = 0; i < space_count; i++ )
        dwfl[i] = dwfl_space_open(&spaces[i]);
    for ( int warm = 0; warm < 2; warm++ )
        for ( size_t i = 0; i < stacks.count; i++ )
        {
            if ( !dwfl[stacks.items[i].space] )
                continue;
            start = now();
            dwfl_walk(dwfl[stacks.items[i].space], &stacks.items[i].stack,
                      &theirs);
            seconds += warm ? now() - start : 0;
            walk(&stacks.items[i], &ours);
            equal += warm && same(&ours, &theirs);
            longer += warm && theirs.count > ours.count;
        }
    printf("libdwfl: %.0f walks/s; %.2f %% are equal, it has more frames in "
           "%.2f %%\n",
           (double)stacks.count / seconds,
           100.0 * (double)equal / (double)stacks.count,
           100.0 * (double)longer / (double)stacks.count);
    for ( unsigned int i = 0; i < space_count; i++ )
        dwfl_space_close(dwfl[i]);
}

/* Returns the first word that is not an option. */
static char **read_options(char **words)
{
    for ( words++; *words && **words == '-'; words++ )
        if ( !strcmp(*words, "-l") )
            with_dwfl = true;
        else if ( !strcmp(*words, "-v") )
            verbose = true;
        else if ( !words[1] )
            break;
        else if ( !strcmp(*words, "-n") )
            stacks_wanted = strtoul(*++words, NULL, 0);
        else if ( !strcmp(*words, "-w") )
            window = strtoul(*++words, NULL, 0);
        else if ( !strcmp(*words, "-k") )
            rounds = (unsigned int)strtoul(*++words, NULL, 0);
    return words;
}

int main(int argc, char **argv)
{
    char **program = read_options(argv);
    double cached, once;

    cache = row_cache_open();
    if ( argc < 2 || !*program || !cache || !take_all(program) )
    {
        fprintf(stderr, "user-stacks: no stack of a program was taken\n");
        return 1;
    }
    say_ends();
    once = time_walks(1);
    cached = time_walks(8);
    printf("rows: %.0f walks/s (window in cache), %.0f walks/s (each once)\n",
           1 / cached, 1 / once);
    if ( with_dwfl )
        compare();
    printf("%lu walks of %lu frames\n", walks, frames_walked);
    return 0;
}
