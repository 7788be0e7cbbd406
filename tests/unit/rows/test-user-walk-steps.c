/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program with odd frames, stopped after each of its instructions: each
 * stack is walked to its root, and libdwfl, which reads the call frame
 * information itself, finds the same frames.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dwfl-kit.h"
#include "tests/harness.h"

#define WINDOW       8192u
#define SIGNAL_EVERY 997u /* instructions: more than the handler has */
#define STEPS_MAX    100000u

struct outcome {
    unsigned int stacks, whole, equal, shorter, interrupted, deepest;
};

static const char *or_else(const char *name, const char *other)
{
    const char *value = getenv(name);

    return value && *value ? value : other;
}

/* Without what the rest of the build is compiled with: sanitizers change
 * frames. */
static void compile(const char *program)
{
    char command[1024];

    snprintf(command, sizeof(command),
             "%s -O2 -fomit-frame-pointer -fno-pie -no-pie -Wl,-z,lazy -o %s "
             "%s/tests/unit/rows/odd-frames.c",
             or_else("MODULE_CC", "cc"), program, or_else("top_srcdir", "."));
    CHECK_EQ(system(command), 0);
}

/* Whether theirs are frames of ours, if perhaps not all. */
static bool agrees(const struct user_chain *ours,
                   const struct user_chain *theirs)
{
    return ours->count >= theirs->count &&
           !memcmp(ours->frames, theirs->frames,
                   theirs->count * sizeof(ours->frames[0]));
}

static void say_difference(const struct user_chain *ours,
                           const struct user_chain *theirs)
{
    printf("# at %#lx: end %d\n#   ours  ", ours->frames[0], ours->end);
    for ( uint32_t i = 0; i < ours->count; i++ )
        printf(" %lx", ours->frames[i]);
    printf("\n#   theirs");
    for ( uint32_t i = 0; i < theirs->count; i++ )
        printf(" %lx", theirs->frames[i]);
    printf("\n");
}

static void look(struct outcome *outcome, const struct captured_stack *stack,
                 const struct captured_space *space, struct dwfl_space *dwfl,
                 struct row_cache *cache)
{
    static struct user_chain ours, theirs;
    bool whole, agree, equal;

    capture_walk(stack, space, cache, &ours);
    dwfl_walk(dwfl, stack, &theirs);
    whole = ours.end == USER_ROOT;
    agree = agrees(&ours, &theirs);
    equal = agree && ours.count == theirs.count;
    outcome->stacks++;
    outcome->whole += whole;
    outcome->equal += equal;
    outcome->shorter += agree && !equal;
    if ( ours.count > outcome->deepest )
        outcome->deepest = ours.count;
    for ( uint32_t i = 1; i < ours.count; i++ )
        outcome->interrupted += ours.exact[i];
    if ( !agree || (!whole && !equal) )
        say_difference(&ours, &theirs);
}

static void follow(struct outcome *outcome, pid_t pid)
{
    struct row_cache *cache = row_cache_open();
    struct captured_space space;
    struct dwfl_space *dwfl;
    unsigned int step = 0;
    int stopped = SIGTRAP;

    CHECK(cache && capture_space(&space, pid));
    dwfl = dwfl_space_open(&space);
    CHECK(dwfl);
    while ( step++ < STEPS_MAX )
    {
        struct captured_stack stack;

        /* While its handler runs a signal waits, and then stops the program
         * once more. */
        if ( step % SIGNAL_EVERY && stopped != SIGUSR1 )
            stopped = capture_step(pid, 0);
        else
            stopped = capture_step(pid, SIGUSR1);
        if ( !stopped )
            break;
        CHECK(capture_stack(&stack, pid, WINDOW));
        look(outcome, &stack, &space, dwfl, cache);
        free(stack.bytes);
    }
    CHECK_EQ(stopped, 0);
    dwfl_space_close(dwfl);
    capture_space_free(&space);
    row_cache_close(cache);
}

TEST(stacks_after_each_instruction)
{
    char folder[] = "/tmp/xenoprof-odd-XXXXXX", program[64];
    struct outcome outcome = {.stacks = 0};
    pid_t pid;

    CHECK(mkdtemp(folder));
    snprintf(program, sizeof(program), "%s/odd-frames", folder);
    compile(program);
    pid = capture_program((char *[]){program, NULL});
    CHECK(pid > 0);
    CHECK_EQ(capture_run(pid), SIGTRAP);
    follow(&outcome, pid);
    unlink(program);
    rmdir(folder);
    printf("# %u stacks: %u to the root, %u as libdwfl has them, which ends "
           "earlier in %u; %u frames interrupted by signals, %u at most\n",
           outcome.stacks, outcome.whole, outcome.equal, outcome.shorter,
           outcome.interrupted, outcome.deepest);
    CHECK(outcome.stacks > 5000);
    CHECK(outcome.interrupted > 500);
    CHECK(outcome.whole >= outcome.stacks / 1000 * 999);
    CHECK(outcome.equal >= outcome.stacks / 1000 * 998);
    /* libdwfl loses rbx in the first instructions of what ld.so calls. */
    CHECK_EQ(outcome.equal + outcome.shorter, outcome.stacks);
}
