/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A walker for each guest, and a batch when there are enough stacks. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include "cage/keeper.h"
#include "daemon/parser/process-run.h"
#include "daemon/parser/walker-link.h"
#include "parser-ways.h"

#define GUESTS_MAX 200u
#define ROUND      250000000ull /* ns, as the daemon's */

static struct keeper keeper;
static struct process_maker maker;
static struct table_store *store;
static struct walker *walkers[GUESTS_MAX];
static unsigned int walker_count;

static size_t read_memory(void *self, uint64_t address, void *to, size_t size)
{
    (void)self;
    return cost_read(address, to, size);
}

static struct walker *make_walker(void)
{
    const struct search_order order = {
        .kind = SEARCH_MEMORY, .address = cost_address(), .budget = 16 << 20};
    struct search *search = search_begin(&maker, store, &order, NULL);
    const struct search_result *result;
    struct walker *walker;
    enum link_status status;

    cost_must(search, "no search can be made");
    do
        status = search_work(search, 100000000, read_memory, NULL);
    while ( status == LINK_MORE );
    result = search_get_result(search);
    cost_must(status == LINK_OK && result->status == KERNEL_OK,
              "a kernel was not found");
    walker = walker_begin(&maker,
                          &(struct walker_tables){.image = result->image,
                                                  .modules = result->modules,
                                                  .base = result->base},
                          NULL);
    cost_must(walker, "no walker can be made");
    search_end(search);
    return walker;
}

static void begin(unsigned int guests)
{
    struct failure failure;

    signal(SIGPIPE, SIG_IGN);
    cost_must(keeper_start(&keeper, NULL, process_run, &failure) == 0,
              "there is no keeper");
    maker = keeper_maker(&keeper);
    store = table_store_open();
    for ( unsigned int i = 0; i < guests; i++ )
        walkers[i] = make_walker();
    walker_count = guests;
}

static void take_answers(struct walker *walker)
{
    struct unwind_result frames;
    struct kernel_symbol name;
    uint64_t tag, address;

    while ( walker_next_name(walker, &address, &name) )
        continue;
    while ( walker_next_stack(walker, &tag, &frames) )
        cost_check(&frames);
}

/* Waits for all batches that are away, with one call. */
static void receive_all(unsigned int guests)
{
    struct pollfd waits[GUESTS_MAX];
    struct walker *away[GUESTS_MAX];
    unsigned int count;

    do
    {
        count = 0;
        for ( unsigned int i = 0; i < guests; i++ )
            if ( walker_is_away(walkers[i]) )
            {
                waits[count].fd = walker_fd(walkers[i]);
                waits[count].events = POLLIN;
                away[count++] = walkers[i];
            }
        if ( count )
            poll(waits, count, 20);
        for ( unsigned int i = 0; i < count; i++ )
            if ( waits[i].revents && walker_receive(away[i]) == LINK_OK )
                take_answers(away[i]);
    } while ( count );
}

static void run_round(unsigned int number, unsigned int guests,
                      unsigned int samples)
{
    unsigned int added[GUESTS_MAX] = {0}, left;
    uint64_t now = (number + 1) * ROUND;
    struct unwind_start start;

    do
    {
        left = 0;
        for ( unsigned int i = 0; i < guests; i++ )
        {
            for ( ; added[i] < samples; added[i]++ )
            {
                cost_stack(added[i] + i, &start);
                if ( !walker_add(walkers[i], added[i], &start) )
                    break;
            }
            left += samples - added[i];
            if ( added[i] < samples || walker_is_due(walkers[i], now) )
                walker_send(walkers[i]);
        }
        receive_all(guests);
    } while ( left );
}

static uint64_t cpu(void)
{
    uint64_t sum = 0;

    for ( unsigned int i = 0; i < walker_count; i++ )
        sum += walker_cpu(walkers[i]);
    return sum;
}

static void end(void)
{
    for ( unsigned int i = 0; i < walker_count; i++ )
        walker_end(walkers[i]);
    table_store_close(store);
    keeper_stop(&keeper);
}

const struct cost_way cost_of_batches = {"batches", begin, run_round, cpu, end};
