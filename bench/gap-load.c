/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that their guest notices, for bench/sample-gaps.sh; runs in the lab's
 * dom0.
 *
 *   gap-load own MASK WINDOW ROOM TURNS
 *       this process looks for gaps in its own time, with sampling off and on
 *       in turn, on a stack that ends ROOM bytes higher at a missing page;
 *       prints `off LENGTH` and `on LENGTH`
 *   gap-load other ID UUID MASK WINDOW TURNS
 *       samples a guest that looks for gaps (lab/test-kernel's word `gaps`),
 *       a tenth of a second at a time
 *
 * Lengths are in ticks of the TSC.  Each turn is short enough for all of its
 * samples to fit into a ring.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "lab-door.h"
#include "lab/test-kernel/gaps.h"

#define TURN_TICKS 100000000u
#define STACK      65536u
#define PAGE       4096u
#define GAPS       1000u
#define DOM0       "00000000000000000000000000000000"

static uint64_t gaps[GAPS];
static unsigned int found;
static ucontext_t here, there;

static void start(const char *mask, const char *window, const char *domain)
{
    char reserve[250];

    snprintf(reserve, sizeof(reserve),
             "reserve sampler=nmi frequency=997 mask=%s pages=256 queue=256 "
             "lease=0 budget=0 window=%s user-window=%s",
             mask, window, window);
    door(reserve);
    door(domain);
    door("start");
}

static void stop(void)
{
    door("stop");
    fprintf(stderr, "made %lu\n", door_made());
    door("reset");
}

static void look(void)
{
    found = gaps_find(TURN_TICKS, gaps, GAPS);
}

/* A stack that ends at a missing page. */
static char *end_of_stack(void)
{
    char *pages = mmap(NULL, STACK + PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if ( pages == MAP_FAILED )
        exit(1);
    memset(pages, 1, STACK);
    munmap(pages + STACK, PAGE);
    return pages + STACK;
}

static void look_and_tell(const char *what, char *end, unsigned int room)
{
    getcontext(&there);
    there.uc_stack.ss_sp = end - STACK;
    there.uc_stack.ss_size = STACK - room;
    there.uc_link = &here;
    makecontext(&there, look, 0);
    swapcontext(&here, &there);
    for ( unsigned int i = 0; i < found; i++ )
        printf("%s %lu\n", what, (unsigned long)gaps[i]);
}

static int own(char **argv)
{
    char *end = end_of_stack();
    unsigned int room = atoi(argv[2]);

    for ( int turn = atoi(argv[3]); turn > 0; turn-- )
    {
        look_and_tell("off", end, room);
        start(argv[0], argv[1],
              "domain id=0 vcpus=1 uuid=" DOM0 " kind=active");
        look_and_tell("on", end, room);
        stop();
    }
    return 0;
}

static int other(char **argv)
{
    char domain[200];

    snprintf(domain, sizeof(domain),
             "domain id=%s vcpus=1 uuid=%s kind=passive", argv[0], argv[1]);
    for ( int turn = atoi(argv[4]); turn > 0; turn-- )
    {
        start(argv[2], argv[3], domain);
        usleep(100000);
        stop();
    }
    return 0;
}

int main(int argc, char **argv)
{
    if ( argc == 6 && !strcmp(argv[1], "own") )
        return own(argv + 2);
    if ( argc == 7 && !strcmp(argv[1], "other") )
        return other(argv + 2);
    fprintf(stderr, "gap-load: own or other, and what they take\n");
    return 2;
}
