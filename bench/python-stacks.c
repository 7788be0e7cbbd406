/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of a real Python with -X perf (CPython from 3.12 on), while it runs:
 * each reaches its root, and has the functions of Python by name.  PYTHON in
 * the environment is its path.  Debian 12 has none that can do it, so this is
 * no test; that of trampolines has code of the same forms.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/agent/compiled-kit.h"

#define STACKS 200u
#define WINDOW 65536u
#define APART  1000u /* microseconds */

#define STARTING 600u /* tenths of a second */

static const char program[] =
    "def leaf(n): return sum(i * i for i in range(n))\n"
    "def middle(n): return leaf(n) + leaf(n)\n"
    "def outer():\n"
    " while True: middle(300)\n"
    "outer()\n";

static struct jit_names *jits;
static struct row_cache *cache;
static struct captured_space space;
static pid_t pid;

struct python_stacks {
    unsigned int stacks, whole, named;
};

/* Returns the first Python that can do it, or NULL. */
static const char *find_python(void)
{
    static const char *const names[] = {"python3", "python3.14", "python3.13",
                                        "python3.12"};
    const char *given = getenv("PYTHON");
    char command[512];

    for ( size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++ )
    {
        const char *name = given && *given ? given : names[i];

        snprintf(command, sizeof(command),
                 "'%.256s' -X perf -c 'import sys; "
                 "sys.exit(not sys.is_stack_trampoline_active())' 2>/dev/null",
                 name);
        if ( !system(command) )
            return name;
    }
    return NULL;
}

static void check(bool right, const char *what)
{
    if ( right )
        return;
    fprintf(stderr, "python-stacks: %s\n", what);
    if ( pid > 0 )
        kill(pid, SIGKILL);
    exit(1);
}

/* Whether the functions are in the chain, each above the one that it calls. */
static bool has_names(const struct user_chain *chain)
{
    static const char *const wanted[] = {
        "py::middle:", "py::outer:", "py::<module>:"};
    unsigned int found = 0;

    for ( uint32_t i = 0; i < chain->count && found < 3; i++ )
    {
        const char *name = kit_compiled_name(jits, pid, chain->frames[i] - 1);

        found += name && !strncmp(name, wanted[found], strlen(wanted[found]));
    }
    return found == 3;
}

static void walk(struct user_chain *ret)
{
    struct captured_stack stack;

    check(capture_stack(&stack, pid, WINDOW), "Python has ended");
    capture_walk(&stack, &space, cache, ret);
    free(stack.bytes);
}

/* Until it does its work, with what it has mapped by then. */
static void start(const char *python)
{
    const char *const words[] = {python, "-X", "perf", "-c", program, NULL};
    static struct user_chain chain;

    pid = capture_program((char **)(uintptr_t)words);
    check(pid > 0, "Python cannot be started");
    for ( unsigned int i = 0; i < STARTING; i++ )
    {
        check(capture_run_for(pid, 100 * APART) && capture_space(&space, pid),
              "Python has ended");
        kit_bind_compiled(&space, jits);
        walk(&chain);
        if ( has_names(&chain) )
            return;
        capture_space_free(&space);
    }
    check(false, "this Python has no trampolines");
}

static void look(struct python_stacks *outcome)
{
    static struct user_chain chain;

    walk(&chain);
    outcome->stacks++;
    outcome->whole += chain.end == USER_ROOT;
    outcome->named += has_names(&chain);
    if ( chain.end != USER_ROOT )
        printf("# end %d after %u frames at %#lx\n", chain.end, chain.count,
               chain.frames[chain.count - 1]);
}

static void end(void)
{
    char map[64];

    kill(pid, SIGKILL);
    snprintf(map, sizeof(map), "/tmp/perf-%d.map", (int)pid);
    unlink(map);
    capture_space_free(&space);
    row_cache_close(cache);
    jit_names_close(jits);
}

/* Between two calls of middle() it is not there. */
int main(void)
{
    const char *python = find_python();
    struct python_stacks outcome = {.stacks = 0};

    check(python, "there is no Python with -X perf (3.12 or newer); PYTHON in "
                  "the environment names one");
    jits = jit_names_open(8 << 20);
    cache = row_cache_open();
    check(jits && cache, "memory ran out");
    start(python);
    while ( outcome.stacks < STACKS && capture_run_for(pid, APART) )
        look(&outcome);
    end();
    printf("%u stacks: %u to the root, %u with their functions by name\n",
           outcome.stacks, outcome.whole, outcome.named);
    return outcome.stacks != STACKS || outcome.whole < STACKS * 99 / 100 ||
           outcome.named < STACKS * 95 / 100;
}
