/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of a program, taken by ptrace(2) while it runs, walked by rows: how
 * many reach their root, why the others do not, and how fast that is; with -l
 * the same stacks by libdwfl, and how many are equal, and failure below a
 * million walks a second; with -v the chains that do not reach their root.
 *
 *   bench/user-stacks [-n STACKS] [-w WINDOW]... [-k ROUNDS] [-l] [-v]
 *                     PROGRAM WORD... | -p PID
 *
 * Of its threads the first is looked at, whenever it runs.  With several
 * windows the same stacks are walked by each, in bytes; the last one given is
 * that of all else.  Code that the program compiled itself is what opagent
 * finds in the map that it writes.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/table.h"
#include "base/vector.h"
#include "tests/unit/agent/compiled-kit.h"
#include "tests/unit/rows/dwfl-kit.h"

#define SPACES_MAX   64u
#define APART        700u /* microseconds */
#define WINDOWS_MAX  8u
#define WALKS_WANTED 1e6     /* a second, on one processor */
#define IDLE_MAX     100000u /* looks at a program that does not run */

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

static struct jit_names *jits;

static size_t stacks_wanted = 2000, window = 16384, windows[WINDOWS_MAX];
static unsigned int rounds = 20, window_count;
static pid_t attached;
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
    struct captured_stack stack = taken->stack;

    if ( stack.length > window )
        stack.length = window;
    capture_walk(&stack, &spaces[taken->space], cache, ret);
    walks++;
    frames_walked += ret->count;
}

/* What is mapped now; of one that compiles, with what it has compiled. */
static bool take_space(pid_t pid)
{
    struct captured_space *space = &spaces[space_count++];

    if ( !capture_space(space, pid) )
        return false;
    kit_bind_compiled(space, jits);
    return true;
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
    return take_space(pid);
}

/* Of what is sampled in user mode. */
static bool take_if_running(pid_t pid)
{
    static unsigned int idle;
    struct taken_stack *last;

    if ( !take(pid) )
        return false;
    last = &stacks.items[stacks.count - 1];
    if ( !last->stack.in_kernel )
    {
        idle = 0;
        return true;
    }
    free(last->stack.bytes);
    stacks.count--;
    return idle++ < IDLE_MAX;
}

/* Of the frames in code of no file, so many have a name. */
static void say_compiled(pid_t pid)
{
    unsigned long frames = 0, named = 0;
    struct user_chain chain;

    for ( size_t i = 0; i < stacks.count; i++ )
    {
        const struct captured_space *space = &spaces[stacks.items[i].space];

        walk(&stacks.items[i], &chain);
        for ( uint32_t k = 0; k < chain.count; k++ )
        {
            uint64_t at = chain.frames[k] - !chain.exact[k];
            const struct user_mapping *mapping = user_space_find(space->space,
                                                                 at);

            if ( !mapping ||
                 *space->mappings[mapping - space->space->mapping].path )
                continue;
            frames++;
            named += kit_compiled_name(jits, pid, at) != NULL;
        }
    }
    if ( frames )
        printf("%lu frames of compiled code, %.2f %% with a name\n", frames,
               100.0 * (double)named / (double)frames);
}

/* A page of a table that a frame was looked up in. */
struct needed_page {
    const struct row_table *rows;
    uint64_t number;
};

static void need(struct table *needed, const struct user_space *space,
                 uint64_t address)
{
    const struct user_mapping *mapping = user_space_find(space, address);
    struct needed_page page;

    if ( !mapping || !mapping->rows )
        return;
    page = (struct needed_page){
        mapping->rows,
        (address - mapping->bias - mapping->rows->base) >> ROW_PAGE_SHIFT};
    if ( !table_find(needed, &page) )
        table_put(needed, &page);
}

/* How many of the pages of rows of what is mapped last were needed. */
static void say_pages(void)
{
    const struct captured_space *last = &spaces[space_count - 1];
    struct user_chain chain;
    struct table needed;
    size_t pages = 0, bytes = 0;

    table_init(&needed, sizeof(struct needed_page), sizeof(struct needed_page));
    for ( size_t i = 0; i < stacks.count; i++ )
    {
        if ( stacks.items[i].space != space_count - 1 )
            continue;
        walk(&stacks.items[i], &chain);
        for ( uint32_t k = 0; k < chain.count; k++ )
            need(&needed, last->space, chain.frames[k] - !chain.exact[k]);
    }
    for ( size_t i = 0; i < last->count; i++ )
    {
        pages += last->tables[i] ? last->tables[i]->pages : 0;
        bytes += last->tables[i] ? row_table_size(last->tables[i]) : 0;
    }
    printf("%zu of %zu pages of rows were needed, which take %zu KB\n",
           needed.count, pages, bytes / 1000);
    table_free(&needed);
}

static bool take_all(char **program)
{
    pid_t pid = attached ? attached : capture_program(program);
    bool taken = pid > 0 && (!attached || capture_attach(pid));

    while ( taken && stacks.count < stacks_wanted &&
            capture_run_for(pid, APART) )
        taken = take_if_running(pid);
    if ( stacks.count )
        say_compiled(pid);
    if ( pid > 0 && !attached )
        kill(pid, SIGKILL);
    return stacks.count;
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
        else if ( !strcmp(*words, "-w") && window_count < WINDOWS_MAX )
            windows[window_count++] = strtoul(*++words, NULL, 0);
        else if ( !strcmp(*words, "-p") )
            attached = (pid_t)strtol(*++words, NULL, 0);
        else if ( !strcmp(*words, "-k") )
            rounds = (unsigned int)strtoul(*++words, NULL, 0);
    return words;
}

/* Stacks are taken with the largest. */
static void choose_window(void)
{
    for ( unsigned int i = 0; i < window_count; i++ )
        if ( !i || windows[i] > window )
            window = windows[i];
    if ( !window_count )
        windows[window_count++] = window;
}

static void say_all_ends(void)
{
    for ( unsigned int i = 0; i < window_count; i++ )
    {
        window = windows[i];
        say_ends();
    }
}

/* Returns walks a second. */
static double say_times(void)
{
    double once = time_walks(1), cached = time_walks(8);

    printf("rows: %.0f walks/s (window in cache), %.0f walks/s (each once)\n",
           1 / cached, 1 / once);
    return 1 / cached;
}

int main(int argc, char **argv)
{
    char **program = read_options(argv);
    double rate;

    cache = row_cache_open();
    jits = jit_names_open(64 << 20);
    choose_window();
    if ( argc < 2 || (!*program && !attached) || !cache || !jits ||
         !take_all(program) )
    {
        fprintf(stderr, "user-stacks: no stack of a program was taken\n");
        return 1;
    }
    say_all_ends();
    say_pages();
    rate = say_times();
    if ( with_dwfl )
        compare();
    printf("%lu walks of %lu frames\n", walks, frames_walked);
    return with_dwfl && rate < WALKS_WANTED;
}
