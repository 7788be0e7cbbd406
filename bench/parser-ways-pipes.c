/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one parser of all guests, asked for one stack at a time (411f312). */
#include <signal.h>
#include <stdlib.h>

#include "base/clock.h"
#include "daemon/parser/parser.h"
#include "daemon/parser/parser-keeper.h"
#include "daemon/parser/parser-link.h"
#include "parser-ways.h"

static struct parser_keeper keeper;
static struct parser_maker of_keeper;
static struct parser_link *connection;
static clockid_t parser_clock;

static bool make(void *self, struct parser_process *ret)
{
    (void)self;
    return of_keeper.make(of_keeper.self, ret) &&
           clock_getcpuclockid(ret->pid, &parser_clock) == 0;
}

static void end_parser(void *self)
{
    (void)self;
    of_keeper.end(of_keeper.self);
}

static size_t read_memory(void *self, uint32_t slot, uint64_t address, void *to,
                          size_t size)
{
    (void)self;
    (void)slot;
    return cost_read(address, to, size);
}

static void find_kernel(uint32_t slot)
{
    const struct link_search search = {cost_address(), 16 << 20, false};
    enum kernel_status found;
    struct kernel_info info;
    enum link_status status = parser_link_find(connection, slot, &search);

    while ( status == LINK_MORE )
        status = parser_link_work(connection, 100000000, read_memory, NULL,
                                  &found, &info);
    cost_must(status == LINK_OK && found == KERNEL_OK,
              "a kernel was not found");
}

static void begin(unsigned int guests)
{
    static const struct parser_maker maker = {make, end_parser, NULL};
    struct failure failure;

    signal(SIGPIPE, SIG_IGN);
    cost_must(parser_keeper_start(&keeper, NULL, parser_run, &failure) == 0,
              "there is no keeper");
    of_keeper = parser_keeper_maker(&keeper);
    connection = parser_link_open(&maker, NULL);
    cost_must(connection, "there is no memory");
    for ( uint32_t i = 0; i < guests; i++ )
        find_kernel(i);
}

static void run_round(unsigned int number, unsigned int guests,
                      unsigned int samples)
{
    struct unwind_result frames;
    struct unwind_start start;

    (void)number;
    for ( unsigned int i = 0; i < guests; i++ )
        for ( unsigned int j = 0; j < samples; j++ )
        {
            cost_stack(j + i, &start);
            cost_must(parser_link_stack(connection, i, &start, &frames) ==
                          LINK_OK,
                      "the parser died");
            cost_check(&frames);
        }
}

static uint64_t cpu(void)
{
    return clock_read(parser_clock);
}

static void end(void)
{
    parser_link_close(connection);
    parser_keeper_stop(&keeper);
}

const struct cost_way cost_of_pipes = {"pipes", begin, run_round, cpu, end};
